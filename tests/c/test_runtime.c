#define _GNU_SOURCE /* feenableexcept */
#include "runtime.h"

#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "test.h"
#include "test_fake.h"

static cyxla_runtime_options fake_options(void) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;

  options.plugin = test_fake_path();
  return options;
}

static void expect_refused(const cyxla_runtime_options *options, cyxla_status status,
                           const char *message) {
  cyxla_runtime *runtime = (cyxla_runtime *)&runtime;
  cyxla_error error;

  EXPECT_ERROR(cyxla_runtime_create(options, &runtime, &error), status, &error,
               message);
  EXPECT_NULL(runtime);
}

static cyxla_runtime *create(const cyxla_runtime_options *options) {
  cyxla_runtime *runtime;
  cyxla_error error;

  EXPECT_OK(cyxla_runtime_create(options, &runtime, &error), &error);
  return runtime;
}

static void a_runtime_tells_what_it_is(void) {
  cyxla_runtime_info info = CYXLA_RUNTIME_INFO_INIT;
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  EXPECT_OK(cyxla_runtime_get_info(runtime, &info, &error), &error);
  EXPECT_TEXT(info.platform, "cpu");
  EXPECT_TEXT(info.platform_version, "fake 1.0");
  EXPECT_CONTAINS(info.plugin_path, "fake");
  EXPECT_EQUAL(info.pjrt_api_major, 0);
  EXPECT_EQUAL(info.pjrt_api_minor, 114);
  EXPECT_EQUAL(info.stablehlo_version[0], 1);
  EXPECT_EQUAL(info.stablehlo_version[1], 18);
  EXPECT_EQUAL(info.stablehlo_version[2], 1);
  EXPECT_EQUAL(info.num_devices, 1);
  EXPECT_TRUE(info.zero_copy);
  EXPECT_TEXT(cyxla_runtime_device_kind(runtime, 0), "fake device");
  EXPECT_NULL(cyxla_runtime_device_kind(runtime, 1));
  cyxla_runtime_destroy(runtime);
}

static void an_older_caller_s_info_is_not_overrun(void) {
  cyxla_runtime_info info = CYXLA_RUNTIME_INFO_INIT;
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  info.struct_size = offsetof(cyxla_runtime_info, num_devices);
  EXPECT_OK(cyxla_runtime_get_info(runtime, &info, &error), &error);
  EXPECT_EQUAL(info.stablehlo_version[1], 18);
  EXPECT_EQUAL(info.num_devices, 0);
  info.struct_size = 1;
  EXPECT_ERROR(cyxla_runtime_get_info(runtime, &info, &error), CYXLA_INVALID_ARGUMENT,
               &error, "struct_size of cyxla_runtime_info is 1");
  cyxla_runtime_destroy(runtime);
}

