/* Triangular and tridiagonal systems, Cholesky's factor and that of Gauss. */
#include "linalg/fortran.h"
#include "linalg/routines.h"

void cyxla_linalg_trsm(cyxla_linalg_call *call) {
  char side = cyxla_linalg_option(call, "side", "LR");
  char uplo = cyxla_linalg_option(call, "uplo", "LU");
  char trans = cyxla_linalg_option(call, "trans_x", "NTC");
  char diag = cyxla_linalg_option(call, "diag", "NU");
  cyxla_linalg_matrix x = cyxla_linalg_read_square(call, 0);
  cyxla_linalg_matrix y = cyxla_linalg_read_matrix(call, 1);
  char *solution = cyxla_linalg_result_of(call, 0, &y);
  const double one[2] = {1.0, 0.0};
  const float one_float[2] = {1.0f, 0.0f};
  const void *alpha = call->dtype->real_bytes == sizeof(float) ? (const void *)one_float
                                                               : (const void *)one;
  int64_t order = side == 'L' ? y.rows : y.columns;

  if (x.rows != order) {
    cyxla_linalg_fail(call,
                      "argument 0 has matrices of %lld rows, expected %lld as argument "
                      "1 has on the side %c",
                      (long long)x.rows, (long long)order, side);
  }
  if (call->error != NULL) return;
  for (int64_t i = 0; i < call->batch; i++) {
    ((cyxla_trsm_function *)call->function)(
        &side, &uplo, &trans, &diag, &y.rows, &y.columns, alpha,
        (const char *)x.data + (size_t)i * x.bytes, &x.leading,
        solution + (size_t)i * y.bytes, &y.leading, 1, 1, 1, 1);
  }
}

/* The diagonals are overwritten, so they are results too. The first number of the lower
 * one and the last of the upper one do not belong to the matrix. */
void cyxla_linalg_gtsv(cyxla_linalg_call *call) {
  cyxla_linalg_matrix b = cyxla_linalg_read_matrix(call, 3);
  size_t diagonal_bytes = (size_t)b.rows * call->dtype->bytes;
  char *diagonals[3];
  char *solution = cyxla_linalg_result_of(call, 3, &b);
  int32_t *infos = cyxla_linalg_info(call, 4);

  for (int i = 0; i < 3; i++) {
    const void *given =
        cyxla_linalg_argument(call, i, call->dtype->value, 1, b.rows, 0);
    diagonals[i] = cyxla_linalg_result(call, i, call->dtype->value, 1, b.rows, 0);
    if (call->error != NULL) return;
    cyxla_linalg_copy(diagonals[i], given, diagonal_bytes * (size_t)call->batch);
  }
  for (int64_t i = 0; i < call->batch; i++) {
    size_t at = (size_t)i * diagonal_bytes;
    int64_t info = 0;
    if (b.rows > 0) {
      ((cyxla_gtsv_function *)call->function)(
          &b.rows, &b.columns, diagonals[0] + at + call->dtype->bytes,
          diagonals[1] + at, diagonals[2] + at, solution + (size_t)i * b.bytes,
          &b.leading, &info);
    }
    infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}

void cyxla_linalg_potrf(cyxla_linalg_call *call) {
  char uplo = cyxla_linalg_option(call, "uplo", "LU");
  cyxla_linalg_matrix x = cyxla_linalg_read_square(call, 0);
  char *factor = cyxla_linalg_result_of(call, 0, &x);
  int32_t *infos = cyxla_linalg_info(call, 1);

  if (call->error != NULL) return;
  for (int64_t i = 0; i < call->batch; i++) {
    int64_t info = 0;
    ((cyxla_potrf_function *)call->function)(
        &uplo, &x.rows, factor + (size_t)i * x.bytes, &x.leading, &info, 1);
    infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}

void cyxla_linalg_getrf(cyxla_linalg_call *call) {
  cyxla_linalg_matrix x = cyxla_linalg_read_matrix(call, 0);
  int64_t num_pivots = cyxla_linalg_minimum(x.rows, x.columns);
  char *factors = cyxla_linalg_result_of(call, 0, &x);
  int32_t *pivots =
      cyxla_linalg_result(call, 1, XLA_FFI_DataType_S32, 1, num_pivots, 0);
  int32_t *infos = cyxla_linalg_info(call, 2);
  void *wide = cyxla_linalg_allocate(call, num_pivots, sizeof(int64_t));

  if (call->error != NULL) return;
  for (int64_t i = 0; i < call->batch; i++) {
    int64_t info = 0;
    ((cyxla_getrf_function *)call->function)(
        &x.rows, &x.columns, factors + (size_t)i * x.bytes, &x.leading, wide, &info);
    cyxla_linalg_narrow(call, pivots + i * num_pivots, wide, num_pivots);
    infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}
