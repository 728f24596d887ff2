"""The record of a corpus program, and the makers of its arguments.

A maker is a function of a random generator and of the dtype that the program is made
for. The generator is seeded with the program's name, so that the arguments of a program
do not depend on those before it.
"""

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class CorpusProgram(NamedTuple):
    """A function with example arguments, NumPy arrays and scalars."""

    name: str
    function: Callable
    arguments: tuple
    lapack: bool = False


def single(name, function, *makers, dtype=np.float64, lapack=False):
    """A program whose arguments are made for one dtype."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    arguments = tuple(make(generator, np.dtype(dtype)) for make in makers)
    return CorpusProgram(name, function, arguments, lapack)


def both(name, function, *makers, lapack=False):
    """A program in single and in double precision, named with _f32 and _f64."""
    return [
        single(f"{name}_f32", function, *makers, dtype=np.float32, lapack=lapack),
        single(f"{name}_f64", function, *makers, dtype=np.float64, lapack=lapack),
    ]


def normal(*shape, scale=1.0):
    """Normally distributed numbers."""
    return lambda generator, dtype: (scale * generator.standard_normal(shape)).astype(
        dtype
    )


def sorted_normal(size):
    """Normally distributed numbers in rising order."""
    return lambda generator, dtype: np.sort(generator.standard_normal(size)).astype(
        dtype
    )


def above_one():
    """One number that is larger than one."""
    return lambda generator, dtype: dtype.type(1 + abs(generator.standard_normal()))


def identity(size):
    """The identity matrix."""
    return lambda generator, dtype: np.eye(size, dtype=dtype)


def diagonally_dominant(size):
    """A random matrix whose diagonal keeps it well away from singular."""
    return lambda generator, dtype: (
        generator.standard_normal((size, size)) + size * np.eye(size)
    ).astype(dtype)


def number(value):
    """A scalar of the program's dtype."""
    return lambda generator, dtype: dtype.type(value)


def fixed(value):
    """A scalar or array of a dtype of its own."""
    return lambda generator, dtype: value


def integers(low, high, *shape, dtype=np.int32):
    """Integers from low to below high, of a dtype of their own."""
    return lambda generator, _: generator.integers(low, high, shape).astype(dtype)


def sorted_integers(low, high, size):
    """32-bit integers from low to below high in rising order."""
    return lambda generator, _: np.sort(generator.integers(low, high, size)).astype(
        np.int32
    )
