/* What every plugin for the CPU has to do with calls: no copies, no allocations, memory
 * of the caller's own, and the caller's floating-point environment. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "buffer.h"
#include "call.h"
#include "environment.h"
#include "memory.h"
#include "test.h"
#include "test_conformance_support.h"
#include "test_fake.h"
#include "test_scenario.h"

static cyxla_call *create_sum(void) {
  cyxla_executable *executable = conformance_compile_sum();
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  cyxla_executable_destroy(executable);
  return call;
}

/* That the plugin reads the inputs and has written the output where the caller does. */
static void expect_no_copies_for_the_plugin(const cyxla_call *call) {
  const cyxla_runtime *runtime = call->executable->runtime;
  const void *written;

  for (size_t i = 0; i < 2; i++) {
    EXPECT_TRUE(cyxla_buffer_is_host_memory(runtime, call->input_buffers[i],
                                            call->inputs[i].array));
  }
  EXPECT_OK(cyxla_buffer_pointer(runtime, call->output_buffers[0], &written, NULL),
            NULL);
  EXPECT_TRUE(cyxla_call_output(call, 0) == written);
}

static void expect_no_copies(const cyxla_call *call) {
  for (size_t i = 0; i < 2; i++) EXPECT_TRUE(!cyxla_call_input_is_copied(call, i));
  EXPECT_TRUE(!cyxla_call_output_is_copied(call, 0));
  if (strcmp(cyxla_environment_tier(), "pjrt") == 0) {
    expect_no_copies_for_the_plugin(call);
  } else {
    EXPECT_TEXT(cyxla_executable_tier(call->executable), "direct");
  }
}

static void a_run_copies_and_allocates_nothing(void) {
  conformance_begin();
  cyxla_call *call = create_sum();
  long allocations = cyxla_memory_allocations();
  cyxla_error error;

  for (int run = 0; run < 100; run++) {
    test_sum_fill(call, (float)run);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, (float)run);
    expect_no_copies(call);
  }
  EXPECT_EQUAL(cyxla_memory_allocations(), allocations);
  cyxla_call_destroy(call);
}

static void aligned_memory_that_is_bound_is_not_copied(void) {
  conformance_begin();
  cyxla_call *call = create_sum();
  float *memory = cyxla_aligned_alloc(3 * sizeof(float));
  cyxla_error error;

  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  for (int run = 0; run < 3; run++) {
    test_sum_fill(call, (float)run);
    EXPECT_TRUE(memory[2] == 2 * (float)run);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, (float)run);
    expect_no_copies(call);
  }
  cyxla_call_destroy(call);
  cyxla_aligned_free(memory);
}

static void memory_that_is_not_aligned_is_copied_and_said_to_be(void) {
  conformance_begin();
  cyxla_call *call = create_sum();
  char *memory = cyxla_aligned_alloc(CYXLA_ALIGNMENT + 3 * sizeof(float));
  long allocations;
  cyxla_error error;

  /* Binding makes the memory that is copied into, once; runs do not. */
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory + 1, &error), &error);
  allocations = cyxla_memory_allocations();
  for (size_t offset = sizeof(float); offset < CYXLA_ALIGNMENT; offset *= 2) {
    EXPECT_OK(cyxla_call_bind_input(call, 0, memory + offset, &error), &error);
    EXPECT_TRUE(cyxla_call_input_is_copied(call, 0));
    EXPECT_TRUE(!cyxla_call_input_is_copied(call, 1));
    test_sum_fill(call, (float)offset);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, (float)offset);
  }
  EXPECT_EQUAL(cyxla_memory_allocations(), allocations);
  cyxla_call_destroy(call);
  cyxla_aligned_free(memory);
}

static cyxla_call *create_donating(void) {
  static const conformance_pair code = {
      "input float32[3]\noutput float32[3] into 0 = negate 0",
      "module @donate {\n"
      "  func.func public @main(\n"
      "      %arg0: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {\n"
      "    %0 = stablehlo.negate %arg0 : tensor<3xf32>\n"
      "    return %0 : tensor<3xf32>\n"
      "  }\n"
      "}\n"};
  static const int64_t shape[1] = {3};
  const cyxla_array_spec input = {"a", CYXLA_FLOAT32, 1, shape, 0, 0};
  const cyxla_array_spec output = {"a", CYXLA_FLOAT32, 1, shape, 0, -1};

  return conformance_call(conformance_code(&code), &input, 1, &output, 1);
}

