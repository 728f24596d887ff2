/* What the targets of linear algebra compute: the properties that define it. */
#include "test_linalg.h"

#include <string.h>

#include "test.h"

enum { N = 3, NN = N * N, BATCH = TEST_LINALG_BATCH, WIDE = 4 };

typedef const cyxla_linalg_dtype *dtype_pointer;

/* a a^H + 4, which is Hermitian and positive definite. */
static void fill_definite(dtype_pointer dtype, test_number *matrices) {
  test_number a[NN];

  for (int i = 0; i < BATCH; i++) {
    test_linalg_fill(dtype, a, NN, i + 1);
    test_linalg_multiply('N', a, 'C', a, N, N, N, matrices + i * NN);
    for (int k = 0; k < N; k++) matrices[i * NN + k * N + k] += 4.0;
  }
}

/* Sets what is above or below the diagonal to 0. */
static void keep_triangle(char uplo, int rows, int columns, test_number *matrix) {
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) {
      if (uplo == 'L' ? i < j : i > j) matrix[j * rows + i] = 0;
    }
  }
}

static void check_potrf(dtype_pointer dtype) {
  test_number a[BATCH * NN], factor[BATCH * NN], product[NN];
  test_linalg call;
  int x, info;

  fill_definite(dtype, a);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_frame_attribute(&call.frame, "uplo", XLA_FFI_DataType_U8, 'L');
  x = test_linalg_result(&call, 'v', 2, N, N);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_linalg_run(&call, "potrf", "potrf");
  test_linalg_expect_infos(&call, info, 0);
  test_linalg_load(&call, x, 'v', BATCH * NN, factor);
  for (int i = 0; i < BATCH; i++) {
    keep_triangle('L', N, N, factor + i * NN);
    test_linalg_multiply('N', factor + i * NN, 'C', factor + i * NN, N, N, N, product);
    test_linalg_expect(dtype, product, a + i * NN, NN);
  }
}

static void potrf_factors_a_definite_matrix(void) {
  test_linalg_for_all(check_potrf);
}

/* An indefinite one ends at a column, counted from 1. */
static void check_potrf_of_indefinite(dtype_pointer dtype) {
  const test_number a[BATCH * NN] = {1, 0, 0, 0, -1, 0, 0, 0, 1,
                                     1, 0, 0, 0, -1, 0, 0, 0, 1};
  test_linalg call;
  int info;

  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_frame_attribute(&call.frame, "uplo", XLA_FFI_DataType_U8, 'U');
  test_linalg_result(&call, 'v', 2, N, N);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_linalg_run(&call, "potrf", "potrf");
  test_linalg_expect_infos(&call, info, 2);
}

static void potrf_tells_where_a_matrix_is_not_definite(void) {
  test_linalg_for_all(check_potrf_of_indefinite);
}

static void check_getrf(dtype_pointer dtype) {
  test_number a[BATCH * NN], factors[BATCH * NN], pivots[BATCH * N];
  test_linalg call;
  int x, pivot, info;

  test_linalg_fill(dtype, a, BATCH * NN, 2);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  x = test_linalg_result(&call, 'v', 2, N, N);
  pivot = test_linalg_result(&call, 'i', 1, N, 0);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_linalg_run(&call, "getrf", "getrf");
  test_linalg_expect_infos(&call, info, 0);
  test_linalg_load(&call, x, 'v', BATCH * NN, factors);
  test_linalg_load(&call, pivot, 'i', BATCH * N, pivots);
  for (int i = 0; i < BATCH; i++) {
    test_number lower[NN], upper[NN], product[NN];
    memcpy(lower, factors + i * NN, sizeof(lower));
    memcpy(upper, factors + i * NN, sizeof(upper));
    keep_triangle('L', N, N, lower);
    keep_triangle('U', N, N, upper);
    for (int k = 0; k < N; k++) lower[k * N + k] = 1;
    test_linalg_multiply('N', lower, 'N', upper, N, N, N, product);
    for (int k = N - 1; k >= 0; k--) {
      int other = (int)creal(pivots[i * N + k]) - 1;
      for (int j = 0; j < N; j++) {
        test_number kept = product[j * N + k];
        product[j * N + k] = product[j * N + other];
        product[j * N + other] = kept;
      }
    }
    test_linalg_expect(dtype, product, a + i * NN, NN);
  }
}

static void getrf_factors_with_row_swaps(void) {
  test_linalg_for_all(check_getrf);
}

/* Q of the reflectors that a factorization left. */
static void make_q(dtype_pointer dtype, const test_number *factors,
                   const test_number *tau, test_number *q) {
  test_linalg call;
  int result;

  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', factors, 2, N, N);
  test_linalg_argument(&call, 'v', tau, 1, N, 0);
  result = test_linalg_result(&call, 'v', 2, N, N);
  test_linalg_run(&call, "orgqr", "ungqr");
  test_linalg_load(&call, result, 'v', BATCH * NN, q);
}

/* Q^H a, by the reflectors. */
static void apply_q(dtype_pointer dtype, const test_number *factors,
                    const test_number *tau, const test_number *a, bool is_left,
                    test_number *product) {
  test_linalg call;
  int result;

  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', factors, 2, N, N);
  test_linalg_argument(&call, 'v', tau, 1, N, 0);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_frame_attribute(&call.frame, "left", XLA_FFI_DataType_PRED, is_left);
  test_frame_attribute(&call.frame, "transpose", XLA_FFI_DataType_PRED, is_left);
  result = test_linalg_result(&call, 'v', 2, N, N);
  test_linalg_run(&call, "ormqr", "unmqr");
  test_linalg_load(&call, result, 'v', BATCH * NN, product);
}

