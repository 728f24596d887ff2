#include "comparator.h"

#include "error.h"
#include "order.h"
#include "refusal.h"

/* Fields of the messages of xla.cpu.CompilationResultProto and of
 * xla/service/hlo.proto.
 */
enum { RESULT_SYMBOLS = 7, SYMBOL_KIND = 1, SYMBOL_NAME = 2 };
enum { KIND_COMPARATOR = 2 };
enum { COMPUTATION_NAME = 1, COMPUTATION_INSTRUCTIONS = 2 };
enum { INSTRUCTION_SHAPE = 3, INSTRUCTION_PARAMETER_NUMBER = 9 };

enum { NAME_BYTES = 512 };

/* Whether there was some left. */
static bool spend(cyxla_comparator_source *source) {
  if (source->budget == 0) return false;
  source->budget--;
  return true;
}

/* Whether the function of that name was compiled as a comparator. */
static bool is_comparator(cyxla_comparator_source *source, const char *name) {
  cyxla_wire rest = source->result;
  cyxla_wire_field field;

  while (rest.bytes > 0 && cyxla_wire_next(&rest, &field) && spend(source)) {
    if (field.number == RESULT_SYMBOLS && field.type == CYXLA_WIRE_COUNTED &&
        cyxla_wire_value(field.content, SYMBOL_KIND) == KIND_COMPARATOR &&
        cyxla_wire_is_text(cyxla_wire_content(field.content, SYMBOL_NAME), name)) {
      return true;
    }
  }
  return false;
}

/* The only computation of that name; NULL if there is none. */
static const cyxla_hlo_computation *find_computation(cyxla_comparator_source *source,
                                                     const char *name) {
  const cyxla_hlo_computation *found = NULL;

  for (size_t i = 0; i < source->hlo->num_computations; i++) {
    const cyxla_hlo_computation *at = &source->hlo->computations[i];
    if (!spend(source)) return NULL;
    if (!cyxla_wire_is_text(cyxla_wire_content(at->message, COMPUTATION_NAME), name)) {
      continue;
    }
    if (found != NULL) return NULL;
    found = at;
  }
  return found;
}

/* A number of the type that the array at its place in the list has. */
static bool is_element(const cyxla_hlo_instruction *parameter, uint64_t number,
                       const cyxla_dtype *dtypes) {
  cyxla_hlo_shape shape;

  return cyxla_hlo_shape_read(cyxla_wire_content(parameter->message, INSTRUCTION_SHAPE),
                              &shape) &&
         shape.rank == 0 && cyxla_hlo_dtype(shape.element_type) == dtypes[number / 2];
}

/* Whether it has just the parameters that it is called with, or it would read what is
 * not there. */
static bool takes(cyxla_comparator_source *source,
                  const cyxla_hlo_computation *computation, const cyxla_dtype *dtypes,
                  size_t num_arrays) {
  bool is_there[2 * CYXLA_SORT_OPERANDS_MAXIMUM] = {false};
  cyxla_wire rest = computation->message;
  cyxla_wire_field field;
  size_t num_parameters = 0;

  while (rest.bytes > 0 && cyxla_wire_next(&rest, &field)) {
    cyxla_hlo_instruction instruction = {0, 0, field.content};
    uint64_t number;
    if (!spend(source)) return false;
    if (field.number != COMPUTATION_INSTRUCTIONS || field.type != CYXLA_WIRE_COUNTED ||
        !cyxla_hlo_is(&instruction, "parameter")) {
      continue;
    }
    number = cyxla_wire_value(field.content, INSTRUCTION_PARAMETER_NUMBER);
    if (number >= 2 * num_arrays || is_there[number] ||
        !is_element(&instruction, number, dtypes)) {
      return false;
    }
    is_there[number] = true;
    num_parameters++;
  }
  return num_parameters == 2 * num_arrays;
}

cyxla_status cyxla_comparator_find(cyxla_comparator_source *source, cyxla_wire name,
                                   const cyxla_dtype *dtypes, size_t num_arrays,
                                   cyxla_comparator **comparator, cyxla_error *error) {
  const cyxla_hlo_computation *computation;
  cyxla_kernel *code;
  char text[NAME_BYTES];

  if (!cyxla_wire_text(name, text, sizeof(text))) {
    return cyxla_direct_refuse("it has a sort whose comparator has a long name", error);
  }
  code = cyxla_object_set_find(source->objects, text);
  if (code == NULL || !is_comparator(source, text)) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED, "its comparator %s is not there",
                           text);
  }
  computation = find_computation(source, text);
  if (computation == NULL || !takes(source, computation, dtypes, num_arrays)) {
    return cyxla_direct_refuse("it has a sort whose comparator is not of its arrays",
                               error);
  }
  if (!cyxla_order_is_known(source->hlo, computation, &source->budget)) {
    return cyxla_direct_refuse(
        "it has a sort by a comparison that is not known to be an order", error);
  }
  /* Which is what it is, whatever the set takes all of its functions for. */
  *comparator = (cyxla_comparator *)(void (*)(void))code;
  return CYXLA_OK;
}
