#define _GNU_SOURCE /* feenableexcept */
#include "executable.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "program_file.h"
#include "test.h"
#include "test_fake.h"

static cyxla_executable *compile(void) {
  return test_compile(test_sum_program());
}

/* A file with the sum and the record of the plugin at a path. */
static const char *save_with_record(const char *plugin) {
  const char *path = test_temporary_path("sum.cyxla");
  cyxla_program *program = test_sum_program();
  cyxla_plugin_record record;
  cyxla_error error;

  EXPECT_OK(cyxla_plugin_record_create(plugin, &record, &error), &error);
  EXPECT_OK(cyxla_program_file_write(program, path, &record, NULL, 0, &error), &error);
  cyxla_plugin_record_free(&record);
  cyxla_program_destroy(program);
  return path;
}

static void an_executable_tells_what_it_is(void) {
  cyxla_executable *executable;

  test_fake_start();
  executable = compile();
  EXPECT_EQUAL(cyxla_executable_num_inputs(executable), 2);
  EXPECT_EQUAL(cyxla_executable_num_outputs(executable), 1);
  EXPECT_TEXT(cyxla_executable_input(executable, 1)->name, "y");
  EXPECT_TEXT(cyxla_executable_output(executable, 0)->name, "sum");
  EXPECT_NULL(cyxla_executable_input(executable, 2));
  EXPECT_NULL(cyxla_executable_output(executable, 1));
  EXPECT_EQUAL(cyxla_executable_find_input(executable, "y"), 1);
  EXPECT_EQUAL(cyxla_executable_find_input(executable, "sum"), (size_t)-1);
  EXPECT_EQUAL(cyxla_executable_find_output(executable, "sum"), 0);
  EXPECT_EQUAL(cyxla_executable_find_output(executable, "x"), (size_t)-1);
  EXPECT_TEXT(cyxla_executable_tier(executable), "pjrt");
  EXPECT_TRUE(cyxla_executable_compile_seconds(executable) >= 0);
  EXPECT_EQUAL(cyxla_executable_code_bytes(executable), 1234);
  EXPECT_TEXT(cyxla_program_platform(cyxla_executable_program(executable)), "cpu");
  EXPECT_TEXT(cyxla_executable_runtime(executable)->platform, "cpu");
  cyxla_executable_destroy(executable);
}

