#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "executable.h"
#include "memory.h"
#include "program_file.h"
#include "test.h"
#include "test_fake.h"

/* The fake plugin as a library of another build: bytes behind it change its hash and
 * nothing else. */
static const char *other_build(const char *name, const char *behind) {
  const char *path = test_temporary_path(name);
  size_t bytes, more = strlen(behind);
  unsigned char *data = test_read_file(test_fake_path(), &bytes);
  unsigned char *longer = cyxla_allocate(bytes + more);

  memcpy(longer, data, bytes);
  memcpy(longer + bytes, behind, more);
  test_write_file(path, longer, bytes + more);
  cyxla_release(longer);
  return path;
}

static void save(const cyxla_executable *executable, const char *path) {
  cyxla_error error;

  EXPECT_OK(cyxla_executable_save(executable, path, &error), &error);
}

/* Compiles the sum for a runtime, which goes to the executable. */
static cyxla_executable *compile_for(cyxla_runtime *runtime) {
  cyxla_program *program = test_sum_program();
  cyxla_executable *executable;
  cyxla_error error;

  EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  return executable;
}

static const char *save_sum(const char *plugin) {
  const char *path = test_temporary_path("sum.cyxla");
  cyxla_executable *executable = compile_for(test_runtime(plugin));

  save(executable, path);
  cyxla_executable_destroy(executable);
  return path;
}

static cyxla_executable *open_for(const char *path, cyxla_runtime *runtime) {
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *executable;
  cyxla_error error;

  options.runtime = runtime;
  EXPECT_OK(cyxla_open(path, &options, &executable, &error), &error);
  cyxla_runtime_destroy(runtime);
  return executable;
}

static void expect_opened(const char *path, cyxla_runtime *runtime,
                          bool is_deserialized) {
  cyxla_executable *executable = open_for(path, runtime);
  cyxla_call *call;
  cyxla_error error;

  EXPECT_EQUAL(cyxla_executable_is_deserialized(executable), is_deserialized);
  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  cyxla_executable_destroy(executable);
  test_sum_fill(call, 2);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, 2);
  cyxla_call_destroy(call);
}

static size_t count_executables(const char *path) {
  cyxla_program *program;
  cyxla_error error;
  size_t count;

  EXPECT_OK(cyxla_program_load(path, &program, &error), &error);
  count = cyxla_program_num_executables(program);
  cyxla_program_destroy(program);
  return count;
}

static void a_saved_executable_is_opened_without_compiling(void) {
  const test_fake *fake = test_fake_start();
  const char *path = save_sum(test_fake_path());

  EXPECT_EQUAL(count_executables(path), 1);
  expect_opened(path, test_fake_runtime(), true);
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Compile"), 1);
}

static void another_build_of_the_plugin_never_sees_it(void) {
  const test_fake *fake = test_fake_start();
  const char *path = save_sum(other_build("a.so", "a"));

  expect_opened(path, test_fake_runtime(), false);
  expect_opened(path, test_runtime(other_build("b.so", "b")), false);
  expect_opened(path, test_runtime(other_build("c.so", "a")), true);
  EXPECT_EQUAL(fake->calls_of("PJRT_Executable_DeserializeAndLoad"), 0);
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Compile"), 1);
}

static void other_flags_of_xla_compile_again(void) {
  const char *path, *copy = test_fake_copy("flags.so");

  test_fake_start();
  path = save_sum(test_fake_path());
  test_set_environment("XLA_FLAGS", "--xla_cpu_enable_fast_math=true");
  expect_opened(path, test_runtime(copy), false);
}

static void an_executable_that_the_plugin_refuses_is_compiled(void) {
  const test_fake *fake = test_fake_start();
  const char *path = save_sum(test_fake_path());
  cyxla_executable *executable;

  fake->fail_function("PJRT_Executable_DeserializeAndLoad");
  expect_opened(path, test_fake_runtime(), false);
  fake->fail_function(NULL);
  fake->remove_function("PJRT_Executable_DeserializeAndLoad");
  executable = open_for(path, test_fake_runtime());
  EXPECT_TRUE(!cyxla_executable_is_deserialized(executable));
  cyxla_executable_destroy(executable);
}

