/* Shapes and literals: src/direct/literal.c. */
#include <string.h>

#include "direct/hlo.h"
#include "test_direct_support.h"

/* Numbers of xla.PrimitiveType. */
enum {
  PRED = 1,
  S8,
  S16,
  S32,
  S64,
  U8,
  U16,
  U32,
  U64,
  F16,
  F32,
  F64,
  TUPLE,
  OPAQUE,
  C64,
  BF16,
  TOKEN,
  C128
};

static void put_shape(test_message *shape, uint64_t type, const int64_t *sizes,
                      const int64_t *order, size_t rank) {
  test_message layout = {0};

  test_put_number(shape, 2, type);
  if (rank > 0) test_put_list(shape, 3, sizes, rank);
  if (rank > 0) test_put_list(&layout, 1, order, rank);
  test_put_message(shape, 5, &layout);
}

/* A literal of one dimension. */
static void start(test_message *literal, uint64_t type, int64_t size) {
  static const int64_t order = 0;
  test_message shape = {0};

  literal->bytes = 0;
  put_shape(&shape, type, &size, &order, 1);
  test_put_message(literal, 1, &shape);
}

static bool read(const test_message *literal, void *memory, size_t bytes) {
  test_message instruction = {0};

  test_put_message(&instruction, 8, literal);
  return cyxla_hlo_literal(test_wire(&instruction), memory, bytes);
}

static void a_shape_is_read(void) {
  static const int64_t sizes[] = {2, 0, 5}, order[] = {2, 1, 0}, other[] = {0, 1, 2};
  test_message message = {0}, column_major = {0}, scalar = {0}, bare = {0};
  cyxla_hlo_shape shape;

  put_shape(&message, F32, sizes, order, 3);
  EXPECT_TRUE(cyxla_hlo_shape_read(test_wire(&message), &shape));
  EXPECT_EQUAL(shape.element_type, F32);
  EXPECT_EQUAL(shape.rank, 3);
  EXPECT_EQUAL(shape.sizes[2], 5);
  EXPECT_TRUE(shape.is_row_major);
  put_shape(&column_major, F32, sizes, other, 3);
  EXPECT_TRUE(cyxla_hlo_shape_read(test_wire(&column_major), &shape));
  EXPECT_TRUE(!shape.is_row_major);
  put_shape(&scalar, S8, NULL, NULL, 0);
  EXPECT_TRUE(cyxla_hlo_shape_read(test_wire(&scalar), &shape));
  EXPECT_EQUAL(shape.rank, 0);
  EXPECT_TRUE(shape.is_row_major);
  test_put_list(&bare, 3, sizes, 1);
  EXPECT_TRUE(cyxla_hlo_shape_read(test_wire(&bare), &shape));
  EXPECT_TRUE(!shape.is_row_major); /* of no layout */
}

static void a_shape_has_so_many_dimensions(void) {
  int64_t sizes[CYXLA_RANK_MAXIMUM + 1], order[CYXLA_RANK_MAXIMUM + 1];
  test_message message = {0}, longer = {0}, layout = {0};
  cyxla_hlo_shape shape;

  for (int i = 0; i <= CYXLA_RANK_MAXIMUM; i++) sizes[i] = 1;
  for (int i = 0; i <= CYXLA_RANK_MAXIMUM; i++) order[i] = CYXLA_RANK_MAXIMUM - 1 - i;
  put_shape(&message, F32, sizes, order, CYXLA_RANK_MAXIMUM);
  EXPECT_TRUE(cyxla_hlo_shape_read(test_wire(&message), &shape));
  EXPECT_TRUE(shape.is_row_major);
  put_shape(&longer, F32, sizes, order, CYXLA_RANK_MAXIMUM + 1);
  EXPECT_TRUE(!cyxla_hlo_shape_read(test_wire(&longer), &shape));
  test_put_list(&layout, 1, order, CYXLA_RANK_MAXIMUM + 1);
  test_put_message(&message, 5, &layout);
  EXPECT_TRUE(cyxla_hlo_shape_read(test_wire(&message), &shape));
  EXPECT_TRUE(!shape.is_row_major);
}

static void types_have_the_dtypes_of_programs(void) {
  static const cyxla_dtype dtypes[] = {0,
                                       CYXLA_BOOL,
                                       CYXLA_INT8,
                                       CYXLA_INT16,
                                       CYXLA_INT32,
                                       CYXLA_INT64,
                                       CYXLA_UINT8,
                                       CYXLA_UINT16,
                                       CYXLA_UINT32,
                                       CYXLA_UINT64,
                                       CYXLA_FLOAT16,
                                       CYXLA_FLOAT32,
                                       CYXLA_FLOAT64,
                                       0,
                                       0,
                                       CYXLA_COMPLEX64,
                                       CYXLA_BFLOAT16,
                                       0,
                                       CYXLA_COMPLEX128,
                                       0};

  for (size_t i = 0; i < TEST_COUNT(dtypes); i++) {
    EXPECT_EQUAL(cyxla_hlo_dtype((int64_t)i), dtypes[i]);
  }
  EXPECT_EQUAL(cyxla_hlo_dtype(-1), 0);
  EXPECT_EQUAL(cyxla_hlo_dtype(INT64_MAX), 0);
  EXPECT_EQUAL(cyxla_hlo_dtype(INT64_MIN), 0);
}

