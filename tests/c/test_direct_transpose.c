#include "direct/transpose.h"

#include <string.h>

#include "memory.h"
#include "test_direct_support.h"

static cyxla_layout make_layout(const size_t *sizes, const size_t *order, size_t rank,
                                size_t element_bytes) {
  cyxla_layout layout = {0};

  layout.element_bytes = layout.bytes = element_bytes;
  layout.rank = rank;
  for (size_t i = 0; i < rank; i++) {
    layout.sizes[i] = sizes[i];
    layout.order[i] = order[i];
    layout.bytes *= sizes[i];
  }
  return layout;
}

/* Where in an array the element is that comes as the number in row-major order. */
static size_t offset_of(const cyxla_layout *layout, size_t number) {
  size_t at[CYXLA_RANK_MAXIMUM], offset = 0, stride = layout->element_bytes;

  for (size_t i = layout->rank; i-- > 0;) {
    at[i] = number % layout->sizes[i];
    number /= layout->sizes[i];
  }
  for (size_t i = 0; i < layout->rank; i++) {
    offset += at[layout->order[i]] * stride;
    stride *= layout->sizes[layout->order[i]];
  }
  return offset;
}

/* Into memory of just the size, so that the address sanitizer finds what lies beyond.
 */
static void expect_copy(const cyxla_layout *from, const cyxla_layout *to) {
  unsigned char *source = cyxla_allocate(from->bytes);
  unsigned char *copied = cyxla_allocate(to->bytes);
  cyxla_transpose transpose;

  for (size_t i = 0; i < from->bytes; i++) {
    source[i] = (unsigned char)(i * 37 + (i >> 8));
  }
  cyxla_transpose_plan(from, to, &transpose);
  if (transpose.rank == 0) {
    memcpy(copied, source, from->bytes);
  } else {
    cyxla_transpose_run(&transpose, source, copied);
  }
  for (size_t i = 0; i < from->bytes / from->element_bytes; i++) {
    EXPECT_BYTES(copied + offset_of(to, i), source + offset_of(from, i),
                 from->element_bytes);
  }
  cyxla_release(source);
  cyxla_release(copied);
}

/* The permutation of that number. */
static void permute(size_t number, size_t *order, size_t rank) {
  for (size_t i = 0; i < rank; i++) order[i] = i;
  for (size_t i = 0; i + 1 < rank; i++) {
    const size_t other = i + number % (rank - i), kept = order[i];
    number /= rank - i;
    order[i] = order[other];
    order[other] = kept;
  }
}

static void every_order_becomes_every_other_one(void) {
  static const size_t sizes[] = {3, 20, 2, 5}, factorial[] = {1, 1, 2, 6, 24};

  for (size_t rank = 1; rank <= 4; rank++) {
    for (size_t i = 0; i < factorial[rank] * factorial[rank]; i++) {
      size_t from_order[4], to_order[4];
      cyxla_layout from, to;
      permute(i / factorial[rank], from_order, rank);
      permute(i % factorial[rank], to_order, rank);
      from = make_layout(sizes, from_order, rank, 4);
      to = make_layout(sizes, to_order, rank, 4);
      expect_copy(&from, &to);
    }
  }
}

static void elements_are_of_any_size(void) {
  static const size_t sizes[] = {33, 2, 17}, from_order[] = {2, 1, 0},
                      to_order[] = {0, 2, 1};

  for (size_t bytes = 1; bytes <= 16; bytes *= 2) {
    cyxla_layout from = make_layout(sizes, from_order, 3, bytes);
    cyxla_layout to = make_layout(sizes, to_order, 3, bytes);
    expect_copy(&from, &to);
  }
}

static size_t rank_of(const size_t *sizes, const size_t *from_order,
                      const size_t *to_order, size_t rank) {
  cyxla_layout from = make_layout(sizes, from_order, rank, 2);
  cyxla_layout to = make_layout(sizes, to_order, rank, 2);
  cyxla_transpose transpose;

  cyxla_transpose_plan(&from, &to, &transpose);
  expect_copy(&from, &to);
  return transpose.rank;
}

/* Dimensions of size 1 lie anywhere, and those that stay together are one. */
static void what_makes_no_difference_is_no_dimension(void) {
  static const size_t ones[] = {1, 5, 1, 7}, order[] = {3, 2, 1, 0},
                      other[] = {0, 3, 1, 2}, turned[] = {1, 0, 2, 3},
                      sizes[] = {4, 5, 6, 7}, halves[] = {1, 0, 3, 2},
                      moved[] = {3, 2, 0, 1}, single[] = {1, 1, 1, 1},
                      empty[] = {4, 0, 6, 7}, row[] = {1, 1, 9, 1};

  EXPECT_EQUAL(rank_of(ones, order, other, 4), 0);
  EXPECT_EQUAL(rank_of(ones, order, turned, 4), 2);
  EXPECT_EQUAL(rank_of(sizes, order, order, 4), 0);
  EXPECT_EQUAL(rank_of(sizes, order, halves, 4), 2);
  EXPECT_EQUAL(rank_of(sizes, order, moved, 4), 3);
  EXPECT_EQUAL(rank_of(single, order, turned, 4), 0);
  EXPECT_EQUAL(rank_of(empty, order, turned, 4), 0);
  EXPECT_EQUAL(rank_of(row, order, turned, 4), 0);
  EXPECT_EQUAL(rank_of(sizes, order, order, 0), 0);
}

static void an_array_may_have_as_many_dimensions_as_any(void) {
  size_t sizes[CYXLA_RANK_MAXIMUM], order[CYXLA_RANK_MAXIMUM];
  size_t turned[CYXLA_RANK_MAXIMUM];

  for (size_t i = 0; i < CYXLA_RANK_MAXIMUM; i++) {
    sizes[i] = i % 6 == 0 ? 2 : 1;
    order[i] = i;
    turned[i] = CYXLA_RANK_MAXIMUM - 1 - i;
  }
  EXPECT_EQUAL(rank_of(sizes, order, turned, CYXLA_RANK_MAXIMUM), 11);
}

TEST_MAIN(TEST_CASE(every_order_becomes_every_other_one),
          TEST_CASE(elements_are_of_any_size),
          TEST_CASE(what_makes_no_difference_is_no_dimension),
          TEST_CASE(an_array_may_have_as_many_dimensions_as_any))
