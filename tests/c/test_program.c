#include "program.h"

#include <string.h>

#include "memory.h"
#include "test.h"
#include "test_fake.h"

static void expect_refused(const cyxla_program_options *options, const char *message) {
  cyxla_program *program = (cyxla_program *)&program;
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_create(options, &program, &error), CYXLA_INVALID_ARGUMENT,
               &error, message);
  EXPECT_NULL(program);
}

/* The options of the sum, with its first input or output replaced by a spec. */
static void expect_spec_refused(cyxla_array_spec spec, const char *message) {
  cyxla_program_options options = test_sum_options();
  char text[256];

  options.inputs = &spec;
  options.num_inputs = 1;
  EXPECT_TRUE(strlen(message) < sizeof(text) - 10);
  strcpy(text, "input ");
  strcat(text, message);
  expect_refused(&options, text);
  options = test_sum_options();
  options.outputs = &spec;
  options.num_outputs = 1;
  strcpy(text, "output ");
  strcat(text, message);
  expect_refused(&options, text);
}

static void a_program_has_what_it_was_made_of(void) {
  static const unsigned char compile_options[] = {0x1a, 4, 0x20, 1, 0x28, 1};
  cyxla_program_options options = test_sum_options();
  cyxla_program *program;
  cyxla_error error;
  size_t bytes;

  options.metadata = "{\"jax\": \"0.11.2\"}";
  options.compile_options = compile_options;
  options.compile_options_bytes = sizeof(compile_options);
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  EXPECT_EQUAL(cyxla_program_num_inputs(program), 2);
  EXPECT_EQUAL(cyxla_program_num_outputs(program), 1);
  EXPECT_TEXT(cyxla_program_input(program, 0)->name, "x");
  EXPECT_TEXT(cyxla_program_input(program, 1)->name, "y");
  EXPECT_EQUAL(cyxla_program_input(program, 0)->dtype, CYXLA_FLOAT32);
  EXPECT_EQUAL(cyxla_program_input(program, 0)->rank, 1);
  EXPECT_EQUAL(cyxla_program_input(program, 0)->shape[0], 3);
  EXPECT_EQUAL(cyxla_program_input(program, 0)->bytes, 12);
  EXPECT_EQUAL(cyxla_program_input(program, 0)->aliased_output, -1);
  EXPECT_TEXT(cyxla_program_output(program, 0)->name, "sum");
  EXPECT_TEXT(cyxla_program_platform(program), "cpu");
  EXPECT_TEXT(cyxla_program_metadata(program), options.metadata);
  EXPECT_BYTES(cyxla_program_code(program, &bytes), options.code, options.code_bytes);
  EXPECT_EQUAL(bytes, options.code_bytes);
  EXPECT_BYTES(cyxla_program_compile_options(program, &bytes), compile_options,
               sizeof(compile_options));
  EXPECT_EQUAL(bytes, sizeof(compile_options));
  EXPECT_TRUE(cyxla_program_code(program, NULL) != NULL);
  EXPECT_TRUE(cyxla_program_compile_options(program, NULL) != NULL);
  cyxla_program_destroy(program);
}

static void everything_is_copied(void) {
  cyxla_program_options options = test_sum_options();
  char code[] = "some code", platform[] = "cpu", name[] = "x", metadata[] = "text";
  int64_t shape[2] = {4, 5};
  cyxla_array_spec spec = {name, CYXLA_INT8, 2, shape, 0, -1};
  cyxla_program *program;
  cyxla_error error;

  options.code = code;
  options.code_bytes = 9;
  options.platform = platform;
  options.metadata = metadata;
  options.inputs = &spec;
  options.num_inputs = 1;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  memset(code, 'z', 9);
  memset(platform, 'z', 3);
  memset(metadata, 'z', 4);
  name[0] = 'z';
  shape[0] = 100;
  spec.dtype = CYXLA_BOOL;
  EXPECT_BYTES(cyxla_program_code(program, NULL), "some code", 9);
  EXPECT_TEXT(cyxla_program_platform(program), "cpu");
  EXPECT_TEXT(cyxla_program_metadata(program), "text");
  EXPECT_TEXT(cyxla_program_input(program, 0)->name, "x");
  EXPECT_EQUAL(cyxla_program_input(program, 0)->shape[0], 4);
  EXPECT_EQUAL(cyxla_program_input(program, 0)->dtype, CYXLA_INT8);
  cyxla_program_destroy(program);
}