static void a_donated_input_keeps_its_values(void) {
  conformance_begin();
  cyxla_call *call = create_donating();
  float *state = cyxla_call_input(call, 0);
  cyxla_error error;

  state[2] = 8;
  for (int run = 0; run < 3; run++) {
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    EXPECT_TRUE(((const float *)cyxla_call_output(call, 0))[2] == -8);
    EXPECT_TRUE(state[2] == 8);
  }
  cyxla_call_destroy(call);
}

static void a_donated_pair_is_updated_in_place(void) {
  conformance_begin();
  cyxla_call *call = create_donating();
  float *state = cyxla_call_input(call, 0);
  cyxla_error error;

  EXPECT_OK(cyxla_call_bind_output(call, 0, state, &error), &error);
  state[2] = 8;
  for (int run = 0; run < 5; run++) {
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    EXPECT_TRUE(cyxla_call_output(call, 0) == state);
    EXPECT_TRUE(!cyxla_call_output_is_copied(call, 0));
    EXPECT_TRUE(state[2] == (run % 2 == 0 ? -8 : 8));
  }
  cyxla_call_destroy(call);
}

static void memory_of_any_alignment_can_be_bound(void) {
  conformance_begin();
  cyxla_call *call = create_sum();
  char *memory = cyxla_aligned_alloc(3 * CYXLA_ALIGNMENT);
  cyxla_error error;

  for (size_t offset = 0; offset <= CYXLA_ALIGNMENT; offset += sizeof(float)) {
    float *x = (float *)(void *)(memory + offset), *sum = x + 3;
    for (int i = 0; i < 3; i++) x[i] = (float)(i + 1);
    EXPECT_OK(cyxla_call_bind_output(call, 0, NULL, &error), &error);
    EXPECT_OK(cyxla_call_bind_input(call, 0, x, &error), &error);
    EXPECT_OK(cyxla_call_bind_output(call, 0, sum, &error), &error);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    for (int i = 0; i < 3; i++) EXPECT_TRUE(sum[i] == (float)(i + 1));
  }
  cyxla_call_destroy(call);
  cyxla_aligned_free(memory);
}

/* The floating-point environment as far as C can tell. */
typedef struct environment {
  int rounding;
  int traps;
  int flags;
  unsigned int control; /* of the vector unit */
} environment;

static environment read_environment(void) {
  environment found = {fegetround(), fegetexcept(), fetestexcept(FE_ALL_EXCEPT), 0};

#if defined(__SSE__)
  found.control = _mm_getcsr();
#endif
  return found;
}

static void restore_environment(void *unused) {
  (void)unused;
  fesetenv(FE_DFL_ENV);
}

/* Only exact arithmetic may follow, which traps on nothing. */
static void set_environment(const environment *wanted) {
  test_defer(restore_environment, NULL);
  fesetenv(FE_DFL_ENV);
  EXPECT_EQUAL(fesetround(wanted->rounding), 0);
  feraiseexcept(wanted->flags);
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | wanted->control);
#endif
  feenableexcept(wanted->traps);
}

static void expect_environment(const environment *expected) {
  environment found = read_environment();

  EXPECT_EQUAL(found.rounding, expected->rounding);
  EXPECT_EQUAL(found.traps, expected->traps);
  EXPECT_EQUAL(found.flags, expected->flags);
  EXPECT_EQUAL(found.control, expected->control);
}

static void the_caller_s_rounding_traps_and_flags_stay(void) {
  /* 0x8040 flushes denormals to zero, results and operands. */
  static const environment cases[] = {
      {FE_TONEAREST, FE_ALL_EXCEPT, 0, 0},
      {FE_TONEAREST, 0, FE_ALL_EXCEPT, 0x8040},
      {FE_UPWARD, FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, FE_UNDERFLOW, 0},
      {FE_DOWNWARD, 0, FE_INVALID, 0x8000},
      {FE_TOWARDZERO, FE_ALL_EXCEPT, 0, 0x0040},
  };

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    conformance_begin();
    set_environment(&cases[i]);
    environment before = read_environment();
    EXPECT_EQUAL(before.traps, cases[i].traps);
    cyxla_call *call = create_sum();
    cyxla_error error;
    test_sum_fill(call, 2);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, 2);
    cyxla_call_destroy(call);
    expect_environment(&before);
    restore_environment(NULL);
  }
}

