/* What proves of a comparison that it is an order, and what does not. */
#include "direct/order.h"

#include <string.h>

#include "test_comparators_support.h"

static size_t budget;

static bool is_known_within(test_message *comparator, int64_t root,
                            const test_message *fused, size_t steps) {
  test_message module = {0};
  const cyxla_hlo *hlo;

  test_put_computation(&module, "comparator", 1, root, comparator);
  if (fused != NULL) test_put_computation(&module, "fused", 2, 100, fused);
  hlo = test_read_module(&module);
  budget = steps;
  return cyxla_order_is_known(hlo, cyxla_hlo_find_computation(hlo, 1), &budget);
}

static bool is_known(test_message *comparator, int64_t root) {
  return is_known_within(comparator, root, NULL, 10000);
}

static void a_comparison_of_whole_numbers_is_an_order(void) {
  static const struct {
    const char *direction, *type;
    bool is_order;
  } comparisons[] = {
      {"LT", "SIGNED", true},      {"GT", "SIGNED", true},  {"LT", "UNSIGNED", true},
      {"GT", "UNSIGNED", true},    {"LE", "SIGNED", false}, {"GE", "SIGNED", false},
      {"EQ", "SIGNED", false},     {"NE", "SIGNED", false}, {"LT", "FLOAT", false},
      {"LT", "TOTALORDER", false}, {"LT", "", false},       {"", "SIGNED", false}};

  for (size_t i = 0; i < TEST_COUNT(comparisons); i++) {
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
      test_message comparator = {0};
      test_put_elements(&comparator);
      test_put_compare(&comparator, 3, comparisons[i].direction, comparisons[i].type,
                       is_swapped ? 2 : 1, is_swapped ? 1 : 2);
      EXPECT_EQUAL(is_known(&comparator, 3), comparisons[i].is_order);
    }
  }
}

/* Of one element, or of elements of different arrays. */
static void both_elements_are_compared(void) {
  static const int64_t pairs[][2] = {{1, 1}, {2, 2}, {1, 4}, {3, 2}, {2, 3},
                                     {1, 3}, {5, 5}, {1, 5}, {1, 9}, {9, 9}};

  for (size_t i = 0; i < TEST_COUNT(pairs); i++) {
    test_message comparator = {0};
    test_put_elements(&comparator);
    test_put_parameter(&comparator, 3, 2, TEST_S32);
    test_put_parameter(&comparator, 4, 3, TEST_S32);
    test_put_constant(&comparator, 5, TEST_S32, "0");
    test_put_compare(&comparator, 6, "LT", "SIGNED", pairs[i][0], pairs[i][1]);
    /* What compares equal always is an order, of which nothing comes first. */
    EXPECT_EQUAL(is_known(&comparator, 6), pairs[i][0] == 5 && pairs[i][1] == 5);
  }
}

/* Keys as those of JAX: the ids from `first` on calculate one of the element. */
static int64_t put_key(test_message *comparator, int64_t first, int64_t element,
                       const char *literal, const char *opcode, const char *direction) {
  const int64_t bits[] = {first, first + 1};
  const int64_t choice[] = {first + 3, first + 2, first};

  test_put_operation(comparator, first, "bitcast-convert", TEST_S32, &element, 1);
  test_put_constant(comparator, first + 1, TEST_S32, literal);
  test_put_operation(comparator, first + 2, opcode, TEST_S32, bits, 2);
  test_put_compare(comparator, first + 3, direction, "SIGNED", first, first + 1);
  test_put_operation(comparator, first + 4, "select", TEST_S32, choice, 3);
  return first + 4;
}

static bool is_known_of_keys(const char *literal, const char *opcode,
                             const char *direction) {
  test_message comparator = {0};
  int64_t a, b;

  test_put_parameter(&comparator, 1, 0, TEST_F32);
  test_put_parameter(&comparator, 2, 1, TEST_F32);
  a = put_key(&comparator, 10, 1, "seven", "xor", "LT");
  b = put_key(&comparator, 20, 2, literal, opcode, direction);
  test_put_compare(&comparator, 3, "LT", "SIGNED", a, b);
  return is_known(&comparator, 3);
}

