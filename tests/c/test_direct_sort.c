/* Sorts of whole numbers by their value, along any dimension. */
#include "direct/sort.h"

#include <string.h>

#include "memory.h"
#include "test_direct_support.h"

static uint32_t state;

static unsigned char next_byte(void) {
  state = state * 1664525u + 1013904223u;
  return (unsigned char)(state >> 24);
}

/* A number's value as one without a sign whose order is the same. */
static uint64_t value_of(const cyxla_sort *sort, const unsigned char *element) {
  const size_t bytes = sort->element_bytes[0];
  uint64_t value = 0;

  for (size_t i = bytes; i-- > 0;) value = value << 8 | element[i];
  if (sort->is_signed) value ^= (uint64_t)1 << (8 * bytes - 1);
  return sort->is_descending ? UINT64_MAX - value : value;
}

/* The first array's numbers, of which there are few different ones in some bytes; the
 * others' elements say where they were. */
static void fill(const cyxla_sort *sort, cyxla_kernel_argument *arrays, int kind) {
  const size_t total = sort->outer * sort->count * sort->inner;

  for (size_t i = 0; i < sort->num_arrays; i++) {
    const size_t bytes = sort->element_bytes[i];
    unsigned char *data = cyxla_allocate(total * bytes);
    arrays[i].data = data;
    arrays[i].bytes = total * bytes;
    for (size_t k = 0; k < total * bytes; k++) {
      const size_t element = k / bytes, place = k % bytes;
      if (i > 0) {
        data[k] = place < 8 ? (unsigned char)(element >> 8 * place) : 0;
      } else {
        data[k] = kind == 0                        ? next_byte()
                  : kind == 1 && place > 0         ? 0
                  : kind == 2 && place < bytes - 1 ? 7
                                                   : next_byte() % 3;
      }
    }
  }
}

/* Sorting by picking the least one that is left, and of equal ones the first. */
static void expect_sorted(const cyxla_sort *sort, int kind) {
  const size_t total = sort->outer * sort->count * sort->inner;
  cyxla_kernel_argument before[3], after[3];
  void *workspace;
  size_t bytes;

  fill(sort, before, kind);
  for (size_t i = 0; i < sort->num_arrays; i++) {
    after[i].data = cyxla_allocate(before[i].bytes);
    memcpy(after[i].data, before[i].data, before[i].bytes);
  }
  EXPECT_TRUE(cyxla_sort_workspace(sort, &bytes));
  workspace = cyxla_allocate(bytes);
  cyxla_sort_run(sort, after, workspace);
  for (size_t at = 0; at < total; at++) {
    const size_t inner = at % sort->inner, row = at / sort->inner % sort->count;
    const size_t start = at / sort->inner / sort->count * sort->count;
    size_t place = 0, stride = sort->element_bytes[0];
    const unsigned char *numbers = before[0].data;
    uint64_t value = value_of(sort, numbers + at * stride);
    for (size_t i = 0; i < sort->count; i++) {
      uint64_t other =
          value_of(sort, numbers + ((start + i) * sort->inner + inner) * stride);
      if (other < value || (other == value && i < row)) place++;
    }
    place = (start + place) * sort->inner + inner;
    for (size_t i = 0; i < sort->num_arrays; i++) {
      const size_t element = sort->element_bytes[i];
      EXPECT_BYTES((unsigned char *)after[i].data + place * element,
                   (unsigned char *)before[i].data + at * element, element);
    }
  }
  for (size_t i = 0; i < sort->num_arrays; i++) {
    cyxla_release(before[i].data);
    cyxla_release(after[i].data);
  }
  cyxla_release(workspace);
}

static void numbers_of_every_type_are_sorted(void) {
  static const size_t counts[] = {0, 1, 2, 3, 31, 63, 64, 65, 66, 300, 1000};

  for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
    for (size_t i = 0; i < TEST_COUNT(counts) * 4; i++) {
      const cyxla_sort sort = {NULL, i % 2 != 0, i / 2 % 2 != 0, 1, counts[i / 4],
                               1,    1,          {bytes}};
      for (int kind = 0; kind < 4; kind++) expect_sorted(&sort, kind);
    }
  }
}

static void other_arrays_are_moved_along(void) {
  static const size_t others[] = {1, 2, 4, 8, 16};

  for (size_t i = 0; i < TEST_COUNT(others); i++) {
    for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
      const cyxla_sort few = {NULL, true, false, 2, 20, 1, 3, {bytes, 4, others[i]}};
      const cyxla_sort many = {NULL, false, true, 1, 200, 1, 2, {bytes, others[i]}};
      for (int kind = 0; kind < 4; kind++) {
        expect_sorted(&few, kind);
        expect_sorted(&many, kind);
      }
    }
  }
}

static void any_dimension_is_sorted_along(void) {
  static const size_t extents[][3] = {{3, 20, 5}, {1, 90, 4}, {4, 90, 1}, {5, 1, 3},
                                      {0, 9, 3},  {3, 0, 2},  {3, 9, 0},  {2, 2, 2}};

  for (size_t i = 0; i < TEST_COUNT(extents); i++) {
    const cyxla_sort sort = {NULL,          true,          false, extents[i][0],
                             extents[i][1], extents[i][2], 2,     {4, 2}};
    if (extents[i][2] > 0 && extents[i][1] > 0) {
      expect_sorted(&sort, 3);
    } else {
      cyxla_sort_run(&sort, NULL, NULL);
    }
  }
}

static bool has_workspace(size_t count, size_t inner, size_t num_arrays) {
  cyxla_sort sort = {0};
  size_t bytes;

  sort.outer = 1;
  sort.count = count;
  sort.inner = inner;
  sort.num_arrays = num_arrays;
  for (size_t i = 0; i < num_arrays; i++) sort.element_bytes[i] = 16;
  return cyxla_sort_workspace(&sort, &bytes);
}

static void memory_to_work_with_is_counted(void) {
  const cyxla_sort rows = {NULL, false, false, 1, 10, 1, 2, {4, 8}};
  const cyxla_sort columns = {NULL, false, false, 1, 10, 3, 2, {4, 8}};
  const cyxla_sort single = {NULL, false, false, 9, 1, 3, 2, {4, 8}};
  size_t bytes;

  EXPECT_TRUE(cyxla_sort_workspace(&rows, &bytes));
  EXPECT_EQUAL(bytes, 64 + 128);
  EXPECT_TRUE(cyxla_sort_workspace(&columns, &bytes));
  EXPECT_EQUAL(bytes, 2 * (64 + 128));
  EXPECT_TRUE(cyxla_sort_workspace(&single, &bytes));
  EXPECT_EQUAL(bytes, 0);
  EXPECT_TRUE(has_workspace(SIZE_MAX / 64, 1, 2));
  EXPECT_TRUE(has_workspace(SIZE_MAX / 64, 2, 1));
  EXPECT_TRUE(!has_workspace(SIZE_MAX / 16, 1, 1));
  EXPECT_TRUE(!has_workspace(SIZE_MAX / 32, 1, 3));
  EXPECT_TRUE(!has_workspace(SIZE_MAX / 32, 2, 2));
}

TEST_MAIN(TEST_CASE(numbers_of_every_type_are_sorted),
          TEST_CASE(other_arrays_are_moved_along),
          TEST_CASE(any_dimension_is_sorted_along),
          TEST_CASE(memory_to_work_with_is_counted))
