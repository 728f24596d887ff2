#include "executable.h"

#include <string.h>

#include "atomic.h"
#include "environment.h"
#include "error.h"
#include "fpenv.h"
#include "memory.h"
#include "options.h"
#include "program_file.h"
#include "search.h"

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
  if (status != CYXLA_OK && cyxla_environment_plugin() != NULL) {
    cyxla_error_append(error, " (the variable CYXLA_PLUGIN names this plugin)");
  }
  cyxla_release(plugin);
  return status;
}

static void name_file(const char *path, cyxla_error *error) {
  cyxla_error_append(error, " (in ");
  cyxla_error_append(error, path);
  cyxla_error_append(error, ")");
}

cyxla_status cyxla_open(const char *path, const cyxla_open_options *options,
                        cyxla_executable **executable, cyxla_error *error) {
  cyxla_open_options used = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_plugin_record record;
  cyxla_program *program = NULL, *size;
  cyxla_runtime *runtime = NULL;
  cyxla_status status;

  CYXLA_REQUIRE(executable, error);
  *executable = NULL;
  CYXLA_REQUIRE(path, error);
  status =
      cyxla_options_read(&used, sizeof(used), options, "cyxla_open_options", error);
  if (status != CYXLA_OK) return status;
  memset(&record, 0, sizeof(record));
  status = cyxla_program_file_read(path, &program, &record, error);
  if (status == CYXLA_OK) {
    status = cyxla_program_pick(program, used.inputs, used.num_inputs, &size, error);
    if (status == CYXLA_SIZE_NOT_FOUND) name_file(path, error);
  }
  if (status == CYXLA_OK) {
    status = find_runtime(&used, path, program, &record, &runtime, error);
  }
  if (status == CYXLA_OK) {
    cyxla_plugin_recall(runtime->plugin, &record);
    status = cyxla_executable_create(runtime, size, executable, error);
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
  cyxla_direct_destroy(executable->direct);
  cyxla_release(executable->tier_reason);
  cyxla_release(executable->serialized_copy);
  cyxla_release(executable);
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

double cyxla_executable_compile_seconds(const cyxla_executable *executable) {
  return executable->compile_seconds;
}

int64_t cyxla_executable_code_bytes(const cyxla_executable *executable) {
  return executable->code_bytes;
}
