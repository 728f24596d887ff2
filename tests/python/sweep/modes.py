"""What is done with a case's function: it is called, batched or differentiated."""

import jax
import jax.numpy as jnp
import numpy as np


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
