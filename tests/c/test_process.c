#define _XOPEN_SOURCE 700
#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin.h"
#include "runtime.h"
#include "test.h"
#include "test_child.h"
#include "test_fake.h"

static int check_generation(void *argument) {
  TEST_CHILD_EXPECT(cyxla_process_generation() == *(long *)argument + 1);
  return 0;
}

static void a_fork_is_counted_in_the_child_only(void) {
  long generation;

  cyxla_process_watch();
  cyxla_process_watch();
  generation = cyxla_process_generation();
  test_expect_in_child(check_generation, &generation);
  EXPECT_EQUAL(cyxla_process_generation(), generation);
}

static int check_locks(void *unused) {
  (void)unused;
  cyxla_lock_acquire(&cyxla_process_runtimes_lock);
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  cyxla_lock_release(&cyxla_process_runtimes_lock);
  return 0;
}

static void the_locks_are_free_on_both_sides_of_a_fork(void) {
  cyxla_process_watch();
  test_expect_in_child(check_locks, NULL);
  EXPECT_EQUAL(check_locks(NULL), 0);
}

typedef struct handles {
  const test_fake *fake;
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_executable *executable;
  cyxla_call *call;
  const char *file;
} handles;

static bool is_refused(cyxla_status status, const cyxla_error *error) {
  return status == CYXLA_FORKED && error->status == CYXLA_FORKED &&
         strstr(error->message, "the process was forked after the plugin") != NULL;
}

static int check_refusals(void *argument) {
  handles *all = argument;
  cyxla_runtime_options runtime_options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_open_options open_options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_runtime *runtime;
  cyxla_executable *executable;
  cyxla_call *call;
  cyxla_error error;
  float memory[3];
  long calls = all->fake->calls();

  TEST_CHILD_EXPECT(cyxla_call_output(all->call, 0) != NULL);
  TEST_CHILD_EXPECT(is_refused(cyxla_call_run(all->call, &error), &error));
  TEST_CHILD_EXPECT(cyxla_call_output(all->call, 0) == NULL);
  TEST_CHILD_EXPECT(
      is_refused(cyxla_call_create(all->executable, &call, &error), &error));
  TEST_CHILD_EXPECT(call == NULL);
  TEST_CHILD_EXPECT(is_refused(
      cyxla_executable_compile(all->runtime, all->program, &executable, &error),
      &error));
  TEST_CHILD_EXPECT(executable == NULL);
  TEST_CHILD_EXPECT(
      is_refused(cyxla_call_bind_input(all->call, 0, memory, &error), &error));
  TEST_CHILD_EXPECT(
      is_refused(cyxla_call_bind_output(all->call, 0, memory, &error), &error));
  runtime_options.plugin = test_fake_path();
  TEST_CHILD_EXPECT(
      is_refused(cyxla_runtime_create(&runtime_options, &runtime, &error), &error));
  TEST_CHILD_EXPECT(runtime == NULL);
  open_options.plugin = test_fake_path();
  TEST_CHILD_EXPECT(
      is_refused(cyxla_open(all->file, &open_options, &executable, &error), &error));
  open_options.runtime = all->runtime;
  TEST_CHILD_EXPECT(
      is_refused(cyxla_open(all->file, &open_options, &executable, &error), &error));
  cyxla_call_destroy(all->call);
  cyxla_executable_destroy(all->executable);
  cyxla_runtime_destroy(all->runtime);
  cyxla_runtime_forget_defaults();
  TEST_CHILD_EXPECT(all->fake->calls() == calls);
  return 0;
}

static void a_child_is_refused_at_once_and_the_parent_goes_on(void) {
  handles all;
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *opened;
  cyxla_error error;

  all.fake = test_fake_start();
  all.runtime = test_fake_runtime();
  all.program = test_sum_program();
  all.file = test_temporary_path("sum.cyxla");
  EXPECT_OK(cyxla_program_save(all.program, all.file, &error), &error);
  EXPECT_OK(cyxla_executable_compile(all.runtime, all.program, &all.executable, &error),
            &error);
  EXPECT_OK(cyxla_call_create(all.executable, &all.call, &error), &error);
  /* So that there is a default runtime too. */
  options.plugin = test_fake_path();
  EXPECT_OK(cyxla_open(all.file, &options, &opened, &error), &error);
  cyxla_executable_destroy(opened);
  EXPECT_OK(cyxla_call_run(all.call, &error), &error);
  test_expect_in_child(check_refusals, &all);
  test_sum_fill(all.call, 2);
  EXPECT_OK(cyxla_call_run(all.call, &error), &error);
  test_sum_expect(all.call, 2);
  cyxla_call_destroy(all.call);
  cyxla_executable_destroy(all.executable);
  cyxla_program_destroy(all.program);
  cyxla_runtime_destroy(all.runtime);
}

static int check_run(void *unused) {
  cyxla_call *call = test_sum_call();

  (void)unused;
  test_sum_fill(call, 2);
  TEST_CHILD_EXPECT(cyxla_call_run(call, NULL) == CYXLA_OK);
  TEST_CHILD_EXPECT(((const float *)cyxla_call_output(call, 0))[2] == 104);
  cyxla_call_destroy(call);
  return 0;
}

static void a_child_may_start_a_plugin_that_has_not_started(void) {
  const cyxla_plugin *plugin;
  cyxla_error error;

  test_fake_start();
  cyxla_process_watch();
  EXPECT_OK(cyxla_plugin_load(test_fake_path(), &plugin, &error), &error);
  test_expect_in_child(check_run, NULL);
  EXPECT_EQUAL(check_run(NULL), 0);
}

TEST_MAIN(TEST_CASE(a_fork_is_counted_in_the_child_only),
          TEST_CASE(the_locks_are_free_on_both_sides_of_a_fork),
          TEST_CASE(a_child_is_refused_at_once_and_the_parent_goes_on),
          TEST_CASE(a_child_may_start_a_plugin_that_has_not_started))