static void keys_are_the_same_of_both_elements(void) {
  EXPECT_TRUE(is_known_of_keys("seven", "xor", "LT"));
  EXPECT_TRUE(!is_known_of_keys("eight", "xor", "LT"));
  EXPECT_TRUE(!is_known_of_keys("sevens", "xor", "LT"));
  EXPECT_TRUE(!is_known_of_keys("seven", "or", "LT"));
  EXPECT_TRUE(!is_known_of_keys("seven", "xor", "GT"));
}

/* The same calculation of both elements, with the opcode and type of each. */
static bool is_known_of(const char *opcode, uint64_t type, const char *other_opcode,
                        uint64_t other_type, size_t num_operands) {
  static const int64_t elements[2][4] = {{1, 1, 1, 1}, {2, 2, 2, 2}};
  test_message comparator = {0};

  test_put_elements(&comparator);
  test_put_operation(&comparator, 3, opcode, type, elements[0], num_operands);
  test_put_operation(&comparator, 4, other_opcode, other_type, elements[1],
                     num_operands);
  test_put_compare(&comparator, 5, "LT", "SIGNED", 3, 4);
  return is_known(&comparator, 5);
}

static void keys_are_of_what_is_exact(void) {
  static const char *const exact[] = {"and", "not", "xor", "convert", "negate", "copy"};
  static const char *const others[] = {
      "add", "multiply", "rng", "custom-call", "get-tuple-element", "fusion", ""};

  for (size_t i = 0; i < TEST_COUNT(exact); i++) {
    EXPECT_TRUE(is_known_of(exact[i], TEST_S8, exact[i], TEST_S8, 1));
    EXPECT_TRUE(!is_known_of(exact[i], TEST_S8, exact[i], TEST_S32, 1));
    EXPECT_TRUE(!is_known_of(exact[i], TEST_S8, exact[i], TEST_S8, 4));
    EXPECT_TRUE(!is_known_of(exact[i], TEST_S8, "or", TEST_S8, 1));
  }
  for (size_t i = 0; i < TEST_COUNT(others); i++) {
    EXPECT_TRUE(!is_known_of(others[i], TEST_S32, others[i], TEST_S32, 2));
  }
}

/* Fields that only one of the two has, or has otherwise. */
static void all_that_says_what_is_calculated_is_compared(void) {
  static const char *const fields[][2] = {
      {"\x50\x01", ""},           {"", "\x50\x01"},
      {"\x50\x01", "\x50\x02"},   {"\x50\x01", "\x52\x01x"},
      {"\x52\x01x", "\x52\x01y"}, {"\x52\x01x", "\x52\x02xx"},
      {"\x52\x01x", "\x5a\x01x"}};

  for (size_t i = 0; i <= TEST_COUNT(fields); i++) {
    test_message comparator = {0};
    test_put_elements(&comparator);
    for (int64_t id = 1; id <= 2; id++) {
      const char *rest = i == TEST_COUNT(fields) ? "\x50\x01" : fields[i][id - 1];
      test_message instruction = {0};
      test_put_text(&instruction, 2, "not");
      test_put_raw(&instruction, rest, strlen(rest));
      test_put_number(&instruction, 35, (uint64_t)(10 + id));
      test_put_list(&instruction, 36, &id, 1);
      test_put_message(&comparator, 2, &instruction);
    }
    test_put_compare(&comparator, 5, "LT", "SIGNED", 11, 12);
    EXPECT_EQUAL(is_known(&comparator, 5), i == TEST_COUNT(fields));
  }
}

/* Two keys, the second of which counts where the first is equal. */
typedef struct lexicographic {
  const char *either, *both, *equal;
  int64_t first[2], compared[2], second[2];
  bool is_swapped;
} lexicographic;

static const lexicographic TWO_KEYS = {"or",   "and",  "EQ", {1, 2},
                                       {1, 2}, {3, 4}, false};

