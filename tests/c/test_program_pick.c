#include <string.h>

#include "test.h"
#include "test_fake.h"

static cyxla_status pick(const cyxla_program *program, int64_t size,
                         cyxla_program **found, cyxla_error *error) {
  const cyxla_array_spec x = test_spec("x", (cyxla_dtype)0, 1, &size);

  return cyxla_program_pick(program, &x, 1, found, error);
}

static void a_program_of_one_size_is_picked_without_shapes(void) {
  cyxla_program *program = test_negate_program(3), *found;
  cyxla_error error;

  EXPECT_EQUAL(cyxla_program_num_sizes(program), 1);
  EXPECT_TRUE(cyxla_program_size(program, 0) == program);
  EXPECT_OK(cyxla_program_pick(program, NULL, 0, &found, &error), &error);
  EXPECT_TRUE(found == program);
  EXPECT_OK(pick(program, 3, &found, &error), &error);
  EXPECT_TRUE(found == program);
  EXPECT_ERROR(
      pick(program, 4, &found, &error), CYXLA_SIZE_NOT_FOUND, &error,
      "has no size for x[4]; pad the arrays to one that it has, or save it for this "
      "one too; it has: y[] x[3]");
  cyxla_program_destroy(program);
}

static void a_size_is_picked_by_the_shapes_that_are_asked_for(void) {
  static const int64_t shape[1] = {3};
  cyxla_array_spec inputs[2] = {test_spec(NULL, (cyxla_dtype)0, 0, NULL),
                                test_spec(NULL, CYXLA_FLOAT32, 1, shape)};
  cyxla_program *joined = test_joined_program(), *found;
  cyxla_error error;

  EXPECT_OK(pick(joined, 500, &found, &error), &error);
  EXPECT_TRUE(found == cyxla_program_size(joined, 2));
  EXPECT_OK(cyxla_program_pick(found, inputs, 2, &found, &error), &error);
  EXPECT_TRUE(found == cyxla_program_size(joined, 1));
  cyxla_program_destroy(joined);
}

static void a_size_that_is_not_there_names_those_that_are(void) {
  static const int64_t one = 1;
  const cyxla_array_spec y = test_spec("y", CYXLA_FLOAT32, 1, &one);
  cyxla_program *joined = test_joined_program(), *found = joined;
  cyxla_error error;

  EXPECT_ERROR(pick(joined, 4, &found, &error), CYXLA_SIZE_NOT_FOUND, &error,
               "it has: x[2]; x[3]; x[500]");
  EXPECT_NULL(found);
  EXPECT_ERROR(
      cyxla_program_pick(joined, &y, 1, &found, &error), CYXLA_SIZE_NOT_FOUND, &error,
      "has no size for y[1]; pad the arrays to one that it has, or save it for this "
      "one too; it has: y[] x[2]; y[] x[3]; y[] x[500]");
  EXPECT_ERROR(cyxla_program_pick(joined, NULL, 0, &found, &error),
               CYXLA_SIZE_NOT_FOUND, &error,
               "was saved at 3 sizes, and none was asked for");
  cyxla_program_destroy(joined);
}

static void shapes_that_do_not_tell_sizes_apart_are_refused(void) {
  const cyxla_array_spec y = test_spec("y", CYXLA_FLOAT32, 0, NULL);
  cyxla_program *joined = test_joined_program(), *found;
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_pick(joined, &y, 1, &found, &error), CYXLA_SIZE_NOT_FOUND,
               &error,
               "3 sizes of the program have the inputs y[]; give the shapes of "
               "more of them: x[2]; x[3]; x[500]");
  cyxla_program_destroy(joined);
}

static void expect_unpicked(const cyxla_array_spec *inputs, size_t num_inputs,
                            const char *part) {
  cyxla_program *joined = test_joined_program(), *found;
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_pick(joined, inputs, num_inputs, &found, &error),
               CYXLA_INVALID_ARGUMENT, &error, part);
  EXPECT_NULL(found);
  cyxla_program_destroy(joined);
}

static void requests_that_are_none_are_refused(void) {
  static const int64_t shape[1] = {3};
  cyxla_array_spec specs[3] = {test_spec("z", CYXLA_FLOAT32, 1, shape)};

  expect_unpicked(specs, 1, "no input z; its first is y");
  specs[0] = test_spec("x", CYXLA_FLOAT64, 1, shape);
  expect_unpicked(specs, 1,
                  "given for input x is float64, and the program takes float32");
  specs[0] = test_spec("x", CYXLA_FLOAT32, 1, NULL);
  expect_unpicked(specs, 1, "the rank given for input x is 1, with NULL for its shape");
  specs[0].rank = (size_t)-1;
  specs[0].shape = shape;
  expect_unpicked(specs, 1, "and the largest is 64");
  memset(specs, 0, sizeof(specs));
  expect_unpicked(specs, 3, "3 inputs are given, and the program has 2");
  expect_unpicked(NULL, 2, "2 inputs are given, and NULL");
}

static void a_size_is_opened_by_its_shapes(void) {
  static const int64_t shape[1] = {500};
  const cyxla_array_spec x = test_spec("x", CYXLA_FLOAT32, 1, shape);
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *executable = (cyxla_executable *)&x;
  const char *path = test_temporary_path("sizes.cyxla");
  cyxla_program *joined;
  cyxla_error error;

  test_fake_start();
  joined = test_joined_program();
  EXPECT_OK(cyxla_program_save(joined, path, &error), &error);
  cyxla_program_destroy(joined);
  options.plugin = test_fake_path();
  EXPECT_ERROR(cyxla_open(path, &options, &executable, &error), CYXLA_SIZE_NOT_FOUND,
               &error, "x[2]; x[3]; x[500]");
  EXPECT_NULL(executable);
  options.inputs = &x;
  options.num_inputs = 1;
  EXPECT_OK(cyxla_open(path, &options, &executable, &error), &error);
  EXPECT_EQUAL(cyxla_executable_input(executable, 1)->shape[0], 500);
  cyxla_executable_destroy(executable);
}

TEST_MAIN(TEST_CASE(a_program_of_one_size_is_picked_without_shapes),
          TEST_CASE(a_size_is_picked_by_the_shapes_that_are_asked_for),
          TEST_CASE(a_size_that_is_not_there_names_those_that_are),
          TEST_CASE(shapes_that_do_not_tell_sizes_apart_are_refused),
          TEST_CASE(requests_that_are_none_are_refused),
          TEST_CASE(a_size_is_opened_by_its_shapes))
