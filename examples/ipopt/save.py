"""Saves the functions of problem.py, each as a file that solve.c opens.

usage: python save.py FOLDER
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
from problem import FUNCTIONS


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    for name, (function, types) in FUNCTIONS.items():
        cx.save(Path(sys.argv[1], f"{name}.cyxla"), cx.compile(function, *types))


if __name__ == "__main__":
    main()
