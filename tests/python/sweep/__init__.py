"""The sweep: every function of ``jnp.linalg``, ``jax.scipy.linalg``, ``jax.lax.linalg``
and ``jax.experimental.sparse``, with arguments of four dtypes.

Nothing is started or traced by the import. ``CASES`` holds each function under its
name, such as ``"jnp.linalg.qr, wide"``, where what follows the comma tells cases of one
function apart.
"""

from sweep import lax_linalg, numpy_linalg, scipy_linalg, sparse_matrices
from sweep.cases import DTYPES, MODES, Case
from sweep.modes import arguments_of, function_of

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

__all__ = ["CASES", "DTYPES", "MODES", "Case", "arguments_of", "function_of"]
