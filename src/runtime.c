#include "runtime.h"

#include <string.h>

#include "atomic.h"
#include "buffer.h"
#include "client_options.h"
#include "environment.h"
#include "error.h"
#include "fpenv.h"
#include "known_options.h"
#include "memory.h"
#include "options.h"
#include "search.h"

/* The default runtimes, which live until the process ends. */
static cyxla_runtime *defaults;

static char *lower_case_copy(const char *text, size_t size) {
  char *copy = cyxla_duplicate(text, size);

  if (copy == NULL) return NULL;
  for (char *c = copy; *c != '\0'; c++) {
    if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
  }
  return copy;
}

static cyxla_status read_platform(cyxla_runtime *runtime, cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Client_PlatformName_Args name = {sizeof(name), NULL, runtime->client, NULL, 0};
  PJRT_Client_PlatformVersion_Args version = {sizeof(version), NULL, runtime->client,
                                              NULL, 0};
  cyxla_status status = cyxla_error_from_pjrt(api, api->PJRT_Client_PlatformName(&name),
                                              "tell its platform", error);

  if (status != CYXLA_OK) return status;
  status = cyxla_error_from_pjrt(api, api->PJRT_Client_PlatformVersion(&version),
                                 "tell its platform's version", error);
  if (status != CYXLA_OK) return status;
  runtime->platform = lower_case_copy(name.platform_name, name.platform_name_size);
  runtime->platform_version =
      cyxla_duplicate(version.platform_version, version.platform_version_size);
  if (runtime->platform == NULL || runtime->platform_version == NULL) {
    return cyxla_error_out_of_memory(error, "a runtime");
  }
  return CYXLA_OK;
}

static cyxla_status check_platform(const cyxla_runtime *runtime, const char *wanted,
                                   cyxla_error *error) {
  char *platform;
  bool is_equal;

  if (wanted == NULL) return CYXLA_OK;
  platform = lower_case_copy(wanted, strlen(wanted));
  if (platform == NULL) return cyxla_error_out_of_memory(error, "a runtime");
  is_equal = strcmp(platform, runtime->platform) == 0;
  cyxla_release(platform);
  if (is_equal) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_PLATFORM_MISMATCH,
                         "the plugin %s implements the platform %s, expected %s",
                         runtime->plugin->path, runtime->platform, wanted);
}

static cyxla_status read_device_kind(cyxla_runtime *runtime, PJRT_Device *device,
                                     size_t index, cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Device_GetDescription_Args description = {sizeof(description), NULL, device,
                                                 NULL};
  PJRT_DeviceDescription_Kind_Args kind = {sizeof(kind), NULL, NULL, NULL, 0};
  cyxla_status status = cyxla_error_from_pjrt(
      api, api->PJRT_Device_GetDescription(&description), "describe a device", error);

  if (status != CYXLA_OK) return status;
  kind.device_description = description.device_description;
  status = cyxla_error_from_pjrt(api, api->PJRT_DeviceDescription_Kind(&kind),
                                 "tell the kind of a device", error);
  if (status != CYXLA_OK) return status;
  runtime->device_kinds[index] =
      cyxla_duplicate(kind.device_kind, kind.device_kind_size);
  if (runtime->device_kinds[index] == NULL) {
    return cyxla_error_out_of_memory(error, "a runtime");
  }
  return CYXLA_OK;
}

