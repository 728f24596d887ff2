/* Eigenvalues and eigenvectors, of Hermitian and of general matrices. */
#include "linalg/fortran.h"
#include "linalg/routines.h"

typedef struct syevd_arrays {
  char mode, uplo;
  cyxla_linalg_matrix x;
  char *vectors, *values;
  void *work, *real_work, *integer_work;
  int64_t real_size, integer_size;
} syevd_arrays;

static void syevd(cyxla_linalg_call *call, const syevd_arrays *a, int64_t i,
                  int64_t work_size, int64_t *info) {
  char *x = a->vectors + (size_t)i * a->x.bytes;
  char *w = a->values + (size_t)(i * a->x.rows) * call->dtype->real_bytes;

  if (call->dtype->is_complex) {
    ((cyxla_heevd_function *)call->function)(
        &a->mode, &a->uplo, &a->x.rows, x, &a->x.leading, w, a->work, &work_size,
        a->real_work, &a->real_size, a->integer_work, &a->integer_size, info, 1, 1);
  } else {
    ((cyxla_syevd_function *)call->function)(
        &a->mode, &a->uplo, &a->x.rows, x, &a->x.leading, w, a->work, &work_size,
        a->integer_work, &a->integer_size, info, 1, 1);
  }
}

/* The sizes of the lesser work arrays are those that LAPACK documents. */
static void allocate_syevd(cyxla_linalg_call *call, syevd_arrays *arrays) {
  int64_t n = arrays->x.rows;
  bool has_vectors = arrays->mode == 'V';

  arrays->integer_size = has_vectors ? 3 + 5 * n : 1;
  arrays->real_size = has_vectors ? 1 + 5 * n + 2 * n * n : cyxla_linalg_maximum(1, n);
  /* Of all work arrays the largest, but for blocks. */
  cyxla_linalg_check_work(call, arrays->real_size + CYXLA_LINALG_BLOCK * (n + 1));
  arrays->integer_work =
      cyxla_linalg_allocate(call, arrays->integer_size, sizeof(int64_t));
  if (call->dtype->is_complex) {
    arrays->real_work =
        cyxla_linalg_allocate(call, arrays->real_size, call->dtype->real_bytes);
  }
}

void cyxla_linalg_syevd(cyxla_linalg_call *call) {
  syevd_arrays arrays;
  double asked[2] = {0.0, 0.0};
  int64_t info = 0, work_size;
  int32_t *infos;

  memset(&arrays, 0, sizeof(arrays));
  arrays.mode = cyxla_linalg_option(call, "mode", "NV");
  arrays.uplo = cyxla_linalg_option(call, "uplo", "LU");
  arrays.x = cyxla_linalg_read_square(call, 0);
  arrays.vectors = cyxla_linalg_result_of(call, 0, &arrays.x);
  arrays.values = cyxla_linalg_result(call, 1, call->dtype->real, 1, arrays.x.rows, 0);
  infos = cyxla_linalg_info(call, 2);
  allocate_syevd(call, &arrays);
  if (call->error != NULL) return;
  arrays.work = asked;
  syevd(call, &arrays, 0, -1, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, 1);
  arrays.work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    syevd(call, &arrays, i, work_size, &info);
    infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  }
}

typedef struct geev_arrays {
  char left_mode, right_mode;
  cyxla_linalg_matrix x;
  size_t bytes_of_values;  /* of one matrix */
  size_t bytes_of_vectors; /* of one matrix, which are complex */
  char *real_values, *imaginary_values, *left, *right;
  int32_t *infos;
  void *copy, *packed_left, *packed_right, *work, *real_work;
} geev_arrays;

static void geev(cyxla_linalg_call *call, const geev_arrays *a, int64_t i,
                 int64_t work_size, int64_t *info) {
  const int64_t *n = &a->x.rows;
  const int64_t *leading = &a->x.leading;
  char *values = a->real_values + (size_t)i * a->bytes_of_values;

  if (call->dtype->is_complex) {
    ((cyxla_complex_geev_function *)call->function)(
        &a->left_mode, &a->right_mode, n, a->copy, leading, values,
        a->left + (size_t)i * a->bytes_of_vectors, leading,
        a->right + (size_t)i * a->bytes_of_vectors, leading, a->work, &work_size,
        a->real_work, info, 1, 1);
  } else {
    ((cyxla_geev_function *)call->function)(
        &a->left_mode, &a->right_mode, n, a->copy, leading, values,
        a->imaginary_values + (size_t)i * a->bytes_of_values, a->packed_left, leading,
        a->packed_right, leading, a->work, &work_size, info, 1, 1);
  }
}

static double real_at(const cyxla_linalg_call *call, const void *data, int64_t i) {
  return call->dtype->real_bytes == sizeof(float) ? ((const float *)data)[i]
                                                  : ((const double *)data)[i];
}

