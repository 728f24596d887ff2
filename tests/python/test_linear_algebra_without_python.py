"""Linear algebra in a process without Python: the sweep's programs are saved, run by a
C program with cyxla's own handlers, and compared with jax.jit.

Each is run with a LAPACK of 4-byte integers, the one of SciPy, which jaxlib's handlers
call too, or with one of 8-byte integers, that of NumPy. Both are builds of OpenBLAS, of
different versions.
"""

import contextlib
import ctypes
import re
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
import jaxlib.cpu_sparse
import jaxlib.lapack
import numpy as np
import pytest
import scipy
from comparing import assert_equal_to_rounding, assert_same_bits
from corpus import PROGRAMS
from example_projects import run
from saved_programs import SavedPrograms, build_runner
from sweep import CASES

SITE = Path(scipy.__file__).parents[1]
TARGET = re.compile(
    rb"lapack_[a-z0-9]+_ffi|tridiagonal_solve_perturbed_ffi|cpu_csr_sparse_dense_ffi"
)


def lapack_of(package):
    """The LAPACK that a package ships."""
    (path,) = SITE.glob(f"{package}.libs/libscipy_openblas*")
    return str(path)


# A LAPACK, a dtype that all cases are tried with, if any, and dtypes of which only
# those cases are that call a target which none did before, to save time. The code of
# the handlers is the same for all dtypes, and nearly so for both widths.
LAPACKS = {
    "4-byte integers": (lapack_of("scipy"), "float64", ["complex64"]),
    "8-byte integers": (lapack_of("numpy"), None, ["complex128", "float32"]),
}

# Vectors of these are determined up to a factor of absolute value 1, which versions of
# LAPACK choose otherwise.
UP_TO_PHASES = re.compile(r"\.(schur|rsf2csf)\b")

# The inverse of a singular matrix consists of the errors of rounding, or is infinite.
UNDETERMINED = re.compile(r"\.inv, singular")


@pytest.fixture(scope="module")
def runner(prefix, tmp_path_factory):
    return build_runner(prefix, tmp_path_factory.mktemp("runner"))


class SavedSweep:
    """The programs of the sweep that call targets, with what jax.jit gives."""

    def __init__(self, folder, whole_dtype, other_dtypes):
        self.programs = SavedPrograms(folder)
        self.names = []
        self.expected = []
        self.targets = set()
        with jax.enable_x64(True):
            for dtype in filter(None, [whole_dtype, *other_dtypes]):
                for name, case in CASES.items():
                    if case.is_supported("plain", dtype) and "spsolve" not in name:
                        self.add(name, case, dtype, dtype == whole_dtype)

    def add(self, name, case, dtype, takes_all):
        """Adds a case that calls targets. Not spsolve, which calls back into Python."""
        arguments = case.arguments(dtype)
        program = cx.lower(case.function, list(arguments))
        targets = set(TARGET.findall(program.code))
        if not (targets if takes_all else targets - self.targets):
            return
        self.targets |= targets
        self.names.append(f"{name}, {dtype}")
        self.programs.add(program, arguments)
        results = jax.jit(case.function)(*arguments)
        self.expected.append([np.asarray(leaf) for leaf in jax.tree.leaves(results)])


@pytest.fixture(scope="module", params=LAPACKS)
def saved_sweep(request, tmp_path_factory):
    """The programs for a LAPACK, and its path."""
    lapack, *dtypes = LAPACKS[request.param]
    return SavedSweep(tmp_path_factory.mktemp("programs"), *dtypes), lapack


def difference(name, found, expected):
    """What is wrong with the results of one program, None if nothing is."""
    if isinstance(found, str):
        return found
    for one, other in zip(found, expected, strict=True):
        if UP_TO_PHASES.search(name):
            one, other = np.abs(one), np.abs(other)
        try:
            assert_equal_to_rounding(one, other)
        except AssertionError as error:
            return str(error)
    return None


