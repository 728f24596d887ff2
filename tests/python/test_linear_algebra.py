"""Linear algebra: what jaxlib's LAPACK kernels compute, in the plugin as in JAX.

Both call the same kernels, so this tests that everything arrives where it should. Sums
around the calls may be fused in another order, so results are equal to rounding.
"""

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_equal_to_rounding
from jax.experimental import sparse

pytestmark = pytest.mark.usefixtures("x64")

DTYPES = ["float32", "float64", "complex64", "complex128"]


def definite(a):
    """A Hermitian, positive definite matrix."""
    return a @ a.conj().T + a.shape[-1] * jnp.eye(a.shape[-1], dtype=a.dtype)


FUNCTIONS = {
    "cholesky": lambda a: jnp.linalg.cholesky(definite(a)),
    "cho_solve": lambda a: jax.scipy.linalg.cho_solve(
        jax.scipy.linalg.cho_factor(definite(a)), a[0]
    ),
    "det": jnp.linalg.det,
    "eig": jnp.linalg.eig,
    "eigh": lambda a: jnp.linalg.eigh(a + a.conj().T),
    "eigvals": jnp.linalg.eigvals,
    "eigvalsh": lambda a: jnp.linalg.eigvalsh(a + a.conj().T),
    "expm": jax.scipy.linalg.expm,
    "hessenberg": jax.scipy.linalg.hessenberg,
    "inv": jnp.linalg.inv,
    "lstsq": lambda a: jnp.linalg.lstsq(a, a[0])[0],
    "lu": jax.scipy.linalg.lu,
    "lu_solve": lambda a: jax.scipy.linalg.lu_solve(
        jax.scipy.linalg.lu_factor(a), a[0]
    ),
    "matrix_rank": jnp.linalg.matrix_rank,
    "pinv": jnp.linalg.pinv,
    "polar": lambda a: jax.scipy.linalg.polar(a, method="svd"),
    "qr": jnp.linalg.qr,
    "qr_complete": lambda a: jnp.linalg.qr(a[:, :3], mode="complete"),
    "qr_pivoting": lambda a: jax.scipy.linalg.qr(a, pivoting=True),
    "schur": jax.scipy.linalg.schur,
    "slogdet": jnp.linalg.slogdet,
    "solve": lambda a: jnp.linalg.solve(a, a[0]),
    "solve_triangular": lambda a: jax.scipy.linalg.solve_triangular(
        a + 4 * jnp.eye(a.shape[-1], dtype=a.dtype), a[0], lower=True
    ),
    "sqrtm": lambda a: jax.scipy.linalg.sqrtm(definite(a)),
    "svd": jnp.linalg.svd,
    "svdvals": jnp.linalg.svdvals,
    "tridiagonal": lambda a: jax.lax.linalg.tridiagonal(a + a.conj().T),
}

# Functions that are also batched and differentiated.
BATCHED = ["cholesky", "det", "eigh", "inv", "qr", "solve", "svd"]
DIFFERENTIATED = ["cholesky", "det", "inv", "slogdet", "solve", "svdvals"]


def matrix(dtype, *batch):
    """A matrix whose eigenvalues and singular values are well apart."""
    rng = np.random.default_rng(5)
    shape = (*batch, 4, 4)
    array = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        array = array + 1j * rng.standard_normal(shape)
    return array.astype(dtype)


def expect_what_jit_gives(function, *arguments):
    found = cx.compile(function, *arguments)(*arguments)
    expected = jax.jit(function)(*arguments)
    leaves = zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)
    for one, other in leaves:
        assert_equal_to_rounding(one, other)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_gives_what_jit_gives(name, dtype):
    expect_what_jit_gives(FUNCTIONS[name], matrix(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BATCHED)
def test_function_gives_what_jit_gives_under_vmap(name, dtype):
    expect_what_jit_gives(jax.vmap(FUNCTIONS[name]), matrix(dtype, 3))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_gradient_gives_what_jit_gives(name, dtype):
    function = FUNCTIONS[name]

    def total(a):
        return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(function(a)))

    expect_what_jit_gives(jax.grad(total), matrix(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sparse_matrices_give_what_jit_gives(dtype):
    dense = matrix(dtype) * (np.arange(16).reshape(4, 4) % 3 == 0)
    for kind in (sparse.BCOO, sparse.CSR):
        sparse_matrix = kind.fromdense(dense)
        expect_what_jit_gives(lambda v, m=sparse_matrix: m @ v, dense[0])


def test_matrices_that_are_none_give_nan_as_in_jax():
    indefinite = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert np.isnan(cx.compile(jnp.linalg.cholesky, indefinite)(indefinite)).any()


def test_a_large_matrix_is_factored():
    a = np.random.default_rng(1).standard_normal((100, 100))
    expect_what_jit_gives(lambda a: jnp.linalg.cholesky(definite(a)), a)
