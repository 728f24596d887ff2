/* A LAPACK that has what cyxla asks a library for to see what it is, and nothing else.
 *
 * LAPACK_INTEGER and BLAS_INTEGER are the types of Fortran's INTEGER in its two parts,
 * DECORATED(name) says how names are written, WITHOUT_LAPACK leaves that out, and
 * COMPLETE adds names of more functions. */
#include <stddef.h>
#include <stdint.h>

#ifndef BLAS_INTEGER
#define BLAS_INTEGER LAPACK_INTEGER
#endif
#ifndef DECORATED
#define DECORATED(name) name##_
#endif

BLAS_INTEGER DECORATED(idamax)(const BLAS_INTEGER *n, const double *x,
                               const BLAS_INTEGER *incx);
BLAS_INTEGER DECORATED(idamax)(const BLAS_INTEGER *n, const double *x,
                               const BLAS_INTEGER *incx) {
  (void)x;
  (void)incx;
  return *n > 0 ? 1 : 0;
}

#ifndef WITHOUT_LAPACK
void DECORATED(dpotrf)(const char *uplo, const LAPACK_INTEGER *n, double *a,
                       const LAPACK_INTEGER *lda, LAPACK_INTEGER *info, size_t length);
void DECORATED(dpotrf)(const char *uplo, const LAPACK_INTEGER *n, double *a,
                       const LAPACK_INTEGER *lda, LAPACK_INTEGER *info, size_t length) {
  (void)uplo;
  (void)n;
  (void)a;
  (void)lda;
  (void)length;
  *info = LAPACK_RESULT;
}
#endif

#ifdef COMPLETE
/* What else a library is asked for to see whether it is complete; never called. */
#define DEFINE(name)          \
  void DECORATED(name)(void); \
  void DECORATED(name)(void) {}
DEFINE(cgesdd)
DEFINE(dgees)
DEFINE(sgtsv)
DEFINE(zgeev)
DEFINE(zheevd)
DEFINE(zunmqr)
#endif
