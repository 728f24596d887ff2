"""Saves the step of plate.py as step.cyxla, which heat.f90 runs.

usage: python save.py FOLDER
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
from plate import COLUMNS, ROWS, step


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    plate = jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float64)
    number = jax.ShapeDtypeStruct((), jnp.float64)
    # The temperature is donated, so that Fortran may have it updated in place.
    program = cx.lower(step, [plate, plate, number], donate_argnums=0)
    executable, _ = cx.compile_program(program)
    cx.save(Path(sys.argv[1], "step.cyxla"), executable)


if __name__ == "__main__":
    main()
