/* Handlers of XLA's typed FFI in C, as a library of somebody else would have them. */
#include <stdlib.h>
#include <string.h>

#include "cyxla_ffi.h"

#define EXPORT __attribute__((visibility("default")))

/* The stateful handler's type, given to the library by whoever registers it. */
EXPORT int64_t counter_type_id;

/* The version that the handlers say they were built with: that of jaxlib 0.10, which
   refuses later ones. */
EXPORT int handlers_minor_version = 3;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_InvokeContext *ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId *type_id;
  void *state;
} state_args;

typedef XLA_FFI_Error *state_function(state_args *args);

static XLA_FFI_Error *fail(const XLA_FFI_CallFrame *frame, const char *message) {
  XLA_FFI_Error_Create_Args args = {sizeof(args), NULL, message,
                                    XLA_FFI_Error_Code_INVALID_ARGUMENT};

  return frame->api->XLA_FFI_Error_Create(&args);
}

/* Whether the handler is only asked what it is; says so. */
static int says_what_it_is(XLA_FFI_CallFrame *frame, int64_t state_type_id) {
  XLA_FFI_InternalExtension *extension = frame->extension_start;

  for (; extension != NULL; extension = extension->next) {
    if (extension->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)extension)->metadata;
      metadata->api_version.major_version = XLA_FFI_API_MAJOR;
      metadata->api_version.minor_version = handlers_minor_version;
      metadata->traits = 0;
      if (state_type_id != 0) metadata->state_type_id.type_id = state_type_id;
      return 1;
    }
  }
  return 0;
}

static const void *attribute(const XLA_FFI_CallFrame *frame, const char *name,
                             XLA_FFI_AttrType type) {
  for (int64_t i = 0; i < frame->attrs.size; i++) {
    const XLA_FFI_ByteSpan *span = frame->attrs.names[i];
    if (span->len == strlen(name) && memcmp(span->ptr, name, span->len) == 0) {
      return frame->attrs.types[i] == type ? frame->attrs.attrs[i] : NULL;
    }
  }
  return NULL;
}

static int64_t num_elements(const XLA_FFI_Buffer *buffer) {
  int64_t count = 1;

  for (int64_t i = 0; i < buffer->rank; i++) count *= buffer->dims[i];
  return count;
}

/* y = factor * x of float32, with the attribute factor. */
EXPORT XLA_FFI_Error *scale(XLA_FFI_CallFrame *frame) {
  const XLA_FFI_Scalar *factor;

  if (says_what_it_is(frame, 0)) return NULL;
  factor = attribute(frame, "factor", XLA_FFI_AttrType_SCALAR);
  if (factor == NULL || factor->dtype != XLA_FFI_DataType_F32) {
    return fail(frame, "scale needs the attribute factor, a float32");
  }
  const XLA_FFI_Buffer *x = frame->args.args[0];
  const XLA_FFI_Buffer *y = frame->rets.rets[0];
  for (int64_t i = 0; i < num_elements(x); i++) {
    ((float *)y->data)[i] = *(float *)factor->value * ((float *)x->data)[i];
  }
  return NULL;
}

/* y = weights . x + length of a name, with an array and a string attribute, written
 * with the public header. */
CYXLA_FFI_HANDLER(weigh) {
  const XLA_FFI_Buffer *x = cyxla_ffi_argument(frame, 0, XLA_FFI_DataType_F32);
  const XLA_FFI_Buffer *y = cyxla_ffi_result(frame, 0, XLA_FFI_DataType_F32);
  const XLA_FFI_Array *weights =
      cyxla_ffi_array(frame, "weights", XLA_FFI_DataType_F32);
  size_t length;
  double scale = 1;

  if (x == NULL || y == NULL || cyxla_ffi_argument(frame, 1, x->dtype) != NULL) {
    return cyxla_ffi_fail(frame, "weigh takes one float32 array, found %lld arguments",
                          (long long)frame->args.size);
  }
  if (weights == NULL || (int64_t)weights->size != cyxla_ffi_num_elements(x) ||
      cyxla_ffi_string(frame, "name", &length) == NULL) {
    return cyxla_ffi_fail(frame, "weigh needs an array of weights and a name");
  }
  cyxla_ffi_number(frame, "scale", &scale);
  *(float *)y->data = (float)length;
  for (size_t i = 0; i < weights->size; i++) {
    *(float *)y->data +=
        (float)scale * ((float *)weights->data)[i] * ((float *)x->data)[i];
  }
  return NULL;
}

/* Counts its calls in a state that is made when the program is loaded. */
EXPORT XLA_FFI_Error *counter_instantiate(XLA_FFI_CallFrame *frame) {
  XLA_FFI_TypeId type = {counter_type_id};
  state_args args = {sizeof(args), NULL, frame->ctx, XLA_FFI_ExecutionStage_INSTANTIATE,
                     &type,        NULL};

  if (says_what_it_is(frame, counter_type_id)) {
    /* As handlers in C++ do. */
    if (counter_type_id == 0) return fail(frame, "the type of the state has no number");
    return NULL;
  }
  args.state = calloc(1, sizeof(float));
  return ((state_function *)frame->api->XLA_FFI_State_Set)(&args);
}

EXPORT XLA_FFI_Error *counter_execute(XLA_FFI_CallFrame *frame) {
  XLA_FFI_TypeId type = {counter_type_id};
  state_args args = {sizeof(args), NULL, frame->ctx, XLA_FFI_ExecutionStage_INSTANTIATE,
                     &type,        NULL};
  XLA_FFI_Error *error;

  if (says_what_it_is(frame, 0)) return NULL;
  error = ((state_function *)frame->api->XLA_FFI_State_Get)(&args);
  if (error != NULL) return error;
  *(float *)((XLA_FFI_Buffer *)frame->rets.rets[0])->data = ++*(float *)args.state;
  return NULL;
}

/* How many states were freed. */
EXPORT int64_t num_deleted;

EXPORT void counter_delete(void *state) {
  num_deleted++;
  free(state);
}

/* The type as JAX is told of it, beside counter_type_id. */
EXPORT XLA_FFI_TypeInfo counter_type_info = {sizeof(XLA_FFI_TypeInfo), NULL,
                                             counter_delete};
