/* Sorts: read, and run. */
#include <string.h>

#include "direct/run.h"
#include "direct/sort.h"
#include "memory.h"
#include "test_comparators_support.h"
#include "test_thunks_support.h"

static cyxla_direct direct;
static cyxla_allocation allocations[TEST_NUM_ALLOCATIONS];
static cyxla_object_symbol symbol;
static char name[] = "by number";

/* The kind of a kernel, as which it is found. */
static void *descending(const cyxla_kernel_frame *frame) {
  (void)frame;
  return NULL;
}

/* An array that is sorted. */
typedef struct array {
  uint64_t allocation, offset, bytes, type;
  int64_t sizes[2];
  int64_t order[2];
} array;

typedef struct sorting {
  uint64_t dimension, is_stable, direction, is_known;
  const char *comparator;
  array arrays[2];
  size_t num_arrays;
} sorting;

static const sorting USUAL = {0,
                              1,
                              1,
                              1,
                              "by number",
                              {{TEST_INPUT, 0, 12, TEST_S16, {3, 2}, {1, 0}},
                               {TEST_OUTPUT, 0, 6, TEST_U8, {3, 2}, {1, 0}}},
                              1};

static void put_array(test_message *sort, const array *given, uint64_t field) {
  test_message input = {0}, shape = {0}, layout = {0};

  test_put_list(&layout, 1, given->order, 2);
  test_put_number(&shape, 2, given->type);
  test_put_list(&shape, 3, given->sizes, 2);
  test_put_message(&shape, 5, &layout);
  test_put_message(&input, 1, &shape);
  test_put_slice(&input, 2, given->allocation, given->offset, given->bytes);
  if (field != 0) test_put_number(&input, field, 1);
  test_put_message(sort, 5, &input);
}

static void put_sort(test_message *sort, const sorting *given) {
  test_message direction = {0};

  test_put_number(sort, 1, given->dimension);
  test_put_number(sort, 2, given->is_stable);
  test_put_number(&direction, 1, given->direction);
  test_put_number(&direction, 2, given->is_known);
  test_put_message(sort, 3, &direction);
  test_put_text(sort, 4, given->comparator);
  for (size_t i = 0; i < given->num_arrays; i++) put_array(sort, &given->arrays[i], 0);
}

/* Code with a comparator of an s16, or of that and a u8. */
static void start(size_t num_arrays) {
  test_message module = {0}, comparator = {0}, result = {0};

  test_start_direct(&direct, allocations);
  test_add_kernel(&direct, &symbol, name, descending);
  test_put_parameter(&comparator, 1, 0, TEST_S16);
  test_put_parameter(&comparator, 2, 1, TEST_S16);
  if (num_arrays == 2) {
    test_put_parameter(&comparator, 3, 2, TEST_U8);
    test_put_parameter(&comparator, 4, 3, TEST_U8);
  }
  test_put_compare(&comparator, 5, "GT", "SIGNED", 1, 2);
  test_put_computation(&module, "by number", 1, 5, &comparator);
  test_put_symbol(&result, 2, "by number");
  test_use_comparators(test_read_module(&module), test_wire(&result));
}

static const cyxla_sort *read(const sorting *given) {
  test_message sequence = {0}, sort = {0};

  start(given->num_arrays);
  put_sort(&sort, given);
  test_put_thunk(&sequence, TEST_SORT, &sort);
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_SORT);
  EXPECT_EQUAL(direct.thunks.operations[0].num_slices, given->num_arrays);
  return direct.thunks.operations[0].detail;
}

static void refuse(const sorting *given, const char *reason) {
  test_message sequence = {0}, sort = {0};

  start(given->num_arrays);
  put_sort(&sort, given);
  test_put_thunk(&sequence, TEST_SORT, &sort);
  test_refuse_thunks(&direct, &sequence, reason);
}

static void whole_numbers_in_a_direction_need_no_comparator(void) {
  sorting given = USUAL;
  const cyxla_sort *sort;

  given.comparator = "another";
  given.is_stable = 0;
  sort = read(&given);
  EXPECT_TRUE(sort->comparator == NULL);
  EXPECT_TRUE(sort->is_signed && !sort->is_descending);
  given.direction = 2;
  given.arrays[0].type = TEST_U8;
  given.arrays[0].bytes = 6;
  sort = read(&given);
  EXPECT_TRUE(!sort->is_signed && sort->is_descending);
  given.num_arrays = 2;
  given.is_stable = 1;
  EXPECT_TRUE(read(&given)->comparator == NULL);
  given.is_stable = 0;
  refuse(&given, "it has a sort that is not stable");
}

