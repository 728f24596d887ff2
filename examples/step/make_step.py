"""Saves step.cyxla, which step.c runs: one step of a simulation, in double precision.

usage: python make_step.py FOLDER

The state is a population that grows until it reaches its capacity.
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp

GROWTH = 1.0
CAPACITY = 100.0
TIME_STEP = 0.01


def growth_rate(state):
    return GROWTH * state * (1 - state / CAPACITY)


def step(state):
    """The state after TIME_STEP, by the midpoint rule."""
    midpoint = state + TIME_STEP / 2 * growth_rate(state)
    return state + TIME_STEP * growth_rate(midpoint)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    executable = cx.compile(step, jax.ShapeDtypeStruct((), jnp.float64))
    cx.save(Path(sys.argv[1]) / "step.cyxla", executable)


if __name__ == "__main__":
    main()
