"""Arguments of run are converted where no meaning is lost, and refused where it is."""

import cyxla as cx
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from comparing import assert_same_bits
from cyxla import arrays


def spec(shape=(), dtype=np.float32, name="x"):
    return cx.ArraySpec(name, shape, np.dtype(dtype))


@pytest.fixture(scope="module")
def add():
    x, y = np.ones((2, 3), np.float32), np.ones(3, np.int32)
    return cx.compile(lambda x, y: x + y, x, y)


@pytest.fixture(scope="module")
def identity():
    """Returns its argument as it reached the program."""
    executable = cx.compile(lambda x: x, np.ones((2, 3), np.float32))
    return lambda argument: executable.run([argument])[0]


NUMBERS = np.arange(6, dtype=np.float32).reshape(2, 3)


class Subclass(np.ndarray):
    pass


def read_only():
    array = NUMBERS.copy()
    array.flags.writeable = False
    return array


def unaligned():
    memory = np.empty(NUMBERS.nbytes + 1, np.uint8)
    array = memory[1:].view(np.float32).reshape(2, 3)
    array[:] = NUMBERS
    assert not array.flags.aligned
    return array


@pytest.mark.parametrize(
    "argument",
    [
        NUMBERS,
        NUMBERS.tolist(),
        tuple(map(tuple, NUMBERS.tolist())),
        np.asfortranarray(NUMBERS),
        np.repeat(NUMBERS, 2, axis=1)[:, ::2],
        NUMBERS[::-1, ::-1].copy()[::-1, ::-1],
        NUMBERS.astype(">f4"),
        NUMBERS.astype(np.float64),
        NUMBERS.astype(np.float16),
        NUMBERS.astype(ml_dtypes.bfloat16),
        NUMBERS.astype(np.int8),
        NUMBERS.astype(">u8"),
        NUMBERS.astype(object).astype(np.float32),
        NUMBERS.view(Subclass),
        jnp.asarray(NUMBERS),
        memoryview(NUMBERS),
        read_only(),
        unaligned(),
    ],
    ids=[
        "array",
        "list",
        "tuple",
        "Fortran order",
        "strided",
        "reversed",
        "big-endian",
        "float64",
        "float16",
        "bfloat16",
        "int8",
        "big-endian uint64",
        "object",
        "subclass",
        "jax",
        "buffer",
        "read-only",
        "unaligned",
    ],
)
def test_arrays_of_every_kind_are_taken(identity, argument):
    assert_same_bits(identity(argument), NUMBERS)


def test_an_array_that_is_repeated_by_strides_is_taken(identity):
    repeated = np.broadcast_to(np.float32(3), (2, 3))
    assert_same_bits(identity(repeated), np.full((2, 3), 3, np.float32))


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (np.int32, True, 1),
        (np.int32, np.uint64(2**31 - 1), 2**31 - 1),
        (np.uint8, 255, 255),
        (np.float32, True, 1.0),
        (np.float32, 3, 3.0),
        (np.float16, 0.1, np.float16(0.1)),
        (ml_dtypes.bfloat16, 3, 3.0),
        (np.complex64, 2, 2 + 0j),
        (np.complex64, 0.5, 0.5 + 0j),
        (np.complex64, ml_dtypes.bfloat16(0.5), 0.5 + 0j),
        (np.bool_, True, True),
    ],
)
def test_numbers_become_those_of_a_wider_kind(dtype, value, expected):
    array = arrays.convert(value, spec(dtype=dtype))
    assert (array.dtype, array.shape) == (np.dtype(dtype), ())
    assert array == expected


@pytest.mark.parametrize(
    ("dtype", "value", "found"),
    [
        (np.int32, 1.0, "float64"),
        (np.int32, ml_dtypes.bfloat16(1), "bfloat16"),
        (np.bool_, 1, "int64"),
        (np.bool_, 1.0, "float64"),
        (np.float32, 1j, "complex128"),
        (ml_dtypes.bfloat16, 1j, "complex128"),
        (np.float32, "1", "<U1"),
        (np.float32, None, "object"),
        (np.int32, 2**70, "object"),
        (np.int64, np.datetime64(0, "s"), "datetime64"),
        (np.int32, np.zeros((), "i4, i4"), "'f0'"),
    ],
)
def test_numbers_of_another_kind_are_refused(dtype, value, found):
    message = f"^argument x has dtype .*{found}.*, expected {np.dtype(dtype)} or one "
    with pytest.raises(TypeError, match=message):
        arrays.convert(value, spec(dtype=dtype))