static void all_else_is_by_a_comparator(void) {
  sorting given = USUAL;

  given.is_known = 0;
  EXPECT_TRUE(read(&given)->comparator != NULL);
  given.num_arrays = 2;
  EXPECT_TRUE(read(&given)->comparator != NULL);
  given.comparator = "by nothing";
  refuse(&given, "its comparator by nothing is not there");
  given.comparator = "by number";
  given.is_stable = 0;
  refuse(&given, "it has a sort that is not stable");
  given.is_stable = 1;
  given.arrays[0].type = TEST_F16;
  refuse(&given, "it has a sort whose comparator is not of its arrays");
  given.is_known = 1;
  refuse(&given, "it has a sort of numbers that may be NaN by their value alone");
  given.num_arrays = 1;
  refuse(&given, "it has a sort of numbers that may be NaN by their value alone");
  given.arrays[0].type = TEST_PRED;
  given.arrays[0].bytes = 6;
  refuse(&given, "it has a sort whose comparator is not of its arrays");
}

static void directions_are_up_and_down(void) {
  sorting given = USUAL;

  for (given.direction = 0; given.direction < 5; given.direction++) {
    if (given.direction == 1 || given.direction == 2) continue;
    refuse(&given, "it has a sort in a direction that is not known");
  }
  given.is_known = 0;
  EXPECT_TRUE(read(&given)->comparator != NULL);
}

static void a_dimension_is_where_it_lies_in_memory(void) {
  static const uint64_t wrong[] = {
      2, 3, CYXLA_RANK_MAXIMUM, (uint64_t)1 << 32, INT64_MAX, UINT64_MAX};
  sorting given = USUAL;
  const cyxla_sort *sort = read(&given);

  EXPECT_EQUAL(sort->outer, 1);
  EXPECT_EQUAL(sort->count, 3);
  EXPECT_EQUAL(sort->inner, 2);
  EXPECT_EQUAL(direct.thunks.workspace_bytes, 128);
  given.dimension = 1;
  sort = read(&given);
  EXPECT_EQUAL(sort->outer, 3);
  EXPECT_EQUAL(sort->count, 2);
  EXPECT_EQUAL(sort->inner, 1);
  EXPECT_EQUAL(direct.thunks.workspace_bytes, 64);
  given.arrays[0].order[0] = 0;
  given.arrays[0].order[1] = 1;
  sort = read(&given);
  EXPECT_EQUAL(sort->outer, 1);
  EXPECT_EQUAL(sort->count, 2);
  EXPECT_EQUAL(sort->inner, 3);
  for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
    given.dimension = wrong[i];
    refuse(&given, "it has a sort along a dimension that is not there");
  }
}

static void arrays_may_be_empty(void) {
  sorting given = USUAL;
  const cyxla_sort *sort;

  given.arrays[0].sizes[0] = INT64_MAX / 8;
  given.arrays[0].sizes[1] = 0;
  given.arrays[0].bytes = 0;
  sort = read(&given);
  EXPECT_EQUAL(sort->count, 0);
  EXPECT_EQUAL(direct.thunks.workspace_bytes, 0);
  EXPECT_TRUE(!direct.thunks.is_parallel);
}

static void arrays_fill_their_slices_and_are_alike(void) {
  sorting given = USUAL;

  given.num_arrays = 0;
  refuse(&given, "it has a sort of nothing");
  given.num_arrays = 1;
  given.arrays[0].bytes = 10;
  refuse(&given, "it has a sort of arrays of different sizes");
  given.arrays[0].bytes = 20;
  refuse(&given, "it uses memory outside of its allocations");
  given = USUAL;
  given.arrays[0].sizes[0] = -3;
  refuse(&given, "it has a sort of an array of a kind that is not known");
  given.arrays[0].sizes[0] = INT64_MAX;
  refuse(&given, "it has a sort of an array of a kind that is not known");
  given = USUAL;
  given.num_arrays = 2;
  given.arrays[1].sizes[0] = 2;
  given.arrays[1].sizes[1] = 3;
  refuse(&given, "it has a sort of arrays of different sizes");
  given = USUAL;
  given.num_arrays = 2;
  given.arrays[1].order[0] = 0;
  given.arrays[1].order[1] = 1;
  refuse(&given, "it has a sort of arrays of different sizes");
  given = USUAL;
  given.num_arrays = 2;
  given.arrays[1].allocation = TEST_INPUT;
  given.arrays[1].offset = 8;
  refuse(&given, "it has a sort of arrays that overlap");
}

static void fields_that_are_not_known_are_refused(void) {
  test_message sequence = {0}, sort = {0}, other = {0}, direction = {0}, third = {0};

  start(1);
  put_sort(&sort, &USUAL);
  test_put_number(&sort, 6, 1);
  test_put_thunk(&sequence, TEST_SORT, &sort);
  test_refuse_thunks(&direct, &sequence,
                     "it has a sort with a field that is not known");
  sequence.bytes = 0;
  put_array(&other, &USUAL.arrays[0], 3);
  test_put_thunk(&sequence, TEST_SORT, &other);
  test_refuse_thunks(&direct, &sequence,
                     "it has a sort of an array of a kind that is not known");
  sequence.bytes = 0;
  test_put_number(&direction, 3, 1);
  put_array(&third, &USUAL.arrays[0], 0);
  test_put_message(&third, 3, &direction);
  test_put_thunk(&sequence, TEST_SORT, &third);
  test_refuse_thunks(&direct, &sequence,
                     "it has a sort in a direction that is not known");
}

