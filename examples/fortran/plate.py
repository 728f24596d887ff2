"""A plate that conducts heat, the better the warmer it is: one time step, in JAX.

The plate is insulated, so that all heat that a source brings in stays in it. Lengths
and heat capacities are 1.
"""

import jax.numpy as jnp

ROWS, COLUMNS = 40, 60  # of the arrays in JAX; in Fortran they are (60, 40)


def conductivity(temperature):
    """The material's law; a network that was trained on measurements would do, too."""
    return 1 + jnp.tanh(temperature / 50) / 2


def step(temperature, source, time_step):
    """The temperature after a time step, under the source's heat per time."""
    k = conductivity(temperature)
    down = (k[1:] + k[:-1]) / 2 * jnp.diff(temperature, axis=0)
    right = (k[:, 1:] + k[:, :-1]) / 2 * jnp.diff(temperature, axis=1)
    # Nothing flows through the edges.
    change = jnp.diff(jnp.pad(down, ((1, 1), (0, 0))), axis=0)
    change += jnp.diff(jnp.pad(right, ((0, 0), (1, 1))), axis=1)
    return {"temperature": temperature + time_step * (source + change)}
