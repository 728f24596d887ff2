/* What every plugin for the CPU has to do with threads: handles are shared by them, and
 * destroyed in any order. */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <string.h>

#include "runtime.h"
#include "test.h"
#include "test_conformance_support.h"
#include "test_fake.h"

enum { NUM_THREADS = 4, NUM_KINDS = 4 };

/* All that a call stands on; what is destroyed is NULL. */
typedef struct handles {
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_executable *executable;
  cyxla_call *call;
} handles;

static cyxla_program *create_program(void) {
  cyxla_program_options sum = test_sum_options();

  return test_program(conformance_sum_code(), sum.inputs, sum.num_inputs, sum.outputs,
                      sum.num_outputs);
}

static void create_handles(handles *all) {
  cyxla_error error;

  all->runtime = conformance_runtime();
  all->program = create_program();
  EXPECT_OK(
      cyxla_executable_compile(all->runtime, all->program, &all->executable, &error),
      &error);
  EXPECT_OK(cyxla_call_create(all->executable, &all->call, &error), &error);
}

static void destroy_one(handles *all, size_t kind) {
  if (kind == 0) cyxla_runtime_destroy(all->runtime), all->runtime = NULL;
  if (kind == 1) cyxla_program_destroy(all->program), all->program = NULL;
  if (kind == 2) cyxla_executable_destroy(all->executable), all->executable = NULL;
  if (kind == 3) cyxla_call_destroy(all->call), all->call = NULL;
}

/* What is left works. */
static void use(const handles *all) {
  cyxla_error error;
  cyxla_call *call;

  if (all->call != NULL) {
    test_sum_fill(all->call, 3);
    EXPECT_OK(cyxla_call_run(all->call, &error), &error);
    test_sum_expect(all->call, 3);
  }
  if (all->executable != NULL) {
    EXPECT_OK(cyxla_call_create(all->executable, &call, &error), &error);
    test_sum_fill(call, 4);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, 4);
    cyxla_call_destroy(call);
  }
}

static void handles_are_destroyed_in_any_order(void) {
  conformance_begin();
  /* The digits of a number choose one of 4, of 3, of 2, and of 1 that are left. */
  for (size_t order = 0; order < 4 * 3 * 2; order++) {
    size_t left[NUM_KINDS] = {0, 1, 2, 3}, digits = order;
    handles all;
    create_handles(&all);
    for (size_t num_left = NUM_KINDS; num_left > 0; num_left--) {
      size_t chosen = digits % num_left;
      digits /= num_left;
      destroy_one(&all, left[chosen]);
      left[chosen] = left[num_left - 1];
      use(&all);
    }
  }
}

/* What one thread does, from a start that is common to all. */
typedef struct task {
  pthread_barrier_t *start;
  bool (*work)(struct task *task);
  handles *all;
  const char *path;
  size_t index;
  bool is_done;
} task;

/* No assertions in a task: they end the test's own thread. */
static void *perform(void *argument) {
  task *own = argument;

  pthread_barrier_wait(own->start);
  own->is_done = own->work(own);
  return NULL;
}

/* Runs the work of each task in a thread of its own, all at once. */
static void perform_at_once(task *tasks, size_t num_tasks) {
  pthread_barrier_t start;
  pthread_t threads[8];

  EXPECT_TRUE(num_tasks <= TEST_COUNT(threads));
  EXPECT_EQUAL(pthread_barrier_init(&start, NULL, (unsigned)num_tasks), 0);
  for (size_t i = 0; i < num_tasks; i++) {
    tasks[i].start = &start;
    tasks[i].index = i;
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, perform, &tasks[i]), 0);
  }
  for (size_t i = 0; i < num_tasks; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&start);
  for (size_t i = 0; i < num_tasks; i++) EXPECT_TRUE(tasks[i].is_done);
}

static bool run_often(cyxla_call *call, float scale) {
  for (int run = 0; run < 20; run++) {
    test_sum_fill(call, scale);
    if (cyxla_call_run(call, NULL) != CYXLA_OK) return false;
    if (((const float *)cyxla_call_output(call, 0))[2] != 100 + 2 * scale) return false;
  }
  return true;
}

