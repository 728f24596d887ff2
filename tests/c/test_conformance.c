/* What every plugin for the CPU has to do: programs, their arrays, and refusals. */
#include <string.h>

#include "test.h"
#include "test_conformance_support.h"
#include "test_fake.h"
#include "test_scenario.h"

static void the_runtime_is_for_the_cpu(void) {
  conformance_begin();
  cyxla_runtime *runtime = conformance_runtime();
  cyxla_runtime_info info = CYXLA_RUNTIME_INFO_INIT;
  cyxla_error error;

  EXPECT_OK(cyxla_runtime_get_info(runtime, &info, &error), &error);
  EXPECT_TEXT(info.platform, "cpu");
  EXPECT_TRUE(info.platform_version[0] != '\0');
  EXPECT_EQUAL(info.pjrt_api_major, 0);
  EXPECT_TRUE(info.pjrt_api_minor >= 80);
  EXPECT_TRUE(info.stablehlo_version[0] >= 1);
  EXPECT_TRUE(info.num_devices >= 1);
  EXPECT_TRUE(info.zero_copy);
  EXPECT_TRUE(cyxla_runtime_device_kind(runtime, 0)[0] != '\0');
  cyxla_runtime_destroy(runtime);
}

static void a_program_goes_all_the_way(void) {
  conformance_begin();
  cyxla_program_options program = test_sum_options();
  test_scenario scenario = {conformance_plugin(), &program, NULL, NULL, false};
  cyxla_error error;

  test_set_environment("CYXLA_PLUGIN", NULL);
  scenario.path = test_temporary_path("sum.cyxla");
  program.code = conformance_sum_code();
  program.code_bytes = strlen(program.code);
  EXPECT_OK(test_scenario_run(&scenario, &error), &error);
  EXPECT_TRUE(scenario.is_deserialized);
}

static void expect_identity(size_t dtype, const char *fake_shape,
                            const char *stablehlo_shape, size_t rank,
                            const int64_t *shape, const unsigned char *elements) {
  cyxla_array_spec spec = {"a", conformance_dtype(dtype), rank, shape, 0, -1};
  cyxla_call *call = conformance_call(
      conformance_identity(dtype, fake_shape, stablehlo_shape), &spec, 1, &spec, 1);
  size_t bytes = cyxla_executable_input(cyxla_call_executable(call), 0)->bytes;
  cyxla_error error;

  memcpy(cyxla_call_input(call, 0), elements, bytes);
  for (int run = 0; run < 2; run++) {
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    EXPECT_TRUE(cyxla_call_output(call, 0) != NULL);
    EXPECT_EQUAL((uintptr_t)cyxla_call_output(call, 0) % CYXLA_ALIGNMENT, 0);
    EXPECT_BYTES(cyxla_call_output(call, 0), elements, bytes);
  }
  cyxla_call_destroy(call);
}

static void every_dtype_passes_through_bit_by_bit(void) {
  conformance_begin();
  static const int64_t vector[1] = {3}, empty[2] = {2, 0};
  unsigned char elements[48];

  for (size_t dtype = 0; dtype < CONFORMANCE_NUM_DTYPES; dtype++) {
    for (size_t i = 0; i < sizeof(elements); i++) {
      elements[i] =
          (unsigned char)(conformance_dtype(dtype) == CYXLA_BOOL ? i % 2 : i * 5 + 1);
    }
    expect_identity(dtype, "3", "3x", 1, vector, elements);
    expect_identity(dtype, "", "", 0, NULL, elements);
    expect_identity(dtype, "2,0", "2x0x", 2, empty, elements);
  }
}

/* The negative of a matrix, whose result the plugin is asked to lay out in an order. */
static void expect_row_major(const conformance_pair *code) {
  static const int64_t shape[2] = {2, 3};
  cyxla_array_spec spec = {"a", CYXLA_INT32, 2, shape, 0, -1};
  cyxla_call *call = conformance_call(conformance_code(code), &spec, 1, &spec, 1);
  int32_t *input = cyxla_call_input(call, 0);
  const int32_t *output;
  cyxla_error error;

  for (int32_t i = 0; i < 6; i++) input[i] = i;
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  output = cyxla_call_output(call, 0);
  for (int32_t i = 0; i < 6; i++) EXPECT_EQUAL(output[i], -i);
  cyxla_call_destroy(call);
}

