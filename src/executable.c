#include "executable.h"

#include "atomic.h"
#include "error.h"
#include "fpenv.h"
#include "memory.h"

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
  cyxla_plugin_record_free(&executable->record);
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
