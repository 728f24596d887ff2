#include "direct/layout.h"

#include "test_comparators_support.h"

/* A shape of a type, with a layout; the sizes or order are left out where there are
 * none. */
static void put_shape(test_message *shape, uint64_t type, const int64_t *sizes,
                      size_t rank, const int64_t *order, size_t num_ordered) {
  test_message layout = {0};

  test_put_number(shape, 2, type);
  if (rank > 0) test_put_list(shape, 3, sizes, rank);
  if (num_ordered > 0) test_put_list(&layout, 1, order, num_ordered);
  test_put_number(&layout, 16, 1);
  test_put_message(shape, 5, &layout);
}

static bool is_read(uint64_t type, const int64_t *sizes, size_t rank,
                    const int64_t *order, size_t num_ordered, cyxla_layout *layout) {
  test_message shape = {0};

  put_shape(&shape, type, sizes, rank, order, num_ordered);
  return cyxla_layout_read(test_wire(&shape), layout);
}

static void an_array_has_sizes_and_an_order(void) {
  static const int64_t sizes[] = {2, 3, 5}, order[] = {1, 2, 0};
  cyxla_layout layout;

  EXPECT_TRUE(is_read(TEST_C128, sizes, 3, order, 3, &layout));
  EXPECT_EQUAL(layout.dtype, CYXLA_COMPLEX128);
  EXPECT_EQUAL(layout.element_bytes, 16);
  EXPECT_EQUAL(layout.bytes, 2 * 3 * 5 * 16);
  EXPECT_EQUAL(layout.rank, 3);
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQUAL(layout.sizes[i], sizes[i]);
    EXPECT_EQUAL(layout.order[i], order[i]);
  }
}

static void a_scalar_has_no_dimension_and_an_array_may_be_empty(void) {
  static const int64_t empty[] = {3, 0, 4}, order[] = {2, 1, 0};
  cyxla_layout layout;

  EXPECT_TRUE(is_read(TEST_S16, NULL, 0, NULL, 0, &layout));
  EXPECT_EQUAL(layout.bytes, 2);
  EXPECT_EQUAL(layout.rank, 0);
  EXPECT_TRUE(is_read(TEST_S16, empty, 3, order, 3, &layout));
  EXPECT_EQUAL(layout.bytes, 0);
}

static void sizes_make_sense(void) {
  static const int64_t order[] = {1, 0};
  static const int64_t wrong[][2] = {{-1, 2},
                                     {2, INT64_MIN},
                                     {INT64_MAX, 2},
                                     {(int64_t)1 << 31, (int64_t)1 << 31},
                                     {0, -1}};
  int64_t many[CYXLA_RANK_MAXIMUM + 1], many_orders[CYXLA_RANK_MAXIMUM + 1];
  cyxla_layout layout;

  for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
    EXPECT_TRUE(!is_read(TEST_C128, wrong[i], 2, order, 2, &layout));
  }
  for (int i = 0; i <= CYXLA_RANK_MAXIMUM; i++) {
    many[i] = 1;
    many_orders[i] = i;
  }
  EXPECT_TRUE(is_read(TEST_S8, many, CYXLA_RANK_MAXIMUM, many_orders,
                      CYXLA_RANK_MAXIMUM, &layout));
  EXPECT_TRUE(!is_read(TEST_S8, many, CYXLA_RANK_MAXIMUM + 1, many_orders,
                       CYXLA_RANK_MAXIMUM + 1, &layout));
}

static void an_order_has_each_dimension_once(void) {
  static const int64_t sizes[] = {2, 3};
  static const int64_t wrong[][3] = {{0, 0, 0},  {1, 1, 0},         {0, 2, 0},
                                     {-1, 0, 0}, {0, INT64_MIN, 0}, {INT64_MAX, 0, 0}};
  cyxla_layout layout;

  for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
    EXPECT_TRUE(!is_read(TEST_S8, sizes, 2, wrong[i], 2, &layout));
    EXPECT_TRUE(!is_read(TEST_S8, sizes, 2, wrong[i], 1, &layout));
    EXPECT_TRUE(!is_read(TEST_S8, sizes, 2, wrong[i], 3, &layout));
  }
  EXPECT_TRUE(!is_read(TEST_S8, sizes, 2, NULL, 0, &layout));
}