@pytest.mark.parametrize(
    ("dtype", "values", "message"),
    [
        (np.int8, [1, 128], "from 1 to 128, and int8 holds -128 to 127"),
        (np.int8, [-129], "from -129 to -129, and int8 holds"),
        (np.uint8, [-1, 5], "from -1 to 5, and uint8 holds 0 to 255"),
        (np.uint64, [-1], "from -1 to -1, and uint64 holds 0 to 18446744073709551615"),
        (np.int32, np.array([2**63], np.uint64), "to 9223372036854775808, and int32"),
    ],
)
def test_integers_that_do_not_fit_are_refused(dtype, values, message):
    with pytest.raises(ValueError, match=f"argument x has values .*{message}"):
        arrays.convert(values, spec((len(values),), dtype))


def test_floats_that_overflow_become_infinite_as_in_numpy():
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        array = arrays.convert(1e300, spec())
    assert array == np.inf


def test_no_elements_are_converted_without_a_look_at_them():
    array = arrays.convert(np.zeros((0, 3), np.int64), spec((0, 3), np.int8))
    assert (array.dtype, array.shape) == (np.int8, (0, 3))


@pytest.mark.parametrize(
    ("argument", "shape"),
    [
        (1.0, r"\(\)"),
        ([1.0, 2.0, 3.0], r"\(3,\)"),
        (np.ones((3, 2)), r"\(3, 2\)"),
        (np.ones((1, 2, 3)), r"\(1, 2, 3\)"),
        (np.ones((0, 3)), r"\(0, 3\)"),
        ({"x": 1}, r"\(\)"),
    ],
)
def test_a_wrong_shape_is_refused(add, argument, shape):
    message = rf"argument x has shape {shape}, expected \(2, 3\)"
    with pytest.raises(ValueError, match=message):
        add.run([argument, np.ones(3, np.int32)])


@pytest.mark.parametrize(
    "argument", [[[1.0], [1.0, 2.0]], jax.random.key(0)], ids=["ragged", "key"]
)
def test_what_is_no_array_is_refused(add, argument):
    with pytest.raises(TypeError, match="argument x is no array: "):
        add.run([argument, np.ones(3, np.int32)])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_arguments_is_refused(add, count):
    message = rf"the program takes 2 arguments \(x, y\), found {count}"
    with pytest.raises(TypeError, match=message):
        add.run([NUMBERS] * count)


def test_arguments_may_come_from_an_iterator(add):
    (result,) = add.run(iter([NUMBERS, [1, 2, 3]]))
    assert_same_bits(result, NUMBERS + np.array([1, 2, 3], np.float32))


def test_what_has_no_elements_is_refused(add):
    with pytest.raises(TypeError, match="not iterable"):
        add.run(None)


def test_a_run_that_was_refused_does_not_spoil_the_next(add):
    for bad in ([NUMBERS], [NUMBERS, [1.0, 2.0, 3.0]], [NUMBERS, [1, 2, 2**31]]):
        with pytest.raises((TypeError, ValueError), match="argument"):
            add.run(bad)
        (result,) = add.run([NUMBERS, [0, 0, 0]])
        assert_same_bits(result, NUMBERS)


def test_integers_that_are_too_large_for_a_float_are_refused():
    message = "has values from -70000 to 1, and float16 holds -65504.0 to 65504.0"
    with pytest.raises(ValueError, match=message):
        arrays.convert([1, -70000], spec((2,), np.float16))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64", "float64"])
def test_the_largest_integers_fit_into_wide_floats(dtype):
    values = np.array([2**64 - 1, 0], np.uint64)
    expected = values.astype(arrays.dtype_of(dtype))
    assert_same_bits(
        arrays.convert(values, spec((2,), arrays.dtype_of(dtype))), expected
    )
