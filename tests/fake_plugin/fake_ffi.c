/* The FFI of the fake plugin: it asks handlers what they are, keeps their names, and
 * refuses those of a newer version than its own, as XLA does. It never calls one. */
#include <stdlib.h>
#include <string.h>

#include "abi/ffi.h"
#include "abi/pjrt_ffi.h"
#include "fake_internal.h"

#define MAX_HANDLERS 64

struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  char message[256];
};

static struct {
  char name[64];
  XLA_FFI_Handler_Bundle bundle;
} handlers[MAX_HANDLERS];
static size_t num_handlers;

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  XLA_FFI_Error *error = fake_allocate(sizeof *error);
  error->code = args->errc;
  strncpy(error->message, args->message, sizeof error->message - 1);
  fake_count(FAKE_ERROR, 1);
  return error;
}

static void get_details(XLA_FFI_Error_GetDetails_Args *args) {
  args->message = args->error->message;
  args->errc = args->error->code;
}

static void destroy_error(XLA_FFI_Error_Destroy_Args *args) {
  free(args->error);
  fake_count(FAKE_ERROR, -1);
}

static XLA_FFI_Error *fail(const char *message) {
  XLA_FFI_Error_Create_Args args = {sizeof args, NULL, message,
                                    XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return create_error(&args);
}

static XLA_FFI_Api api;

/* The version that a handler says it was built with. */
static int version_of(XLA_FFI_Handler *handler) {
  XLA_FFI_Metadata metadata = {.struct_size = XLA_FFI_Metadata_STRUCT_SIZE};
  XLA_FFI_Metadata_Extension extension = {
      {sizeof extension, XLA_FFI_Extension_Metadata, NULL}, &metadata};
  XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                             .extension_start = &extension.extension_base,
                             .api = &api,
                             .stage = XLA_FFI_ExecutionStage_EXECUTE};
  XLA_FFI_Error *error = handler(&frame);
  if (error != NULL) {
    XLA_FFI_Error_Destroy_Args destroy = {sizeof destroy, NULL, error};
    destroy_error(&destroy);
  }
  return metadata.api_version.minor_version;
}

static XLA_FFI_Error *register_handler(XLA_FFI_Handler_Register_Args *args) {
  if (num_handlers == MAX_HANDLERS || args->name.len >= sizeof handlers[0].name) {
    return fail("the fake plugin has no room for the handler");
  }
  if (version_of(args->bundle.execute) > api.api_version.minor_version) {
    return fail("the handler's API version is incompatible");
  }
  for (size_t i = 0; i < num_handlers; i++) {
    if (strlen(handlers[i].name) == args->name.len &&
        memcmp(handlers[i].name, args->name.ptr, args->name.len) == 0 &&
        memcmp(&handlers[i].bundle, &args->bundle, sizeof args->bundle) != 0) {
      return fail("the name is taken by another handler");
    }
  }
  memset(handlers[num_handlers].name, 0, sizeof handlers[0].name);
  memcpy(handlers[num_handlers].name, args->name.ptr, args->name.len);
  handlers[num_handlers++].bundle = args->bundle;
  return NULL;
}

static XLA_FFI_Error *register_type(XLA_FFI_Type_Register_Args *args) {
  static int64_t next_id = 100;
  if (args->name.len == 0) return fail("a type needs a name");
  if (args->type_id->type_id == 0) args->type_id->type_id = next_id++;
  return NULL;
}

static void fill_api(void) {
  api.struct_size = sizeof api;
  if (fake_get(FAKE_FFI_API_BYTES) > 0) {
    api.struct_size = (size_t)fake_get(FAKE_FFI_API_BYTES);
  }
  api.api_version.struct_size = sizeof api.api_version;
  api.api_version.major_version = XLA_FFI_API_MAJOR;
  api.api_version.minor_version = (int)fake_get(FAKE_FFI_MINOR);
  api.XLA_FFI_Error_Create = create_error;
  api.XLA_FFI_Error_GetDetails = get_details;
  api.XLA_FFI_Error_Destroy = destroy_error;
  api.XLA_FFI_Handler_Register = register_handler;
  api.XLA_FFI_Type_Register = register_type;
}

/* Registration through PJRT, which tells no error but this one. */
static PJRT_Error *register_through_pjrt(PJRT_FFI_Register_Handler_Args *args) {
  union {
    void *data;
    XLA_FFI_Handler *function;
  } handler = {.data = args->handler};
  fill_api();
  if (fake_get(FAKE_FFI_REFUSES) != 0) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "no handlers today");
  }
  if (fake_get(FAKE_FFI_IS_SILENT) == 0) version_of(handler.function);
  return NULL;
}

PJRT_Extension_Base *fake_ffi_extension(void) {
  static PJRT_FFI_Extension extension;
  extension.base.struct_size = sizeof extension;
  extension.base.type = PJRT_Extension_Type_FFI;
  extension.register_handler = register_through_pjrt;
  return &extension.base;
}

void fake_ffi_forget(void) {
  num_handlers = 0;
}

const void *fake_plugin_ffi_function(const char *name, int stage) {
  for (size_t i = 0; i < num_handlers; i++) {
    if (strcmp(handlers[i].name, name) != 0) continue;
    XLA_FFI_Handler *const stages[] = {
        handlers[i].bundle.instantiate, handlers[i].bundle.prepare,
        handlers[i].bundle.initialize, handlers[i].bundle.execute};
    union {
      XLA_FFI_Handler *function;
      const void *data;
    } found = {.function = stages[stage]};
    return found.data;
  }
  return NULL;
}
