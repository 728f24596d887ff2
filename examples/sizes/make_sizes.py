"""Saves relax.cyxla, which refine.c runs: a relaxation on grids of several sizes.

usage: python make_sizes.py FOLDER

A membrane of n by n points, whose edge is held at 0, sags under a load of 1 everywhere.
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
from jax import export

SIZES = [15, 31, 63]
SWEEPS = 50


def relax(height):
    """The membrane after SWEEPS sweeps, and how much the last of them changed."""
    spacing = 1 / (height.shape[0] + 1)

    def sweep(_, state):
        height, _ = state
        edge = jnp.pad(height, 1)
        neighbours = edge[:-2, 1:-1] + edge[2:, 1:-1] + edge[1:-1, :-2] + edge[1:-1, 2:]
        relaxed = (neighbours - spacing**2) / 4
        return relaxed, jnp.abs(relaxed - height).max()

    relaxed, change = jax.lax.fori_loop(0, SWEEPS, sweep, (height, height.max()))
    return {"height": relaxed, "change": change}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    (n,) = export.symbolic_shape("n")
    cx.save(
        Path(sys.argv[1]) / "relax.cyxla",
        relax,
        shapes=[{"n": size} for size in SIZES],
        args=[jax.ShapeDtypeStruct((n, n), jnp.float64)],
    )


if __name__ == "__main__":
    main()
