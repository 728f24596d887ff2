"""Elementwise functions, in which XLA's approximations of libm show."""

import jax
import jax.numpy as jnp

from corpus.record import both, normal


def sin_doubled(x):
    return jnp.sin(x) * 2


def exp_tanh(x, y):
    return jnp.exp(-(x**2)) * jnp.tanh(y)


def exp_tanh_log_sqrt(x, y):
    return exp_tanh(x, y) + jnp.log1p(jnp.abs(x)) * jnp.sqrt(jnp.abs(y))


def special_functions(x):
    return (
        jax.scipy.special.erf(x)
        + jax.scipy.special.gammaln(jnp.abs(x) + 0.1)
        + jnp.arctan2(x, x + 1)
        + jnp.cbrt(x)
    )


PROGRAMS = [
    *both("sin3", sin_doubled, normal(3)),
    *both("ewise", exp_tanh_log_sqrt, normal(100), normal(100)),
    *both("ewise_big", exp_tanh, normal(100_000), normal(100_000)),
    *both("erf_lgamma", special_functions, normal(8)),
]
