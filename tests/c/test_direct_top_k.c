#include "direct/top_k.h"

#include <string.h>

#include "memory.h"
#include "test_direct_support.h"

/* From the largest to the smallest. */
static const uint32_t ORDERED[] = {
    0x7fffffff, 0x7fc00000, 0x7f800001, 0x7f800000, 0x7f7fffff, 0x40000000,
    0x3f800000, 0x00800000, 0x00000001, 0x00000000, 0x80000000, 0x80000001,
    0xbf800000, 0xff7fffff, 0xff800000, 0xff800001, 0xffc00000, 0xffffffff};
enum { NUM_ORDERED = sizeof(ORDERED) / sizeof(ORDERED[0]) };

static uint32_t state;

static uint32_t next(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static int32_t rank_of(uint32_t bits) {
  return bits >> 31 != 0 ? -1 - (int32_t)(bits & 0x7fffffffu) : (int32_t)bits;
}

/* Memory of just the size, and the results of picking the largest one that is left, and
 * of equal ones the first, k times. */
static void expect_top(const uint32_t *values, size_t num_rows, size_t count,
                       size_t k) {
  const cyxla_top_k top_k = {num_rows, count, k};
  uint32_t *copied = cyxla_allocate(num_rows * count * 4);
  uint32_t *largest = cyxla_allocate(num_rows * k * 4);
  uint32_t *indices = cyxla_allocate(num_rows * k * 4);
  unsigned char *is_taken = cyxla_allocate(num_rows * count);

  if (num_rows * count > 0) memcpy(copied, values, num_rows * count * 4);
  cyxla_top_k_run(&top_k, copied, largest, indices);
  for (size_t i = 0; i < num_rows * k; i++) {
    const size_t row = i / k * count;
    size_t found = count;
    for (size_t at = 0; at < count; at++) {
      if (is_taken[row + at]) continue;
      if (found == count || rank_of(values[row + at]) > rank_of(values[row + found])) {
        found = at;
      }
    }
    is_taken[row + found] = 1;
    EXPECT_EQUAL(indices[i], found);
    EXPECT_EQUAL(largest[i], values[row + found]);
  }
  cyxla_release(copied);
  cyxla_release(largest);
  cyxla_release(indices);
  cyxla_release(is_taken);
}

static void numbers_are_in_the_order_of_their_bits(void) {
  uint32_t turned[NUM_ORDERED];

  for (size_t i = 0; i < NUM_ORDERED; i++) turned[i] = ORDERED[NUM_ORDERED - 1 - i];
  for (size_t k = 0; k <= NUM_ORDERED; k++) {
    expect_top(ORDERED, 1, NUM_ORDERED, k);
    expect_top(turned, 1, NUM_ORDERED, k);
  }
}

static void of_equal_numbers_the_first_comes_first(void) {
  uint32_t values[300];

  for (size_t i = 0; i < 300; i++) values[i] = ORDERED[next() % 3];
  for (size_t k = 0; k <= 300; k += 7) expect_top(values, 1, 300, k);
}

static void each_row_is_for_itself(void) {
  uint32_t values[7 * 40];

  for (int round = 0; round < 20; round++) {
    for (size_t i = 0; i < TEST_COUNT(values); i++) {
      values[i] = round % 2 ? next() << 8 : ORDERED[next() % NUM_ORDERED];
    }
    for (size_t k = 0; k <= 40; k += 5) expect_top(values, 7, 40, k);
  }
  expect_top(values, 0, 40, 3);
  expect_top(values, 7, 0, 0);
}

TEST_MAIN(TEST_CASE(numbers_are_in_the_order_of_their_bits),
          TEST_CASE(of_equal_numbers_the_first_comes_first),
          TEST_CASE(each_row_is_for_itself))