static void indices_that_are_none_give_null(void) {
  cyxla_program *program = test_sum_program();

  EXPECT_NULL(cyxla_program_input(program, 2));
  EXPECT_NULL(cyxla_program_output(program, 1));
  EXPECT_NULL(cyxla_program_output(program, (size_t)-1));
  cyxla_program_destroy(program);
}

static void compile_options_and_metadata_have_defaults(void) {
  cyxla_program *program = test_sum_program();
  size_t bytes;

  EXPECT_TEXT(cyxla_program_metadata(program), "");
  EXPECT_BYTES(cyxla_program_compile_options(program, &bytes),
               "\x1a\x04\x20\x01\x28\x01", 6);
  EXPECT_EQUAL(bytes, 6);
  cyxla_program_destroy(program);
}

static void empty_compile_options_are_the_default(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_program *program;
  cyxla_error error;
  size_t bytes;

  options.compile_options = "";
  options.compile_options_bytes = 0;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  EXPECT_BYTES(cyxla_program_compile_options(program, &bytes),
               "\x1a\x04\x20\x01\x28\x01", 6);
  EXPECT_EQUAL(bytes, 6);
  cyxla_program_destroy(program);
}

static void compile_options_without_a_replica_are_refused(void) {
  cyxla_program_options options = test_sum_options();

  options.compile_options = "\x1a\0";
  options.compile_options_bytes = 2;
  expect_refused(&options, "the program's compile options ask for 0 replicas");
}

static void a_program_may_have_no_arrays(void) {
  cyxla_program *program = test_program("code", NULL, 0, NULL, 0);

  EXPECT_EQUAL(cyxla_program_num_inputs(program), 0);
  EXPECT_EQUAL(cyxla_program_num_outputs(program), 0);
  cyxla_program_destroy(program);
}

static void bytes_are_computed(void) {
  static const int64_t matrix[2] = {3, 5}, empty[3] = {1 << 20, 0, 1 << 20};
  cyxla_array_spec inputs[3] = {{"scalar", CYXLA_COMPLEX128, 0, NULL, 99, -1},
                                {"matrix", CYXLA_INT16, 2, matrix, 99, -1},
                                {"empty", CYXLA_FLOAT64, 3, empty, 99, -1}};
  cyxla_program *program = test_program("code", inputs, 3, NULL, 0);

  EXPECT_EQUAL(cyxla_program_input(program, 0)->bytes, 16);
  EXPECT_EQUAL(cyxla_program_input(program, 1)->bytes, 30);
  EXPECT_EQUAL(cyxla_program_input(program, 2)->bytes, 0);
  cyxla_program_destroy(program);
}