static void the_plugin_gets_code_and_compile_options(void) {
  const test_fake *fake = test_fake_start();
  cyxla_program_options options = test_sum_options();
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_program *program;
  cyxla_executable *executable;
  cyxla_error error;
  size_t bytes;

  options.compile_options = "\x1a\0\1";
  options.compile_options_bytes = 3;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
  EXPECT_BYTES(fake->compile_options(&bytes), "\x1a\0\1", 3);
  EXPECT_EQUAL(bytes, 3);
  cyxla_executable_destroy(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

static void the_plugin_s_text_is_kept_where_a_program_does_not_compile(void) {
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_executable *executable;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  program = test_program("no such line", NULL, 0, NULL, 0);
  EXPECT_ERROR(
      cyxla_executable_compile(runtime, program, &executable, &error),
      CYXLA_INVALID_ARGUMENT, &error,
      "the plugin cannot compile the program: line 1: cannot understand \"no such "
      "line\"");
  EXPECT_NULL(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

static void a_program_of_another_platform_is_refused(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_executable *executable;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  options.platform = "cuda";
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  EXPECT_ERROR(cyxla_executable_compile(runtime, program, &executable, &error),
               CYXLA_PLATFORM_MISMATCH, &error,
               "the program was lowered for the platform cuda, and the plugin ");
  EXPECT_NULL(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

static void required_arguments_are_named(void) {
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_executable *executable;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  program = test_sum_program();
  EXPECT_ERROR(cyxla_executable_compile(NULL, program, &executable, &error),
               CYXLA_INVALID_ARGUMENT, &error, "the argument runtime of");
  EXPECT_ERROR(cyxla_executable_compile(runtime, NULL, &executable, &error),
               CYXLA_INVALID_ARGUMENT, &error, "the argument program of");
  EXPECT_ERROR(cyxla_executable_compile(runtime, program, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "the argument executable of");
  EXPECT_ERROR(cyxla_open(NULL, NULL, &executable, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument path of cyxla_open is NULL");
  EXPECT_ERROR(cyxla_open("x", NULL, NULL, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the argument executable of cyxla_open is NULL");
  EXPECT_ERROR(cyxla_executable_save(NULL, "x", &error), CYXLA_INVALID_ARGUMENT, &error,
               "the argument executable of cyxla_executable_save is NULL");
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  executable = compile();
  EXPECT_ERROR(cyxla_executable_save(executable, NULL, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument path of cyxla_executable_save is NULL");
  cyxla_executable_destroy(executable);
}

static void the_last_reference_frees(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable = compile();

  EXPECT_TRUE(cyxla_executable_retain(executable) == executable);
  cyxla_executable_destroy(executable);
  EXPECT_EQUAL(fake->live(FAKE_LOADED_EXECUTABLE), 1);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 1);
  cyxla_executable_destroy(executable);
  EXPECT_EQUAL(fake->live_total(), 0);
  cyxla_executable_destroy(NULL);
}

static void a_saved_executable_is_opened_with_the_plugin_that_compiled_it(void) {
  const char *path = test_temporary_path("sum.cyxla");
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable = compile();
  cyxla_error error;

  test_set_environment("CYXLA_PLUGIN", NULL);
  EXPECT_OK(cyxla_executable_save(executable, path, &error), &error);
  cyxla_executable_destroy(executable);
  EXPECT_EQUAL(fake->live_total(), 0);
  executable = test_open(path, NULL);
  EXPECT_TEXT(cyxla_executable_output(executable, 0)->name, "sum");
  EXPECT_EQUAL(fake->live(FAKE_LOADED_EXECUTABLE), 1);
  cyxla_executable_destroy(executable);
}

static void default_runtimes_are_shared_and_outlive_executables(void) {
  const char *path = save_with_record(test_fake_path());
  const test_fake *fake = test_fake_start();
  cyxla_executable *first, *second;

  test_set_environment("CYXLA_PLUGIN", NULL);
  first = test_open(path, NULL);
  second = test_open(path, NULL);
  EXPECT_TRUE(first != second);
  EXPECT_TRUE(cyxla_executable_runtime(first) == cyxla_executable_runtime(second));
  cyxla_executable_destroy(first);
  cyxla_executable_destroy(second);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 1);
  EXPECT_EQUAL(fake->live_total(), 1);
}

static void a_runtime_in_the_options_is_used(void) {
  const char *path = save_with_record(test_fake_path());
  const test_fake *fake = test_fake_start();
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *executable;

  test_set_environment("CYXLA_PLUGIN", "/nowhere/plugin.so");
  options.runtime = test_fake_runtime();
  options.plugin = "/nowhere/plugin.so";
  executable = test_open(path, &options);
  EXPECT_TRUE(cyxla_executable_runtime(executable) == options.runtime);
  cyxla_runtime_destroy(options.runtime);
  cyxla_executable_destroy(executable);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 0);
}

static void a_plugin_in_the_options_comes_before_that_of_the_environment(void) {
  const char *path = save_with_record(test_fake_path());
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;

  test_fake_start();
  test_set_environment("CYXLA_PLUGIN", "/nowhere/environment.so");
  options.plugin = test_fake_path();
  cyxla_executable_destroy(test_open(path, &options));
  options.plugin = "/nowhere/options.so";
  test_expect_not_opened(path, &options, CYXLA_PLUGIN_UNLOADABLE,
                         "/nowhere/options.so");
  test_expect_not_opened(path, NULL, CYXLA_PLUGIN_UNLOADABLE,
                         "the variable CYXLA_PLUGIN");
}

static void a_plugin_beside_the_file_is_found(void) {
  const char *recorded = test_temporary_path("recorded.so");
  const char *path, *beside;

  test_fake_start();
  test_set_environment("CYXLA_PLUGIN", NULL);
  test_write_file(recorded, "gone", 4);
  path = save_with_record(recorded);
  test_write_file(recorded, "changed", 7);
  test_expect_not_opened(path, NULL, CYXLA_PLUGIN_NOT_FOUND, "recorded.so");
  beside = test_fake_copy("pjrt_c_api_cpu_plugin.so");
  cyxla_executable *executable = test_open(path, NULL);
  EXPECT_TEXT(cyxla_executable_runtime(executable)->plugin->path, beside);
  cyxla_executable_destroy(executable);
}

static void what_cannot_be_opened_is_named(void) {
  const char *path = test_temporary_path("file.cyxla");
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;

  test_fake_start();
  test_expect_not_opened("/nowhere/x.cyxla", NULL, CYXLA_FILE_UNREADABLE,
                         "/nowhere/x.cyxla");
  test_write_file(path, "text", 4);
  test_expect_not_opened(path, NULL, CYXLA_FILE_INVALID, path);
  options.struct_size = 1;
  test_expect_not_opened(path, &options, CYXLA_INVALID_ARGUMENT,
                         "struct_size of cyxla_open_options is 1");
}

static void a_file_of_another_platform_is_refused(void) {
  const char *path = test_temporary_path("tpu.cyxla");
  cyxla_program_options program_options = test_sum_options();
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_program *program;
  cyxla_error error;

  test_fake_start();
  program_options.platform = "tpu";
  EXPECT_OK(cyxla_program_create(&program_options, &program, &error), &error);
  EXPECT_OK(cyxla_program_save(program, path, &error), &error);
  cyxla_program_destroy(program);
  options.plugin = test_fake_path();
  test_expect_not_opened(path, &options, CYXLA_PLATFORM_MISMATCH,
                         "implements the platform cpu, expected tpu");
  options.runtime = test_fake_runtime();
  test_expect_not_opened(path, &options, CYXLA_PLATFORM_MISMATCH,
                         "was lowered for the platform tpu");
  cyxla_runtime_destroy(options.runtime);
}

static void a_plugin_that_is_gone_cannot_be_recorded(void) {
  const char *copy = test_fake_copy("copy.so");
  const char *path = test_temporary_path("sum.cyxla");
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_program *program = test_sum_program();
  cyxla_runtime *runtime;
  cyxla_executable *executable;
  cyxla_error error;

  options.plugin = copy;
  EXPECT_OK(cyxla_runtime_create(&options, &runtime, &error), &error);
  EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
  EXPECT_EQUAL(remove(copy), 0);
  EXPECT_ERROR(cyxla_executable_save(executable, path, &error), CYXLA_FILE_UNREADABLE,
               &error, copy);
  cyxla_program_destroy(program);
  EXPECT_ERROR(cyxla_program_load(path, &program, &error), CYXLA_FILE_UNREADABLE,
               &error, path);
  cyxla_executable_destroy(executable);
  cyxla_runtime_destroy(runtime);
}

static void failures_to_destroy_are_no_failures(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable = compile();

  fake->fail_from(0);
  cyxla_executable_destroy(executable);
  EXPECT_EQUAL(fake->live_total(), 0);
}

static void the_caller_s_traps_and_flags_stay(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_program *program = test_sum_program();
  cyxla_executable *executable;
  cyxla_error error;
  int enabled;

  fake->set(FAKE_DIVIDES_BY_ZERO, 1);
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_DIVBYZERO);
  EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
  enabled = fedisableexcept(FE_DIVBYZERO);
  EXPECT_EQUAL(enabled & FE_DIVBYZERO, FE_DIVBYZERO);
  EXPECT_EQUAL(fetestexcept(FE_DIVBYZERO), 0);
  fake->set(FAKE_DIVIDES_BY_ZERO, 0);
  cyxla_executable_destroy(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(an_executable_tells_what_it_is),
          TEST_CASE(the_plugin_gets_code_and_compile_options),
          TEST_CASE(the_plugin_s_text_is_kept_where_a_program_does_not_compile),
          TEST_CASE(a_program_of_another_platform_is_refused),
          TEST_CASE(required_arguments_are_named), TEST_CASE(the_last_reference_frees),
          TEST_CASE(a_saved_executable_is_opened_with_the_plugin_that_compiled_it),
          TEST_CASE(default_runtimes_are_shared_and_outlive_executables),
          TEST_CASE(a_runtime_in_the_options_is_used),
          TEST_CASE(a_plugin_in_the_options_comes_before_that_of_the_environment),
          TEST_CASE(a_plugin_beside_the_file_is_found),
          TEST_CASE(what_cannot_be_opened_is_named),
          TEST_CASE(a_file_of_another_platform_is_refused),
          TEST_CASE(a_plugin_that_is_gone_cannot_be_recorded),
          TEST_CASE(failures_to_destroy_are_no_failures),
          TEST_CASE(the_caller_s_traps_and_flags_stay))