static bool create_and_run(cyxla_executable *executable, float scale) {
  cyxla_call *call;
  bool is_right;

  if (cyxla_call_create(executable, &call, NULL) != CYXLA_OK) return false;
  is_right = run_often(call, scale);
  cyxla_call_destroy(call);
  return is_right;
}

static void threads_with_a_call_each_run_at_once(void) {
  conformance_begin();
  cyxla_executable *executable = conformance_compile_sum();

  EXPECT_EQUAL(test_sum_count_wrong(executable, NUM_THREADS, 500), 0);
  cyxla_executable_destroy(executable);
}

static bool run_and_destroy(task *own) {
  cyxla_call *call = own->all[own->index].call;
  bool is_right = run_often(call, (float)own->index);

  cyxla_call_destroy(call);
  return is_right;
}

static bool destroy_by_index(task *own) {
  destroy_one(own->all, own->index - NUM_THREADS);
  return true;
}

static void handles_are_destroyed_by_several_threads_at_once(void) {
  conformance_begin();
  for (int round = 0; round < 20; round++) {
    handles all[NUM_THREADS];
    task tasks[NUM_THREADS + 3];
    cyxla_error error;
    create_handles(&all[0]);
    for (size_t i = 1; i < NUM_THREADS; i++) {
      EXPECT_OK(cyxla_call_create(all[0].executable, &all[i].call, &error), &error);
    }
    memset(tasks, 0, sizeof(tasks));
    for (size_t i = 0; i < TEST_COUNT(tasks); i++) {
      tasks[i].all = all;
      tasks[i].work = i < NUM_THREADS ? run_and_destroy : destroy_by_index;
    }
    perform_at_once(tasks, TEST_COUNT(tasks));
  }
}

static bool compile_and_run(task *own) {
  for (int turn = 0; turn < 3; turn++) {
    cyxla_executable *executable;
    bool is_right;
    if (cyxla_executable_compile(own->all->runtime, own->all->program, &executable,
                                 NULL) != CYXLA_OK) {
      return false;
    }
    is_right = create_and_run(executable, (float)own->index);
    cyxla_executable_destroy(executable);
    if (!is_right) return false;
  }
  return true;
}

static void a_runtime_and_a_program_are_shared(void) {
  conformance_begin();
  task tasks[NUM_THREADS];
  handles all;

  create_handles(&all);
  memset(tasks, 0, sizeof(tasks));
  for (size_t i = 0; i < NUM_THREADS; i++) {
    tasks[i].all = &all;
    tasks[i].work = compile_and_run;
  }
  perform_at_once(tasks, NUM_THREADS);
  for (size_t kind = 0; kind < NUM_KINDS; kind++) destroy_one(&all, kind);
}

static bool open_and_run(task *own) {
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *executable;
  bool is_right;

  options.plugin = conformance_plugin();
  if (cyxla_open(own->path, &options, &executable, NULL) != CYXLA_OK) return false;
  is_right = create_and_run(executable, (float)own->index);
  cyxla_executable_destroy(executable);
  return is_right;
}

static void a_file_is_opened_by_several_threads_at_once(void) {
  conformance_begin();
  cyxla_program *program = create_program();
  const char *path = test_temporary_path("sum.cyxla");
  task tasks[NUM_THREADS];
  cyxla_error error;

  EXPECT_OK(cyxla_program_save(program, path, &error), &error);
  cyxla_program_destroy(program);
  memset(tasks, 0, sizeof(tasks));
  for (size_t i = 0; i < NUM_THREADS; i++) {
    tasks[i].path = path;
    tasks[i].work = open_and_run;
  }
  perform_at_once(tasks, NUM_THREADS);
}

int main(int argc, char **argv) {
  static const test_case tests[] = {
      TEST_CASE(handles_are_destroyed_in_any_order),
      TEST_CASE(handles_are_destroyed_by_several_threads_at_once),
      TEST_CASE(threads_with_a_call_each_run_at_once),
      TEST_CASE(a_runtime_and_a_program_are_shared),
      TEST_CASE(a_file_is_opened_by_several_threads_at_once),
  };

  return conformance_main(argc, argv, tests, TEST_COUNT(tests));
}