static void bytes_are_copied(void) {
  static const struct {
    uint64_t type, field;
    size_t element_bytes;
  } kinds[] = {{S8, 15, 1},   {U8, 3, 1},  {S16, 17, 2}, {U16, 16, 2}, {F16, 11, 2},
               {BF16, 13, 2}, {F32, 8, 4}, {F64, 9, 8},  {C64, 12, 8}, {C128, 18, 16}};
  static const unsigned char data[32] = {1, 2, 3, 4, 5, 250, 7, 8, 9, 10, 11};

  for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
    size_t bytes = 2 * kinds[i].element_bytes;
    unsigned char memory[32] = {0};
    test_message literal;
    start(&literal, kinds[i].type, 2);
    test_put_bytes(&literal, kinds[i].field, data, bytes);
    EXPECT_TRUE(read(&literal, memory, bytes));
    EXPECT_BYTES(memory, data, bytes);
    EXPECT_TRUE(!read(&literal, memory, bytes - 1));
    EXPECT_TRUE(!read(&literal, memory, bytes + 1));
  }
}

static void numbers_become_elements(void) {
  static const struct {
    uint64_t type, field;
    int64_t values[2];
    size_t bytes;
    const char *expected;
  } kinds[] = {
      {PRED, 2, {1, 0}, 2, "\1\0"},
      {S32, 4, {-2, 258}, 8, "\xfe\xff\xff\xff\2\1\0\0"},
      {U32, 6, {UINT32_MAX, 1}, 8, "\xff\xff\xff\xff\1\0\0\0"},
      {S64, 5, {-2, 258}, 16, "\xfe\xff\xff\xff\xff\xff\xff\xff\2\1\0\0\0\0\0\0"},
      {U64, 7, {-1, 3}, 16, "\xff\xff\xff\xff\xff\xff\xff\xff\3\0\0\0\0\0\0\0"},
  };

  for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
    unsigned char memory[16];
    test_message literal;
    start(&literal, kinds[i].type, 2);
    test_put_list(&literal, kinds[i].field, kinds[i].values, 2);
    EXPECT_TRUE(read(&literal, memory, kinds[i].bytes));
    EXPECT_BYTES(memory, kinds[i].expected, kinds[i].bytes);
    EXPECT_TRUE(!read(&literal, memory, kinds[i].bytes - 1));
    memset(memory, 0xaa, sizeof(memory));
    start(&literal, kinds[i].type, 2);
    test_put_number(&literal, kinds[i].field, (uint64_t)kinds[i].values[0]);
    test_put_number(&literal, kinds[i].field, (uint64_t)kinds[i].values[1]);
    EXPECT_TRUE(read(&literal, memory, kinds[i].bytes));
    EXPECT_BYTES(memory, kinds[i].expected, kinds[i].bytes);
  }
}

static void elements_may_come_in_pieces(void) {
  float memory[3] = {0}, values[] = {1.5f, -2.0f, 3.0f};
  test_message literal;

  start(&literal, F32, 3);
  test_put_bytes(&literal, 8, values, 4);
  test_put_bytes(&literal, 8, NULL, 0);
  test_put_bytes(&literal, 4, values, 8); /* not of this type */
  test_put_bytes(&literal, 8, values + 1, 8);
  EXPECT_TRUE(read(&literal, memory, sizeof(memory)));
  EXPECT_BYTES(memory, values, sizeof(memory));
}

static void an_empty_literal_is_one(void) {
  unsigned char memory[1];
  test_message literal;

  start(&literal, F32, 0);
  EXPECT_TRUE(read(&literal, memory, 0));
  EXPECT_TRUE(!read(&literal, memory, 1));
}

static void literals_of_other_kinds_are_refused(void) {
  static const int64_t sizes[] = {2, 2}, order[] = {0, 1};
  static const uint64_t types[] = {0, TUPLE, OPAQUE, TOKEN, C128 + 1};
  static const unsigned char data[16] = {0};
  test_message literal = {0}, shape = {0}, empty = {0};
  unsigned char memory[16];

  EXPECT_TRUE(!read(&empty, memory, 0));
  for (size_t i = 0; i < TEST_COUNT(types); i++) {
    start(&literal, types[i], 4);
    test_put_bytes(&literal, 8, data, 16);
    EXPECT_TRUE(!read(&literal, memory, 16));
  }
  literal.bytes = 0;
  put_shape(&shape, F32, sizes, order, 2); /* column-major */
  test_put_message(&literal, 1, &shape);
  test_put_bytes(&literal, 8, data, 16);
  EXPECT_TRUE(!read(&literal, memory, 16));
}

static void broken_literals_are_refused(void) {
  static const int64_t number = 1;
  unsigned char memory[16];
  test_message literal;

  start(&literal, S32, 1);
  test_put_list(&literal, 4, &number, 1);
  test_put_raw(&literal, "\x80", 1);
  EXPECT_TRUE(!read(&literal, memory, 4));
  start(&literal, S32, 1);
  test_put_bytes(&literal, 4, "\x80", 1); /* half a number */
  EXPECT_TRUE(!read(&literal, memory, 4));
  start(&literal, S32, 1);
  test_put_raw(&literal, "\x25\1\0\0\0", 5); /* a number of 4 bytes, not a varint */
  EXPECT_TRUE(!read(&literal, memory, 4));
}

static void a_number_where_bytes_belong_is_refused(void) {
  unsigned char memory[4];
  test_message literal;

  start(&literal, F32, 0);
  test_put_number(&literal, 8, 1);
  EXPECT_TRUE(!read(&literal, memory, 0));
}

TEST_MAIN(TEST_CASE(a_shape_is_read), TEST_CASE(a_shape_has_so_many_dimensions),
          TEST_CASE(types_have_the_dtypes_of_programs), TEST_CASE(bytes_are_copied),
          TEST_CASE(numbers_become_elements), TEST_CASE(elements_may_come_in_pieces),
          TEST_CASE(an_empty_literal_is_one),
          TEST_CASE(literals_of_other_kinds_are_refused),
          TEST_CASE(broken_literals_are_refused),
          TEST_CASE(a_number_where_bytes_belong_is_refused))
