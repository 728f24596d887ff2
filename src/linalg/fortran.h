/* The functions of LAPACK and BLAS that cyxla calls, as C sees Fortran's: everything by
 * address, results through arguments, and after the rest the length of each CHARACTER.
 *
 * One type serves all four dtypes of a routine; arrays are void. Integers are int64_t
 * for both widths of INTEGER: this machine's first bytes are the lower ones, so that a
 * function with 4-byte integers reads the same number there. It writes only those,
 * which cyxla_linalg_integer of linalg/call.h allows for. Arrays of integers are as
 * wide as the library's. */
#ifndef CYXLA_LINALG_FORTRAN_H
#define CYXLA_LINALG_FORTRAN_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cyxla_idamax_function(const int64_t *n, const double *x,
                                      const int64_t *incx);

typedef void cyxla_trsm_function(const char *side, const char *uplo, const char *transa,
                                 const char *diag, const int64_t *m, const int64_t *n,
                                 const void *alpha, const void *a, const int64_t *lda,
                                 void *b, const int64_t *ldb, size_t side_length,
                                 size_t uplo_length, size_t transa_length,
                                 size_t diag_length);

typedef void cyxla_potrf_function(const char *uplo, const int64_t *n, void *a,
                                  const int64_t *lda, int64_t *info,
                                  size_t uplo_length);

typedef void cyxla_getrf_function(const int64_t *m, const int64_t *n, void *a,
                                  const int64_t *lda, void *ipiv, int64_t *info);

typedef void cyxla_gtsv_function(const int64_t *n, const int64_t *nrhs, void *dl,
                                 void *d, void *du, void *b, const int64_t *ldb,
                                 int64_t *info);

typedef void cyxla_geqrf_function(const int64_t *m, const int64_t *n, void *a,
                                  const int64_t *lda, void *tau, void *work,
                                  const int64_t *lwork, int64_t *info);

typedef void cyxla_geqp3_function(const int64_t *m, const int64_t *n, void *a,
                                  const int64_t *lda, void *jpvt, void *tau, void *work,
                                  const int64_t *lwork, int64_t *info);

typedef void cyxla_complex_geqp3_function(const int64_t *m, const int64_t *n, void *a,
                                          const int64_t *lda, void *jpvt, void *tau,
                                          void *work, const int64_t *lwork, void *rwork,
                                          int64_t *info);

/* orgqr, ungqr */
typedef void cyxla_orgqr_function(const int64_t *m, const int64_t *n, const int64_t *k,
                                  void *a, const int64_t *lda, const void *tau,
                                  void *work, const int64_t *lwork, int64_t *info);

/* ormqr, unmqr; a is changed meanwhile */
typedef void cyxla_ormqr_function(const char *side, const char *trans, const int64_t *m,
                                  const int64_t *n, const int64_t *k, void *a,
                                  const int64_t *lda, const void *tau, void *c,
                                  const int64_t *ldc, void *work, const int64_t *lwork,
                                  int64_t *info, size_t side_length,
                                  size_t trans_length);

typedef void cyxla_gesdd_function(const char *jobz, const int64_t *m, const int64_t *n,
                                  void *a, const int64_t *lda, void *s, void *u,
                                  const int64_t *ldu, void *vt, const int64_t *ldvt,
                                  void *work, const int64_t *lwork, void *iwork,
                                  int64_t *info, size_t jobz_length);

typedef void cyxla_complex_gesdd_function(
    const char *jobz, const int64_t *m, const int64_t *n, void *a, const int64_t *lda,
    void *s, void *u, const int64_t *ldu, void *vt, const int64_t *ldvt, void *work,
    const int64_t *lwork, void *rwork, void *iwork, int64_t *info, size_t jobz_length);

typedef void cyxla_gesvd_function(const char *jobu, const char *jobvt, const int64_t *m,
                                  const int64_t *n, void *a, const int64_t *lda,
                                  void *s, void *u, const int64_t *ldu, void *vt,
                                  const int64_t *ldvt, void *work, const int64_t *lwork,
                                  int64_t *info, size_t jobu_length,
                                  size_t jobvt_length);

typedef void cyxla_complex_gesvd_function(
    const char *jobu, const char *jobvt, const int64_t *m, const int64_t *n, void *a,
    const int64_t *lda, void *s, void *u, const int64_t *ldu, void *vt,
    const int64_t *ldvt, void *work, const int64_t *lwork, void *rwork, int64_t *info,
    size_t jobu_length, size_t jobvt_length);

typedef void cyxla_syevd_function(const char *jobz, const char *uplo, const int64_t *n,
                                  void *a, const int64_t *lda, void *w, void *work,
                                  const int64_t *lwork, void *iwork,
                                  const int64_t *liwork, int64_t *info,
                                  size_t jobz_length, size_t uplo_length);

typedef void cyxla_heevd_function(const char *jobz, const char *uplo, const int64_t *n,
                                  void *a, const int64_t *lda, void *w, void *work,
                                  const int64_t *lwork, void *rwork,
                                  const int64_t *lrwork, void *iwork,
                                  const int64_t *liwork, int64_t *info,
                                  size_t jobz_length, size_t uplo_length);

typedef void cyxla_geev_function(const char *jobvl, const char *jobvr, const int64_t *n,
                                 void *a, const int64_t *lda, void *wr, void *wi,
                                 void *vl, const int64_t *ldvl, void *vr,
                                 const int64_t *ldvr, void *work, const int64_t *lwork,
                                 int64_t *info, size_t jobvl_length,
                                 size_t jobvr_length);

typedef void cyxla_complex_geev_function(const char *jobvl, const char *jobvr,
                                         const int64_t *n, void *a, const int64_t *lda,
                                         void *w, void *vl, const int64_t *ldvl,
                                         void *vr, const int64_t *ldvr, void *work,
                                         const int64_t *lwork, void *rwork,
                                         int64_t *info, size_t jobvl_length,
                                         size_t jobvr_length);

/* select and bwork are not used without sorting. */
typedef void cyxla_gees_function(const char *jobvs, const char *sort,
                                 const void *select, const int64_t *n, void *a,
                                 const int64_t *lda, int64_t *sdim, void *wr, void *wi,
                                 void *vs, const int64_t *ldvs, void *work,
                                 const int64_t *lwork, void *bwork, int64_t *info,
                                 size_t jobvs_length, size_t sort_length);

typedef void cyxla_complex_gees_function(const char *jobvs, const char *sort,
                                         const void *select, const int64_t *n, void *a,
                                         const int64_t *lda, int64_t *sdim, void *w,
                                         void *vs, const int64_t *ldvs, void *work,
                                         const int64_t *lwork, void *rwork, void *bwork,
                                         int64_t *info, size_t jobvs_length,
                                         size_t sort_length);

typedef void cyxla_gehrd_function(const int64_t *n, const int64_t *ilo,
                                  const int64_t *ihi, void *a, const int64_t *lda,
                                  void *tau, void *work, const int64_t *lwork,
                                  int64_t *info);

/* sytrd, hetrd */
typedef void cyxla_sytrd_function(const char *uplo, const int64_t *n, void *a,
                                  const int64_t *lda, void *d, void *e, void *tau,
                                  void *work, const int64_t *lwork, int64_t *info,
                                  size_t uplo_length);

#endif
