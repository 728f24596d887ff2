#include "plugin.h"

#include <stdio.h>
#include <string.h>

#include "environment.h"
#include "error.h"
#include "ffi_registry.h"
#include "fpenv.h"
#include "library.h"
#include "memory.h"
#include "options.h"
#include "path.h"
#include "plugin_identity.h"
#include "process.h"

static cyxla_plugin *loaded;

/* The functions without which nothing works. */
#define REQUIRED_FUNCTIONS(F)            \
  F(PJRT_Error_Destroy)                  \
  F(PJRT_Error_Message)                  \
  F(PJRT_Error_GetCode)                  \
  F(PJRT_Plugin_Initialize)              \
  F(PJRT_Event_Destroy)                  \
  F(PJRT_Event_Await)                    \
  F(PJRT_Client_Create)                  \
  F(PJRT_Client_Destroy)                 \
  F(PJRT_Client_PlatformName)            \
  F(PJRT_Client_PlatformVersion)         \
  F(PJRT_Client_AddressableDevices)      \
  F(PJRT_Client_Compile)                 \
  F(PJRT_Client_BufferFromHostBuffer)    \
  F(PJRT_DeviceDescription_Kind)         \
  F(PJRT_Device_GetDescription)          \
  F(PJRT_Executable_Destroy)             \
  F(PJRT_Executable_NumReplicas)         \
  F(PJRT_Executable_NumPartitions)       \
  F(PJRT_Executable_OutputElementTypes)  \
  F(PJRT_Executable_OutputDimensions)    \
  F(PJRT_LoadedExecutable_Destroy)       \
  F(PJRT_LoadedExecutable_GetExecutable) \
  F(PJRT_LoadedExecutable_Execute)       \
  F(PJRT_Buffer_Destroy)                 \
  F(PJRT_Buffer_ToHostBuffer)

static cyxla_status check_functions(const PJRT_Api *api, const char *path,
                                    cyxla_error *error) {
#define CHECK_FUNCTION(function)                                               \
  if (!CYXLA_PLUGIN_HAS(api, function)) {                                      \
    return cyxla_error_set(error, CYXLA_PLUGIN_TOO_OLD,                        \
                           "the plugin %s lacks the function " #function       \
                           ", which cyxla needs; install a newer build of it", \
                           path);                                              \
  }
  REQUIRED_FUNCTIONS(CHECK_FUNCTION)
#undef CHECK_FUNCTION
  return CYXLA_OK;
}

static cyxla_status check_version(const PJRT_Api *api, const char *path,
                                  cyxla_error *error) {
  const PJRT_Api_Version *version = &api->pjrt_api_version;

  if (version->major_version != PJRT_API_MAJOR) {
    return cyxla_error_set(
        error, CYXLA_PLUGIN_INVALID,
        "the plugin %s implements version %d.%d of the PJRT API, and "
        "this version of cyxla needs major version %d",
        path, version->major_version, version->minor_version, PJRT_API_MAJOR);
  }
  if (version->minor_version < CYXLA_PJRT_API_MINOR_MINIMUM) {
    return cyxla_error_set(
        error, CYXLA_PLUGIN_TOO_OLD,
        "the plugin %s implements version %d.%d of the PJRT API, and "
        "cyxla needs %d.%d or later; install a newer build of it",
        path, version->major_version, version->minor_version, PJRT_API_MAJOR,
        CYXLA_PJRT_API_MINOR_MINIMUM);
  }
  return CYXLA_OK;
}

/* The plugin's function table, checked. */
static cyxla_status get_api(cyxla_library *library, const char *path,
                            const PJRT_Api **api, cyxla_error *error) {
  PJRT_GetPjrtApi *get = (PJRT_GetPjrtApi *)cyxla_library_find(library, "GetPjrtApi");
  cyxla_status status;

  if (get == NULL) {
    return cyxla_error_set(error, CYXLA_PLUGIN_UNLOADABLE,
                           "the library %s is no PJRT plugin: it has no function "
                           "GetPjrtApi",
                           path);
  }
  *api = get();
  if (*api == NULL) {
    return cyxla_error_set(error, CYXLA_PLUGIN_INVALID,
                           "the plugin %s returned no function table from GetPjrtApi",
                           path);
  }
  status = check_version(*api, path, error);
  return status == CYXLA_OK ? check_functions(*api, path, error) : status;
}

