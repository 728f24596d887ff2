"""Loops with and without a known number of turns, and branches."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from corpus.record import above_one, both, fixed, normal, number, single


def scan_decay(x, inputs):
    return lax.scan(lambda c, u: (0.9 * c + jnp.sin(u), c.sum()), x, inputs)


def gradient_of_scan(x, inputs):
    def last(x):
        carry, _ = lax.scan(lambda c, u: (jnp.tanh(c * 0.9 + u), None), x, inputs)
        return carry.sum()

    return jax.grad(last)(x)


def square_root_by_newton(a):
    def is_open(state):
        guess, turns = state
        return (jnp.abs(guess**2 - a) > 1e-5) & (turns < 50)

    def improve(state):
        guess, turns = state
        return 0.5 * (guess + a / guess), turns + 1

    return lax.while_loop(is_open, improve, (a, jnp.int32(0)))


def cube_root_by_bisection(cube, low, high):
    def is_open(interval):
        return interval[1] - interval[0] > 1e-9

    def halve(interval):
        low, high = interval
        middle = (low + high) / 2
        return jnp.where(
            middle**3 > cube, jnp.stack([low, middle]), jnp.stack([middle, high])
        )

    return lax.while_loop(is_open, halve, jnp.stack([low, high]))


def counted_loop(x):
    return lax.fori_loop(0, 20, lambda i, x: x * 0.9 + jnp.cos(x * i), x)


def two_branches(condition, x):
    return lax.cond(
        condition > 0, lambda x: jnp.sin(x) @ x, lambda x: jnp.sum(jnp.exp(x)), x
    )


def three_branches(index, x):
    return lax.switch(index, [jnp.sin, jnp.cos, jnp.cumsum], x)


PROGRAMS = [
    *both("scan", scan_decay, normal(3), normal(50, 3)),
    *both("while_newton", square_root_by_newton, above_one()),
    *both("fori", counted_loop, normal(5)),
    *both("cond", two_branches, fixed(np.int32(1)), normal(5)),
    *both("switch", three_branches, fixed(np.int32(1)), normal(5)),
    single("grad_scan", gradient_of_scan, normal(3), normal(50, 3)),
    single("bisect_while", cube_root_by_bisection, number(2), number(0), number(2)),
]
