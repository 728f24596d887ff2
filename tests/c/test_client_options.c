#include "client_options.h"

#include <string.h>

#include "memory.h"
#include "test.h"

/* Creates options for a platform. */
static cyxla_client_options create(const char *platform, const cyxla_option *options,
                                   size_t num_options) {
  cyxla_runtime_options runtime_options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_client_options made;
  cyxla_error error;

  runtime_options.platform = platform;
  runtime_options.options = options;
  runtime_options.num_options = num_options;
  EXPECT_OK(cyxla_client_options_create(&runtime_options, &made, &error), &error);
  return made;
}

static void expect_named(const PJRT_NamedValue *value, const char *name,
                         PJRT_NamedValue_Type type, size_t size) {
  EXPECT_EQUAL(value->struct_size, sizeof(*value));
  EXPECT_EQUAL(value->name_size, strlen(name));
  EXPECT_BYTES(value->name, name, strlen(name));
  EXPECT_EQUAL(value->type, type);
  EXPECT_EQUAL(value->value_size, size);
}

static void expect_refused(const cyxla_option *options, size_t num_options,
                           const char *message) {
  cyxla_runtime_options runtime_options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_client_options made;
  cyxla_error error;

  runtime_options.options = options;
  runtime_options.num_options = num_options;
  EXPECT_ERROR(cyxla_client_options_create(&runtime_options, &made, &error),
               CYXLA_INVALID_ARGUMENT, &error, message);
  EXPECT_NULL(made.values);
}

static void the_cpu_runs_synchronously_on_one_device(void) {
  cyxla_client_options made = create("cpu", NULL, 0);

  EXPECT_EQUAL(made.num_values, 2);
  expect_named(&made.values[0], "asynchronous", PJRT_NamedValue_kBool, 1);
  EXPECT_TRUE(!made.values[0].value.bool_value);
  expect_named(&made.values[1], "cpu_device_count", PJRT_NamedValue_kInt64, 1);
  EXPECT_EQUAL(made.values[1].value.int64_value, 1);
  cyxla_client_options_destroy(&made);
  EXPECT_NULL(made.values);
}

static void gpus_do_not_preallocate(void) {
  static const char *const platforms[] = {"cuda", "rocm"};

  for (size_t i = 0; i < TEST_COUNT(platforms); i++) {
    cyxla_client_options made = create(platforms[i], NULL, 0);
    EXPECT_EQUAL(made.num_values, 1);
    expect_named(&made.values[0], "preallocate", PJRT_NamedValue_kBool, 1);
    EXPECT_TRUE(!made.values[0].value.bool_value);
    cyxla_client_options_destroy(&made);
  }
}

static void other_platforms_get_nothing(void) {
  static const char *const platforms[] = {"tpu", NULL};

  for (size_t i = 0; i < TEST_COUNT(platforms); i++) {
    cyxla_client_options made = create(platforms[i], NULL, 0);
    EXPECT_EQUAL(made.num_values, 0);
    cyxla_client_options_destroy(&made);
  }
}

static void platforms_are_named_in_any_case(void) {
  cyxla_client_options made = create("CPU", NULL, 0);

  EXPECT_EQUAL(made.num_values, 2);
  cyxla_client_options_destroy(&made);
}

static void what_is_given_replaces_what_is_added(void) {
  const cyxla_option given = {"cpu_device_count", CYXLA_OPTION_INT64, {.int64 = 4}, 0};
  cyxla_client_options made = create("cpu", &given, 1);

  EXPECT_EQUAL(made.num_values, 2);
  expect_named(&made.values[0], "cpu_device_count", PJRT_NamedValue_kInt64, 1);
  EXPECT_EQUAL(made.values[0].value.int64_value, 4);
  expect_named(&made.values[1], "asynchronous", PJRT_NamedValue_kBool, 1);
  cyxla_client_options_destroy(&made);
}

