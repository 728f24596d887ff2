"""The functions that all contestants run, in JAX; each takes one array."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np

MLP_SIZES = [16, 64, 64, 1]


@dataclass(frozen=True)
class Function:
    """A function with the array that it is measured on.

    ``outputs`` is what it returns there, computed by jax.jit, a list of arrays.
    """

    name: str
    title: str
    function: Callable
    argument: np.ndarray

    @property
    def dtype(self):
        return self.argument.dtype

    @property
    def outputs(self):
        return [
            np.asarray(leaf)
            for leaf in jax.tree.leaves(jax.jit(self.function)(self.argument))
        ]


def sine(x):
    return 2 * jnp.sin(x)


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def mlp_weights():
    """The weights of each layer, inputs first."""
    random = np.random.default_rng(1)
    return [
        (random.normal(size=sizes) / np.sqrt(sizes[0])).astype(np.float32)
        for sizes in pairwise(MLP_SIZES)
    ]


def mlp(x):
    *hidden, last = mlp_weights()
    for weights in hidden:
        x = jnp.tanh(x @ weights)
    return x @ last


def functions():
    """What the contestants are compared on."""
    return [
        Function(
            "sine",
            "2*sin(x), 3 numbers",
            sine,
            np.array([0.0, 1.0, 2.0], np.float32),
        ),
        Function(
            "rosenbrock",
            "Rosenbrock of 10 numbers, value and gradient",
            jax.value_and_grad(rosenbrock),
            np.linspace(-1.0, 1.2, 10),
        ),
        Function(
            "mlp",
            "MLP 16-64-64-1 with tanh, one sample",
            mlp,
            np.linspace(-1.0, 1.0, MLP_SIZES[0]).astype(np.float32),
        ),
    ]


def for_threads():
    """About 50 microseconds that one thread computes, to compare numbers of threads."""
    return Function(
        "threads",
        "170 sines of 64 numbers, one after the other",
        lambda x: jax.lax.fori_loop(0, 170, lambda _, y: jnp.sin(y) + 0.1, x),
        np.linspace(0.0, 1.0, 64).astype(np.float32),
    )


def sorted_products(x):
    for i in range(6):
        x = jnp.sort(jnp.tanh(x @ x) + i)
    return x


def for_cache():
    """What XLA takes about a second to compile, for the sake of its sorts."""
    return Function(
        "cache",
        "six products and sorts of 32 by 32 numbers",
        sorted_products,
        np.eye(32, dtype=np.float32),
    )
