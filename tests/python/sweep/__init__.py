"""The sweep: every function of ``jnp.linalg``, ``jax.scipy.linalg``, ``jax.lax.linalg``
and ``jax.experimental.sparse``, with arguments of four dtypes.

Nothing is started or traced by the import. ``CASES`` holds each function under its
name, such as ``"jnp.linalg.qr, wide"``, where what follows the comma tells cases of one
function apart.
"""

from sweep import lax_linalg, numpy_linalg, scipy_linalg, sparse_matrices
from sweep.cases import DTYPES, MODES, Case
from sweep.modes import (
    arguments_of,
    function_of,
    has_products,
    pairs_of,
    sample_of,
    together,
)

MODULES = {
    "jnp.linalg": numpy_linalg.CASES,
    "jax.scipy.linalg": scipy_linalg.CASES,
    "jax.lax.linalg": lax_linalg.CASES,
    "jax.experimental.sparse": sparse_matrices.CASES,
}

CASES = {
    f"{module}.{name}": case
    for module, cases in MODULES.items()
    for name, case in cases.items()
}

# What the modules have besides, and why it is not swept.
NOT_SWEPT = {
    "jax.experimental.sparse.JAXSparse": "the base class of the formats",
    "jax.experimental.sparse.SparseTracer": "what sparsify traces functions with",
}

__all__ = [
    "CASES",
    "DTYPES",
    "MODES",
    "NOT_SWEPT",
    "Case",
    "arguments_of",
    "function_of",
    "has_products",
    "pairs_of",
    "sample_of",
    "together",
]
