#define _GNU_SOURCE /* feenableexcept */
#include "call.h"

#include <fenv.h>

#include "memory.h"
#include "test.h"
#include "test_fake.h"

static const int64_t matrix_shape[2] = {2, 3};

static void inputs_are_zeroed_aligned_and_keep_their_values(void) {
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = test_sum_call();
  for (size_t i = 0; i < 2; i++) {
    const float *input = cyxla_call_input(call, i);
    EXPECT_EQUAL((uintptr_t)input % CYXLA_ALIGNMENT, 0);
    for (int k = 0; k < 3; k++) EXPECT_EQUAL(input[k], 0);
  }
  test_sum_fill(call, 7);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, 7);
  EXPECT_EQUAL(((float *)cyxla_call_input(call, 0))[2], 14);
  cyxla_call_destroy(call);
}

static void a_call_keeps_what_it_needs(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();
  cyxla_error error;

  EXPECT_TEXT(cyxla_executable_tier(cyxla_call_executable(call)), "pjrt");
  test_sum_fill(call, 1);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, 1);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 1);
  cyxla_call_destroy(call);
  cyxla_call_destroy(NULL);
  EXPECT_EQUAL(fake->live_total(), 0);
}

static void indices_that_are_none_give_null(void) {
  cyxla_call *call;

  test_fake_start();
  call = test_sum_call();
  EXPECT_NULL(cyxla_call_input(call, 2));
  EXPECT_NULL(cyxla_call_output(call, 1));
  cyxla_call_destroy(call);
}

static void there_are_no_outputs_before_a_run_and_after_a_failed_one(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();
  cyxla_error error;

  EXPECT_NULL(cyxla_call_output(call, 0));
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_TRUE(cyxla_call_output(call, 0) != NULL);
  fake->fail_function("PJRT_LoadedExecutable_Execute");
  EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_INTERNAL, &error,
               "the plugin cannot run the program: injected failure");
  EXPECT_NULL(cyxla_call_output(call, 0));
  EXPECT_EQUAL(fake->live(FAKE_BUFFER), 2);
  fake->fail_function(NULL);
  test_sum_fill(call, 2);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, 2);
  cyxla_call_destroy(call);
}

static void a_run_on_the_cpu_copies_and_allocates_nothing(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();
  cyxla_error error;
  long buffers, allocations;

  EXPECT_OK(cyxla_call_run(call, &error), &error);
  buffers = fake->calls_of("PJRT_Client_BufferFromHostBuffer");
  allocations = cyxla_memory_allocations();
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_BufferFromHostBuffer"), buffers);
  EXPECT_EQUAL(fake->calls_of("PJRT_Buffer_ToHostBuffer"), 0);
  EXPECT_EQUAL(cyxla_memory_allocations(), allocations);
  EXPECT_EQUAL(fake->live(FAKE_BUFFER), 3);
  cyxla_call_destroy(call);
}

static void a_donated_input_keeps_its_values(void) {
  static const char code[] =
      "input float32[2,3]\noutput float32[2,3] into 0 = negate 0";
  cyxla_array_spec input = {"state", CYXLA_FLOAT32, 2, matrix_shape, 0, 0};
  cyxla_array_spec output = {"state", CYXLA_FLOAT32, 2, matrix_shape, 0, -1};
  const test_fake *fake = test_fake_start();

  for (int zero_copy = 0; zero_copy < 2; zero_copy++) {
    fake->set(FAKE_ZERO_COPY, zero_copy);
    cyxla_call *call = test_call_of(test_program(code, &input, 1, &output, 1));
    float *state = cyxla_call_input(call, 0);
    cyxla_error error;
    state[5] = 3;
    for (int run = 0; run < 3; run++) {
      EXPECT_OK(cyxla_call_run(call, &error), &error);
      EXPECT_EQUAL(((const float *)cyxla_call_output(call, 0))[5], -3);
      EXPECT_EQUAL(state[5], 3);
      EXPECT_TRUE(cyxla_call_output(call, 0) != (void *)state);
    }
    cyxla_call_destroy(call);
  }
}

static void scalars_and_empty_arrays_work(void) {
  static const char code[] =
      "input float64[]\ninput int8[0,3]\n"
      "output float64[] = negate 0\noutput int8[0,3] = argument 1";
  static const int64_t empty[2] = {0, 3};
  cyxla_array_spec arrays[2] = {{"scalar", CYXLA_FLOAT64, 0, NULL, 0, -1},
                                {"empty", CYXLA_INT8, 2, empty, 0, -1}};
  const test_fake *fake = test_fake_start();

  for (int variant = 0; variant < 4; variant++) {
    fake->set(FAKE_ZERO_COPY, variant % 2);
    fake->set(FAKE_NULL_EMPTY, variant / 2);
    cyxla_call *call = test_call_of(test_program(code, arrays, 2, arrays, 2));
    cyxla_error error;
    *(double *)cyxla_call_input(call, 0) = 2.5;
    EXPECT_TRUE(cyxla_call_input(call, 1) != NULL);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    EXPECT_TRUE(*(const double *)cyxla_call_output(call, 0) == -2.5);
    EXPECT_TRUE(cyxla_call_output(call, 1) != NULL);
    EXPECT_EQUAL((uintptr_t)cyxla_call_output(call, 1) % CYXLA_ALIGNMENT, 0);
    cyxla_call_destroy(call);
  }
}