static cyxla_status read_devices(cyxla_runtime *runtime, cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Client_AddressableDevices_Args args = {sizeof(args), NULL, runtime->client, NULL,
                                              0};
  cyxla_status status = cyxla_error_from_pjrt(
      api, api->PJRT_Client_AddressableDevices(&args), "list its devices", error);

  if (status != CYXLA_OK) return status;
  if (args.num_addressable_devices == 0) {
    return cyxla_error_set(error, CYXLA_PLUGIN_INVALID,
                           "the plugin %s has no device that this process can use",
                           runtime->plugin->path);
  }
  runtime->device = args.addressable_devices[0];
  runtime->device_kinds =
      cyxla_allocate_array(args.num_addressable_devices, sizeof(char *));
  if (runtime->device_kinds == NULL)
    return cyxla_error_out_of_memory(error, "a runtime");
  runtime->num_devices = args.num_addressable_devices;
  for (size_t i = 0; i < runtime->num_devices; i++) {
    status = read_device_kind(runtime, args.addressable_devices[i], i, error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}

/* Whether a buffer over the memory is that memory. The first buffer is a copy: a
 * device's plugin may read shared memory later, when it is gone already. */
static cyxla_status probe_memory(cyxla_runtime *runtime, const cyxla_array_spec *spec,
                                 const void *memory, cyxla_error *error) {
  PJRT_Buffer *buffer = NULL;
  bool is_on_cpu;
  cyxla_status status =
      cyxla_buffer_create(runtime, spec, memory, CYXLA_BUFFER_COPIED, &buffer, error);

  if (status != CYXLA_OK) return status;
  is_on_cpu = cyxla_buffer_is_on_cpu(runtime, buffer);
  cyxla_buffer_destroy(runtime, buffer);
  if (!is_on_cpu) return CYXLA_OK;
  status =
      cyxla_buffer_create(runtime, spec, memory, CYXLA_BUFFER_SHARED, &buffer, error);
  if (status != CYXLA_OK) return status;
  runtime->zero_copy = cyxla_buffer_is_host_memory(runtime, buffer, memory);
  cyxla_buffer_destroy(runtime, buffer);
  return CYXLA_OK;
}

/* Finds out whether the plugin uses aligned host memory as it is, which no attribute
 * tells. */
static cyxla_status probe_zero_copy(cyxla_runtime *runtime, cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  const int64_t shape[1] = {16};
  const cyxla_array_spec spec = {"probe", CYXLA_FLOAT32,      1,
                                 shape,   16 * sizeof(float), -1};
  void *memory;
  cyxla_status status;

  if (!CYXLA_PLUGIN_HAS(api, PJRT_Buffer_UnsafePointer) ||
      !CYXLA_PLUGIN_HAS(api, PJRT_Buffer_IsOnCpu)) {
    return CYXLA_OK;
  }
  memory = cyxla_aligned_alloc(spec.bytes);
  if (memory == NULL) return cyxla_error_out_of_memory(error, "a runtime");
  status = probe_memory(runtime, &spec, memory, error);
  cyxla_aligned_free(memory);
  return status;
}

/* Makes the client with a pool of so many threads; 0 leaves it to the plugin. The
 * environment is the process's, so one client is made at a time. */
static cyxla_status call_with_threads(const cyxla_plugin *plugin,
                                      PJRT_Client_Create_Args *args, size_t num_threads,
                                      cyxla_error *error) {
  cyxla_environment_threads environment;
  PJRT_Error *failure = NULL;
  bool has_memory = true;

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (num_threads > 0) {
    has_memory = cyxla_environment_set_threads(num_threads, &environment);
  }
  if (has_memory) failure = plugin->api->PJRT_Client_Create(args);
  if (num_threads > 0 && has_memory) cyxla_environment_restore_threads(&environment);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  if (!has_memory) return cyxla_error_out_of_memory(error, "a runtime");
  return cyxla_error_from_plugin(plugin->api, plugin->path, failure, "create a client",
                                 error);
}

/* A plugin of another platform refuses them before it can be asked what it implements.
 */
#define DEFAULTS_ADVICE                                                                \
  "; the plugin was also given the options that cyxla sets for the platform: is it a " \
  "plugin of that platform?"

static bool names_own_option(const cyxla_error *error,
                             const cyxla_runtime_options *options) {
  for (size_t i = 0; i < options->num_options; i++) {
    if (strstr(error->message, options->options[i].name) != NULL) return true;
  }
  return false;
}

static cyxla_status create_client(cyxla_runtime *runtime,
                                  const cyxla_runtime_options *options,
                                  cyxla_error *error) {
  PJRT_Client_Create_Args args;
  cyxla_client_options client_options;
  bool has_defaults;
  cyxla_status status = cyxla_client_options_create(options, &client_options, error);

  if (status != CYXLA_OK) return status;
  status = cyxla_known_options_check(options, runtime->plugin, error);
  if (status != CYXLA_OK) {
    cyxla_client_options_destroy(&client_options);
    return status;
  }
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.create_options = client_options.values;
  args.num_options = client_options.num_values;
  status = call_with_threads(runtime->plugin, &args, options->num_threads, error);
  has_defaults = client_options.num_values > options->num_options;
  cyxla_client_options_destroy(&client_options);
  if (status == CYXLA_INVALID_ARGUMENT && has_defaults && error != NULL &&
      !names_own_option(error, options)) {
    cyxla_error_append(error, DEFAULTS_ADVICE);
  }
  if (status != CYXLA_OK) return status;
  runtime->client = args.client;
  if (runtime->client != NULL) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_PLUGIN_INVALID,
                         "the plugin %s returned no client and no error",
                         runtime->plugin->path);
}

static cyxla_status create_with_plugin(const cyxla_runtime_options *options,
                                       cyxla_runtime *runtime, cyxla_error *error) {
  cyxla_fpenv caller;
  cyxla_status status = cyxla_plugin_load(options->plugin, &runtime->plugin, error);

  if (status == CYXLA_OK) status = cyxla_plugin_start(runtime->plugin, error);
  if (status != CYXLA_OK) return status;
  runtime->generation = cyxla_process_generation();
  cyxla_fpenv_enter(&caller);
  status = create_client(runtime, options, error);
  if (status == CYXLA_OK) status = read_platform(runtime, error);
  if (status == CYXLA_OK) status = check_platform(runtime, options->platform, error);
  if (status == CYXLA_OK) status = read_devices(runtime, error);
  if (status == CYXLA_OK) status = probe_zero_copy(runtime, error);
  cyxla_fpenv_leave(&caller);
  return status;
}

static cyxla_status create(const cyxla_runtime_options *options, cyxla_runtime **out,
                           cyxla_error *error) {
  cyxla_runtime *runtime = cyxla_allocate(sizeof(*runtime));
  cyxla_status status;

  if (runtime == NULL) return cyxla_error_out_of_memory(error, "a runtime");
  runtime->references = 1;
  runtime->without_lapack = options->without_lapack;
  status = create_with_plugin(options, runtime, error);
  if (status != CYXLA_OK) {
    cyxla_runtime_destroy(runtime);
    return status;
  }
  *out = runtime;
  return CYXLA_OK;
}

cyxla_status cyxla_runtime_create(const cyxla_runtime_options *options,
                                  cyxla_runtime **runtime, cyxla_error *error) {
  static const bool none[sizeof(((cyxla_runtime_options *)NULL)->reserved)];
  cyxla_runtime_options used = CYXLA_RUNTIME_OPTIONS_INIT;
  char *plugin = NULL;
  cyxla_status status;

  CYXLA_REQUIRE(runtime, error);
  *runtime = NULL;
  status =
      cyxla_options_read(&used, sizeof(used), options, "cyxla_runtime_options", error);
  if (status != CYXLA_OK) return status;
  if (memcmp(used.reserved, none, sizeof(none)) != 0) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "reserved fields of cyxla_runtime_options are set, expected "
                           "false; begin with CYXLA_RUNTIME_OPTIONS_INIT");
  }
  if (used.num_threads > INT32_MAX) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "num_threads is %zu, expected at most %ld", used.num_threads,
                           (long)INT32_MAX);
  }
  if (used.plugin == NULL) {
    if (used.platform == NULL) used.platform = "cpu";
    status = cyxla_search_plugin(used.platform, NULL, NULL, &plugin, error);
    if (status != CYXLA_OK) return status;
    used.plugin = plugin;
  }
  status = create(&used, runtime, error);
  cyxla_release(plugin);
  return status;
}