static void an_executable_of_another_signature_is_compiled(void) {
  const test_fake *fake = test_fake_start();
  const char *path = save_sum(test_fake_path());
  cyxla_executable *executable = (cyxla_executable *)&executable;
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_error error;

  fake->set(FAKE_OUTPUT_RANK, 0);
  options.plugin = test_fake_path();
  EXPECT_ERROR(cyxla_open(path, &options, &executable, &error),
               CYXLA_SIGNATURE_MISMATCH, &error, "another shape");
  EXPECT_NULL(executable);
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Compile"), 2);
}

static void a_file_serves_several_plugins(void) {
  const char *a = other_build("a.so", "a"), *b = other_build("b.so", "b"), *path;

  path = save_sum(a);
  save_sum(b);
  EXPECT_EQUAL(count_executables(path), 2);
  expect_opened(path, test_runtime(a), true);
  expect_opened(path, test_runtime(b), true);
  save_sum(a);
  EXPECT_EQUAL(count_executables(path), 2);
}

static void what_was_opened_is_saved_elsewhere_with_all_that_it_had(void) {
  const char *a = other_build("a.so", "a"), *b = other_build("b.so", "b");
  const char *path = save_sum(a), *other = test_temporary_path("other.cyxla");
  cyxla_executable *executable;
  cyxla_program *program;
  cyxla_error error;

  executable = open_for(path, test_runtime(b));
  save(executable, other);
  cyxla_executable_destroy(executable);
  EXPECT_EQUAL(count_executables(other), 2);
  executable = open_for(other, test_runtime(b));
  save(executable, other);
  cyxla_executable_destroy(executable);
  EXPECT_EQUAL(count_executables(other), 2);
  expect_opened(other, test_runtime(a), true);
  expect_opened(other, test_runtime(b), true);
  EXPECT_OK(cyxla_program_load(other, &program, &error), &error);
  EXPECT_OK(cyxla_program_save(program, path, &error), &error);
  cyxla_program_destroy(program);
  EXPECT_EQUAL(count_executables(path), 2);
}

/* The data came from the caller, who vouches for it. */
static void what_the_caller_loaded_is_saved(void) {
  cyxla_executable *compiled, *loaded;
  const char *path = test_temporary_path("sum.cyxla");
  void *data;
  size_t bytes;
  cyxla_error error;

  test_fake_start();
  compiled = compile_for(test_fake_runtime());
  EXPECT_OK(cyxla_executable_serialize(compiled, &data, &bytes, &error), &error);
  EXPECT_OK(cyxla_executable_deserialize(compiled->runtime, compiled->program, data,
                                         bytes, &loaded, &error),
            &error);
  cyxla_aligned_free(data);
  cyxla_executable_destroy(compiled);
  save(loaded, path);
  cyxla_executable_destroy(loaded);
  expect_opened(path, test_fake_runtime(), true);
}

static void executables_of_another_program_are_not_kept(void) {
  const char *path = save_sum(other_build("a.so", "a"));
  cyxla_program_options options = test_sum_options();
  cyxla_executable *executable;
  cyxla_program *program;
  cyxla_error error;

  test_fake_start();
  options.compile_options = "\x1a\x04\x20\x01\x28\x01\x10\x01";
  options.compile_options_bytes = 8;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  executable = test_compile(program);
  save(executable, path);
  EXPECT_EQUAL(count_executables(path), 1);
  cyxla_executable_destroy(executable);
  expect_opened(path, test_fake_runtime(), true);
}

static void a_file_that_is_none_is_replaced(void) {
  const char *path = test_temporary_path("sum.cyxla");

  test_fake_start();
  test_write_file(path, "text", 4);
  save_sum(test_fake_path());
  EXPECT_EQUAL(count_executables(path), 1);
}