static void put_keys(test_message *comparator, const lexicographic *keys) {
  test_put_elements(comparator);
  test_put_parameter(comparator, 3, 2, TEST_S32);
  test_put_parameter(comparator, 4, 3, TEST_S32);
  test_put_compare(comparator, 5, "LT", "SIGNED", keys->first[0], keys->first[1]);
  test_put_compare(comparator, 6, keys->equal, "SIGNED", keys->compared[0],
                   keys->compared[1]);
  test_put_compare(comparator, 7, "GT", "SIGNED", keys->second[0], keys->second[1]);
  test_put_logic(comparator, 8, keys->both, keys->is_swapped ? 7 : 6,
                 keys->is_swapped ? 6 : 7);
  test_put_logic(comparator, 9, keys->either, keys->is_swapped ? 8 : 5,
                 keys->is_swapped ? 5 : 8);
}

static bool is_known_of_two(const lexicographic *keys) {
  test_message comparator = {0};

  put_keys(&comparator, keys);
  return is_known(&comparator, 9);
}

static void a_key_counts_where_those_before_it_are_equal(void) {
  lexicographic keys = TWO_KEYS;

  EXPECT_TRUE(is_known_of_two(&keys));
  keys.is_swapped = true;
  EXPECT_TRUE(is_known_of_two(&keys));
  keys.compared[0] = 2;
  keys.compared[1] = 1;
  EXPECT_TRUE(is_known_of_two(&keys));
  keys.compared[0] = keys.compared[1] = 1;
  EXPECT_TRUE(!is_known_of_two(&keys));
  keys = TWO_KEYS;
  keys.either = "and";
  EXPECT_TRUE(!is_known_of_two(&keys));
  keys = TWO_KEYS;
  keys.both = "or";
  EXPECT_TRUE(!is_known_of_two(&keys));
  keys = TWO_KEYS;
  keys.equal = "NE";
  EXPECT_TRUE(!is_known_of_two(&keys));
  keys = TWO_KEYS;
  keys.compared[0] = 3;
  keys.compared[1] = 4;
  EXPECT_TRUE(!is_known_of_two(&keys));
  keys = TWO_KEYS;
  keys.second[1] = 2;
  EXPECT_TRUE(!is_known_of_two(&keys));
  keys = TWO_KEYS;
  keys.first[1] = 3;
  EXPECT_TRUE(!is_known_of_two(&keys));
}

/* As plugins of PJRT API 0.106 and 0.81 write it: parameters come in another order. */
static bool is_known_of_fusion(const int64_t *operands, size_t num_operands,
                               int64_t called, const char *operand) {
  test_message comparator = {0}, fused = {0};

  test_put_elements(&comparator);
  test_put_operation(&comparator, 3, operand, TEST_S32, NULL, 0);
  test_put_fusion(&comparator, 4, called, operands, num_operands);
  test_put_parameter(&fused, 101, 0, TEST_S32);
  test_put_parameter(&fused, 102, 1, TEST_S32);
  test_put_compare(&fused, 100, "LT", "SIGNED", 102, 101);
  return is_known_within(&comparator, 4, &fused, 10000);
}

static void an_order_may_be_in_a_fusion(void) {
  static const int64_t swapped[] = {2, 1}, straight[] = {1, 2}, same[] = {1, 1},
                       other[] = {1, 3}, missing[] = {1, 77};
  int64_t many[2 * CYXLA_SORT_OPERANDS_MAXIMUM + 1];

  EXPECT_TRUE(is_known_of_fusion(swapped, 2, 2, "constant"));
  EXPECT_TRUE(is_known_of_fusion(straight, 2, 2, "constant"));
  EXPECT_TRUE(!is_known_of_fusion(same, 2, 2, "constant"));
  EXPECT_TRUE(!is_known_of_fusion(other, 2, 2, "constant"));
  EXPECT_TRUE(!is_known_of_fusion(missing, 2, 2, "constant"));
  EXPECT_TRUE(!is_known_of_fusion(straight, 1, 2, "constant"));
  EXPECT_TRUE(!is_known_of_fusion(straight, 0, 2, "constant"));
  EXPECT_TRUE(!is_known_of_fusion(straight, 2, 77, "constant"));
  for (size_t i = 0; i < TEST_COUNT(many); i++) many[i] = 1 + (int64_t)(i % 2);
  EXPECT_TRUE(is_known_of_fusion(many, TEST_COUNT(many) - 1, 2, "constant"));
  EXPECT_TRUE(!is_known_of_fusion(many, TEST_COUNT(many), 2, "constant"));
}