static void types_are_those_of_programs(void) {
  static const uint64_t wrong[] = {0, 13, 14, 17, 19, 21, 1000, UINT64_MAX};
  cyxla_layout layout;

  for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
    EXPECT_TRUE(!is_read(wrong[i], NULL, 0, NULL, 0, &layout));
  }
}

/* A field and a value, of the shape or of the layout. */
static bool is_read_with(bool is_of_layout, uint64_t number, uint64_t value) {
  static const int64_t size = 3, order = 0;
  test_message shape = {0}, layout = {0};
  cyxla_layout read;

  test_put_number(&shape, 2, TEST_S8);
  test_put_list(&shape, 3, &size, 1);
  test_put_list(&layout, 1, &order, 1);
  test_put_number(is_of_layout ? &layout : &shape, number, value);
  test_put_message(&shape, 5, &layout);
  return cyxla_layout_read(test_wire(&shape), &read);
}

static void nothing_else_is_known(void) {
  int64_t is_dynamic[CYXLA_RANK_MAXIMUM + 1] = {0};
  test_message shape = {0};
  cyxla_layout layout;

  EXPECT_TRUE(is_read_with(false, 6, 0));
  EXPECT_TRUE(!is_read_with(false, 6, 1));
  EXPECT_TRUE(!is_read_with(false, 4, 0));
  EXPECT_TRUE(!is_read_with(false, 7, 0));
  EXPECT_TRUE(is_read_with(true, 16, 0));
  EXPECT_TRUE(is_read_with(true, 16, 1));
  EXPECT_TRUE(!is_read_with(true, 16, 2));
  EXPECT_TRUE(!is_read_with(true, 7, 4));
  EXPECT_TRUE(!is_read_with(true, 8, 1));
  put_shape(&shape, TEST_S8, NULL, 0, NULL, 0);
  test_put_list(&shape, 6, is_dynamic, TEST_COUNT(is_dynamic));
  EXPECT_TRUE(!cyxla_layout_read(test_wire(&shape), &layout));
  EXPECT_TRUE(!cyxla_layout_read((cyxla_wire){NULL, 0}, &layout));
}

static void layouts_are_compared(void) {
  static const int64_t sizes[] = {2, 3}, others[] = {3, 2}, order[] = {1, 0},
                       other_order[] = {0, 1};
  cyxla_layout layout, other;

  EXPECT_TRUE(is_read(TEST_S8, sizes, 2, order, 2, &layout));
  EXPECT_TRUE(is_read(TEST_F64, sizes, 2, order, 2, &other));
  EXPECT_TRUE(cyxla_layout_is_same(&layout, &other));
  EXPECT_TRUE(is_read(TEST_S8, sizes, 2, other_order, 2, &other));
  EXPECT_TRUE(cyxla_layout_has_same_sizes(&layout, &other));
  EXPECT_TRUE(!cyxla_layout_is_same(&layout, &other));
  EXPECT_TRUE(is_read(TEST_S8, others, 2, order, 2, &other));
  EXPECT_TRUE(!cyxla_layout_has_same_sizes(&layout, &other));
  EXPECT_TRUE(is_read(TEST_S8, sizes, 1, other_order, 1, &other));
  EXPECT_TRUE(!cyxla_layout_has_same_sizes(&layout, &other));
}

TEST_MAIN(TEST_CASE(an_array_has_sizes_and_an_order),
          TEST_CASE(a_scalar_has_no_dimension_and_an_array_may_be_empty),
          TEST_CASE(sizes_make_sense), TEST_CASE(an_order_has_each_dimension_once),
          TEST_CASE(types_are_those_of_programs), TEST_CASE(nothing_else_is_known),
          TEST_CASE(layouts_are_compared))
