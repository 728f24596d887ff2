#include "wire.h"

#include <string.h>

#include "test_direct_support.h"

static cyxla_wire wire_of(const char *bytes, size_t count) {
  test_message message = {0};

  test_put_raw(&message, bytes, count);
  return test_wire(&message);
}

#define WIRE(text) wire_of(text, sizeof(text) - 1)

static void each_type_of_field_is_read(void) {
  cyxla_wire rest = WIRE(
      "\x08\x96\x01"
      "\x12\x03\x61\x62\x63"
      "\x1d\x01\x02\x03\x04"
      "\x21\x01\x02\x03\x04\x05\x06\x07\x08"
      "\xfa\xff\xff\xff\x0f\x00");
  cyxla_wire_field field;

  EXPECT_TRUE(cyxla_wire_next(&rest, &field));
  EXPECT_EQUAL(field.number, 1);
  EXPECT_EQUAL(field.type, CYXLA_WIRE_VARINT);
  EXPECT_EQUAL(field.value, 150);
  EXPECT_EQUAL(field.content.bytes, 0);
  EXPECT_TRUE(cyxla_wire_next(&rest, &field));
  EXPECT_EQUAL(field.type, CYXLA_WIRE_COUNTED);
  EXPECT_EQUAL(field.content.bytes, 3);
  EXPECT_BYTES(field.content.data, "abc", 3);
  EXPECT_TRUE(cyxla_wire_next(&rest, &field));
  EXPECT_EQUAL(field.type, CYXLA_WIRE_32_BITS);
  EXPECT_EQUAL(field.content.bytes, 4);
  EXPECT_TRUE(cyxla_wire_next(&rest, &field));
  EXPECT_EQUAL(field.type, CYXLA_WIRE_64_BITS);
  EXPECT_EQUAL(field.content.bytes, 8);
  EXPECT_TRUE(cyxla_wire_next(&rest, &field));
  EXPECT_EQUAL(field.number, 0x1fffffff);
  EXPECT_EQUAL(field.content.bytes, 0);
  EXPECT_EQUAL(rest.bytes, 0);
}

static void what_is_no_field_is_refused(void) {
  static const struct {
    const char *bytes;
    size_t count;
  } broken[] = {
      {"\x80", 1},             /* half a tag */
      {"\x08", 1},             /* no value */
      {"\x08\x80\x80", 3},     /* half a value */
      {"\x12", 1},             /* no count */
      {"\x12\x80", 2},         /* half a count */
      {"\x12\x02\x61", 3},     /* less than the count */
      {"\x1d\x01\x02\x03", 4}, /* less than 4 bytes */
      {"\x21\x01\x02\x03\x04\x05\x06\x07", 8},
      {"\x0b\x0c", 2}, /* a group */
      {"\x0c", 1},
      {"\x0e\x01", 2}, /* types that are none */
      {"\x0f\x01", 2},
      {"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x61", 12},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12}, /* of 11 bytes */
      {"", 0},
  };

  for (size_t i = 0; i < TEST_COUNT(broken); i++) {
    cyxla_wire rest = wire_of(broken[i].bytes, broken[i].count);
    cyxla_wire_field field;
    EXPECT_TRUE(!cyxla_wire_next(&rest, &field));
  }
}

static void a_number_has_up_to_ten_bytes(void) {
  cyxla_wire rest = WIRE("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x7f");
  uint64_t value;

  EXPECT_TRUE(cyxla_wire_next_varint(&rest, &value));
  EXPECT_TRUE(value == UINT64_MAX);
  EXPECT_TRUE(cyxla_wire_next_varint(&rest, &value));
  EXPECT_EQUAL(value, 0);
  EXPECT_TRUE(cyxla_wire_next_varint(&rest, &value));
  EXPECT_EQUAL(value, 127);
  EXPECT_TRUE(!cyxla_wire_next_varint(&rest, &value));
}

