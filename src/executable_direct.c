/* Executables without a plugin: code of a file that is called directly. */
#include "clock.h"
#include "compiled.h"
#include "error.h"
#include "executable.h"
#include "fpenv.h"
#include "memory.h"

/* Why a program whose file has no code that is called directly has none. */
static cyxla_status explain(const cyxla_program *program, cyxla_error *error) {
  for (size_t i = 0; i < program->compiled.count; i++) {
    const cyxla_compiled *compiled = &program->compiled.items[i];
    cyxla_direct *direct;
    cyxla_status status;
    if (!cyxla_compiled_fits_processor(compiled)) continue;
    status = cyxla_direct_create(compiled->data, compiled->bytes, program, NULL,
                                 &direct, error);
    if (status != CYXLA_OK) return status;
    cyxla_direct_destroy(direct);
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "its code was saved before it had been compared with the "
                           "plugin, or through the plugin it was faster; run it some "
                           "times before it is saved, or give arrays to compare on");
  }
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                         "its file holds no code that is called directly");
}

static cyxla_status create(cyxla_program *program, cyxla_executable **executable,
                           cyxla_error *error) {
  const double start = cyxla_clock_seconds();
  cyxla_error elsewhere = {CYXLA_OK, ""};
  const cyxla_compiled *found = cyxla_compiled_find_direct(program, &elsewhere);
  cyxla_executable *made;
  cyxla_status status;

  if (found == NULL && elsewhere.status == CYXLA_OK) return explain(program, error);
  if (found == NULL) {
    return cyxla_error_set(error, elsewhere.status, "%s", elsewhere.message);
  }
  made = cyxla_allocate(sizeof(*made));
  if (made == NULL) return cyxla_error_out_of_memory(error, "an executable");
  made->references = 1;
  made->program = cyxla_program_retain(program);
  made->is_deserialized = made->is_from_file = true;
  made->serialized = found->data;
  made->serialized_bytes = found->bytes;
  status = cyxla_direct_create(found->data, found->bytes, program, NULL, &made->direct,
                               error);
  if (status != CYXLA_OK) {
    cyxla_executable_destroy(made);
    return status;
  }
  made->code_bytes = (int64_t)made->direct->objects.bytes;
  made->compile_seconds = cyxla_clock_seconds() - start;
  *executable = made;
  return CYXLA_OK;
}

cyxla_status cyxla_executable_create_without_plugin(cyxla_program *program,
                                                    cyxla_executable **executable,
                                                    cyxla_error *error) {
  cyxla_fpenv caller;
  cyxla_status status;

  cyxla_fpenv_enter(&caller);
  status = create(program, executable, error);
  cyxla_fpenv_leave(&caller);
  return status;
}
