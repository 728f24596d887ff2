#include <string.h>

#include "call.h"
#include "fpenv.h"
#include "test.h"
#include "test_direct_support.h"
#include "test_fake.h"

static cyxla_executable *executable_of_sum(void) {
  test_fake_start();
  return test_compile_beside("sum");
}

static void run(cyxla_call *call, int scale) {
  const float *sum;
  cyxla_error error;

  test_sum_fill(call, (float)scale);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  sum = cyxla_call_output(call, 0);
  for (int i = 0; i < 3; i++) EXPECT_EQUAL(sum[i], 100 + scale * i);
}

#if defined(__SSE__)
static void restore_control(void *unused) {
  (void)unused;
  _mm_setcsr(CYXLA_FPENV_DEFAULT);
}

/* 1 and a third is not exact, and raises a flag; a denormal number is 0 for kernels.
 * The caller's register is as it was after each run, however it was at the last one. */
static void each_run_keeps_what_the_caller_has_then(void) {
  static const unsigned int controls[] = {
      0x1F80, 0x1F80, 0x1FBF, 0x1F80, 0x1FA0, 0x9FC0, 0x9FC0, 0x9FE0,
      0x5F80, 0x3F80, 0x7F81, 0x0000, 0x0000, 0x1F81, 0x1F80, 0x9F80,
  };
  cyxla_executable *executable = executable_of_sum();
  cyxla_call *call = test_create_call(executable);
  float *x = cyxla_call_input(call, 0), *y = cyxla_call_input(call, 1);

  test_defer(restore_control, NULL);
  x[0] = 1, x[1] = 0x1p-130f, x[2] = 0x1p-130f;
  y[0] = 1 / 3.0f, y[1] = 0x1p-130f, y[2] = 1;
  for (size_t i = 0; i < 3 * TEST_COUNT(controls); i++) {
    const unsigned int control = controls[i % TEST_COUNT(controls)];
    cyxla_status status;
    unsigned int found;
    const float *sum;
    _mm_setcsr(control);
    status = cyxla_call_run(call, NULL);
    found = _mm_getcsr();
    _mm_setcsr(CYXLA_FPENV_DEFAULT);
    EXPECT_EQUAL(status, CYXLA_OK);
    EXPECT_EQUAL(found, control);
    sum = cyxla_call_output(call, 0);
    EXPECT_TRUE(sum[0] == 0x1.555556p0f && sum[1] == 0 && sum[2] == 1);
  }
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}
#else
static void each_run_keeps_what_the_caller_has_then(void) {}
#endif

/* Runs twice, since the second does without what the first has settled. */
static void expect_output_at(cyxla_call *call, const float *memory, bool is_copied) {
  for (int i = 1; i < 3; i++) {
    run(call, i);
    if (memory != NULL) EXPECT_TRUE(cyxla_call_output(call, 0) == memory);
    EXPECT_EQUAL(cyxla_call_output_is_copied(call, 0), is_copied);
  }
}

static void arrays_may_be_bound_between_runs(void) {
  static _Alignas(CYXLA_ALIGNMENT) float memory[4][64];
  cyxla_executable *executable = executable_of_sum();
  cyxla_call *call = test_create_call(executable);
  cyxla_error error;

  EXPECT_NULL(cyxla_call_output(call, 0));
  expect_output_at(call, NULL, false);
  for (size_t i = 0; i < 8; i++) {
    const size_t offset = i % 2; /* not aligned every other time */
    float *place = memory[i % 3 + 1] + offset;
    EXPECT_OK(
        cyxla_call_bind_input(call, 0, i % 4 < 2 ? memory[0] + i / 4 : NULL, &error),
        &error);
    EXPECT_OK(cyxla_call_bind_output(call, 0, place, &error), &error);
    expect_output_at(call, place, offset != 0);
    if (i % 3 != 0) continue;
    EXPECT_OK(cyxla_call_bind_output(call, 0, NULL, &error), &error);
    expect_output_at(call, NULL, false);
    EXPECT_TRUE(cyxla_call_output(call, 0) != place);
  }
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}

static void *fail(const cyxla_kernel_frame *frame) {
  return (void *)frame;
}

static void a_kernel_that_fails_leaves_no_outputs(void) {
  cyxla_executable *executable = executable_of_sum();
  cyxla_call *call = test_create_call(executable);
  cyxla_kernel *kernel = call->direct->steps[0].kernel;
  cyxla_error error;

  for (int i = 0; i < 3; i++) {
    call->direct->steps[0].kernel = fail;
    EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_INTERNAL, &error,
                 "a kernel of the program has failed");
    EXPECT_NULL(cyxla_call_output(call, 0));
    call->direct->steps[0].kernel = kernel;
    run(call, i);
    run(call, 5);
  }
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}

TEST_MAIN(TEST_CASE(each_run_keeps_what_the_caller_has_then),
          TEST_CASE(arrays_may_be_bound_between_runs),
          TEST_CASE(a_kernel_that_fails_leaves_no_outputs))