static void the_last_field_of_a_number_and_type_counts(void) {
  cyxla_wire message = WIRE("\x08\x01\x0a\x01\x61\x08\x02\x0a\x01\x62\x10\x03");

  EXPECT_EQUAL(cyxla_wire_value(message, 1), 2);
  EXPECT_EQUAL(cyxla_wire_value(message, 2), 3);
  EXPECT_EQUAL(cyxla_wire_value(message, 3), 0);
  EXPECT_BYTES(cyxla_wire_content(message, 1).data, "b", 1);
  EXPECT_NULL(cyxla_wire_content(message, 2).data);
  EXPECT_EQUAL(cyxla_wire_count(message, 1), 2);
  EXPECT_EQUAL(cyxla_wire_count(message, 2), 0);
}

static void what_stands_before_a_break_counts(void) {
  cyxla_wire message = WIRE("\x08\x01\x0a\x01\x61\x08\x80");

  EXPECT_EQUAL(cyxla_wire_value(message, 1), 1);
  EXPECT_EQUAL(cyxla_wire_content(message, 1).bytes, 1);
  EXPECT_EQUAL(cyxla_wire_count(message, 1), 1);
  EXPECT_EQUAL(cyxla_wire_numbers(message, 1, NULL, 0), 2);
}

static void a_message_is_told_what_fields_it_may_have(void) {
  cyxla_wire message = WIRE("\x08\x01\x1a\x01\x61");
  uint64_t mask = CYXLA_WIRE_BIT(1) | CYXLA_WIRE_BIT(3);

  EXPECT_TRUE(cyxla_wire_has_only(message, mask));
  EXPECT_TRUE(cyxla_wire_has_only(message, ~(uint64_t)0));
  EXPECT_TRUE(cyxla_wire_has_only(WIRE(""), 0));
  EXPECT_TRUE(!cyxla_wire_has_only(message, CYXLA_WIRE_BIT(1)));
  EXPECT_TRUE(!cyxla_wire_has_only(WIRE("\x08\x01\x08"), mask));
  EXPECT_TRUE(!cyxla_wire_has_only(WIRE("\x80\x04\x01"), ~(uint64_t)0)); /* 64 */
  EXPECT_TRUE(cyxla_wire_has_only(WIRE("\xf8\x03\x01"), CYXLA_WIRE_BIT(63)));
  EXPECT_TRUE(!cyxla_wire_has_only(WIRE("\x00\x01"), mask));
}

static void numbers_stand_in_lists_or_one_by_one(void) {
  cyxla_wire message = WIRE("\x08\x05\x0a\x03\x06\x80\x01\x10\x09\x08\x07\x0a\x00");
  int64_t numbers[4] = {0}, two[2] = {0};

  EXPECT_EQUAL(cyxla_wire_numbers(message, 1, numbers, 4), 4);
  EXPECT_EQUAL(numbers[0], 5);
  EXPECT_EQUAL(numbers[1], 6);
  EXPECT_EQUAL(numbers[2], 128);
  EXPECT_EQUAL(numbers[3], 7);
  EXPECT_EQUAL(cyxla_wire_numbers(message, 1, two, 2), 4);
  EXPECT_EQUAL(two[1], 6);
  EXPECT_EQUAL(cyxla_wire_numbers(message, 3, two, 2), 0);
  EXPECT_EQUAL(cyxla_wire_numbers(WIRE("\x0a\x02\x01\x80"), 1, two, 2), 1);
  EXPECT_EQUAL(cyxla_wire_numbers(WIRE("\x0d\x01\x01\x01\x01"), 1, two, 2), 0);
  EXPECT_EQUAL(cyxla_wire_numbers(WIRE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                                  1, two, 2),
               1);
  EXPECT_EQUAL(two[0], -1);
}

TEST_MAIN(TEST_CASE(each_type_of_field_is_read), TEST_CASE(what_is_no_field_is_refused),
          TEST_CASE(a_number_has_up_to_ten_bytes),
          TEST_CASE(the_last_field_of_a_number_and_type_counts),
          TEST_CASE(what_stands_before_a_break_counts),
          TEST_CASE(a_message_is_told_what_fields_it_may_have),
          TEST_CASE(numbers_stand_in_lists_or_one_by_one))
