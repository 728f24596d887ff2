"""The test corpus: JAX functions of the kinds that native programs embed.

``PROGRAMS`` lists them. Tracing them needs 64-bit types (``jax.enable_x64``). Those
with ``lapack`` set lower to custom calls of LAPACK, which a plugin does not have of its
own.
"""

from corpus import (
    control_flow,
    derivatives,
    dtypes,
    elementwise,
    indexing,
    linear_algebra,
    networks,
    physics,
    random_numbers,
    reductions,
    signals,
    signatures,
)

MODULES = [
    elementwise,
    reductions,
    linear_algebra,
    networks,
    derivatives,
    control_flow,
    physics,
    signals,
    indexing,
    random_numbers,
    dtypes,
    signatures,
]

PROGRAMS = [program for module in MODULES for program in module.PROGRAMS]
