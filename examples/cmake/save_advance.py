"""Saves advance.cyxla, which orbits.cpp runs: a planet's way around the sun.

usage: python save_advance.py FOLDER

Lengths are astronomical units, times are years.
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp

ATTRACTION = 4 * jnp.pi**2  # of the sun, for which the earth's year is 1
STEPS = 100


def acceleration(position):
    return -ATTRACTION * position / jnp.linalg.norm(position) ** 3


def advance(position, velocity, time_step):
    """Where a planet is STEPS time steps later, by the leapfrog method."""

    def step(_, state):
        position, velocity = state
        velocity = velocity + time_step / 2 * acceleration(position)
        position = position + time_step * velocity
        velocity = velocity + time_step / 2 * acceleration(position)
        return position, velocity

    position, velocity = jax.lax.fori_loop(0, STEPS, step, (position, velocity))
    kinetic = velocity @ velocity / 2
    potential = -ATTRACTION / jnp.linalg.norm(position)
    return {
        "position": position,
        "velocity": velocity,
        "energy": kinetic + potential,
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    vector = jax.ShapeDtypeStruct((2,), jnp.float64)
    number = jax.ShapeDtypeStruct((), jnp.float64)
    executable = cx.compile(advance, vector, vector, number)
    cx.save(Path(sys.argv[1]) / "advance.cyxla", executable)


if __name__ == "__main__":
    main()
