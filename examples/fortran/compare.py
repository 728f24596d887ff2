"""Runs the time loop of heat.f90 in JAX and compares the temperatures.

usage: python compare.py FOLDER

FOLDER holds temperature.bin, which heat.f90 wrote. Exits with 1 if the temperatures
differ by more than rounding.
"""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from plate import COLUMNS, ROWS, step

NUM_STEPS = 2000
TIME_STEP = 0.1
TOLERANCE = 1e-9


def run_in_jax():
    temperature = jnp.zeros((ROWS, COLUMNS))
    # source(11:13, 6:20) of Fortran: the indices change places and count from 0.
    source = jnp.zeros((ROWS, COLUMNS)).at[5:20, 10:13].set(5.0)
    run = jax.jit(step)
    for _ in range(NUM_STEPS):
        temperature = run(temperature, source, TIME_STEP)["temperature"]
    return np.asarray(temperature)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)
    found = np.fromfile(Path(sys.argv[1], "temperature.bin")).reshape(ROWS, COLUMNS)
    difference = np.abs(found - run_in_jax()).max()
    print(f"largest difference from JAX {difference:.1e}")
    if difference > TOLERANCE:
        sys.exit(f"a difference of at most {TOLERANCE} was expected")


if __name__ == "__main__":
    main()
