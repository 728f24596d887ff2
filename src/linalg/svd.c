/* Singular values, by divide and conquer (gesdd) and by QR iterations (gesvd). */
#include "linalg/fortran.h"
#include "linalg/routines.h"

typedef struct svd_arrays {
  char mode;
  cyxla_linalg_matrix x;
  int64_t rank;
  int64_t leading_of_u, leading_of_vt;
  size_t bytes_of_u, bytes_of_vt, bytes_of_s;
  char *factors, *s, *u, *vt;
  int32_t *infos;
  void *work, *real_work, *integer_work;
} svd_arrays;

/* The two sets of singular vectors are square, have as many vectors as there are
 * singular values, or are not computed; then they are left as they are. */
static void read_vectors(cyxla_linalg_call *call, svd_arrays *arrays) {
  const cyxla_linalg_matrix *x = &arrays->x;
  int64_t columns = arrays->mode == 'A' ? x->rows : arrays->rank;
  int64_t rows = arrays->mode == 'A' ? x->columns : arrays->rank;

  arrays->leading_of_u = x->leading;
  arrays->leading_of_vt = cyxla_linalg_maximum(1, rows);
  if (arrays->mode == 'N') return;
  arrays->u = cyxla_linalg_result(call, 2, call->dtype->value, 2, x->rows, columns);
  arrays->vt = cyxla_linalg_result(call, 3, call->dtype->value, 2, rows, x->columns);
  arrays->bytes_of_u = (size_t)(x->rows * columns) * call->dtype->bytes;
  arrays->bytes_of_vt = (size_t)(rows * x->columns) * call->dtype->bytes;
}

static void read_arrays(cyxla_linalg_call *call, svd_arrays *arrays) {
  memset(arrays, 0, sizeof(*arrays));
  arrays->mode = cyxla_linalg_option(call, "mode", "ASN");
  arrays->x = cyxla_linalg_read_matrix(call, 0);
  arrays->rank = cyxla_linalg_minimum(arrays->x.rows, arrays->x.columns);
  arrays->factors = cyxla_linalg_result_of(call, 0, &arrays->x);
  arrays->s = cyxla_linalg_result(call, 1, call->dtype->real, 1, arrays->rank, 0);
  arrays->bytes_of_s = (size_t)arrays->rank * call->dtype->real_bytes;
  read_vectors(call, arrays);
  arrays->infos = cyxla_linalg_info(call, 4);
  /* More than what LAPACK documents for any way to work and what its blocks take. */
  cyxla_linalg_check_work(
      call, 5 * arrays->rank * arrays->rank +
                CYXLA_LINALG_BLOCK *
                    (arrays->x.rows + arrays->x.columns + 4 * arrays->rank + 1));
}

/* Where the arrays of one matrix of the batch begin. */
typedef struct svd_matrix {
  char *x, *s, *u, *vt;
} svd_matrix;

static svd_matrix find_matrix(const svd_arrays *a, int64_t i) {
  svd_matrix at = {a->factors + (size_t)i * a->x.bytes,
                   a->s + (size_t)i * a->bytes_of_s, NULL, NULL};

  if (a->u != NULL) at.u = a->u + (size_t)i * a->bytes_of_u;
  if (a->vt != NULL) at.vt = a->vt + (size_t)i * a->bytes_of_vt;
  return at;
}

static void gesdd(cyxla_linalg_call *call, const svd_arrays *a, int64_t i,
                  int64_t work_size, int64_t *info) {
  svd_matrix at = find_matrix(a, i);

  if (call->dtype->is_complex) {
    ((cyxla_complex_gesdd_function *)call->function)(
        &a->mode, &a->x.rows, &a->x.columns, at.x, &a->x.leading, at.s, at.u,
        &a->leading_of_u, at.vt, &a->leading_of_vt, a->work, &work_size, a->real_work,
        a->integer_work, info, 1);
  } else {
    ((cyxla_gesdd_function *)call->function)(
        &a->mode, &a->x.rows, &a->x.columns, at.x, &a->x.leading, at.s, at.u,
        &a->leading_of_u, at.vt, &a->leading_of_vt, a->work, &work_size,
        a->integer_work, info, 1);
  }
}

static void gesvd(cyxla_linalg_call *call, const svd_arrays *a, int64_t i,
                  int64_t work_size, int64_t *info) {
  svd_matrix at = find_matrix(a, i);

  if (call->dtype->is_complex) {
    ((cyxla_complex_gesvd_function *)call->function)(
        &a->mode, &a->mode, &a->x.rows, &a->x.columns, at.x, &a->x.leading, at.s, at.u,
        &a->leading_of_u, at.vt, &a->leading_of_vt, a->work, &work_size, a->real_work,
        info, 1, 1);
  } else {
    ((cyxla_gesvd_function *)call->function)(
        &a->mode, &a->mode, &a->x.rows, &a->x.columns, at.x, &a->x.leading, at.s, at.u,
        &a->leading_of_u, at.vt, &a->leading_of_vt, a->work, &work_size, info, 1, 1);
  }
}

typedef void svd_function(cyxla_linalg_call *call, const svd_arrays *arrays, int64_t i,
                          int64_t work_size, int64_t *info);

static void run(cyxla_linalg_call *call, svd_function *function, svd_arrays *arrays) {
  double asked[2] = {0.0, 0.0};
  int64_t info = 0, work_size;

  if (call->error != NULL) return;
  arrays->work = asked;
  function(call, arrays, 0, -1, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, 1);
  arrays->work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    const char *x = arrays->factors + (size_t)i * arrays->x.bytes;
    info = CYXLA_LINALG_INFO_NOT_FINITE;
    if (cyxla_linalg_is_finite(call, x, arrays->x.bytes)) {
      info = 0;
      function(call, arrays, i, work_size, &info);
    }
    arrays->infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}

void cyxla_linalg_gesdd(cyxla_linalg_call *call) {
  svd_arrays arrays;
  int64_t smaller, larger, real_size;

  read_arrays(call, &arrays);
  smaller = arrays.rank;
  larger = cyxla_linalg_maximum(arrays.x.rows, arrays.x.columns);
  /* The larger of what the versions of LAPACK ask for. */
  real_size =
      smaller * cyxla_linalg_maximum(5 * smaller + 7, 2 * larger + 2 * smaller + 1);
  if (call->dtype->is_complex) {
    arrays.real_work = cyxla_linalg_allocate(call, real_size, call->dtype->real_bytes);
  }
  arrays.integer_work = cyxla_linalg_allocate(call, 8 * smaller, sizeof(int64_t));
  run(call, gesdd, &arrays);
}

void cyxla_linalg_gesvd(cyxla_linalg_call *call) {
  svd_arrays arrays;

  read_arrays(call, &arrays);
  arrays.real_work =
      cyxla_linalg_allocate(call, 5 * arrays.rank, call->dtype->real_bytes);
  run(call, gesvd, &arrays);
}
