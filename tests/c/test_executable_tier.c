#include <string.h>

#include "executable.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

static cyxla_status make(cyxla_tier tier, cyxla_executable **executable,
                         cyxla_error *error) {
  cyxla_executable_options options = CYXLA_EXECUTABLE_OPTIONS_INIT;
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_program *program = test_sum_program();
  cyxla_status status;

  options.tier = tier;
  status = cyxla_executable_create_with(runtime, program, &options, executable, error);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  return status;
}

static void expect_through_the_plugin(cyxla_tier tier, const char *reason) {
  cyxla_executable *executable;
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(make(tier, &executable, &error), &error);
  EXPECT_TEXT(cyxla_executable_tier(executable), "pjrt");
  EXPECT_TEXT(cyxla_executable_tier_reason(executable), reason);
  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  test_sum_fill(call, 2);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, 2);
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}

/* The fake plugin serializes in a way of its own. */
static const char REASON[] =
    "it is not serialized as XLA's CPU plugins do that are known";

static void what_is_not_known_runs_through_the_plugin(void) {
  test_fake_start();
  expect_through_the_plugin(CYXLA_TIER_PJRT, "");
  expect_through_the_plugin(CYXLA_TIER_DEFAULT, REASON);
  expect_through_the_plugin(CYXLA_TIER_AUTO, REASON);
}

static void arrays_to_compare_on_are_all_there(void) {
  static const float x[2];
  static const void *const examples[] = {x, NULL};
  cyxla_executable_options options = CYXLA_EXECUTABLE_OPTIONS_INIT;
  cyxla_executable *executable = (cyxla_executable *)&executable;
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  program = test_sum_program();
  options.examples = examples;
  EXPECT_ERROR(
      cyxla_executable_create_with(runtime, program, &options, &executable, &error),
      CYXLA_INVALID_ARGUMENT, &error, "array 1 of the examples is NULL");
  EXPECT_NULL(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

static void what_is_not_known_cannot_be_called_directly(void) {
  cyxla_executable *executable = (cyxla_executable *)&executable;
  cyxla_error error;

  test_fake_start();
  EXPECT_ERROR(make(CYXLA_TIER_DIRECT, &executable, &error), CYXLA_UNIMPLEMENTED,
               &error, "the program cannot be called directly: it is not serialized");
  EXPECT_NULL(executable);
}

static void a_plugin_that_cannot_serialize_runs_all(void) {
  const test_fake *fake = test_fake_start();

  fake->remove_function("PJRT_Executable_Serialize");
  for (int i = 0; i < 2; i++) {
    cyxla_executable *executable;
    cyxla_error error;
    EXPECT_OK(make(CYXLA_TIER_AUTO, &executable, &error), &error);
    EXPECT_CONTAINS(cyxla_executable_tier_reason(executable),
                    "cannot serialize executables");
    cyxla_executable_destroy(executable);
  }
}

static void the_environment_says_the_tier_of_those_that_do_not(void) {
  cyxla_executable *executable;
  cyxla_error error;

  test_fake_start();
  test_set_environment("CYXLA_TIER", "auto");
  expect_through_the_plugin(CYXLA_TIER_DEFAULT, REASON);
  expect_through_the_plugin(CYXLA_TIER_PJRT, "");
  test_set_environment("CYXLA_TIER", "pjrt");
  expect_through_the_plugin(CYXLA_TIER_DEFAULT, "");
  test_set_environment("CYXLA_TIER", "direct");
  EXPECT_ERROR(make(CYXLA_TIER_DEFAULT, &executable, &error), CYXLA_UNIMPLEMENTED,
               &error, "cannot be called directly");
  test_set_environment("CYXLA_TIER", "Direct");
  EXPECT_ERROR(make(CYXLA_TIER_DEFAULT, &executable, &error), CYXLA_INVALID_ARGUMENT,
               &error, "CYXLA_TIER is \"Direct\", expected auto, pjrt or direct");
  expect_through_the_plugin(CYXLA_TIER_PJRT, "");
}

static void a_tier_that_is_none_is_refused(void) {
  cyxla_executable *executable;
  cyxla_error error;

  test_fake_start();
  EXPECT_ERROR(make((cyxla_tier)4, &executable, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the tier is 4, expected one of cyxla_tier");
  EXPECT_ERROR(make((cyxla_tier)-1, &executable, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the tier is -1");
}

static void every_allocation_may_fail(void) {
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_executable *executable;
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_executable_options options = CYXLA_EXECUTABLE_OPTIONS_INIT;
  cyxla_error error;
  long live;

  test_fake_start();
  runtime = test_fake_runtime();
  program = test_sum_program();
  options.tier = CYXLA_TIER_AUTO;
  live = cyxla_memory_live();
  for (long n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status =
        cyxla_executable_create_with(runtime, program, &options, &executable, &error);
    cyxla_memory_fail_after(-1);
    if (status == CYXLA_OK) cyxla_executable_destroy(executable);
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  EXPECT_OK(status, &error);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(arrays_to_compare_on_are_all_there),
          TEST_CASE(what_is_not_known_runs_through_the_plugin),
          TEST_CASE(what_is_not_known_cannot_be_called_directly),
          TEST_CASE(a_plugin_that_cannot_serialize_runs_all),
          TEST_CASE(the_environment_says_the_tier_of_those_that_do_not),
          TEST_CASE(a_tier_that_is_none_is_refused),
          TEST_CASE(every_allocation_may_fail))
