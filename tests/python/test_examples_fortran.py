"""examples/fortran, built against the installed Fortran module, and run."""

import re
import shutil
import sys

import numpy as np
import pytest
from example_projects import copy_example, make, run

pytestmark = pytest.mark.skipif(
    shutil.which("gfortran") is None, reason="gfortran is not installed"
)

FLAGS = "-Wall -Wextra -Werror -std=f2018 -pedantic -g -fcheck=all"
TRAPS = "-ffpe-trap=invalid,zero,overflow"


@pytest.fixture(scope="module")
def heat(prefix, tmp_path_factory):
    """A copy of examples/fortran with what its run printed, with checks and traps."""
    folder = copy_example("fortran", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix, f"FFLAGS={FLAGS} {TRAPS}")


def test_the_time_loop_gives_what_jax_gives(heat):
    _, result = heat
    assert result.returncode == 0, result.stderr
    assert TRAPS in result.stdout
    difference = re.search(r"^largest difference from JAX (.*)", result.stdout, re.M)
    assert float(difference[1]) <= 1e-9


def test_the_plate_warms_up_where_the_source_is(heat):
    _, result = heat
    states = re.findall(
        r"^ +([\d.]+) +([\d.]+) +([\d.]+) +\((\d+), (\d+)\)$", result.stdout, re.M
    )
    times, means, warmest, x, y = zip(*states, strict=True)
    assert [*map(float, times)] == pytest.approx([40, 80, 120, 160, 200])
    # 3 times 15 of 2400 places get 5 a unit of time.
    assert [float(mean) for mean in means] == pytest.approx(
        [float(time) * 3 * 15 * 5 / 2400 for time in times], abs=1e-3
    )
    assert sorted(warmest, key=float) == [*warmest]
    assert all(11 <= int(place) <= 13 for place in x)
    assert all(6 <= int(place) <= 20 for place in y)


def test_the_shape_is_reversed_and_nothing_is_transposed(heat):
    folder, _ = heat
    temperature = np.fromfile(folder / "build/temperature.bin").reshape(40, 60)
    row, column = np.unravel_index(temperature.argmax(), temperature.shape)
    assert 5 <= row < 20
    assert 10 <= column < 13


def test_the_program_needs_neither_python_nor_a_plugin(heat):
    folder, _ = heat
    needed = run("ldd", "build/heat", folder=folder).stdout
    assert "libcyxla_fortran.so" in needed
    assert not re.search(r"libpython|not found", needed), needed
    result = run("build/heat", "build", folder=folder, LD_DEBUG="libs")
    assert "libcyxla" in result.stderr
    assert "cpu_plugin.so" not in result.stderr
    assert "libpython" not in result.stderr


def test_the_program_prints_nothing_on_standard_error(heat):
    folder, _ = heat
    result = run("build/heat", "build", folder=folder)
    assert (result.returncode, result.stderr) == (0, "")


def test_an_error_stops_the_program_with_its_message(heat, tmp_path):
    folder, _ = heat
    result = run(folder / "build/heat", tmp_path, folder=folder)
    assert result.returncode == 1
    assert (
        f"ERROR STOP cyxla FILE_UNREADABLE: the file {tmp_path}/step.cyxla cannot be "
        "read: No such file or directory" in result.stderr
    )


def test_a_function_with_another_signature_stops_the_program(heat, tmp_path):
    folder, _ = heat
    other = copy_example("fortran", tmp_path)
    text = (other / "save.py").read_text()
    (other / "save.py").write_text(text.replace("jnp.float64)", "jnp.float32)"))
    (other / "build").mkdir()
    saved = run(sys.executable, "save.py", "build", folder=other)
    assert saved.returncode == 0, saved.stderr
    result = run(folder / "build/heat", other / "build", folder=folder)
    assert result.returncode == 1
    assert (
        'the pointer to input "temperature" is real(real64) of rank 2; expected '
        "real(real32) (60, 40), which is float32 [40, 60] in JAX" in result.stderr
    )


def test_the_program_explains_how_it_is_called(heat):
    folder, _ = heat
    result = run("build/heat", folder=folder)
    assert result.returncode == 2
    assert "heat FOLDER" in result.stderr


def test_the_example_says_what_it_is_missing(prefix, tmp_path):
    folder = copy_example("fortran", tmp_path)
    result = make(folder, tmp_path / "nowhere")
    assert result.returncode != 0
    assert f"PREFIX is {tmp_path}/nowhere, expected where the Fortran" in result.stderr


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_the_example_is_built_where_paths_have_spaces(kind, prefix, heat, tmp_path):
    moved = shutil.copytree(prefix, tmp_path / "a prefix", symlinks=True)
    if kind == "static":
        for library in moved.glob("lib/libcyxla*.so*"):
            library.unlink()
    folder = copy_example("fortran", tmp_path)
    built = run(
        "make", "build/heat", f"PREFIX={moved}", f"FFLAGS={FLAGS}", folder=folder
    )
    assert built.returncode == 0, built.stderr
    needed = run("ldd", "build/heat", folder=folder).stdout
    assert (f"=> {moved}/" in needed) == (kind == "shared"), needed
    result = run("build/heat", heat[0] / "build", folder=folder)
    assert (result.returncode, result.stderr) == (0, "")
