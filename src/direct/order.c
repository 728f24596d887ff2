#include "order.h"

#include <string.h>

#include "comparator.h"

/* Fields of the message xla.HloInstructionProto. */
enum {
  INSTRUCTION_NAME = 1,
  INSTRUCTION_METADATA = 7,
  INSTRUCTION_PARAMETER_NUMBER = 9,
  INSTRUCTION_ID = 35,
  INSTRUCTION_OPERANDS = 36,
  INSTRUCTION_CALLED = 38,
  INSTRUCTION_DIRECTION = 63,
  INSTRUCTION_COMPARISON = 72
};

enum { PARAMETERS_MAXIMUM = 2 * CYXLA_SORT_OPERANDS_MAXIMUM };
enum { OPERANDS_MAXIMUM = 3, DEPTH_MAXIMUM = 100 };

/* What comparators of JAX calculate their keys with. No arithmetic, of which compiled
 * code may round the one element's otherwise than the other's. */
static const char *const EXACT[] = {
    "and",    "bitcast", "bitcast-convert", "compare", "constant", "convert",
    "copy",   "imag",    "negate",          "not",     "or",       "real",
    "select", "xor"};

typedef struct proof {
  const cyxla_hlo *hlo;
  /* Of the comparator, by the number of the parameter of what is looked at. */
  int64_t parameters[PARAMETERS_MAXIMUM]; /* [num_parameters] */
  size_t num_parameters;
  size_t *budget;
} proof;

/* NULL for what is not there, and once too much was looked at. */
static const cyxla_hlo_instruction *look(proof *in, int64_t id) {
  if (*in->budget == 0) return NULL;
  --*in->budget;
  return cyxla_hlo_find(in->hlo, id);
}

static size_t operands(const cyxla_hlo_instruction *instruction, int64_t *ids) {
  return cyxla_wire_numbers(instruction->message, INSTRUCTION_OPERANDS, ids,
                            OPERANDS_MAXIMUM);
}

/* The number of the comparator's parameter; a negative one where it is none. */
static int64_t parameter_of(const proof *in, const cyxla_hlo_instruction *instruction) {
  uint64_t number =
      cyxla_wire_value(instruction->message, INSTRUCTION_PARAMETER_NUMBER);

  return number < in->num_parameters ? in->parameters[number] : -1;
}

static bool is_exact(const cyxla_hlo_instruction *instruction) {
  for (size_t i = 0; i < sizeof(EXACT) / sizeof(EXACT[0]); i++) {
    if (cyxla_hlo_is(instruction, EXACT[i])) return true;
  }
  return false;
}

/* The next field that matters. */
static bool next_field(cyxla_wire *rest, bool is_parameter, cyxla_wire_field *field) {
  while (rest->bytes > 0 && cyxla_wire_next(rest, field)) {
    switch (field->number) {
      case INSTRUCTION_NAME:
      case INSTRUCTION_METADATA:
      case INSTRUCTION_ID:
      case INSTRUCTION_OPERANDS: break;
      case INSTRUCTION_PARAMETER_NUMBER:
        if (!is_parameter) return true;
        break;
      default: return true;
    }
  }
  return false;
}

/* Whether two instructions do the same with their operands. */
static bool is_same(const cyxla_hlo_instruction *a, const cyxla_hlo_instruction *b,
                    bool is_parameter) {
  cyxla_wire rest = a->message, other_rest = b->message;
  cyxla_wire_field field, other;

  while (next_field(&rest, is_parameter, &field)) {
    if (!next_field(&other_rest, is_parameter, &other) ||
        other.number != field.number || field.type != other.type) {
      return false;
    }
    if (field.type == CYXLA_WIRE_VARINT) {
      if (field.value != other.value) return false;
    } else if (field.content.bytes != other.content.bytes ||
               (field.content.bytes > 0 &&
                memcmp(field.content.data, other.content.data, field.content.bytes) !=
                    0)) {
      return false;
    }
  }
  return !next_field(&other_rest, is_parameter, &other);
}

/* Whether one instruction calculates of the one element what another does of the other:
 * both are the same but for their parameters. */
static bool is_mirrored(proof *in, int64_t id, int64_t other_id, int depth) {
  const cyxla_hlo_instruction *a = look(in, id), *b = look(in, other_id);
  int64_t ids[OPERANDS_MAXIMUM], other_ids[OPERANDS_MAXIMUM];
  size_t count;

  if (a == NULL || b == NULL || depth >= DEPTH_MAXIMUM) return false;
  if (cyxla_hlo_is(a, "parameter")) {
    int64_t number = parameter_of(in, a);
    return number >= 0 && number % 2 == 0 && is_same(a, b, true) &&
           parameter_of(in, b) == number + 1;
  }
  count = operands(a, ids);
  if (count > OPERANDS_MAXIMUM || !is_exact(a) || !is_same(a, b, false) ||
      operands(b, other_ids) != count) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (!is_mirrored(in, ids[i], other_ids[i], depth + 1)) return false;
  }
  return true;
}

