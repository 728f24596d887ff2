#include "memory.h"

#include <stdint.h>
#include <string.h>

#include "test.h"

static void memory_is_zeroed_and_counted(void) {
  static const unsigned char zeros[100];
  long live = cyxla_memory_live();
  long allocations = cyxla_memory_allocations();
  void *memory = cyxla_allocate(100);

  EXPECT_TRUE(memory != NULL);
  EXPECT_BYTES(memory, zeros, 100);
  EXPECT_EQUAL(cyxla_memory_live(), live + 1);
  cyxla_release(memory);
  EXPECT_EQUAL(cyxla_memory_live(), live);
  EXPECT_EQUAL(cyxla_memory_allocations(), allocations + 1);
}

static void nothing_may_be_freed(void) {
  long live = cyxla_memory_live();

  cyxla_release(NULL);
  cyxla_aligned_free(NULL);
  EXPECT_EQUAL(cyxla_memory_live(), live);
}

static void no_bytes_are_a_valid_allocation(void) {
  void *memory = cyxla_allocate(0);
  void *array = cyxla_allocate_array(3, 0);
  void *copy = cyxla_duplicate("", 0);
  void *copy_of_nothing = cyxla_duplicate(NULL, 0);
  void *aligned = cyxla_aligned_alloc(0);

  EXPECT_TRUE(memory != NULL && array != NULL && copy != NULL && aligned != NULL);
  EXPECT_TEXT(copy_of_nothing, "");
  cyxla_release(memory);
  cyxla_release(array);
  cyxla_release(copy);
  cyxla_release(copy_of_nothing);
  cyxla_aligned_free(aligned);
}

static void aligned_memory_is_aligned_and_zeroed(void) {
  static const unsigned char zeros[1000];

  for (size_t bytes = 1; bytes <= 1000; bytes += 37) {
    void *memory = cyxla_aligned_alloc(bytes);
    EXPECT_TRUE(memory != NULL);
    EXPECT_EQUAL((uintptr_t)memory % CYXLA_ALIGNMENT, 0);
    EXPECT_BYTES(memory, zeros, bytes);
    memset(memory, 1, bytes);
    cyxla_aligned_free(memory);
  }
}

static void sizes_that_overflow_are_refused(void) {
  /* In variables, so that the compiler does not object. */
  volatile size_t huge = SIZE_MAX, half = SIZE_MAX / 2 + 1;

  EXPECT_NULL(cyxla_allocate_array(half, 2));
  EXPECT_NULL(cyxla_allocate_array(2, half));
  EXPECT_NULL(cyxla_duplicate("", huge));
  EXPECT_NULL(cyxla_aligned_alloc(huge));
  EXPECT_NULL(cyxla_aligned_alloc(huge - CYXLA_ALIGNMENT + 1));
}

static void a_copy_ends_with_a_zero_byte(void) {
  char *copy = cyxla_duplicate("abcdef", 3);

  EXPECT_TEXT(copy, "abc");
  cyxla_release(copy);
}

static void the_chosen_allocation_fails_once(void) {
  long live = cyxla_memory_live();
  void *first, *third;

  cyxla_memory_fail_after(1);
  first = cyxla_allocate(1);
  EXPECT_TRUE(first != NULL);
  EXPECT_NULL(cyxla_allocate(1));
  third = cyxla_allocate(1);
  EXPECT_TRUE(third != NULL);
  cyxla_release(first);
  cyxla_release(third);
  EXPECT_EQUAL(cyxla_memory_live(), live);
}

static void every_kind_of_allocation_can_be_made_to_fail(void) {
  cyxla_memory_fail_after(0);
  EXPECT_NULL(cyxla_allocate_array(1, 1));
  cyxla_memory_fail_after(0);
  EXPECT_NULL(cyxla_duplicate("a", 1));
  cyxla_memory_fail_after(0);
  EXPECT_NULL(cyxla_aligned_alloc(1));
}

static void a_negative_number_takes_the_failure_back(void) {
  void *memory;

  cyxla_memory_fail_after(0);
  cyxla_memory_fail_after(-1);
  memory = cyxla_allocate(1);
  EXPECT_TRUE(memory != NULL);
  cyxla_release(memory);
}

TEST_MAIN(TEST_CASE(memory_is_zeroed_and_counted), TEST_CASE(nothing_may_be_freed),
          TEST_CASE(no_bytes_are_a_valid_allocation),
          TEST_CASE(aligned_memory_is_aligned_and_zeroed),
          TEST_CASE(sizes_that_overflow_are_refused),
          TEST_CASE(a_copy_ends_with_a_zero_byte),
          TEST_CASE(the_chosen_allocation_fails_once),
          TEST_CASE(every_kind_of_allocation_can_be_made_to_fail),
          TEST_CASE(a_negative_number_takes_the_failure_back))
