/* Tridiagonal systems, with LAPACK's solver and the one for singular matrices. */
#include <math.h>
#include <string.h>

#include "test.h"
#include "test_linalg.h"

enum { N = 4, COLUMNS = 2, BATCH = TEST_LINALG_BATCH };

typedef const cyxla_linalg_dtype *dtype_pointer;

typedef struct tridiagonal {
  test_number lower[BATCH * N], diagonal[BATCH * N], upper[BATCH * N];
  test_number b[BATCH * N * COLUMNS];
} tridiagonal;

static void fill(dtype_pointer dtype, tridiagonal *system, int seed) {
  test_linalg_fill(dtype, system->lower, BATCH * N, seed);
  test_linalg_fill(dtype, system->diagonal, BATCH * N, seed + 1);
  test_linalg_fill(dtype, system->upper, BATCH * N, seed + 2);
  test_linalg_fill(dtype, system->b, BATCH * N * COLUMNS, seed + 3);
}

static void add_arguments(test_linalg *call, dtype_pointer dtype,
                          const tridiagonal *system) {
  test_linalg_begin(call, dtype);
  test_linalg_argument(call, 'v', system->lower, 1, N, 0);
  test_linalg_argument(call, 'v', system->diagonal, 1, N, 0);
  test_linalg_argument(call, 'v', system->upper, 1, N, 0);
  test_linalg_argument(call, 'v', system->b, 2, N, COLUMNS);
}

/* The solution by the target without LAPACK. */
static void solve(dtype_pointer dtype, const tridiagonal *system, test_number *x) {
  test_linalg call;
  const char *failure;
  int result;

  add_arguments(&call, dtype, system);
  result = test_linalg_result(&call, 'v', 2, N, COLUMNS);
  failure = test_frame_run(&call.frame, "tridiagonal_solve_perturbed_ffi");
  EXPECT_TEXT(failure != NULL ? failure : "", "");
  test_linalg_load(&call, result, 'v', BATCH * N * COLUMNS, x);
}

/* The matrix times x is b. */
static void expect_solution(dtype_pointer dtype, const tridiagonal *system,
                            const test_number *x) {
  for (int i = 0; i < BATCH; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      const test_number *column = x + (i * COLUMNS + j) * N;
      for (int k = 0; k < N; k++) {
        test_number sum = system->diagonal[i * N + k] * column[k];
        if (k > 0) sum += system->lower[i * N + k] * column[k - 1];
        if (k + 1 < N) sum += system->upper[i * N + k] * column[k + 1];
        test_linalg_expect(dtype, &sum, &system->b[(i * COLUMNS + j) * N + k], 1);
      }
    }
  }
}

static void check_gtsv(dtype_pointer dtype) {
  tridiagonal system;
  test_number x[BATCH * N * COLUMNS], infos[BATCH];
  test_linalg call;
  int result, info;

  fill(dtype, &system, 1);
  add_arguments(&call, dtype, &system);
  for (int i = 0; i < 3; i++) test_linalg_result(&call, 'v', 1, N, 0);
  result = test_linalg_result(&call, 'v', 2, N, COLUMNS);
  info = test_linalg_result(&call, 'i', 0, 0, 0);
  test_linalg_run(&call, "gtsv", "gtsv");
  test_linalg_load(&call, info, 'i', BATCH, infos);
  EXPECT_TRUE(infos[0] == 0 && infos[1] == 0);
  test_linalg_load(&call, result, 'v', BATCH * N * COLUMNS, x);
  expect_solution(dtype, &system, x);
}

static void gtsv_solves_tridiagonal_systems(void) {
  test_linalg_for_all(check_gtsv);
}

static void check_perturbed(dtype_pointer dtype) {
  tridiagonal system;
  test_number x[BATCH * N * COLUMNS];

  for (int seed = 1; seed < 20; seed += 4) {
    fill(dtype, &system, seed);
    system.diagonal[2] += 3.0; /* of rows that are swapped and those that are not */
    system.lower[N + 2] = 0.0; /* and one where there is nothing to eliminate */
    solve(dtype, &system, x);
    expect_solution(dtype, &system, x);
  }
}

static void the_other_solver_gives_the_same_for_regular_matrices(void) {
  test_linalg_for_all(check_perturbed);
}

static void check_singular(dtype_pointer dtype) {
  static const double diagonals[] = {0.0, 1e-320, 1e-44, 1e-30, -1e-30};
  bool is_float = dtype->real_bytes == sizeof(float);
  double tiny = is_float ? 1e-40 : 1e-310; /* a denormal number */
  tridiagonal system;
  test_number x[BATCH * N * COLUMNS];

  for (size_t i = 0; i <= TEST_COUNT(diagonals); i++) {
    fill(dtype, &system, 3);
    for (int k = 0; k < BATCH * N; k++) {
      system.lower[k] = system.upper[k] = 0.0;
      system.diagonal[k] = i < TEST_COUNT(diagonals) ? diagonals[i] : tiny;
    }
    for (int k = 0; k < BATCH * N * COLUMNS; k++) {
      if (i == TEST_COUNT(diagonals)) system.b[k] = tiny;
    }
    solve(dtype, &system, x);
    for (int k = 0; k < BATCH * N * COLUMNS; k++) {
      EXPECT_TRUE(isfinite(creal(x[k])) && isfinite(cimag(x[k])));
    }
  }
}

static void singular_matrices_give_finite_numbers(void) {
  test_linalg_for_all(check_singular);
}

static void one_row_is_a_quotient(void) {
  const int64_t vector[1] = {1}, matrix[2] = {1, 1};
  double unused = 7.0, diagonal = 4.0, b = 2.0, x = 0.0;
  test_frame frame;

  test_frame_begin(&frame);
  test_frame_argument(&frame, XLA_FFI_DataType_F64, &unused, 1, vector);
  test_frame_argument(&frame, XLA_FFI_DataType_F64, &diagonal, 1, vector);
  test_frame_argument(&frame, XLA_FFI_DataType_F64, &unused, 1, vector);
  test_frame_argument(&frame, XLA_FFI_DataType_F64, &b, 2, matrix);
  test_frame_result(&frame, XLA_FFI_DataType_F64, &x, 2, matrix);
  EXPECT_NULL(test_frame_run(&frame, "tridiagonal_solve_perturbed_ffi"));
  EXPECT_TRUE(x == 0.5);
}

static void no_dtype_but_those_of_lapack_is_taken(void) {
  const int64_t vector[1] = {1}, matrix[2] = {1, 1};
  int32_t number = 1;
  test_frame frame;

  test_frame_begin(&frame);
  for (int i = 0; i < 3; i++) {
    test_frame_argument(&frame, XLA_FFI_DataType_S32, &number, 1, vector);
  }
  test_frame_argument(&frame, XLA_FFI_DataType_S32, &number, 2, matrix);
  test_frame_result(&frame, XLA_FFI_DataType_S32, &number, 2, matrix);
  EXPECT_CONTAINS(test_frame_run(&frame, "tridiagonal_solve_perturbed_ffi"),
                  "tridiagonal_solve_perturbed_ffi: argument 3 is missing or of "
                  "another dtype");
}

TEST_MAIN(TEST_CASE(gtsv_solves_tridiagonal_systems),
          TEST_CASE(the_other_solver_gives_the_same_for_regular_matrices),
          TEST_CASE(singular_matrices_give_finite_numbers),
          TEST_CASE(one_row_is_a_quotient),
          TEST_CASE(no_dtype_but_those_of_lapack_is_taken))
