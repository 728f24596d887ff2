#define _XOPEN_SOURCE 700
#include "test_fake.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime.h"
#include "test.h"

/* The build passes where the libraries lie. */
const char *test_fake_path(void) {
  return FAKE_PLUGIN_PATH;
}

const char *test_broken_no_symbol_path(void) {
  return BROKEN_NO_SYMBOL_PATH;
}

const char *test_broken_null_api_path(void) {
  return BROKEN_NULL_API_PATH;
}

const char *test_fake_copy(const char *name) {
  size_t bytes;
  const char *path = test_temporary_path(name);
  unsigned char *data = test_read_file(test_fake_path(), &bytes);

  test_write_file(path, data, bytes);
  return path;
}

static void expect_nothing_alive(void *argument) {
  static const char *const names[FAKE_NUM_KINDS] = {
      "errors",  "clients",         "events", "executables", "loaded executables",
      "buffers", "execute contexts"};
  const test_fake *fake = argument;

  cyxla_runtime_forget_defaults();
  for (int kind = 0; kind < FAKE_NUM_KINDS; kind++) {
    if (fake->live((fake_kind)kind) != 0) {
      test_fail(__FILE__, __LINE__, "%ld %s of the fake plugin are left",
                fake->live((fake_kind)kind), names[kind]);
    }
  }
  if (fake->violation() != NULL) {
    test_fail(__FILE__, __LINE__, "a rule of PJRT was broken: %s", fake->violation());
  }
}

const test_fake *test_fake_start(void) {
  static test_fake fake;
  void *library = dlopen(test_fake_path(), RTLD_NOW | RTLD_LOCAL);

  if (library == NULL) test_fail(__FILE__, __LINE__, "%s", dlerror());
  /* memcpy, since ISO C converts no data pointer to a function pointer. */
#define TEST_FAKE_FIND(result, name, arguments)          \
  {                                                      \
    void *symbol = dlsym(library, "fake_plugin_" #name); \
    EXPECT_TRUE(symbol != NULL);                         \
    memcpy(&fake.name, &symbol, sizeof(symbol));         \
  }
  FAKE_PLUGIN_CONTROLS(TEST_FAKE_FIND)
  fake.reset();
  test_defer(expect_nothing_alive, &fake);
  return &fake;
}

cyxla_runtime *test_runtime(const char *plugin) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_runtime *runtime;
  cyxla_error error;

  options.plugin = plugin;
  options.platform = "cpu";
  EXPECT_OK(cyxla_runtime_create(&options, &runtime, &error), &error);
  return runtime;
}

cyxla_runtime *test_fake_runtime(void) {
  return test_runtime(test_fake_path());
}

cyxla_array_spec test_spec(const char *name, cyxla_dtype dtype, size_t rank,
                           const int64_t *shape) {
  cyxla_array_spec spec = {name, dtype, rank, shape, 0, -1};

  return spec;
}

cyxla_program_options test_sum_options(void) {
  /* The comment makes it a program that may call functions from outside. */
  static const char code[] =
      "# custom_call\ninput float32[3]\ninput float32[3]\n"
      "output float32[3] = sum 0 1";
  static const int64_t shape[1] = {3};
  static const cyxla_array_spec inputs[2] = {{"x", CYXLA_FLOAT32, 1, shape, 0, -1},
                                             {"y", CYXLA_FLOAT32, 1, shape, 0, -1}};
  static const cyxla_array_spec outputs[1] = {{"sum", CYXLA_FLOAT32, 1, shape, 0, -1}};
  cyxla_program_options options = CYXLA_PROGRAM_OPTIONS_INIT;

  options.platform = "cpu";
  options.code = code;
  options.code_bytes = strlen(code);
  options.inputs = inputs;
  options.num_inputs = 2;
  options.outputs = outputs;
  options.num_outputs = 1;
  return options;
}

cyxla_program *test_sum_program(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_program *program;
  cyxla_error error;

  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  return program;
}

cyxla_program *test_program(const char *code, const cyxla_array_spec *inputs,
                            size_t num_inputs, const cyxla_array_spec *outputs,
                            size_t num_outputs) {
  cyxla_program_options options = CYXLA_PROGRAM_OPTIONS_INIT;
  cyxla_program *program;
  cyxla_error error;

  options.platform = "cpu";
  options.code = code;
  options.code_bytes = strlen(code);
  options.inputs = inputs;
  options.num_inputs = num_inputs;
  options.outputs = outputs;
  options.num_outputs = num_outputs;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  return program;
}

