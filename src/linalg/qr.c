/* Orthogonal factors, with and without pivoting, and products with them. */
#include "linalg/fortran.h"
#include "linalg/routines.h"

/* LAPACK tells of wrong arguments only, which there are none of. */
static void expect_success(cyxla_linalg_call *call, const int64_t *info) {
  if (cyxla_linalg_integer(call, info) != 0) {
    cyxla_linalg_fail(call, "LAPACK failed with info %lld",
                      (long long)cyxla_linalg_integer(call, info));
  }
}

void cyxla_linalg_geqrf(cyxla_linalg_call *call) {
  cyxla_linalg_matrix x = cyxla_linalg_read_matrix(call, 0);
  int64_t rank = cyxla_linalg_minimum(x.rows, x.columns);
  size_t tau_bytes = (size_t)rank * call->dtype->bytes;
  char *factors = cyxla_linalg_result_of(call, 0, &x);
  char *tau = cyxla_linalg_result(call, 1, call->dtype->value, 1, rank, 0);
  cyxla_geqrf_function *geqrf = (cyxla_geqrf_function *)call->function;
  double asked[2] = {0.0, 0.0};
  int64_t query = -1, info = 0, work_size;
  void *work;

  cyxla_linalg_check_work(call, CYXLA_LINALG_BLOCK * x.columns);
  if (call->error != NULL) return;
  geqrf(&x.rows, &x.columns, factors, &x.leading, tau, asked, &query, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, x.columns);
  work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    geqrf(&x.rows, &x.columns, factors + (size_t)i * x.bytes, &x.leading,
          tau + (size_t)i * tau_bytes, work, &work_size, &info);
    expect_success(call, &info);
  }
}

typedef struct geqp3_arrays {
  void *factors, *pivots, *tau, *work, *real_work;
} geqp3_arrays;

static void geqp3(cyxla_linalg_call *call, const cyxla_linalg_matrix *x,
                  const geqp3_arrays *arrays, int64_t work_size, int64_t *info) {
  if (call->dtype->is_complex) {
    ((cyxla_complex_geqp3_function *)call->function)(
        &x->rows, &x->columns, arrays->factors, &x->leading, arrays->pivots,
        arrays->tau, arrays->work, &work_size, arrays->real_work, info);
  } else {
    ((cyxla_geqp3_function *)call->function)(&x->rows, &x->columns, arrays->factors,
                                             &x->leading, arrays->pivots, arrays->tau,
                                             arrays->work, &work_size, info);
  }
}

/* The pivots of matrices without elements, for which some versions of LAPACK end the
 * process: columns whose pivot is not 0 come first. The result may lie in the
 * argument's memory, so that its places are counted before any is written. */
static void order_columns(const int32_t *given, int32_t *pivots, int64_t count,
                          int64_t *kept) {
  int64_t next = 0;

  for (int64_t j = 0; j < count; j++) kept[j] = given[j];
  for (int64_t j = 0; j < count; j++) {
    if (kept[j] != 0) pivots[next++] = (int32_t)(j + 1);
  }
  for (int64_t j = 0; j < count; j++) {
    if (kept[j] == 0) pivots[next++] = (int32_t)(j + 1);
  }
}

void cyxla_linalg_geqp3(cyxla_linalg_call *call) {
  cyxla_linalg_matrix x = cyxla_linalg_read_matrix(call, 0);
  int64_t rank = cyxla_linalg_minimum(x.rows, x.columns);
  const int32_t *given =
      cyxla_linalg_argument(call, 1, XLA_FFI_DataType_S32, 1, x.columns, 0);
  char *factors = cyxla_linalg_result_of(call, 0, &x);
  int32_t *pivots = cyxla_linalg_result(call, 1, XLA_FFI_DataType_S32, 1, x.columns, 0);
  char *tau = cyxla_linalg_result(call, 2, call->dtype->value, 1, rank, 0);
  double asked[2] = {0.0, 0.0};
  geqp3_arrays arrays = {factors, NULL, tau, asked, NULL};
  int64_t info = 0, work_size;

  cyxla_linalg_check_work(call, CYXLA_LINALG_BLOCK * (x.columns + 3));
  arrays.pivots = cyxla_linalg_allocate(call, x.columns, sizeof(int64_t));
  arrays.real_work =
      cyxla_linalg_allocate(call, 2 * x.columns, call->dtype->real_bytes);
  if (call->error != NULL) return;
  if (rank == 0) {
    for (int64_t i = 0; i < call->batch; i++) {
      order_columns(given + i * x.columns, pivots + i * x.columns, x.columns,
                    arrays.pivots);
    }
    return;
  }
  geqp3(call, &x, &arrays, -1, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, 3 * x.columns + 1);
  arrays.work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    arrays.factors = factors + (size_t)i * x.bytes;
    arrays.tau = tau + (size_t)(i * rank) * call->dtype->bytes;
    cyxla_linalg_widen(call, arrays.pivots, given + i * x.columns, x.columns);
    geqp3(call, &x, &arrays, work_size, &info);
    cyxla_linalg_narrow(call, pivots + i * x.columns, arrays.pivots, x.columns);
    expect_success(call, &info);
  }
}

