#include "support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cyxla.h"
#include "fake_plugin.h"

const char *support_plugin(void) {
  return FAKE_PLUGIN_PATH;
}

static cyxla_status make(const char *code, const cyxla_array_spec *inputs,
                         size_t num_inputs, const cyxla_array_spec *outputs,
                         size_t num_outputs, cyxla_program **program,
                         cyxla_error *error) {
  cyxla_program_options options = CYXLA_PROGRAM_OPTIONS_INIT;

  options.platform = "cpu";
  options.code = code;
  options.code_bytes = strlen(code);
  options.inputs = inputs;
  options.num_inputs = num_inputs;
  options.outputs = outputs;
  options.num_outputs = num_outputs;
  options.metadata = "written by a test";
  return cyxla_program_create(&options, program, error);
}

static int save(const char *path, const char *code, const cyxla_array_spec *inputs,
                size_t num_inputs, const cyxla_array_spec *outputs,
                size_t num_outputs) {
  cyxla_program *program;
  cyxla_error error;
  cyxla_status status =
      make(code, inputs, num_inputs, outputs, num_outputs, &program, &error);

  if (status == CYXLA_OK) status = cyxla_program_save(program, path, &error);
  if (status != CYXLA_OK) fprintf(stderr, "%s\n", error.message);
  cyxla_program_destroy(program);
  return (int)status;
}

static cyxla_array_spec describe(const char *name, cyxla_dtype dtype, size_t rank,
                                 const int64_t *shape) {
  cyxla_array_spec spec = {name, dtype, rank, shape, 0, -1};
  return spec;
}

int support_save_copy(const char *path, int dtype, int rank) {
  static const int64_t shape[] = {2, 3, 1, 2, 1, 2, 1, 2};
  cyxla_dtype type = (cyxla_dtype)dtype;
  cyxla_array_spec x = describe("x", type, (size_t)rank, shape);
  cyxla_array_spec y = describe("y", type, (size_t)rank, shape);
  char code[160], sizes[32] = "";

  for (int i = 0; i < rank; i++) {
    size_t used = strlen(sizes);
    snprintf(sizes + used, sizeof(sizes) - used, "%s%d", i > 0 ? "," : "",
             (int)shape[i]);
  }
  snprintf(code, sizeof(code), "input %s[%s]\noutput %s[%s] = argument 0\n",
           cyxla_dtype_name(type), sizes, cyxla_dtype_name(type), sizes);
  return save(path, code, &x, 1, &y, 1);
}

int support_save_sum(const char *path) {
  static const int64_t shape[] = {2, 3};
  cyxla_array_spec inputs[] = {describe("left", CYXLA_FLOAT64, 2, shape),
                               describe("right", CYXLA_FLOAT64, 2, shape)};
  cyxla_array_spec outputs[] = {describe("sum", CYXLA_FLOAT64, 2, shape),
                                describe("left", CYXLA_FLOAT64, 2, shape)};

  return save(path,
              "input float64[2,3]\ninput float64[2,3]\n"
              "output float64[2,3] = sum 0 1\noutput float64[2,3] = argument 0\n",
              inputs, 2, outputs, 2);
}

int support_save_advance(const char *path) {
  static const int64_t shape[] = {4};
  cyxla_array_spec inputs[] = {describe("time", CYXLA_FLOAT64, 0, NULL),
                               describe("state.velocity", CYXLA_FLOAT64, 1, shape)};
  cyxla_array_spec output = describe("velocity", CYXLA_FLOAT64, 1, shape);

  inputs[1].aliased_output = 0;
  return save(path,
              "input float64[]\ninput float64[4]\n"
              "output float64[4] into 1 = negate 1\n",
              inputs, 2, &output, 1);
}

int support_save_empty(const char *path) {
  static const int64_t shape[] = {2, 0};
  cyxla_array_spec x = describe("x", CYXLA_FLOAT64, 2, shape);
  cyxla_array_spec y = describe("y", CYXLA_FLOAT64, 2, shape);

  return save(path, "input float64[2,0]\noutput float64[2,0] = argument 0\n", &x, 1, &y,
              1);
}

static cyxla_status make_size(int64_t size, cyxla_program **program,
                              cyxla_error *error) {
  const int64_t shape[] = {size, 3};
  cyxla_array_spec inputs[] = {describe("step", CYXLA_FLOAT64, 0, NULL),
                               describe("x", CYXLA_FLOAT64, 2, shape)};
  cyxla_array_spec output = describe("y", CYXLA_FLOAT64, 2, shape);
  char code[120];

  snprintf(code, sizeof(code),
           "input float64[]\ninput float64[%d,3]\noutput float64[%d,3] = negate 1\n",
           (int)size, (int)size);
  return make(code, inputs, 2, &output, 1, program, error);
}

int support_save_sizes(const char *path) {
  cyxla_program *sizes[3] = {NULL, NULL, NULL}, *joined = NULL;
  cyxla_status status = CYXLA_OK;
  cyxla_error error;

  for (int i = 0; status == CYXLA_OK && i < 3; i++) {
    status = make_size(2 + i, &sizes[i], &error);
  }
  if (status == CYXLA_OK) {
    status =
        cyxla_program_join((const cyxla_program *const *)sizes, 3, &joined, &error);
  }
  if (status == CYXLA_OK) status = cyxla_program_save(joined, path, &error);
  if (status != CYXLA_OK) fprintf(stderr, "%s\n", error.message);
  cyxla_program_destroy(joined);
  for (int i = 0; i < 3; i++) cyxla_program_destroy(sizes[i]);
  return (int)status;
}

/* Loads the plugin, which cyxla loads as well: both see one state. */
static void *find_control(const char *name) {
  void *library = dlopen(FAKE_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library != NULL ? dlsym(library, name) : NULL;

  if (symbol == NULL) {
    fprintf(stderr, "the fake plugin has no %s\n", name);
    abort();
  }
  return symbol;
}

/* memcpy, since ISO C converts no data pointer to a function pointer. */
#define FIND(control, name)                   \
  do {                                        \
    void *symbol = find_control(name);        \
    memcpy(&control, &symbol, sizeof symbol); \
  } while (0)

long support_num_alive(void) {
  long (*live)(fake_kind);

  FIND(live, "fake_plugin_live");
  return live(FAKE_LOADED_EXECUTABLE) + live(FAKE_BUFFER);
}

void support_fail_runs(int fail) {
  void (*fail_function)(const char *);

  FIND(fail_function, "fake_plugin_fail_function");
  fail_function(fail ? "PJRT_LoadedExecutable_Execute" : NULL);
}

void support_divide_by_zero(int divide) {
  void (*set)(fake_knob, long);

  FIND(set, "fake_plugin_set");
  set(FAKE_DIVIDES_BY_ZERO, divide);
}

long support_sizeof(const char *name) {
  static const struct {
    const char *name;
    size_t size;
  } structs[] = {
      {"cyxla_error", sizeof(cyxla_error)},
      {"cyxla_array_spec", sizeof(cyxla_array_spec)},
      {"cyxla_runtime_options", sizeof(cyxla_runtime_options)},
      {"cyxla_runtime_info", sizeof(cyxla_runtime_info)},
      {"cyxla_open_options", sizeof(cyxla_open_options)},
      {"cyxla_executable_options", sizeof(cyxla_executable_options)},
  };

  for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++) {
    if (strcmp(structs[i].name, name) == 0) return (long)structs[i].size;
  }
  return 0;
}
