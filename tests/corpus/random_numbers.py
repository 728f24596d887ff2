"""Random numbers from keys that are passed as their bits."""

import jax
import jax.numpy as jnp
import numpy as np

from corpus.record import fixed, single


def normal_by_threefry(bits):
    return jax.random.normal(jax.random.wrap_key_data(bits), (10,))


def uniform_by_threefry(bits):
    return jax.random.uniform(jax.random.wrap_key_data(bits), (10,), dtype=jnp.float32)


def bits_by_rbg(bits):
    return jax.random.bits(jax.random.wrap_key_data(bits, impl="rbg"), (10,))


THREEFRY_BITS = fixed(np.array([1, 2], np.uint32))
RBG_BITS = fixed(np.array([1, 2, 3, 4], np.uint32))

PROGRAMS = [
    single("threefry", normal_by_threefry, THREEFRY_BITS),
    single("uniform", uniform_by_threefry, THREEFRY_BITS),
    single("rbg", bits_by_rbg, RBG_BITS),
]