static void required_arguments_are_named(void) {
  cyxla_runtime_info info = CYXLA_RUNTIME_INFO_INIT;
  cyxla_runtime_options options = fake_options();
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  EXPECT_ERROR(cyxla_runtime_create(&options, NULL, &error), CYXLA_INVALID_ARGUMENT,
               &error, "runtime");
  options.struct_size = 8;
  expect_refused(&options, CYXLA_INVALID_ARGUMENT,
                 "struct_size of cyxla_runtime_options is 8");
  runtime = test_fake_runtime();
  EXPECT_ERROR(cyxla_runtime_get_info(NULL, &info, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument runtime of cyxla_runtime_get_info is NULL");
  EXPECT_ERROR(cyxla_runtime_get_info(runtime, NULL, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument info of cyxla_runtime_get_info is NULL");
  cyxla_runtime_destroy(runtime);
}

static void the_plugin_of_the_environment_is_the_default(void) {
  cyxla_runtime *runtime;

  test_fake_start();
  test_set_environment("CYXLA_PLUGIN", test_fake_path());
  runtime = create(NULL);
  EXPECT_TEXT(runtime->platform, "cpu");
  cyxla_runtime_destroy(runtime);
}

static void where_no_plugin_is_found_the_error_says_what_to_do(void) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;

  test_set_environment("CYXLA_PLUGIN", NULL);
  options.platform = "tpu";
  expect_refused(&options, CYXLA_PLUGIN_NOT_FOUND,
                 "no plugin for the platform tpu was found: CYXLA_PLUGIN is not set");
  expect_refused(NULL, CYXLA_PLUGIN_NOT_FOUND,
                 "no plugin for the platform cpu was found");
}

static void the_platform_has_to_be_the_plugin_s(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();

  options.platform = "cuda";
  fake->set(FAKE_ANY_OPTION, 1);
  expect_refused(&options, CYXLA_PLATFORM_MISMATCH,
                 "implements the platform cpu, expected cuda");
}

static void platforms_are_compared_in_lower_case(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();
  cyxla_runtime *runtime;

  fake->set_text(FAKE_TEXT_PLATFORM, "ROCm");
  options.platform = "RoCM";
  fake->set(FAKE_ANY_OPTION, 1);
  runtime = create(&options);
  EXPECT_TEXT(runtime->platform, "rocm");
  cyxla_runtime_destroy(runtime);
}

static void without_a_platform_the_plugin_s_own_is_taken(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();
  cyxla_runtime *runtime;

  fake->set_text(FAKE_TEXT_PLATFORM, "quantum");
  runtime = create(&options);
  EXPECT_TEXT(runtime->platform, "quantum");
  EXPECT_NULL(fake->client_option(0));
  cyxla_runtime_destroy(runtime);
}

static void options_reach_the_plugin(void) {
  static const int64_t list[2] = {3, 4};
  const cyxla_option given[] = {
      {"cpu_device_count", CYXLA_OPTION_INT64, {.int64 = 3}, 0},
      {"allocator", CYXLA_OPTION_STRING, {.string = "bfc"}, 0},
      {"memory_fraction", CYXLA_OPTION_FLOAT, {.float32 = 0.25f}, 0},
      {"visible_devices", CYXLA_OPTION_INT64_LIST, {.int64_list = list}, 2},
  };
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();
  cyxla_runtime *runtime;

  fake->set(FAKE_API_MINOR, 115); /* older plugins are not handed what they ignore */
  options.platform = "cpu";
  options.options = given;
  options.num_options = TEST_COUNT(given);
  runtime = create(&options);
  EXPECT_TEXT(fake->client_option(0), "cpu_device_count=int64 3");
  EXPECT_TEXT(fake->client_option(1), "allocator=string bfc");
  EXPECT_TEXT(fake->client_option(2), "memory_fraction=float 0.25");
  EXPECT_TEXT(fake->client_option(3), "visible_devices=int64_list 3 4");
  EXPECT_TEXT(fake->client_option(4), "asynchronous=bool false");
  EXPECT_NULL(fake->client_option(5));
  EXPECT_EQUAL(runtime->num_devices, 3);
  EXPECT_TEXT(cyxla_runtime_device_kind(runtime, 2), "fake device");
  cyxla_runtime_destroy(runtime);
}

static void options_that_the_plugin_does_not_know_are_its_error(void) {
  const cyxla_option unknown = {"num_nodes", CYXLA_OPTION_INT64, {.int64 = 2}, 0};
  const cyxla_option mistyped = {"asynchronous", CYXLA_OPTION_INT64, {.int64 = 1}, 0};
  cyxla_runtime_options options = fake_options();

  test_fake_start();
  options.options = &unknown;
  options.num_options = 1;
  expect_refused(&options, CYXLA_INVALID_ARGUMENT,
                 "fake_plugin.so cannot create a client: Unexpected option name "
                 "passed to PJRT_Client_Create: num_nodes");
  options.options = &mistyped;
  expect_refused(&options, CYXLA_INVALID_ARGUMENT,
                 "asynchronous has type index 1 but expected type index is 4");
  options.options = NULL;
  expect_refused(&options, CYXLA_INVALID_ARGUMENT, "options is NULL");
}

static void a_plugin_without_devices_is_refused(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();

  fake->set(FAKE_NUM_DEVICES, 0);
  expect_refused(&options, CYXLA_PLUGIN_INVALID,
                 "has no device that this process can use");
}

static void a_plugin_that_returns_no_client_is_refused(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();

  fake->set(FAKE_NULL_CLIENT, 1);
  expect_refused(&options, CYXLA_PLUGIN_INVALID, "client");
}

static void zero_copy_is_found_out(void) {
  static const struct {
    fake_knob knob;
    long value;
    const char *removed;
    const char *failing;
  } cases[] = {
      {FAKE_ZERO_COPY, 0, NULL, NULL},
      {FAKE_ON_CPU, 0, NULL, NULL},
      {FAKE_ZERO_COPY, 1, "PJRT_Buffer_UnsafePointer", NULL},
      {FAKE_ZERO_COPY, 1, "PJRT_Buffer_IsOnCpu", NULL},
      {FAKE_ZERO_COPY, 1, NULL, "PJRT_Buffer_UnsafePointer"},
      {FAKE_ZERO_COPY, 1, NULL, "PJRT_Buffer_IsOnCpu"},
  };
  const test_fake *fake = test_fake_start();

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    fake->reset();
    fake->set(cases[i].knob, cases[i].value);
    if (cases[i].removed != NULL) fake->remove_function(cases[i].removed);
    fake->fail_function(cases[i].failing);
    cyxla_runtime *runtime = test_fake_runtime();
    EXPECT_TRUE(!runtime->zero_copy);
    cyxla_runtime_destroy(runtime);
  }
}

static void every_failure_of_the_plugin_is_passed_on(void) {
  static const struct {
    const char *function;
    const char *action;
  } failures[] = {
      {"PJRT_Client_Create", "create a client"},
      {"PJRT_Client_PlatformName", "tell its platform"},
      {"PJRT_Client_PlatformVersion", "tell its platform's version"},
      {"PJRT_Client_AddressableDevices", "list its devices"},
      {"PJRT_Device_GetDescription", "describe a device"},
      {"PJRT_DeviceDescription_Kind", "tell the kind of a device"},
      {"PJRT_Client_BufferFromHostBuffer", "make a buffer of an input"},
  };
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();

  fake->set(FAKE_ERROR_CODE, CYXLA_ABORTED);
  for (size_t i = 0; i < TEST_COUNT(failures); i++) {
    fake->fail_function(failures[i].function);
    expect_refused(&options, CYXLA_ABORTED, failures[i].action);
  }
}

static void a_plugin_may_have_several_clients(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *first = test_fake_runtime(), *second = test_fake_runtime();

  EXPECT_TRUE(first != second);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 2);
  EXPECT_EQUAL(fake->calls_of("PJRT_Plugin_Initialize"), 1);
  EXPECT_TRUE(cyxla_runtime_retain(first) == first);
  cyxla_runtime_destroy(first);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 2);
  cyxla_runtime_destroy(first);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 1);
  cyxla_runtime_destroy(second);
  cyxla_runtime_destroy(NULL);
}

