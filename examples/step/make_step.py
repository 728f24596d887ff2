"""Saves step.cyxla, which step.c runs: one step of a simulation, in double precision.

usage: python make_step.py FOLDER

The state is a population that grows until it reaches its capacity of 100, and the step
is one of Euler's method.
"""

import sys
from pathlib import Path

import cyxla as cx
import jax


def step(state):
    """The state after a time of 0.01."""
    return state + 0.01 * state * (1 - state / 100)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with jax.enable_x64(True):  # else JAX computes in float32
        executable = cx.compile(step, 1.0)
    cx.save(Path(sys.argv[1]) / "step.cyxla", executable)


if __name__ == "__main__":
    main()
