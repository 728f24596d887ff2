/* What handlers of linear algebra refuse, instead of calling LAPACK with it: LAPACK may
 * end the process for a wrong argument. */
#include "linalg/call.h"

#include <string.h>

#include "linalg/lapack.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"
#include "test_linalg.h"

enum { F64 = XLA_FFI_DataType_F64, S32 = XLA_FFI_DataType_S32 };

static double numbers[4096];
static int32_t integers[4096];

static void begin(test_frame *frame) {
  test_fake_start();
  test_linalg_use(LP64_LAPACK_PATH);
  memset(numbers, 0, sizeof(numbers));
  test_frame_begin(frame);
}

static void argument(test_frame *frame, int dtype, int rank, int64_t d0, int64_t d1,
                     int64_t d2) {
  const int64_t dims[3] = {d0, d1, d2};

  test_frame_argument(frame, (XLA_FFI_DataType)dtype, numbers, rank, dims);
}

static void result(test_frame *frame, int dtype, int rank, int64_t d0, int64_t d1,
                   int64_t d2) {
  const int64_t dims[3] = {d0, d1, d2};

  test_frame_result(frame, (XLA_FFI_DataType)dtype,
                    dtype == S32 ? (void *)integers : (void *)numbers, rank, dims);
}

static void character(test_frame *frame, const char *name, char value) {
  test_frame_attribute(frame, name, XLA_FFI_DataType_U8, value);
}

/* Calls potrf with one argument and two results of two dimensions each. */
static const char *potrf(int64_t rows, int64_t columns, int64_t result_rows,
                         char uplo) {
  test_frame frame;

  begin(&frame);
  argument(&frame, F64, 2, rows, columns, 0);
  result(&frame, F64, 2, result_rows, columns, 0);
  result(&frame, S32, 0, 0, 0, 0);
  character(&frame, "uplo", uplo);
  return test_frame_run(&frame, "lapack_dpotrf_ffi");
}

static void shapes_that_do_not_fit_are_named(void) {
  EXPECT_CONTAINS(potrf(2, 3, 2, 'L'),
                  "lapack_dpotrf_ffi: argument 0 has matrices of 2 rows and 3 columns, "
                  "expected square ones");
  EXPECT_CONTAINS(potrf(3, 3, 2, 'L'),
                  "result 0 has the shape [2,3], expected 1 arrays of [3,3]");
  EXPECT_CONTAINS(potrf(-3, 3, 2, 'L'), "argument 0 has the shape [-3,3]");
  EXPECT_CONTAINS(potrf((int64_t)1 << 31, (int64_t)1 << 31, 2, 'L'),
                  "with integers of 4 bytes");
  EXPECT_CONTAINS(potrf((int64_t)1 << 40, (int64_t)1 << 40, 2, 'L'),
                  "argument 0 has the shape [1099511627776,1099511627776]");
  EXPECT_NULL(potrf(0, 0, 0, 'L'));
}

static void options_that_lapack_lacks_are_refused(void) {
  test_frame frame;

  EXPECT_CONTAINS(potrf(2, 2, 2, 'X'),
                  "the attribute uplo is another character, expected the code of one "
                  "of LU");
  EXPECT_CONTAINS(potrf(2, 2, 2, '\0'), "the attribute uplo is another character");
  begin(&frame);
  argument(&frame, F64, 2, 2, 2, 0);
  result(&frame, F64, 2, 2, 2, 0);
  result(&frame, S32, 0, 0, 0, 0);
  test_frame_attribute(&frame, "uplo", XLA_FFI_DataType_S32, 'L');
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dpotrf_ffi"),
                  "the attribute uplo is no character");
}

