#include "ffi_wrapper.h"

#include <string.h>

#include "error.h"
#include "process.h"

enum { NUM_WRAPPERS = 512, NUM_APIS = 16, NUM_APPENDED = 32 };

/* A plugin's API with functions behind its end that do nothing but fail. */
typedef struct extended_api {
  const XLA_FFI_Api *original;
  union {
    XLA_FFI_Api api;
    unsigned char bytes[sizeof(XLA_FFI_Api) + NUM_APPENDED * sizeof(void *)];
  } table;
} extended_api;

typedef struct wrapper {
  XLA_FFI_Handler *handler;
  extended_api *extended;
} wrapper;

/* Guarded by the lock of the plugins; entries are never changed once they are used. */
static extended_api apis[NUM_APIS];
static size_t num_apis;
static wrapper wrappers[NUM_WRAPPERS];
static size_t num_wrappers;

void *cyxla_ffi_handler_pointer(XLA_FFI_Handler *handler) {
  /* ISO C has no conversion from a function pointer to a data pointer; POSIX has. */
  union {
    XLA_FFI_Handler *function;
    void *data;
  } pointer;

  pointer.function = handler;
  return pointer.data;
}

/* In the place of each function that the plugin does not have. It is called with a
 * pointer to an argument struct of which it knows nothing, and has no API to make an
 * error with but the first one that was extended, which serves: all make Abseil's. */
static XLA_FFI_Error *missing_function(void *args) {
  const XLA_FFI_Api *api = apis[0].original;
  XLA_FFI_Error_Create_Args create = {
      sizeof(create), NULL,
      "the handler called a function of the FFI that is newer than the plugin",
      XLA_FFI_Error_Code_UNIMPLEMENTED};

  (void)args;
  return api->XLA_FFI_Error_Create(&create);
}

XLA_FFI_Metadata *cyxla_ffi_metadata_of(const XLA_FFI_CallFrame *frame) {
  XLA_FFI_InternalExtension *extension = frame->extension_start;

  for (; extension != NULL; extension = extension->next) {
    if (extension->type == XLA_FFI_Extension_Metadata) {
      return ((XLA_FFI_Metadata_Extension *)extension)->metadata;
    }
  }
  return NULL;
}

static XLA_FFI_Error *call_wrapped(size_t index, XLA_FFI_CallFrame *frame) {
  const wrapper *self = &wrappers[index];
  const XLA_FFI_Api *api = frame->api;
  XLA_FFI_Metadata *metadata = cyxla_ffi_metadata_of(frame);
  XLA_FFI_Error *result;

  frame->api = &self->extended->table.api;
  result = self->handler(frame);
  frame->api = api;
  if (metadata != NULL) metadata->api_version = api->api_version;
  return result;
}

/* One function for each wrapper, since a handler is told nothing but its frame. */
/* clang-format off */
#define DEFINE(n)                                             \
  static XLA_FFI_Error *wrapped_##n(XLA_FFI_CallFrame *frame) { \
    return call_wrapped(0x##n, frame);                        \
  }
#define NAME(n) wrapped_##n,
#define REPEAT_16(M, n)                                           \
  M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) \
  M(n##8) M(n##9) M(n##a) M(n##b) M(n##c) M(n##d) M(n##e) M(n##f)
#define REPEAT_256(M, n)                                                      \
  REPEAT_16(M, n##0) REPEAT_16(M, n##1) REPEAT_16(M, n##2) REPEAT_16(M, n##3) \
  REPEAT_16(M, n##4) REPEAT_16(M, n##5) REPEAT_16(M, n##6) REPEAT_16(M, n##7) \
  REPEAT_16(M, n##8) REPEAT_16(M, n##9) REPEAT_16(M, n##a) REPEAT_16(M, n##b) \
  REPEAT_16(M, n##c) REPEAT_16(M, n##d) REPEAT_16(M, n##e) REPEAT_16(M, n##f)

/* All alike, so that those which no test needs are not counted. GCOVR_EXCL_START */
REPEAT_256(DEFINE, 0)
REPEAT_256(DEFINE, 1)
/* GCOVR_EXCL_STOP */
static XLA_FFI_Handler *const FUNCTIONS[NUM_WRAPPERS] = {
  REPEAT_256(NAME, 0)
  REPEAT_256(NAME, 1)
};
/* clang-format on */

static extended_api *extend(const XLA_FFI_Api *api) {
  extended_api *extended;
  size_t known =
      api->struct_size < sizeof(XLA_FFI_Api) ? api->struct_size : sizeof(XLA_FFI_Api);
  XLA_FFI_Error *(*missing)(void *) = missing_function;

  for (size_t i = 0; i < num_apis; i++) {
    if (apis[i].original == api) return &apis[i];
  }
  if (num_apis == NUM_APIS) return NULL;
  known -= known % sizeof(missing); /* half a pointer is none */
  extended = &apis[num_apis++];
  extended->original = api;
  memcpy(extended->table.bytes, api, known);
  for (size_t at = known; at < sizeof(extended->table); at += sizeof(missing)) {
    memcpy(extended->table.bytes + at, &missing, sizeof(missing));
  }
  extended->table.api.struct_size = sizeof(extended->table);
  return extended;
}

static XLA_FFI_Handler *make_wrapper(const XLA_FFI_Api *api, XLA_FFI_Handler *handler) {
  extended_api *extended = extend(api);

  if (extended == NULL) return NULL;
  for (size_t i = 0; i < num_wrappers; i++) {
    if (wrappers[i].handler == handler && wrappers[i].extended == extended) {
      return FUNCTIONS[i];
    }
  }
  if (num_wrappers == NUM_WRAPPERS) return NULL;
  wrappers[num_wrappers].handler = handler;
  wrappers[num_wrappers].extended = extended;
  return FUNCTIONS[num_wrappers++];
}

cyxla_status cyxla_ffi_wrap(const XLA_FFI_Api *api, const char *name,
                            const XLA_FFI_Api_Version *version,
                            XLA_FFI_Handler **handler, cyxla_error *error) {
  const XLA_FFI_Api_Version *plugins = &api->api_version;
  XLA_FFI_Handler *wrapped;

  if (version->major_version == plugins->major_version &&
      version->minor_version <= plugins->minor_version) {
    return CYXLA_OK;
  }
  if (version->major_version != plugins->major_version ||
      version->minor_version > CYXLA_FFI_MINOR_MAXIMUM) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "the handler %s was built with version %d.%d of XLA's FFI, "
                           "the plugin has version %d.%d, and cyxla can bring together "
                           "versions up to %d.%d; use a newer plugin or build the "
                           "handler with an older jaxlib",
                           name, version->major_version, version->minor_version,
                           plugins->major_version, plugins->minor_version,
                           plugins->major_version, CYXLA_FFI_MINOR_MAXIMUM);
  }
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  wrapped = make_wrapper(api, *handler);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  if (wrapped == NULL) {
    return cyxla_error_set(error, CYXLA_RESOURCE_EXHAUSTED,
                           "the handler %s needs a wrapper, since the plugin's FFI is "
                           "older, and all %d are taken",
                           name, NUM_WRAPPERS);
  }
  *handler = wrapped;
  return CYXLA_OK;
}
