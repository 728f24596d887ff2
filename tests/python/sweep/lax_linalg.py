"""The cases of ``jax.lax.linalg``, which reach what the others do not."""

import jax

from sweep.cases import (
    COMPLEX,
    DERIVATIVES,
    array,
    case,
    definite,
    dominant,
    filled,
    hermitian,
    large_diagonal,
)

linalg = jax.lax.linalg


def householder_product(a):
    """The product of the reflectors of a Hessenberg form, which is its Q."""
    reflectors, taus = linalg.hessenberg(a)
    return linalg.householder_product(reflectors[1:, :-1], taus)


CASES = {
    "cholesky": case(linalg.cholesky, definite(4)),
    "cholesky_update": case(
        linalg.cholesky_update,
        dominant(4, False),
        array(4),
        lacks=f"vmap, {DERIVATIVES}, {COMPLEX}",
    ),
    "eig": case(linalg.eig, array(4, 4), lacks=DERIVATIVES),
    "eig, right only": case(
        lambda a: linalg.eig(a, compute_left_eigenvectors=False),
        array(4, 4),
        lacks=DERIVATIVES,
    ),
    "eigh": case(linalg.eigh, hermitian(4)),
    "hessenberg": case(linalg.hessenberg, array(5, 5), lacks=DERIVATIVES),
    "hessenberg, NaN": case(
        linalg.hessenberg, filled(float("nan"), 3, 3), lacks=DERIVATIVES
    ),
    "householder_product": case(householder_product, array(4, 4), lacks=DERIVATIVES),
    "lu": case(linalg.lu, array(4, 3)),
    "lu_pivots_to_permutation": case(
        lambda a: linalg.lu_pivots_to_permutation(linalg.lu(a)[1], 4), array(4, 4)
    ),
    "ormqr": case(linalg.ormqr, array(4, 3), array(3), array(4, 2), lacks=DERIVATIVES),
    "ormqr, right": case(
        lambda a, taus, c: linalg.ormqr(a, taus, c, left=False, transpose=True),
        array(4, 3),
        array(3),
        array(2, 4),
        lacks=DERIVATIVES,
    ),
    "qdwh": case(linalg.qdwh, array(4, 4), lacks="grad"),
    "qr": case(lambda a: linalg.qr(a, full_matrices=False), array(5, 3)),
    "qr, pivoting": case(
        lambda a: linalg.qr(a, pivoting=True, full_matrices=False), array(5, 3)
    ),
    "schur": case(linalg.schur, array(4, 4), lacks=DERIVATIVES),
    "svd": case(linalg.svd, array(4, 4)),
    "svd, QR": case(
        lambda a: linalg.svd(a, full_matrices=False, algorithm=linalg.SvdAlgorithm.QR),
        array(4, 3),
    ),
    "symmetric_product": case(
        linalg.symmetric_product,
        array(4, 3),
        hermitian(4),
        lacks=f"{DERIVATIVES}, {COMPLEX}",
    ),
    "triangular_solve": case(
        lambda a, b: linalg.triangular_solve(a, b, lower=True, conjugate_a=True),
        dominant(4, True),
        array(3, 4),
    ),
    "tridiagonal": case(linalg.tridiagonal, hermitian(5), lacks=DERIVATIVES),
    "tridiagonal, upper": case(
        lambda a: linalg.tridiagonal(a, lower=False), hermitian(5), lacks=DERIVATIVES
    ),
    "tridiagonal_solve": case(
        linalg.tridiagonal_solve,
        array(5),
        large_diagonal(5),
        array(5),
        array(5, 2),
    ),
    "tridiagonal_solve, perturbed": case(
        lambda dl, d, du, b: linalg.tridiagonal_solve(
            dl, d, du, b, perturb_singular=True
        ),
        array(5),
        large_diagonal(5),
        array(5),
        array(5, 2),
    ),
}
