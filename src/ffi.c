#include "ffi.h"

#include <string.h>

#include "abi/pjrt_ffi.h"
#include "error.h"
#include "ffi_api.h"
#include "ffi_registry.h"
#include "ffi_wrapper.h"
#include "fpenv.h"
#include "options.h"
#include "process.h"
#include "runtime.h"

static const XLA_FFI_Api *probed_api; /* guarded by the lock of the plugins */

/* A handler that no program calls: it remembers the API that it is asked with. */
static XLA_FFI_Error *probe(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Metadata *metadata = cyxla_ffi_metadata_of(frame);

  probed_api = frame->api;
  if (metadata != NULL) {
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = frame->api->api_version.minor_version;
  }
  return NULL;
}

static const PJRT_FFI_Extension *find_extension(const PJRT_Api *api) {
  const PJRT_Extension_Base *extension = api->extension_start;

  for (int i = 0; extension != NULL && i < CYXLA_EXTENSIONS_MAXIMUM; i++) {
    if (extension->type == PJRT_Extension_Type_FFI &&
        extension->struct_size >= sizeof(PJRT_FFI_Extension)) {
      return (const PJRT_FFI_Extension *)extension;
    }
    extension = extension->next;
  }
  return NULL;
}

/* XLA's name of a platform, which it says in messages. It takes any case, and "cpu" for
 * "Host" too. */
static const char *xla_platform(const char *platform) {
  return strcmp(platform, "cpu") == 0 ? "Host" : platform;
}

static cyxla_status probe_api(cyxla_plugin *plugin, cyxla_error *error) {
  static const char name[] = "cyxla_probe";
  static const char platform[] = "Host";
  const PJRT_FFI_Extension *extension = find_extension(plugin->api);
  PJRT_FFI_Register_Handler_Args args;
  cyxla_status status;

  if (extension == NULL) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "the plugin %s takes no handlers of custom calls: it lacks "
                           "the extension FFI",
                           plugin->path);
  }
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.target_name = name;
  args.target_name_size = strlen(name);
  args.handler = cyxla_ffi_handler_pointer(probe);
  args.platform_name = platform;
  args.platform_name_size = strlen(platform);
  probed_api = NULL;
  status = cyxla_error_from_pjrt(plugin->api, extension->register_handler(&args),
                                 "register a handler", error);
  if (status != CYXLA_OK) return status;
  if (probed_api == NULL ||
      probed_api->struct_size < offsetof(XLA_FFI_Api, XLA_FFI_InvokeContext_Get)) {
    return cyxla_error_set(error, CYXLA_PLUGIN_INVALID,
                           "the plugin %s did not say what its FFI is", plugin->path);
  }
  plugin->ffi_api = probed_api;
  return CYXLA_OK;
}

cyxla_status cyxla_ffi_get_api(const cyxla_plugin *plugin, const XLA_FFI_Api **api,
                               cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (plugin->ffi_api == NULL) status = probe_api((cyxla_plugin *)plugin, error);
  *api = plugin->ffi_api;
  cyxla_lock_release(&cyxla_process_plugins_lock);
  return status;
}

cyxla_status cyxla_ffi_inspect(const XLA_FFI_Api *api, XLA_FFI_Handler *handler,
                               XLA_FFI_Metadata *metadata, cyxla_error *error) {
  XLA_FFI_Metadata_Extension extension;
  XLA_FFI_CallFrame frame;

  memset(metadata, 0, sizeof(*metadata));
  memset(&extension, 0, sizeof(extension));
  memset(&frame, 0, sizeof(frame));
  metadata->struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata->api_version.struct_size =
      offsetof(XLA_FFI_Api_Version, minor_version) + sizeof(int);
  extension.extension_base.struct_size = sizeof(extension);
  extension.extension_base.type = XLA_FFI_Extension_Metadata;
  extension.metadata = metadata;
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = api;
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  return cyxla_ffi_api_take_error(api, handler(&frame), "ask what it is of",
                                  "a handler", error);
}

/* The handler itself, or one that makes it fit the plugin's version of the FFI. */
static cyxla_status fit(const XLA_FFI_Api *api, const char *name,
                        XLA_FFI_Handler **handler, cyxla_error *error) {
  XLA_FFI_Metadata metadata;
  cyxla_status status;

  if (*handler == NULL) return CYXLA_OK;
  status = cyxla_ffi_inspect(api, *handler, &metadata, error);
  if (status != CYXLA_OK) return status;
  return cyxla_ffi_wrap(api, name, &metadata.api_version, handler, error);
}

