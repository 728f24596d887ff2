"""The arc tangent, which some builds of XLA compute wrongly for many numbers."""

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cyxla.arctangent import PREFER_VECTOR_WIDTH
from cyxla.compile_options import fields, holds

# XLA says that it is as exact as its own approximation: some units in the last place.
TOLERANCES = {"float32": 5e-7, "float64": 1e-15, "float16": 2e-3, "bfloat16": 2e-2}


def numbers(dtype, count):
    return np.linspace(-3, 3, count).astype(jnp.dtype(dtype))


@pytest.mark.parametrize("optimize_for", [None, "latency"])
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("count", [1, 9, 64, 50, 1000])
def test_it_is_right_for_many_numbers(dtype, count, optimize_for):
    x = numbers(dtype, count)
    exact = np.arctan(x.astype(np.float64))
    with jax.enable_x64(True):
        for function, expected in [
            (jnp.arctan, exact),
            (lambda x: jnp.arctan2(x, jnp.ones_like(x)), exact),
            (lambda x: jnp.arctan(x).sum(dtype=jnp.float64)[None], exact.sum()),
        ]:
            executable = cx.compile(function, x, optimize_for=optimize_for)
            found = executable.run([x])[0].astype(np.float64)
            tolerance = TOLERANCES[dtype] * (1 if np.ndim(expected) else count)
            np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def vector_width(program):
    """The field of the compile options, None where it is not there."""
    (build_options,) = [
        content for number, content, _ in fields(program.compile_options) if number == 3
    ]
    (debug_options,) = [
        content for number, content, _ in fields(build_options) if number == 3
    ]
    found = [
        raw for number, _, raw in fields(debug_options) if number == PREFER_VECTOR_WIDTH
    ]
    return found[-1] if found else None


def test_only_programs_with_one_are_compiled_otherwise():
    x = numbers("float32", 64)
    plain, with_one = cx.lower(jnp.sin, [x]), cx.lower(jnp.arctan, [x])
    assert vector_width(with_one) == b"\xa0\x13\x80\x01"  # 128
    assert vector_width(plain) != vector_width(with_one)
    other = cx.lower(jnp.arctan, [x], platform="cuda")
    assert vector_width(other) == vector_width(plain)
    # What is asked for by name stands beside it, and goes first.
    named = {"xla_cpu_prefer_vector_width": "64"}
    asked = cx.lower(jnp.arctan, [x], compiler_options=named)
    assert holds(asked.compile_options, 7)
    executable, _ = cx.compile_program(with_one, compiler_options=named)
    assert executable.program.compile_options == asked.compile_options
    np.testing.assert_allclose(executable.run([x])[0], np.arctan(x), rtol=1e-6)
