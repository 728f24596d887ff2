#include "direct/direct.h"

#include <string.h>

#include "memory.h"
#include "test_direct_support.h"

/* Fields of a serialized executable. */
enum { TOP_RESULT = 1 };
enum {
  RESULT_MODULE = 1,
  RESULT_BUFFER_ASSIGNMENT = 2,
  RESULT_KIND = 5,
  RESULT_THUNKS = 6,
  RESULT_OBJECTS = 8
};

static test_fixture *read_fixture(void) {
  return test_read_fixture("twice_sine");
}

static void refuse(const test_message *serialized, const test_fixture *fixture,
                   const char *reason) {
  cyxla_wire wire = test_wire(serialized);
  cyxla_direct *direct;
  cyxla_error error;

  EXPECT_ERROR(cyxla_direct_create(wire.data, wire.bytes, &fixture->signature.program,
                                   NULL, &direct, &error),
               CYXLA_UNIMPLEMENTED, &error, reason);
  EXPECT_NULL(direct);
}

/* The fixture's result, without the fields of a number. */
static void put_result(test_message *result, const test_fixture *fixture,
                       uint64_t without) {
  cyxla_wire serialized = {fixture->data, fixture->bytes}, rest;
  cyxla_wire_field field;

  rest = cyxla_wire_content(serialized, TOP_RESULT);
  while (rest.bytes > 0 && cyxla_wire_next(&rest, &field)) {
    if (field.number == without) continue;
    if (field.type == CYXLA_WIRE_VARINT) {
      test_put_number(result, field.number, field.value);
    } else {
      test_put_bytes(result, field.number, field.content.data, field.content.bytes);
    }
  }
}

static void an_executable_s_parts_are_read(void) {
  test_fixture *fixture;
  const cyxla_direct *direct;

  fixture = read_fixture();
  direct = test_create_direct(fixture);
  EXPECT_EQUAL(direct->objects.num_symbols, 1);
  EXPECT_EQUAL(direct->thunks.num_kernels, 1);
  EXPECT_EQUAL(direct->thunks.num_operations, 1);
  EXPECT_TRUE(direct->allocations.count >= 2);
  EXPECT_TRUE(direct->thunks.always_ends);
}

/* What was read is needed no longer. */
static void code_does_not_point_into_what_it_was_read_from(void) {
  test_fixture *fixture;
  const cyxla_direct *direct;

  fixture = test_read_fixture("table");
  direct = test_create_direct(fixture);
  memset(fixture->data, 0xff, fixture->bytes);
  EXPECT_TRUE(cyxla_object_set_find(&direct->objects, "wrapped_multiply") != NULL);
}

static void loops_on_data_may_not_end(void) {
  test_fixture *fixture, *counted;

  fixture = test_read_fixture("while");
  EXPECT_TRUE(!test_create_direct(fixture)->thunks.always_ends);
  counted = test_read_fixture("counted");
  EXPECT_TRUE(test_create_direct(counted)->thunks.always_ends);
}

static void what_is_no_executable_is_refused(void) {
  static const char reason[] =
      "it is not serialized as XLA's CPU plugins do that are known";
  test_message empty = {0}, text = {0}, field = {0}, zero = {0}, result = {0};
  test_fixture *fixture;

  fixture = read_fixture();
  refuse(&empty, fixture, reason);
  test_put_raw(&text, "no message", 10);
  refuse(&text, fixture, reason);
  put_result(&result, fixture, 0);
  test_put_message(&field, 1, &result);
  test_put_number(&field, 3, 1);
  refuse(&field, fixture, reason);
  test_put_number(&result, 11, 1);
  test_put_message(&zero, 1, &result);
  refuse(&zero, fixture, reason);
  zero.bytes = 0;
  test_put_number(&zero, 0, 1);
  refuse(&zero, fixture, reason);
}

static void executables_of_another_kind_are_refused(void) {
  test_message result = {0}, serialized = {0};
  test_fixture *fixture;

  fixture = read_fixture();
  put_result(&result, fixture, RESULT_KIND);
  test_put_number(&result, RESULT_KIND, 1);
  test_put_message(&serialized, TOP_RESULT, &result);
  refuse(&serialized, fixture, "it is not serialized as XLA's CPU plugins do");
}

