"""Runs a function with a native handler in JAX and saves it as trend.cyxla.

usage: python make_trend.py FOLDER

FOLDER holds smooth.so, the handler. JAX and cyxla get it from one registration.
"""

import ctypes
import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np


def trend(x):
    """The slope of the smoothed series between its ends."""
    smoothed = jax.ffi.ffi_call("smooth", jax.ShapeDtypeStruct(x.shape, x.dtype))
    y = smoothed(x, width=np.int64(2))
    return (y[-1] - y[0]) / (x.shape[0] - 1), y


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    jax.config.update("jax_enable_x64", True)
    library = ctypes.CDLL(str(folder / "smooth.so"))
    jax.ffi.register_ffi_target("smooth", jax.ffi.pycapsule(library.smooth))

    x = jnp.asarray([1.0, 4.0, 2.0, 6.0, 3.0, 8.0, 5.0, 9.0])
    slope, _ = jax.jit(trend)(x)
    executable = cx.compile(trend, x)
    assert executable(x)[0] == slope
    print(f"slope in JAX   {slope:.6f}")
    cx.save(folder / "trend.cyxla", executable)


if __name__ == "__main__":
    main()