void cyxla_linalg_orgqr(cyxla_linalg_call *call) {
  cyxla_linalg_matrix x = cyxla_linalg_read_matrix(call, 0);
  int64_t rank = cyxla_linalg_length(call, 1);
  size_t tau_bytes = (size_t)rank * call->dtype->bytes;
  const char *tau = cyxla_linalg_argument(call, 1, call->dtype->value, 1, rank, 0);
  char *result = cyxla_linalg_result_of(call, 0, &x);
  cyxla_orgqr_function *orgqr = (cyxla_orgqr_function *)call->function;
  double asked[2] = {0.0, 0.0};
  int64_t query = -1, info = 0, work_size;
  void *work;

  if (rank > x.columns || x.columns > x.rows) {
    cyxla_linalg_fail(call,
                      "there are %lld reflectors for matrices of %lld rows and %lld "
                      "columns, expected at most as many as columns, and those at most "
                      "as many as rows",
                      (long long)rank, (long long)x.rows, (long long)x.columns);
  }
  cyxla_linalg_check_work(call, CYXLA_LINALG_BLOCK * x.columns);
  if (call->error != NULL) return;
  orgqr(&x.rows, &x.columns, &rank, result, &x.leading, tau, asked, &query, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, x.columns);
  work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    orgqr(&x.rows, &x.columns, &rank, result + (size_t)i * x.bytes, &x.leading,
          tau + (size_t)i * tau_bytes, work, &work_size, &info);
    expect_success(call, &info);
  }
}

static void check_reflectors(cyxla_linalg_call *call, const cyxla_linalg_matrix *a,
                             int64_t rank, int64_t order) {
  if (a->rows == order && a->columns >= rank && rank <= order) return;
  cyxla_linalg_fail(call,
                    "argument 0 has matrices of %lld rows and %lld columns for %lld "
                    "reflectors, expected %lld rows and at least as many of both as "
                    "reflectors",
                    (long long)a->rows, (long long)a->columns, (long long)rank,
                    (long long)order);
}

void cyxla_linalg_ormqr(cyxla_linalg_call *call) {
  char side = cyxla_linalg_flag(call, "left") ? 'L' : 'R';
  char adjoint = call->dtype->is_complex ? 'C' : 'T';
  char trans = cyxla_linalg_flag(call, "transpose") ? adjoint : 'N';
  cyxla_linalg_matrix a = cyxla_linalg_read_matrix(call, 0);
  cyxla_linalg_matrix c = cyxla_linalg_read_matrix(call, 2);
  int64_t rank = cyxla_linalg_length(call, 1);
  size_t tau_bytes = (size_t)rank * call->dtype->bytes;
  const char *tau = cyxla_linalg_argument(call, 1, call->dtype->value, 1, rank, 0);
  char *product = cyxla_linalg_result_of(call, 0, &c);
  cyxla_ormqr_function *ormqr = (cyxla_ormqr_function *)call->function;
  double asked[2] = {0.0, 0.0};
  int64_t across = side == 'L' ? c.columns : c.rows;
  int64_t most = CYXLA_LINALG_BLOCK * (across + CYXLA_LINALG_BLOCK);
  int64_t query = -1, info = 0, work_size;
  size_t reflector_bytes = (size_t)(a.rows * rank) * call->dtype->bytes;
  void *reflectors, *work;

  check_reflectors(call, &a, rank, side == 'L' ? c.rows : c.columns);
  cyxla_linalg_check_work(call, most);
  /* LAPACK changes the reflectors and restores them, which an argument must not see. */
  reflectors = cyxla_linalg_allocate(call, a.rows * rank, call->dtype->bytes);
  if (call->error != NULL) return;
  ormqr(&side, &trans, &c.rows, &c.columns, &rank, reflectors, &a.leading, tau, product,
        &c.leading, asked, &query, &info, 1, 1);
  work_size = cyxla_linalg_work_size(call, asked, &info, across);
  work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    cyxla_linalg_copy(reflectors, (const char *)a.data + (size_t)i * a.bytes,
                      reflector_bytes);
    ormqr(&side, &trans, &c.rows, &c.columns, &rank, reflectors, &a.leading,
          tau + (size_t)i * tau_bytes, product + (size_t)i * c.bytes, &c.leading, work,
          &work_size, &info, 1, 1);
    expect_success(call, &info);
  }
}
