/* The fake plugin in tests, and programs for it. */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

#include "cyxla.h"
#include "fake_plugin.h"

/* The controls of the fake plugin as functions: fake->set(FAKE_NUM_DEVICES, 2). */
typedef struct test_fake {
#define TEST_FAKE_MEMBER(result, name, arguments) result(*name) arguments;
  FAKE_PLUGIN_CONTROLS(TEST_FAKE_MEMBER)
} test_fake;

/* The fake plugin, reset. When the test ends nothing of it may be alive, and no rule of
 * PJRT may have been broken. */
const test_fake *test_fake_start(void);

/* Where it lies, and where the broken plugins lie. */
const char *test_fake_path(void);
const char *test_broken_no_symbol_path(void);
const char *test_broken_null_api_path(void);

/* A copy of the fake plugin's library in the test's temporary directory. */
const char *test_fake_copy(const char *name);

/* A runtime of a plugin for the platform "cpu", and one of the fake plugin. */
cyxla_runtime *test_runtime(const char *plugin);
cyxla_runtime *test_fake_runtime(void);

/* Options for a program that adds two arrays of 3 float32 ("x" and "y" give "sum"), in
 * the fake's language, and the program itself. */
cyxla_program_options test_sum_options(void);
cyxla_program *test_sum_program(void);

/* A program of any code; the specifications are borrowed for the call. */
cyxla_program *test_program(const char *code, const cyxla_array_spec *inputs,
                            size_t num_inputs, const cyxla_array_spec *outputs,
                            size_t num_outputs);

/* A program that negates "x", of that many float32, into "negative", and returns the
 * scalar "y", its first input, as well; and that at the sizes 2, 3 and 500. */
cyxla_program *test_negate_program(int64_t size);
cyxla_program *test_joined_program(void);

/* The program, compiled for a fake runtime that only the executable keeps. The program
 * goes to the executable. */
cyxla_executable *test_compile(cyxla_program *program);

/* A file that has to open, and one that must not. */
cyxla_executable *test_open(const char *path, const cyxla_open_options *options);
void test_expect_not_opened(const char *path, const cyxla_open_options *options,
                            cyxla_status status, const char *message);

/* A call; one of a program, which keeps everything that it needs; and one of the sum.
 */
cyxla_call *test_create_call(cyxla_executable *executable);
cyxla_call *test_call_of(cyxla_program *program);
cyxla_call *test_sum_call(void);

/* Fills in inputs of the sum that depend on scale, and checks the output. */
void test_sum_fill(cyxla_call *call, float scale);
void test_sum_expect(const cyxla_call *call, float scale);

/* Runs the sum in several threads at once, each with a call of its own, and counts the
 * wrong results. */
int test_sum_count_wrong(cyxla_executable *executable, int num_threads, int num_runs);

/* A specification that is named, without an alias. */
cyxla_array_spec test_spec(const char *name, cyxla_dtype dtype, size_t rank,
                           const int64_t *shape);

#endif
