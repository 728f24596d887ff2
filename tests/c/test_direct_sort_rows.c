/* Sorts by comparators that are functions of the tests: orders, and what is none. */
#include <string.h>

#include "direct/sort.h"
#include "memory.h"
#include "test_direct_support.h"

static uint32_t state;
static size_t num_comparisons;

/* Whether comparators were only shown elements of the arrays or the memory to work
 * with. */
static cyxla_kernel_argument arrays[CYXLA_SORT_OPERANDS_MAXIMUM], workspace;
static size_t num_arrays, element_bytes[CYXLA_SORT_OPERANDS_MAXIMUM];

static uint32_t next(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static bool lies_in(const void *element, size_t bytes,
                    const cyxla_kernel_argument *memory) {
  const unsigned char *start = memory->data, *at = element;

  return at >= start && at + bytes <= start + memory->bytes;
}

static void check(const void **elements) {
  num_comparisons++;
  for (size_t i = 0; i < 2 * num_arrays; i++) {
    EXPECT_TRUE(lies_in(elements[i], element_bytes[i / 2], &arrays[i / 2]) ||
                lies_in(elements[i], element_bytes[i / 2], &workspace));
  }
}

/* The first array's elements by their first byte. */
static void by_byte(unsigned char *is_first, const void *options, const void **elements,
                    const void *buffers, const void *status, const void *counters) {
  check(elements);
  EXPECT_TRUE(options == NULL && buffers == NULL && status == NULL && counters == NULL);
  *is_first = *(const unsigned char *)elements[0] < *(const unsigned char *)elements[1];
}

static void always(unsigned char *is_first, const void *options, const void **elements,
                   const void *buffers, const void *status, const void *counters) {
  (void)options, (void)buffers, (void)status, (void)counters;
  check(elements);
  *is_first = 1;
}

/* Says nothing. */
static void never(unsigned char *is_first, const void *options, const void **elements,
                  const void *buffers, const void *status, const void *counters) {
  (void)is_first, (void)options, (void)buffers, (void)status, (void)counters;
  check(elements);
}

static void by_chance(unsigned char *is_first, const void *options,
                      const void **elements, const void *buffers, const void *status,
                      const void *counters) {
  (void)options, (void)buffers, (void)status, (void)counters;
  check(elements);
  *is_first = next() % 3 == 0 ? 0xff : 0;
}

/* Arrays whose rows are told apart by the last of them, or by the only one. */
static void fill(const cyxla_sort *sort) {
  const size_t total = sort->outer * sort->count * sort->inner;
  size_t bytes;

  num_arrays = sort->num_arrays;
  num_comparisons = 0;
  for (size_t i = 0; i < num_arrays; i++) {
    unsigned char *data;
    element_bytes[i] = sort->element_bytes[i];
    arrays[i].bytes = total * element_bytes[i];
    arrays[i].data = data = cyxla_allocate(arrays[i].bytes);
    for (size_t k = 0; k < arrays[i].bytes; k++) {
      const size_t row = k / element_bytes[i], place = k % element_bytes[i];
      data[k] = place > 0 && place < 9 ? (unsigned char)(row >> 8 * (place - 1))
                                       : (unsigned char)(next() % 5);
    }
  }
  EXPECT_TRUE(cyxla_sort_workspace(sort, &bytes));
  workspace.bytes = bytes;
  workspace.data = cyxla_allocate(bytes);
}

static void release(void) {
  for (size_t i = 0; i < num_arrays; i++) cyxla_release(arrays[i].data);
  cyxla_release(workspace.data);
}

/* Whether rows are in the order of their first byte, and equal ones as they were. */
static void expect_stable(const cyxla_sort *sort) {
  unsigned char *before[CYXLA_SORT_OPERANDS_MAXIMUM];
  const size_t total = sort->outer * sort->count * sort->inner;

  fill(sort);
  for (size_t i = 0; i < num_arrays; i++) {
    before[i] = cyxla_allocate(arrays[i].bytes);
    memcpy(before[i], arrays[i].data, arrays[i].bytes);
  }
  cyxla_sort_run(sort, arrays, workspace.data);
  for (size_t at = 0; at < total; at++) {
    const size_t inner = at % sort->inner, row = at / sort->inner % sort->count;
    const size_t start = at / sort->inner / sort->count * sort->count;
    size_t place = 0;
    for (size_t i = 0; i < sort->count; i++) {
      const unsigned char value = before[0][at * element_bytes[0]];
      const unsigned char other =
          before[0][((start + i) * sort->inner + inner) * element_bytes[0]];
      if (other < value || (other == value && i < row)) place++;
    }
    place = (start + place) * sort->inner + inner;
    for (size_t i = 0; i < num_arrays; i++) {
      EXPECT_BYTES((unsigned char *)arrays[i].data + place * element_bytes[i],
                   before[i] + at * element_bytes[i], element_bytes[i]);
    }
  }
  for (size_t i = 0; i < num_arrays; i++) cyxla_release(before[i]);
  release();
}

static void rows_are_sorted_and_equal_ones_stay_in_order(void) {
  static const size_t counts[] = {2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 257, 1000};

  for (size_t i = 0; i < TEST_COUNT(counts); i++) {
    const cyxla_sort four = {by_byte, false, false, 1, counts[i], 1, 1, {4}};
    const cyxla_sort sixteen = {by_byte, false, false, 1, counts[i], 1, 1, {16}};
    const cyxla_sort two = {by_byte, false, false, 2, counts[i], 1, 2, {1, 8}};
    const cyxla_sort three = {by_byte, false, false, 1, counts[i], 3, 3, {2, 1, 4}};
    expect_stable(&four);
    expect_stable(&sixteen);
    expect_stable(&two);
    expect_stable(&three);
  }
}

static void as_many_arrays_as_any_are_sorted(void) {
  cyxla_sort sort = {by_byte, false, false, 1, 50, 2, CYXLA_SORT_OPERANDS_MAXIMUM, {0}};

  for (size_t i = 0; i < CYXLA_SORT_OPERANDS_MAXIMUM; i++) {
    sort.element_bytes[i] = (size_t)1 << (i % 5);
  }
  expect_stable(&sort);
}

static void what_is_in_order_takes_few_comparisons(void) {
  const cyxla_sort sort = {by_byte, false, false, 1, 256, 1, 1, {1}};

  fill(&sort);
  for (size_t i = 0; i < 256; i++)
    ((unsigned char *)arrays[0].data)[i] = (unsigned char)i;
  cyxla_sort_run(&sort, arrays, workspace.data);
  EXPECT_EQUAL(num_comparisons, 32 * 7 + 31);
  release();
}

/* Whatever is said, elements are moved within the arrays only, and it ends. */
static void what_is_no_order_is_sorted_somehow(void) {
  static cyxla_comparator *const comparators[] = {always, never, by_chance};
  static const size_t counts[] = {2, 3, 8, 9, 16, 17, 40, 1000};

  for (size_t i = 0; i < TEST_COUNT(comparators) * TEST_COUNT(counts); i++) {
    const size_t count = counts[i / TEST_COUNT(comparators)];
    cyxla_sort sort = {
        comparators[i % TEST_COUNT(comparators)], false, false, 1, count, 1, 2, {2, 4}};
    uint64_t sum = 0, sum_after = 0;
    fill(&sort);
    for (size_t k = 0; k < arrays[1].bytes; k++) {
      sum += ((unsigned char *)arrays[1].data)[k];
    }
    cyxla_sort_run(&sort, arrays, workspace.data);
    for (size_t k = 0; k < arrays[1].bytes; k++) {
      sum_after += ((unsigned char *)arrays[1].data)[k];
    }
    EXPECT_EQUAL(sum, sum_after);
    EXPECT_TRUE(num_comparisons > 0 && num_comparisons < 20 * count);
    release();
    sort.inner = 3;
    fill(&sort);
    cyxla_sort_run(&sort, arrays, workspace.data);
    release();
  }
}

TEST_MAIN(TEST_CASE(rows_are_sorted_and_equal_ones_stay_in_order),
          TEST_CASE(as_many_arrays_as_any_are_sorted),
          TEST_CASE(what_is_in_order_takes_few_comparisons),
          TEST_CASE(what_is_no_order_is_sorted_somehow))
