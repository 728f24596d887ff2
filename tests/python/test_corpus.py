"""Every program of the corpus gives what jax.jit gives."""

import functools

import cyxla as cx
import jax
import ml_dtypes
import numpy as np
import pytest
from comparing import assert_equal_to_jax, assert_same_bits
from corpus import PROGRAMS, elementwise

BY_NAME = {program.name: program for program in PROGRAMS}
NAMES = [program.name for program in PROGRAMS]

# Programs that apply functions to the numbers of their arguments one by one, or that
# pass them on; the result of sums and products of these values would be NaN alone.
POINTWISE = [
    *[program.name for program in elementwise.PROGRAMS],
    *["sort_f32", "sort_f64", "cumsum_f32", "cumsum_f64", "argsort", "topk"],
    *["bool_ops", "gather_f64", "switch_f64", "identity", "f16", "bf16"],
]

pytestmark = pytest.mark.usefixtures("x64")


@functools.cache
def executable_of(name):
    program = BY_NAME[name]
    return cx.compile(program.function, *program.arguments)


@functools.cache
def jitted(name):
    return jax.jit(BY_NAME[name].function, keep_unused=True)


def special_values(dtype):
    """Zeros, infinities, NaN with a payload, denormals and the ends of the range."""
    info = ml_dtypes.finfo(dtype)
    smallest = np.nextafter(np.array(0, dtype), np.array(1, dtype))
    quiet_nan = np.array(np.nan, dtype)
    integer = np.dtype(f"u{np.dtype(dtype).itemsize}")
    payload = (quiet_nan.view(integer) + integer.type(5)).view(dtype)
    positive = [0, smallest, info.smallest_normal / 2, info.smallest_normal]
    positive += [info.eps, 1, 1e3, info.max, np.inf]
    values = [dtype.type(value) for value in positive]
    values += [-value for value in values] + [payload[()], -payload[()]]
    return np.array(values, dtype)


def with_special_values(argument, turn):
    """An argument of the same shape and dtype whose numbers are the special ones."""
    array = np.asarray(argument)
    if array.dtype.kind in "iub":
        return argument
    values = np.roll(special_values(array.dtype), turn)
    return np.resize(values, array.shape)


def test_the_corpus_is_complete():
    assert len(BY_NAME) == len(PROGRAMS) == 114
    assert sum(program.lapack for program in PROGRAMS) == 11


@pytest.mark.parametrize("name", NAMES)
def test_program_gives_what_jit_gives(name):
    arguments = BY_NAME[name].arguments
    found = executable_of(name)(*arguments)
    expected = jitted(name)(*arguments)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    assert_equal_to_jax(found, expected)


@pytest.mark.parametrize("name", NAMES)
def test_program_is_the_same_after_save_and_load(name, tmp_path):
    arguments = BY_NAME[name].arguments
    saved = executable_of(name)
    cx.save(tmp_path / "program.cyxla", saved)
    loaded = cx.load(tmp_path / "program.cyxla")
    assert (loaded.inputs, loaded.outputs) == (saved.inputs, saved.outputs)
    # Flat, since the results of some are of types that a file cannot hold.
    leaves = jax.tree.leaves(arguments)
    for found, expected in zip(loaded.run(leaves), saved.run(leaves), strict=True):
        assert_same_bits(found, expected)


@pytest.mark.parametrize("turn", [0, 7])
@pytest.mark.parametrize("name", POINTWISE)
def test_special_values_give_what_jit_gives(name, turn):
    arguments = [
        with_special_values(argument, turn * position)
        for position, argument in enumerate(BY_NAME[name].arguments, start=1)
    ]
    found = executable_of(name)(*arguments)
    assert_equal_to_jax(found, jitted(name)(*arguments))