def test_results_are_those_of_jit_to_rounding(saved_sweep, runner):
    sweep, lapack = saved_sweep
    found = sweep.programs.run(runner, CYXLA_LAPACK=lapack)
    differences = {
        name: difference(name, results, expected)
        for name, results, expected in zip(
            sweep.names, found, sweep.expected, strict=True
        )
        if not UNDETERMINED.search(name)
    }
    assert {name: text for name, text in differences.items() if text} == {}


LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


def test_every_target_of_jaxlib_is_called(saved_sweep, request):
    sweep, _ = saved_sweep
    _, whole, others = LAPACKS[request.node.callspec.params["saved_sweep"]]
    registered = jaxlib.lapack.registrations()["cpu"]
    registered = registered + jaxlib.cpu_sparse.registrations()["cpu"]
    letters = "".join(LETTERS[dtype] for dtype in [whole, *others] if dtype)
    of_dtypes = re.compile(f"lapack_[{letters}]|tridiagonal|cpu_csr")
    names = {name for name, _, _ in registered if of_dtypes.match(name)}
    assert names <= {target.decode() for target in sweep.targets}


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("package", ["scipy", "numpy"])
def test_what_is_called_directly_is_the_same_bit_for_bit(package, runner, tmp_path):
    programs = SavedPrograms(tmp_path)
    chosen = [program for program in PROGRAMS if program.lapack]
    for program in chosen:
        lowered = cx.lower(program.function, program.arguments)
        programs.add(lowered, jax.tree.leaves(program.arguments))
    lapack = lapack_of(package)
    plugin, direct = (
        programs.run(runner, CYXLA_LAPACK=lapack, CYXLA_TIER=tier)
        for tier in ("pjrt", "direct")
    )
    num_same = 0
    for expected, found in zip(plugin, direct, strict=True):
        if isinstance(found, str):
            assert "it has an operation of the kind" in found
            continue
        for one, other in zip(found, expected, strict=True):
            assert_same_bits(one, other)
        num_same += 1
    assert num_same >= 9


@pytest.fixture(scope="module")
def factored(tmp_path_factory):
    """A program that factors a matrix, with a matrix."""
    programs = SavedPrograms(tmp_path_factory.mktemp("factored"))
    matrix = np.array([[4.0, 2.0], [2.0, 5.0]], np.float32)
    programs.add(cx.lower(jnp.linalg.cholesky, [matrix]), [matrix])
    return programs


def has_lapack():
    """Whether the loader finds a LAPACK under one of its usual names."""
    for name in ("liblapack.so.3", "libopenblas.so.0"):
        with contextlib.suppress(OSError):
            return hasattr(ctypes.CDLL(name), "dpotrf_")
    return False


def test_the_machine_s_own_lapack_is_found_or_the_target_is_named(factored, runner):
    (found,) = factored.run(runner)
    if has_lapack():
        np.testing.assert_array_equal(found[0], [[2, 0], [1, 2]])
    else:
        assert "lapack_spotrf_ffi" in found
        assert "no LAPACK was found" in found


def test_without_a_lapack_the_target_is_named_and_what_to_do(factored, runner):
    (message,) = factored.run(runner, CYXLA_LAPACK="/nowhere/liblapack.so")
    assert "No FFI handler registered for lapack_spotrf_ffi" in message
    assert "CYXLA_LAPACK is /nowhere/liblapack.so, which cannot be used" in message
    assert "cyxla_ffi_register" not in message


def test_a_library_that_is_no_lapack_is_refused(factored, runner, prefix):
    library = f"{prefix}/lib/libcyxla.so"
    (message,) = factored.run(runner, CYXLA_LAPACK=library)
    assert f"{library} has no functions dpotrf and idamax" in message


def test_the_process_needs_no_python(runner):
    needed = run("ldd", runner, folder=".").stdout
    assert "libcyxla" in needed
    assert "python" not in needed
    assert "lapack" not in needed
