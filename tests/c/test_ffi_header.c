/* The helpers of cyxla_ffi.h, on frames that no program has to make first. */
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "cyxla_ffi.h"
#include "test.h"

static char created_message[CYXLA_FFI_MESSAGE_SIZE];

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  EXPECT_EQUAL(args->struct_size, sizeof(*args));
  EXPECT_EQUAL(args->errc, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_TRUE(strlen(args->message) < sizeof(created_message));
  strcpy(created_message, args->message);
  return (XLA_FFI_Error *)created_message;
}

static const XLA_FFI_Api api = {.struct_size = sizeof(api),
                                .XLA_FFI_Error_Create = create_error};

/* A frame of attributes alone, which are the arguments. */
static XLA_FFI_CallFrame frame_of(int64_t size, XLA_FFI_AttrType *types,
                                  XLA_FFI_ByteSpan **names, void **attributes) {
  XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE, .api = &api};

  frame.attrs.size = size;
  frame.attrs.types = types;
  frame.attrs.names = names;
  frame.attrs.attrs = attributes;
  return frame;
}

/* The number that an attribute of that dtype and storage is read as. */
static double read_number(XLA_FFI_DataType dtype, const void *value) {
  XLA_FFI_ByteSpan span = {"factor", 6}, *names[] = {&span};
  XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_SCALAR};
  XLA_FFI_Scalar scalar = {dtype, (void *)value};
  void *attributes[] = {&scalar};
  XLA_FFI_CallFrame frame = frame_of(1, types, names, attributes);
  double number = 0;

  EXPECT_TRUE(cyxla_ffi_number(&frame, "factor", &number));
  return number;
}

static int64_t count(int64_t rank, int64_t a, int64_t b, int64_t c) {
  int64_t dims[] = {a, b, c};
  XLA_FFI_Buffer buffer = {.struct_size = sizeof(buffer), .rank = rank, .dims = dims};

  return cyxla_ffi_num_elements(&buffer);
}

static void elements_are_counted(void) {
  EXPECT_EQUAL(count(0, 7, 7, 7), 1);
  EXPECT_EQUAL(count(3, 2, 3, 5), 30);
  EXPECT_EQUAL(count(2, INT64_MAX, 1, 0), INT64_MAX);
  EXPECT_EQUAL(count(3, 4, 0, 5), 0);
  EXPECT_EQUAL(count(3, INT64_MAX, 2, 0), 0);
  EXPECT_EQUAL(count(3, 0, INT64_MAX, 2), 0);
}

static void more_elements_than_can_be_counted_are_no_small_number(void) {
  EXPECT_EQUAL(count(2, INT64_MAX, 2, 0), -1);
  EXPECT_EQUAL(count(3, INT64_C(1) << 32, INT64_C(1) << 32, 3), -1);
  EXPECT_EQUAL(count(2, INT64_C(3037000500), INT64_C(3037000500), 0), -1);
}

static void negative_dimensions_and_ranks_have_no_elements(void) {
  EXPECT_EQUAL(count(1, -1, 0, 0), -1);
  EXPECT_EQUAL(count(2, -2, -3, 0), -1);
  EXPECT_EQUAL(count(2, 0, INT64_MIN, 0), -1);
  EXPECT_EQUAL(count(-1, 2, 3, 5), -1);
}

static void numbers_are_read_wherever_they_lie(void) {
  unsigned char storage[9];
  int32_t s32 = -7;
  int64_t s64 = INT64_C(1) << 40;
  float f32 = 0.5f;
  double f64 = 0.25;

  memcpy(storage + 1, &s32, sizeof(s32));
  EXPECT_TRUE(read_number(XLA_FFI_DataType_S32, storage + 1) == -7);
  memcpy(storage + 1, &s64, sizeof(s64));
  EXPECT_TRUE(read_number(XLA_FFI_DataType_S64, storage + 1) == 1099511627776.0);
  memcpy(storage + 1, &f32, sizeof(f32));
  EXPECT_TRUE(read_number(XLA_FFI_DataType_F32, storage + 1) == 0.5);
  memcpy(storage + 1, &f64, sizeof(f64));
  EXPECT_TRUE(read_number(XLA_FFI_DataType_F64, storage + 1) == 0.25);
}