static void every_type_is_converted(void) {
  static const int64_t list[3] = {1, 2, 3};
  const cyxla_option given[] = {
      {"a", CYXLA_OPTION_STRING, {.string = "text"}, 99},
      {"b", CYXLA_OPTION_INT64, {.int64 = -5}, 99},
      {"c", CYXLA_OPTION_INT64_LIST, {.int64_list = list}, 3},
      {"d", CYXLA_OPTION_FLOAT, {.float32 = 0.5f}, 99},
      {"e", CYXLA_OPTION_BOOL, {.boolean = true}, 99},
      {"f", CYXLA_OPTION_INT64_LIST, {.int64_list = NULL}, 0},
      {"g", CYXLA_OPTION_STRING, {.string = ""}, 99},
  };
  cyxla_client_options made = create(NULL, given, TEST_COUNT(given));

  EXPECT_EQUAL(made.num_values, TEST_COUNT(given));
  expect_named(&made.values[0], "a", PJRT_NamedValue_kString, 4);
  EXPECT_TEXT(made.values[0].value.string_value, "text");
  expect_named(&made.values[1], "b", PJRT_NamedValue_kInt64, 1);
  EXPECT_EQUAL(made.values[1].value.int64_value, -5);
  expect_named(&made.values[2], "c", PJRT_NamedValue_kInt64List, 3);
  EXPECT_BYTES(made.values[2].value.int64_array_value, list, sizeof(list));
  expect_named(&made.values[3], "d", PJRT_NamedValue_kFloat, 1);
  EXPECT_TRUE(made.values[3].value.float_value == 0.5f);
  expect_named(&made.values[4], "e", PJRT_NamedValue_kBool, 1);
  EXPECT_TRUE(made.values[4].value.bool_value);
  expect_named(&made.values[5], "f", PJRT_NamedValue_kInt64List, 0);
  expect_named(&made.values[6], "g", PJRT_NamedValue_kString, 0);
  cyxla_client_options_destroy(&made);
}

static void options_that_make_no_sense_are_refused(void) {
  const cyxla_option unnamed = {NULL, CYXLA_OPTION_BOOL, {.boolean = true}, 0};
  const cyxla_option empty = {"", CYXLA_OPTION_BOOL, {.boolean = true}, 0};
  const cyxla_option typeless = {"a", (cyxla_option_type)5, {.boolean = true}, 0};
  const cyxla_option negative = {"a", (cyxla_option_type)-1, {.boolean = true}, 0};
  const cyxla_option no_text = {"a", CYXLA_OPTION_STRING, {.string = NULL}, 0};
  const cyxla_option no_list = {"a", CYXLA_OPTION_INT64_LIST, {.int64_list = NULL}, 1};

  expect_refused(NULL, 2, "options is NULL, expected 2 options");
  expect_refused(&unnamed, 1, "option 0 of the plugin has no name");
  expect_refused(&empty, 1, "option 0 of the plugin has no name");
  expect_refused(&typeless, 1, "option a of the plugin has type 5");
  expect_refused(&negative, 1, "option a of the plugin has type -1");
  expect_refused(&no_text, 1, "option a of the plugin has NULL for its value");
  expect_refused(&no_list, 1, "option a of the plugin has NULL for its value");
}

static void no_memory_is_an_error(void) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_client_options made;
  cyxla_error error;

  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_client_options_create(&options, &made, &error),
               CYXLA_OUT_OF_MEMORY, &error, "the plugin's options");
}

TEST_MAIN(TEST_CASE(the_cpu_runs_synchronously_on_one_device),
          TEST_CASE(gpus_do_not_preallocate), TEST_CASE(other_platforms_get_nothing),
          TEST_CASE(platforms_are_named_in_any_case),
          TEST_CASE(what_is_given_replaces_what_is_added),
          TEST_CASE(every_type_is_converted),
          TEST_CASE(options_that_make_no_sense_are_refused),
          TEST_CASE(no_memory_is_an_error))
