#include "direct.h"

#include <string.h>

#include "error.h"
#include "loops.h"
#include "memory.h"
#include "refusal.h"

/* Fields of xla.cpu.CompilationResultProto, and of what it is wrapped in. */
enum { TOP_RESULT = 1, TOP_OPTIONS = 2 };
enum {
  RESULT_MODULE = 1,
  RESULT_BUFFER_ASSIGNMENT = 2,
  RESULT_KIND = 5,
  RESULT_THUNKS = 6,
  RESULT_OBJECTS = 8,
  RESULT_LAST = 10
};
enum { MODULE_WITH_CONFIG_MODULE = 1, OBJECT_CONTENT = 1 };
enum { KIND_KERNELS = 2 };

/* Far more than the comparators of any program, and looked at within a second. */
enum { COMPARATOR_BUDGET = 1 << 22 };

static cyxla_status load_objects(cyxla_direct *direct, cyxla_wire result,
                                 cyxla_error *error) {
  cyxla_wire_field field;
  size_t count = 0;
  cyxla_wire *objects =
      cyxla_allocate_array(cyxla_wire_count(result, RESULT_OBJECTS), sizeof(*objects));
  cyxla_status status = CYXLA_OK;

  if (objects == NULL) return cyxla_error_out_of_memory(error, "code");
  while (result.bytes > 0 && cyxla_wire_next(&result, &field)) {
    if (field.number != RESULT_OBJECTS) continue;
    if (field.type == CYXLA_WIRE_COUNTED) {
      objects[count++] = cyxla_wire_content(field.content, OBJECT_CONTENT);
    } else {
      status = cyxla_direct_refuse("it has an object of code that is none", error);
    }
  }
  if (status == CYXLA_OK) {
    status = cyxla_object_set_load(objects, count, &direct->objects, error);
  }
  cyxla_release(objects);
  return status;
}

static cyxla_status read_all(cyxla_direct *direct, cyxla_wire result,
                             const cyxla_hlo *hlo, const cyxla_program *program,
                             const cyxla_plugin *plugin, cyxla_error *error) {
  cyxla_comparator_source comparators = {hlo, &direct->objects, result,
                                         COMPARATOR_BUDGET};
  cyxla_status status =
      cyxla_buffers_read(cyxla_wire_content(result, RESULT_BUFFER_ASSIGNMENT), hlo,
                         program, &direct->allocations, error);

  if (status == CYXLA_OK) status = load_objects(direct, result, error);
  if (status != CYXLA_OK) return status;
  return cyxla_thunks_read(cyxla_wire_content(result, RESULT_THUNKS),
                           &direct->allocations, &comparators, plugin, &direct->thunks,
                           error);
}

static cyxla_status read(cyxla_direct *direct, cyxla_wire serialized,
                         const cyxla_program *program, const cyxla_plugin *plugin,
                         cyxla_error *error) {
  cyxla_wire result = cyxla_wire_content(serialized, TOP_RESULT);
  cyxla_hlo hlo;
  cyxla_status status;

  if (!cyxla_wire_has_only(serialized, CYXLA_WIRE_BITS_UP_TO(TOP_OPTIONS)) ||
      !cyxla_wire_has_only(result, CYXLA_WIRE_BITS_UP_TO(RESULT_LAST)) ||
      cyxla_wire_value(result, RESULT_KIND) != KIND_KERNELS) {
    return cyxla_direct_refuse(
        "it is not serialized as XLA's CPU plugins do that are known", error);
  }
  status = cyxla_hlo_read(cyxla_wire_content(cyxla_wire_content(result, RESULT_MODULE),
                                             MODULE_WITH_CONFIG_MODULE),
                          &hlo, error);
  if (status != CYXLA_OK) return status;
  status = read_all(direct, result, &hlo, program, plugin, error);
  direct->has_side_effects = cyxla_hlo_has_side_effects(&hlo);
  if (!cyxla_loops_end_soon(&hlo)) direct->thunks.always_ends = false;
  cyxla_hlo_free(&hlo);
  return status;
}

cyxla_status cyxla_direct_create(const void *serialized, size_t bytes,
                                 const cyxla_program *program,
                                 const cyxla_plugin *plugin, cyxla_direct **direct,
                                 cyxla_error *error) {
  const cyxla_wire message = {serialized, bytes};
  cyxla_direct *made = cyxla_allocate(sizeof(*made));
  cyxla_status status;

  *direct = NULL;
  if (made == NULL) return cyxla_error_out_of_memory(error, "code");
  status = read(made, message, program, plugin, error);
  if (status != CYXLA_OK) {
    cyxla_direct_destroy(made);
    return status;
  }
  *direct = made;
  return CYXLA_OK;
}

void cyxla_direct_destroy(cyxla_direct *direct) {
  if (direct == NULL) return;
  cyxla_thunks_free(&direct->thunks);
  cyxla_buffers_free(&direct->allocations);
  cyxla_object_set_free(&direct->objects);
  cyxla_release(direct);
}
