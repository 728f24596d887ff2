#include "executable_check.h"

#include <string.h>

#include "test.h"
#include "test_fake.h"

/* The sum is refused by a plugin that tells something else of its compiled program. */
static void expect_refused(cyxla_status status, const char *message) {
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_program *program = test_sum_program();
  cyxla_executable *executable = (cyxla_executable *)&executable;
  cyxla_error error;

  EXPECT_ERROR(cyxla_executable_compile(runtime, program, &executable, &error), status,
               &error, message);
  EXPECT_NULL(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

static cyxla_executable *compile(void) {
  return test_compile(test_sum_program());
}

static void what_a_plugin_tells_is_compared_with_the_signature(void) {
  static const struct {
    fake_knob knob;
    long value;
    cyxla_status status;
    const char *message;
  } lies[] = {
      {FAKE_NUM_PARTITIONS, 2, CYXLA_UNIMPLEMENTED,
       "the program needs 1 replicas and 2 partitions, and cyxla runs programs of one"},
      {FAKE_NUM_REPLICAS, 4, CYXLA_UNIMPLEMENTED,
       "the program needs 4 replicas and 1 partitions"},
      {FAKE_NUM_OUTPUTS, 2, CYXLA_SIGNATURE_MISMATCH,
       "the compiled program has 2 outputs, and its signature says 1"},
      {FAKE_NUM_OUTPUTS, 0, CYXLA_SIGNATURE_MISMATCH,
       "the compiled program has 0 outputs, and its signature says 1"},
      {FAKE_NUM_OUTPUT_TYPES, 2, CYXLA_SIGNATURE_MISMATCH,
       "the compiled program has 2 outputs, and its signature says 1"},
      {FAKE_OUTPUT_TYPE, CYXLA_FLOAT64, CYXLA_SIGNATURE_MISMATCH,
       "output sum of the compiled program has dtype float64, and its signature says "
       "float32"},
      {FAKE_OUTPUT_TYPE, 99, CYXLA_SIGNATURE_MISMATCH,
       "output sum of the compiled program has dtype invalid"},
      {FAKE_OUTPUT_RANK, 2, CYXLA_SIGNATURE_MISMATCH,
       "output sum of the compiled program has another shape"},
      {FAKE_OUTPUT_RANK, 0, CYXLA_SIGNATURE_MISMATCH,
       "output sum of the compiled program has another shape"},
      {FAKE_OUTPUT_SIZE, 4, CYXLA_SIGNATURE_MISMATCH,
       "output sum of the compiled program has another shape"},
  };
  const test_fake *fake = test_fake_start();

  for (size_t i = 0; i < TEST_COUNT(lies); i++) {
    fake->reset();
    fake->set(lies[i].knob, lies[i].value);
    expect_refused(lies[i].status, lies[i].message);
  }
}

static void failures_of_the_plugin_are_passed_on(void) {
  static const struct {
    const char *function;
    const char *action;
  } failures[] = {
      {"PJRT_LoadedExecutable_GetExecutable", "describe an executable"},
      {"PJRT_Executable_NumReplicas", "count the replicas"},
      {"PJRT_Executable_NumPartitions", "count the partitions"},
      {"PJRT_Executable_OutputElementTypes", "tell the dtypes of the outputs"},
      {"PJRT_Executable_OutputDimensions", "tell the shapes of the outputs"},
  };
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_ERROR_CODE, CYXLA_UNAVAILABLE);
  for (size_t i = 0; i < TEST_COUNT(failures); i++) {
    fake->fail_function(failures[i].function);
    expect_refused(CYXLA_UNAVAILABLE, failures[i].action);
  }
}

static void a_plugin_that_returns_no_executable_is_refused(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_NULL_EXECUTABLE, 1);
  expect_refused(CYXLA_PLUGIN_INVALID, "returned no executable and no error");
}

static void the_size_of_the_code_is_read(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable;

  fake->set(FAKE_CODE_BYTES, 77);
  executable = compile();
  EXPECT_EQUAL(cyxla_executable_code_bytes(executable), 77);
  cyxla_executable_destroy(executable);
}

static void a_plugin_need_not_tell_the_size_of_the_code(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable;

  fake->fail_function("PJRT_Executable_SizeOfGeneratedCodeInBytes");
  executable = compile();
  EXPECT_EQUAL(cyxla_executable_code_bytes(executable), -1);
  cyxla_executable_destroy(executable);
  cyxla_plugin_forget_all();
  fake->reset();
  fake->remove_function("PJRT_Executable_SizeOfGeneratedCodeInBytes");
  executable = compile();
  EXPECT_EQUAL(cyxla_executable_code_bytes(executable), -1);
  cyxla_executable_destroy(executable);
}

static void the_description_may_fail_to_be_destroyed(void) {
  const test_fake *fake = test_fake_start();

  fake->fail_function("PJRT_Executable_Destroy");
  cyxla_executable_destroy(compile());
}

static void a_missing_handler_comes_with_advice(void) {
  const test_fake *fake = test_fake_start();

  fake->fail_function("PJRT_Client_Compile");
  fake->set_text(FAKE_TEXT_ERROR_MESSAGE, "No FFI handler registered for scale");
  expect_refused(CYXLA_INTERNAL,
                 "registered for scale; register a handler of XLA's typed FFI");
  fake->set_text(FAKE_TEXT_ERROR_MESSAGE,
                 "No registered implementation for untyped custom call to scale");
  expect_refused(CYXLA_INTERNAL, "it needs a handler of the typed FFI");
  fake->reset();
}

TEST_MAIN(TEST_CASE(a_missing_handler_comes_with_advice),
          TEST_CASE(what_a_plugin_tells_is_compared_with_the_signature),
          TEST_CASE(failures_of_the_plugin_are_passed_on),
          TEST_CASE(a_plugin_that_returns_no_executable_is_refused),
          TEST_CASE(the_size_of_the_code_is_read),
          TEST_CASE(a_plugin_need_not_tell_the_size_of_the_code),
          TEST_CASE(the_description_may_fail_to_be_destroyed))