static void any_bool_but_zero_is_true(void) {
  static const unsigned char no = 0, yes = 1, odd = 2;

  EXPECT_TRUE(read_number(XLA_FFI_DataType_PRED, &no) == 0);
  EXPECT_TRUE(read_number(XLA_FFI_DataType_PRED, &yes) == 1);
  EXPECT_TRUE(read_number(XLA_FFI_DataType_PRED, &odd) == 1);
}

static void a_name_may_be_empty_or_hold_a_zero_byte(void) {
  XLA_FFI_ByteSpan zero = {"ab\0c", 4}, empty = {NULL, 0}, *names[] = {&zero, &empty};
  XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_STRING, XLA_FFI_AttrType_STRING};
  XLA_FFI_ByteSpan first = {"first", 5}, second = {"second", 6};
  void *attributes[] = {&first, &second};
  XLA_FFI_CallFrame frame = frame_of(2, types, names, attributes);

  EXPECT_NULL(cyxla_ffi_attribute(&frame, "ab", XLA_FFI_AttrType_STRING));
  EXPECT_TRUE(cyxla_ffi_attribute(&frame, "", XLA_FFI_AttrType_STRING) == &second);
}

static void the_type_tells_attributes_of_one_name_apart(void) {
  XLA_FFI_ByteSpan name = {"x", 1}, *names[] = {&name, &name, &name};
  XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_STRING, XLA_FFI_AttrType_SCALAR,
                              XLA_FFI_AttrType_SCALAR};
  int first, second, third;
  void *attributes[] = {&first, &second, &third};
  XLA_FFI_CallFrame frame = frame_of(3, types, names, attributes);

  EXPECT_TRUE(cyxla_ffi_attribute(&frame, "x", XLA_FFI_AttrType_STRING) == &first);
  EXPECT_TRUE(cyxla_ffi_attribute(&frame, "x", XLA_FFI_AttrType_SCALAR) == &second);
  EXPECT_NULL(cyxla_ffi_attribute(&frame, "x", XLA_FFI_AttrType_ARRAY));
}

static void an_empty_string_is_not_taken_for_none(void) {
  XLA_FFI_ByteSpan name = {"x", 1}, *names[] = {&name}, text = {NULL, 0};
  XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_STRING};
  void *attributes[] = {&text};
  XLA_FFI_CallFrame frame = frame_of(1, types, names, attributes);
  size_t length = 7;

  EXPECT_TEXT(cyxla_ffi_string(&frame, "x", &length), "");
  EXPECT_EQUAL(length, 0);
  EXPECT_NULL(cyxla_ffi_string(&frame, "y", &length));
}

static void a_long_message_is_cut(void) {
  XLA_FFI_CallFrame frame = frame_of(0, NULL, NULL, NULL);
  XLA_FFI_Error *error;

  error = cyxla_ffi_fail(&frame, "%s and %0*d", "expected", 2000, 1);
  EXPECT_TRUE(error == (XLA_FFI_Error *)created_message);
  EXPECT_EQUAL(strlen(created_message), CYXLA_FFI_MESSAGE_SIZE - 1);
  EXPECT_CONTAINS(created_message, "expected and 0000");
}

static void a_message_that_cannot_be_formatted_is_still_one(void) {
  static const wchar_t wide[] = {0xe4, 0}; /* none of the characters of the C locale */
  XLA_FFI_CallFrame frame = frame_of(0, NULL, NULL, NULL);

  EXPECT_TRUE(setlocale(LC_ALL, "C") != NULL);
  cyxla_ffi_fail(&frame, "the name %ls is unknown", wide);
  EXPECT_TEXT(created_message, "the name %ls is unknown");
}

TEST_MAIN(TEST_CASE(elements_are_counted),
          TEST_CASE(more_elements_than_can_be_counted_are_no_small_number),
          TEST_CASE(negative_dimensions_and_ranks_have_no_elements),
          TEST_CASE(numbers_are_read_wherever_they_lie),
          TEST_CASE(any_bool_but_zero_is_true),
          TEST_CASE(a_name_may_be_empty_or_hold_a_zero_byte),
          TEST_CASE(the_type_tells_attributes_of_one_name_apart),
          TEST_CASE(an_empty_string_is_not_taken_for_none),
          TEST_CASE(a_long_message_is_cut),
          TEST_CASE(a_message_that_cannot_be_formatted_is_still_one))
