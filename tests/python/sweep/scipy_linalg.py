"""The cases of ``jax.scipy.linalg``."""

import jax
import jax.numpy as jnp

from sweep.cases import (
    COMPLEX,
    DERIVATIVES,
    array,
    case,
    definite,
    dominant,
    hermitian,
    large_diagonal,
    real,
    small,
)

linalg = jax.scipy.linalg


def constant(make):
    """A case of a matrix that depends on no array, times a number."""
    return case(lambda x: make().astype(x.dtype) * x, array())


FACTORS = {
    "cho_factor": case(linalg.cho_factor, definite(4)),
    "cho_solve": case(
        lambda a, b: linalg.cho_solve((a, True), b), dominant(4, True), array(4)
    ),
    "cholesky": case(linalg.cholesky, definite(4)),
    "cholesky, lower": case(lambda a: linalg.cholesky(a, lower=True), definite(4)),
    "det": case(linalg.det, array(5, 5)),
    "eigh": case(linalg.eigh, hermitian(4)),
    "eigh, values": case(lambda a: linalg.eigh(a, eigvals_only=True), hermitian(4)),
    "eigh_tridiagonal": case(
        lambda d, e: linalg.eigh_tridiagonal(d, e, eigvals_only=True),
        real(4),
        array(3),
        lacks=f"grad, {COMPLEX}",
    ),
    # A derivative depends on where its iteration ends, which rounding decides.
    "eigh_tridiagonal, vectors": case(
        lambda d, e: linalg.eigh_tridiagonal(*jax.lax.stop_gradient((d, e))),
        real(4),
        array(3),
        lacks=COMPLEX,
    ),
    "hessenberg": case(linalg.hessenberg, array(4, 4), lacks=DERIVATIVES),
    "hessenberg, Q": case(
        lambda a: linalg.hessenberg(a, calc_q=True), array(4, 4), lacks=DERIVATIVES
    ),
    "inv": case(linalg.inv, array(4, 4)),
    "lu": case(linalg.lu, array(4, 4)),
    "lu, tall": case(linalg.lu, array(5, 3)),
    "lu, permuted": case(lambda a: linalg.lu(a, permute_l=True), array(3, 5)),
    "lu_factor": case(linalg.lu_factor, array(4, 4)),
    "lu_solve": case(
        lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b), array(4, 4), array(4)
    ),
    "lu_solve, transposed": case(
        lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b, trans=2),
        array(4, 4),
        array(4, 2),
    ),
    "polar": case(linalg.polar, array(4, 4), lacks="grad"),
    "polar, SVD": case(lambda a: linalg.polar(a, method="svd"), array(5, 3)),
    "qr": case(linalg.qr, array(4, 4)),
    "qr, economic": case(lambda a: linalg.qr(a, mode="economic"), array(5, 3)),
    "qr, pivoting": case(lambda a: linalg.qr(a, pivoting=True), array(4, 4)),
    "qr, pivoting, wide": case(
        lambda a: linalg.qr(a, mode="r", pivoting=True), array(3, 5)
    ),
    "qr_multiply": case(
        linalg.qr_multiply, array(4, 4), array(3, 4), lacks=DERIVATIVES
    ),
    "qr_multiply, left": case(
        lambda a, c: linalg.qr_multiply(a, c, mode="left"),
        array(5, 3),
        array(3, 2),
        lacks=DERIVATIVES,
    ),
    "qr_multiply, conjugate": case(
        lambda a, c: linalg.qr_multiply(a, c, conjugate=True, pivoting=True),
        array(4, 4),
        array(3, 4),
        lacks=DERIVATIVES,
    ),
    "rsf2csf": case(
        lambda a: linalg.rsf2csf(*linalg.schur(a)), array(4, 4), lacks=DERIVATIVES
    ),
    "schur": case(linalg.schur, array(4, 4), lacks=DERIVATIVES),
    "schur, complex": case(
        lambda a: linalg.schur(a, output="complex"), array(4, 4), lacks=DERIVATIVES
    ),
    "svd": case(linalg.svd, array(4, 4)),
    "svd, gesvd": case(
        lambda a: linalg.svd(a, full_matrices=False, lapack_driver="gesvd"),
        array(5, 3),
    ),
}

EQUATIONS = {
    "solve": case(linalg.solve, array(4, 4), array(4)),
    "solve, positive": case(
        lambda a, b: linalg.solve(a, b, assume_a="pos"), definite(4), array(4, 2)
    ),
    "solve_sylvester": case(
        linalg.solve_sylvester, dominant(3), dominant(4), array(3, 4), lacks=DERIVATIVES
    ),
    "solve_sylvester, eigen": case(
        lambda a, b, c: linalg.solve_sylvester(a, b, c, method="eigen"),
        dominant(3),
        dominant(4),
        array(3, 4),
        lacks=DERIVATIVES,
    ),
    "solve_triangular": case(linalg.solve_triangular, dominant(4, False), array(4)),
    "solve_triangular, lower": case(
        lambda a, b: linalg.solve_triangular(a, b, trans="C", lower=True),
        dominant(4, True),
        array(4, 2),
    ),
    "solve_triangular, unit": case(
        lambda a, b: linalg.solve_triangular(a, b, trans=1, unit_diagonal=True),
        dominant(4, False),
        array(4),
    ),
}

FUNCTIONS = {
    "expm": case(linalg.expm, array(4, 4)),
    "expm, triangular": case(
        lambda a: linalg.expm(jnp.triu(a), upper_triangular=True), small(4)
    ),
    "expm_frechet": case(linalg.expm_frechet, small(4), array(4, 4)),
    "funm": case(
        lambda a: linalg.funm(a, jnp.sin, disp=False), array(4, 4), lacks=DERIVATIVES
    ),
    "sqrtm": case(linalg.sqrtm, definite(4), lacks=DERIVATIVES),
}

MATRICES = {
    "block_diag": case(linalg.block_diag, array(2, 3), array(1, 2), array(2, 2)),
    "circulant": case(linalg.circulant, array(4)),
    "companion": case(linalg.companion, large_diagonal(4)),
    "convolution_matrix": case(
        lambda a: linalg.convolution_matrix(a, 4, mode="same"), array(3)
    ),
    "dft": case(lambda x: linalg.dft(4, scale="sqrtn") * x, array()),
    "fiedler": case(linalg.fiedler, array(4)),
    "fiedler_companion": case(linalg.fiedler_companion, large_diagonal(5)),
    "hadamard": constant(lambda: linalg.hadamard(4)),
    "hankel": case(linalg.hankel, array(4), array(3)),
    "helmert": constant(lambda: linalg.helmert(4)),
    "hilbert": constant(lambda: linalg.hilbert(4)),
    "invhilbert": constant(lambda: linalg.invhilbert(4)),
    "invpascal": constant(lambda: linalg.invpascal(4)),
    "leslie": case(linalg.leslie, array(4), array(3)),
    "pascal": constant(lambda: linalg.pascal(4)),
    "toeplitz": case(linalg.toeplitz, array(4), array(3)),
}

CASES = {**FACTORS, **EQUATIONS, **FUNCTIONS, **MATRICES}
