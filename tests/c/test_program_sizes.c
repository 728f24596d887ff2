#include "program_sizes.h"

#include <pthread.h>
#include <string.h>

#include "executable.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

static cyxla_status pick(const cyxla_program *program, int64_t size,
                         cyxla_program **found, cyxla_error *error) {
  const cyxla_array_spec x = test_spec("x", (cyxla_dtype)0, 1, &size);

  return cyxla_program_pick(program, &x, 1, found, error);
}

static int64_t size_of(const cyxla_program *program) {
  return cyxla_program_input(program, 1)->shape[0];
}

static void sizes_are_joined_in_order_and_live_together(void) {
  cyxla_program *joined = test_joined_program(), *last;

  EXPECT_EQUAL(cyxla_program_num_sizes(joined), 3);
  EXPECT_EQUAL(size_of(joined), 2);
  last = cyxla_program_size(joined, 2);
  EXPECT_EQUAL(size_of(last), 500);
  EXPECT_NULL(cyxla_program_size(joined, 3));
  EXPECT_EQUAL(cyxla_program_num_sizes(last), 3);
  EXPECT_TRUE(cyxla_program_size(last, 0) == joined);
  /* A reference to one of them keeps all. */
  cyxla_program_retain(last);
  cyxla_program_destroy(joined);
  EXPECT_EQUAL(size_of(cyxla_program_size(last, 1)), 3);
  cyxla_program_destroy(last);
}

static void expect_not_joined(cyxla_program *a, cyxla_program *b, const char *part) {
  const cyxla_program *const programs[2] = {a, b};
  cyxla_program *joined = a;
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_join(programs, 2, &joined, &error), CYXLA_INVALID_ARGUMENT,
               &error, part);
  EXPECT_NULL(joined);
  cyxla_program_destroy(a);
  cyxla_program_destroy(b);
}

static void programs_that_are_no_sizes_of_one_function_are_not_joined(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_program *tpu, *joined;
  cyxla_error error;

  options.platform = "tpu";
  EXPECT_OK(cyxla_program_create(&options, &tpu, &error), &error);
  expect_not_joined(test_sum_program(), tpu, "is for the platform tpu");
  expect_not_joined(test_negate_program(3), test_negate_program(3), "the same shapes");
  expect_not_joined(test_negate_program(3), NULL, "program 1 of those to join is NULL");
  expect_not_joined(test_sum_program(), test_negate_program(3), "input 0 of a size");
  EXPECT_ERROR(cyxla_program_join(NULL, 1, &joined, &error), CYXLA_INVALID_ARGUMENT,
               &error, "programs");
  EXPECT_ERROR(
      cyxla_program_join((const cyxla_program *const *)&joined, 0, &joined, &error),
      CYXLA_INVALID_ARGUMENT, &error, "0 programs");
}

static void sizes_take_and_return_as_many_arrays(void) {
  static const int64_t shape[1] = {7};
  cyxla_array_spec arrays[2] = {test_spec("y", CYXLA_FLOAT32, 0, NULL),
                                test_spec("x", CYXLA_FLOAT32, 1, shape)};

  expect_not_joined(test_negate_program(3), test_program("#", arrays, 1, arrays, 2),
                    "1 inputs, and its first has 2");
  expect_not_joined(test_negate_program(3), test_program("#", arrays, 2, arrays, 1),
                    "1 outputs, and its first has 2");
}

static void expect_negates(cyxla_executable *executable) {
  float *x;
  const float *negative;
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  x = cyxla_call_input(call, 1);
  x[0] = 5;
  x[size_of(executable->program) - 1] = 7;
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  negative = cyxla_call_output(call, 0);
  EXPECT_TRUE(negative[0] == -5);
  EXPECT_TRUE(negative[size_of(executable->program) - 1] == -7);
  cyxla_call_destroy(call);
}

