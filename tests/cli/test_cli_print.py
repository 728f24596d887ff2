"""``cyxla run`` prints arrays as NumPy does."""

import warnings

import fake_files
import numpy as np
import pytest
from fake_files import dtype_of

REALS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = [name for name in fake_files.DTYPES if "int" in name]


@pytest.fixture
def assert_printed(on_fake, tmp_path):
    """Prints arrays with one run, and compares each with NumPy's text."""

    def compare(dtype, arrays, expected=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numbers that are too large
            arrays = [np.asarray(array).astype(dtype_of(dtype)) for array in arrays]
        program, files, texts = tmp_path / "p.cyxla", [], []
        inputs = [(f"x{i}", dtype, array.shape) for i, array in enumerate(arrays)]
        fake_files.save_copies(program, *inputs)
        for i, array in enumerate(arrays):
            files.append(tmp_path / f"{i}.npy")
            np.save(files[-1], array)
            spec = fake_files.spec(*inputs[i])
            text = str(array) if expected is None else expected[i]
            texts.append(f"x{i}  {fake_files.array_text(spec)}\n{text}\n")
        done = on_fake("run", program, *files)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "".join(texts)

    return compare


NUMBERS = [
    [1, np.nan],
    [np.nan],
    [np.inf, 1.5],
    [-np.inf, np.nan, 1e-3],
    [0, 0],
    [-0.0, 1],
    [1e-5],
    [0.123456789012, 12],
    [100, 200.0],
    [5e-7, 6e-7],
    [100, 0.05],
]


@pytest.mark.parametrize("dtype", REALS)
def test_real_numbers(assert_printed, dtype):
    assert_printed(dtype, NUMBERS)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_and_small_real_numbers(assert_printed, dtype):
    assert_printed(
        dtype,
        [
            [1e8, 1],
            [99999999, 1e6],
            [1e38, 1e-38],
            [1e10, -1.5],
            [1e7, 1e8],
            [1e-4, 0.1],
        ],
    )


def test_exponents_of_three_digits(assert_printed):
    assert_printed("float64", [[1e300, 1e-300], [1e5, 1e300], [5e-324]])


SHAPES = [(1,), (12,), (2, 3), (2, 2, 3), (1, 1, 1, 2), (30, 40), (3, 4, 100), (1001,)]
SHAPES += [(1000,), (7, 2, 80), (5, 300), (2, 1, 1, 600)]


@pytest.mark.parametrize("spread", [0, 1, 4])
@pytest.mark.parametrize("dtype", REALS)
def test_shapes_of_real_numbers(assert_printed, dtype, spread):
    draw = np.random.default_rng(spread)
    assert_printed(
        dtype,
        [
            draw.standard_normal(shape)
            * 10.0 ** draw.integers(-spread, spread + 1, shape)
            for shape in SHAPES[:8]
        ],
    )


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shapes_of_integers(assert_printed, dtype):
    draw, limits = np.random.default_rng(0), np.iinfo(dtype)
    assert_printed(
        dtype,
        [
            draw.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
            for shape in SHAPES[-8:]
        ],
    )
    assert_printed(dtype, [limits.min, limits.max, [limits.min, limits.max], 0])


def test_bools(assert_printed):
    assert_printed("bool", [True, False, [True, True], [[True, False]], [0] * 40])


def test_empty_arrays(assert_printed):
    assert_printed("float32", [np.zeros(0), np.zeros((2, 0)), np.zeros((0, 3))])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_numbers(assert_printed, dtype):
    draw = np.random.default_rng(0)
    assert_printed(
        dtype,
        [
            [1 + 2j, -3.25 - 1e-3j],
            [1j, 2],
            [complex(np.nan, 1), complex(1, np.inf)],
            [complex(1, np.nan)],
            [1e10 + 1j],
            draw.standard_normal((4, 5)) + 1j * draw.standard_normal((4, 5)),
        ],
    )


SCALARS = [0, -0.0, 123.45, 2e-4, 9e-5, np.nan, np.inf, -np.inf, 1 / 3, 6e-8, 1, 256]


@pytest.mark.parametrize("dtype", REALS)
def test_real_scalars(assert_printed, dtype):
    assert_printed(dtype, SCALARS)


def test_real_scalars_of_double_precision(assert_printed):
    assert_printed(
        "float64", [1e16, 1e15, 123456789.125, 5e-324, 1e300, 0.1, 2**53 + 2]
    )


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_scalars(assert_printed, dtype):
    assert_printed(
        dtype,
        [
            *[1j, 1 + 2j, -1 - 0.5j, 0, 1e20 + 1e-7j, -0.0 + 1j],
            *[complex(np.nan, -1), complex(1, np.inf)],
        ],
    )


def test_bfloat16_has_the_digits_that_tell_it_from_its_neighbours(assert_printed):
    assert_printed(
        "bfloat16",
        [np.arange(4) / 3, 1 / 3, 3e38, [1, 1e-40]],
        [
            "[0.    0.334 0.668 1.   ]",
            "0.334",
            "3e+38",
            "[1.e+00 9.e-41]",
        ],
    )


@pytest.mark.parametrize(
    ("dtype", "digits", "exponents", "alone"),
    [
        ("bfloat16", "996.", "1.e+03", "1e+03"),
        ("float16", "999.", "1.e+03", "1e+03"),
        ("float32", "999999.", "1.e+06", "1e+06"),
        ("float64", "99999999.", "1.e+08", "100000000.0"),
    ],
)
def test_exponents_begin_where_numpy_2_3_begins_with_them(
    assert_printed, dtype, digits, exponents, alone
):
    assert_printed(
        dtype,
        [[float(digits)], float(digits), [float(exponents)], float(exponents)],
        [f"[{digits}]", f"{digits}0", f"[{exponents}]", alone],
    )
