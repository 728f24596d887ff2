/* Programs that every plugin can run, in the language of the plugin under test.
 * The plugin is that of the environment variable CYXLA_TEST_PLUGIN. */
#ifndef TEST_CONFORMANCE_SUPPORT_H
#define TEST_CONFORMANCE_SUPPORT_H

#include "cyxla.h"
#include "test.h"

/* Runs the tests as test_main does. Without a plugin they are skipped. */
int conformance_main(int argc, char **argv, const test_case *tests, size_t num_tests);

/* The path of the plugin under test, from the environment; NULL if there is none. */
const char *conformance_plugin(void);
bool conformance_is_fake(void);

/* To be called first in a test: resets the fake plugin, if that is the one. */
void conformance_begin(void);

/* A program in both languages: the fake plugin's, and StableHLO as text. */
typedef struct conformance_pair {
  const char *fake;
  const char *stablehlo;
} conformance_pair;

const char *conformance_code(const conformance_pair *pair);

/* The sum of test_fake.h: its code, and compiled. */
const char *conformance_sum_code(void);
cyxla_executable *conformance_compile_sum(void);

/* All dtypes, by an index. */
enum { CONFORMANCE_NUM_DTYPES = 15 };
cyxla_dtype conformance_dtype(size_t index);

/* A program that returns its input, for a dtype and a shape in both languages, as in
 * "2,3" and "2x3x". Valid until the next call. */
const char *conformance_identity(size_t dtype, const char *fake_shape,
                                 const char *stablehlo_shape);

cyxla_runtime *conformance_runtime(void);

/* An executable and a call that keep all that they need. */
cyxla_executable *conformance_compile(const char *code, const cyxla_array_spec *inputs,
                                      size_t num_inputs,
                                      const cyxla_array_spec *outputs,
                                      size_t num_outputs);
cyxla_call *conformance_call(const char *code, const cyxla_array_spec *inputs,
                             size_t num_inputs, const cyxla_array_spec *outputs,
                             size_t num_outputs);

#endif
