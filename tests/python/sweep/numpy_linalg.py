"""The cases of ``jnp.linalg``."""

import jax.numpy as jnp

from sweep.cases import (
    COMPLEX,
    DERIVATIVES,
    array,
    case,
    definite,
    dominant,
    filled,
    hermitian,
)

linalg = jnp.linalg

CASES = {
    "cholesky": case(linalg.cholesky, definite(4)),
    "cholesky, upper": case(lambda a: linalg.cholesky(a, upper=True), definite(4)),
    "cholesky, 100 x 100": case(linalg.cholesky, definite(100)),
    "cholesky, 0 x 0": case(linalg.cholesky, array(0, 0)),
    "cholesky, not definite": case(linalg.cholesky, filled(-1, 3, 3)),
    "cholesky, NaN": case(linalg.cholesky, filled(jnp.nan, 3, 3)),
    "cond": case(linalg.cond, array(4, 4)),
    "cond, 1": case(lambda a: linalg.cond(a, 1), array(4, 4)),
    "cross": case(linalg.cross, array(2, 3), array(2, 3)),
    "det": case(linalg.det, array(4, 4)),
    "det, 3 x 3": case(linalg.det, array(3, 3)),
    "diagonal": case(linalg.diagonal, array(3, 4)),
    "eig": case(linalg.eig, array(4, 4), lacks=DERIVATIVES),
    "eig, NaN": case(linalg.eig, filled(jnp.nan, 3, 3), lacks=DERIVATIVES),
    "eigh": case(linalg.eigh, hermitian(4)),
    "eigh, 100 x 100": case(linalg.eigh, hermitian(100)),
    "eigh, upper": case(lambda a: linalg.eigh(a, UPLO="U"), hermitian(4)),
    "eigh, NaN": case(linalg.eigh, filled(jnp.nan, 3, 3)),
    "eigvals": case(linalg.eigvals, array(4, 4)),
    "eigvalsh": case(linalg.eigvalsh, hermitian(4)),
    "inv": case(linalg.inv, array(4, 4)),
    "inv, singular": case(linalg.inv, filled(1, 3, 3)),
    "lstsq": case(linalg.lstsq, array(5, 3), array(5)),
    "lstsq, several": case(linalg.lstsq, array(5, 3), array(5, 2)),
    "lstsq, wide": case(linalg.lstsq, array(3, 5), array(3)),
    "matmul": case(linalg.matmul, array(3, 4), array(4, 5)),
    "matrix_norm": case(linalg.matrix_norm, array(3, 4)),
    "matrix_norm, nuclear": case(
        lambda a: linalg.matrix_norm(a, ord="nuc"), array(3, 4)
    ),
    "matrix_power": case(lambda a: linalg.matrix_power(a, 5), array(4, 4)),
    "matrix_power, negative": case(lambda a: linalg.matrix_power(a, -2), array(4, 4)),
    "matrix_rank": case(linalg.matrix_rank, array(4, 3)),
    "matrix_transpose": case(linalg.matrix_transpose, array(3, 4)),
    "multi_dot": case(
        lambda a, b, c: linalg.multi_dot([a, b, c]), array(3, 4), array(4, 2), array(2)
    ),
    "norm": case(linalg.norm, array(3, 4)),
    "norm, 2": case(lambda a: linalg.norm(a, 2), array(3, 4)),
    "norm, -inf": case(lambda a: linalg.norm(a, -jnp.inf), array(3, 4)),
    "outer": case(linalg.outer, array(3), array(4)),
    "pinv": case(linalg.pinv, array(4, 3)),
    "pinv, Hermitian": case(lambda a: linalg.pinv(a, hermitian=True), hermitian(4)),
    "qr": case(linalg.qr, array(5, 3)),
    "qr, wide": case(linalg.qr, array(3, 5)),
    "qr, complete": case(lambda a: linalg.qr(a, mode="complete"), array(5, 3)),
    "qr, R only": case(lambda a: linalg.qr(a, mode="r"), array(5, 3)),
    "qr, 100 x 50": case(linalg.qr, array(100, 50)),
    "qr, 0 x 3": case(linalg.qr, array(0, 3)),
    "slogdet": case(linalg.slogdet, array(4, 4)),
    "slogdet, QR": case(
        lambda a: linalg.slogdet(a, method="qr"), array(4, 4), lacks=COMPLEX
    ),
    "solve": case(linalg.solve, array(4, 4), array(4)),
    "solve, several": case(linalg.solve, array(4, 4), array(4, 3)),
    "solve, 100 x 100": case(linalg.solve, dominant(100), array(100)),
    "solve, NaN": case(linalg.solve, filled(jnp.nan, 3, 3), array(3)),
    "svd": case(linalg.svd, array(4, 4)),
    "svd, tall": case(lambda a: linalg.svd(a, full_matrices=False), array(5, 3)),
    "svd, wide": case(lambda a: linalg.svd(a, full_matrices=False), array(3, 5)),
    "svd, full": case(linalg.svd, array(5, 3), lacks=DERIVATIVES),
    "svd, Hermitian": case(lambda a: linalg.svd(a, hermitian=True), hermitian(4)),
    "svd, 100 x 50": case(lambda a: linalg.svd(a, full_matrices=False), array(100, 50)),
    "svd, 0 x 3": case(lambda a: linalg.svd(a, full_matrices=False), array(0, 3)),
    "svd, NaN": case(linalg.svd, filled(jnp.nan, 3, 3)),
    "svdvals": case(linalg.svdvals, array(5, 3)),
    "tensordot": case(
        lambda a, b: linalg.tensordot(a, b, axes=2), array(2, 3, 4), array(3, 4, 5)
    ),
    "tensorinv": case(linalg.tensorinv, array(2, 3, 3, 2)),
    "tensorsolve": case(linalg.tensorsolve, array(2, 3, 6), array(2, 3)),
    "trace": case(linalg.trace, array(3, 4)),
    "vecdot": case(linalg.vecdot, array(3, 4), array(3, 4)),
    "vector_norm": case(linalg.vector_norm, array(5)),
    "vector_norm, 3": case(lambda a: linalg.vector_norm(a, ord=3), array(5)),
}
