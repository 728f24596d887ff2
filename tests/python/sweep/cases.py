"""What a case of the sweep is: a function, and how its arguments are made."""

import dataclasses
from collections.abc import Callable

import numpy as np

DTYPES = ["float32", "float64", "complex64", "complex128"]
MODES = ["plain", "vmap", "jvp", "grad"]
BATCH_SIZE = 3

# What JAX often lacks.
COMPLEX = "complex64, complex128"
DERIVATIVES = "jvp, grad"


@dataclasses.dataclass(frozen=True)
class Case:
    """A function of arrays, with a maker ``(rng, dtype) -> array`` for each argument.

    ``lacks`` holds what JAX itself does not do: a dtype, a mode, or both as in
    ``"complex64 grad"``.
    """

    function: Callable
    makers: tuple
    lacks: frozenset = frozenset()

    def arguments(self, dtype, seed=0):
        """The arguments, the same ones for the same seed."""
        rng = np.random.default_rng(seed)
        return tuple(maker(rng, dtype) for maker in self.makers)

    def batched_arguments(self, dtype):
        """Arguments with one more dimension in front."""
        batch = [self.arguments(dtype, seed) for seed in range(BATCH_SIZE)]
        return tuple(np.stack(arrays) for arrays in zip(*batch, strict=True))

    def is_supported(self, mode, dtype):
        """Whether JAX does that."""
        return self.lacks.isdisjoint({mode, dtype, f"{dtype} {mode}"})


def case(function, *makers, lacks=""):
    """A case; ``lacks`` separates with commas what JAX does not do."""
    lacking = frozenset(part.strip() for part in lacks.split(",") if part)
    return Case(function, makers, lacking)


def numbers(rng, dtype, shape):
    """Normally distributed numbers, also in the imaginary part."""
    array = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        array = array + 1j * rng.standard_normal(shape)
    return array.astype(dtype)


def array(*shape):
    """Any numbers: the singular values of such a matrix are well apart."""
    return lambda rng, dtype: numbers(rng, dtype, shape)


def definite(n):
    """A Hermitian, positive definite matrix."""

    def make(rng, dtype):
        a = numbers(rng, dtype, (n, n))
        return (a @ a.conj().T + n * np.eye(n)).astype(dtype)

    return make


def hermitian(n):
    """A Hermitian matrix."""

    def make(rng, dtype):
        a = numbers(rng, dtype, (n, n))
        return (a + a.conj().T).astype(dtype)

    return make


def dominant(n, lower=None):
    """A matrix that is well conditioned; a triangle of it unless ``lower`` is None."""

    def make(rng, dtype):
        a = (numbers(rng, dtype, (n, n)) + 2 * n * np.eye(n)).astype(dtype)
        return a if lower is None else np.tril(a) if lower else np.triu(a)

    return make


def small(n):
    """A matrix of a small norm, for series."""
    return lambda rng, dtype: (numbers(rng, dtype, (n, n)) / 8).astype(dtype)


def large_diagonal(n):
    """The diagonal of a tridiagonal matrix that is well conditioned."""
    return lambda rng, dtype: (numbers(rng, dtype, (n,)) + 8).astype(dtype)


def real(*shape):
    """Real numbers of the precision of the dtype."""

    def make(rng, dtype):
        return np.real(numbers(rng, dtype, shape)).copy()

    return make


def sparse(m, n):
    """A matrix with zeros at the same places, whatever the numbers: every row has one
    other element, rows are not empty."""

    def make(rng, dtype):
        rows, columns = np.indices((m, n))
        kept = (rows + 2 * columns) % 3 == 0
        return (numbers(rng, dtype, (m, n)) + 4) * kept

    return lambda rng, dtype: make(rng, dtype).astype(dtype)


def filled(value, *shape):
    """The same number everywhere."""
    return lambda rng, dtype: np.full(shape, value, dtype)
