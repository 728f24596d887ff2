/* Calls, loops and conditionals: src/direct/thunks_control.c. */
#include <string.h>

#include "memory.h"
#include "test_thunks_support.h"

static cyxla_direct direct;
static cyxla_allocation allocations[TEST_NUM_ALLOCATIONS];

static void start(void) {
  test_start_direct(&direct, allocations);
}

static void refuse(uint64_t kind, const test_message *content, const char *reason) {
  test_message sequence = {0};

  test_put_thunk(&sequence, kind, content);
  test_refuse_thunks(&direct, &sequence, reason);
}

static void read(uint64_t kind, const test_message *content) {
  test_message sequence = {0};

  test_put_thunk(&sequence, kind, content);
  test_read_thunks(&direct, &sequence);
}

/* A sequence that copies as often as that. */
static void put_copies(test_message *message, uint64_t number, size_t count) {
  test_message sequence = {0};

  for (size_t i = 0; i < count; i++) {
    test_put_copy(&sequence, TEST_INPUT, 0, TEST_OUTPUT, 0, 8);
  }
  test_put_message(message, number, &sequence);
}

/* A loop whose condition is a byte; trip_count: -1 where it is not known. */
static void make_while(test_message *loop, int64_t trip_count) {
  test_message trips = {0};

  put_copies(loop, 1, 1);
  put_copies(loop, 2, 2);
  if (trip_count >= 0) {
    test_put_number(&trips, 1, (uint64_t)trip_count);
    test_put_number(&trips, 2, 1);
    test_put_message(loop, 3, &trips);
  }
  test_put_slice(loop, 4, TEST_SCRATCH, 5, 1);
}

static void expect_sequence(size_t index, size_t first, size_t count) {
  EXPECT_EQUAL(direct.thunks.sequences[index].first, first);
  EXPECT_EQUAL(direct.thunks.sequences[index].count, count);
}

static void a_call_has_a_sequence(void) {
  test_message call = {0};

  start();
  put_copies(&call, 1, 3);
  read(TEST_CALL, &call);
  EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_CALL);
  EXPECT_EQUAL(direct.thunks.operations[0].first_sequence, 1);
  expect_sequence(0, 0, 1);
  expect_sequence(1, 1, 3);
  EXPECT_EQUAL(direct.thunks.num_operations, 4);
}

static void calls_that_are_not_known_are_refused(void) {
  test_message field = {0}, two = {0};

  start();
  test_put_number(&field, 2, 1);
  refuse(TEST_CALL, &field, "it has a call with a field that is not known");
  put_copies(&two, 1, 1);
  put_copies(&two, 1, 1);
  refuse(TEST_CALL, &two, "it has a call with a field that is not known");
}

static void a_loop_has_a_condition_and_a_body(void) {
  test_message loop = {0};
  const cyxla_operation *operation;

  start();
  make_while(&loop, -1);
  read(TEST_WHILE, &loop);
  operation = &direct.thunks.operations[0];
  EXPECT_EQUAL(operation->kind, CYXLA_OPERATION_WHILE);
  EXPECT_EQUAL(operation->trip_count, CYXLA_TRIP_COUNT_UNKNOWN);
  EXPECT_TRUE(!direct.thunks.always_ends);
  EXPECT_EQUAL(operation->num_sequences, 2);
  expect_sequence(operation->first_sequence, 1, 1);
  expect_sequence(operation->first_sequence + 1, 2, 2);
  EXPECT_EQUAL(direct.thunks.slices[operation->first_slice].offset, 5);
}

static void a_loop_s_length_may_be_known(void) {
  test_message loop = {0}, none = {0}, trips = {0};

  start();
  make_while(&loop, 7);
  read(TEST_WHILE, &loop);
  EXPECT_EQUAL(direct.thunks.operations[0].trip_count, 7);
  EXPECT_TRUE(direct.thunks.always_ends);
  make_while(&none, -1);
  test_put_number(&trips, 1, 7); /* which is not said to be known */
  test_put_message(&none, 3, &trips);
  start();
  read(TEST_WHILE, &none);
  EXPECT_EQUAL(direct.thunks.operations[0].trip_count, CYXLA_TRIP_COUNT_UNKNOWN);
}

static void loops_that_are_not_known_are_refused(void) {
  test_message field = {0}, trips = {0}, unknown = {0}, negative = {0}, longer = {0},
               outside = {0}, condition = {0}, body = {0};

  start();
  make_while(&field, 1);
  test_put_number(&field, 5, 1);
  refuse(TEST_WHILE, &field, "it has a loop with a field that is not known");
  make_while(&unknown, 1);
  test_put_bytes(&unknown, 3, "\x18\x01", 2);
  refuse(TEST_WHILE, &unknown, "it has a loop with a field that is not known");
  make_while(&negative, -1);
  test_put_number(&trips, 1, UINT64_MAX);
  test_put_number(&trips, 2, 1);
  test_put_message(&negative, 3, &trips);
  refuse(TEST_WHILE, &negative, "it has a loop of a negative length");
  make_while(&longer, 1);
  test_put_slice(&longer, 4, TEST_SCRATCH, 0, 4);
  refuse(TEST_WHILE, &longer, "it has a loop with a condition that is no bool");
  make_while(&outside, 1);
  test_put_slice(&outside, 4, TEST_SCRATCH, 64, 1);
  refuse(TEST_WHILE, &outside, "it uses memory outside of its allocations");
  make_while(&condition, 1);
  test_put_bytes(&condition, 1, "\x10\x01", 2);
  refuse(TEST_WHILE, &condition, "it has a sequence with a field that is not known");
  make_while(&body, 1);
  test_put_bytes(&body, 2, "\x10\x01", 2);
  refuse(TEST_WHILE, &body, "it has a sequence with a field that is not known");
}

