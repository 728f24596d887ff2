/* Singular values, eigenvalues and reductions: the properties that define them. */
#include <string.h>

#include "test.h"
#include "test_linalg.h"

enum { N = 3, NN = N * N, BATCH = TEST_LINALG_BATCH };

typedef const cyxla_linalg_dtype *dtype_pointer;

static void scale_columns(test_number *matrix, const test_number *factors) {
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) matrix[j * N + i] *= factors[j];
  }
}

static void fill_hermitian(dtype_pointer dtype, test_number *a) {
  test_linalg_fill(dtype, a, BATCH * NN, 6);
  for (int k = 0; k < BATCH; k++) {
    for (int i = 0; i < N; i++) {
      a[k * NN + i * N + i] = creal(a[k * NN + i * N + i]);
      for (int j = 0; j < i; j++) a[k * NN + i * N + j] = conj(a[k * NN + j * N + i]);
    }
  }
}

static const char *svd_routine;

static void check_svd(dtype_pointer dtype) {
  test_number a[BATCH * NN], s[BATCH * N], u[BATCH * NN], vt[BATCH * NN], product[NN];
  test_linalg call;
  int values, left, right, info;

  test_linalg_fill(dtype, a, BATCH * NN, 1);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_linalg_result(&call, 'v', 2, N, N);
  values = test_linalg_result(&call, 'r', 1, N, 0);
  left = test_linalg_result(&call, 'v', 2, N, N);
  right = test_linalg_result(&call, 'v', 2, N, N);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_frame_attribute(&call.frame, "mode", XLA_FFI_DataType_S8, 'S');
  test_linalg_run(&call, svd_routine, svd_routine);
  test_linalg_expect_infos(&call, info, 0);
  test_linalg_load(&call, values, 'r', BATCH * N, s);
  test_linalg_load(&call, left, 'v', BATCH * NN, u);
  test_linalg_load(&call, right, 'v', BATCH * NN, vt);
  for (int i = 0; i < BATCH; i++) {
    EXPECT_TRUE(creal(s[i * N]) >= creal(s[i * N + 1]));
    scale_columns(u + i * NN, s + i * N);
    test_linalg_multiply('N', u + i * NN, 'N', vt + i * NN, N, N, N, product);
    test_linalg_expect(dtype, product, a + i * NN, NN);
  }
}

static void gesdd_and_gesvd_give_back_the_matrix(void) {
  svd_routine = "gesdd";
  test_linalg_for_all(check_svd);
  svd_routine = "gesvd";
  test_linalg_for_all(check_svd);
}

static void check_svd_of_nan(dtype_pointer dtype) {
  test_number a[BATCH * NN];
  test_linalg call;
  int info;

  for (int i = 0; i < BATCH * NN; i++) a[i] = i == 4 || i == 9 ? 0.0 / 0.0 : 1.0;
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_linalg_result(&call, 'v', 2, N, N);
  test_linalg_result(&call, 'r', 1, N, 0);
  test_linalg_result(&call, 'v', 2, N, N);
  test_linalg_result(&call, 'v', 2, N, N);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_frame_attribute(&call.frame, "mode", XLA_FFI_DataType_U8, 'N');
  test_linalg_run(&call, "gesdd", "gesdd");
  test_linalg_expect_infos(&call, info, -4);
}

static void a_matrix_that_is_not_finite_has_no_singular_values(void) {
  test_linalg_for_all(check_svd_of_nan);
}

static void check_syevd(dtype_pointer dtype) {
  test_number a[BATCH * NN], w[BATCH * N], v[BATCH * NN], product[NN];
  test_linalg call;
  int vectors, values, info;

  fill_hermitian(dtype, a);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  vectors = test_linalg_result(&call, 'v', 2, N, N);
  values = test_linalg_result(&call, 'r', 1, N, 0);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_frame_attribute(&call.frame, "mode", XLA_FFI_DataType_U8, 'V');
  test_frame_attribute(&call.frame, "uplo", XLA_FFI_DataType_U8, 'L');
  test_linalg_run(&call, "syevd", "heevd");
  test_linalg_expect_infos(&call, info, 0);
  test_linalg_load(&call, vectors, 'v', BATCH * NN, v);
  test_linalg_load(&call, values, 'r', BATCH * N, w);
  for (int i = 0; i < BATCH; i++) {
    test_linalg_multiply('N', a + i * NN, 'N', v + i * NN, N, N, N, product);
    scale_columns(v + i * NN, w + i * N);
    test_linalg_expect(dtype, product, v + i * NN, NN);
  }
}