/* The library's pointer type stands for XLA's, which the public header does not know.
 */
static XLA_FFI_Handler *xla_handler(cyxla_ffi_function *function) {
  return (XLA_FFI_Handler *)function;
}

static cyxla_status fit_bundle(const XLA_FFI_Api *api, const char *name,
                               XLA_FFI_Handler_Bundle *bundle, cyxla_error *error) {
  cyxla_status status = fit(api, name, &bundle->instantiate, error);

  if (status == CYXLA_OK) status = fit(api, name, &bundle->prepare, error);
  if (status == CYXLA_OK) status = fit(api, name, &bundle->initialize, error);
  if (status == CYXLA_OK) status = fit(api, name, &bundle->execute, error);
  return status;
}

static cyxla_status check_handler(const cyxla_ffi_handler *handler,
                                  cyxla_error *error) {
  if (handler->name == NULL || handler->name[0] == '\0') {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the handler has no name, expected the target of a custom "
                           "call");
  }
  if (handler->execute == NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the handler %s has no function for the stage execute",
                           handler->name);
  }
  return CYXLA_OK;
}

cyxla_status cyxla_ffi_register(cyxla_runtime *runtime,
                                const cyxla_ffi_handler *handler, cyxla_error *error) {
  cyxla_ffi_handler used = CYXLA_FFI_HANDLER_INIT;
  const XLA_FFI_Api *api;
  const char *platform;
  XLA_FFI_Handler_Register_Args args;
  cyxla_fpenv caller;
  cyxla_status status;

  CYXLA_REQUIRE(runtime, error);
  CYXLA_REQUIRE(handler, error);
  status = cyxla_options_read(&used, sizeof(used), handler, "cyxla_ffi_handler", error);
  if (status == CYXLA_OK) status = check_handler(&used, error);
  if (status == CYXLA_OK) status = cyxla_runtime_check_process(runtime, error);
  if (status == CYXLA_OK) status = cyxla_ffi_get_api(runtime->plugin, &api, error);
  if (status != CYXLA_OK) return status;
  platform = xla_platform(used.platform != NULL ? used.platform : runtime->platform);
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.name.ptr = used.name;
  args.name.len = strlen(used.name);
  args.platform.ptr = platform;
  args.platform.len = strlen(platform);
  args.bundle.instantiate = xla_handler(used.instantiate);
  args.bundle.prepare = xla_handler(used.prepare);
  args.bundle.initialize = xla_handler(used.initialize);
  args.bundle.execute = xla_handler(used.execute);
  args.traits = (XLA_FFI_Handler_Traits)used.traits;
  cyxla_fpenv_enter(&caller);
  status = fit_bundle(api, used.name, &args.bundle, error);
  if (status == CYXLA_OK) {
    status = cyxla_ffi_api_take_error(api, api->XLA_FFI_Handler_Register(&args),
                                      "register the handler", used.name, error);
  }
  if (status == CYXLA_OK) {
    status = cyxla_ffi_registry_add(runtime->plugin, platform, &used, error);
  }
  cyxla_fpenv_leave(&caller);
  return status;
}

cyxla_status cyxla_ffi_register_type(cyxla_runtime *runtime, const char *name,
                                     int64_t *type_id, void (*deleter)(void *state),
                                     cyxla_error *error) {
  const XLA_FFI_Api *api;
  XLA_FFI_TypeInfo info = {sizeof(info), NULL, deleter};
  XLA_FFI_TypeId id;
  XLA_FFI_Type_Register_Args args;
  cyxla_status status;

  CYXLA_REQUIRE(runtime, error);
  CYXLA_REQUIRE(name, error);
  CYXLA_REQUIRE(type_id, error);
  status = cyxla_runtime_check_process(runtime, error);
  if (status == CYXLA_OK) status = cyxla_ffi_get_api(runtime->plugin, &api, error);
  if (status != CYXLA_OK) return status;
  id.type_id = *type_id;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.name.ptr = name;
  args.name.len = strlen(name);
  args.type_id = &id;
  args.type_info = &info;
  status = cyxla_ffi_api_take_error(api, api->XLA_FFI_Type_Register(&args),
                                    "register the type", name, error);
  if (status == CYXLA_OK) *type_id = id.type_id;
  return status;
}
