"""What is done with a case's function: it is called, batched or differentiated."""

import jax
import jax.numpy as jnp
import numpy as np

from sweep.cases import DTYPES, MODES


def function_of(case, mode):
    """The function of a case in a mode."""
    return {
        "plain": lambda: case.function,
        "vmap": lambda: jax.vmap(case.function),
        "jvp": lambda: derivative(case.function),
        "grad": lambda: gradient(case.function),
    }[mode]()


def arguments_of(case, mode, dtype):
    """What that function takes."""
    return case.batched_arguments(dtype) if mode == "vmap" else case.arguments(dtype)


def derivative(function):
    """The derivatives of all results in the direction of ones."""

    def derivatives(*arguments):
        ones = tuple(jnp.ones_like(argument) for argument in arguments)
        _, tangents = jax.jvp(function, arguments, ones)
        leaves = jax.tree.leaves(tangents)
        return [leaf for leaf in leaves if leaf.dtype != jax.dtypes.float0]

    return derivatives


def gradient(function):
    """The gradient of the sum of the squares of all results, in all arguments."""

    def total(*arguments):
        leaves = map(jnp.asarray, jax.tree.leaves(function(*arguments)))
        squares = [
            jnp.sum(jnp.real(leaf * leaf))
            for leaf in leaves
            if jnp.issubdtype(leaf.dtype, np.inexact)
        ]
        return sum(squares, jnp.zeros(()))

    def gradients(*arguments):
        return jax.grad(total, argnums=tuple(range(len(arguments))))(*arguments)

    return gradients


def pairs_of(case):
    """All modes and dtypes that JAX does."""
    pairs = [(mode, dtype) for mode in MODES for dtype in DTYPES]
    return [pair for pair in pairs if case.is_supported(*pair)]


def sample_of(case, number):
    """Two of them, since compiling all takes minutes: the function for one dtype, and
    one of the other modes. Which ones depends on the number of the case, so that all
    are among those of all cases."""
    pairs = pairs_of(case)
    plain = [pair for pair in pairs if pair[0] == "plain"]
    others = [pair for pair in pairs if pair[0] != "plain"]
    return [group[number % len(group)] for group in (plain, others) if group]


def has_products(case, mode, dtype):
    """Whether the program multiplies matrices. A build of XLA has its own routines for
    that, which add up in an order of theirs."""
    lowered = jax.jit(function_of(case, mode)).lower(*arguments_of(case, mode, dtype))
    return "dot_general" in lowered.as_text()


def together(case, pairs):
    """One function for several modes and dtypes, since compiling many small programs
    takes longer, and its argument. Both it and its result are dicts."""
    functions = {f"{mode} {dtype}": function_of(case, mode) for mode, dtype in pairs}
    arguments = {
        f"{mode} {dtype}": arguments_of(case, mode, dtype) for mode, dtype in pairs
    }

    def function(arguments):
        return {name: functions[name](*arguments[name]) for name in functions}

    return function, arguments