static void syevd_gives_eigenvectors(void) {
  test_linalg_for_all(check_syevd);
}

/* A call of geev; the indices of its results. */
typedef struct geev_results {
  int values, imaginary, left, right, info;
} geev_results;

static geev_results call_geev(test_linalg *call, dtype_pointer dtype,
                              const test_number *a) {
  geev_results results = {0, 0, 0, 0, 0};

  test_linalg_begin(call, dtype);
  test_linalg_argument(call, 'v', a, 2, N, N);
  results.values = test_linalg_result(call, 'v', 1, N, 0);
  if (!dtype->is_complex) results.imaginary = test_linalg_result(call, 'v', 1, N, 0);
  results.left = test_linalg_result(call, 'c', 2, N, N);
  results.right = test_linalg_result(call, 'c', 2, N, N);
  results.info = test_linalg_result(call, 'i', 0, 0, 0);
  test_frame_attribute(&call->frame, "compute_left", XLA_FFI_DataType_U8, 'V');
  test_frame_attribute(&call->frame, "compute_right", XLA_FFI_DataType_U8, 'V');
  test_linalg_run(call, "geev", "geev");
  return results;
}

static void check_geev(dtype_pointer dtype) {
  /* The first has a pair of conjugate eigenvalues, the second three real ones. */
  const test_number a[BATCH * NN] = {0, 1, 0, -1, 0, 0, 0, 0, 2,
                                     1, 0, 0, 2,  3, 0, 4, 5, 6};
  test_number w[BATCH * N], imaginary[BATCH * N], vl[BATCH * NN], vr[BATCH * NN];
  test_number product[NN];
  test_linalg call;
  geev_results results = call_geev(&call, dtype, a);

  test_linalg_expect_infos(&call, results.info, 0);
  test_linalg_load(&call, results.values, 'v', BATCH * N, w);
  test_linalg_load(&call, results.left, 'c', BATCH * NN, vl);
  test_linalg_load(&call, results.right, 'c', BATCH * NN, vr);
  if (!dtype->is_complex) {
    test_linalg_load(&call, results.imaginary, 'v', BATCH * N, imaginary);
    for (int i = 0; i < BATCH * N; i++) w[i] += imaginary[i] * I;
  }
  for (int i = 0; i < BATCH; i++) {
    test_number conjugate[N];
    test_linalg_multiply('N', a + i * NN, 'N', vr + i * NN, N, N, N, product);
    scale_columns(vr + i * NN, w + i * N);
    test_linalg_expect(dtype, product, vr + i * NN, NN);
    test_linalg_multiply('C', a + i * NN, 'N', vl + i * NN, N, N, N, product);
    for (int k = 0; k < N; k++) conjugate[k] = conj(w[i * N + k]);
    scale_columns(vl + i * NN, conjugate);
    test_linalg_expect(dtype, product, vl + i * NN, NN);
  }
}

static void geev_gives_left_and_right_eigenvectors(void) {
  test_linalg_for_all(check_geev);
}

static void check_geev_of_infinity(dtype_pointer dtype) {
  test_number a[BATCH * NN];
  test_linalg call;

  for (int i = 0; i < BATCH * NN; i++) a[i] = 1.0 / 0.0;
  test_linalg_expect_infos(&call, call_geev(&call, dtype, a).info, -4);
}

static void a_matrix_that_is_not_finite_has_no_eigenvalues(void) {
  test_linalg_for_all(check_geev_of_infinity);
}

static void check_gees(dtype_pointer dtype) {
  test_number a[BATCH * NN], t[BATCH * NN], z[BATCH * NN], product[NN], back[NN];
  test_linalg call;
  int form, vectors, selected, info;

  test_linalg_fill(dtype, a, BATCH * NN, 8);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  form = test_linalg_result(&call, 'v', 2, N, N);
  vectors = test_linalg_result(&call, 'v', 2, N, N);
  test_linalg_result(&call, 'v', 1, N, 0);
  if (!dtype->is_complex) test_linalg_result(&call, 'v', 1, N, 0);
  selected = test_linalg_result(&call, 'i', 0, 0, 0);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_frame_attribute(&call.frame, "mode", XLA_FFI_DataType_U8, 'V');
  test_frame_attribute(&call.frame, "sort", XLA_FFI_DataType_U8, 'N');
  test_linalg_run(&call, "gees", "gees");
  test_linalg_expect_infos(&call, info, 0);
  test_linalg_expect_infos(&call, selected, 0);
  test_linalg_load(&call, form, 'v', BATCH * NN, t);
  test_linalg_load(&call, vectors, 'v', BATCH * NN, z);
  for (int i = 0; i < BATCH; i++) {
    test_linalg_multiply('N', z + i * NN, 'N', t + i * NN, N, N, N, product);
    test_linalg_multiply('N', product, 'C', z + i * NN, N, N, N, back);
    test_linalg_expect(dtype, back, a + i * NN, NN);
  }
}