static void a_parameter_is_one_of_those_that_there_may_be(void) {
  test_message comparator = {0};

  test_put_parameter(&comparator, 1, 2 * CYXLA_SORT_OPERANDS_MAXIMUM, TEST_S32);
  test_put_parameter(&comparator, 2, 2 * CYXLA_SORT_OPERANDS_MAXIMUM + 1, TEST_S32);
  test_put_compare(&comparator, 3, "LT", "SIGNED", 1, 2);
  EXPECT_TRUE(!is_known(&comparator, 3));
}

/* Instructions that are their own operands, and those that double what is looked at. */
static void what_has_no_end_is_given_up(void) {
  static const int64_t ends[] = {3, 4};
  test_message endless = {0}, logic = {0}, doubling = {0}, none = {0};

  test_put_elements(&endless);
  test_put_operation(&endless, 3, "not", TEST_S32, &ends[0], 1);
  test_put_operation(&endless, 4, "not", TEST_S32, &ends[1], 1);
  test_put_compare(&endless, 5, "LT", "SIGNED", 3, 4);
  EXPECT_TRUE(!is_known(&endless, 5));
  EXPECT_TRUE(budget > 0);

  test_put_elements(&logic);
  test_put_compare(&logic, 5, "LT", "SIGNED", 1, 2);
  test_put_compare(&logic, 6, "EQ", "SIGNED", 1, 2);
  test_put_logic(&logic, 7, "and", 6, 8);
  test_put_logic(&logic, 8, "or", 5, 7);
  EXPECT_TRUE(!is_known(&logic, 8));
  EXPECT_TRUE(budget > 0);

  test_put_elements(&doubling);
  for (int64_t id = 3; id < 43; id++) {
    const int64_t operands[] = {id - 2, id - 2};
    test_put_operation(&doubling, id, "xor", TEST_S32, operands, 2);
  }
  test_put_compare(&doubling, 50, "LT", "SIGNED", 41, 42);
  EXPECT_TRUE(!is_known(&doubling, 50));
  EXPECT_EQUAL(budget, 0);

  EXPECT_TRUE(!is_known(&none, 1));
  EXPECT_TRUE(!is_known_within(&none, 1, NULL, 0));
}

/* Wherever it runs out. */
static void what_is_looked_at_is_limited(void) {
  test_message comparator = {0};
  size_t needed;

  put_keys(&comparator, &TWO_KEYS);
  EXPECT_TRUE(is_known_within(&comparator, 9, NULL, 1000));
  needed = 1000 - budget;
  for (size_t steps = 0; steps < needed; steps++) {
    EXPECT_TRUE(!is_known_within(&comparator, 9, NULL, steps));
  }
  EXPECT_TRUE(is_known_within(&comparator, 9, NULL, needed));
}

TEST_MAIN(TEST_CASE(a_comparison_of_whole_numbers_is_an_order),
          TEST_CASE(both_elements_are_compared),
          TEST_CASE(keys_are_the_same_of_both_elements),
          TEST_CASE(keys_are_of_what_is_exact),
          TEST_CASE(all_that_says_what_is_calculated_is_compared),
          TEST_CASE(a_key_counts_where_those_before_it_are_equal),
          TEST_CASE(an_order_may_be_in_a_fusion),
          TEST_CASE(a_parameter_is_one_of_those_that_there_may_be),
          TEST_CASE(what_has_no_end_is_given_up),
          TEST_CASE(what_is_looked_at_is_limited))
