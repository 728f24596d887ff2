#include "known_options.h"

#include <string.h>

#include "error.h"

/* XLA's CPU plugin refuses unknown options itself from this version of the API on. The
 * plugins of versions 0.81 and 0.106 ignore them, that of 0.115 does not. */
enum { CPU_REFUSES_UNKNOWN_SINCE = 115 };

/* What the CPU plugins read, and what JAX passes to its GPU plugins. Plugins do not
 * check counts: with a negative number of devices they end the process, and no
 * computation in flight is one that never runs. Where least is 0, the number is the
 * plugin's affair. */
typedef struct known_option {
  const char *platform;
  const char *name;
  cyxla_option_type type;
  int64_t least;
} known_option;
static const known_option KNOWN[] = {
    {"cpu", "asynchronous", CYXLA_OPTION_BOOL, 0},
    {"cpu", "cpu_device_count", CYXLA_OPTION_INT64, 1},
    {"cpu", "process_id", CYXLA_OPTION_INT64, 0},
    {"gpu", "abort_collectives_on_failure", CYXLA_OPTION_BOOL, 0},
    {"gpu", "allocator", CYXLA_OPTION_STRING, 0},
    {"gpu", "collective_memory_size", CYXLA_OPTION_INT64, 0},
    {"gpu", "enable_mock_nccl", CYXLA_OPTION_BOOL, 0},
    {"gpu", "max_inflight_computations", CYXLA_OPTION_INT64, 1},
    {"gpu", "memory_fraction", CYXLA_OPTION_FLOAT, 0},
    {"gpu", "mock_gpu_topology", CYXLA_OPTION_STRING, 0},
    {"gpu", "node_id", CYXLA_OPTION_INT64, 0},
    {"gpu", "num_nodes", CYXLA_OPTION_INT64, 1},
    {"gpu", "partition_index", CYXLA_OPTION_INT64, 0},
    {"gpu", "platform_name", CYXLA_OPTION_STRING, 0},
    {"gpu", "preallocate", CYXLA_OPTION_BOOL, 0},
    {"gpu", "should_stage_host_to_device_transfers", CYXLA_OPTION_BOOL, 0},
    {"gpu", "use_tfrt_gpu_client", CYXLA_OPTION_BOOL, 0},
    {"gpu", "visible_devices", CYXLA_OPTION_INT64_LIST, 0},
};
enum { NUM_KNOWN = sizeof(KNOWN) / sizeof(KNOWN[0]) };

static const char *const TYPE_NAMES[] = {
    [CYXLA_OPTION_STRING] = "a string",
    [CYXLA_OPTION_INT64] = "an integer",
    [CYXLA_OPTION_INT64_LIST] = "a list of integers",
    [CYXLA_OPTION_FLOAT] = "a float",
    [CYXLA_OPTION_BOOL] = "a bool",
};

static bool is_equal(const char *name, const char *platform) {
  for (; *name != '\0'; name++, platform++) {
    char c = *platform;
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != *name) return false;
  }
  return *platform == '\0';
}

bool cyxla_platform_is(const char *name, const cyxla_runtime_options *options) {
  const char *file = options->plugin;

  if (options->platform != NULL) return is_equal(name, options->platform);
  for (const char *c = file; c != NULL && *c != '\0'; c++) {
    if (*c == '/' || *c == '\\') file = c + 1;
  }
  if (file == NULL) return false;
  /* XLA calls its plugins for CUDA and ROCm after what they have in common. */
  if (strstr(file, "gpu") != NULL) return strcmp(name, "cpu") != 0;
  return strstr(file, name) != NULL;
}

/* The platform as the table calls it: JAX's plugins for CUDA and ROCm are one. */
static const char *table_platform(const cyxla_runtime_options *options) {
  if (cyxla_platform_is("cpu", options)) return "cpu";
  if (cyxla_platform_is("cuda", options) || cyxla_platform_is("rocm", options)) {
    return "gpu";
  }
  return "";
}

static cyxla_status check_unknown(const cyxla_option *option, const char *platform,
                                  const cyxla_plugin *plugin, cyxla_error *error) {
  if (strcmp(platform, "cpu") != 0 ||
      plugin->api->pjrt_api_version.minor_version >= CPU_REFUSES_UNKNOWN_SINCE) {
    return CYXLA_OK;
  }
  return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                         "the plugin %s would ignore the option %s; the options of CPU "
                         "plugins are asynchronous, cpu_device_count and process_id",
                         plugin->path, option->name);
}

static cyxla_status check_known(const cyxla_option *option, const known_option *known,
                                const cyxla_plugin *plugin, cyxla_error *error) {
  if (known->type != option->type) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the option %s of the plugin %s is %s, expected %s",
                           option->name, plugin->path, TYPE_NAMES[option->type],
                           TYPE_NAMES[known->type]);
  }
  if (known->least > 0 && option->value.int64 < known->least) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the option %s of the plugin %s is %lld, expected %lld or "
                           "more",
                           option->name, plugin->path, (long long)option->value.int64,
                           (long long)known->least);
  }
  return CYXLA_OK;
}

static cyxla_status check(const cyxla_option *option, const char *platform,
                          const cyxla_plugin *plugin, cyxla_error *error) {
  for (size_t i = 0; i < NUM_KNOWN; i++) {
    if (strcmp(KNOWN[i].platform, platform) == 0 &&
        strcmp(KNOWN[i].name, option->name) == 0) {
      return check_known(option, &KNOWN[i], plugin, error);
    }
  }
  return check_unknown(option, platform, plugin, error);
}

cyxla_status cyxla_known_options_check(const cyxla_runtime_options *options,
                                       const cyxla_plugin *plugin, cyxla_error *error) {
  const char *platform = table_platform(options);

  for (size_t i = 0; i < options->num_options; i++) {
    cyxla_status status = check(&options->options[i], platform, plugin, error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}
