#include "direct/buffers.h"

#include "test_direct_support.h"

/* The second is of a thread's own. */
static cyxla_allocation items[] = {
    {.bytes = 64, .input = -1, .output = -1, .is_scratch = true},
    {.bytes = 16, .input = -1, .output = -1, .is_thread_local = true}};
static const cyxla_allocation_list list = {items, 2};

static bool read_slice(uint64_t allocation, uint64_t offset, uint64_t bytes,
                       const cyxla_allocation_list *in, cyxla_slice *slice) {
  test_message message = {0};

  test_put_number(&message, 1, offset);
  test_put_number(&message, 2, bytes);
  test_put_number(&message, 3, allocation);
  test_put_number(&message, 4, 11);
  return cyxla_slice_read(test_wire(&message), in, slice);
}

static void a_slice_lies_in_its_allocation(void) {
  const cyxla_allocation_list none = {NULL, 0};
  cyxla_slice slice;

  EXPECT_TRUE(read_slice(0, 16, 48, &list, &slice));
  EXPECT_EQUAL(slice.allocation, 0);
  EXPECT_EQUAL(slice.offset, 16);
  EXPECT_EQUAL(slice.bytes, 48);
  EXPECT_TRUE(read_slice(0, 64, 0, &list, &slice));
  EXPECT_TRUE(!read_slice(0, 16, 49, &list, &slice));
  EXPECT_TRUE(!read_slice(0, 65, 0, &list, &slice));
  EXPECT_TRUE(!read_slice(0, UINT64_MAX, 1, &list, &slice));
  EXPECT_TRUE(!read_slice(0, 16, UINT64_MAX - 15, &list, &slice));
  EXPECT_TRUE(!read_slice(2, 0, 0, &list, &slice));
  EXPECT_TRUE(!read_slice(UINT64_MAX, 0, 0, &list, &slice));
  EXPECT_TRUE(!read_slice(1, 0, 4, &list, &slice));
  EXPECT_TRUE(!read_slice(0, 0, 0, &none, &slice));
}

static void slices_that_are_not_known_are_refused(void) {
  test_message unknown = {0}, counted = {0}, broken = {0};
  cyxla_slice slice;

  test_put_number(&unknown, 5, 1);
  EXPECT_TRUE(!cyxla_slice_read(test_wire(&unknown), &list, &slice));
  test_put_bytes(&counted, 1, "", 0);
  EXPECT_TRUE(!cyxla_slice_read(test_wire(&counted), &list, &slice));
  test_put_raw(&broken, "\x08", 1);
  EXPECT_TRUE(!cyxla_slice_read(test_wire(&broken), &list, &slice));
}

static void slices_overlap_where_they_share_a_byte(void) {
  static const cyxla_slice whole = {0, 0, 64}, low = {0, 0, 32}, high = {0, 32, 32},
                           middle = {0, 16, 32}, empty = {0, 16, 0}, other = {1, 0, 64};

  EXPECT_TRUE(cyxla_slice_overlaps(&whole, &whole));
  EXPECT_TRUE(cyxla_slice_overlaps(&whole, &middle));
  EXPECT_TRUE(cyxla_slice_overlaps(&middle, &low));
  EXPECT_TRUE(cyxla_slice_overlaps(&middle, &high));
  EXPECT_TRUE(!cyxla_slice_overlaps(&low, &high));
  EXPECT_TRUE(!cyxla_slice_overlaps(&high, &low));
  EXPECT_TRUE(!cyxla_slice_overlaps(&whole, &empty));
  EXPECT_TRUE(!cyxla_slice_overlaps(&empty, &whole));
  EXPECT_TRUE(!cyxla_slice_overlaps(&whole, &other));
}

TEST_MAIN(TEST_CASE(slices_overlap_where_they_share_a_byte),
          TEST_CASE(a_slice_lies_in_its_allocation),
          TEST_CASE(slices_that_are_not_known_are_refused))