static void missing_arrays_and_other_dtypes_are_refused(void) {
  test_frame frame;

  begin(&frame);
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dgetrf_ffi"),
                  "lapack_dgetrf_ffi: argument 0 is missing or of another dtype than "
                  "float64");
  begin(&frame);
  argument(&frame, S32, 2, 2, 2, 0);
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_zgetrf_ffi"),
                  "argument 0 is missing or of another dtype than complex128");
  begin(&frame);
  argument(&frame, F64, 2, 2, 2, 0);
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dgetrf_ffi"), "result 0 is missing");
  begin(&frame);
  argument(&frame, F64, 1, 2, 0, 0);
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dgeqrf_ffi"),
                  "argument 0 has the shape [2], expected matrices");
}

static void arguments_have_equally_many_matrices(void) {
  test_frame frame;

  begin(&frame);
  argument(&frame, F64, 3, 2, 3, 3);
  argument(&frame, F64, 3, 4, 3, 3);
  result(&frame, F64, 3, 4, 3, 3);
  character(&frame, "side", 'L');
  character(&frame, "uplo", 'L');
  character(&frame, "trans_x", 'N');
  character(&frame, "diag", 'N');
  EXPECT_CONTAINS(
      test_frame_run(&frame, "lapack_dtrsm_ffi"),
      "argument 1 has the shape [4,3,3], expected matrices that its LAPACK, "
      "with integers of 4 bytes, can work on, as many as in the other "
      "arguments");
}

static const char *trsm(char side, int64_t order) {
  test_frame frame;

  begin(&frame);
  argument(&frame, F64, 2, order, order, 0);
  argument(&frame, F64, 2, 3, 4, 0);
  result(&frame, F64, 2, 3, 4, 0);
  character(&frame, "side", side);
  character(&frame, "uplo", 'L');
  character(&frame, "trans_x", 'T');
  character(&frame, "diag", 'U');
  return test_frame_run(&frame, "lapack_dtrsm_ffi");
}

static void a_triangular_matrix_fits_its_side(void) {
  EXPECT_NULL(trsm('L', 3));
  EXPECT_NULL(trsm('R', 4));
  EXPECT_CONTAINS(trsm('L', 4),
                  "argument 0 has matrices of 4 rows, expected 3 as argument 1 has on "
                  "the side L");
}

static const char *orgqr(int64_t rows, int64_t columns, int64_t reflectors) {
  test_frame frame;

  begin(&frame);
  argument(&frame, F64, 2, rows, columns, 0);
  argument(&frame, F64, 1, reflectors, 0, 0);
  result(&frame, F64, 2, rows, columns, 0);
  return test_frame_run(&frame, "lapack_dorgqr_ffi");
}

static const char *ormqr(int64_t rows, int64_t columns, int64_t reflectors) {
  test_frame frame;

  begin(&frame);
  argument(&frame, F64, 2, rows, columns, 0);
  argument(&frame, F64, 1, reflectors, 0, 0);
  argument(&frame, F64, 2, 4, 5, 0);
  result(&frame, F64, 2, 4, 5, 0);
  test_frame_attribute(&frame, "left", XLA_FFI_DataType_PRED, 1);
  test_frame_attribute(&frame, "transpose", XLA_FFI_DataType_PRED, 0);
  return test_frame_run(&frame, "lapack_dormqr_ffi");
}

static void reflectors_fit_their_matrix(void) {
  test_frame frame;

  EXPECT_NULL(orgqr(4, 3, 2));
  EXPECT_CONTAINS(orgqr(4, 3, 4),
                  "there are 4 reflectors for matrices of 4 rows and 3 "
                  "columns, expected at most as many as columns");
  EXPECT_CONTAINS(orgqr(3, 4, 2), "those at most as many as rows");
  EXPECT_NULL(ormqr(4, 3, 3));
  EXPECT_CONTAINS(ormqr(5, 3, 3),
                  "argument 0 has matrices of 5 rows and 3 columns for "
                  "3 reflectors, expected 4 rows");
  EXPECT_CONTAINS(ormqr(4, 2, 3), "at least as many of both as reflectors");
  begin(&frame);
  argument(&frame, F64, 2, 4, 4, 0);
  argument(&frame, F64, 0, 0, 0, 0);
  result(&frame, F64, 2, 4, 4, 0);
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dorgqr_ffi"),
                  "argument 1 is no vector");
  begin(&frame);
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dormqr_ffi"),
                  "the attribute left is not there as a bool");
}

