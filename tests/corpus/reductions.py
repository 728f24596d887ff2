"""Reductions, scans over an axis, and sorting."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from corpus.record import both, normal, single


def sum_max_mean_argmax(x):
    return jnp.sum(x), jnp.max(x, axis=0), jnp.mean(x, axis=1), jnp.argmax(x)


def softmax(x):
    return jax.nn.softmax(x)


def logsumexp(x):
    return jax.nn.logsumexp(x)


def cumulative_sum(x):
    return jnp.cumsum(x)


def sort(x):
    return jnp.sort(x)


def argsort(x):
    return jnp.argsort(x)


def largest_four(x):
    return lax.top_k(x, 4)


PROGRAMS = [
    *both("reduce", sum_max_mean_argmax, normal(32, 17)),
    *both("softmax", softmax, normal(4, 32)),
    *both("logsumexp", logsumexp, normal(64)),
    *both("cumsum", cumulative_sum, normal(64)),
    *both("sort", sort, normal(32)),
    single("argsort", argsort, normal(32), dtype=np.float32),
    single("topk", largest_four, normal(32), dtype=np.float32),
]
