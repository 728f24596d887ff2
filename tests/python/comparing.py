"""Comparison of results with those of JAX."""

from importlib.metadata import version

import jax
import numpy as np

# jaxlib compiles with its own copy of XLA. Where it is of the plugin's version both
# make the same machine code, and results are the same bits. Other versions choose other
# instructions and other orders of summation.
IS_EXACT = version("jaxlib") == version("lammps-jax-pjrt-cpu")

# In units of the last place of the largest number of an array, since sums of many
# numbers that cancel are part of most programs.
ROUNDING_UNITS = 256


def assert_same_bits(found, expected):
    """Dtype, shape and every byte are equal, also those of NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if found.tobytes() != expected.tobytes():
        np.testing.assert_array_equal(found, expected)  # shows where, unless by sign
        raise AssertionError(f"the bits of {found} and {expected} differ")


def assert_equal_to_rounding(found, expected):
    """Dtype and shape are equal, and numbers to a few units in the last place."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if found.dtype.kind in "biu":
        np.testing.assert_array_equal(found, expected)
        return
    unit = float(jax.numpy.finfo(found.dtype).eps)
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    finite = np.abs(expected[np.isfinite(expected)])
    largest = max(1.0, finite.max(initial=0.0))
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=ROUNDING_UNITS * unit * largest
    )


def leaves_of(found, expected):
    """The arrays of two results in pairs."""
    return zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)


def assert_equal_to_jax(found, expected):
    """As equal as the versions of jaxlib and of the plugin allow."""
    compare = assert_same_bits if IS_EXACT else assert_equal_to_rounding
    for one, other in leaves_of(found, expected):
        compare(one, other)


def largest_difference(found, expected):
    """The largest absolute difference of two results' numbers, 0 where all are equal.
    Infinite where one is NaN and the other is not. Dtypes and shapes have to be equal,
    the bits of NaN need not."""
    largest = 0.0
    for one, other in leaves_of(found, expected):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if not np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"):
            difference = np.abs(one.astype(np.complex128) - other)
            apart = difference[~(np.isnan(one) & np.isnan(other)) & (one != other)]
            largest = max(largest, *np.nan_to_num(apart, nan=np.inf, posinf=np.inf))
    return float(largest)
