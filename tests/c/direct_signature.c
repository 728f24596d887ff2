#include "direct_signature.h"

#include <string.h>

#include "direct/hlo.h"

/* Fields on the way to the module's shape, and of that. */
enum { TOP_RESULT = 1, RESULT_MODULE = 1, WITH_CONFIG_MODULE = 1, MODULE_SHAPE = 4 };
enum { PROGRAM_PARAMETERS = 1, PROGRAM_RESULT = 2, SHAPE_TUPLE = 4 };

static bool read_array(cyxla_wire message, cyxla_array_spec *spec, int64_t *sizes) {
  cyxla_hlo_shape shape;

  if (!cyxla_hlo_shape_read(message, &shape)) return false;
  memset(spec, 0, sizeof(*spec));
  spec->dtype = cyxla_hlo_dtype(shape.element_type);
  spec->rank = shape.rank;
  spec->shape = sizes;
  spec->aliased_output = -1;
  if (spec->dtype == 0) return false;
  spec->bytes = cyxla_dtype_bytes(spec->dtype);
  for (size_t i = 0; i < shape.rank; i++) {
    sizes[i] = shape.sizes[i];
    if (sizes[i] < 0 ||
        (spec->bytes > 0 && (uint64_t)sizes[i] > SIZE_MAX / 2 / spec->bytes)) {
      return false;
    }
    spec->bytes *= (size_t)sizes[i];
  }
  return true;
}

static bool read_arrays(cyxla_wire message, uint64_t number,
                        cyxla_program_arrays *arrays,
                        int64_t (*shapes)[CYXLA_RANK_MAXIMUM]) {
  cyxla_wire_field field;

  while (message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    size_t index = arrays->count;
    if (field.number != number || field.type != CYXLA_WIRE_COUNTED) continue;
    if (index >= DIRECT_ARRAYS_MAXIMUM ||
        !read_array(field.content, &arrays->specs[index], shapes[index])) {
      return false;
    }
    arrays->count++;
  }
  return true;
}

bool direct_signature_read(cyxla_wire serialized, direct_signature *signature) {
  cyxla_wire result = cyxla_wire_content(serialized, TOP_RESULT);
  cyxla_wire module =
      cyxla_wire_content(cyxla_wire_content(result, RESULT_MODULE), WITH_CONFIG_MODULE);
  cyxla_wire shape = cyxla_wire_content(module, MODULE_SHAPE);
  cyxla_wire returned = cyxla_wire_content(shape, PROGRAM_RESULT);
  cyxla_program *program = &signature->program;
  cyxla_hlo_shape outermost;

  memset(signature, 0, sizeof(*signature));
  program->inputs.specs = signature->inputs;
  program->outputs.specs = signature->outputs;
  if (!read_arrays(shape, PROGRAM_PARAMETERS, &program->inputs,
                   signature->input_shapes) ||
      !cyxla_hlo_shape_read(returned, &outermost)) {
    return false;
  }
  if (outermost.element_type == CYXLA_HLO_TUPLE) {
    return read_arrays(returned, SHAPE_TUPLE, &program->outputs,
                       signature->output_shapes);
  }
  program->outputs.count = 1;
  return read_array(returned, &signature->outputs[0], signature->output_shapes[0]);
}
