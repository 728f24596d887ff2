"""Reads and writes at indices, some of which are only known at run time."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from corpus.record import (
    both,
    fixed,
    integers,
    normal,
    single,
    sorted_integers,
    sorted_normal,
)


def gather(x, indices):
    return x[indices]


def scatter_add(x, indices, values):
    return x.at[indices].add(values)


def interpolate(x, points, values):
    return jnp.interp(x, points, values)


def search_sorted(points, x):
    return jnp.searchsorted(points, x)


def sparse_matrix_vector(values, columns, rows, x):
    return jax.ops.segment_sum(values * x[columns], rows, num_segments=20)


def into_zeros(x):
    return jnp.zeros((8,)).at[2:5].set(x)


def dynamic_slices(x, start):
    return (
        lax.dynamic_slice(x, (start,), (3,)),
        lax.dynamic_update_slice(x, x[:2] * 2, (start,)),
    )


def add_to_first(x):
    return x.at[0].add(1.0)


PROGRAMS = [
    *both("gather", gather, normal(64), integers(0, 64, 10)),
    *both("scatter", scatter_add, normal(64), integers(0, 64, 10), normal(10)),
    single("interp", interpolate, normal(5), sorted_normal(20), normal(20)),
    single("searchsorted", search_sorted, sorted_normal(20), normal(5)),
    single(
        "spmv",
        sparse_matrix_vector,
        normal(60),
        integers(0, 20, 60),
        sorted_integers(0, 20, 60),
        normal(20),
    ),
    single("zeros_init", into_zeros, normal(3)),
    single("dynslice", dynamic_slices, normal(10), fixed(np.int32(2))),
    single("donate_like", add_to_first, normal(1000)),
]