static const char *gehrd(int low, int high) {
  test_frame frame;

  begin(&frame);
  argument(&frame, F64, 2, 3, 3, 0);
  result(&frame, F64, 2, 3, 3, 0);
  result(&frame, F64, 1, 2, 0, 0);
  result(&frame, S32, 0, 0, 0, 0);
  test_frame_attribute(&frame, "low", XLA_FFI_DataType_S32, low);
  test_frame_attribute(&frame, "high", XLA_FFI_DataType_S32, high);
  return test_frame_run(&frame, "lapack_dgehrd_ffi");
}

static void the_rows_of_a_reduction_are_those_of_the_matrix(void) {
  test_frame frame;

  EXPECT_NULL(gehrd(1, 3));
  EXPECT_CONTAINS(gehrd(0, 3), "low and high are 0 and 3, expected rows of the 3");
  EXPECT_CONTAINS(gehrd(1, 4), "low and high are 1 and 4");
  EXPECT_CONTAINS(gehrd(3, 2), "low and high are 3 and 2");
  begin(&frame);
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dgehrd_ffi"),
                  "the attribute low is not there as an int32");
}

static void eigenvalues_are_not_sorted(void) {
  test_frame frame;

  begin(&frame);
  character(&frame, "mode", 'V');
  character(&frame, "sort", 'S');
  EXPECT_CONTAINS(test_frame_run(&frame, "lapack_dgees_ffi"),
                  "the attribute sort is another character, expected the code of one "
                  "of N");
}

/* Squares of 3 x 3 in a target that allocates; fails if `allocation` does. */
static const char *geqp3(void) {
  test_frame frame;

  test_frame_begin(&frame);
  argument(&frame, F64, 2, 3, 3, 0);
  argument(&frame, S32, 1, 3, 0, 0);
  result(&frame, F64, 2, 3, 3, 0);
  result(&frame, S32, 1, 3, 0, 0);
  result(&frame, F64, 1, 3, 0, 0);
  return test_frame_run(&frame, "lapack_dgeqp3_ffi");
}

static void the_end_of_memory_is_an_error(void) {
  test_frame frame;

  begin(&frame);
  for (long i = 0; i < 3; i++) {
    cyxla_memory_fail_after(i);
    EXPECT_CONTAINS(geqp3(), "there is no memory left for");
  }
  cyxla_memory_fail_after(-1);
  EXPECT_NULL(geqp3());
}

static XLA_FFI_Error *keep_message(XLA_FFI_Error_Create_Args *args) {
  static char text[512];

  snprintf(text, sizeof(text), "%s", args->message);
  return (XLA_FFI_Error *)text;
}

static void work_that_is_too_large_for_the_integers_is_an_error(void) {
  const XLA_FFI_Api api = {.XLA_FFI_Error_Create = keep_message};
  XLA_FFI_CallFrame frame = {.api = &api};
  cyxla_linalg_call call = {.frame = &frame,
                            .target = "dgesdd",
                            .dtype = &cyxla_linalg_dtypes[1],
                            .integer_bytes = 4};
  double asked = 3e9;
  int64_t info = 0;

  cyxla_linalg_work_size(&call, &asked, &info, 1);
  EXPECT_CONTAINS((const char *)call.error,
                  "LAPACK asks for 3000000000 elements to work in (info 0), expected a "
                  "number that its integers of 4 bytes can count");
  call.error = NULL;
  call.integer_bytes = 8;
  EXPECT_EQUAL(cyxla_linalg_work_size(&call, &asked, &info, 1), 3000000000);
  EXPECT_EQUAL(cyxla_linalg_work_size(&call, &asked, &info, 4000000000), 4000000000);
  info = -2;
  cyxla_linalg_work_size(&call, &asked, &info, 1);
  EXPECT_CONTAINS((const char *)call.error, "(info -2)");
}