/* A version of three numbers, if that is what the attribute holds. */
static void read_version(const PJRT_NamedValue *attribute, const char *name,
                         int64_t version[3]) {
  if (attribute->name_size == strlen(name) &&
      memcmp(attribute->name, name, strlen(name)) == 0 &&
      attribute->type == PJRT_NamedValue_kInt64List && attribute->value_size == 3) {
    memcpy(version, attribute->value.int64_array_value, 3 * sizeof(version[0]));
  }
}

/* Reads which StableHLO the plugin understands, which not every plugin tells. */
static cyxla_status read_attributes(cyxla_plugin *plugin, cyxla_error *error) {
  PJRT_Plugin_Attributes_Args args = {sizeof(args), NULL, NULL, 0};
  cyxla_status status;

  if (!CYXLA_PLUGIN_HAS(plugin->api, PJRT_Plugin_Attributes)) return CYXLA_OK;
  status = cyxla_error_from_plugin(plugin->api, plugin->path,
                                   plugin->api->PJRT_Plugin_Attributes(&args),
                                   "tell its attributes", error);
  if (status != CYXLA_OK) return status;
  for (size_t i = 0; i < args.num_attributes; i++) {
    read_version(&args.attributes[i], "stablehlo_current_version",
                 plugin->stablehlo_version);
    read_version(&args.attributes[i], "stablehlo_minimum_version",
                 plugin->stablehlo_minimum_version);
  }
  return CYXLA_OK;
}

/* A plugin whose initialization fails stays loaded, and is asked again the next time.
 */
static cyxla_status initialize(cyxla_plugin *plugin, cyxla_error *error) {
  PJRT_Plugin_Initialize_Args args = {sizeof(args), NULL};
  cyxla_fpenv caller;
  cyxla_status status;

  if (plugin->is_initialized) return CYXLA_OK;
  cyxla_fpenv_enter(&caller);
  status = cyxla_error_from_plugin(plugin->api, plugin->path,
                                   plugin->api->PJRT_Plugin_Initialize(&args),
                                   "initialize itself", error);
  if (status == CYXLA_OK) status = read_attributes(plugin, error);
  cyxla_fpenv_leave(&caller);
  plugin->is_initialized = status == CYXLA_OK;
  return status;
}

static void free_plugin(cyxla_plugin *plugin) {
  if (plugin == NULL) return;
  cyxla_ffi_registry_free(plugin);
  cyxla_release(plugin->path);
  cyxla_release(plugin);
}

static cyxla_status open_plugin(const char *path, cyxla_plugin **out,
                                cyxla_error *error) {
  cyxla_library *library = NULL;
  cyxla_plugin *plugin = cyxla_allocate(sizeof(*plugin));
  cyxla_fpenv caller;
  cyxla_status status;

  *out = NULL;
  if (plugin == NULL || (plugin->path = cyxla_duplicate(path, strlen(path))) == NULL) {
    free_plugin(plugin);
    return cyxla_error_out_of_memory(error, "a plugin");
  }
  cyxla_environment_prepare_plugins();
  cyxla_plugin_note_file(plugin);
  cyxla_fpenv_enter(&caller);
  status = cyxla_library_open("plugin", path, &library, error);
  if (status == CYXLA_OK) status = get_api(library, path, &plugin->api, error);
  cyxla_fpenv_leave(&caller);
  if (status != CYXLA_OK) {
    /* A library that has a function table stays: it may have begun to work. */
    if (plugin->api == NULL) cyxla_library_close(library);
    free_plugin(plugin);
    return status;
  }
  plugin->next = loaded;
  loaded = plugin;
  *out = plugin;
  return CYXLA_OK;
}

static cyxla_status find_or_open(const char *path, cyxla_plugin **plugin,
                                 cyxla_error *error) {
  for (*plugin = loaded; *plugin != NULL; *plugin = (*plugin)->next) {
    if (strcmp((*plugin)->path, path) == 0) return CYXLA_OK;
  }
  return open_plugin(path, plugin, error);
}

/* Opens and initializes. Where only the latter fails, *plugin is given all the same. */
static cyxla_status load(const char *path, cyxla_plugin **plugin, cyxla_error *error) {
  char *absolute;
  cyxla_status status;

  *plugin = NULL;
  status = cyxla_path_check_file(path, CYXLA_PLUGIN_UNLOADABLE, "plugin", error);
  if (status != CYXLA_OK) return status;
  /* The loader would look for a bare name in its own directories, not in this one. */
  absolute = cyxla_path_absolute(path);
  if (absolute == NULL) return cyxla_error_out_of_memory(error, "a path");
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  status = find_or_open(absolute, plugin, error);
  if (status == CYXLA_OK) status = initialize(*plugin, error);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  cyxla_release(absolute);
  return status;
}