/* Compiles that many of the sizes and writes all into a file. */
static const char *save_sizes(cyxla_program *joined, size_t num_executables) {
  const char *path = test_temporary_path("sizes.cyxla");
  cyxla_executable *executables[3];
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_error error;

  for (size_t i = 0; i < num_executables; i++) {
    EXPECT_OK(cyxla_executable_create(runtime, cyxla_program_size(joined, i),
                                      &executables[i], &error),
              &error);
  }
  EXPECT_OK(cyxla_executable_save_all((const cyxla_executable *const *)executables,
                                      num_executables, path, &error),
            &error);
  for (size_t i = 0; i < num_executables; i++) cyxla_executable_destroy(executables[i]);
  cyxla_runtime_destroy(runtime);
  return path;
}

static void a_file_holds_all_sizes_and_their_executables(void) {
  const test_fake *fake = test_fake_start();
  cyxla_program *joined = test_joined_program(), *loaded;
  const char *path = save_sizes(joined, 3);
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_executable *executable;
  cyxla_error error;

  EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
  EXPECT_EQUAL(cyxla_program_num_sizes(loaded), 3);
  for (size_t i = 0; i < 3; i++) {
    cyxla_program *size = cyxla_program_size(loaded, i);
    EXPECT_EQUAL(size_of(size), size_of(cyxla_program_size(joined, i)));
    EXPECT_EQUAL(cyxla_program_num_executables(size), 1);
    EXPECT_OK(cyxla_executable_create(runtime, size, &executable, &error), &error);
    EXPECT_TRUE(cyxla_executable_is_deserialized(executable));
    expect_negates(executable);
    cyxla_executable_destroy(executable);
  }
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Compile"), 3);
  cyxla_runtime_destroy(runtime);
  cyxla_program_destroy(loaded);
  cyxla_program_destroy(joined);
}

static void saving_one_size_keeps_the_others_and_what_was_compiled(void) {
  cyxla_program *joined, *loaded;
  const char *path;
  cyxla_error error;

  test_fake_start();
  joined = test_joined_program();
  path = save_sizes(joined, 3);
  /* The handle knows nothing of the executables that are in the file. */
  save_sizes(joined, 1);
  cyxla_program_destroy(joined);
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
    for (size_t k = 0; k < 3; k++) {
      EXPECT_EQUAL(cyxla_program_num_executables(cyxla_program_size(loaded, k)), 1);
    }
    EXPECT_OK(cyxla_program_save(cyxla_program_size(loaded, 1), path, &error), &error);
    cyxla_program_destroy(loaded);
  }
}

static void joining_keeps_executables(void) {
  cyxla_program *joined, *loaded, *programs[2], *again;
  const char *path;
  cyxla_error error;

  test_fake_start();
  joined = test_joined_program();
  path = save_sizes(joined, 3);
  cyxla_program_destroy(joined);
  EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
  programs[0] = cyxla_program_size(loaded, 2);
  programs[1] = cyxla_program_size(loaded, 0);
  EXPECT_OK(
      cyxla_program_join((const cyxla_program *const *)programs, 2, &again, &error),
      &error);
  cyxla_program_destroy(loaded);
  EXPECT_EQUAL(cyxla_program_num_sizes(again), 2);
  EXPECT_EQUAL(size_of(again), 500);
  EXPECT_EQUAL(cyxla_program_num_executables(cyxla_program_size(again, 1)), 1);
  cyxla_program_destroy(again);
}

static void executables_of_other_programs_are_not_saved_together(void) {
  const cyxla_executable *executables[2] = {NULL, NULL};
  const char *path = test_temporary_path("none.cyxla");
  cyxla_executable *a, *b;
  cyxla_error error;

  test_fake_start();
  a = test_compile(test_negate_program(2));
  b = test_compile(test_negate_program(3));
  executables[0] = a;
  EXPECT_ERROR(cyxla_executable_save_all(executables, 0, path, &error),
               CYXLA_INVALID_ARGUMENT, &error, "0 executables");
  EXPECT_ERROR(cyxla_executable_save_all(executables, 2, path, &error),
               CYXLA_INVALID_ARGUMENT, &error, "executable 1 of those to save is NULL");
  executables[1] = b;
  EXPECT_ERROR(cyxla_executable_save_all(executables, 2, path, &error),
               CYXLA_INVALID_ARGUMENT, &error, "cyxla_program_join");
  cyxla_executable_destroy(a);
  cyxla_executable_destroy(b);
}

