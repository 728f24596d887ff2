/* Fuzz target: what cyxla_ffi.h reads of a call frame, compared with what is in it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cyxla_ffi.h"
#include "frame.h"

static const char *const NAMES[] = {"factor", "a", "ab", "", "weights"};

enum { NUM_NAMES = sizeof(NAMES) / sizeof(NAMES[0]) };

/* The handler of the header's own description. It trusts what handlers are told to
 * trust, so it is called with frames as XLA makes them. */
CYXLA_FFI_HANDLER(scale) {
  const XLA_FFI_Buffer *x = cyxla_ffi_argument(frame, 0, XLA_FFI_DataType_F32);
  const XLA_FFI_Buffer *y = cyxla_ffi_result(frame, 0, XLA_FFI_DataType_F32);
  double factor;

  if (x == NULL || y == NULL || !cyxla_ffi_number(frame, "factor", &factor)) {
    return cyxla_ffi_fail(frame, "scale takes a float32 array and a factor");
  }
  if (cyxla_ffi_num_elements(x) != cyxla_ffi_num_elements(y)) {
    return cyxla_ffi_fail(frame, "scale gives an array of the same size");
  }
  for (int64_t i = 0; i < cyxla_ffi_num_elements(x); i++) {
    ((float *)y->data)[i] = (float)factor * ((const float *)x->data)[i];
  }
  return NULL;
}

/* Reads all of some memory, for the sanitizer to see. */
static void touch(const void *memory, size_t bytes) {
  const volatile uint8_t *byte = (const volatile uint8_t *)memory;

  for (size_t i = 0; i < bytes; i++) (void)byte[i];
}

static void check_describe(const fuzz_frame *built) {
  const XLA_FFI_Metadata *metadata = built->metadata;
  const bool is_asked = cyxla_ffi_describe(built->frame);

  FUZZ_CHECK(is_asked == (metadata != NULL), "an extension asks what a handler is");
  if (metadata == NULL) return;
  FUZZ_CHECK(metadata->api_version.major_version == XLA_FFI_API_MAJOR &&
                 metadata->api_version.minor_version == CYXLA_FFI_MINOR_NEEDED,
             "the oldest version is told");
  FUZZ_CHECK(metadata->traits == 0, "there are no traits");
  FUZZ_CHECK(metadata->struct_size == XLA_FFI_Metadata_STRUCT_SIZE,
             "nothing else is written");
}

static void check_elements(const XLA_FFI_Buffer *buffer) {
  const int64_t count = cyxla_ffi_num_elements(buffer);
  __extension__ __int128 product = 1;
  bool is_negative = buffer->rank < 0, is_empty = false;

  for (int64_t i = 0; i < buffer->rank; i++) {
    is_negative |= buffer->dims[i] < 0;
    is_empty |= buffer->dims[i] == 0;
    /* Cut where it is too large anyway, so that it does not overflow itself. */
    if (!is_negative && product <= INT64_MAX) product *= buffer->dims[i];
  }
  if (is_negative) {
    FUZZ_CHECK(count == -1, "what is negative cannot be counted");
  } else if (is_empty) {
    FUZZ_CHECK(count == 0, "a dimension of 0 leaves no elements");
  } else {
    FUZZ_CHECK(count == (product <= INT64_MAX ? (int64_t)product : -1), "the product");
  }
  if (buffer->data != NULL) {
    touch(buffer->data, (size_t)count * fuzz_dtype_bytes(buffer->dtype));
  }
}

/* One index of the arguments or results, asked for with a dtype. */
static void check_buffer(const XLA_FFI_Buffer *found, int64_t index, int64_t size,
                         const XLA_FFI_ArgType *types, void **buffers,
                         XLA_FFI_DataType dtype) {
  const XLA_FFI_Buffer *expected = NULL;

  if (index >= 0 && index < size && types[index] == XLA_FFI_ArgType_BUFFER) {
    expected = (const XLA_FFI_Buffer *)buffers[index];
    if (expected->dtype != dtype) expected = NULL;
  }
  FUZZ_CHECK(found == expected, "the buffer of an index and dtype, or none");
  if (found != NULL) check_elements(found);
}

