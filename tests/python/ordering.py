"""Functions that sort, and a comparison of direct calls with the plugin's."""

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
from comparing import assert_same_bits
from jax import lax

DTYPES = """
    bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32
    float64 complex64 complex128
""".split()
REAL = [name for name in DTYPES if name != "bool" and not name.startswith("complex")]
PATTERNS = ["normal", "ties", "special", "bits"]


def of_dtype(name):
    """Sorts of all kinds by arrays of a dtype."""
    yield f"sort {name}", jnp.sort, [((1000,), name)]
    yield f"argsort {name}", jnp.argsort, [((333,), name)]
    yield f"falling {name}", lambda x: jnp.sort(x, descending=True), [((99,), name)]
    yield (
        f"two arrays {name}",
        lambda x, y: lax.sort((x, y), num_keys=1),
        [((2, 77), name), ((2, 77), "int16")],
    )
    yield (
        f"two keys {name}",
        lambda x, y: lax.sort((x, y), num_keys=2),
        [((77,), "int8"), ((77,), name)],
    )


def of_axis(axis):
    for name in ["float32", "int16", "complex128"]:
        yield (
            f"axis {axis} of {name}",
            lambda x: (jnp.sort(x, axis=axis), jnp.argsort(x, axis=axis)),
            [((3, 70, 9), name)],
        )


def of_size(size):
    for name in ["float32", "int32"]:
        yield f"{size} of {name}", jnp.sort, [((size,), name)]
        yield f"{size} places of {name}", jnp.argsort, [((size,), name)]


def top(name):
    for k in [0, 1, 5, 31]:
        yield f"top {k} of {name}", lambda x, k=k: lax.top_k(x, k), [((31,), name)]
    yield f"top of rows {name}", lambda x: lax.top_k(x, 7), [((3, 4, 100), name)]


def sorts():
    """Name, function and the shapes and dtypes of its arguments."""
    for name in DTYPES:
        yield from of_dtype(name)
    for axis in range(3):
        yield from of_axis(axis)
    for size in [0, 1, 2, 31, 64, 65]:
        yield from of_size(size)
    for name in ["float32", "bfloat16", "int8"]:
        yield from top(name)
    yield "largest half", lambda x: lax.top_k(x, 500), [((1000,), "float32")]
    yield (
        "three keys",
        lambda x, y, z: lax.sort((x, y, z), num_keys=3, dimension=0),
        [((77, 3), "bool"), ((77, 3), "float32"), ((77, 3), "float64")],
    )
    yield (
        "many arrays",
        lambda *arrays: lax.sort(arrays, num_keys=1),
        [((50,), DTYPES[k % len(DTYPES)]) for k in range(40)],
    )
    yield "median", jnp.median, [((31,), "float32")]
    yield "medians", lambda x: jnp.median(x, axis=0), [((30, 5), "float64")]
    yield "unique", lambda x: jnp.unique(x, size=7), [((50,), "float32")]
    yield "partition", lambda x: jnp.partition(x, 5), [((31,), "float32")]
    yield (
        "unstable",
        lambda x: jnp.sort(x, stable=False),
        [((99,), "int32")],
    )


def turned():
    """Transposes that older plugins copy from one layout to another."""
    for axes in [(1, 0), (2, 0, 1), (3, 1, 0, 2), (4, 2, 0, 3, 1)]:
        for name in ["float32", "int8", "complex128"]:
            yield (
                f"turned {axes} {name}",
                lambda p, x, axes=axes: lax.cond(
                    p, lambda x: x.transpose(axes), lambda x: x + x, x
                ),
                [((), "bool"), ((5,) * len(axes), name)],
            )


def values(generator, shape, dtype, pattern):
    """Random numbers: many equal ones, NaN of all kinds, zeros of both signs."""
    dtype = jnp.dtype(dtype)
    if pattern == "ties" or dtype.kind == "b":
        return generator.integers(0, 3, size=shape).astype(dtype)
    if pattern == "bits":
        count = int(np.prod(shape)) * dtype.itemsize
        return np.frombuffer(generator.bytes(count), dtype).reshape(shape)
    if pattern == "special" and jnp.issubdtype(dtype, jnp.inexact):
        part = jnp.finfo(dtype).dtype
        tiny = float(jnp.finfo(part).tiny) / 4
        pool = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, tiny, -tiny]
        shape = (*shape, dtype.itemsize // part.itemsize)
        chosen = generator.choice(np.array(pool).astype(part), size=shape)
        return chosen.view(dtype)[..., 0]
    return (generator.normal(size=shape) * 50).astype(dtype)


def assert_direct(function, arrays):
    """A function is called directly, with the bits that the plugin has."""
    arguments = [
        jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape, dtype in arrays
    ]
    program = cx.lower(function, arguments)
    plugin, _ = cx.compile_program(program, tier="pjrt")
    direct, _ = cx.compile_program(program, tier="direct")
    assert direct.tier == "direct"
    generator = np.random.default_rng(0)
    for pattern in PATTERNS:
        inputs = [values(generator, *array, pattern) for array in arrays]
        for found, expected in zip(direct.run(inputs), plugin.run(inputs), strict=True):
            assert_same_bits(found, expected)
