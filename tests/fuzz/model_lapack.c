#include "model_lapack.h"

#include <string.h>

#include "input.h"
#include "linalg/fortran.h"

static struct {
  const cyxla_linalg_dtype *dtype;
  size_t integer_bytes;
  size_t asked;
} model;

static int64_t integer(const int64_t *pointer) {
  return model.integer_bytes == 4 ? *(const int32_t *)pointer : *pointer;
}

static void give_integer(int64_t *pointer, int64_t value) {
  int32_t narrow = (int32_t)value;

  if (model.integer_bytes == 4) {
    memcpy(pointer, &narrow, sizeof(narrow));
  } else {
    *pointer = value;
  }
}

static int64_t size(const int64_t *pointer) {
  FUZZ_CHECK(integer(pointer) >= 0, "sizes are not negative");
  return integer(pointer);
}

static void check_leading(const int64_t *leading, int64_t rows) {
  FUZZ_CHECK(integer(leading) >= (rows > 1 ? rows : 1), "columns have all rows");
}

static void check_option(const char *option, const char *choices) {
  FUZZ_CHECK(*option != '\0' && strchr(choices, *option) != NULL,
             "LAPACK knows the option");
}

static void write_bytes(void *memory, size_t bytes) {
  if (bytes > 0) memset(memory, 0x3f, bytes);
}

static void write_values(void *memory, int64_t count) {
  write_bytes(memory, (size_t)count * model.dtype->bytes);
}

static void write_reals(void *memory, int64_t count) {
  write_bytes(memory, (size_t)count * model.dtype->real_bytes);
}

static void read_values(const void *memory, int64_t count) {
  const volatile uint8_t *bytes = memory;
  for (size_t i = 0; i < (size_t)count * model.dtype->bytes; i++) (void)bytes[i];
}

/* Whether the call only asks how large the work array is to be; answers if so. */
static bool answers(void *work, const int64_t *lwork, int64_t least, int64_t *info) {
  double asked = (double)least + (double)model.asked;
  float narrow = (float)asked;

  give_integer(info, 0);
  if (integer(lwork) == -1) {
    if (model.dtype->real_bytes == sizeof(float)) {
      memcpy(work, &narrow, sizeof(narrow));
    } else {
      memcpy(work, &asked, sizeof(asked));
    }
    return true;
  }
  FUZZ_CHECK(integer(lwork) >= least && integer(lwork) >= 1,
             "there is room to work in");
  write_values(work, integer(lwork));
  return false;
}

static void trsm(const char *side, const char *uplo, const char *transa,
                 const char *diag, const int64_t *m, const int64_t *n,
                 const void *alpha, const void *a, const int64_t *lda, void *b,
                 const int64_t *ldb, size_t l1, size_t l2, size_t l3, size_t l4) {
  int64_t order = *side == 'L' ? size(m) : size(n);

  FUZZ_CHECK(l1 + l2 + l3 + l4 == 4, "options are characters");
  check_option(side, "LR");
  check_option(uplo, "LU");
  check_option(transa, "NTC");
  check_option(diag, "NU");
  check_leading(lda, order);
  check_leading(ldb, size(m));
  read_values(alpha, 1);
  read_values(a, order * order);
  write_values(b, size(m) * size(n));
}

static void potrf(const char *uplo, const int64_t *n, void *a, const int64_t *lda,
                  int64_t *info, size_t length) {
  FUZZ_CHECK(length == 1, "options are characters");
  check_option(uplo, "LU");
  check_leading(lda, size(n));
  write_values(a, size(n) * size(n));
  give_integer(info, 0);
}

static void getrf(const int64_t *m, const int64_t *n, void *a, const int64_t *lda,
                  void *ipiv, int64_t *info) {
  int64_t rank = size(m) < size(n) ? size(m) : size(n);

  check_leading(lda, size(m));
  write_values(a, size(m) * size(n));
  write_bytes(ipiv, (size_t)rank * model.integer_bytes);
  give_integer(info, 1);
}

static void gtsv(const int64_t *n, const int64_t *nrhs, void *dl, void *d, void *du,
                 void *b, const int64_t *ldb, int64_t *info) {
  int64_t beside = size(n) > 0 ? size(n) - 1 : 0;

  check_leading(ldb, size(n));
  write_values(dl, beside);
  write_values(d, size(n));
  write_values(du, beside);
  write_values(b, size(n) * size(nrhs));
  give_integer(info, -1);
}

