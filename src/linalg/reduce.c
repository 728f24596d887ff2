/* Schur's form, and the reductions to Hessenberg's and to tridiagonal form. */
#include "linalg/fortran.h"
#include "linalg/routines.h"

typedef struct gees_arrays {
  char mode;
  cyxla_linalg_matrix x;
  size_t bytes_of_values; /* of one matrix */
  char *form, *vectors, *values, *imaginary_values;
  int32_t *selected, *infos;
  void *work, *real_work;
} gees_arrays;

static void gees(cyxla_linalg_call *call, const gees_arrays *a, int64_t i,
                 int64_t work_size, int64_t *selected, int64_t *info) {
  const int64_t *n = &a->x.rows;
  const int64_t *leading = &a->x.leading;
  char *x = a->form + (size_t)i * a->x.bytes;
  char *vectors = a->vectors + (size_t)i * a->x.bytes;
  char *values = a->values + (size_t)i * a->bytes_of_values;

  if (call->dtype->is_complex) {
    ((cyxla_complex_gees_function *)call->function)(
        &a->mode, "N", NULL, n, x, leading, selected, values, vectors, leading, a->work,
        &work_size, a->real_work, NULL, info, 1, 1);
  } else {
    ((cyxla_gees_function *)call->function)(
        &a->mode, "N", NULL, n, x, leading, selected, values,
        a->imaginary_values + (size_t)i * a->bytes_of_values, vectors, leading, a->work,
        &work_size, NULL, info, 1, 1);
  }
}

static void read_gees(cyxla_linalg_call *call, gees_arrays *a) {
  int64_t n;
  int next = 2;

  memset(a, 0, sizeof(*a));
  a->mode = cyxla_linalg_option(call, "mode", "NV");
  /* Sorting takes a function, which an attribute cannot be. */
  cyxla_linalg_option(call, "sort", "N");
  a->x = cyxla_linalg_read_square(call, 0);
  n = a->x.rows;
  a->form = cyxla_linalg_result_of(call, 0, &a->x);
  a->vectors = cyxla_linalg_result(call, 1, call->dtype->value, 2, n, n);
  a->values = cyxla_linalg_result(call, next++, call->dtype->value, 1, n, 0);
  if (!call->dtype->is_complex) {
    a->imaginary_values =
        cyxla_linalg_result(call, next++, call->dtype->value, 1, n, 0);
  }
  a->selected = cyxla_linalg_info(call, next++);
  a->infos = cyxla_linalg_info(call, next);
  a->bytes_of_values = (size_t)n * call->dtype->bytes;
  cyxla_linalg_check_work(call, 2 * CYXLA_LINALG_BLOCK * (n + 1));
  a->real_work = cyxla_linalg_allocate(call, n, call->dtype->real_bytes);
}

void cyxla_linalg_gees(cyxla_linalg_call *call) {
  gees_arrays arrays;
  double asked[2] = {0.0, 0.0};
  int64_t info = 0, selected = 0, work_size;

  read_gees(call, &arrays);
  if (call->error != NULL) return;
  arrays.work = asked;
  gees(call, &arrays, 0, -1, &selected, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, 3 * arrays.x.rows);
  arrays.work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    gees(call, &arrays, i, work_size, &selected, &info);
    arrays.selected[i] = (int32_t)cyxla_linalg_integer(call, &selected);
    arrays.infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}

static void check_range(cyxla_linalg_call *call, int64_t low, int64_t high, int64_t n) {
  bool is_empty = n == 0 && low == 1 && high == 0;

  if (is_empty || (1 <= low && low <= high && high <= n)) return;
  cyxla_linalg_fail(call,
                    "low and high are %lld and %lld, expected rows of the %lld, "
                    "counted from 1",
                    (long long)low, (long long)high, (long long)n);
}

void cyxla_linalg_gehrd(cyxla_linalg_call *call) {
  int64_t low = cyxla_linalg_number(call, "low");
  int64_t high = cyxla_linalg_number(call, "high");
  cyxla_linalg_matrix x = cyxla_linalg_read_square(call, 0);
  int64_t num_reflectors = cyxla_linalg_maximum(0, x.rows - 1);
  size_t tau_bytes = (size_t)num_reflectors * call->dtype->bytes;
  char *form = cyxla_linalg_result_of(call, 0, &x);
  char *tau = cyxla_linalg_result(call, 1, call->dtype->value, 1, num_reflectors, 0);
  int32_t *infos = cyxla_linalg_info(call, 2);
  cyxla_gehrd_function *gehrd = (cyxla_gehrd_function *)call->function;
  double asked[2] = {0.0, 0.0};
  int64_t query = -1, info = 0, work_size;
  void *work;

  check_range(call, low, high, x.rows);
  cyxla_linalg_check_work(call, CYXLA_LINALG_BLOCK * (x.rows + CYXLA_LINALG_BLOCK));
  if (call->error != NULL) return;
  gehrd(&x.rows, &low, &high, form, &x.leading, tau, asked, &query, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, x.rows);
  work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    gehrd(&x.rows, &low, &high, form + (size_t)i * x.bytes, &x.leading,
          tau + (size_t)i * tau_bytes, work, &work_size, &info);
    infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}

void cyxla_linalg_sytrd(cyxla_linalg_call *call) {
  char uplo = cyxla_linalg_option(call, "uplo", "LU");
  cyxla_linalg_matrix x = cyxla_linalg_read_square(call, 0);
  int64_t n = x.rows, beside = cyxla_linalg_maximum(0, n - 1);
  size_t bytes = call->dtype->bytes, real_bytes = call->dtype->real_bytes;
  char *form = cyxla_linalg_result_of(call, 0, &x);
  char *diagonal = cyxla_linalg_result(call, 1, call->dtype->real, 1, n, 0);
  char *off_diagonal = cyxla_linalg_result(call, 2, call->dtype->real, 1, beside, 0);
  char *tau = cyxla_linalg_result(call, 3, call->dtype->value, 1, beside, 0);
  int32_t *infos = cyxla_linalg_info(call, 4);
  cyxla_sytrd_function *sytrd = (cyxla_sytrd_function *)call->function;
  double asked[2] = {0.0, 0.0};
  int64_t query = -1, info = 0, work_size;
  void *work;

  cyxla_linalg_check_work(call, CYXLA_LINALG_BLOCK * (n + 1));
  if (call->error != NULL) return;
  sytrd(&uplo, &n, form, &x.leading, diagonal, off_diagonal, tau, asked, &query, &info,
        1);
  work_size = cyxla_linalg_work_size(call, asked, &info, 1);
  work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    sytrd(&uplo, &n, form + (size_t)i * x.bytes, &x.leading,
          diagonal + (size_t)(i * n) * real_bytes,
          off_diagonal + (size_t)(i * beside) * real_bytes,
          tau + (size_t)(i * beside) * bytes, work, &work_size, &info, 1);
    infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}
