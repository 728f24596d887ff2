"""Programs whose code calls functions that make numbers of 16 bits of wider ones."""

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
from comparing import assert_same_bits
from jax import lax

ROWS = 4
STEP = 151  # through all numbers of 16 bits, since older plugins take long for a row


def doubles():
    """Numbers of all sizes, those halfway between two of 16 bits, and beside these."""
    generator = np.random.default_rng(0)
    found = [generator.integers(0, 2**64, 400, dtype=np.uint64).view(np.float64)]
    bits = np.arange(0, 65536, STEP, dtype=np.uint32)
    with np.errstate(all="ignore"):
        for numbers in (
            bits.astype(np.uint16).view(np.float16).astype(np.float64),
            (bits << 16).view(np.float32).astype(np.float64),
        ):
            halfway = (numbers + np.roll(numbers, 1)) / 2
            near = [halfway * (1 + step) for step in (2.0**-26, -(2.0**-26), 2.0**-40)]
            found += [numbers, halfway, *near]
    joined = np.concatenate(found)
    return joined[: joined.size // ROWS * ROWS]


def bfloat16s():
    return np.arange(0, 65536, STEP, dtype=np.uint16)[: 65536 // STEP // 8 * 8].view(
        jnp.bfloat16
    )


def cases():
    """Pairs of a function and its argument."""
    x = doubles()
    yield lambda x: x.astype(jnp.float16), x
    ones = np.ones(ROWS, jnp.bfloat16)
    yield (
        lambda x: lax.map(lambda row: row.astype(jnp.bfloat16) * ones, x),
        x.reshape(-1, ROWS),
    )
    three = jnp.bfloat16(3)
    yield lambda x: lax.scan(lambda c, a: (c, c * a), three, x)[1], bfloat16s()
    yield lambda x: lax.map(jax.nn.softmax, x), bfloat16s().reshape(-1, 8)


def assert_all_direct():
    """All run directly with the bits of the plugin. Returns the functions called."""
    called = set()
    names = [b"__truncsfbf2", b"__truncdfbf2", b"__truncdfhf2"]
    for function, argument in cases():
        program = cx.lower(function, [argument])
        plugin, _ = cx.compile_program(program, tier="pjrt")
        direct, _ = cx.compile_program(program, tier="direct", compare=False)
        (found,), (expected,) = direct.run([argument]), plugin.run([argument])
        assert_same_bits(found, expected)
        called |= {name for name in names if name in direct.serialize()}
    return len(called)
