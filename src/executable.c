#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "executable.h"

#include <string.h>
#include <time.h>

#include "atomic.h"
#include "error.h"
#include "executable_check.h"
#include "fpenv.h"
#include "linalg/targets.h"
#include "memory.h"
#include "options.h"
#include "program_file.h"
#include "search.h"

static double seconds_now(void) {
#if defined(_WIN32)
  return (double)clock() / CLOCKS_PER_SEC;
#else
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

/* What XLA says where the target of a custom call is missing, and what to do then. */
static const struct {
  const char *text;
  const char *advice;
} ADVICE[] = {
    {"No FFI handler registered for",
     "; register a handler of XLA's typed FFI under that name first, with "
     "cyxla_ffi_register in C or register_ffi_target in Python"},
    {"No registered implementation for untyped custom call",
     "; the call has an API version of the older untyped interface (api_version=0 to "
     "3), "
     "which plugins do not run: it needs a handler of the typed FFI (api_version=4, in "
     "jax.ffi api_version=1)"},
};

/* Where the target is one that cyxla brings a handler of, `missing` says why it has
 * none. */
static cyxla_status add_advice(cyxla_status status, const cyxla_error *missing,
                               cyxla_error *error) {
  if (error != NULL && missing->status != CYXLA_OK &&
      strstr(error->message, "No FFI handler registered for lapack_") != NULL) {
    cyxla_error_append(error, "; ");
    cyxla_error_append(error, missing->message);
    return status;
  }
  for (size_t i = 0; error != NULL && i < sizeof(ADVICE) / sizeof(ADVICE[0]); i++) {
    if (strstr(error->message, ADVICE[i].text) != NULL) {
      cyxla_error_append(error, ADVICE[i].advice);
    }
  }
  return status;
}

static cyxla_status compile(cyxla_executable *executable, cyxla_error *error) {
  static const char format[] = "mlir";
  const PJRT_Api *api = executable->runtime->plugin->api;
  const cyxla_program *program = executable->program;
  PJRT_Program code = {sizeof(code),        NULL,   (char *)program->code,
                       program->code_bytes, format, strlen(format)};
  PJRT_Client_Compile_Args args;
  double start = seconds_now();
  cyxla_error missing = {CYXLA_OK, ""};
  cyxla_status status;

  cyxla_linalg_prepare(executable->runtime, program->code, program->code_bytes,
                       &missing);
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.client = executable->runtime->client;
  args.program = &code;
  args.compile_options = (const char *)program->compile_options;
  args.compile_options_size = program->compile_options_bytes;
  status = cyxla_error_from_pjrt(api, api->PJRT_Client_Compile(&args),
                                 "compile the program", error);
  if (status != CYXLA_OK) return add_advice(status, &missing, error);
  executable->loaded = args.executable;
  if (executable->loaded == NULL) {
    return cyxla_error_set(error, CYXLA_PLUGIN_INVALID,
                           "the plugin %s returned no executable and no error",
                           executable->runtime->plugin->path);
  }
  executable->compile_seconds = seconds_now() - start;
  return cyxla_executable_check(executable, error);
}

static cyxla_status check_platform(const cyxla_runtime *runtime,
                                   const cyxla_program *program, cyxla_error *error) {
  if (strcmp(runtime->platform, program->platform) == 0) return CYXLA_OK;
  return cyxla_error_set(
      error, CYXLA_PLATFORM_MISMATCH,
      "the program was lowered for the platform %s, and the plugin %s "
      "implements %s; lower it again or use another plugin",
      program->platform, runtime->plugin->path, runtime->platform);
}

cyxla_status cyxla_executable_compile(cyxla_runtime *runtime, cyxla_program *program,
                                      cyxla_executable **executable,
                                      cyxla_error *error) {
  cyxla_executable *made;
  cyxla_fpenv caller;
  cyxla_status status;

  CYXLA_REQUIRE(executable, error);
  *executable = NULL;
  CYXLA_REQUIRE(runtime, error);
  CYXLA_REQUIRE(program, error);
  status = cyxla_runtime_check_process(runtime, error);
  if (status == CYXLA_OK) status = check_platform(runtime, program, error);
  if (status != CYXLA_OK) return status;
  made = cyxla_allocate(sizeof(*made));
  if (made == NULL) return cyxla_error_out_of_memory(error, "an executable");
  made->references = 1;
  made->program = cyxla_program_retain(program);
  made->runtime = cyxla_runtime_retain(runtime);
  cyxla_fpenv_enter(&caller);
  status = compile(made, error);
  cyxla_fpenv_leave(&caller);
  if (status != CYXLA_OK) {
    cyxla_executable_destroy(made);
    return status;
  }
  *executable = made;
  return CYXLA_OK;
}

static cyxla_status find_runtime(const cyxla_open_options *options, const char *path,
                                 const cyxla_program *program,
                                 const cyxla_plugin_record *record,
                                 cyxla_runtime **runtime, cyxla_error *error) {
  char *plugin = NULL;
  cyxla_status status;

  if (options->runtime != NULL) {
    *runtime = cyxla_runtime_retain(options->runtime);
    return CYXLA_OK;
  }
  if (options->plugin != NULL) {
    return cyxla_runtime_get_default(options->plugin, program->platform, runtime,
                                     error);
  }
  status = cyxla_search_plugin(program->platform, path, record, &plugin, error);
  if (status != CYXLA_OK) return status;
  status = cyxla_runtime_get_default(plugin, program->platform, runtime, error);
  cyxla_release(plugin);
  return status;
}

cyxla_status cyxla_open(const char *path, const cyxla_open_options *options,
                        cyxla_executable **executable, cyxla_error *error) {
  cyxla_open_options used = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_plugin_record record = {NULL, 0, 0};
  cyxla_program *program = NULL;
  cyxla_runtime *runtime = NULL;
  cyxla_status status;

  CYXLA_REQUIRE(executable, error);
  *executable = NULL;
  CYXLA_REQUIRE(path, error);
  status =
      cyxla_options_read(&used, sizeof(used), options, "cyxla_open_options", error);
  if (status != CYXLA_OK) return status;
  status = cyxla_program_file_read(path, &program, &record, error);
  if (status == CYXLA_OK) {
    status = find_runtime(&used, path, program, &record, &runtime, error);
  }
  if (status == CYXLA_OK) {
    status = cyxla_executable_compile(runtime, program, executable, error);
  }
  cyxla_runtime_destroy(runtime);
  cyxla_program_destroy(program);
  cyxla_plugin_record_free(&record);
  return status;
}

cyxla_executable *cyxla_executable_retain(cyxla_executable *executable) {
  cyxla_atomic_add(&executable->references, 1);
  return executable;
}

void cyxla_executable_destroy(cyxla_executable *executable) {
  if (executable == NULL || cyxla_atomic_add(&executable->references, -1) > 0) return;
  if (executable->loaded != NULL && cyxla_runtime_is_usable(executable->runtime)) {
    const PJRT_Api *api = executable->runtime->plugin->api;
    PJRT_LoadedExecutable_Destroy_Args args = {sizeof(args), NULL, executable->loaded};
    cyxla_fpenv caller;
    cyxla_fpenv_enter(&caller);
    cyxla_error_from_pjrt(api, api->PJRT_LoadedExecutable_Destroy(&args),
                          "destroy an executable", NULL);
    cyxla_fpenv_leave(&caller);
  }
  cyxla_program_destroy(executable->program);
  cyxla_runtime_destroy(executable->runtime);
  cyxla_release(executable);
}

cyxla_status cyxla_executable_save(const cyxla_executable *executable, const char *path,
                                   cyxla_error *error) {
  cyxla_plugin_record record;
  cyxla_status status;

  CYXLA_REQUIRE(executable, error);
  CYXLA_REQUIRE(path, error);
  status =
      cyxla_plugin_record_create(executable->runtime->plugin->path, &record, error);
  if (status != CYXLA_OK) return status;
  status = cyxla_program_file_write(executable->program, path, &record, error);
  cyxla_plugin_record_free(&record);
  return status;
}

static cyxla_status copy_serialized(const PJRT_Executable_Serialize_Args *serialized,
                                    void **data, size_t *bytes, cyxla_error *error) {
  *data = cyxla_aligned_alloc(serialized->serialized_bytes_size);
  if (*data == NULL) return cyxla_error_out_of_memory(error, "a serialized executable");
  memcpy(*data, serialized->serialized_bytes, serialized->serialized_bytes_size);
  *bytes = serialized->serialized_bytes_size;
  return CYXLA_OK;
}

static cyxla_status serialize(const PJRT_Api *api, PJRT_Executable *compiled,
                              void **data, size_t *bytes, cyxla_error *error) {
  PJRT_Executable_Serialize_Args args;
  cyxla_status status;

  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.executable = compiled;
  status = cyxla_error_from_pjrt(api, api->PJRT_Executable_Serialize(&args),
                                 "serialize an executable", error);
  if (status != CYXLA_OK) return status;
  status = copy_serialized(&args, data, bytes, error);
  args.serialized_executable_deleter(args.serialized_executable);
  return status;
}

cyxla_status cyxla_executable_serialize(const cyxla_executable *executable, void **data,
                                        size_t *bytes, cyxla_error *error) {
  const PJRT_Api *api;
  PJRT_Executable *compiled;
  cyxla_status status;

  CYXLA_REQUIRE(data, error);
  *data = NULL;
  CYXLA_REQUIRE(bytes, error);
  *bytes = 0;
  CYXLA_REQUIRE(executable, error);
  status = cyxla_runtime_check_process(executable->runtime, error);
  if (status != CYXLA_OK) return status;
  api = executable->runtime->plugin->api;
  if (!CYXLA_PLUGIN_HAS(api, PJRT_Executable_Serialize)) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "the plugin %s cannot serialize executables",
                           executable->runtime->plugin->path);
  }
  status = cyxla_executable_describe(executable, &compiled, error);
  if (status != CYXLA_OK) return status;
  status = serialize(api, compiled, data, bytes, error);
  cyxla_executable_description_destroy(executable, compiled);
  return status;
}

