"""Packages from PyPI that register handlers of the typed FFI with JAX: klujax, which
solves sparse systems with KLU, and jax-finufft, Fourier transforms of points that are
not on a grid. They know nothing of cyxla.

A registry is its process's, so each test has processes of its own.
"""

import textwrap
from pathlib import Path

import pytest
from scripts import output_of, run_python

# The matrix [[4, 0, 1], [0, 3, 0], [2, 0, 5]], and points for a transform. FINUFFT adds
# up in any order where it has several threads.
FUNCTIONS = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from comparing import assert_equal_to_jax
from jax_finufft.options import Opts

ROWS = np.array([0, 1, 2, 0, 2], np.int32)
COLUMNS = np.array([0, 1, 2, 2, 0], np.int32)
VALUES = np.array([4.0, 3, 5, 1, 2])
RIGHT = np.array([1.0, 2, 3])
POINTS = np.linspace(0, 3, 7)
STRENGTHS = np.exp(1j * np.arange(7))

def solve(values, right):
    return klujax.solve(ROWS, COLUMNS, values, right)

def transform(strengths, points, upsampling=2.0):
    options = Opts(nthreads=1, upsampfac=upsampling)
    return jax_finufft.nufft1(9, strengths, points, opts=options)

def norm(function):
    return lambda *arguments: jnp.sum(jnp.abs(function(*arguments)) ** 2)

def expect_what_jit_gives(function, *arguments):
    found = cx.compile(function, *arguments)(*arguments)
    assert_equal_to_jax(found, jax.jit(function)(*arguments))
    return found
"""

CYXLA = "import cyxla as cx"
LOADED = "import cyxla as cx; cx.initialize()"
PACKAGES = "import klujax, jax_finufft"


def script(source, *imports):
    """A script with the imports in that order."""
    libraries = "import jax, jax.numpy as jnp, numpy as np"
    return "\n".join([libraries, *imports, FUNCTIONS, textwrap.dedent(source)])


@pytest.mark.parametrize(
    ("imports", "mirror"),
    [
        ([PACKAGES, CYXLA], None),
        ([CYXLA, PACKAGES], None),
        ([LOADED, PACKAGES], None),
        ([CYXLA, PACKAGES], "0"),
        ([LOADED, PACKAGES], "0"),
    ],
    ids=["before", "after", "loaded", "after, no mirror", "loaded, no mirror"],
)
def test_functions_give_what_jit_gives_whatever_is_imported_first(imports, mirror):
    source = """
        x = expect_what_jit_gives(solve, VALUES, RIGHT)
        assert np.allclose([[4, 0, 1], [0, 3, 0], [2, 0, 5]] @ x, RIGHT)
        expect_what_jit_gives(transform, STRENGTHS, POINTS)
        print("done")
    """
    output = output_of(script(source, *imports), CYXLA_MIRROR_JAX=mirror)
    assert output == "done\n"


# jax-finufft 1.3.1 cannot be batched with JAX 0.11, so only the other one is.
def test_dtypes_batches_and_derivatives_give_what_jit_gives():
    source = """
        expect_what_jit_gives(solve, VALUES * 1j, RIGHT)
        expect_what_jit_gives(
            transform, STRENGTHS.astype(np.complex64), POINTS.astype(np.float32)
        )
        values, right = np.stack([VALUES, 2 * VALUES]), np.stack([RIGHT, RIGHT])
        expect_what_jit_gives(jax.vmap(solve), values, right)
        expect_what_jit_gives(jax.grad(norm(solve), (0, 1)), VALUES, RIGHT)
        expect_what_jit_gives(jax.grad(norm(transform), 1), STRENGTHS, POINTS)
        expect_what_jit_gives(lambda *x: jax.jvp(solve, x, x), VALUES, RIGHT)
        print("done")
    """
    assert output_of(script(source, CYXLA, PACKAGES)) == "done\n"


def test_what_a_handler_keeps_in_memory_is_found():
    source = """
        symbolic = klujax.analyze(ROWS, COLUMNS, 3)
        def solve_with_symbol(values, right):
            return klujax.solve_with_symbol(ROWS, COLUMNS, values, right, symbolic)
        expect_what_jit_gives(solve_with_symbol, VALUES, RIGHT)
        print("done")
    """
    assert output_of(script(source, CYXLA, PACKAGES)) == "done\n"


def test_the_errors_of_the_handlers_reach_the_caller():
    source = """
        executable = cx.compile(solve, VALUES, RIGHT)
        for function, arguments in [
            (solve, (0 * VALUES, RIGHT)),
            (lambda *x: transform(*x, upsampling=0.5), (STRENGTHS, POINTS)),
        ]:
            for compiled in (jax.jit(function), cx.compile(function, *arguments)):
                try:
                    compiled(*arguments)
                except (cx.Error, RuntimeError) as error:
                    print(error)
        expect_what_jit_gives(solve, VALUES, RIGHT)
    """
    # FINUFFT writes to standard error too.
    process = run_python("-c", script(source, CYXLA, PACKAGES))
    assert process.returncode == 0
    lines = process.stdout.splitlines()
    for line, text in zip(
        lines,
        ["klu_factor/z_factor failed (singular matrix?)"] * 2
        + ["FINUFFT makeplan failed with code 7"] * 2,
        strict=True,
    ):
        assert line.endswith(text)


def test_a_saved_program_needs_its_package_where_it_is_loaded(tmp_path):
    path = tmp_path / "solve.cyxla"
    source = f"""
        program = cx.lower(solve, [VALUES, RIGHT])
        cx.save({str(path)!r}, program)
        print(np.asarray(jax.jit(solve)(VALUES, RIGHT)).tolist())
    """
    expected = output_of(script(source, CYXLA, PACKAGES))
    source = f"""
        import cyxla as cx
        try:
            cx.load({str(path)!r})
        except cx.Error as error:
            print(error.status, error)
        import klujax
        (x,) = cx.load({str(path)!r}).run([[4.0, 3, 5, 1, 2], [1.0, 2, 3]])
        print(x.tolist())
    """
    lines = output_of(source).splitlines(keepends=True)
    assert lines[0].startswith("NOT_FOUND")
    assert "No FFI handler registered for solve_f64" in lines[0]
    assert lines[-1] == expected
