/* Calls on plugins of all kinds, those that fail and break the rules included. */
#include "call.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

static const int64_t matrix_shape[2] = {2, 3};

/* A call of the negative of a matrix. */
static cyxla_call *create_negative(void) {
  static const char code[] = "input float32[2,3]\noutput float32[2,3] = negate 0";
  const cyxla_array_spec spec = {"matrix", CYXLA_FLOAT32, 2, matrix_shape, 0, -1};

  return test_call_of(test_program(code, &spec, 1, &spec, 1));
}

/* Runs the sum several times, whatever the fake plugin is set to. */
static void expect_runs(void) {
  cyxla_call *call = test_sum_call();
  cyxla_error error;

  for (int scale = 1; scale < 4; scale++) {
    test_sum_fill(call, (float)scale);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, (float)scale);
  }
  cyxla_call_destroy(call);
}

static void an_execution_may_fail_when_it_is_awaited(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();
  cyxla_error error;

  fake->set(FAKE_AWAIT_FAILS, 1);
  fake->set(FAKE_ERROR_CODE, CYXLA_RESOURCE_EXHAUSTED);
  fake->set_text(FAKE_TEXT_ERROR_MESSAGE, "out of arithmetic");
  EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_RESOURCE_EXHAUSTED, &error,
               "the plugin cannot run the program: out of arithmetic");
  EXPECT_NULL(cyxla_call_output(call, 0));
  EXPECT_EQUAL(cyxla_call_run(call, NULL), CYXLA_RESOURCE_EXHAUSTED);
  fake->set(FAKE_AWAIT_FAILS, 0);
  test_sum_fill(call, 3);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, 3);
  cyxla_call_destroy(call);
}

static void results_are_waited_for(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_EVENTS_PENDING, 1);
  expect_runs();
  fake->set(FAKE_ON_CPU, 0);
  expect_runs();
}

static void plugins_that_copy_work_too(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_ZERO_COPY, 0);
  expect_runs();
  fake->reset();
  fake->set(FAKE_ON_CPU, 0);
  expect_runs();
}

static void outputs_that_are_not_aligned_are_copied(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_MISALIGNED_OUTPUT, 1);
  expect_runs();
  /* The host reads the memory itself. */
  EXPECT_EQUAL(fake->calls_of("PJRT_Buffer_ToHostBuffer"), 0);
}

static void outputs_of_any_layout_are_row_major(void) {
  static const fake_layout layouts[] = {FAKE_LAYOUT_ROW_MAJOR,
                                        FAKE_LAYOUT_COLUMN_MAJOR,
                                        FAKE_LAYOUT_STRIDES_ROW_MAJOR,
                                        FAKE_LAYOUT_STRIDES_COLUMN_MAJOR,
                                        FAKE_LAYOUT_TILED,
                                        FAKE_LAYOUT_NO_ORDER};
  const test_fake *fake = test_fake_start();

  for (size_t i = 0; i < TEST_COUNT(layouts); i++) {
    fake->set(FAKE_LAYOUT, (long)layouts[i]);
    cyxla_call *call = create_negative();
    float *input = cyxla_call_input(call, 0);
    cyxla_error error;
    for (int run = 0; run < 2; run++) {
      for (int k = 0; k < 6; k++) input[k] = (float)(k + run);
      EXPECT_OK(cyxla_call_run(call, &error), &error);
      const float *output = cyxla_call_output(call, 0);
      for (int k = 0; k < 6; k++) EXPECT_EQUAL(output[k], -(k + run));
    }
    cyxla_call_destroy(call);
  }
}

static void inputs_that_are_not_the_program_s_are_the_plugin_s_error(void) {
  cyxla_array_spec spec = {"a", CYXLA_FLOAT32, 2, matrix_shape, 0, -1};
  cyxla_array_spec wrong = {"a", CYXLA_FLOAT64, 2, matrix_shape, 0, -1};
  static const char code[] = "input float32[2,3]\noutput float32[2,3] = zeros";
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = test_call_of(test_program(code, &wrong, 1, &spec, 1));
  EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the plugin cannot run the program: Executable expected parameter 0");
  cyxla_call_destroy(call);
  call = test_call_of(test_program(code, NULL, 0, &spec, 1));
  EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_INVALID_ARGUMENT, &error,
               "Execution supplied 0 buffers but compiled program expected 1 buffers");
  cyxla_call_destroy(call);
}

static void a_plugin_that_returns_no_output_is_refused(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();
  cyxla_error error;

  fake->set(FAKE_NULL_OUTPUT, 1);
  EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_PLUGIN_INVALID, &error,
               "output sum");
  EXPECT_NULL(cyxla_call_output(call, 0));
  cyxla_call_destroy(call);
}

