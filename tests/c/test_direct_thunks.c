#include "direct/thunks.h"

#include <string.h>

#include "memory.h"
#include "test_thunks_support.h"

static cyxla_direct direct;
static cyxla_allocation allocations[TEST_NUM_ALLOCATIONS];
static cyxla_object_symbol symbol;
static char name[] = "kernel";

static void *kernel(const cyxla_kernel_frame *frame) {
  (void)frame;
  return NULL;
}

static void start(void) {
  test_start_direct(&direct, allocations);
  test_add_kernel(&direct, &symbol, name, kernel);
}

/* Thunks with one of a kind. */
static void refuse(uint64_t kind, const test_message *content, const char *reason) {
  test_message sequence = {0};

  test_put_thunk(&sequence, kind, content);
  test_refuse_thunks(&direct, &sequence, reason);
}

static void a_kernel_s_arguments_come_before_its_results(void) {
  test_message sequence = {0}, content = {0}, result = {0}, alignment = {0};
  const cyxla_operation *operation;

  start();
  test_put_kernel(&content, "kernel", 2, 3, 4);
  test_put_slice(&result, 1, TEST_OUTPUT, 0, 16);
  test_put_text(&result, 2, "");
  test_put_message(&content, 6, &result);
  test_put_argument(&content, TEST_INPUT, 4, 8);
  test_put_number(&alignment, 1, CYXLA_ALIGNMENT);
  test_put_message(&content, 4, &alignment);
  test_put_thunk(&sequence, TEST_KERNEL, &content);
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.num_operations, 1);
  EXPECT_EQUAL(direct.thunks.num_kernels, 1);
  EXPECT_EQUAL(direct.thunks.num_sequences, 1);
  EXPECT_EQUAL(direct.thunks.sequences[0].count, 1);
  EXPECT_TRUE(direct.thunks.always_ends);
  operation = &direct.thunks.operations[0];
  EXPECT_EQUAL(operation->kind, CYXLA_OPERATION_KERNEL);
  EXPECT_TRUE(operation->kernel == kernel);
  EXPECT_EQUAL(operation->num_workgroups.x, 2);
  EXPECT_EQUAL(operation->num_workgroups.y, 3);
  EXPECT_EQUAL(operation->num_workgroups.z, 4);
  EXPECT_EQUAL(operation->num_slices, 2);
  EXPECT_EQUAL(direct.thunks.slices[0].allocation, TEST_INPUT);
  EXPECT_EQUAL(direct.thunks.slices[0].offset, 4);
  EXPECT_EQUAL(direct.thunks.slices[0].bytes, 8);
  EXPECT_EQUAL(direct.thunks.slices[1].allocation, TEST_OUTPUT);
}

/* As plugins of PJRT API 0.81 have it. */
static void a_kernel_s_slices_may_be_bare(void) {
  test_message sequence = {0}, content = {0};

  start();
  test_put_kernel(&content, "kernel", 1, 1, 1);
  test_put_slice(&content, 5, TEST_SCRATCH, 32, 16);
  test_put_slice(&content, 5, TEST_INPUT, 0, 0);
  test_put_slice(&content, 6, TEST_OUTPUT, 0, 16);
  test_put_thunk(&sequence, TEST_KERNEL, &content);
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.num_slices, 3);
  EXPECT_EQUAL(direct.thunks.slices[0].offset, 32);
  EXPECT_EQUAL(direct.thunks.slices[1].bytes, 0);
}

static void kernels_that_are_not_known_are_refused(void) {
  char long_name[513] = "";
  test_message field = {0}, group = {0}, alignment = {0}, aligned = {0}, named = {0},
               missing = {0};

  start();
  test_put_kernel(&field, "kernel", 1, 1, 1);
  test_put_number(&field, 7, 1);
  refuse(TEST_KERNEL, &field, "it has a kernel with a field that is not known");
  test_put_kernel(&group, "kernel", 1, 1, 1);
  test_put_bytes(&group, 2, "\x20\x01", 2);
  refuse(TEST_KERNEL, &group, "it has a kernel with a field that is not known");
  test_put_kernel(&aligned, "kernel", 1, 1, 1);
  test_put_number(&alignment, 1, 2 * CYXLA_ALIGNMENT);
  test_put_message(&aligned, 4, &alignment);
  refuse(TEST_KERNEL, &aligned, "it has a kernel with a field that is not known");
  memset(long_name, 'k', 512);
  test_put_kernel(&named, long_name, 1, 1, 1);
  refuse(TEST_KERNEL, &named, "it has a kernel with a long name");
  test_put_kernel(&missing, "colonel", 1, 1, 1);
  refuse(TEST_KERNEL, &missing, "its kernel colonel is not there");
}