/* Whether it compares whole numbers, in a direction. */
static bool is_comparison(const cyxla_hlo_instruction *instruction,
                          const char *direction, int64_t *ids) {
  cyxla_wire type = cyxla_wire_content(instruction->message, INSTRUCTION_COMPARISON);

  return cyxla_hlo_is(instruction, "compare") && operands(instruction, ids) == 2 &&
         (cyxla_wire_is_text(type, "SIGNED") || cyxla_wire_is_text(type, "UNSIGNED")) &&
         cyxla_wire_is_text(
             cyxla_wire_content(instruction->message, INSTRUCTION_DIRECTION),
             direction);
}

/* Whether one key says which element comes first. */
static bool is_by_key(proof *in, int64_t id, int64_t *keys) {
  const cyxla_hlo_instruction *at = look(in, id);

  return at != NULL &&
         (is_comparison(at, "LT", keys) || is_comparison(at, "GT", keys)) &&
         (is_mirrored(in, keys[0], keys[1], 0) || is_mirrored(in, keys[1], keys[0], 0));
}

static bool is_order(proof *in, int64_t id, int depth);

/* Whether something is true of equal keys at most, and an order of what has them. */
static bool is_order_of_equals(proof *in, int64_t id, const int64_t *keys, int depth) {
  const cyxla_hlo_instruction *at = look(in, id), *equal;
  int64_t ids[OPERANDS_MAXIMUM], compared[OPERANDS_MAXIMUM];

  if (at == NULL || !cyxla_hlo_is(at, "and") || operands(at, ids) != 2) return false;
  for (size_t i = 0; i < 2; i++) {
    equal = look(in, ids[i]);
    if (equal != NULL && is_comparison(equal, "EQ", compared) &&
        ((compared[0] == keys[0] && compared[1] == keys[1]) ||
         (compared[0] == keys[1] && compared[1] == keys[0]))) {
      return is_order(in, ids[1 - i], depth + 1);
    }
  }
  return false;
}

static bool is_order(proof *in, int64_t id, int depth) {
  const cyxla_hlo_instruction *at = look(in, id);
  int64_t ids[OPERANDS_MAXIMUM], keys[OPERANDS_MAXIMUM];

  if (at == NULL || depth >= DEPTH_MAXIMUM) return false;
  if (is_by_key(in, id, keys)) return true;
  if (!cyxla_hlo_is(at, "or") || operands(at, ids) != 2) return false;
  for (size_t i = 0; i < 2; i++) {
    if (is_by_key(in, ids[i], keys)) {
      return is_order_of_equals(in, ids[1 - i], keys, depth);
    }
  }
  return false;
}

/* What is inside of a fusion, whose parameters are the comparator's in another order.
 */
static bool enter_fusion(proof *in, const cyxla_hlo_instruction *fusion,
                         int64_t *root) {
  int64_t ids[PARAMETERS_MAXIMUM], called;
  size_t count = cyxla_wire_numbers(fusion->message, INSTRUCTION_OPERANDS, ids,
                                    PARAMETERS_MAXIMUM);
  const cyxla_hlo_computation *computation;

  if (count > PARAMETERS_MAXIMUM ||
      cyxla_wire_numbers(fusion->message, INSTRUCTION_CALLED, &called, 1) != 1) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const cyxla_hlo_instruction *operand = look(in, ids[i]);
    if (operand == NULL || !cyxla_hlo_is(operand, "parameter")) return false;
    ids[i] = parameter_of(in, operand);
  }
  computation = cyxla_hlo_find_computation(in->hlo, called);
  if (computation == NULL) return false;
  memcpy(in->parameters, ids, count * sizeof(ids[0]));
  in->num_parameters = count;
  *root = computation->root;
  return true;
}

bool cyxla_order_is_known(const cyxla_hlo *hlo,
                          const cyxla_hlo_computation *computation, size_t *budget) {
  proof in = {hlo, {0}, PARAMETERS_MAXIMUM, budget};
  int64_t root = computation->root;
  const cyxla_hlo_instruction *at = look(&in, root);

  for (size_t i = 0; i < PARAMETERS_MAXIMUM; i++) in.parameters[i] = (int64_t)i;
  if (at != NULL && cyxla_hlo_is(at, "fusion") && !enter_fusion(&in, at, &root)) {
    return false;
  }
  return is_order(&in, root, 0);
}