static void check_buffers(const XLA_FFI_CallFrame *frame) {
  static const int64_t outside[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 32};

  for (int64_t i = 0; i < 8 + 4; i++) {
    const int64_t index = i < 8 ? i : outside[i - 8];
    for (int dtype = XLA_FFI_DataType_INVALID; dtype <= XLA_FFI_DataType_C128 + 1;
         dtype++) {
      XLA_FFI_DataType asked = (XLA_FFI_DataType)dtype;
      check_buffer(cyxla_ffi_argument(frame, index, asked), index, frame->args.size,
                   frame->args.types, frame->args.args, asked);
      check_buffer(cyxla_ffi_result(frame, index, asked), index, frame->rets.size,
                   (const XLA_FFI_ArgType *)frame->rets.types, frame->rets.rets, asked);
    }
  }
}

/* The first attribute of a name and type, found in another way. */
static const void *find(const XLA_FFI_Attrs *attributes, const char *name,
                        XLA_FFI_AttrType type) {
  for (int64_t i = 0; i < attributes->size; i++) {
    const XLA_FFI_ByteSpan *span = attributes->names[i];
    size_t k = 0;
    while (k < span->len && name[k] != '\0' && span->ptr[k] == name[k]) k++;
    if (k == span->len && name[k] == '\0' && attributes->types[i] == type) {
      return attributes->attrs[i];
    }
  }
  return NULL;
}

static bool is_number(const XLA_FFI_Scalar *scalar) {
  return scalar != NULL && (scalar->dtype == XLA_FFI_DataType_PRED ||
                            scalar->dtype == XLA_FFI_DataType_S32 ||
                            scalar->dtype == XLA_FFI_DataType_S64 ||
                            scalar->dtype == XLA_FFI_DataType_F32 ||
                            scalar->dtype == XLA_FFI_DataType_F64);
}

static void check_number(const XLA_FFI_CallFrame *frame, const char *name) {
  const XLA_FFI_Scalar *scalar =
      (const XLA_FFI_Scalar *)find(&frame->attrs, name, XLA_FFI_AttrType_SCALAR);
  double number = DBL_MAX;
  uint64_t bits = 0;
  const bool is_read = cyxla_ffi_number(frame, name, &number);

  FUZZ_CHECK(is_read == is_number(scalar), "scalars of five dtypes are numbers");
  if (!is_read) {
    FUZZ_CHECK(number == DBL_MAX, "what is none changes nothing");
    if (scalar != NULL) touch(scalar->value, fuzz_dtype_bytes(scalar->dtype));
    return;
  }
  /* Numbers of the machine, which has its least byte first. */
  memcpy(&bits, scalar->value, fuzz_dtype_bytes(scalar->dtype));
  if (scalar->dtype == XLA_FFI_DataType_PRED) {
    FUZZ_CHECK(number == (bits != 0), "a bool is 0 or 1");
  } else if (scalar->dtype == XLA_FFI_DataType_S32) {
    FUZZ_CHECK((int64_t)number == (int32_t)(uint32_t)bits, "an int32");
  } else if (scalar->dtype == XLA_FFI_DataType_S64) {
    FUZZ_CHECK(number == (double)(int64_t)bits, "an int64 is rounded");
  } else if (scalar->dtype == XLA_FFI_DataType_F64) {
    FUZZ_CHECK(isnan(number) || memcmp(&number, &bits, 8) == 0, "a float64");
  } else {
    float value;
    memcpy(&value, &bits, sizeof(value));
    FUZZ_CHECK(isnan(number) ? isnan(value) : number == (double)value, "a float32");
  }
}

