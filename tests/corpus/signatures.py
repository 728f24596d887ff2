"""Functions that are peculiar in what they take and return."""

import jax.numpy as jnp

from corpus.record import normal, single


def transpose(x):
    return x.reshape(6, 4).T.copy()


def identity(x):
    return x


def inputs_among_outputs(x, y):
    return x, x + y, y


def constant_output(x):
    return jnp.arange(5.0), x + 1


def unused_argument(x, y):
    return x + 1


PROGRAMS = [
    single("reshape_transpose", transpose, normal(4, 6)),
    single("identity", identity, normal(4)),
    single("passthru2", inputs_among_outputs, normal(4), normal(4)),
    single("const_out", constant_output, normal(4)),
    single("unused_arg", unused_argument, normal(4), normal(4)),
]
