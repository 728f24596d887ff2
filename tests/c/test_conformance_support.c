#include "test_conformance_support.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "test_fake.h"

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
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_runtime *runtime;
  cyxla_error error;

  options.plugin = conformance_plugin();
  options.platform = "cpu";
  EXPECT_OK(cyxla_runtime_create(&options, &runtime, &error), &error);
  return runtime;
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