static void check_geqrf(dtype_pointer dtype) {
  test_number a[BATCH * NN], factors[BATCH * NN], tau[BATCH * N], q[BATCH * NN];
  test_number applied[BATCH * NN], right[BATCH * NN], product[NN];
  test_linalg call;
  int x, t;

  test_linalg_fill(dtype, a, BATCH * NN, 3);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  x = test_linalg_result(&call, 'v', 2, N, N);
  t = test_linalg_result(&call, 'v', 1, N, 0);
  test_linalg_run(&call, "geqrf", "geqrf");
  test_linalg_load(&call, x, 'v', BATCH * NN, factors);
  test_linalg_load(&call, t, 'v', BATCH * N, tau);
  make_q(dtype, factors, tau, q);
  apply_q(dtype, factors, tau, a, true, applied);
  apply_q(dtype, factors, tau, a, false, right);
  for (int i = 0; i < BATCH; i++) {
    test_linalg_multiply('N', a + i * NN, 'N', q + i * NN, N, N, N, product);
    test_linalg_expect(dtype, right + i * NN, product, NN);
    keep_triangle('U', N, N, factors + i * NN);
    test_linalg_expect(dtype, applied + i * NN, factors + i * NN, NN);
    test_linalg_multiply('N', q + i * NN, 'N', factors + i * NN, N, N, N, product);
    test_linalg_expect(dtype, product, a + i * NN, NN);
  }
}

static void geqrf_orgqr_and_ormqr_agree_about_q(void) {
  test_linalg_for_all(check_geqrf);
}

static void check_geqp3(dtype_pointer dtype) {
  test_number a[BATCH * NN], factors[BATCH * NN], tau[BATCH * N], q[BATCH * NN];
  test_number free_columns[BATCH * N] = {0}, pivots[BATCH * N], product[NN];
  test_linalg call;
  int x, pivot, t;

  test_linalg_fill(dtype, a, BATCH * NN, 4);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_linalg_argument(&call, 'i', free_columns, 1, N, 0);
  x = test_linalg_result(&call, 'v', 2, N, N);
  pivot = test_linalg_result(&call, 'i', 1, N, 0);
  t = test_linalg_result(&call, 'v', 1, N, 0);
  test_linalg_run(&call, "geqp3", "geqp3");
  test_linalg_load(&call, x, 'v', BATCH * NN, factors);
  test_linalg_load(&call, pivot, 'i', BATCH * N, pivots);
  test_linalg_load(&call, t, 'v', BATCH * N, tau);
  make_q(dtype, factors, tau, q);
  for (int i = 0; i < BATCH; i++) {
    keep_triangle('U', N, N, factors + i * NN);
    test_linalg_multiply('N', q + i * NN, 'N', factors + i * NN, N, N, N, product);
    for (int j = 0; j < N; j++) {
      int column = (int)creal(pivots[i * N + j]) - 1;
      test_linalg_expect(dtype, product + j * N, a + i * NN + column * N, N);
    }
  }
}

static void geqp3_factors_with_column_swaps(void) {
  test_linalg_for_all(check_geqp3);
}

static void check_trsm(dtype_pointer dtype) {
  test_number a[BATCH * NN], b[BATCH * N * WIDE], solution[BATCH * N * WIDE];
  test_number product[N * WIDE];
  test_linalg call;
  int x;

  fill_definite(dtype, a);
  test_linalg_fill(dtype, b, BATCH * N * WIDE, 5);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_linalg_argument(&call, 'v', b, 2, N, WIDE);
  x = test_linalg_result(&call, 'v', 2, N, WIDE);
  test_frame_attribute(&call.frame, "side", XLA_FFI_DataType_U8, 'L');
  test_frame_attribute(&call.frame, "uplo", XLA_FFI_DataType_U8, 'U');
  test_frame_attribute(&call.frame, "trans_x", XLA_FFI_DataType_U8, 'N');
  test_frame_attribute(&call.frame, "diag", XLA_FFI_DataType_U8, 'N');
  test_linalg_run(&call, "trsm", "trsm");
  test_linalg_load(&call, x, 'v', BATCH * N * WIDE, solution);
  for (int i = 0; i < BATCH; i++) {
    keep_triangle('U', N, N, a + i * NN);
    test_linalg_multiply('N', a + i * NN, 'N', solution + i * N * WIDE, N, WIDE, N,
                         product);
    test_linalg_expect(dtype, product, b + i * N * WIDE, N * WIDE);
  }
}

static void trsm_solves_triangular_systems(void) {
  test_linalg_for_all(check_trsm);
}

TEST_MAIN(TEST_CASE(potrf_factors_a_definite_matrix),
          TEST_CASE(potrf_tells_where_a_matrix_is_not_definite),
          TEST_CASE(getrf_factors_with_row_swaps),
          TEST_CASE(geqrf_orgqr_and_ormqr_agree_about_q),
          TEST_CASE(geqp3_factors_with_column_swaps),
          TEST_CASE(trsm_solves_triangular_systems))
