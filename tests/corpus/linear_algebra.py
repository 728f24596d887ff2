"""Products of matrices, and the factorizations that call LAPACK."""

import jax
import jax.numpy as jnp

from corpus.record import both, diagonally_dominant, normal, single


def product(a, b):
    return a @ b


def batched_product(a, b):
    return jnp.einsum("bij,bjk->bik", a, b)


def cholesky(a):
    return jnp.linalg.cholesky(a @ a.T + jnp.eye(4, dtype=a.dtype))


def solve(a, b):
    return jnp.linalg.solve(a, b)


def solve_triangular(a, b):
    return jax.scipy.linalg.solve_triangular(a, b, lower=True)


def qr(a):
    return jnp.linalg.qr(a)


def eigh_of_symmetrized(a):
    return jnp.linalg.eigh(a + a.T)


def svd(a):
    return jnp.linalg.svd(a)


def inverse_and_determinant(a):
    return jnp.linalg.inv(a), jnp.linalg.det(a)


def matrix_exponential(a):
    return jax.scipy.linalg.expm(a)


PROGRAMS = [
    *both("mm3", product, normal(3, 3), normal(3, 3)),
    *both("mm8", product, normal(8, 8), normal(8, 8)),
    *both("mm64", product, normal(64, 64), normal(64, 64)),
    *both("mm256", product, normal(256, 256), normal(256, 256)),
    *both("mv16", product, normal(16, 16), normal(16)),
    *both("mv256", product, normal(256, 256), normal(256)),
    *both("bmm", batched_product, normal(10, 4, 4), normal(10, 4, 4)),
    *both("chol", cholesky, normal(4, 4), lapack=True),
    *both("solve", solve, normal(4, 4), normal(4), lapack=True),
    *both("trisolve", solve_triangular, diagonally_dominant(4), normal(4), lapack=True),
    single("qr", qr, normal(4, 4), lapack=True),
    single("eigh", eigh_of_symmetrized, normal(4, 4), lapack=True),
    single("svd", svd, normal(4, 3), lapack=True),
    single("inv_det", inverse_and_determinant, normal(3, 3), lapack=True),
    single("expm", matrix_exponential, normal(3, 3), lapack=True),
]
