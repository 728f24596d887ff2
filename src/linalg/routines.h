/* What the targets do: one function a routine of LAPACK, for all dtypes.
 *
 * Arguments, results and attributes are those of jaxlib's handlers of the same name.
 * Each returns with the call's error set, or with all results filled in. */
#ifndef CYXLA_LINALG_ROUTINES_H
#define CYXLA_LINALG_ROUTINES_H

#include "linalg/call.h"

/* What LAPACK says of the singular values of a matrix with a NaN, and jaxlib's handlers
 * of the eigenvalues of one that is not finite. It is said of both for all that are not
 * finite, since older versions of LAPACK may iterate for ever. */
enum { CYXLA_LINALG_INFO_NOT_FINITE = -4 };

/* Systems of equations. */
void cyxla_linalg_trsm(cyxla_linalg_call *call);
void cyxla_linalg_gtsv(cyxla_linalg_call *call);
void cyxla_linalg_tridiagonal_perturbed(cyxla_linalg_call *call);

/* Factors. */
void cyxla_linalg_potrf(cyxla_linalg_call *call);
void cyxla_linalg_getrf(cyxla_linalg_call *call);
void cyxla_linalg_geqrf(cyxla_linalg_call *call);
void cyxla_linalg_geqp3(cyxla_linalg_call *call);
void cyxla_linalg_orgqr(cyxla_linalg_call *call); /* orgqr, ungqr */
void cyxla_linalg_ormqr(cyxla_linalg_call *call); /* ormqr, unmqr */

/* Singular values and eigenvalues. */
void cyxla_linalg_gesdd(cyxla_linalg_call *call);
void cyxla_linalg_gesvd(cyxla_linalg_call *call);
void cyxla_linalg_syevd(cyxla_linalg_call *call); /* syevd, heevd */
void cyxla_linalg_geev(cyxla_linalg_call *call);
void cyxla_linalg_gees(cyxla_linalg_call *call);

/* Reductions. */
void cyxla_linalg_gehrd(cyxla_linalg_call *call);
void cyxla_linalg_sytrd(cyxla_linalg_call *call); /* sytrd, hetrd */

/* The product of a sparse matrix and a dense one, which needs no LAPACK. */
void cyxla_linalg_csr_dense(cyxla_linalg_call *call);

static inline int64_t cyxla_linalg_minimum(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline int64_t cyxla_linalg_maximum(int64_t a, int64_t b) {
  return a > b ? a : b;
}

#endif