static void executables_of_other_plugins_are_not_saved_together(void) {
  cyxla_executable *executables[2];
  cyxla_runtime *runtimes[2];
  cyxla_program *joined;
  cyxla_error error;

  test_fake_start();
  joined = test_joined_program();
  runtimes[0] = test_fake_runtime();
  runtimes[1] = test_runtime(test_fake_copy("other.so"));
  for (size_t i = 0; i < 2; i++) {
    EXPECT_OK(cyxla_executable_create(runtimes[i], cyxla_program_size(joined, i),
                                      &executables[i], &error),
              &error);
  }
  EXPECT_ERROR(cyxla_executable_save_all((const cyxla_executable *const *)executables,
                                         2, test_temporary_path("none.cyxla"), &error),
               CYXLA_INVALID_ARGUMENT, &error, "save them one by one");
  for (size_t i = 0; i < 2; i++) {
    cyxla_executable_destroy(executables[i]);
    cyxla_runtime_destroy(runtimes[i]);
  }
  cyxla_program_destroy(joined);
}

/* Joins, saves, loads and picks; the memory may run out anywhere. */
static cyxla_status go_round(cyxla_program **programs, const char *path,
                             cyxla_error *error) {
  cyxla_program *joined, *loaded, *found;
  cyxla_status status =
      cyxla_program_join((const cyxla_program *const *)programs, 2, &joined, error);

  if (status != CYXLA_OK) return status;
  status = cyxla_program_save(joined, path, error);
  cyxla_program_destroy(joined);
  if (status == CYXLA_OK) status = cyxla_program_load(path, &loaded, error);
  if (status != CYXLA_OK) return status;
  status = pick(loaded, 3, &found, error);
  cyxla_program_destroy(loaded);
  return status;
}