static void contexts_are_made_where_the_plugin_can(void) {
  static const char *const functions[] = {"PJRT_ExecuteContext_Create",
                                          "PJRT_ExecuteContext_Destroy"};
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();

  EXPECT_EQUAL(fake->live(FAKE_EXECUTE_CONTEXT), 1);
  cyxla_call_destroy(call);
  for (size_t i = 0; i < TEST_COUNT(functions); i++) {
    cyxla_plugin_forget_all();
    fake->reset();
    fake->remove_function(functions[i]);
    expect_runs();
    EXPECT_EQUAL(fake->calls_of("PJRT_ExecuteContext_Create"), 0);
  }
}

static void a_program_without_custom_calls_needs_no_context(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = create_negative();

  EXPECT_EQUAL(fake->live(FAKE_EXECUTE_CONTEXT), 0);
  cyxla_call_destroy(call);
}

static void failures_of_the_plugin_are_passed_on(void) {
  static const struct {
    const char *function;
    long zero_copy;
    const char *action;
  } failures[] = {
      {"PJRT_LoadedExecutable_Execute", 1, "run the program"},
      {"PJRT_Event_Await", 1, "run the program"},
      {"PJRT_Buffer_UnsafePointer", 1, "tell where a buffer's memory is"},
      {"PJRT_Client_BufferFromHostBuffer", 0, "make a buffer of an input"},
      {"PJRT_Buffer_ToHostBuffer", 0, "copy an output to the host"},
  };
  const test_fake *fake = test_fake_start();

  for (size_t i = 0; i < TEST_COUNT(failures); i++) {
    fake->set(FAKE_ZERO_COPY, failures[i].zero_copy);
    cyxla_call *call = test_sum_call();
    cyxla_error error;
    fake->fail_function(failures[i].function);
    EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_INTERNAL, &error,
                 failures[i].action);
    EXPECT_NULL(cyxla_call_output(call, 0));
    fake->fail_function(NULL);
    test_sum_fill(call, 5);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, 5);
    cyxla_call_destroy(call);
  }
}

static void a_call_that_cannot_be_made_leaves_nothing(void) {
  static const char *const functions[] = {"PJRT_ExecuteContext_Create",
                                          "PJRT_Client_BufferFromHostBuffer"};
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable = test_compile(test_sum_program());
  long live = cyxla_memory_live();

  for (size_t i = 0; i < TEST_COUNT(functions); i++) {
    cyxla_call *call = (cyxla_call *)&call;
    cyxla_error error;
    fake->fail_function(functions[i]);
    EXPECT_STATUS(cyxla_call_create(executable, &call, &error), CYXLA_INTERNAL, &error);
    EXPECT_NULL(call);
    EXPECT_EQUAL(cyxla_memory_live(), live);
    EXPECT_EQUAL(fake->live(FAKE_BUFFER), 0);
  }
  fake->fail_function(NULL);
  cyxla_executable_destroy(executable);
}

static void failures_to_destroy_are_no_failures(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call = test_sum_call();
  cyxla_error error;

  fake->fail_function("PJRT_Buffer_Destroy");
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  fake->fail_function("PJRT_Event_Destroy");
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  fake->fail_from(0);
  cyxla_call_destroy(call);
  EXPECT_EQUAL(fake->live_total(), 0);
}

static void a_plugin_that_is_too_old_to_convert_a_layout_is_not_asked(void) {
  const test_fake *fake = test_fake_start();
  cyxla_call *call;
  cyxla_error error;

  fake->set(FAKE_API_MINOR, 81);
  fake->set(FAKE_LAYOUT, FAKE_LAYOUT_COLUMN_MAJOR);
  call = create_negative();
  EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_UNIMPLEMENTED, &error,
               "is not in row-major order, and the plugin ");
  EXPECT_EQUAL(fake->calls_of("PJRT_Buffer_ToHostBuffer"), 0);
  cyxla_call_destroy(call);
}

TEST_MAIN(TEST_CASE(a_program_without_custom_calls_needs_no_context),
          TEST_CASE(a_plugin_that_is_too_old_to_convert_a_layout_is_not_asked),
          TEST_CASE(an_execution_may_fail_when_it_is_awaited),
          TEST_CASE(results_are_waited_for), TEST_CASE(plugins_that_copy_work_too),
          TEST_CASE(outputs_that_are_not_aligned_are_copied),
          TEST_CASE(outputs_of_any_layout_are_row_major),
          TEST_CASE(inputs_that_are_not_the_program_s_are_the_plugin_s_error),
          TEST_CASE(a_plugin_that_returns_no_output_is_refused),
          TEST_CASE(contexts_are_made_where_the_plugin_can),
          TEST_CASE(failures_of_the_plugin_are_passed_on),
          TEST_CASE(a_call_that_cannot_be_made_leaves_nothing),
          TEST_CASE(failures_to_destroy_are_no_failures))
