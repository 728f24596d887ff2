/* Which inputs the next run of a call with direct code copies. */
#include "call.h"
#include "test.h"
#include "test_direct_support.h"
#include "test_fake.h"

/* A program that negates its donated input in the plugin, beside direct code that adds
 * to it. */
static cyxla_executable *make_donating(void) {
  static const int64_t shape[] = {3};
  const cyxla_array_spec output = test_spec("y", CYXLA_FLOAT32, 1, shape);
  cyxla_array_spec input = test_spec("x", CYXLA_FLOAT32, 1, shape);
  test_fixture *fixture = test_read_fixture("donated");
  cyxla_executable *executable;
  cyxla_error error;

  input.aliased_output = 0;
  test_fake_start();
  test_set_environment("CYXLA_TIER", "pjrt");
  executable = test_compile(test_program(
      "input float32[3]\noutput float32[3] into 0 = negate 0", &input, 1, &output, 1));
  EXPECT_OK(cyxla_direct_create(fixture->data, fixture->bytes, executable->program,
                                NULL, &executable->direct, &error),
            &error);
  return executable;
}

static cyxla_call *make_call(cyxla_executable *executable) {
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  return call;
}

static void update_in_place(cyxla_call *call) {
  cyxla_error error;

  EXPECT_OK(cyxla_call_bind_output(call, 0, cyxla_call_input(call, 0), &error), &error);
}

static void a_donated_input_is_copied_to_where_its_output_goes(void) {
  static _Alignas(CYXLA_ALIGNMENT) float memory[2][64];
  cyxla_executable *executable = make_donating();
  cyxla_call *call = make_call(executable);
  cyxla_error error;

  EXPECT_TRUE(cyxla_call_input_is_copied(call, 0));
  update_in_place(call);
  EXPECT_TRUE(!cyxla_call_input_is_copied(call, 0));
  EXPECT_OK(cyxla_call_bind_output(call, 0, memory[0], &error), &error);
  EXPECT_TRUE(cyxla_call_input_is_copied(call, 0));
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory[0], &error), &error);
  EXPECT_TRUE(!cyxla_call_input_is_copied(call, 0));
  EXPECT_TRUE(!cyxla_call_input_is_copied(call, 1));
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}

/* For the witness. Here the results differ, so that this goes on. */
static void inputs_are_copied_while_code_is_on_trial(void) {
  cyxla_executable *executable = make_donating();
  cyxla_call *call;
  cyxla_error error;

  executable->trials = CYXLA_TRIALS;
  call = make_call(executable);
  update_in_place(call);
  EXPECT_TRUE(cyxla_call_input_is_copied(call, 0));
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_EQUAL(executable->trials, CYXLA_TRIALS_FAILED);
  EXPECT_TRUE(cyxla_call_input_is_copied(call, 0));
  executable->trials = 0;
  EXPECT_TRUE(!cyxla_call_input_is_copied(call, 0));
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
}

TEST_MAIN(TEST_CASE(a_donated_input_is_copied_to_where_its_output_goes),
          TEST_CASE(inputs_are_copied_while_code_is_on_trial))