static void expect_refused_when_run(const conformance_pair *code, const char *message) {
  static const int64_t shape[2] = {2, 3};
  cyxla_array_spec spec = {"a", CYXLA_INT32, 2, shape, 0, -1};
  cyxla_call *call = conformance_call(conformance_code(code), &spec, 1, &spec, 1);
  cyxla_error error;

  EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_UNIMPLEMENTED, &error, message);
  cyxla_call_destroy(call);
}

#define NEGATE_MATRIX(layout)                            \
  {"input int32[2,3]\noutput int32[2,3] = negate 0",     \
   "module @negate {\n"                                  \
   "  func.func public @main(%arg0: tensor<2x3xi32>)\n"  \
   "      -> (tensor<2x3xi32>" layout                    \
   ") {\n"                                               \
   "    %0 = stablehlo.negate %arg0 : tensor<2x3xi32>\n" \
   "    return %0 : tensor<2x3xi32>\n"                   \
   "  }\n"                                               \
   "}\n"}

static void matrices_are_row_major(void) {
  conformance_begin();
  static const conformance_pair code = NEGATE_MATRIX("");

  expect_row_major(&code);
}

static void matrices_that_the_plugin_keeps_in_column_major_order_are_too(void) {
  conformance_begin();
  static const conformance_pair code = NEGATE_MATRIX(" {mhlo.layout_mode = \"{0,1}\"}");
  cyxla_runtime *runtime = conformance_runtime();
  cyxla_runtime_info info = CYXLA_RUNTIME_INFO_INIT;
  cyxla_error error;

  EXPECT_OK(cyxla_runtime_get_info(runtime, &info, &error), &error);
  cyxla_runtime_destroy(runtime);
  if (info.pjrt_api_minor < 106) {
    expect_refused_when_run(&code, "is too old to convert it");
    return;
  }
  if (conformance_is_fake())
    test_fake_start()->set(FAKE_LAYOUT, FAKE_LAYOUT_COLUMN_MAJOR);
  expect_row_major(&code);
}

static void several_outputs_keep_their_order(void) {
  conformance_begin();
  static const conformance_pair code = {
      "input float32[3]\ninput float64[]\n"
      "output float64[] = negate 1\noutput float32[3] = argument 0",
      "module @two {\n"
      "  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<f64>)\n"
      "      -> (tensor<f64>, tensor<3xf32>) {\n"
      "    %0 = stablehlo.negate %arg1 : tensor<f64>\n"
      "    return %0, %arg0 : tensor<f64>, tensor<3xf32>\n"
      "  }\n"
      "}\n"};
  static const int64_t shape[1] = {3};
  cyxla_array_spec inputs[2] = {{"a", CYXLA_FLOAT32, 1, shape, 0, -1},
                                {"b", CYXLA_FLOAT64, 0, NULL, 0, -1}};
  cyxla_array_spec outputs[2] = {inputs[1], inputs[0]};
  cyxla_call *call = conformance_call(conformance_code(&code), inputs, 2, outputs, 2);
  cyxla_error error;

  ((float *)cyxla_call_input(call, 0))[2] = 4;
  *(double *)cyxla_call_input(call, 1) = 2.5;
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_TRUE(*(const double *)cyxla_call_output(call, 0) == -2.5);
  EXPECT_TRUE(((const float *)cyxla_call_output(call, 1))[2] == 4);
  cyxla_call_destroy(call);
}

