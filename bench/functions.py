"""The functions that contestants run, in JAX."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import corpus
from corpus import derivatives

MLP_SIZES = [16, 64, 64, 1]

# Of the corpus, those with an array that has as many elements.
MANY_ELEMENTS = 256 * 256


@dataclass(frozen=True)
class Function:
    """A function with the arrays that it is measured on.

    ``outputs`` is what it returns there, computed by jax.jit, a list of arrays.
    """

    name: str
    title: str
    function: Callable
    arguments: tuple

    @property
    def argument(self):
        """The array of a function of one."""
        (argument,) = self.arguments
        return argument

    @property
    def dtype(self):
        return self.arguments[-1].dtype

    @property
    def outputs(self):
        return [
            np.asarray(leaf)
            for leaf in jax.tree.leaves(jax.jit(self.function)(*self.arguments))
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
    """What all contestants are compared on."""
    return [
        Function(
            "sine",
            "2*sin(x), 3 numbers",
            sine,
            (np.array([0.0, 1.0, 2.0], np.float32),),
        ),
        Function(
            "rosenbrock",
            "Rosenbrock of 10 numbers, value and gradient",
            jax.value_and_grad(rosenbrock),
            (np.linspace(-1.0, 1.2, 10),),
        ),
        Function(
            "mlp",
            "MLP 16-64-64-1 with tanh, one sample",
            mlp,
            (np.linspace(-1.0, 1.0, MLP_SIZES[0]).astype(np.float32),),
        ),
    ]


def of_corpus(name, title, corpus_name):
    """A program of the tests' corpus."""
    (found,) = [program for program in corpus.PROGRAMS if program.name == corpus_name]
    arguments = tuple(np.asarray(leaf) for leaf in jax.tree.leaves(found.arguments))
    return Function(name, title, found.function, arguments)


def small_functions():
    """What the contestants in C are compared on besides."""
    hessian = derivatives.value_gradient_hessian(derivatives.rosenbrock)
    return [
        of_corpus("rk4", "Runge-Kutta step of 3 numbers", "rk4_f64"),
        of_corpus("cond", "one of two branches", "cond_f64"),
        of_corpus(
            "rosen_vgh", "Rosenbrock of 6 numbers, value to Hessian", "rosen_vgh_f64"
        ),
        of_corpus(
            "nlcons_vgh", "nonlinear constraint, value to Hessian", "nlcons_vgh_f64"
        ),
        Function(
            "hessian_10",
            "Rosenbrock of 10 numbers, value to Hessian",
            hessian,
            (np.linspace(-1.0, 1.2, 10),),
        ),
    ]


def large_functions():
    """The programs of the corpus with large arrays."""
    return [
        of_corpus(program.name, program.name, program.name)
        for program in corpus.PROGRAMS
        if max(map(np.size, jax.tree.leaves(program.arguments))) >= MANY_ELEMENTS
    ]


def for_threads():
    """About 50 microseconds that one thread computes, to compare numbers of threads."""
    return Function(
        "threads",
        "170 sines of 64 numbers, one after the other",
        lambda x: jax.lax.fori_loop(0, 170, lambda _, y: jnp.sin(y) + 0.1, x),
        (np.linspace(0.0, 1.0, 64).astype(np.float32),),
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
        (np.eye(32, dtype=np.float32),),
    )