static void each_part_is_needed(void) {
  static const struct {
    uint64_t field;
    const char *reason;
  } parts[] = {{RESULT_MODULE, "its module has no entry"},
               {RESULT_BUFFER_ASSIGNMENT, "where an output of it lies cannot be told"},
               {RESULT_OBJECTS, "its kernel broadcast_multiply_fusion is not there"}};
  test_fixture *fixture;

  fixture = read_fixture();
  for (size_t i = 0; i < TEST_COUNT(parts); i++) {
    test_message result = {0}, serialized = {0};
    put_result(&result, fixture, parts[i].field);
    test_put_message(&serialized, TOP_RESULT, &result);
    refuse(&serialized, fixture, parts[i].reason);
  }
}

static void objects_that_are_none_are_refused(void) {
  test_message result = {0}, serialized = {0}, number = {0};
  test_fixture *fixture;

  fixture = read_fixture();
  put_result(&result, fixture, 0);
  test_put_bytes(&result, RESULT_OBJECTS, NULL, 0);
  test_put_message(&serialized, TOP_RESULT, &result);
  refuse(&serialized, fixture, "an object of its code is no little-endian ELF file");
  result.bytes = 0;
  put_result(&result, fixture, 0);
  test_put_number(&result, RESULT_OBJECTS, 1);
  test_put_message(&number, TOP_RESULT, &result);
  refuse(&number, fixture, "it has an object of code that is none");
}

static void another_signature_is_refused(void) {
  test_fixture *fixture;
  cyxla_direct *direct;
  cyxla_error error;

  fixture = read_fixture();
  fixture->signature.inputs[0].bytes = 16;
  EXPECT_ERROR(cyxla_direct_create(fixture->data, fixture->bytes,
                                   &fixture->signature.program, NULL, &direct, &error),
               CYXLA_UNIMPLEMENTED, &error,
               "its inputs are not those of its signature");
}

/* Cut off anywhere, an executable is refused or what it was. */
static void an_executable_that_is_cut_off_is_refused(void) {
  test_fixture *fixture;

  fixture = read_fixture();
  for (size_t bytes = 0; bytes < fixture->bytes; bytes++) {
    test_message serialized = {0};
    cyxla_wire wire;
    cyxla_direct *direct;
    cyxla_error error;
    test_put_raw(&serialized, fixture->data, bytes);
    wire.data = serialized.data;
    wire.bytes = bytes;
    EXPECT_STATUS(
        cyxla_direct_create(wire.data, wire.bytes, &fixture->signature.program, NULL,
                            &direct, &error),
        CYXLA_UNIMPLEMENTED, &error);
    EXPECT_NULL(direct);
  }
}

static void memory_that_runs_out_is_said(void) {
  static const char *const names[] = {"twice_sine", "constants", "while", "branches"};

  for (size_t i = 0; i < TEST_COUNT(names); i++) {
    cyxla_status status = CYXLA_OUT_OF_MEMORY;
    cyxla_direct *direct;
    cyxla_error error;
    test_fixture *fixture;
    long n = 0;
    fixture = test_read_fixture(names[i]);
    for (; status == CYXLA_OUT_OF_MEMORY; n++) {
      long live = cyxla_memory_live();
      cyxla_memory_fail_after(n);
      status = cyxla_direct_create(fixture->data, fixture->bytes,
                                   &fixture->signature.program, NULL, &direct, &error);
      cyxla_memory_fail_after(-1);
      if (status == CYXLA_OK) break;
      EXPECT_CONTAINS(error.message, "no memory left");
      EXPECT_NULL(direct);
      EXPECT_EQUAL(cyxla_memory_live(), live);
    }
    EXPECT_OK(status, &error);
    EXPECT_TRUE(n > 10);
    cyxla_direct_destroy(direct);
  }
}

static void no_code_can_be_destroyed(void) {
  cyxla_direct_destroy(NULL);
}

TEST_MAIN(TEST_CASE(an_executable_s_parts_are_read),
          TEST_CASE(code_does_not_point_into_what_it_was_read_from),
          TEST_CASE(loops_on_data_may_not_end),
          TEST_CASE(what_is_no_executable_is_refused),
          TEST_CASE(executables_of_another_kind_are_refused),
          TEST_CASE(each_part_is_needed), TEST_CASE(objects_that_are_none_are_refused),
          TEST_CASE(another_signature_is_refused),
          TEST_CASE(an_executable_that_is_cut_off_is_refused),
          TEST_CASE(memory_that_runs_out_is_said), TEST_CASE(no_code_can_be_destroyed))
