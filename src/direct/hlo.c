#include "hlo.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memory.h"

/* Fields of the messages of xla/service/hlo.proto. */
enum { MODULE_COMPUTATIONS = 3, MODULE_HOST_PROGRAM_SHAPE = 4, MODULE_ENTRY = 6 };
enum { COMPUTATION_INSTRUCTIONS = 2, COMPUTATION_ID = 5, COMPUTATION_ROOT = 6 };
enum {
  INSTRUCTION_OPCODE = 2,
  INSTRUCTION_PARAMETER_NUMBER = 9,
  INSTRUCTION_TUPLE_INDEX = 13,
  INSTRUCTION_ID = 35,
  INSTRUCTION_OPERANDS = 36,
  INSTRUCTION_CALLED = 38,
  INSTRUCTION_HAS_SIDE_EFFECT = 65
};

/* No instruction that is looked through has more. */
enum { OPERANDS_MAXIMUM = 4096 };

static void read_computation(cyxla_hlo *hlo, cyxla_wire computation) {
  cyxla_hlo_computation *read = &hlo->computations[hlo->num_computations++];
  cyxla_wire rest = computation;
  cyxla_wire_field field;

  read->id = (int64_t)cyxla_wire_value(computation, COMPUTATION_ID);
  read->root = (int64_t)cyxla_wire_value(computation, COMPUTATION_ROOT);
  read->message = computation;
  while (rest.bytes > 0 && cyxla_wire_next(&rest, &field)) {
    cyxla_hlo_instruction *instruction;
    if (field.number != COMPUTATION_INSTRUCTIONS || field.type != CYXLA_WIRE_COUNTED) {
      continue;
    }
    instruction = &hlo->instructions[hlo->num_instructions++];
    instruction->id = (int64_t)cyxla_wire_value(field.content, INSTRUCTION_ID);
    instruction->computation = read->id;
    instruction->message = field.content;
  }
}

/* Both structs begin with their id. */
static int compare_ids(const void *a, const void *b) {
  int64_t one, other;

  memcpy(&one, a, sizeof(one));
  memcpy(&other, b, sizeof(other));
  return one < other ? -1 : one > other;
}

static const void *find(const void *items, size_t count, size_t bytes, int64_t id) {
  return count > 0 ? bsearch(&id, items, count, bytes, compare_ids) : NULL;
}

static void note_caller(cyxla_hlo *hlo, int64_t called,
                        const cyxla_hlo_instruction *caller) {
  const cyxla_hlo_computation *found = cyxla_hlo_find_computation(hlo, called);
  cyxla_hlo_computation *computation;

  if (found == NULL) return;
  computation = &hlo->computations[found - hlo->computations];
  if (computation->caller != NULL && computation->caller != caller) {
    computation->has_callers = true;
  }
  computation->caller = caller;
}

/* Once for all, since to look for the caller of each parameter that is come by would
 * take a module of many of them hours. */
static void note_callers(cyxla_hlo *hlo) {
  int64_t called[OPERANDS_MAXIMUM];

  for (size_t i = 0; i < hlo->num_instructions; i++) {
    const cyxla_hlo_instruction *caller = &hlo->instructions[i];
    size_t count = cyxla_wire_numbers(caller->message, INSTRUCTION_CALLED, called,
                                      OPERANDS_MAXIMUM);
    for (size_t k = 0; k < count && k < OPERANDS_MAXIMUM; k++) {
      note_caller(hlo, called[k], caller);
    }
  }
}

cyxla_status cyxla_hlo_read(cyxla_wire module, cyxla_hlo *hlo, cyxla_error *error) {
  cyxla_wire rest = module;
  cyxla_wire_field field;
  size_t num_instructions = 0;

  memset(hlo, 0, sizeof(*hlo));
  hlo->entry = (int64_t)cyxla_wire_value(module, MODULE_ENTRY);
  hlo->parameters = cyxla_wire_content(module, MODULE_HOST_PROGRAM_SHAPE);
  while (rest.bytes > 0 && cyxla_wire_next(&rest, &field)) {
    if (field.number != MODULE_COMPUTATIONS || field.type != CYXLA_WIRE_COUNTED) {
      continue;
    }
    num_instructions += cyxla_wire_count(field.content, COMPUTATION_INSTRUCTIONS);
  }
  hlo->computations = cyxla_allocate_array(
      cyxla_wire_count(module, MODULE_COMPUTATIONS), sizeof(*hlo->computations));
  hlo->instructions =
      cyxla_allocate_array(num_instructions, sizeof(*hlo->instructions));
  if (hlo->computations == NULL || hlo->instructions == NULL) {
    cyxla_hlo_free(hlo);
    return cyxla_error_out_of_memory(error, "code");
  }
  for (rest = module; rest.bytes > 0 && cyxla_wire_next(&rest, &field);) {
    if (field.number == MODULE_COMPUTATIONS && field.type == CYXLA_WIRE_COUNTED) {
      read_computation(hlo, field.content);
    }
  }
  qsort(hlo->computations, hlo->num_computations, sizeof(*hlo->computations),
        compare_ids);
  qsort(hlo->instructions, hlo->num_instructions, sizeof(*hlo->instructions),
        compare_ids);
  note_callers(hlo);
  return CYXLA_OK;
}

