#include "client_options.h"

#include <string.h>

#include "error.h"
#include "known_options.h"
#include "memory.h"

/* What cyxla sets for a platform. A CPU client that runs synchronously on one device
 * keeps executions in the calling thread; JAX's GPU clients would take most of the
 * device's memory at once. */
static const struct {
  const char *platform;
  cyxla_option option;
} DEFAULTS[] = {
    {"cpu", {"asynchronous", CYXLA_OPTION_BOOL, {.boolean = false}, 0}},
    {"cpu", {"cpu_device_count", CYXLA_OPTION_INT64, {.int64 = 1}, 0}},
    {"cuda", {"preallocate", CYXLA_OPTION_BOOL, {.boolean = false}, 0}},
    {"rocm", {"preallocate", CYXLA_OPTION_BOOL, {.boolean = false}, 0}},
};
enum { NUM_DEFAULTS = sizeof(DEFAULTS) / sizeof(DEFAULTS[0]) };

static bool is_given(const cyxla_runtime_options *options, const char *name) {
  for (size_t i = 0; i < options->num_options; i++) {
    if (strcmp(options->options[i].name, name) == 0) return true;
  }
  return false;
}

static cyxla_status check(const cyxla_option *option, size_t index,
                          cyxla_error *error) {
  if (option->name == NULL || option->name[0] == '\0') {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "option %zu of the plugin has no name", index);
  }
  if ((int)option->type < CYXLA_OPTION_STRING || option->type > CYXLA_OPTION_BOOL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "option %s of the plugin has type %d, expected one of "
                           "cyxla_option_type",
                           option->name, (int)option->type);
  }
  if ((option->type == CYXLA_OPTION_STRING && option->value.string == NULL) ||
      (option->type == CYXLA_OPTION_INT64_LIST && option->value.int64_list == NULL &&
       option->num_elements > 0)) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "option %s of the plugin has NULL for its value",
                           option->name);
  }
  return CYXLA_OK;
}

static void convert(const cyxla_option *option, PJRT_NamedValue *value) {
  memset(value, 0, sizeof(*value));
  value->struct_size = sizeof(*value);
  value->name = option->name;
  value->name_size = strlen(option->name);
  value->type = (PJRT_NamedValue_Type)option->type;
  value->value_size = 1;
  switch (option->type) {
    case CYXLA_OPTION_STRING:
      value->value.string_value = option->value.string;
      value->value_size = strlen(option->value.string);
      break;
    case CYXLA_OPTION_INT64: value->value.int64_value = option->value.int64; break;
    case CYXLA_OPTION_INT64_LIST:
      value->value.int64_array_value = option->value.int64_list;
      value->value_size = option->num_elements;
      break;
    case CYXLA_OPTION_FLOAT: value->value.float_value = option->value.float32; break;
    case CYXLA_OPTION_BOOL: value->value.bool_value = option->value.boolean; break;
  }
}

cyxla_status cyxla_client_options_create(const cyxla_runtime_options *options,
                                         cyxla_client_options *client_options,
                                         cyxla_error *error) {
  memset(client_options, 0, sizeof(*client_options));
  if (options->num_options > 0 && options->options == NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "options is NULL, expected %zu options",
                           options->num_options);
  }
  for (size_t i = 0; i < options->num_options; i++) {
    cyxla_status status = check(&options->options[i], i, error);
    if (status != CYXLA_OK) return status;
  }
  client_options->values = cyxla_allocate_array(options->num_options + NUM_DEFAULTS,
                                                sizeof(*client_options->values));
  if (client_options->values == NULL) {
    return cyxla_error_out_of_memory(error, "the plugin's options");
  }
  for (size_t i = 0; i < options->num_options; i++) {
    convert(&options->options[i],
            &client_options->values[client_options->num_values++]);
  }
  for (size_t i = 0; i < NUM_DEFAULTS; i++) {
    if (cyxla_platform_is(DEFAULTS[i].platform, options) &&
        !is_given(options, DEFAULTS[i].option.name)) {
      convert(&DEFAULTS[i].option,
              &client_options->values[client_options->num_values++]);
    }
  }
  return CYXLA_OK;
}

void cyxla_client_options_destroy(cyxla_client_options *client_options) {
  cyxla_release(client_options->values);
  memset(client_options, 0, sizeof(*client_options));
}
