"""The problem that is solved: number 71 of Hock and Schittkowski, written in JAX.

minimize    x0 x3 (x0 + x1 + x2) + x2
subject to  x0 x1 x2 x3 >= 25,  x0^2 + x1^2 + x2^2 + x3^2 = 40,  1 <= x <= 5

``FUNCTIONS`` holds what Ipopt asks for, as functions of float64 arrays. Another problem
needs another ``objective``, ``constraints`` and other bounds, and nothing else.
"""

import jax
import jax.numpy as jnp
import numpy as np

START = np.array([1.0, 5.0, 5.0, 1.0])
LOWER = np.full(4, 1.0)
UPPER = np.full(4, 5.0)
CONSTRAINTS_LOWER = np.array([25.0, 40.0])
CONSTRAINTS_UPPER = np.array([2e19, 40.0])  # Ipopt takes 1e19 and more as infinite

# Ipopt asks for the lower triangle of symmetric matrices, here row by row.
HESSIAN_ROWS, HESSIAN_COLUMNS = np.tril_indices(START.size)


def objective(x):
    return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]


def constraints(x):
    return jnp.stack([jnp.prod(x), jnp.sum(x * x)])


gradient = jax.grad(objective)
jacobian = jax.jacrev(constraints)


def hessian(x, objective_factor, multipliers):
    """The lower triangle of the Hessian of the Lagrangian."""

    def lagrangian(x):
        return objective_factor * objective(x) + multipliers @ constraints(x)

    return jax.hessian(lagrangian)(x)[HESSIAN_ROWS, HESSIAN_COLUMNS]


def bounds():
    """Where to start and what to keep to, for a solver that reads no Python."""
    return {
        "start": jnp.asarray(START),
        "lower": jnp.asarray(LOWER),
        "upper": jnp.asarray(UPPER),
        "constraints_lower": jnp.asarray(CONSTRAINTS_LOWER),
        "constraints_upper": jnp.asarray(CONSTRAINTS_UPPER),
    }


x_type = jax.ShapeDtypeStruct(START.shape, np.float64)
number_type = jax.ShapeDtypeStruct((), np.float64)
multipliers_type = jax.ShapeDtypeStruct(CONSTRAINTS_LOWER.shape, np.float64)

# Each function with the types of its arguments.
FUNCTIONS = {
    "bounds": (bounds, ()),
    "objective": (objective, (x_type,)),
    "gradient": (gradient, (x_type,)),
    "constraints": (constraints, (x_type,)),
    "jacobian": (jacobian, (x_type,)),
    "hessian": (hessian, (x_type, number_type, multipliers_type)),
}
