#include "known_options.h"

#include <stdio.h>

#include "test.h"
#include "test_fake.h"

static const cyxla_option number = {
    "cpu_device_count", CYXLA_OPTION_INT64, {.int64 = 2}, 0};
static const cyxla_option text = {
    "cpu_device_count", CYXLA_OPTION_STRING, {.string = "2"}, 0};
static const cyxla_option fraction = {
    "memory_fraction", CYXLA_OPTION_INT64, {.int64 = 1}, 0};
static const cyxla_option unknown = {"foo", CYXLA_OPTION_BOOL, {.boolean = true}, 0};

/* A plugin of a version of the API, as far as the options look at it. */
static cyxla_plugin plugin_of(PJRT_Api *api, int minor) {
  cyxla_plugin plugin = {.path = (char *)"plugin.so", .api = api};

  api->pjrt_api_version.minor_version = minor;
  return plugin;
}

static cyxla_status check(const char *platform, const cyxla_option *option, int minor,
                          cyxla_error *error) {
  PJRT_Api api;
  cyxla_plugin plugin = plugin_of(&api, minor);
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;

  options.platform = platform;
  options.options = option;
  options.num_options = 1;
  return cyxla_known_options_check(&options, &plugin, error);
}

static void known_options_of_the_right_type_pass(void) {
  cyxla_error error;

  EXPECT_OK(check("cpu", &number, 81, &error), &error);
  EXPECT_OK(check("CPU", &number, 115, &error), &error);
}

static void known_options_of_another_type_are_refused(void) {
  cyxla_error error;

  EXPECT_ERROR(check("cpu", &text, 115, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the option cpu_device_count of the plugin plugin.so is a string, "
               "expected an integer");
  EXPECT_ERROR(
      check("cuda", &fraction, 116, &error), CYXLA_INVALID_ARGUMENT, &error,
      "memory_fraction of the plugin plugin.so is an integer, expected a float");
  EXPECT_ERROR(check("ROCM", &fraction, 116, &error), CYXLA_INVALID_ARGUMENT, &error,
               "expected a float");
}

static void counts_are_1_at_least(void) {
  static const struct {
    const char *platform;
    const char *name;
  } counts[] = {{"cpu", "cpu_device_count"},
                {"cuda", "num_nodes"},
                {"rocm", "max_inflight_computations"}};
  cyxla_option option = {NULL, CYXLA_OPTION_INT64, {.int64 = 0}, 0};
  char message[128];
  cyxla_error error;

  for (size_t i = 0; i < TEST_COUNT(counts); i++) {
    option.name = counts[i].name;
    for (option.value.int64 = -1; option.value.int64 < 1; option.value.int64++) {
      snprintf(message, sizeof(message),
               "the option %s of the plugin plugin.so is %d, expected 1 or more",
               option.name, (int)option.value.int64);
      EXPECT_ERROR(check(counts[i].platform, &option, 115, &error),
                   CYXLA_INVALID_ARGUMENT, &error, message);
    }
    EXPECT_OK(check(counts[i].platform, &option, 115, &error), &error);
  }
}

static void other_numbers_may_be_negative(void) {
  cyxla_option option = {"process_id", CYXLA_OPTION_INT64, {.int64 = -1}, 0};
  cyxla_error error;

  EXPECT_OK(check("cpu", &option, 115, &error), &error);
}

static void what_an_old_plugin_would_ignore_is_refused(void) {
  cyxla_error error;

  EXPECT_ERROR(check("cpu", &unknown, 114, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the plugin plugin.so would ignore the option foo");
}

static void a_client_is_not_made_with_options_that_are_refused(void) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime;
  cyxla_error error;

  options.plugin = test_fake_path();
  options.platform = "cpu";
  options.options = &unknown;
  options.num_options = 1;
  EXPECT_ERROR(cyxla_runtime_create(&options, &runtime, &error), CYXLA_INVALID_ARGUMENT,
               &error, "fake_plugin.so would ignore the option foo");
  EXPECT_NULL(runtime);
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Create"), 0);
}

static void what_cyxla_does_not_know_is_the_plugin_s_affair(void) {
  cyxla_error error;

  EXPECT_OK(check("cpu", &unknown, 115, &error), &error);
  EXPECT_OK(check("cuda", &unknown, 81, &error), &error);
  EXPECT_OK(check("other", &text, 81, &error), &error);
  EXPECT_OK(check(NULL, &text, 81, &error), &error);
}

static bool is(const char *name, const char *platform, const char *library) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;

  options.platform = platform;
  options.plugin = library;
  return cyxla_platform_is(name, &options);
}

static void platforms_are_compared_without_case(void) {
  EXPECT_TRUE(is("rocm", "ROCM", NULL));
  EXPECT_TRUE(!is("rocm", "rocm7", NULL));
  EXPECT_TRUE(!is("rocm", "roc", NULL));
}

static void without_a_platform_the_library_s_name_tells_it(void) {
  EXPECT_TRUE(is("cpu", NULL, "/opt/cuda/xla_cpu_plugin.so"));
  EXPECT_TRUE(!is("cuda", NULL, "/opt/cuda/xla_cpu_plugin.so"));
  EXPECT_TRUE(is("cuda", NULL, "C:\\cpu\\cuda.dll"));
  EXPECT_TRUE(!is("cpu", NULL, "/opt/cpu/"));
  EXPECT_TRUE(!is("cpu", NULL, NULL));
  EXPECT_TRUE(is("cuda", NULL, "pjrt_c_api_gpu_plugin.so"));
  EXPECT_TRUE(is("rocm", NULL, "pjrt_c_api_gpu_plugin.so"));
  EXPECT_TRUE(!is("cpu", NULL, "pjrt_c_api_gpu_plugin.so"));
  EXPECT_TRUE(!is("cpu", "cuda", "cpu.so"));
}

TEST_MAIN(TEST_CASE(known_options_of_the_right_type_pass),
          TEST_CASE(known_options_of_another_type_are_refused),
          TEST_CASE(counts_are_1_at_least), TEST_CASE(other_numbers_may_be_negative),
          TEST_CASE(what_an_old_plugin_would_ignore_is_refused),
          TEST_CASE(a_client_is_not_made_with_options_that_are_refused),
          TEST_CASE(what_cyxla_does_not_know_is_the_plugin_s_affair),
          TEST_CASE(platforms_are_compared_without_case),
          TEST_CASE(without_a_platform_the_library_s_name_tells_it))