static void make_conditional(test_message *conditional, size_t num_branches,
                             uint64_t bytes) {
  for (size_t i = 0; i < num_branches; i++) put_copies(conditional, 1, i + 1);
  test_put_slice(conditional, 2, TEST_SCRATCH, 4, bytes);
}

static void a_conditional_has_branches(void) {
  test_message on_number = {0}, on_bool = {0};

  start();
  make_conditional(&on_number, 3, 4);
  read(TEST_CONDITIONAL, &on_number);
  EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_CONDITIONAL);
  EXPECT_EQUAL(direct.thunks.operations[0].num_sequences, 3);
  EXPECT_EQUAL(direct.thunks.operations[0].first_sequence, 1);
  expect_sequence(1, 1, 1);
  expect_sequence(2, 2, 2);
  expect_sequence(3, 4, 3);
  EXPECT_TRUE(direct.thunks.always_ends);
  start();
  make_conditional(&on_bool, 2, 1);
  read(TEST_CONDITIONAL, &on_bool);
  EXPECT_EQUAL(direct.thunks.slices[0].bytes, 1);
}

static void conditionals_that_are_not_known_are_refused(void) {
  static const char on_neither[] =
      "it has a conditional on neither a bool nor an int32";
  static const size_t sizes[][2] = {{3, 1}, {1, 1}, {2, 8}, {2, 0}};
  test_message none = {0}, field = {0}, outside = {0}, branch = {0};

  start();
  for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
    test_message content = {0};
    make_conditional(&content, sizes[i][0], sizes[i][1]);
    refuse(TEST_CONDITIONAL, &content, on_neither);
  }
  make_conditional(&none, 0, 4);
  refuse(TEST_CONDITIONAL, &none,
         "it has a conditional with a field that is not known");
  make_conditional(&field, 2, 4);
  test_put_number(&field, 3, 1);
  refuse(TEST_CONDITIONAL, &field,
         "it has a conditional with a field that is not known");
  make_conditional(&outside, 2, 100);
  refuse(TEST_CONDITIONAL, &outside, "it uses memory outside of its allocations");
  make_conditional(&branch, 2, 4);
  test_put_bytes(&branch, 1, "\x10\x01", 2);
  refuse(TEST_CONDITIONAL, &branch, "it has a sequence with a field that is not known");
}

/* A sequence of a call of a sequence ..., so deep. */
static void make_nested(test_message *sequence, int depth) {
  for (int i = 0; i < depth; i++) {
    test_message call = {0};
    if (sequence->bytes > 0 || i > 0) test_put_message(&call, 1, sequence);
    sequence->bytes = 0;
    test_put_thunk(sequence, TEST_CALL, &call);
  }
}

static void there_is_an_end_to_how_deep_sequences_are(void) {
  test_message deep = {0}, deeper = {0};

  start();
  make_nested(&deep, 63);
  test_read_thunks(&direct, &deep);
  EXPECT_EQUAL(direct.thunks.num_operations, 63);
  make_nested(&deeper, 64);
  cyxla_thunks_free(&direct.thunks);
  test_refuse_thunks(&direct, &deeper, "it has a sequence with a field that is not");
}

/* Where lists grow while operations of sequences inside of others are read. */
static void memory_that_runs_out_is_said(void) {
  for (int kind = 0; kind < 3; kind++) {
    static const uint64_t kinds[] = {TEST_CALL, TEST_WHILE, TEST_CONDITIONAL};
    test_message sequence = {0}, content = {0};
    cyxla_status status = CYXLA_OUT_OF_MEMORY;
    cyxla_wire wire;
    cyxla_error error;
    start();
    if (kind == 0) put_copies(&content, 1, 1);
    if (kind == 1) make_while(&content, -1);
    if (kind == 2) make_conditional(&content, 2, 4);
    for (int i = 0; i < 17; i++) test_put_thunk(&sequence, kinds[kind], &content);
    wire = test_wire(&sequence);
    for (long n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
      long live = cyxla_memory_live();
      cyxla_memory_fail_after(n);
      status = test_try_thunks(&direct, wire, &error);
      cyxla_memory_fail_after(-1);
      if (status != CYXLA_OK) EXPECT_EQUAL(cyxla_memory_live(), live);
    }
    EXPECT_OK(status, &error);
    cyxla_thunks_free(&direct.thunks);
  }
}

TEST_MAIN(TEST_CASE(a_call_has_a_sequence),
          TEST_CASE(calls_that_are_not_known_are_refused),
          TEST_CASE(a_loop_has_a_condition_and_a_body),
          TEST_CASE(a_loop_s_length_may_be_known),
          TEST_CASE(loops_that_are_not_known_are_refused),
          TEST_CASE(a_conditional_has_branches),
          TEST_CASE(conditionals_that_are_not_known_are_refused),
          TEST_CASE(there_is_an_end_to_how_deep_sequences_are),
          TEST_CASE(memory_that_runs_out_is_said))
