"""examples/kalman: linear algebra in a C program, with the machine's LAPACK."""

from pathlib import Path

import pytest
import scipy
from example_projects import copy_example, make, run
from plugins_for_tests import CPU_PLUGIN

(LAPACK,) = Path(scipy.__file__).parents[1].glob("scipy.libs/libscipy_openblas*")


@pytest.fixture(scope="module")
def kalman(prefix, tmp_path_factory):
    """A copy of examples/kalman with what its run printed. The LAPACK is SciPy's, which
    is there on every machine that runs the tests."""
    folder = copy_example("kalman", tmp_path_factory.mktemp("examples"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CYXLA_LAPACK", str(LAPACK))
        return folder, make(folder, prefix)


def test_the_filter_gives_the_same_in_jax_and_in_c(kalman):
    _, result = kalman
    totals = [
        float(line.split()[-1])
        for line in result.stdout.splitlines()
        if line.startswith("two steps in")
    ]
    assert len(totals) == 2
    assert totals[0] == pytest.approx(totals[1], abs=2e-9)


def test_the_filter_is_closer_than_what_it_is_given(kalman):
    _, result = kalman
    distances = {
        line.split()[0]: float(line.split()[1])
        for line in result.stdout.splitlines()
        if line.endswith("m off")
    }
    assert distances["filtered"] < 0.6 * distances["measured"]


def test_the_program_needs_no_python(kalman):
    folder, _ = kalman
    needed = run("ldd", "build/track", folder=folder).stdout
    assert "libcyxla" in needed
    assert "not found" not in needed
    assert "python" not in needed


def test_without_a_lapack_the_program_says_what_to_do(kalman):
    folder, _ = kalman
    result = run(
        "build/track",
        "build/filter.cyxla",
        folder=folder,
        CYXLA_LAPACK="/nowhere/liblapack.so",
        CYXLA_PLUGIN=str(CPU_PLUGIN),
    )
    assert result.returncode == 1
    assert "track: the plugin cannot compile the program" in result.stderr
    assert "lapack_dpotrf_ffi" in result.stderr
    assert "CYXLA_LAPACK is /nowhere/liblapack.so" in result.stderr