void cyxla_hlo_free(cyxla_hlo *hlo) {
  cyxla_release(hlo->instructions);
  cyxla_release(hlo->computations);
  memset(hlo, 0, sizeof(*hlo));
}

const cyxla_hlo_instruction *cyxla_hlo_find(const cyxla_hlo *hlo, int64_t id) {
  return find(hlo->instructions, hlo->num_instructions, sizeof(*hlo->instructions), id);
}

const cyxla_hlo_computation *cyxla_hlo_find_computation(const cyxla_hlo *hlo,
                                                        int64_t id) {
  return find(hlo->computations, hlo->num_computations, sizeof(*hlo->computations), id);
}

bool cyxla_hlo_is(const cyxla_hlo_instruction *instruction, const char *opcode) {
  return cyxla_wire_is_text(
      cyxla_wire_content(instruction->message, INSTRUCTION_OPCODE), opcode);
}

/* The id of an operand; false where there is none. */
static bool operand(const cyxla_hlo_instruction *instruction, uint64_t index,
                    int64_t *id) {
  int64_t ids[OPERANDS_MAXIMUM];
  size_t count = cyxla_wire_numbers(instruction->message, INSTRUCTION_OPERANDS, ids,
                                    OPERANDS_MAXIMUM);

  if (count > OPERANDS_MAXIMUM || index >= count) return false;
  *id = ids[index];
  return true;
}

/* From a parameter to what its computation is called with. */
static bool step_out(const cyxla_hlo *hlo, const cyxla_hlo_instruction *parameter,
                     cyxla_hlo_place *place) {
  const cyxla_hlo_computation *computation =
      cyxla_hlo_find_computation(hlo, parameter->computation);
  uint64_t number = cyxla_wire_value(parameter->message, INSTRUCTION_PARAMETER_NUMBER);
  const cyxla_hlo_instruction *caller = computation->caller;

  if (caller == NULL || computation->has_callers) return false;
  if (cyxla_hlo_is(caller, "while")) return operand(caller, 0, &place->instruction);
  return cyxla_hlo_is(caller, "call") && operand(caller, number, &place->instruction);
}

/* Into the root of the first computation that is called. */
static bool step_in(const cyxla_hlo *hlo, const cyxla_hlo_instruction *instruction,
                    cyxla_hlo_place *place) {
  const cyxla_hlo_computation *called;
  int64_t id;

  if (cyxla_wire_numbers(instruction->message, INSTRUCTION_CALLED, &id, 1) == 0) {
    return false;
  }
  called = cyxla_hlo_find_computation(hlo, id);
  if (called == NULL) return false;
  place->instruction = called->root;
  return true;
}

static bool step_into_tuple(const cyxla_hlo_instruction *instruction,
                            cyxla_hlo_place *place) {
  if (place->depth == 0 || place->index[0] < 0 ||
      !operand(instruction, (uint64_t)place->index[0], &place->instruction)) {
    return false;
  }
  place->depth--;
  memmove(place->index, place->index + 1, place->depth * sizeof(place->index[0]));
  return true;
}

static bool step_out_of_tuple(const cyxla_hlo_instruction *instruction,
                              cyxla_hlo_place *place) {
  if (place->depth >= CYXLA_HLO_DEPTH_MAXIMUM ||
      !operand(instruction, 0, &place->instruction)) {
    return false;
  }
  memmove(place->index + 1, place->index, place->depth * sizeof(place->index[0]));
  place->index[0] =
      (int64_t)cyxla_wire_value(instruction->message, INSTRUCTION_TUPLE_INDEX);
  place->depth++;
  return true;
}

bool cyxla_hlo_step(const cyxla_hlo *hlo, cyxla_hlo_place *place) {
  const cyxla_hlo_instruction *at = cyxla_hlo_find(hlo, place->instruction);

  if (at == NULL) return false;
  if (cyxla_hlo_is(at, "tuple")) return step_into_tuple(at, place);
  if (cyxla_hlo_is(at, "get-tuple-element")) return step_out_of_tuple(at, place);
  if (cyxla_hlo_is(at, "bitcast") || cyxla_hlo_is(at, "while") ||
      cyxla_hlo_is(at, "opt-barrier")) {
    return operand(at, 0, &place->instruction);
  }
  if (cyxla_hlo_is(at, "call") || cyxla_hlo_is(at, "conditional")) {
    return step_in(hlo, at, place);
  }
  return cyxla_hlo_is(at, "parameter") && step_out(hlo, at, place);
}

bool cyxla_hlo_has_side_effects(const cyxla_hlo *hlo) {
  for (size_t i = 0; i < hlo->num_instructions; i++) {
    if (cyxla_wire_value(hlo->instructions[i].message, INSTRUCTION_HAS_SIDE_EFFECT) !=
        0) {
      return true;
    }
  }
  return false;
}