static void set_complex(const cyxla_linalg_call *call, void *data, int64_t i,
                        double real, double imaginary) {
  if (call->dtype->real_bytes == sizeof(float)) {
    ((float *)data)[2 * i] = (float)real;
    ((float *)data)[2 * i + 1] = (float)imaginary;
  } else {
    ((double *)data)[2 * i] = real;
    ((double *)data)[2 * i + 1] = imaginary;
  }
}

/* Of a real matrix LAPACK gives a pair of conjugate vectors as two columns, the real
 * part and the imaginary one of the first. */
static void unpack(const cyxla_linalg_call *call, const void *imaginary_values,
                   const void *packed, int64_t n, void *vectors) {
  for (int64_t column = 0; column < n; column++) {
    int64_t first = column * n;
    if (real_at(call, imaginary_values, column) == 0.0 || column + 1 == n) {
      for (int64_t i = 0; i < n; i++) {
        set_complex(call, vectors, first + i, real_at(call, packed, first + i), 0.0);
      }
      continue;
    }
    for (int64_t i = 0; i < n; i++) {
      double real = real_at(call, packed, first + i);
      double imaginary = real_at(call, packed, first + n + i);
      set_complex(call, vectors, first + i, real, imaginary);
      set_complex(call, vectors, first + n + i, real, -imaginary);
    }
    column++;
  }
}

static void read_geev(cyxla_linalg_call *call, geev_arrays *a) {
  int64_t n;
  int next = 0;

  memset(a, 0, sizeof(*a));
  a->left_mode = cyxla_linalg_option(call, "compute_left", "NV");
  a->right_mode = cyxla_linalg_option(call, "compute_right", "NV");
  a->x = cyxla_linalg_read_square(call, 0);
  n = a->x.rows;
  a->real_values = cyxla_linalg_result(call, next++, call->dtype->value, 1, n, 0);
  if (!call->dtype->is_complex) {
    a->imaginary_values =
        cyxla_linalg_result(call, next++, call->dtype->value, 1, n, 0);
    a->packed_left = cyxla_linalg_allocate(call, n * n, call->dtype->bytes);
    a->packed_right = cyxla_linalg_allocate(call, n * n, call->dtype->bytes);
  }
  a->left = cyxla_linalg_result(call, next++, call->dtype->complex_value, 2, n, n);
  a->right = cyxla_linalg_result(call, next++, call->dtype->complex_value, 2, n, n);
  a->infos = cyxla_linalg_info(call, next);
  cyxla_linalg_check_work(call, 2 * CYXLA_LINALG_BLOCK * (n + 1));
  a->bytes_of_values = (size_t)n * call->dtype->bytes;
  a->bytes_of_vectors = (size_t)(n * n) * 2 * call->dtype->real_bytes;
  a->copy = cyxla_linalg_allocate(call, n * n, call->dtype->bytes);
  a->real_work = cyxla_linalg_allocate(call, 2 * n, call->dtype->real_bytes);
}

static void run_geev(cyxla_linalg_call *call, const geev_arrays *a, int64_t i,
                     int64_t work_size) {
  const char *x = (const char *)a->x.data + (size_t)i * a->x.bytes;
  const char *imaginary;
  int64_t info = 0;

  if (!cyxla_linalg_is_finite(call, x, a->x.bytes)) {
    a->infos[i] = CYXLA_LINALG_INFO_NOT_FINITE;
    return;
  }
  cyxla_linalg_copy(a->copy, x, a->x.bytes);
  geev(call, a, i, work_size, &info);
  a->infos[i] = (int32_t)cyxla_linalg_integer(call, &info);
  if (call->dtype->is_complex || a->infos[i] != 0) return;
  imaginary = a->imaginary_values + (size_t)i * a->bytes_of_values;
  if (a->left_mode == 'V') {
    unpack(call, imaginary, a->packed_left, a->x.rows,
           a->left + (size_t)i * a->bytes_of_vectors);
  }
  if (a->right_mode == 'V') {
    unpack(call, imaginary, a->packed_right, a->x.rows,
           a->right + (size_t)i * a->bytes_of_vectors);
  }
}

void cyxla_linalg_geev(cyxla_linalg_call *call) {
  geev_arrays arrays;
  double asked[2] = {0.0, 0.0};
  int64_t info = 0, work_size;

  read_geev(call, &arrays);
  if (call->error != NULL) return;
  arrays.work = asked;
  geev(call, &arrays, 0, -1, &info);
  work_size = cyxla_linalg_work_size(call, asked, &info, 4 * arrays.x.rows);
  arrays.work = cyxla_linalg_allocate(call, work_size, call->dtype->bytes);
  for (int64_t i = 0; call->error == NULL && i < call->batch; i++) {
    run_geev(call, &arrays, i, work_size);
  }
}
