#include "test_conformance_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_fake.h"

int conformance_main(int argc, char **argv, const test_case *tests, size_t num_tests) {
  if (conformance_plugin() == NULL || conformance_plugin()[0] == '\0') {
    fprintf(stderr, "CYXLA_TEST_PLUGIN names no plugin: nothing is tested\n");
    return 77; /* what the build takes for skipped */
  }
  return test_main(argc, argv, tests, num_tests);
}

void conformance_begin(void) {
  if (conformance_is_fake()) test_fake_start();
}

const char *conformance_plugin(void) {
  return getenv("CYXLA_TEST_PLUGIN");
}

bool conformance_is_fake(void) {
  return strcmp(conformance_plugin(), test_fake_path()) == 0;
}

const char *conformance_code(const conformance_pair *pair) {
  return conformance_is_fake() ? pair->fake : pair->stablehlo;
}

cyxla_runtime *conformance_runtime(void) {
  return test_runtime(conformance_plugin());
}

cyxla_executable *conformance_compile(const char *code, const cyxla_array_spec *inputs,
                                      size_t num_inputs,
                                      const cyxla_array_spec *outputs,
                                      size_t num_outputs) {
  cyxla_runtime *runtime = conformance_runtime();
  cyxla_program *program = test_program(code, inputs, num_inputs, outputs, num_outputs);
  cyxla_executable *executable;
  cyxla_error error;

  EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  return executable;
}

cyxla_call *conformance_call(const char *code, const cyxla_array_spec *inputs,
                             size_t num_inputs, const cyxla_array_spec *outputs,
                             size_t num_outputs) {
  cyxla_executable *executable =
      conformance_compile(code, inputs, num_inputs, outputs, num_outputs);
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  cyxla_executable_destroy(executable);
  return call;
}

const char *conformance_sum_code(void) {
  static const conformance_pair code = {
      "input float32[3]\ninput float32[3]\noutput float32[3] = sum 0 1",
      "module @sum {\n"
      "  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>)\n"
      "      -> tensor<3xf32> {\n"
      "    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>\n"
      "    return %0 : tensor<3xf32>\n"
      "  }\n"
      "}\n"};

  return conformance_code(&code);
}

cyxla_executable *conformance_compile_sum(void) {
  cyxla_program_options sum = test_sum_options();

  return conformance_compile(conformance_sum_code(), sum.inputs, sum.num_inputs,
                             sum.outputs, sum.num_outputs);
}

static const struct {
  cyxla_dtype dtype;
  const char *stablehlo;
} dtypes[CONFORMANCE_NUM_DTYPES] = {
    {CYXLA_BOOL, "i1"},
    {CYXLA_INT8, "i8"},
    {CYXLA_INT16, "i16"},
    {CYXLA_INT32, "i32"},
    {CYXLA_INT64, "i64"},
    {CYXLA_UINT8, "ui8"},
    {CYXLA_UINT16, "ui16"},
    {CYXLA_UINT32, "ui32"},
    {CYXLA_UINT64, "ui64"},
    {CYXLA_FLOAT16, "f16"},
    {CYXLA_FLOAT32, "f32"},
    {CYXLA_FLOAT64, "f64"},
    {CYXLA_BFLOAT16, "bf16"},
    {CYXLA_COMPLEX64, "complex<f32>"},
    {CYXLA_COMPLEX128, "complex<f64>"},
};

cyxla_dtype conformance_dtype(size_t index) {
  return dtypes[index].dtype;
}

const char *conformance_identity(size_t dtype, const char *fake_shape,
                                 const char *stablehlo_shape) {
  static char code[512];
  char type[64];

  if (conformance_is_fake()) {
    snprintf(type, sizeof(type), "%s[%s]", cyxla_dtype_name(dtypes[dtype].dtype),
             fake_shape);
    snprintf(code, sizeof(code), "input %s\noutput %s = argument 0", type, type);
  } else {
    snprintf(type, sizeof(type), "tensor<%s%s>", stablehlo_shape,
             dtypes[dtype].stablehlo);
    snprintf(code, sizeof(code),
             "module @identity {\n"
             "  func.func public @main(%%arg0: %s) -> %s {\n"
             "    return %%arg0 : %s\n"
             "  }\n"
             "}\n",
             type, type, type);
  }
  return code;
}