static void saving_and_opening_leaves_the_environment_too(void) {
  static const environment wanted = {FE_UPWARD, FE_ALL_EXCEPT, 0, 0x8040};
  cyxla_program_options program = test_sum_options();
  test_scenario scenario = {conformance_plugin(), &program, NULL, NULL, false};
  cyxla_error error;

  conformance_begin();
  test_set_environment("CYXLA_PLUGIN", NULL);
  scenario.path = test_temporary_path("sum.cyxla");
  program.code = conformance_sum_code();
  program.code_bytes = strlen(program.code);
  set_environment(&wanted);
  environment before = read_environment();
  EXPECT_OK(test_scenario_run(&scenario, &error), &error);
  expect_environment(&before);
  restore_environment(NULL);
}

static void a_program_may_divide_by_zero_where_the_caller_traps(void) {
  static const conformance_pair code = {
      "input float32[3]\ninput float32[3]\noutput float32[3] = sum 0 1",
      "module @divide {\n"
      "  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>)\n"
      "      -> tensor<3xf32> {\n"
      "    %0 = stablehlo.divide %arg0, %arg1 : tensor<3xf32>\n"
      "    return %0 : tensor<3xf32>\n"
      "  }\n"
      "}\n"};
  const cyxla_program_options sum = test_sum_options();
  const environment trapping = {FE_TONEAREST, FE_ALL_EXCEPT & ~FE_INEXACT, 0, 0};

  conformance_begin();
  if (conformance_is_fake()) test_fake_start()->set(FAKE_DIVIDES_BY_ZERO, 1);
  cyxla_call *call =
      conformance_call(conformance_code(&code), sum.inputs, 2, sum.outputs, 1);
  float *x = cyxla_call_input(call, 0);
  cyxla_error error;
  x[1] = 1; /* 0 / 0 and 1 / 0 */
  set_environment(&trapping);
  environment before = read_environment();
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  expect_environment(&before);
  restore_environment(NULL);
  cyxla_call_destroy(call);
}

static void programs_round_to_nearest_whatever_the_caller_does(void) {
  static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};

  conformance_begin();
  cyxla_call *call = create_sum();
  float *x = cyxla_call_input(call, 0), *y = cyxla_call_input(call, 1);
  for (size_t i = 0; i < TEST_COUNT(roundings); i++) {
    const environment rounding = {roundings[i], 0, 0, 0};
    const float above = 1.0f + 0x1p-23f;
    const float *sum;
    cyxla_error error;
    /* The second is nearer to the float above 1, the others are nearer to 1. */
    for (int k = 0; k < 3; k++) x[k] = 1;
    y[0] = 0x1p-30f, y[1] = 0x1.8p-24f, y[2] = -0x1p-30f;
    set_environment(&rounding);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    restore_environment(NULL);
    sum = cyxla_call_output(call, 0);
    EXPECT_TRUE(sum[0] == 1 && sum[1] == above && sum[2] == 1);
  }
  cyxla_call_destroy(call);
}

int main(int argc, char **argv) {
  static const test_case tests[] = {
      TEST_CASE(a_run_copies_and_allocates_nothing),
      TEST_CASE(aligned_memory_that_is_bound_is_not_copied),
      TEST_CASE(memory_that_is_not_aligned_is_copied_and_said_to_be),
      TEST_CASE(memory_of_any_alignment_can_be_bound),
      TEST_CASE(a_donated_input_keeps_its_values),
      TEST_CASE(a_donated_pair_is_updated_in_place),
      TEST_CASE(the_caller_s_rounding_traps_and_flags_stay),
      TEST_CASE(saving_and_opening_leaves_the_environment_too),
      TEST_CASE(a_program_may_divide_by_zero_where_the_caller_traps),
      TEST_CASE(programs_round_to_nearest_whatever_the_caller_does),
  };

  return conformance_main(argc, argv, tests, TEST_COUNT(tests));
}