static void gees_gives_schur_s_form(void) {
  test_linalg_for_all(check_gees);
}

/* The sum of the squares of the absolute values, which rotations keep. */
static double square_sum(const test_number *numbers, int count) {
  double sum = 0;

  for (int i = 0; i < count; i++) sum += creal(numbers[i] * conj(numbers[i]));
  return sum;
}

static void check_gehrd(dtype_pointer dtype) {
  test_number a[BATCH * NN], h[BATCH * NN];
  test_linalg call;
  int form, info;

  test_linalg_fill(dtype, a, BATCH * NN, 9);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  form = test_linalg_result(&call, 'v', 2, N, N);
  test_linalg_result(&call, 'v', 1, N - 1, 0);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_frame_attribute(&call.frame, "low", XLA_FFI_DataType_S32, 1);
  test_frame_attribute(&call.frame, "high", XLA_FFI_DataType_S32, N);
  test_linalg_run(&call, "gehrd", "gehrd");
  test_linalg_expect_infos(&call, info, 0);
  test_linalg_load(&call, form, 'v', BATCH * NN, h);
  for (int i = 0; i < BATCH; i++) {
    test_number trace[2] = {0, 0}, norms[2];
    h[i * NN + 2] = 0; /* a part of a reflector */
    for (int k = 0; k < N; k++) {
      trace[0] += h[i * NN + k * N + k];
      trace[1] += a[i * NN + k * N + k];
    }
    norms[0] = square_sum(h + i * NN, NN);
    norms[1] = square_sum(a + i * NN, NN);
    test_linalg_expect(dtype, &trace[0], &trace[1], 1);
    test_linalg_expect(dtype, &norms[0], &norms[1], 1);
  }
}

static void gehrd_gives_hessenberg_s_form(void) {
  test_linalg_for_all(check_gehrd);
}

static void check_sytrd(dtype_pointer dtype) {
  test_number a[BATCH * NN], d[BATCH * N], e[BATCH * (N - 1)];
  test_linalg call;
  int diagonal, off_diagonal, info;

  fill_hermitian(dtype, a);
  test_linalg_begin(&call, dtype);
  test_linalg_argument(&call, 'v', a, 2, N, N);
  test_linalg_result(&call, 'v', 2, N, N);
  diagonal = test_linalg_result(&call, 'r', 1, N, 0);
  off_diagonal = test_linalg_result(&call, 'r', 1, N - 1, 0);
  test_linalg_result(&call, 'v', 1, N - 1, 0);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_frame_attribute(&call.frame, "uplo", XLA_FFI_DataType_U8, 'U');
  test_linalg_run(&call, "sytrd", "hetrd");
  test_linalg_expect_infos(&call, info, 0);
  test_linalg_load(&call, diagonal, 'r', BATCH * N, d);
  test_linalg_load(&call, off_diagonal, 'r', BATCH * (N - 1), e);
  for (int i = 0; i < BATCH; i++) {
    test_number norms[2] = {square_sum(d + i * N, N), square_sum(a + i * NN, NN)};
    norms[0] += 2 * square_sum(e + i * (N - 1), N - 1);
    test_linalg_expect(dtype, &norms[0], &norms[1], 1);
  }
}

static void sytrd_gives_tridiagonal_form(void) {
  test_linalg_for_all(check_sytrd);
}

TEST_MAIN(TEST_CASE(gesdd_and_gesvd_give_back_the_matrix),
          TEST_CASE(a_matrix_that_is_not_finite_has_no_singular_values),
          TEST_CASE(syevd_gives_eigenvectors),
          TEST_CASE(geev_gives_left_and_right_eigenvectors),
          TEST_CASE(a_matrix_that_is_not_finite_has_no_eigenvalues),
          TEST_CASE(gees_gives_schur_s_form), TEST_CASE(gehrd_gives_hessenberg_s_form),
          TEST_CASE(sytrd_gives_tridiagonal_form))