static void arrays_are_not_too_many(void) {
  static test_message sequence, sort;
  const array empty = {TEST_INPUT, 0, 0, TEST_S8, {0, 1}, {1, 0}};

  start(1);
  sequence.bytes = sort.bytes = 0;
  for (int i = 0; i <= CYXLA_SORT_OPERANDS_MAXIMUM; i++) put_array(&sort, &empty, 0);
  test_put_thunk(&sequence, TEST_SORT, &sort);
  test_refuse_thunks(&direct, &sequence, "it has a sort of too many arrays");
}

static void more_than_fits_into_memory_is_refused(void) {
  test_message sequence = {0}, sort = {0};
  sorting given = USUAL;

  start(2);
  given.num_arrays = 2;
  for (size_t i = 0; i < 2; i++) {
    given.arrays[i].type = TEST_U8;
    given.arrays[i].sizes[0] = (int64_t)1 << 62;
    given.arrays[i].bytes = (uint64_t)1 << 63;
    allocations[given.arrays[i].allocation].bytes = SIZE_MAX;
  }
  put_sort(&sort, &given);
  test_put_thunk(&sequence, TEST_SORT, &sort);
  test_refuse_thunks(&direct, &sequence, "it has a sort of more than fits into memory");
}

/* More than a thread of the plugin sorts at once. */
static void many_rows_are_sorted_by_several_threads_of_the_plugin(void) {
  static const struct {
    int64_t rows, count;
    bool is_parallel;
  } sizes[] = {{1, 1 << 20, false}, {2, 40000, true},  {32, 1024, false},
               {33, 1024, true},    {32768, 1, false}, {32769, 1, true},
               {4096, 8, false},    {1 << 20, 8, true}};

  for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
    test_message sequence = {0}, sort = {0};
    sorting given = USUAL;
    start(1);
    given.dimension = 1;
    given.arrays[0].sizes[0] = sizes[i].rows;
    given.arrays[0].sizes[1] = sizes[i].count;
    given.arrays[0].bytes = (uint64_t)(2 * sizes[i].rows * sizes[i].count);
    allocations[TEST_INPUT].bytes = given.arrays[0].bytes;
    put_sort(&sort, &given);
    test_put_thunk(&sequence, TEST_SORT, &sort);
    test_read_thunks(&direct, &sequence);
    EXPECT_EQUAL(direct.thunks.is_parallel, sizes[i].is_parallel);
  }
}

static void a_sort_is_run(void) {
  sorting given = USUAL;

  test_make_arrays("\3\0\6\0\377\377\5\0\2\0\4\0....", "\1\2\3\4\5\6\7\7\7\7\7\7....");
  given.num_arrays = 2;
  read(&given);
  test_run_thunks(&direct);
  EXPECT_BYTES(test_input, "\377\377\4\0\2\0\5\0\3\0\6\0", 12);
  EXPECT_BYTES(test_output, "\3\6\5\4\1\2\7\7", 8);
  EXPECT_EQUAL(direct.thunks.num_kernels, 0);
}

static void memory_that_runs_out_is_said(void) {
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  test_message sequence = {0}, sort = {0};
  cyxla_direct_call call;
  cyxla_wire wire;
  cyxla_error error;

  start(1);
  put_sort(&sort, &USUAL);
  test_put_thunk(&sequence, TEST_SORT, &sort);
  wire = test_wire(&sequence);
  for (long after = 0; status != CYXLA_OK; after++) {
    long live = cyxla_memory_live();
    cyxla_memory_fail_after(after);
    status = test_try_thunks(&direct, wire, &error);
    if (status == CYXLA_OK) status = cyxla_direct_call_create(&direct, &call, &error);
    cyxla_memory_fail_after(-1);
    if (status == CYXLA_OK) continue;
    EXPECT_EQUAL(status, CYXLA_OUT_OF_MEMORY);
    cyxla_thunks_free(&direct.thunks);
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  cyxla_direct_call_free(&call);
  cyxla_thunks_free(&direct.thunks);
}

TEST_MAIN(TEST_CASE(whole_numbers_in_a_direction_need_no_comparator),
          TEST_CASE(all_else_is_by_a_comparator), TEST_CASE(directions_are_up_and_down),
          TEST_CASE(a_dimension_is_where_it_lies_in_memory),
          TEST_CASE(arrays_may_be_empty),
          TEST_CASE(arrays_fill_their_slices_and_are_alike),
          TEST_CASE(fields_that_are_not_known_are_refused),
          TEST_CASE(arrays_are_not_too_many),
          TEST_CASE(more_than_fits_into_memory_is_refused),
          TEST_CASE(many_rows_are_sorted_by_several_threads_of_the_plugin),
          TEST_CASE(a_sort_is_run), TEST_CASE(memory_that_runs_out_is_said))