static void geqrf(const int64_t *m, const int64_t *n, void *a, const int64_t *lda,
                  void *tau, void *work, const int64_t *lwork, int64_t *info) {
  check_leading(lda, size(m));
  if (answers(work, lwork, size(n), info)) return;
  write_values(a, size(m) * size(n));
  write_values(tau, size(m) < size(n) ? size(m) : size(n));
}

static void geqp3(const int64_t *m, const int64_t *n, void *a, const int64_t *lda,
                  void *jpvt, void *tau, void *work, const int64_t *lwork,
                  int64_t *info) {
  check_leading(lda, size(m));
  if (answers(work, lwork, 3 * size(n) + 1, info)) return;
  write_values(a, size(m) * size(n));
  write_bytes(jpvt, (size_t)size(n) * model.integer_bytes);
  write_values(tau, size(m) < size(n) ? size(m) : size(n));
}

static void complex_geqp3(const int64_t *m, const int64_t *n, void *a,
                          const int64_t *lda, void *jpvt, void *tau, void *work,
                          const int64_t *lwork, void *rwork, int64_t *info) {
  geqp3(m, n, a, lda, jpvt, tau, work, lwork, info);
  write_reals(rwork, 2 * size(n));
}

static void orgqr(const int64_t *m, const int64_t *n, const int64_t *k, void *a,
                  const int64_t *lda, const void *tau, void *work, const int64_t *lwork,
                  int64_t *info) {
  FUZZ_CHECK(size(n) <= size(m) && size(k) <= size(n), "reflectors fit the matrix");
  check_leading(lda, size(m));
  if (answers(work, lwork, size(n), info)) return;
  write_values(a, size(m) * size(n));
  read_values(tau, size(k));
}

static void ormqr(const char *side, const char *trans, const int64_t *m,
                  const int64_t *n, const int64_t *k, void *a, const int64_t *lda,
                  const void *tau, void *c, const int64_t *ldc, void *work,
                  const int64_t *lwork, int64_t *info, size_t l1, size_t l2) {
  int64_t order = *side == 'L' ? size(m) : size(n);

  FUZZ_CHECK(l1 + l2 == 2, "options are characters");
  check_option(side, "LR");
  check_option(trans, model.dtype->is_complex ? "NC" : "NT");
  FUZZ_CHECK(size(k) <= order, "reflectors fit the matrix");
  check_leading(lda, order);
  check_leading(ldc, size(m));
  if (answers(work, lwork, *side == 'L' ? size(n) : size(m), info)) return;
  write_values(a, order * size(k)); /* LAPACK changes it for a while */
  read_values(tau, size(k));
  write_values(c, size(m) * size(n));
}

static void write_svd(char mode, const int64_t *m, const int64_t *n, void *a,
                      const int64_t *lda, void *s, void *u, const int64_t *ldu,
                      void *vt, const int64_t *ldvt) {
  int64_t rank = size(m) < size(n) ? size(m) : size(n);
  int64_t columns = mode == 'A' ? size(m) : rank, rows = mode == 'A' ? size(n) : rank;

  check_option(&mode, "ASN");
  check_leading(lda, size(m));
  check_leading(ldu, mode == 'N' ? 1 : size(m));
  check_leading(ldvt, mode == 'N' ? 1 : rows);
  write_values(a, size(m) * size(n));
  write_reals(s, rank);
  if (mode == 'N') return;
  write_values(u, size(m) * columns);
  write_values(vt, rows * size(n));
}

static void gesdd(const char *jobz, const int64_t *m, const int64_t *n, void *a,
                  const int64_t *lda, void *s, void *u, const int64_t *ldu, void *vt,
                  const int64_t *ldvt, void *work, const int64_t *lwork, void *iwork,
                  int64_t *info, size_t length) {
  int64_t rank = size(m) < size(n) ? size(m) : size(n);

  FUZZ_CHECK(length == 1, "options are characters");
  if (answers(work, lwork, 4 * rank * rank + 7 * rank + 1, info)) return;
  write_svd(*jobz, m, n, a, lda, s, u, ldu, vt, ldvt);
  write_bytes(iwork, (size_t)(8 * rank) * model.integer_bytes);
}

static void complex_gesdd(const char *jobz, const int64_t *m, const int64_t *n, void *a,
                          const int64_t *lda, void *s, void *u, const int64_t *ldu,
                          void *vt, const int64_t *ldvt, void *work,
                          const int64_t *lwork, void *rwork, void *iwork, int64_t *info,
                          size_t length) {
  int64_t rank = size(m) < size(n) ? size(m) : size(n);
  int64_t larger = size(m) < size(n) ? size(n) : size(m);
  int64_t with_vectors = 5 * rank * rank + 5 * rank;
  int64_t of_both = 2 * larger * rank + 2 * rank * rank + rank;

  gesdd(jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info, length);
  if (integer(lwork) == -1) return;
  if (*jobz == 'N') {
    write_reals(rwork, 7 * rank);
  } else {
    write_reals(rwork, with_vectors > of_both ? with_vectors : of_both);
  }
}

