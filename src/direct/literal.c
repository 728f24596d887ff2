/* Shapes and literals of HLO. */
#include <string.h>

#include "encoding.h"
#include "hlo.h"

/* Fields of the messages of xla/xla_data.proto. */
enum { SHAPE_ELEMENT_TYPE = 2, SHAPE_SIZES = 3, SHAPE_LAYOUT = 5 };
enum { LAYOUT_MINOR_TO_MAJOR = 1 };
enum { INSTRUCTION_LITERAL = 8, LITERAL_SHAPE = 1 };

/* How the elements of a type are kept: which field of the literal has them, how many
 * bytes each takes, and whether they are numbers of a list rather than bytes. */
typedef struct element_kind {
  cyxla_dtype dtype;
  uint64_t field;
  size_t bytes;
  bool is_list;
} element_kind;

/* In the order of xla.PrimitiveType; a dtype of 0 is one that programs do not have. */
static const element_kind KINDS[] = {
    {(cyxla_dtype)0, 0, 0, false},     {CYXLA_BOOL, 2, 1, true},
    {CYXLA_INT8, 15, 1, false},        {CYXLA_INT16, 17, 2, false},
    {CYXLA_INT32, 4, 4, true},         {CYXLA_INT64, 5, 8, true},
    {CYXLA_UINT8, 3, 1, false},        {CYXLA_UINT16, 16, 2, false},
    {CYXLA_UINT32, 6, 4, true},        {CYXLA_UINT64, 7, 8, true},
    {CYXLA_FLOAT16, 11, 2, false},     {CYXLA_FLOAT32, 8, 4, false},
    {CYXLA_FLOAT64, 9, 8, false},      {(cyxla_dtype)0, 0, 0, false},
    {(cyxla_dtype)0, 0, 0, false},     {CYXLA_COMPLEX64, 12, 8, false},
    {CYXLA_BFLOAT16, 13, 2, false},    {(cyxla_dtype)0, 0, 0, false},
    {CYXLA_COMPLEX128, 18, 16, false},
};

static const element_kind *kind_of(int64_t element_type) {
  size_t count = sizeof(KINDS) / sizeof(KINDS[0]);

  return element_type > 0 && element_type < (int64_t)count ? &KINDS[element_type]
                                                           : &KINDS[0];
}

cyxla_dtype cyxla_hlo_dtype(int64_t element_type) {
  return kind_of(element_type)->dtype;
}

bool cyxla_hlo_shape_read(cyxla_wire message, cyxla_hlo_shape *shape) {
  cyxla_wire layout = cyxla_wire_content(message, SHAPE_LAYOUT);
  int64_t order[CYXLA_RANK_MAXIMUM];
  size_t num_ordered =
      cyxla_wire_numbers(layout, LAYOUT_MINOR_TO_MAJOR, order, CYXLA_RANK_MAXIMUM);

  shape->element_type = (int64_t)cyxla_wire_value(message, SHAPE_ELEMENT_TYPE);
  shape->rank =
      cyxla_wire_numbers(message, SHAPE_SIZES, shape->sizes, CYXLA_RANK_MAXIMUM);
  if (shape->rank > CYXLA_RANK_MAXIMUM) return false;
  shape->is_row_major = num_ordered == shape->rank;
  for (size_t i = 0; shape->is_row_major && i < shape->rank; i++) {
    shape->is_row_major = order[i] == (int64_t)(shape->rank - 1 - i);
  }
  return true;
}

/* Numbers of a list, or one by one, as elements of that many bytes. */
static bool take_numbers(const element_kind *kind, cyxla_wire_field field,
                         unsigned char *memory, size_t bytes, size_t *position) {
  unsigned char little[8];

  if (field.type != CYXLA_WIRE_VARINT && field.type != CYXLA_WIRE_COUNTED) return false;
  do {
    if (field.type == CYXLA_WIRE_COUNTED) {
      if (field.content.bytes == 0) return true;
      if (!cyxla_wire_next_varint(&field.content, &field.value)) return false;
    }
    if (kind->bytes > bytes - *position) return false;
    cyxla_store_u64(little, field.value);
    memcpy(memory + *position, little, kind->bytes);
    *position += kind->bytes;
  } while (field.content.bytes > 0);
  return true;
}

bool cyxla_hlo_literal(cyxla_wire instruction, void *memory, size_t bytes) {
  cyxla_wire literal = cyxla_wire_content(instruction, INSTRUCTION_LITERAL);
  const element_kind *kind;
  cyxla_hlo_shape shape;
  cyxla_wire_field field;
  size_t position = 0;

  if (!cyxla_hlo_shape_read(cyxla_wire_content(literal, LITERAL_SHAPE), &shape) ||
      !shape.is_row_major) {
    return false;
  }
  kind = kind_of(shape.element_type);
  while (kind->bytes > 0 && literal.bytes > 0) {
    if (!cyxla_wire_next(&literal, &field)) return false;
    if (field.number != kind->field) continue;
    if (kind->is_list) {
      if (!take_numbers(kind, field, memory, bytes, &position)) return false;
    } else {
      if (field.type == CYXLA_WIRE_VARINT || field.content.bytes > bytes - position) {
        return false;
      }
      if (field.content.bytes == 0) continue;
      memcpy((unsigned char *)memory + position, field.content.data,
             field.content.bytes);
      position += field.content.bytes;
    }
  }
  return kind->bytes > 0 && position == bytes;
}
