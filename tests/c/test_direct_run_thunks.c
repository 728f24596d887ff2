/* Operations of all kinds, with kernels that are functions of the tests. */
#include <string.h>

#include "clock.h"
#include "direct/run.h"
#include "memory.h"
#include "test_thunks_support.h"

static cyxla_direct direct;
static cyxla_allocation allocations[TEST_NUM_ALLOCATIONS];
static cyxla_object_symbol symbols[3];
static cyxla_direct_call call;
static unsigned char *input, *output;
static char append_name[] = "append", count_name[] = "count", fail_name[] = "fail";

/* The workgroups that ran. */
static char log_of_groups[256];

static void *append(const cyxla_kernel_frame *frame) {
  const cyxla_kernel_dimensions *at = frame->workgroup;
  char text[5] = "xyz ";

  EXPECT_TRUE(frame->num_workgroups->x > at->x);
  text[0] = (char)('0' + at->x);
  text[1] = (char)('0' + at->y);
  text[2] = (char)('0' + at->z);
  strcat(log_of_groups, text);
  return NULL;
}

/* Counts the first argument's first byte down, and the second's up; the result says
 * whether there is more. */
static void *count(const cyxla_kernel_frame *frame) {
  unsigned char *left = frame->arguments[0].data, *done = frame->arguments[1].data;

  EXPECT_EQUAL(frame->num_arguments, 2);
  EXPECT_EQUAL(frame->arguments[0].bytes, 1);
  if (*left > 0) --*left;
  ++*done;
  return NULL;
}

static void *fail(const cyxla_kernel_frame *frame) {
  return (void *)(uintptr_t)frame;
}

static void release(void *argument) {
  (void)argument;
  cyxla_aligned_free(input);
  cyxla_aligned_free(output);
  input = output = NULL;
  if (call.direct != NULL) cyxla_direct_call_free(&call);
}

static void start(void) {
  release(NULL); /* of a call before */
  test_start_direct(&direct, allocations);
  test_add_kernel(&direct, &symbols[0], append_name, append);
  test_add_kernel(&direct, &symbols[1], count_name, count);
  test_add_kernel(&direct, &symbols[2], fail_name, fail);
  memset(log_of_groups, 0, sizeof(log_of_groups));
}

/* A call whose input is the bytes 1 to 16 and whose output is 0. */
static void make_call(const test_message *sequence) {
  cyxla_error error;

  test_read_thunks(&direct, sequence);
  input = cyxla_aligned_alloc(16);
  output = cyxla_aligned_alloc(16);
  EXPECT_OK(cyxla_direct_call_create(&direct, &call, &error), &error);
  test_defer(release, NULL);
  cyxla_direct_call_place_input(&call, 0, input);
  cyxla_direct_call_place_output(&call, 0, output);
  for (int i = 0; i < 16; i++) input[i] = (unsigned char)(i + 1);
}

static void put_append(test_message *sequence, uint64_t x, uint64_t y, uint64_t z) {
  test_message kernel = {0};

  test_put_kernel(&kernel, "append", x, y, z);
  test_put_thunk(sequence, TEST_KERNEL, &kernel);
}

static void put_count(test_message *sequence) {
  test_message kernel = {0};

  test_put_kernel(&kernel, "count", 1, 1, 1);
  test_put_argument(&kernel, TEST_INPUT, 0, 1);
  test_put_argument(&kernel, TEST_OUTPUT, 0, 1);
  test_put_thunk(sequence, TEST_KERNEL, &kernel);
}

static void put_fail(test_message *sequence, uint64_t x) {
  test_message kernel = {0};

  test_put_kernel(&kernel, "fail", x, 1, 1);
  test_put_thunk(sequence, TEST_KERNEL, &kernel);
}

static void workgroups_run_along_x_first(void) {
  test_message sequence = {0};

  start();
  put_append(&sequence, 2, 1, 1);
  put_append(&sequence, 1, 1, 1);
  put_append(&sequence, 1, 2, 2);
  make_call(&sequence);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_TEXT(log_of_groups, "000 100 000 000 010 001 011 ");
}