static void gesvd(const char *jobu, const char *jobvt, const int64_t *m,
                  const int64_t *n, void *a, const int64_t *lda, void *s, void *u,
                  const int64_t *ldu, void *vt, const int64_t *ldvt, void *work,
                  const int64_t *lwork, int64_t *info, size_t l1, size_t l2) {
  FUZZ_CHECK(l1 + l2 == 2 && *jobu == *jobvt, "options are characters");
  if (answers(work, lwork, 3 * size(m) + 5 * size(n) + 1, info)) return;
  write_svd(*jobu, m, n, a, lda, s, u, ldu, vt, ldvt);
}

static void complex_gesvd(const char *jobu, const char *jobvt, const int64_t *m,
                          const int64_t *n, void *a, const int64_t *lda, void *s,
                          void *u, const int64_t *ldu, void *vt, const int64_t *ldvt,
                          void *work, const int64_t *lwork, void *rwork, int64_t *info,
                          size_t l1, size_t l2) {
  gesvd(jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info, l1, l2);
  write_reals(rwork, 5 * (size(m) < size(n) ? size(m) : size(n)));
}

static void syevd(const char *jobz, const char *uplo, const int64_t *n, void *a,
                  const int64_t *lda, void *w, void *work, const int64_t *lwork,
                  void *iwork, const int64_t *liwork, int64_t *info, size_t l1,
                  size_t l2) {
  int64_t order = size(n);

  FUZZ_CHECK(l1 + l2 == 2, "options are characters");
  check_option(jobz, "NV");
  check_option(uplo, "LU");
  check_leading(lda, order);
  FUZZ_CHECK(integer(liwork) >= (*jobz == 'V' && order > 1 ? 3 + 5 * order : 1),
             "there is room for integers");
  if (answers(work, lwork, 1 + 6 * order + 2 * order * order, info)) return;
  write_values(a, order * order);
  write_reals(w, order);
  write_bytes(iwork, (size_t)integer(liwork) * model.integer_bytes);
}

static void heevd(const char *jobz, const char *uplo, const int64_t *n, void *a,
                  const int64_t *lda, void *w, void *work, const int64_t *lwork,
                  void *rwork, const int64_t *lrwork, void *iwork,
                  const int64_t *liwork, int64_t *info, size_t l1, size_t l2) {
  int64_t order = size(n);
  int64_t least = *jobz == 'V' ? 1 + 5 * order + 2 * order * order : order;

  FUZZ_CHECK(integer(lrwork) >= (order > 1 ? least : 1), "there is room for numbers");
  syevd(jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info, l1, l2);
  write_reals(rwork, integer(lrwork));
}

static bool write_geev(const char *jobvl, const char *jobvr, const int64_t *n, void *a,
                       const int64_t *lda, void *vl, const int64_t *ldvl, void *vr,
                       const int64_t *ldvr, void *work, const int64_t *lwork,
                       int64_t *info) {
  check_option(jobvl, "NV");
  check_option(jobvr, "NV");
  check_leading(lda, size(n));
  check_leading(ldvl, size(n));
  check_leading(ldvr, size(n));
  if (answers(work, lwork, 4 * size(n), info)) return false;
  write_values(a, size(n) * size(n));
  if (*jobvl == 'V') write_values(vl, size(n) * size(n));
  if (*jobvr == 'V') write_values(vr, size(n) * size(n));
  return true;
}

static void geev(const char *jobvl, const char *jobvr, const int64_t *n, void *a,
                 const int64_t *lda, void *wr, void *wi, void *vl, const int64_t *ldvl,
                 void *vr, const int64_t *ldvr, void *work, const int64_t *lwork,
                 int64_t *info, size_t l1, size_t l2) {
  FUZZ_CHECK(l1 + l2 == 2, "options are characters");
  if (!write_geev(jobvl, jobvr, n, a, lda, vl, ldvl, vr, ldvr, work, lwork, info))
    return;
  write_values(wr, size(n));
  write_values(wi, size(n));
}

static void complex_geev(const char *jobvl, const char *jobvr, const int64_t *n,
                         void *a, const int64_t *lda, void *w, void *vl,
                         const int64_t *ldvl, void *vr, const int64_t *ldvr, void *work,
                         const int64_t *lwork, void *rwork, int64_t *info, size_t l1,
                         size_t l2) {
  FUZZ_CHECK(l1 + l2 == 2, "options are characters");
  if (!write_geev(jobvl, jobvr, n, a, lda, vl, ldvl, vr, ldvr, work, lwork, info))
    return;
  write_values(w, size(n));
  write_reals(rwork, 2 * size(n));
}