/* It would not run at all, as where a plugin came to write no number for 1. */
static void a_kernel_of_no_workgroups_is_refused(void) {
  static const uint64_t groups[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
  test_message bare = {0};

  start();
  for (size_t i = 0; i < TEST_COUNT(groups); i++) {
    test_message content = {0};
    test_put_kernel(&content, "kernel", groups[i][0], groups[i][1], groups[i][2]);
    refuse(TEST_KERNEL, &content, "it has a kernel without workgroups");
  }
  test_put_text(&bare, 1, "kernel");
  refuse(TEST_KERNEL, &bare, "it has a kernel without workgroups");
}

static void memory_outside_of_its_allocation_is_refused(void) {
  static const uint64_t slices[][3] = {
      {TEST_NUM_ALLOCATIONS, 0, 0}, {TEST_INPUT, 8, 16}, {TEST_OWN, 0, 8}};
  static const uint64_t fields[] = {5, 6};

  start();
  for (size_t i = 0; i < TEST_COUNT(slices); i++) {
    for (size_t k = 0; k < TEST_COUNT(fields); k++) {
      test_message content = {0};
      test_put_kernel(&content, "kernel", 1, 1, 1);
      test_put_slice(&content, fields[k], slices[i][0], slices[i][1], slices[i][2]);
      refuse(TEST_KERNEL, &content, "it uses memory outside of its allocations");
    }
  }
}

static void a_copy_is_a_destination_and_a_source(void) {
  test_message sequence = {0};

  start();
  test_put_copy(&sequence, TEST_INPUT, 8, TEST_SCRATCH, 16, 8);
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_COPY);
  EXPECT_EQUAL(direct.thunks.num_kernels, 0);
  EXPECT_EQUAL(direct.thunks.slices[0].allocation, TEST_SCRATCH);
  EXPECT_EQUAL(direct.thunks.slices[0].offset, 16);
  EXPECT_EQUAL(direct.thunks.slices[1].allocation, TEST_INPUT);
}

/* A copy with shapes, whose dimensions are in the orders given, as a list or one by
 * one. */
static void make_copy(test_message *copy, const int64_t *from, const int64_t *to,
                      bool is_list) {
  for (uint64_t side = 1; side <= 2; side++) {
    const int64_t *order = side == 1 ? from : to;
    test_message end = {0}, shape = {0}, layout = {0};
    if (is_list) {
      test_put_list(&layout, 1, order, 2);
    } else {
      for (size_t i = 0; i < 2; i++) test_put_number(&layout, 1, (uint64_t)order[i]);
    }
    test_put_message(&shape, 5, &layout);
    test_put_message(&end, 1, &shape);
    test_put_slice(&end, 2, side == 1 ? TEST_INPUT : TEST_OUTPUT, 0, 16);
    test_put_message(copy, side, &end);
  }
}

static void a_copy_keeps_the_layout_that_both_sides_have(void) {
  static const int64_t order[] = {1, 0}, other[] = {0, 1};

  start();
  for (int is_list = 0; is_list < 2; is_list++) {
    test_message sequence = {0}, same = {0}, changing = {0};
    make_copy(&changing, order, other, is_list != 0);
    refuse(TEST_COPY, &changing,
           "it has a copy that changes the layout in a way that is not known");
    make_copy(&same, other, other, is_list != 0);
    test_put_thunk(&sequence, TEST_COPY, &same);
    test_read_thunks(&direct, &sequence);
    EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_COPY);
  }
}

static void copies_that_are_not_known_are_refused(void) {
  for (int i = 0; i < 5; i++) {
    test_message copy = {0}, source = {0}, destination = {0};
    start();
    test_put_slice(&source, 2, i == 3 ? TEST_OWN : TEST_INPUT, 0, 16);
    test_put_slice(&destination, 2, i == 4 ? TEST_OWN : TEST_OUTPUT, 0,
                   i == 0 ? 8 : 16);
    if (i == 1) test_put_number(&source, 3, 1);
    if (i == 2) test_put_number(&destination, 3, 1);
    test_put_message(&copy, 1, &source);
    test_put_message(&copy, 2, &destination);
    refuse(TEST_COPY, &copy,
           i == 0   ? "it has a copy between arrays of different sizes"
           : i <= 2 ? "it has a copy with a field that is not known"
                    : "it uses memory outside of its allocations");
    if (i != 0) continue;
    test_put_number(&copy, 3, 1);
    refuse(TEST_COPY, &copy, "it has a copy with a field that is not known");
  }
}