static void memory_that_runs_out_leaves_nothing_behind(void) {
  cyxla_program *programs[2], *joined, *loaded;
  const char *path;
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_error error;
  long live;

  test_fake_start();
  joined = test_joined_program();
  path = save_sizes(joined, 3);
  cyxla_program_destroy(joined);
  EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
  programs[0] = cyxla_program_size(loaded, 0);
  programs[1] = cyxla_program_size(loaded, 1);
  live = cyxla_memory_live();
  for (long n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status = go_round(programs, path, &error);
    cyxla_memory_fail_after(-1);
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  EXPECT_OK(status, &error);
  cyxla_program_destroy(loaded);
}

/* Saves executables of two sizes; the memory may run out anywhere. */
static void memory_that_runs_out_while_saving_leaves_nothing_behind(void) {
  const char *path = test_temporary_path("sizes.cyxla");
  cyxla_executable *executables[2];
  cyxla_runtime *runtime;
  cyxla_program *joined;
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_error error;
  long live;

  test_fake_start();
  joined = test_joined_program();
  runtime = test_fake_runtime();
  for (size_t i = 0; i < 2; i++) {
    EXPECT_OK(cyxla_executable_create(runtime, cyxla_program_size(joined, i),
                                      &executables[i], &error),
              &error);
  }
  live = cyxla_memory_live();
  for (long n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status = cyxla_executable_save_all((const cyxla_executable *const *)executables, 2,
                                       path, &error);
    cyxla_memory_fail_after(-1);
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  EXPECT_OK(status, &error);
  cyxla_executable_destroy(executables[1]);
  executables[1] = executables[0];
  EXPECT_ERROR(cyxla_executable_save_all((const cyxla_executable *const *)executables,
                                         2, path, &error),
               CYXLA_INVALID_ARGUMENT, &error, "executables 0 and 1 of those to save");
  cyxla_executable_destroy(executables[0]);
  cyxla_runtime_destroy(runtime);
  cyxla_program_destroy(joined);
}

static void there_are_at_most_so_many_sizes(void) {
  static cyxla_program *programs[CYXLA_SIZES_MAXIMUM + 1];
  const char *path = test_temporary_path("sizes.cyxla");
  cyxla_program *joined, *loaded, *found;
  const cyxla_array_spec *last;
  cyxla_error error;

  for (size_t i = 0; i <= CYXLA_SIZES_MAXIMUM; i++) {
    programs[i] = test_negate_program((int64_t)i);
  }
  EXPECT_ERROR(cyxla_program_join((const cyxla_program *const *)programs,
                                  CYXLA_SIZES_MAXIMUM + 1, &joined, &error),
               CYXLA_INVALID_ARGUMENT, &error, "more than 4096 sizes");
  EXPECT_OK(cyxla_program_join((const cyxla_program *const *)programs,
                               CYXLA_SIZES_MAXIMUM, &joined, &error),
            &error);
  EXPECT_OK(cyxla_program_save(joined, path, &error), &error);
  EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
  last = cyxla_program_input(cyxla_program_size(loaded, CYXLA_SIZES_MAXIMUM - 1), 1);
  EXPECT_OK(cyxla_program_pick(loaded, last, 1, &found, &error), &error);
  EXPECT_EQUAL(size_of(found), CYXLA_SIZES_MAXIMUM - 1);
  EXPECT_ERROR(cyxla_program_pick(loaded, NULL, 0, &found, &error),
               CYXLA_SIZE_NOT_FOUND, &error, "x[0]; x[1]; x[2]");
  cyxla_program_destroy(loaded);
  cyxla_program_destroy(joined);
  for (size_t i = 0; i <= CYXLA_SIZES_MAXIMUM; i++) cyxla_program_destroy(programs[i]);
}

/* What each of several threads does with a file of its own executable. */
typedef struct saver {
  cyxla_executable *executable;
  const char *path;
  cyxla_status status;
} saver;

static void *save_one(void *argument) {
  saver *self = argument;

  self->status = cyxla_executable_save(self->executable, self->path, NULL);
  return NULL;
}

static void sizes_that_are_saved_at_once_are_all_there(void) {
  const char *path = test_temporary_path("sizes.cyxla");
  cyxla_runtime *runtime;
  cyxla_program *joined, *loaded;
  pthread_t threads[3];
  saver savers[3];
  cyxla_error error;

  test_fake_start();
  joined = test_joined_program();
  runtime = test_fake_runtime();
  for (size_t i = 0; i < 3; i++) {
    savers[i].path = path;
    EXPECT_OK(cyxla_executable_create(runtime, cyxla_program_size(joined, i),
                                      &savers[i].executable, &error),
              &error);
  }
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, save_one, &savers[i]), 0);
  }
  for (size_t i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    EXPECT_EQUAL(savers[i].status, CYXLA_OK);
    cyxla_executable_destroy(savers[i].executable);
  }
  EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQUAL(cyxla_program_num_executables(cyxla_program_size(loaded, i)), 1);
  }
  cyxla_program_destroy(loaded);
  cyxla_program_destroy(joined);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(memory_that_runs_out_while_saving_leaves_nothing_behind),
          TEST_CASE(sizes_that_are_saved_at_once_are_all_there),
          TEST_CASE(there_are_at_most_so_many_sizes),
          TEST_CASE(sizes_are_joined_in_order_and_live_together),
          TEST_CASE(programs_that_are_no_sizes_of_one_function_are_not_joined),
          TEST_CASE(sizes_take_and_return_as_many_arrays),
          TEST_CASE(a_file_holds_all_sizes_and_their_executables),
          TEST_CASE(saving_one_size_keeps_the_others_and_what_was_compiled),
          TEST_CASE(joining_keeps_executables),
          TEST_CASE(executables_of_other_programs_are_not_saved_together),
          TEST_CASE(executables_of_other_plugins_are_not_saved_together),
          TEST_CASE(memory_that_runs_out_leaves_nothing_behind))