static void copies_go_through_scratch(void) {
  test_message sequence = {0};

  start();
  test_put_copy(&sequence, TEST_INPUT, 4, TEST_SCRATCH, 32, 8);
  test_put_copy(&sequence, TEST_SCRATCH, 34, TEST_OUTPUT, 1, 4);
  test_put_copy(&sequence, TEST_INPUT, 16, TEST_OUTPUT, 16, 0);
  make_call(&sequence);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_BYTES(output, "\0\7\10\11\12\0\0\0", 8);
}

/* As where an array is moved within what it lies in. */
static void a_copy_may_overlap(void) {
  test_message sequence = {0};

  start();
  test_put_copy(&sequence, TEST_INPUT, 0, TEST_OUTPUT, 0, 16);
  test_put_copy(&sequence, TEST_OUTPUT, 0, TEST_OUTPUT, 2, 12);
  test_put_copy(&sequence, TEST_OUTPUT, 4, TEST_OUTPUT, 4, 4);
  make_call(&sequence);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_BYTES(output, "\1\2\1\2\3\4\5\6\7\10\11\12\13\14\17\20", 16);
}

static void the_number_of_a_replica_is_written(void) {
  test_message sequence = {0}, content = {0};

  start();
  test_put_slice(&content, 1, TEST_OUTPUT, 4, 4);
  test_put_thunk(&sequence, TEST_REPLICA_ID, &content);
  make_call(&sequence);
  memset(output, 0xff, 16);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_BYTES(output, "\377\377\377\377\0\0\0\0\377", 9);
}

static void put_loop(test_message *sequence, const test_message *condition,
                     const test_message *body, int64_t trip_count) {
  test_message loop = {0}, trips = {0};

  test_put_message(&loop, 1, condition);
  test_put_message(&loop, 2, body);
  if (trip_count >= 0) {
    test_put_number(&trips, 1, (uint64_t)trip_count);
    test_put_number(&trips, 2, 1);
    test_put_message(&loop, 3, &trips);
  }
  test_put_slice(&loop, 4, TEST_INPUT, 0, 1);
  test_put_thunk(sequence, TEST_WHILE, &loop);
}

static void a_loop_runs_until_its_condition_is_false(void) {
  test_message sequence = {0}, condition = {0}, body = {0};

  start();
  put_append(&body, 1, 1, 1);
  put_count(&condition);
  put_loop(&sequence, &condition, &body, -1);
  make_call(&sequence);
  input[0] = 3;
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_TEXT(log_of_groups, "000 000 ");
  EXPECT_EQUAL(output[0], 3);
  EXPECT_TRUE(cyxla_direct_run(&call)); /* asked once, and false */
  EXPECT_TEXT(log_of_groups, "000 000 ");
  EXPECT_EQUAL(output[0], 4);
}

static void a_loop_of_a_known_length_asks_nothing(void) {
  test_message sequence = {0}, condition = {0}, body = {0};

  start();
  put_append(&body, 1, 1, 1);
  put_fail(&condition, 1);
  put_loop(&sequence, &condition, &body, 3);
  put_loop(&sequence, &condition, &body, 0);
  make_call(&sequence);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_TEXT(log_of_groups, "000 000 000 ");
}

static void a_loop_ends_at_its_deadline(void) {
  for (int trip_count = -1; trip_count <= 3; trip_count += 4) {
    test_message sequence = {0}, condition = {0}, body = {0};
    start();
    put_append(&body, 1, 1, 1);
    put_count(&condition);
    put_loop(&sequence, &condition, &body, trip_count);
    make_call(&sequence);
    input[0] = 3;
    call.deadline = cyxla_clock_seconds() - 1;
    EXPECT_TRUE(!cyxla_direct_run(&call));
    EXPECT_TEXT(log_of_groups, "");
    input[0] = 3;
    call.deadline = cyxla_clock_seconds() + 1000;
    EXPECT_TRUE(cyxla_direct_run(&call));
    EXPECT_TRUE(strlen(log_of_groups) > 0);
  }
}