static void replicas_and_partitions_are_number_0(void) {
  static const uint64_t kinds[] = {TEST_REPLICA_ID, TEST_PARTITION_ID};
  static const char reason[] = "it has the number of a replica that is no uint32";

  for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
    test_message sequence = {0}, content = {0}, longer = {0}, outside = {0};
    start();
    test_put_slice(&content, 1, TEST_OUTPUT, 0, 4);
    test_put_thunk(&sequence, kinds[i], &content);
    test_read_thunks(&direct, &sequence);
    EXPECT_EQUAL(direct.thunks.operations[0].kind, CYXLA_OPERATION_ZERO);
    test_put_slice(&longer, 1, TEST_OUTPUT, 0, 8);
    refuse(kinds[i], &longer, reason);
    test_put_number(&content, 2, 1);
    refuse(kinds[i], &content, reason);
    test_put_slice(&outside, 1, TEST_OUTPUT, 14, 4);
    refuse(kinds[i], &outside, "it uses memory outside of its allocations");
  }
}

static void other_operations_are_refused(void) {
  test_message content = {0}, none = {0}, thunk = {0}, two = {0}, number = {0};

  start();
  refuse(13, &content, "it has an operation of the kind the kind");
  test_put_message(&none, 1, &thunk);
  test_refuse_thunks(&direct, &none, "it has an operation of the kind ");
  test_put_text(&thunk, 1, "both");
  test_put_message(&thunk, TEST_KERNEL, &content);
  test_put_message(&thunk, TEST_COPY, &content);
  test_put_message(&two, 1, &thunk);
  test_refuse_thunks(&direct, &two, "it has an operation of the kind both");
  thunk.bytes = 0;
  test_put_number(&thunk, TEST_KERNEL, 1);
  test_put_message(&number, 1, &thunk);
  test_refuse_thunks(&direct, &number, "it has an operation of the kind ");
}

static void broken_sequences_are_refused(void) {
  test_message number = {0}, other = {0}, broken = {0}, thunk = {0};

  start();
  test_put_number(&number, 1, 1);
  test_refuse_thunks(&direct, &number, "it has a sequence with a field that is not");
  test_put_text(&other, 2, "");
  test_refuse_thunks(&direct, &other, "it has a sequence with a field that is not");
  test_put_raw(&broken, "\x0a\x05", 2);
  test_refuse_thunks(&direct, &broken, "it has a sequence with a field that is not");
  test_put_bytes(&thunk, 1, "\x0a\x05", 2);
  test_refuse_thunks(&direct, &thunk, "it has an operation that is cut off");
}

static void there_may_be_no_operations(void) {
  test_message sequence = {0};

  start();
  test_read_thunks(&direct, &sequence);
  EXPECT_EQUAL(direct.thunks.num_operations, 0);
  EXPECT_EQUAL(direct.thunks.sequences[0].count, 0);
}

static void memory_that_runs_out_is_said(void) {
  test_message sequence = {0}, called = {0}, call = {0};
  cyxla_wire wire;
  cyxla_error error;
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  long n = 0;

  start();
  for (int i = 0; i < 20; i++) {
    test_put_copy(&called, TEST_INPUT, 0, TEST_OUTPUT, 0, 8);
  }
  test_put_message(&call, 1, &called);
  for (int i = 0; i < 20; i++) {
    test_message empty = {0};
    test_put_thunk(&sequence, TEST_CALL, i == 19 ? &call : &empty);
  }
  wire = test_wire(&sequence);
  for (; status == CYXLA_OUT_OF_MEMORY; n++) {
    long live = cyxla_memory_live();
    cyxla_memory_fail_after(n);
    status = test_try_thunks(&direct, wire, &error);
    cyxla_memory_fail_after(-1);
    if (status != CYXLA_OK) EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  EXPECT_OK(status, &error);
  /* Sequences, operations, sequences, operations, slices, and slices twice as many. */
  EXPECT_EQUAL(n, 8);
  EXPECT_EQUAL(direct.thunks.num_slices, 40);
  cyxla_thunks_free(&direct.thunks);
}

TEST_MAIN(TEST_CASE(a_kernel_s_arguments_come_before_its_results),
          TEST_CASE(a_kernel_s_slices_may_be_bare),
          TEST_CASE(kernels_that_are_not_known_are_refused),
          TEST_CASE(a_kernel_of_no_workgroups_is_refused),
          TEST_CASE(memory_outside_of_its_allocation_is_refused),
          TEST_CASE(a_copy_is_a_destination_and_a_source),
          TEST_CASE(a_copy_keeps_the_layout_that_both_sides_have),
          TEST_CASE(copies_that_are_not_known_are_refused),
          TEST_CASE(replicas_and_partitions_are_number_0),
          TEST_CASE(other_operations_are_refused),
          TEST_CASE(broken_sequences_are_refused),
          TEST_CASE(there_may_be_no_operations),
          TEST_CASE(memory_that_runs_out_is_said))