/* Asked for the work of such matrices, LAPACK's integers wrap around to a small number
 * and say nothing. */
static void work_that_may_not_be_countable_is_an_error_before_it_is_asked_for(void) {
  const XLA_FFI_Api api = {.XLA_FFI_Error_Create = keep_message};
  XLA_FFI_CallFrame frame = {.api = &api};
  cyxla_linalg_call call = {.frame = &frame, .target = "dsyevd", .integer_bytes = 4};

  cyxla_linalg_check_work(&call, INT32_MAX);
  EXPECT_NULL(call.error);
  cyxla_linalg_check_work(&call, 2178198001);
  EXPECT_CONTAINS(
      (const char *)call.error,
      "LAPACK may want 2178198001 elements to work in, which its integers of "
      "4 bytes cannot count; use a LAPACK with integers of 8 bytes");
  call.error = NULL;
  call.integer_bytes = 8;
  cyxla_linalg_check_work(&call, 2178198001);
  EXPECT_NULL(call.error);
}

/* Also where the result lies in the argument's memory, as JAX asks for. */
static void matrices_without_rows_have_pivots_all_the_same(void) {
  const int64_t matrix[2] = {0, 4}, vector[1] = {4}, empty[1] = {0};
  test_frame frame;

  for (int is_in_place = 0; is_in_place < 2; is_in_place++) {
    int32_t given[4] = {0, 5, 0, 1}, other[4];
    int32_t *pivots = is_in_place ? given : other;
    begin(&frame);
    test_frame_argument(&frame, XLA_FFI_DataType_F64, NULL, 2, matrix);
    test_frame_argument(&frame, XLA_FFI_DataType_S32, given, 1, vector);
    test_frame_result(&frame, XLA_FFI_DataType_F64, NULL, 2, matrix);
    test_frame_result(&frame, XLA_FFI_DataType_S32, pivots, 1, vector);
    test_frame_result(&frame, XLA_FFI_DataType_F64, NULL, 1, empty);
    EXPECT_NULL(test_frame_run(&frame, "lapack_dgeqp3_ffi"));
    EXPECT_TRUE(pivots[0] == 2 && pivots[1] == 4 && pivots[2] == 1 && pivots[3] == 3);
  }
}

static void a_size_that_a_float_has_no_room_for_is_rounded_up(void) {
  cyxla_linalg_call call = {.dtype = &cyxla_linalg_dtypes[0], .integer_bytes = 4};
  float asked = 16777217.0f; /* becomes 16777216 */
  int64_t info = 0;

  EXPECT_TRUE(cyxla_linalg_work_size(&call, &asked, &info, 1) >= 16777217);
}

TEST_MAIN(TEST_CASE(shapes_that_do_not_fit_are_named),
          TEST_CASE(options_that_lapack_lacks_are_refused),
          TEST_CASE(missing_arrays_and_other_dtypes_are_refused),
          TEST_CASE(arguments_have_equally_many_matrices),
          TEST_CASE(a_triangular_matrix_fits_its_side),
          TEST_CASE(reflectors_fit_their_matrix),
          TEST_CASE(the_rows_of_a_reduction_are_those_of_the_matrix),
          TEST_CASE(eigenvalues_are_not_sorted),
          TEST_CASE(the_end_of_memory_is_an_error),
          TEST_CASE(work_that_is_too_large_for_the_integers_is_an_error),
          TEST_CASE(work_that_may_not_be_countable_is_an_error_before_it_is_asked_for),
          TEST_CASE(matrices_without_rows_have_pivots_all_the_same),
          TEST_CASE(a_size_that_a_float_has_no_room_for_is_rounded_up))