static void a_program_may_have_no_inputs_or_no_outputs(void) {
  cyxla_array_spec spec = {"a", CYXLA_FLOAT32, 2, matrix_shape, 0, -1};
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = test_call_of(test_program("output float32[2,3] = zeros", NULL, 0, &spec, 1));
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_EQUAL(((const float *)cyxla_call_output(call, 0))[5], 0);
  cyxla_call_destroy(call);
  call = test_call_of(test_program("input float32[2,3]", &spec, 1, NULL, 0));
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_NULL(cyxla_call_output(call, 0));
  cyxla_call_destroy(call);
}

static void required_arguments_are_named(void) {
  cyxla_executable *executable;
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  executable = test_compile(test_sum_program());
  EXPECT_ERROR(cyxla_call_create(NULL, &call, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the argument executable of cyxla_call_create is NULL");
  EXPECT_NULL(call);
  EXPECT_ERROR(cyxla_call_create(executable, NULL, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument call of cyxla_call_create is NULL");
  EXPECT_ERROR(cyxla_call_run(NULL, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the argument call of cyxla_call_run is NULL");
  cyxla_executable_destroy(executable);
}

static void threads_with_a_call_each_do_not_disturb_each_other(void) {
  cyxla_executable *executable;

  test_fake_start();
  executable = test_compile(test_sum_program());
  EXPECT_EQUAL(test_sum_count_wrong(executable, 4, 200), 0);
  cyxla_executable_destroy(executable);
}

static void the_caller_s_traps_and_flags_stay(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();
  cyxla_error error;
  int enabled;

  fake->set(FAKE_DIVIDES_BY_ZERO, 1);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_INVALID);
  feenableexcept(FE_DIVBYZERO);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  enabled = fedisableexcept(FE_DIVBYZERO);
  EXPECT_EQUAL(enabled & FE_DIVBYZERO, FE_DIVBYZERO);
  EXPECT_EQUAL(fetestexcept(FE_ALL_EXCEPT), FE_INVALID);
  feenableexcept(FE_DIVBYZERO);
  cyxla_call_destroy(call); /* and with it the executable and the runtime */
  fedisableexcept(FE_DIVBYZERO);
  EXPECT_EQUAL(fetestexcept(FE_ALL_EXCEPT), FE_INVALID);
  feclearexcept(FE_ALL_EXCEPT);
  fake->set(FAKE_DIVIDES_BY_ZERO, 0);
}

enum { DEEP = 40 };
static struct {
  cyxla_call *calls[DEEP];
  int started;
  int wanted; /* calls that run, each in the one before */
  cyxla_status status;
  cyxla_error error;
} nest;

/* Runs the next call, as a handler may. */
static void run_next(void) {
  cyxla_error error;
  cyxla_status status;

  if (nest.started == nest.wanted) return;
  status = cyxla_call_run(nest.calls[nest.started++], &error);
  if (status == CYXLA_OK || nest.status != CYXLA_OK) return;
  nest.status = status;
  nest.error = error;
}

/* The first failure there is, if any. */
static cyxla_status run_nest(int wanted, cyxla_error *error) {
  nest.started = 0;
  nest.wanted = wanted;
  nest.status = CYXLA_OK;
  run_next();
  if (nest.status != CYXLA_OK) *error = nest.error;
  return nest.status;
}

static void runs_within_runs_end_before_the_plugin_waits_for_itself(void) {
  const test_fake *fake = test_fake_start();

  for (int i = 0; i < DEEP; i++) nest.calls[i] = test_sum_call();
  fake->call_in_execution(run_next);
  for (int repeat = 0; repeat < 2; repeat++) {
    cyxla_error error;
    EXPECT_OK(run_nest(16, &error), &error);
    EXPECT_EQUAL(nest.started, 16);
    EXPECT_ERROR(run_nest(DEEP, &error), CYXLA_FAILED_PRECONDITION, &error,
                 "this thread is in 16 runs already");
    EXPECT_EQUAL(nest.started, 17);
    EXPECT_NULL(cyxla_call_output(nest.calls[16], 0));
  }
  for (int i = 0; i < DEEP; i++) cyxla_call_destroy(nest.calls[i]);
}

TEST_MAIN(TEST_CASE(inputs_are_zeroed_aligned_and_keep_their_values),
          TEST_CASE(a_call_keeps_what_it_needs),
          TEST_CASE(indices_that_are_none_give_null),
          TEST_CASE(there_are_no_outputs_before_a_run_and_after_a_failed_one),
          TEST_CASE(a_run_on_the_cpu_copies_and_allocates_nothing),
          TEST_CASE(a_donated_input_keeps_its_values),
          TEST_CASE(scalars_and_empty_arrays_work),
          TEST_CASE(a_program_may_have_no_inputs_or_no_outputs),
          TEST_CASE(required_arguments_are_named),
          TEST_CASE(threads_with_a_call_each_do_not_disturb_each_other),
          TEST_CASE(the_caller_s_traps_and_flags_stay),
          TEST_CASE(runs_within_runs_end_before_the_plugin_waits_for_itself))