cyxla_program *test_negate_program(int64_t size) {
  const cyxla_array_spec x = test_spec("x", CYXLA_FLOAT32, 1, &size);
  const cyxla_array_spec inputs[2] = {test_spec("y", CYXLA_FLOAT32, 0, NULL), x};
  const cyxla_array_spec outputs[2] = {test_spec("negative", CYXLA_FLOAT32, 1, &size),
                                       inputs[0]};
  char code[160];

  snprintf(code, sizeof(code),
           "input float32[]\ninput float32[%d]\n"
           "output float32[%d] = negate 1\noutput float32[] = argument 0\n",
           (int)size, (int)size);
  return test_program(code, inputs, 2, outputs, 2);
}

cyxla_program *test_joined_program(void) {
  cyxla_program *programs[3] = {test_negate_program(2), test_negate_program(3),
                                test_negate_program(500)};
  cyxla_program *joined;
  cyxla_error error;

  EXPECT_OK(
      cyxla_program_join((const cyxla_program *const *)programs, 3, &joined, &error),
      &error);
  for (size_t i = 0; i < 3; i++) cyxla_program_destroy(programs[i]);
  return joined;
}

cyxla_executable *test_compile(cyxla_program *program) {
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_executable *executable;
  cyxla_error error;

  EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  return executable;
}

cyxla_executable *test_open(const char *path, const cyxla_open_options *options) {
  cyxla_executable *executable;
  cyxla_error error;

  EXPECT_OK(cyxla_open(path, options, &executable, &error), &error);
  return executable;
}

void test_expect_not_opened(const char *path, const cyxla_open_options *options,
                            cyxla_status status, const char *message) {
  cyxla_executable *executable = (cyxla_executable *)&executable;
  cyxla_error error;

  EXPECT_ERROR(cyxla_open(path, options, &executable, &error), status, &error, message);
  EXPECT_NULL(executable);
}

cyxla_call *test_create_call(cyxla_executable *executable) {
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  return call;
}

cyxla_call *test_call_of(cyxla_program *program) {
  cyxla_executable *executable = test_compile(program);
  cyxla_call *call = test_create_call(executable);

  cyxla_executable_destroy(executable);
  return call;
}

cyxla_call *test_sum_call(void) {
  return test_call_of(test_sum_program());
}

void test_sum_fill(cyxla_call *call, float scale) {
  float *x = cyxla_call_input(call, 0), *y = cyxla_call_input(call, 1);

  for (int i = 0; i < 3; i++) {
    x[i] = scale * (float)i;
    y[i] = 100;
  }
}

void test_sum_expect(const cyxla_call *call, float scale) {
  const float *sum = cyxla_call_output(call, 0);

  EXPECT_TRUE(sum != NULL);
  EXPECT_EQUAL((uintptr_t)sum % CYXLA_ALIGNMENT, 0);
  for (int i = 0; i < 3; i++) EXPECT_EQUAL(sum[i], 100 + scale * (float)i);
}

typedef struct thread_task {
  cyxla_executable *executable;
  float scale;
  int num_runs;
  int num_wrong;
} thread_task;

/* No assertions here: they end the test's own thread. */
static void *run_many(void *argument) {
  thread_task *task = argument;
  cyxla_call *call;

  task->num_wrong = task->num_runs;
  if (cyxla_call_create(task->executable, &call, NULL) != CYXLA_OK) return NULL;
  for (int run = 0; run < task->num_runs; run++) {
    float scale = task->scale + (float)run;
    test_sum_fill(call, scale);
    if (cyxla_call_run(call, NULL) == CYXLA_OK &&
        ((const float *)cyxla_call_output(call, 0))[2] == 100 + 2 * scale) {
      task->num_wrong--;
    }
  }
  cyxla_call_destroy(call);
  return NULL;
}

int test_sum_count_wrong(cyxla_executable *executable, int num_threads, int num_runs) {
  enum { NUM_THREADS_MAXIMUM = 16 };
  pthread_t threads[NUM_THREADS_MAXIMUM];
  thread_task tasks[NUM_THREADS_MAXIMUM];
  int num_wrong = 0;

  EXPECT_TRUE(num_threads <= NUM_THREADS_MAXIMUM);
  for (int i = 0; i < num_threads; i++) {
    tasks[i].executable = executable;
    tasks[i].scale = 1000.0f * (float)i;
    tasks[i].num_runs = num_runs;
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, run_many, &tasks[i]), 0);
  }
  for (int i = 0; i < num_threads; i++) {
    pthread_join(threads[i], NULL);
    num_wrong += tasks[i].num_wrong;
  }
  return num_wrong;
}
