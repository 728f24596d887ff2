#include "dtype.h"

#include "test.h"

static const struct {
  cyxla_dtype dtype;
  int value;
  const char *name;
  size_t bytes;
} known[] = {
    {CYXLA_BOOL, 1, "bool", 1},
    {CYXLA_INT8, 2, "int8", 1},
    {CYXLA_INT16, 3, "int16", 2},
    {CYXLA_INT32, 4, "int32", 4},
    {CYXLA_INT64, 5, "int64", 8},
    {CYXLA_UINT8, 6, "uint8", 1},
    {CYXLA_UINT16, 7, "uint16", 2},
    {CYXLA_UINT32, 8, "uint32", 4},
    {CYXLA_UINT64, 9, "uint64", 8},
    {CYXLA_FLOAT16, 10, "float16", 2},
    {CYXLA_FLOAT32, 11, "float32", 4},
    {CYXLA_FLOAT64, 12, "float64", 8},
    {CYXLA_BFLOAT16, 13, "bfloat16", 2},
    {CYXLA_COMPLEX64, 14, "complex64", 8},
    {CYXLA_COMPLEX128, 15, "complex128", 16},
};

static void dtypes_have_name_value_and_size(void) {
  for (size_t i = 0; i < TEST_COUNT(known); i++) {
    EXPECT_EQUAL(known[i].dtype, known[i].value);
    EXPECT_TEXT(cyxla_dtype_name(known[i].dtype), known[i].name);
    EXPECT_EQUAL(cyxla_dtype_bytes(known[i].dtype), known[i].bytes);
    EXPECT_EQUAL(cyxla_dtype_from_name(known[i].name), known[i].dtype);
    EXPECT_TRUE(cyxla_dtype_is_valid(known[i].dtype));
  }
}

static void numbers_that_are_no_dtype_are_invalid(void) {
  static const int numbers[] = {0, -1, 16, 1000};

  for (size_t i = 0; i < TEST_COUNT(numbers); i++) {
    EXPECT_TEXT(cyxla_dtype_name((cyxla_dtype)numbers[i]), "invalid");
    EXPECT_EQUAL(cyxla_dtype_bytes((cyxla_dtype)numbers[i]), 0);
    EXPECT_TRUE(!cyxla_dtype_is_valid(numbers[i]));
  }
  EXPECT_TRUE(!cyxla_dtype_is_valid(((int64_t)1 << 32) + CYXLA_BOOL));
}

static void names_that_are_no_dtype_give_0(void) {
  static const char *const names[] = {"", "float", "float32 ", "f4", "int4", "Float32"};

  for (size_t i = 0; i < TEST_COUNT(names); i++) {
    EXPECT_EQUAL(cyxla_dtype_from_name(names[i]), 0);
  }
  EXPECT_EQUAL(cyxla_dtype_from_name(NULL), 0);
}

TEST_MAIN(TEST_CASE(dtypes_have_name_value_and_size),
          TEST_CASE(numbers_that_are_no_dtype_are_invalid),
          TEST_CASE(names_that_are_no_dtype_give_0))
