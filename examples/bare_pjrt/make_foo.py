"""Saves foo.bin, which bare_pjrt.c runs: a function of JAX as machine code.

usage: python make_foo.py FOLDER

Prints the path of the plugin, since no other one may load the file.
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp


def twice_plus(x, y):
    return 2 * x + y


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    four_numbers = jax.ShapeDtypeStruct((4,), jnp.float32)
    executable = cx.compile(twice_plus, four_numbers, four_numbers)
    (Path(sys.argv[1]) / "foo.bin").write_bytes(executable.serialize())
    print(cx.runtime_info().plugin)


if __name__ == "__main__":
    main()
