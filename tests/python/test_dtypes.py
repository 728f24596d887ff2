"""Every dtype goes in and comes out; others are refused by name."""

import cyxla as cx
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from comparing import assert_same_bits
from cyxla.arrays import DTYPES

NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 bfloat16 float32 float64 complex64 complex128"
).split()
WIDE = ["int64", "uint64", "float64", "complex128"]
NARROW = [name for name in NAMES if name not in WIDE]
REFUSED = [
    name
    for name in "int2 uint2 int4 uint4 float4_e2m1fn float8_e3m4 float8_e4m3 "
    "float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz "
    "float8_e8m0fnu".split()
    if hasattr(jnp, name)
]


def values(dtype, shape):
    """Random bits that make numbers of a dtype, with its least and greatest."""
    generator = np.random.default_rng(0)
    if dtype == np.bool_:
        return generator.integers(0, 2, shape).astype(np.bool_)
    count = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(generator.bytes(count), dtype).reshape(shape)


def test_the_dtypes_are_those_of_the_documentation():
    assert set(DTYPES) == set(NAMES)
    assert all(dtype.name == name for name, dtype in DTYPES.items())


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 0, 3), (0,)])
@pytest.mark.parametrize("name", NAMES)
def test_arrays_go_in_and_come_out(name, shape):
    array = values(DTYPES[name], shape)
    executable = cx.compile(lambda x: (x, x.ravel()), array)
    assert executable.inputs == [cx.ArraySpec("x", shape, DTYPES[name])]
    assert executable.output_bytes == [array.nbytes, array.nbytes]
    same, flat = executable.run([array])
    assert_same_bits(same, array)
    assert_same_bits(flat, array.ravel())


@pytest.mark.parametrize("name", NARROW)
def test_narrow_dtypes_need_no_64_bit_types(name):
    array = values(DTYPES[name], (4,))
    executable = cx.compile(lambda x: x, array)
    assert executable.inputs[0].dtype == DTYPES[name]
    assert_same_bits(executable(array), array)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("int64", "int32"),
        ("uint64", "uint32"),
        ("float64", "float32"),
        ("complex128", "complex64"),
    ],
)
def test_wide_dtypes_are_narrowed_without_64_bit_types_as_by_jit(wide, narrow):
    with pytest.warns(
        UserWarning, match=f"x is given as {wide} and lowered as {narrow}"
    ):
        program = cx.lower(lambda x: x, [np.zeros(2, wide)])
    assert program.inputs[0].dtype == DTYPES[narrow]
    executable, _ = cx.compile_program(program)
    assert_same_bits(executable(np.array([1, 2], wide)), np.array([1, 2], narrow))


@pytest.mark.usefixtures("x64")
def test_a_program_keeps_its_dtypes_when_64_bit_types_are_off(tmp_path):
    cx.save(tmp_path / "wide.cyxla", cx.lower(lambda x: x / 3, [np.ones(2)]))
    with jax.enable_x64(False):
        executable = cx.load(tmp_path / "wide.cyxla")
        assert_same_bits(executable(np.ones(2)), np.ones(2) / 3)


def test_bfloat16_is_that_of_ml_dtypes():
    executable = cx.compile(lambda x: x + 1, jnp.ones(3, jnp.bfloat16))
    result = executable(np.array([1, 2, 3], ml_dtypes.bfloat16))
    assert result.dtype == np.dtype(ml_dtypes.bfloat16)
    assert result.tolist() == [2, 3, 4]


@pytest.mark.parametrize("name", REFUSED)
def test_other_dtypes_are_refused_as_arguments(name):
    example = jax.ShapeDtypeStruct((2,), getattr(jnp, name))
    message = f"argument state.a has dtype {name}, and programs take and return bool, "
    with pytest.raises(TypeError, match=message):
        cx.lower(lambda state: 1, [{"a": example}])


@pytest.mark.parametrize("name", REFUSED)
def test_other_dtypes_are_refused_as_results(name):
    message = f"result low has dtype {name}, and programs take and return bool, "
    with pytest.raises(TypeError, match=message):
        cx.lower(lambda x: {"low": x.astype(getattr(jnp, name))}, [np.ones(2, "f4")])


def test_random_keys_are_refused():
    key = jax.random.key(0)
    with pytest.raises(TypeError, match=r"argument k has dtype key<fry>, and programs"):
        cx.lower(lambda k: jax.random.normal(k), [key])
    with pytest.raises(TypeError, match=r"result result has dtype key<fry>, and"):
        cx.lower(lambda: jax.random.key(0))


def test_the_bits_of_random_keys_are_taken():
    bits = jax.random.key_data(jax.random.key(0))

    def draw(bits):
        return jax.random.bits(jax.random.wrap_key_data(bits), (3,))

    assert_same_bits(cx.compile(draw, bits)(bits), draw(bits))