static void calls_are_nested(void) {
  test_message sequence = {0}, outer = {0}, middle = {0}, inner = {0}, calling = {0};

  start();
  put_append(&inner, 1, 1, 1);
  test_put_message(&calling, 1, &inner);
  put_append(&middle, 2, 1, 1);
  test_put_thunk(&middle, TEST_CALL, &calling);
  test_put_message(&outer, 1, &middle);
  test_put_thunk(&sequence, TEST_CALL, &outer);
  put_append(&sequence, 1, 2, 1);
  make_call(&sequence);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_TEXT(log_of_groups, "000 100 000 000 010 ");
}

/* Branches that append 1, 2, ... workgroups. */
static void make_branches(test_message *sequence, size_t count_of, uint64_t bytes) {
  test_message conditional = {0};

  for (size_t i = 0; i < count_of; i++) {
    test_message branch = {0};
    put_append(&branch, 1, i + 1, 1);
    test_put_message(&conditional, 1, &branch);
  }
  test_put_slice(&conditional, 2, TEST_INPUT, 0, bytes);
  test_put_thunk(sequence, TEST_CONDITIONAL, &conditional);
}

static void expect_branch(const void *index, size_t bytes, const char *groups) {
  memcpy(input, index, bytes);
  memset(log_of_groups, 0, sizeof(log_of_groups));
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_TEXT(log_of_groups, groups);
}

static void a_bool_chooses_the_first_branch_where_it_is_true(void) {
  test_message sequence = {0};

  start();
  make_branches(&sequence, 2, 1);
  make_call(&sequence);
  expect_branch("\1", 1, "000 ");
  expect_branch("\377", 1, "000 ");
  expect_branch("\0", 1, "000 010 ");
}

static void a_number_that_is_no_branch_chooses_the_last(void) {
  static const struct {
    int32_t number;
    const char *groups;
  } choices[] = {{0, "000 "},
                 {1, "000 010 "},
                 {2, "000 010 020 "},
                 {3, "000 010 020 "},
                 {-1, "000 010 020 "},
                 {INT32_MIN, "000 010 020 "},
                 {INT32_MAX, "000 010 020 "}};
  test_message sequence = {0};

  start();
  make_branches(&sequence, 3, 4);
  make_call(&sequence);
  for (size_t i = 0; i < TEST_COUNT(choices); i++) {
    expect_branch(&choices[i].number, 4, choices[i].groups);
  }
}

/* Nothing runs behind a kernel that failed, wherever that is. */
static void a_kernel_that_fails_ends_the_run(void) {
  for (int place = 0; place < 6; place++) {
    test_message sequence = {0}, failing = {0}, empty = {0}, counting = {0};
    test_message calling = {0};
    start();
    put_fail(&failing, 1);
    put_count(&counting);
    test_put_message(&calling, 1, &failing);
    if (place == 0) put_fail(&sequence, 1);
    if (place == 1) put_fail(&sequence, 2);
    if (place == 2) test_put_thunk(&sequence, TEST_CALL, &calling);
    if (place == 3) put_loop(&sequence, &failing, &empty, -1);
    if (place == 4) put_loop(&sequence, &empty, &failing, -1);
    if (place == 5) put_loop(&sequence, &empty, &failing, 1);
    put_append(&sequence, 1, 1, 1);
    make_call(&sequence);
    EXPECT_TRUE(!cyxla_direct_run(&call));
    EXPECT_TEXT(log_of_groups, "");
  }
}

TEST_MAIN(TEST_CASE(workgroups_run_along_x_first), TEST_CASE(copies_go_through_scratch),
          TEST_CASE(a_copy_may_overlap), TEST_CASE(the_number_of_a_replica_is_written),
          TEST_CASE(a_loop_runs_until_its_condition_is_false),
          TEST_CASE(a_loop_of_a_known_length_asks_nothing),
          TEST_CASE(a_loop_ends_at_its_deadline), TEST_CASE(calls_are_nested),
          TEST_CASE(a_bool_chooses_the_first_branch_where_it_is_true),
          TEST_CASE(a_number_that_is_no_branch_chooses_the_last),
          TEST_CASE(a_kernel_that_fails_ends_the_run))
