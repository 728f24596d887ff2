/* Copies: read, and run. */
#include <string.h>

#include "memory.h"
#include "test_comparators_support.h"
#include "test_thunks_support.h"

static cyxla_direct direct;
static cyxla_allocation allocations[TEST_NUM_ALLOCATIONS];

/* One side of a copy. */
typedef struct side {
  uint64_t allocation, offset, bytes, type;
  int64_t sizes[2];
  size_t rank;
  int64_t order[2];
} side;

static const side SOURCE = {TEST_INPUT, 0, 12, TEST_S16, {2, 3}, 2, {1, 0}};
static const side DESTINATION = {TEST_OUTPUT, 4, 12, TEST_S16, {2, 3}, 2, {0, 1}};

static void put_copy(test_message *sequence, const side *from, const side *to) {
  test_message copy = {0};

  for (uint64_t number = 1; number <= 2; number++) {
    const side *at = number == 1 ? from : to;
    test_message end = {0}, shape = {0}, layout = {0};
    test_put_list(&layout, 1, at->order, 2);
    test_put_number(&shape, 2, at->type);
    test_put_list(&shape, 3, at->sizes, at->rank);
    test_put_message(&shape, 5, &layout);
    test_put_message(&end, 1, &shape);
    test_put_slice(&end, 2, at->allocation, at->offset, at->bytes);
    test_put_message(&copy, number, &end);
  }
  test_put_thunk(sequence, TEST_COPY, &copy);
}

static void refuse(const side *from, const side *to, const char *reason) {
  test_message sequence = {0};

  test_start_direct(&direct, allocations);
  put_copy(&sequence, from, to);
  test_refuse_thunks(&direct, &sequence, reason);
}

static void a_copy_that_changes_the_layout_is_a_transpose(void) {
  test_message sequence = {0};

  test_start_direct(&direct, allocations);
  put_copy(&sequence, &SOURCE, &DESTINATION);
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_TRANSPOSE);
  EXPECT_EQUAL(direct.thunks.operations[0].num_slices, 2);
  test_make_arrays("\1\1\2\2\3\3\4\4\5\5\6\6....", "0123456789012345");
  test_run_thunks(&direct);
  EXPECT_BYTES(test_output, "0123\1\1\4\4\2\2\5\5\3\3\6\6", 16);
}

/* Which may then overlap. */
static void a_layout_that_differs_in_name_only_is_a_copy(void) {
  test_message sequence = {0};
  side from = SOURCE, to = SOURCE;

  from.sizes[0] = to.sizes[0] = 1;
  from.bytes = to.bytes = 6;
  to.order[0] = 0;
  to.order[1] = 1;
  test_start_direct(&direct, allocations);
  put_copy(&sequence, &from, &to);
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_COPY);
  EXPECT_NULL(direct.thunks.operations[0].detail);
}

static void arrays_are_of_one_type_and_fill_their_slices(void) {
  static const char reason[] =
      "it has a copy that changes the layout in a way that is not known";
  side from = SOURCE, to = DESTINATION;

  to.type = TEST_F16;
  refuse(&from, &to, reason);
  from.type = TEST_F16;
  from.sizes[1] = 4;
  refuse(&from, &to, reason);
  from = SOURCE;
  to = DESTINATION;
  from.bytes = to.bytes = 10;
  refuse(&from, &to, reason);
  from.sizes[0] = to.sizes[0] = INT64_MAX;
  refuse(&from, &to, reason);
  from.sizes[0] = to.sizes[0] = -2;
  refuse(&from, &to, reason);
  from = SOURCE;
  to = DESTINATION;
  to.order[1] = 0;
  refuse(&from, &to, reason);
  from.rank = to.rank = 1;
  refuse(&from, &to, reason);
  from = SOURCE;
  from.type = 19;
  refuse(&from, &DESTINATION, reason);
}

static void an_array_is_not_transposed_in_place(void) {
  side from = SOURCE, to = DESTINATION;

  to.allocation = from.allocation;
  refuse(&from, &to, "it has a copy that changes the layout in place");
  from.allocation = to.allocation = TEST_SCRATCH;
  from.offset = 15;
  refuse(&from, &to, "it has a copy that changes the layout in place");
  from.offset = 16;
  test_start_direct(&direct, allocations);
  {
    test_message sequence = {0};
    put_copy(&sequence, &from, &to);
    test_read_thunks(&direct, &sequence);
  }
}

static void memory_that_runs_out_is_said(void) {
  test_message sequence = {0};
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_wire wire;
  cyxla_error error;

  test_start_direct(&direct, allocations);
  put_copy(&sequence, &SOURCE, &DESTINATION);
  wire = test_wire(&sequence);
  for (long after = 0; status != CYXLA_OK; after++) {
    long live = cyxla_memory_live();
    cyxla_memory_fail_after(after);
    status = test_try_thunks(&direct, wire, &error);
    cyxla_memory_fail_after(-1);
    if (status == CYXLA_OK) continue;
    EXPECT_EQUAL(status, CYXLA_OUT_OF_MEMORY);
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  cyxla_thunks_free(&direct.thunks);
}

TEST_MAIN(TEST_CASE(a_copy_that_changes_the_layout_is_a_transpose),
          TEST_CASE(a_layout_that_differs_in_name_only_is_a_copy),
          TEST_CASE(arrays_are_of_one_type_and_fill_their_slices),
          TEST_CASE(an_array_is_not_transposed_in_place),
          TEST_CASE(memory_that_runs_out_is_said))