static void a_program_that_cannot_be_compiled_is_refused_with_the_plugin_s_text(void) {
  conformance_begin();
  cyxla_runtime *runtime = conformance_runtime();
  cyxla_program *program = test_program("no such program", NULL, 0, NULL, 0);
  cyxla_executable *executable;
  cyxla_error error;

  cyxla_status status = cyxla_executable_compile(runtime, program, &executable, &error);
  EXPECT_TRUE(status != CYXLA_OK && status <= CYXLA_UNAUTHENTICATED);
  EXPECT_EQUAL(error.status, status);
  EXPECT_CONTAINS(error.message, "the plugin cannot compile the program: ");
  EXPECT_TRUE(strlen(error.message) >
              strlen("the plugin cannot compile the program: "));
  EXPECT_NULL(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

/* The sum with a signature that is not its own. */
static cyxla_program *mislabelled_sum(const cyxla_array_spec *inputs, size_t num_inputs,
                                      const cyxla_array_spec *outputs,
                                      size_t num_outputs) {
  return test_program(conformance_sum_code(), inputs, num_inputs, outputs, num_outputs);
}

static void outputs_that_are_not_the_signature_s_are_refused(void) {
  conformance_begin();
  static const int64_t three[1] = {3}, four[1] = {4}, matrix[2] = {3, 1};
  const cyxla_program_options sum = test_sum_options();
  const struct {
    cyxla_array_spec outputs[2];
    size_t num_outputs;
    const char *message;
  } cases[] = {
      {{{"s", CYXLA_INT32, 1, three, 0, -1}},
       1,
       "has dtype float32, and its signature"},
      {{{"s", CYXLA_FLOAT32, 1, four, 0, -1}},
       1,
       "output s of the compiled program has"},
      {{{"s", CYXLA_FLOAT32, 2, matrix, 0, -1}}, 1, "output s of the compiled program"},
      {{{"s", CYXLA_FLOAT32, 1, three, 0, -1}, {"t", CYXLA_FLOAT32, 1, three, 0, -1}},
       2,
       "has 1 outputs, and its signature says 2"},
      {{{"s", CYXLA_FLOAT32, 1, three, 0, -1}}, 0, "has 1 outputs"},
  };
  cyxla_runtime *runtime = conformance_runtime();

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    cyxla_program *program =
        mislabelled_sum(sum.inputs, 2, cases[i].outputs, cases[i].num_outputs);
    cyxla_executable *executable;
    cyxla_error error;
    EXPECT_ERROR(cyxla_executable_compile(runtime, program, &executable, &error),
                 CYXLA_SIGNATURE_MISMATCH, &error, cases[i].message);
    EXPECT_NULL(executable);
    cyxla_program_destroy(program);
  }
  cyxla_runtime_destroy(runtime);
}

static void inputs_that_are_not_the_program_s_are_refused(void) {
  conformance_begin();
  static const int64_t three[1] = {3}, four[1] = {4};
  const cyxla_program_options sum = test_sum_options();
  const cyxla_array_spec inputs[3] = {{"x", CYXLA_FLOAT32, 1, three, 0, -1},
                                      {"y", CYXLA_FLOAT32, 1, four, 0, -1},
                                      {"z", CYXLA_FLOAT32, 1, three, 0, -1}};
  cyxla_runtime *runtime = conformance_runtime();

  for (size_t num_inputs = 1; num_inputs <= 3; num_inputs++) {
    cyxla_program *program = mislabelled_sum(inputs, num_inputs, sum.outputs, 1);
    cyxla_executable *executable;
    cyxla_call *call;
    cyxla_error error;
    EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
    EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
    EXPECT_ERROR(cyxla_call_run(call, &error), CYXLA_INVALID_ARGUMENT, &error,
                 "the plugin cannot run the program: ");
    EXPECT_NULL(cyxla_call_output(call, 0));
    cyxla_call_destroy(call);
    cyxla_executable_destroy(executable);
    cyxla_program_destroy(program);
  }
  cyxla_runtime_destroy(runtime);
}

int main(int argc, char **argv) {
  static const test_case tests[] = {
      TEST_CASE(the_runtime_is_for_the_cpu),
      TEST_CASE(a_program_goes_all_the_way),
      TEST_CASE(every_dtype_passes_through_bit_by_bit),
      TEST_CASE(matrices_are_row_major),
      TEST_CASE(matrices_that_the_plugin_keeps_in_column_major_order_are_too),
      TEST_CASE(several_outputs_keep_their_order),
      TEST_CASE(a_program_that_cannot_be_compiled_is_refused_with_the_plugin_s_text),
      TEST_CASE(outputs_that_are_not_the_signature_s_are_refused),
      TEST_CASE(inputs_that_are_not_the_program_s_are_refused),
  };

  return conformance_main(argc, argv, tests, TEST_COUNT(tests));
}