static void required_arguments_are_named(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_program *program;
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_create(&options, NULL, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument program of cyxla_program_create is NULL");
  EXPECT_ERROR(cyxla_program_create(NULL, &program, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument options of cyxla_program_create is NULL");
  EXPECT_NULL(program);
  EXPECT_EQUAL(cyxla_program_create(NULL, &program, NULL), CYXLA_INVALID_ARGUMENT);
  options.struct_size = 3;
  expect_refused(&options, "struct_size of cyxla_program_options is 3");
}

static void a_program_needs_platform_and_code(void) {
  cyxla_program_options options = test_sum_options();

  options.platform = NULL;
  expect_refused(&options, "the program has no platform, expected a name such as cpu");
  options.platform = "../cpu";
  expect_refused(&options, "the program's platform is \"../cpu\", expected letters");
  options.platform = "";
  expect_refused(&options, "the program has no platform");
  options = test_sum_options();
  options.code = NULL;
  expect_refused(&options, "the program has no code, expected StableHLO");
  options = test_sum_options();
  options.code_bytes = 0;
  expect_refused(&options, "the program has no code");
}

static void lists_that_are_null_need_a_count_of_0(void) {
  cyxla_program_options options = test_sum_options();

  options.inputs = NULL;
  expect_refused(&options,
                 "the program has 2 inputs and NULL for their specifications");
  options = test_sum_options();
  options.outputs = NULL;
  expect_refused(&options, "the program has 1 outputs and NULL");
}

static void specifications_are_checked(void) {
  static const int64_t negative[1] = {-1}, ones[CYXLA_RANK_MAXIMUM + 1];
  static const int64_t huge[2] = {(int64_t)1 << 40, (int64_t)1 << 40};

  expect_spec_refused(test_spec(NULL, CYXLA_INT8, 0, NULL), "0 has no name");
  expect_spec_refused(test_spec("", CYXLA_INT8, 0, NULL), "0 has no name");
  expect_spec_refused(test_spec("a", (cyxla_dtype)16, 0, NULL),
                      "a has dtype 16, expected one of cyxla_dtype");
  expect_spec_refused(test_spec("a", (cyxla_dtype)0, 0, NULL), "a has dtype 0");
  expect_spec_refused(test_spec("a", CYXLA_INT8, 1, NULL),
                      "a has rank 1 and NULL for its shape");
  expect_spec_refused(test_spec("a", CYXLA_INT8, CYXLA_RANK_MAXIMUM + 1, ones),
                      "a has rank ");
  expect_spec_refused(test_spec("a", CYXLA_INT8, 1, negative), "a has a negative size");
  expect_spec_refused(test_spec("a", CYXLA_INT8, 2, huge),
                      "a has a negative size, or more");
}

static void names_must_differ(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_array_spec twice[2];

  twice[0] = twice[1] = options.inputs[0];
  options.inputs = twice;
  expect_refused(&options, "two inputs are called x, expected names that differ");
  options = test_sum_options();
  options.outputs = twice;
  options.num_outputs = 2;
  expect_refused(&options, "two outputs are called x, expected names that differ");
}

static void an_input_and_an_output_may_share_a_name(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_program *program;
  cyxla_error error;

  options.outputs = options.inputs;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  cyxla_program_destroy(program);
}

static void an_alias_must_be_an_output_of_as_many_bytes(void) {
  static const int64_t other_shape[1] = {4};
  static const int64_t aliases[] = {-2, 1, INT64_MAX, INT64_MIN};
  cyxla_program_options options = test_sum_options();
  cyxla_array_spec inputs[2];
  cyxla_array_spec output = test_spec("longer", CYXLA_FLOAT32, 1, other_shape);
  cyxla_program *program;
  cyxla_error error;

  memcpy(inputs, options.inputs, sizeof(inputs));
  options.inputs = inputs;
  for (size_t i = 0; i < TEST_COUNT(aliases); i++) {
    inputs[1].aliased_output = aliases[i];
    expect_refused(&options, "input y is donated to output ");
  }
  inputs[1].aliased_output = 0;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  EXPECT_EQUAL(cyxla_program_input(program, 1)->aliased_output, 0);
  cyxla_program_destroy(program);
  inputs[0].aliased_output = 0;
  expect_refused(&options, "inputs x and y are donated to the same output");
  inputs[0].aliased_output = -1;
  options.outputs = &output;
  expect_refused(&options, "input y is donated to output 0, expected -1");
}

static void arrays_are_found_by_name(void) {
  cyxla_program *program = test_sum_program();

  EXPECT_EQUAL(cyxla_program_arrays_find(&program->inputs, "y"), 1);
  EXPECT_EQUAL(cyxla_program_arrays_find(&program->inputs, "sum"), (size_t)-1);
  EXPECT_EQUAL(cyxla_program_arrays_find(&program->inputs, NULL), (size_t)-1);
  cyxla_program_destroy(program);
}

static void the_last_reference_frees(void) {
  long live = cyxla_memory_live();
  cyxla_program *program = test_sum_program();

  EXPECT_TRUE(cyxla_program_retain(program) == program);
  cyxla_program_destroy(program);
  EXPECT_TEXT(cyxla_program_platform(program), "cpu");
  cyxla_program_destroy(program);
  EXPECT_EQUAL(cyxla_memory_live(), live);
  cyxla_program_destroy(NULL);
}

TEST_MAIN(TEST_CASE(a_program_has_what_it_was_made_of), TEST_CASE(everything_is_copied),
          TEST_CASE(indices_that_are_none_give_null),
          TEST_CASE(compile_options_and_metadata_have_defaults),
          TEST_CASE(empty_compile_options_are_the_default),
          TEST_CASE(compile_options_without_a_replica_are_refused),
          TEST_CASE(a_program_may_have_no_arrays), TEST_CASE(bytes_are_computed),
          TEST_CASE(required_arguments_are_named),
          TEST_CASE(a_program_needs_platform_and_code),
          TEST_CASE(lists_that_are_null_need_a_count_of_0),
          TEST_CASE(specifications_are_checked), TEST_CASE(names_must_differ),
          TEST_CASE(an_input_and_an_output_may_share_a_name),
          TEST_CASE(an_alias_must_be_an_output_of_as_many_bytes),
          TEST_CASE(arrays_are_found_by_name), TEST_CASE(the_last_reference_frees))