cyxla_program *cyxla_executable_program(const cyxla_executable *executable) {
  return executable->program;
}

cyxla_runtime *cyxla_executable_runtime(const cyxla_executable *executable) {
  return executable->runtime;
}

size_t cyxla_executable_num_inputs(const cyxla_executable *executable) {
  return executable->program->inputs.count;
}

size_t cyxla_executable_num_outputs(const cyxla_executable *executable) {
  return executable->program->outputs.count;
}

const cyxla_array_spec *cyxla_executable_input(const cyxla_executable *executable,
                                               size_t index) {
  return cyxla_program_input(executable->program, index);
}

const cyxla_array_spec *cyxla_executable_output(const cyxla_executable *executable,
                                                size_t index) {
  return cyxla_program_output(executable->program, index);
}

size_t cyxla_executable_find_input(const cyxla_executable *executable,
                                   const char *name) {
  return cyxla_program_arrays_find(&executable->program->inputs, name);
}

size_t cyxla_executable_find_output(const cyxla_executable *executable,
                                    const char *name) {
  return cyxla_program_arrays_find(&executable->program->outputs, name);
}

const char *cyxla_executable_tier(const cyxla_executable *executable) {
  (void)executable;
  return "pjrt";
}

double cyxla_executable_compile_seconds(const cyxla_executable *executable) {
  return executable->compile_seconds;
}

int64_t cyxla_executable_code_bytes(const cyxla_executable *executable) {
  return executable->code_bytes;
}