static void check_name(const XLA_FFI_CallFrame *frame, const char *name) {
  const XLA_FFI_ByteSpan *text;
  const char *string;
  size_t length = 7;

  for (int type = -1; type <= XLA_FFI_AttrType_STRING + 1; type++) {
    XLA_FFI_AttrType asked = (XLA_FFI_AttrType)type;
    FUZZ_CHECK(
        cyxla_ffi_attribute(frame, name, asked) == find(&frame->attrs, name, asked),
        "the first attribute of a name and type, or none");
  }
  check_number(frame, name);
  text = (const XLA_FFI_ByteSpan *)find(&frame->attrs, name, XLA_FFI_AttrType_STRING);
  string = cyxla_ffi_string(frame, name, &length);
  FUZZ_CHECK((string != NULL) == (text != NULL), "a string, or none");
  FUZZ_CHECK(length == (text != NULL ? text->len : 7), "its length");
  if (string != NULL) touch(string, length);
  for (int dtype = XLA_FFI_DataType_INVALID; dtype <= XLA_FFI_DataType_C128; dtype++) {
    const XLA_FFI_Array *expected =
        (const XLA_FFI_Array *)find(&frame->attrs, name, XLA_FFI_AttrType_ARRAY);
    const XLA_FFI_Array *array = cyxla_ffi_array(frame, name, (XLA_FFI_DataType)dtype);
    if (expected != NULL && (int)expected->dtype != dtype) expected = NULL;
    FUZZ_CHECK(array == expected, "an array of that dtype, or none");
    if (array != NULL) touch(array->data, array->size * fuzz_dtype_bytes(array->dtype));
  }
}

static void check_attributes(const XLA_FFI_CallFrame *frame) {
  for (size_t i = 0; i < NUM_NAMES; i++) check_name(frame, NAMES[i]);
  for (int64_t i = 0; i < frame->attrs.size; i++) {
    const XLA_FFI_ByteSpan *span = frame->attrs.names[i];
    char *name = (char *)malloc(span->len + 1);
    if (name == NULL) abort();
    if (span->len > 0) memcpy(name, span->ptr, span->len);
    name[span->len] = '\0';
    check_name(frame, name);
    free(name);
  }
}

/* A message of what is left of the input, often longer than what is kept of it. */
static void check_fail(XLA_FFI_CallFrame *frame, fuzz_input *input) {
  const int width = fuzz_take_byte(input) * 8;
  const int precision = (int)(input->size < 2048 ? input->size : 2048);
  const char *text = (const char *)input->data;
  const char *end = precision > 0 ? memchr(text, '\0', (size_t)precision) : NULL;
  const int shown = end != NULL ? (int)(end - text) : precision;
  const int whole = shown > width ? shown : width;
  const char *message = fuzz_frame_message();
  XLA_FFI_Error *error =
      cyxla_ffi_fail(frame, "%*.*s", width, precision, precision > 0 ? text : "");

  FUZZ_CHECK(error != NULL, "there is an error");
  FUZZ_CHECK(
      strlen(message) ==
          (size_t)(whole < CYXLA_FFI_MESSAGE_SIZE ? whole : CYXLA_FFI_MESSAGE_SIZE - 1),
      "the message is whole, or cut at its end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {data, size};
  const bool is_as_by_xla = fuzz_take_byte(&input) % 2 == 1;
  const fuzz_frame_options options = {is_as_by_xla, NAMES, NUM_NAMES};
  fuzz_frame built = fuzz_frame_build(&input, &options);

  check_describe(&built);
  check_buffers(built.frame);
  check_attributes(built.frame);
  if (is_as_by_xla) {
    XLA_FFI_Error *error = scale(built.frame);
    FUZZ_CHECK((error != NULL) == (fuzz_frame_message()[0] != '\0'),
               "an error has a message");
  }
  check_fail(built.frame, &input);
  fuzz_frame_free(&built);
  return 0;
}