cyxla_status cyxla_runtime_check_process(const cyxla_runtime *runtime,
                                         cyxla_error *error) {
  return cyxla_runtime_is_usable(runtime) ? CYXLA_OK
                                          : cyxla_plugin_forked(runtime->plugin, error);
}

cyxla_runtime *cyxla_runtime_retain(cyxla_runtime *runtime) {
  cyxla_atomic_add(&runtime->references, 1);
  return runtime;
}

void cyxla_runtime_destroy(cyxla_runtime *runtime) {
  if (runtime == NULL || cyxla_atomic_add(&runtime->references, -1) > 0) return;
  if (runtime->client != NULL && cyxla_runtime_is_usable(runtime)) {
    const PJRT_Api *api = runtime->plugin->api;
    PJRT_Client_Destroy_Args args = {sizeof(args), NULL, runtime->client};
    cyxla_fpenv caller;
    cyxla_fpenv_enter(&caller);
    cyxla_error_from_pjrt(api, api->PJRT_Client_Destroy(&args), "destroy a client",
                          NULL);
    cyxla_fpenv_leave(&caller);
  }
  for (size_t i = 0; i < runtime->num_devices; i++) {
    cyxla_release(runtime->device_kinds[i]);
  }
  cyxla_release(runtime->device_kinds);
  cyxla_release(runtime->platform_version);
  cyxla_release(runtime->platform);
  cyxla_release(runtime);
}