static void what_cannot_be_serialized_is_saved_without(void) {
  const test_fake *fake = test_fake_start();
  const char *path;

  fake->fail_function("PJRT_Executable_Serialize");
  path = save_sum(test_fake_path());
  fake->fail_function(NULL);
  EXPECT_EQUAL(count_executables(path), 0);
  expect_opened(path, test_fake_runtime(), false);
  fake->remove_function("PJRT_Executable_Serialize");
  EXPECT_EQUAL(count_executables(save_sum(test_fake_path())), 0);
}

static void every_allocation_of_saving_over_others_may_fail(void) {
  const char *path = save_sum(other_build("a.so", "a"));
  cyxla_executable *executable;
  long allocations;
  cyxla_error error;

  test_fake_start();
  executable = compile_for(test_fake_runtime());
  allocations = -cyxla_memory_allocations();
  save(executable, path);
  allocations += cyxla_memory_allocations();
  for (long n = 0; n < allocations; n++) {
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(cyxla_executable_save(executable, path, &error), CYXLA_OUT_OF_MEMORY,
                 &error, "no memory left for ");
    EXPECT_EQUAL(count_executables(path), 2);
  }
  cyxla_memory_fail_after(-1);
  EXPECT_OK(cyxla_executable_save(executable, path, NULL), &error);
  cyxla_executable_destroy(executable);
}

enum { NUM_THREADS = 4 };

typedef struct opening {
  const char *path;
  cyxla_runtime *runtime;
  cyxla_executable *executable;
} opening;

static void *open_in_thread(void *argument) {
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  opening *self = argument;

  options.runtime = self->runtime;
  cyxla_open(self->path, &options, &self->executable, NULL);
  return NULL;
}

/* The first of them to ask hashes the plugin's library. */
static void any_number_of_threads_open_a_file_at_once(void) {
  const char *path = save_sum(other_build("a.so", "a"));
  cyxla_runtime *runtime = test_runtime(other_build("b.so", "a"));
  pthread_t threads[NUM_THREADS];
  opening openings[NUM_THREADS];

  for (int i = 0; i < NUM_THREADS; i++) {
    const opening begin = {path, runtime, NULL};
    openings[i] = begin;
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, open_in_thread, &openings[i]), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) {
    EXPECT_EQUAL(pthread_join(threads[i], NULL), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) {
    EXPECT_TRUE(openings[i].executable != NULL);
    EXPECT_TRUE(cyxla_executable_is_deserialized(openings[i].executable));
    cyxla_executable_destroy(openings[i].executable);
  }
  cyxla_runtime_destroy(runtime);
}

static void required_arguments_are_named(void) {
  cyxla_executable *executable;
  cyxla_program *program = test_sum_program();
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  EXPECT_ERROR(cyxla_executable_create(NULL, program, &executable, &error),
               CYXLA_FAILED_PRECONDITION, &error,
               "the runtime is NULL, and the program cannot run without one: its file "
               "holds no code that is called directly");
  EXPECT_ERROR(cyxla_executable_create(runtime, NULL, &executable, &error),
               CYXLA_INVALID_ARGUMENT, &error, "program");
  EXPECT_ERROR(cyxla_executable_create(runtime, program, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "executable");
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(a_saved_executable_is_opened_without_compiling),
          TEST_CASE(another_build_of_the_plugin_never_sees_it),
          TEST_CASE(other_flags_of_xla_compile_again),
          TEST_CASE(an_executable_that_the_plugin_refuses_is_compiled),
          TEST_CASE(an_executable_of_another_signature_is_compiled),
          TEST_CASE(a_file_serves_several_plugins),
          TEST_CASE(what_was_opened_is_saved_elsewhere_with_all_that_it_had),
          TEST_CASE(what_the_caller_loaded_is_saved),
          TEST_CASE(executables_of_another_program_are_not_kept),
          TEST_CASE(a_file_that_is_none_is_replaced),
          TEST_CASE(what_cannot_be_serialized_is_saved_without),
          TEST_CASE(every_allocation_of_saving_over_others_may_fail),
          TEST_CASE(any_number_of_threads_open_a_file_at_once),
          TEST_CASE(required_arguments_are_named))
