#include <string.h>

#include "call.h"
#include "memory.h"
#include "test.h"
#include "test_direct_support.h"
#include "test_fake.h"

static cyxla_executable *make_trial(const char *name) {
  cyxla_executable *executable = test_compile_beside(name);

  executable->trials = CYXLA_TRIALS;
  return executable;
}

static void run(cyxla_call *call, float scale) {
  cyxla_error error;

  test_sum_fill(call, scale);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, scale);
}

static const char ON_TRIAL[] =
    "its first runs happen both ways, to be compared with the plugin, unless "
    "arrays to compare on are given";

static void the_first_runs_happen_both_ways(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable = make_trial("sum");
  cyxla_call *call = test_create_call(executable), *later;
  long calls;

  for (int i = 0; i < CYXLA_TRIALS; i++) {
    EXPECT_TEXT(cyxla_executable_tier(executable), "pjrt");
    EXPECT_TEXT(cyxla_executable_tier_reason(executable), ON_TRIAL);
    calls = fake->calls();
    run(call, (float)i);
    EXPECT_TRUE(fake->calls() > calls);
  }
  EXPECT_TEXT(cyxla_executable_tier(executable), "direct");
  EXPECT_TEXT(cyxla_executable_tier_reason(executable), "");
  later = test_create_call(executable);
  EXPECT_NULL(later->witness);
  calls = fake->calls();
  run(call, 9);
  run(later, 10);
  EXPECT_EQUAL(fake->calls(), calls);
  cyxla_call_destroy(call);
  cyxla_call_destroy(later);
  cyxla_executable_destroy(executable);
}

static void results_that_differ_are_the_plugin_s(void) {
  cyxla_executable *executable;
  cyxla_call *call, *later;

  test_fake_start();
  executable = make_trial("difference");
  call = test_create_call(executable);
  for (int i = 0; i < 3; i++) {
    run(call, (float)i);
    EXPECT_TEXT(cyxla_executable_tier(executable), "pjrt");
    EXPECT_TEXT(
        cyxla_executable_tier_reason(executable),
        "a direct run of it failed, or a result was not the same as the plugin's, "
        "bit for bit");
  }
  later = test_create_call(executable);
  EXPECT_NULL(later->direct);
  run(later, 5);
  cyxla_call_destroy(call);
  cyxla_call_destroy(later);
  cyxla_executable_destroy(executable);
}

static void *fail(const cyxla_kernel_frame *frame) {
  return (void *)frame;
}

static void a_direct_run_that_fails_leaves_all_to_the_plugin(void) {
  cyxla_executable *executable;
  cyxla_call *call, *other;

  test_fake_start();
  executable = make_trial("sum");
  call = test_create_call(executable);
  other = test_create_call(executable);
  call->direct->steps[0].kernel = fail;
  run(call, 1);
  EXPECT_EQUAL(executable->trials, CYXLA_TRIALS_FAILED);
  EXPECT_TEXT(cyxla_executable_tier(executable), "pjrt");
  other->direct->steps[0].kernel = fail; /* which is not asked any more */
  run(other, 2);
  run(call, 3);
  cyxla_call_destroy(call);
  cyxla_call_destroy(other);
  cyxla_executable_destroy(executable);
}

/* Aligned memory, which direct code writes, and memory that is not, where it is copied.
 */
static void expect_bound(const char *name, size_t offset) {
  static _Alignas(CYXLA_ALIGNMENT) float memory[2][64];
  cyxla_executable *executable = make_trial(name);
  cyxla_call *call = test_create_call(executable);
  float *sum = memory[1] + offset;
  cyxla_error error;

  EXPECT_OK(cyxla_call_bind_input(call, 0, memory[0] + offset, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, sum, &error), &error);
  for (int i = 0; i < 5; i++) {
    test_sum_fill(call, (float)i);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    EXPECT_TRUE(cyxla_call_output(call, 0) == sum);
    for (int k = 0; k < 3; k++) EXPECT_EQUAL(sum[k], 100 + i * k);
  }
  EXPECT_OK(cyxla_call_bind_output(call, 0, NULL, &error), &error);
  run(call, 7);
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}

static void outputs_go_where_they_are_bound_to_either_way(void) {
  test_fake_start();
  expect_bound("sum", 0);
  expect_bound("sum", 1);
  expect_bound("difference", 0);
  expect_bound("difference", 1);
}

static void an_error_of_the_plugin_settles_nothing(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable = make_trial("sum");
  cyxla_call *call = test_create_call(executable);
  cyxla_error error;

  fake->fail_function("PJRT_LoadedExecutable_Execute");
  for (int i = 0; i < 5; i++) {
    test_sum_fill(call, 1);
    EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_INTERNAL, &error,
                 "cannot run the program");
    EXPECT_NULL(cyxla_call_output(call, 0));
  }
  EXPECT_TEXT(cyxla_executable_tier_reason(executable), ON_TRIAL);
  fake->fail_function(NULL);
  run(call, 1);
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}

static void any_number_of_threads_may_be_the_first(void) {
  cyxla_executable *executable;

  test_fake_start();
  executable = make_trial("sum");
  EXPECT_EQUAL(test_sum_count_wrong(executable, 8, 50), 0);
  EXPECT_TEXT(cyxla_executable_tier(executable), "direct");
  cyxla_executable_destroy(executable);
  executable = make_trial("difference");
  EXPECT_EQUAL(test_sum_count_wrong(executable, 8, 50), 0);
  EXPECT_TEXT(cyxla_executable_tier(executable), "pjrt");
  cyxla_executable_destroy(executable);
}

static void every_allocation_may_fail(void) {
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_executable *executable;
  cyxla_call *call;
  cyxla_error error;
  long live;

  test_fake_start();
  executable = make_trial("sum");
  live = cyxla_memory_live();
  for (long n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status = cyxla_call_create(executable, &call, &error);
    cyxla_memory_fail_after(-1);
    if (status == CYXLA_OK) cyxla_call_destroy(call);
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  EXPECT_OK(status, &error);
  cyxla_executable_destroy(executable);
}

TEST_MAIN(TEST_CASE(the_first_runs_happen_both_ways),
          TEST_CASE(results_that_differ_are_the_plugin_s),
          TEST_CASE(a_direct_run_that_fails_leaves_all_to_the_plugin),
          TEST_CASE(outputs_go_where_they_are_bound_to_either_way),
          TEST_CASE(an_error_of_the_plugin_settles_nothing),
          TEST_CASE(any_number_of_threads_may_be_the_first),
          TEST_CASE(every_allocation_may_fail))
