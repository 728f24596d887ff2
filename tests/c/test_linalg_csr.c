/* Products of sparse matrices and dense arrays. */
#include <complex.h>
#include <string.h>

#include "test.h"
#include "test_frame.h"

/* [[1, 0, 2], [0, 0, 0], [0, 3, 4]], with two more elements that are padding: a column
 * beyond the matrix, and one that no row has. */
enum { ROWS = 3, INNER = 3, ELEMENTS = 6 };
static const double elements[ELEMENTS] = {1, 2, 3, 4, 5, 6};
static const int32_t columns[ELEMENTS] = {0, 2, 1, 2, INNER, 0};
static const int32_t starts[ROWS + 1] = {0, 2, 2, 5};
static const double dense[INNER][2] = {{1, 10}, {2, 20}, {3, 30}};
static const double product[ROWS][2] = {{7, 70}, {0, 0}, {18, 180}};

static const char TARGET[] = "cpu_csr_sparse_dense_ffi";

/* A number as one of a dtype, and back. */
static void store(XLA_FFI_DataType dtype, void *memory, int i, double number) {
  switch (dtype) {
    case XLA_FFI_DataType_S32: ((int32_t *)memory)[i] = (int32_t)number; break;
    case XLA_FFI_DataType_S64: ((int64_t *)memory)[i] = (int64_t)number; break;
    case XLA_FFI_DataType_F32: ((float *)memory)[i] = (float)number; break;
    case XLA_FFI_DataType_F64: ((double *)memory)[i] = number; break;
    case XLA_FFI_DataType_C64:
      ((float complex *)memory)[i] = (float complex)(number * (1 + I));
      break;
    default: ((double complex *)memory)[i] = number * (1 + I); break;
  }
}

static void multiply_and_check(XLA_FFI_DataType dtype, bool is_wide, int num_columns) {
  const int64_t num_elements[1] = {ELEMENTS}, num_starts[1] = {ROWS + 1};
  const int64_t dense_dims[2] = {INNER, num_columns};
  const int64_t result_dims[2] = {ROWS, num_columns};
  double complex a[ELEMENTS], b[2 * INNER], found[2 * ROWS], expected[2 * ROWS];
  int64_t wide_columns[ELEMENTS], wide_starts[ROWS + 1];
  bool is_complex = dtype == XLA_FFI_DataType_C64 || dtype == XLA_FFI_DataType_C128;
  size_t bytes = dtype == XLA_FFI_DataType_C128                                   ? 16
                 : dtype == XLA_FFI_DataType_S32 || dtype == XLA_FFI_DataType_F32 ? 4
                                                                                  : 8;
  XLA_FFI_DataType of_indices = is_wide ? XLA_FFI_DataType_S64 : XLA_FFI_DataType_S32;
  test_frame frame;

  for (int i = 0; i < ELEMENTS; i++) {
    store(dtype, a, i, elements[i]);
    wide_columns[i] = columns[i];
  }
  for (int i = 0; i <= ROWS; i++) wide_starts[i] = starts[i];
  for (int i = 0; i < 3 * num_columns; i++) {
    store(dtype, b, i, dense[i / num_columns][i % num_columns]);
    store(dtype, expected, i, product[i / num_columns][i % num_columns]);
  }
  test_frame_begin(&frame);
  test_frame_argument(&frame, dtype, a, 1, num_elements);
  test_frame_argument(&frame, of_indices,
                      is_wide ? (const void *)wide_starts : (const void *)starts, 1,
                      num_starts);
  test_frame_argument(&frame, of_indices,
                      is_wide ? (const void *)wide_columns : (const void *)columns, 1,
                      num_elements);
  test_frame_argument(&frame, dtype, b, num_columns > 1 ? 2 : 1, dense_dims);
  test_frame_result(&frame, dtype, found, num_columns > 1 ? 2 : 1, result_dims);
  EXPECT_NULL(test_frame_run(&frame, TARGET));
  if (!is_complex) {
    EXPECT_BYTES(found, expected, (size_t)(ROWS * num_columns) * bytes);
    return;
  }
  for (int i = 0; i < ROWS * num_columns; i++) {
    double number = product[i / num_columns][i % num_columns];
    double complex value = dtype == XLA_FFI_DataType_C64
                               ? (double complex)((float complex *)found)[i]
                               : found[i];
    EXPECT_TRUE(creal(value) == 0.0 && cimag(value) == 2 * number);
  }
}

static void products_are_right_in_all_dtypes_with_padding_left_out(void) {
  static const XLA_FFI_DataType dtypes[] = {
      XLA_FFI_DataType_S32, XLA_FFI_DataType_S64, XLA_FFI_DataType_F32,
      XLA_FFI_DataType_F64, XLA_FFI_DataType_C64, XLA_FFI_DataType_C128};

  for (size_t i = 0; i < TEST_COUNT(dtypes); i++) {
    for (int wide = 0; wide < 2; wide++) {
      multiply_and_check(dtypes[i], wide == 1, 1);
      multiply_and_check(dtypes[i], wide == 1, 2);
    }
  }
}

/* The error of a product with these sizes, starts of rows and dtypes. */
static const char *refused(int64_t num_columns, const int32_t *row_starts,
                           XLA_FFI_DataType dtype, XLA_FFI_DataType of_indices) {
  const int64_t num_elements[1] = {ELEMENTS}, num_starts[1] = {ROWS + 1};
  const int64_t rows[1] = {ROWS}, inner[1] = {INNER};
  const int64_t num_indices[1] = {num_columns};
  double result[ROWS];
  test_frame frame;

  test_frame_begin(&frame);
  test_frame_argument(&frame, dtype, elements, 1, num_elements);
  test_frame_argument(&frame, XLA_FFI_DataType_S32, row_starts, 1, num_starts);
  test_frame_argument(&frame, of_indices, columns, 1, num_indices);
  test_frame_argument(&frame, dtype, dense, 1, inner);
  test_frame_result(&frame, dtype, result, 1, rows);
  return test_frame_run(&frame, TARGET);
}

static void what_is_no_product_is_refused(void) {
  static const int32_t backwards[ROWS + 1] = {0, 3, 2, 4};
  static const int32_t beyond[ROWS + 1] = {0, 3, 3, ELEMENTS + 1};
  const XLA_FFI_DataType f64 = XLA_FFI_DataType_F64, s32 = XLA_FFI_DataType_S32;

  EXPECT_CONTAINS(refused(ELEMENTS, backwards, f64, s32),
                  "cpu_csr_sparse_dense_ffi: the starts of the rows do not follow one "
                  "another from 0 to 6");
  EXPECT_CONTAINS(refused(ELEMENTS, beyond, f64, s32), "do not follow one another");
  EXPECT_CONTAINS(refused(ELEMENTS - 1, starts, f64, s32),
                  "no elements, starts of rows and columns of a sparse matrix");
  EXPECT_CONTAINS(refused(ELEMENTS, starts, f64, XLA_FFI_DataType_S8),
                  "argument 2 is no vector of int32 or int64");
  EXPECT_CONTAINS(refused(ELEMENTS, starts, XLA_FFI_DataType_F16, s32),
                  "argument 0 has a dtype other than int32");
}

TEST_MAIN(TEST_CASE(products_are_right_in_all_dtypes_with_padding_left_out),
          TEST_CASE(what_is_no_product_is_refused))