static void the_number_of_threads_is_set_for_the_plugin_only(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = fake_options();

  test_set_environment("PJRT_NPROC", NULL);
  test_set_environment("NPROC", "7");
  cyxla_runtime_destroy(create(&options));
  EXPECT_TEXT(fake->environment(), "PJRT_NPROC= NPROC=7");
  options.num_threads = 3;
  cyxla_runtime_destroy(create(&options));
  EXPECT_TEXT(fake->environment(), "PJRT_NPROC=3 NPROC=3");
  EXPECT_NULL(getenv("PJRT_NPROC"));
  EXPECT_TEXT(getenv("NPROC"), "7");
  fake->fail_function("PJRT_Client_Create");
  expect_refused(&options, CYXLA_INTERNAL, "create a client");
  EXPECT_TEXT(getenv("NPROC"), "7");
  options.num_threads = SIZE_MAX;
  expect_refused(&options, CYXLA_INVALID_ARGUMENT, ", expected at most 2147483647");
}

typedef struct thread_task {
  size_t num_threads;
  int num_failed;
} thread_task;

static void *create_many(void *argument) {
  thread_task *task = argument;
  cyxla_runtime_options options = fake_options();

  options.num_threads = task->num_threads;
  for (int i = 0; i < 20; i++) {
    cyxla_runtime *runtime;
    if (cyxla_runtime_create(&options, &runtime, NULL) != CYXLA_OK) task->num_failed++;
    cyxla_runtime_destroy(runtime);
  }
  return NULL;
}