cyxla_status cyxla_plugin_load(const char *path, const cyxla_plugin **plugin,
                               cyxla_error *error) {
  cyxla_plugin *found;
  cyxla_status status = load(path, &found, error);

  *plugin = status == CYXLA_OK ? found : NULL;
  return status;
}

static void list_extensions(const PJRT_Api *api, cyxla_plugin_info *info) {
  const PJRT_Extension_Base *extension = api->extension_start;

  for (; extension != NULL && info->num_extensions < CYXLA_EXTENSIONS_MAXIMUM;
       extension = extension->next) {
    info->extensions[info->num_extensions++] = (int)extension->type;
  }
}

cyxla_status cyxla_plugin_inspect(const char *path, cyxla_plugin_info *info,
                                  cyxla_error *error) {
  cyxla_plugin_info known;
  cyxla_plugin *plugin = NULL;
  cyxla_status status, written;

  CYXLA_REQUIRE(path, error);
  CYXLA_REQUIRE(info, error);
  memset(&known, 0, sizeof(known));
  status = load(path, &plugin, error);
  if (plugin != NULL) {
    known.pjrt_api_major = plugin->api->pjrt_api_version.major_version;
    known.pjrt_api_minor = plugin->api->pjrt_api_version.minor_version;
    memcpy(known.stablehlo_version, plugin->stablehlo_version,
           sizeof(known.stablehlo_version));
    memcpy(known.stablehlo_minimum_version, plugin->stablehlo_minimum_version,
           sizeof(known.stablehlo_minimum_version));
    list_extensions(plugin->api, &known);
  }
  written = cyxla_options_write(info, &known, sizeof(known), "cyxla_plugin_info",
                                status == CYXLA_OK ? error : NULL);
  return status == CYXLA_OK ? written : status;
}

const char *cyxla_extension_name(int extension) {
  static const char *const names[] = {"Gpu_Custom_Call",
                                      "Profiler",
                                      "Custom_Partitioner",
                                      "Stream",
                                      "Layouts",
                                      "FFI",
                                      "MemoryDescriptions",
                                      "Triton",
                                      "RawBuffer",
                                      "PhaseCompile",
                                      "Example",
                                      "Unknown",
                                      "CrossHostTransfers",
                                      "ExecutableMetadata",
                                      "Callback",
                                      "HostAllocator",
                                      "TpuTopology",
                                      "TpuExecutable",
                                      "Megascale",
                                      "Shardings",
                                      "AbiVersion",
                                      "Collectives",
                                      "MultiSlice",
                                      "HostMemoryAllocator",
                                      "XlaTransform"};

  if (extension < 0 || (size_t)extension >= sizeof(names) / sizeof(names[0])) {
    return "unrecognized";
  }
  return names[extension];
}

cyxla_status cyxla_plugin_forked(const cyxla_plugin *plugin, cyxla_error *error) {
  return cyxla_error_set(error, CYXLA_FORKED,
                         "the process was forked after the plugin %s had started, and "
                         "the plugin's threads are missing in it; fork before anything "
                         "is compiled or opened, or start a new program (exec, or the "
                         "spawn method of Python's multiprocessing)",
                         plugin->path);
}

cyxla_status cyxla_plugin_start(const cyxla_plugin *plugin, cyxla_error *error) {
  cyxla_plugin *started = (cyxla_plugin *)plugin;
  bool is_forked;

  cyxla_process_watch();
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  is_forked = started->has_started && started->generation != cyxla_process_generation();
  if (!started->has_started) {
    started->has_started = true;
    started->generation = cyxla_process_generation();
  }
  cyxla_lock_release(&cyxla_process_plugins_lock);
  return is_forked ? cyxla_plugin_forked(plugin, error) : CYXLA_OK;
}

void cyxla_plugin_forget_all(void) {
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  cyxla_plugin_forget_hash();
  while (loaded != NULL) {
    cyxla_plugin *next = loaded->next;
    free_plugin(loaded);
    loaded = next;
  }
  cyxla_lock_release(&cyxla_process_plugins_lock);
}