static cyxla_status find_or_create_default(const cyxla_runtime_options *options,
                                           cyxla_runtime **runtime,
                                           cyxla_error *error) {
  const cyxla_plugin *plugin = NULL;
  cyxla_status status = cyxla_plugin_load(options->plugin, &plugin, error);

  if (status != CYXLA_OK) return status;
  for (*runtime = defaults; *runtime != NULL; *runtime = (*runtime)->next_default) {
    if ((*runtime)->plugin == plugin) {
      status = cyxla_runtime_check_process(*runtime, error);
      if (status != CYXLA_OK) return status;
      return check_platform(*runtime, options->platform, error);
    }
  }
  status = create(options, runtime, error);
  if (status != CYXLA_OK) return status;
  (*runtime)->next_default = defaults;
  defaults = *runtime;
  return CYXLA_OK;
}

cyxla_status cyxla_runtime_get_default(const char *plugin, const char *platform,
                                       cyxla_runtime **runtime, cyxla_error *error) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_status status;

  options.plugin = plugin;
  options.platform = platform;
  cyxla_lock_acquire(&cyxla_process_runtimes_lock);
  status = find_or_create_default(&options, runtime, error);
  if (status == CYXLA_OK) {
    cyxla_runtime_retain(*runtime);
  } else {
    *runtime = NULL;
  }
  cyxla_lock_release(&cyxla_process_runtimes_lock);
  return status;
}

void cyxla_runtime_forget_defaults(void) {
  cyxla_lock_acquire(&cyxla_process_runtimes_lock);
  while (defaults != NULL) {
    cyxla_runtime *next = defaults->next_default;
    cyxla_runtime_destroy(defaults);
    defaults = next;
  }
  cyxla_lock_release(&cyxla_process_runtimes_lock);
}

cyxla_status cyxla_runtime_get_info(const cyxla_runtime *runtime,
                                    cyxla_runtime_info *info, cyxla_error *error) {
  cyxla_runtime_info known = CYXLA_RUNTIME_INFO_INIT;

  CYXLA_REQUIRE(runtime, error);
  CYXLA_REQUIRE(info, error);
  known.platform = runtime->platform;
  known.platform_version = runtime->platform_version;
  known.plugin_path = runtime->plugin->path;
  known.pjrt_api_major = runtime->plugin->api->pjrt_api_version.major_version;
  known.pjrt_api_minor = runtime->plugin->api->pjrt_api_version.minor_version;
  memcpy(known.stablehlo_version, runtime->plugin->stablehlo_version,
         sizeof(known.stablehlo_version));
  known.num_devices = runtime->num_devices;
  known.zero_copy = runtime->zero_copy;
  return cyxla_options_write(info, &known, sizeof(known), "cyxla_runtime_info", error);
}

const char *cyxla_runtime_device_kind(const cyxla_runtime *runtime, size_t index) {
  return index < runtime->num_devices ? runtime->device_kinds[index] : NULL;
}