static void threads_that_set_the_number_of_threads_leave_the_environment_alone(void) {
  enum { NUM_THREADS = 4 };
  pthread_t threads[NUM_THREADS];
  thread_task tasks[NUM_THREADS];

  test_fake_start()->set(FAKE_CLIENT_MICROSECONDS, 200);
  test_set_environment("PJRT_NPROC", NULL);
  test_set_environment("NPROC", "7");
  for (int i = 0; i < NUM_THREADS; i++) {
    tasks[i].num_threads = (size_t)i + 1;
    tasks[i].num_failed = 0;
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, create_many, &tasks[i]), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < NUM_THREADS; i++) EXPECT_EQUAL(tasks[i].num_failed, 0);
  EXPECT_NULL(getenv("PJRT_NPROC"));
  EXPECT_TEXT(getenv("NPROC"), "7");
}

static void no_memory_for_the_environment_is_an_error(void) {
  cyxla_runtime_options options = fake_options();
  bool is_refused = true;

  test_fake_start();
  test_set_environment("PJRT_NPROC", "5");
  options.num_threads = 2;
  for (long n = 0; is_refused; n++) {
    cyxla_runtime *runtime;
    cyxla_error error;
    cyxla_memory_fail_after(n);
    cyxla_status status = cyxla_runtime_create(&options, &runtime, &error);
    cyxla_memory_fail_after(-1);
    is_refused = status != CYXLA_OK;
    if (is_refused) EXPECT_STATUS(status, CYXLA_OUT_OF_MEMORY, &error);
    EXPECT_TEXT(getenv("PJRT_NPROC"), "5");
    cyxla_runtime_destroy(runtime);
  }
}

static void the_caller_s_traps_and_flags_stay(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime;

  fake->set(FAKE_DIVIDES_BY_ZERO, 1);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_INEXACT);
  feenableexcept(FE_DIVBYZERO);
  runtime = test_fake_runtime();
  int enabled = fedisableexcept(FE_DIVBYZERO);
  EXPECT_EQUAL(enabled & FE_DIVBYZERO, FE_DIVBYZERO);
  EXPECT_EQUAL(fetestexcept(FE_ALL_EXCEPT), FE_INEXACT);
  feclearexcept(FE_ALL_EXCEPT);
  fake->set(FAKE_DIVIDES_BY_ZERO, 0);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(a_runtime_tells_what_it_is),
          TEST_CASE(an_older_caller_s_info_is_not_overrun),
          TEST_CASE(required_arguments_are_named),
          TEST_CASE(the_plugin_of_the_environment_is_the_default),
          TEST_CASE(where_no_plugin_is_found_the_error_says_what_to_do),
          TEST_CASE(the_platform_has_to_be_the_plugin_s),
          TEST_CASE(platforms_are_compared_in_lower_case),
          TEST_CASE(without_a_platform_the_plugin_s_own_is_taken),
          TEST_CASE(options_reach_the_plugin),
          TEST_CASE(options_that_the_plugin_does_not_know_are_its_error),
          TEST_CASE(a_plugin_without_devices_is_refused),
          TEST_CASE(a_plugin_that_returns_no_client_is_refused),
          TEST_CASE(zero_copy_is_found_out),
          TEST_CASE(every_failure_of_the_plugin_is_passed_on),
          TEST_CASE(a_plugin_may_have_several_clients),
          TEST_CASE(the_number_of_threads_is_set_for_the_plugin_only),
          TEST_CASE(threads_that_set_the_number_of_threads_leave_the_environment_alone),
          TEST_CASE(no_memory_for_the_environment_is_an_error),
          TEST_CASE(the_caller_s_traps_and_flags_stay))
