/* Executables without a plugin: code of a file that is called directly. */
#include "clock.h"
#include "compiled.h"
#include "error.h"
#include "executable.h"
#include "fpenv.h"
#include "memory.h"

void cyxla_executable_explain(const cyxla_program *program, cyxla_error *refusal) {
  const cyxla_compiled_list *list = &program->compiled;

  /* Of code that is called directly the refusal tells already. */
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].is_direct) return;
  }
  for (size_t i = 0; i < list->count; i++) {
    const cyxla_compiled *compiled = &list->items[i];
    cyxla_direct *direct;
    if (!cyxla_compiled_fits_processor(compiled)) continue;
    if (cyxla_direct_create(compiled->data, compiled->bytes, program, NULL, &direct,
                            refusal) != CYXLA_OK) {
      return;
    }
    cyxla_direct_destroy(direct);
    cyxla_error_set(
        refusal, CYXLA_UNIMPLEMENTED,
        "its code was saved with the tier pjrt, or before it had been compared with "
        "the plugin, or through the plugin it was faster; run it some times before it "
        "is saved, or give arrays to compare on");
    return;
  }
}

static cyxla_status create(cyxla_program *program, cyxla_executable **executable,
                           cyxla_error *error) {
  const double start = cyxla_clock_seconds();
  const cyxla_compiled *found = cyxla_compiled_find_direct(program, error);
  cyxla_executable *made;
  cyxla_status status;

  if (found == NULL) return CYXLA_UNIMPLEMENTED;
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