static void gees(const char *jobvs, const char *sort, const void *select,
                 const int64_t *n, void *a, const int64_t *lda, int64_t *sdim, void *wr,
                 void *wi, void *vs, const int64_t *ldvs, void *work,
                 const int64_t *lwork, void *bwork, int64_t *info, size_t l1,
                 size_t l2) {
  FUZZ_CHECK(l1 + l2 == 2 && select == NULL && bwork == NULL && *sort == 'N',
             "nothing is sorted");
  check_option(jobvs, "NV");
  check_leading(lda, size(n));
  check_leading(ldvs, size(n));
  if (answers(work, lwork, 3 * size(n), info)) return;
  write_values(a, size(n) * size(n));
  write_values(wr, size(n));
  if (wi != NULL) write_values(wi, size(n));
  if (*jobvs == 'V') write_values(vs, size(n) * size(n));
  give_integer(sdim, 0);
}

static void complex_gees(const char *jobvs, const char *sort, const void *select,
                         const int64_t *n, void *a, const int64_t *lda, int64_t *sdim,
                         void *w, void *vs, const int64_t *ldvs, void *work,
                         const int64_t *lwork, void *rwork, void *bwork, int64_t *info,
                         size_t l1, size_t l2) {
  gees(jobvs, sort, select, n, a, lda, sdim, w, NULL, vs, ldvs, work, lwork, bwork,
       info, l1, l2);
  write_reals(rwork, size(n));
}

static void gehrd(const int64_t *n, const int64_t *ilo, const int64_t *ihi, void *a,
                  const int64_t *lda, void *tau, void *work, const int64_t *lwork,
                  int64_t *info) {
  int64_t order = size(n), low = integer(ilo), high = integer(ihi);

  FUZZ_CHECK(low >= 1 && low <= (order > 1 ? order : 1) && high <= order &&
                 high >= (low < order ? low : order),
             "the rows are those of the matrix");
  check_leading(lda, order);
  if (answers(work, lwork, order, info)) return;
  write_values(a, order * order);
  write_values(tau, order > 0 ? order - 1 : 0);
}

static void sytrd(const char *uplo, const int64_t *n, void *a, const int64_t *lda,
                  void *d, void *e, void *tau, void *work, const int64_t *lwork,
                  int64_t *info, size_t length) {
  int64_t beside = size(n) > 0 ? size(n) - 1 : 0;

  FUZZ_CHECK(length == 1, "options are characters");
  check_option(uplo, "LU");
  check_leading(lda, size(n));
  if (answers(work, lwork, 1, info)) return;
  write_values(a, size(n) * size(n));
  write_reals(d, size(n));
  write_reals(e, beside);
  write_values(tau, beside);
}

#define FUNCTION(name) ((cyxla_library_function *)(name))
/* In the order of the targets, for real and for complex numbers. */
static cyxla_library_function *const FUNCTIONS[][2] = {
    {FUNCTION(trsm), FUNCTION(trsm)},
    {FUNCTION(gtsv), FUNCTION(gtsv)},
    {FUNCTION(potrf), FUNCTION(potrf)},
    {FUNCTION(getrf), FUNCTION(getrf)},
    {FUNCTION(geqrf), FUNCTION(geqrf)},
    {FUNCTION(geqp3), FUNCTION(complex_geqp3)},
    {FUNCTION(orgqr), FUNCTION(orgqr)},
    {FUNCTION(ormqr), FUNCTION(ormqr)},
    {FUNCTION(gesdd), FUNCTION(complex_gesdd)},
    {FUNCTION(gesvd), FUNCTION(complex_gesvd)},
    {FUNCTION(syevd), FUNCTION(heevd)},
    {FUNCTION(geev), FUNCTION(complex_geev)},
    {FUNCTION(gees), FUNCTION(complex_gees)},
    {FUNCTION(gehrd), FUNCTION(gehrd)},
    {FUNCTION(sytrd), FUNCTION(sytrd)},
};

cyxla_library_function *model_lapack_function(size_t target, size_t integer_bytes,
                                              size_t asked) {
  model.dtype = &cyxla_linalg_dtypes[target % CYXLA_LINALG_NUM_DTYPES];
  model.integer_bytes = integer_bytes;
  model.asked = asked;
  return FUNCTIONS[target / CYXLA_LINALG_NUM_DTYPES][model.dtype->is_complex];
}
