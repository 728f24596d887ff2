/* Top-k: read, and run. */
#include <string.h>

#include "direct/run.h"
#include "memory.h"
#include "test_thunks_support.h"

static cyxla_direct direct;
static cyxla_allocation allocations[TEST_NUM_ALLOCATIONS];

typedef struct top {
  uint64_t rows, count, k;
  uint64_t slices[3][3]; /* allocation, offset, bytes */
  uint64_t field;
} top;

static const top TOP = {
    1, 3, 2, {{TEST_INPUT, 0, 12}, {TEST_OUTPUT, 0, 8}, {TEST_OUTPUT, 8, 8}}, 0};

static void put_top_k(test_message *sequence, const top *given) {
  test_message content = {0};

  test_put_number(&content, 1, given->rows);
  test_put_number(&content, 2, given->count);
  test_put_number(&content, 3, given->k);
  for (size_t i = 0; i < 3; i++) {
    test_put_slice(&content, 4 + i, given->slices[i][0], given->slices[i][1],
                   given->slices[i][2]);
  }
  if (given->field != 0) test_put_number(&content, given->field, 1);
  test_put_thunk(sequence, TEST_TOP_K, &content);
}

static void refuse_top_k(const top *given, const char *reason) {
  test_message sequence = {0};

  test_start_direct(&direct, allocations);
  put_top_k(&sequence, given);
  test_refuse_thunks(&direct, &sequence, reason);
}

static void a_top_k_is_run(void) {
  test_message sequence = {0};

  test_make_arrays("\0\0\200\77\0\0\0\300\0\0\200\100....", "................");
  test_start_direct(&direct, allocations);
  put_top_k(&sequence, &TOP);
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_TOP_K);
  EXPECT_EQUAL(direct.thunks.operations[0].num_slices, 3);
  test_run_thunks(&direct);
  EXPECT_BYTES(test_output, "\0\0\200\100\0\0\200\77\2\0\0\0\0\0\0\0", 16);
}

static void a_top_k_that_makes_no_sense_is_refused(void) {
  static const char unknown[] = "it has a top-k of a kind that is not known";
  static const char sizes[] = "it has a top-k of arrays of other sizes";
  static const uint64_t wrong_rows[] = {0, 2, 3, UINT64_MAX, (uint64_t)1 << 62};
  top given = TOP;

  given.field = 7;
  refuse_top_k(&given, unknown);
  given = TOP;
  given.k = 4;
  refuse_top_k(&given, unknown);
  given.k = UINT64_MAX;
  refuse_top_k(&given, unknown);
  given.count = given.k = (uint64_t)1 << 31;
  refuse_top_k(&given, unknown);
  for (size_t i = 0; i < TEST_COUNT(wrong_rows); i++) {
    given = TOP;
    given.rows = wrong_rows[i];
    refuse_top_k(&given, sizes);
  }
  for (size_t i = 0; i < 3; i++) {
    given = TOP;
    given.slices[i][2] -= 4;
    refuse_top_k(&given, sizes);
    given.slices[i][2] += 3;
    refuse_top_k(&given, sizes);
    given.slices[i][0] = TEST_OWN;
    refuse_top_k(&given, "it uses memory outside of its allocations");
  }
}

static void a_top_k_of_arrays_that_overlap_is_refused(void) {
  static const char reason[] = "it has a top-k of arrays that overlap";
  top given = TOP;

  given.slices[2][1] = 7;
  refuse_top_k(&given, reason);
  given = TOP;
  given.slices[0][0] = TEST_SCRATCH;
  given.slices[1][0] = TEST_SCRATCH;
  given.slices[1][1] = 8;
  refuse_top_k(&given, reason);
}

static void a_top_k_may_be_of_nothing(void) {
  test_message sequence = {0};
  top given = TOP;

  test_start_direct(&direct, allocations);
  given.k = given.slices[1][2] = given.slices[2][2] = 0;
  put_top_k(&sequence, &given);
  given.rows = given.slices[0][2] = 0;
  put_top_k(&sequence, &given);
  test_make_arrays("................", "................");
  test_read_thunks(&direct, &sequence);
  test_run_thunks(&direct);
}

TEST_MAIN(TEST_CASE(a_top_k_is_run), TEST_CASE(a_top_k_that_makes_no_sense_is_refused),
          TEST_CASE(a_top_k_of_arrays_that_overlap_is_refused),
          TEST_CASE(a_top_k_may_be_of_nothing))
