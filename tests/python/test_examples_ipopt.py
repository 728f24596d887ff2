"""examples/ipopt, built against the installed C library and Ipopt, and run."""

import re
import shutil
from pathlib import Path

import pytest
from example_projects import copy_example, make, run

FLAGS = "-Wall -Wextra -Wconversion -Wpedantic -Werror"
OBJECTIVE = 17.0140173  # as published with the problem
SOLUTION = [1.0, 4.7429994, 3.8211503, 1.3794082]

PLACES = ["lib*/pkgconfig/ipopt.pc", "lib/*/pkgconfig/ipopt.pc"]
if not any(path for place in PLACES for path in Path("/usr").glob(place)):
    pytest.skip(
        "Ipopt is not installed in /usr (Debian: coinor-libipopt-dev)",
        allow_module_level=True,
    )


@pytest.fixture(scope="module")
def ipopt(prefix, tmp_path_factory):
    """A copy of examples/ipopt with what its run printed."""
    folder = copy_example("ipopt", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix, f"CFLAGS={FLAGS}")


@pytest.fixture
def solve(ipopt, tmp_path):
    """Runs the C program on a copy of its files, some of them replaced by others."""
    folder, first = ipopt
    assert first.returncode == 0, first.stderr

    def solve_with(environment=None, **replaced):
        files = shutil.copytree(folder / "build", tmp_path / "files")
        for name, other in replaced.items():
            shutil.copy(folder / f"build/{other}.cyxla", files / f"{name}.cyxla")
        return run(files / "solve", files, folder=folder, **(environment or {}))

    return solve_with


def test_ipopt_takes_the_iterates_of_cyipopt_with_jax(ipopt):
    _, result = ipopt
    assert result.returncode == 0, result.stderr
    iterates = re.search(r"(\d+) iterates each.* at most (\S+)", result.stdout)
    assert int(iterates[1]) >= 8
    assert float(iterates[2]) <= 1e-9


def test_ipopt_finds_the_published_solution(ipopt):
    _, result = ipopt
    iterates = re.findall(r"^ +\d+ +(\S+) +(\S+)$", result.stdout, re.MULTILINE)
    objective, infeasibility = map(float, iterates[-1])
    assert objective == pytest.approx(OBJECTIVE, abs=1e-6)
    assert abs(infeasibility) < 1e-8
    solutions = re.findall(r"^solution +(.*)", result.stdout, re.MULTILINE)
    assert len(solutions) == 2
    for solution in solutions:
        assert [*map(float, solution.split())] == pytest.approx(SOLUTION, abs=1e-6)


def test_ipopt_prints_the_times_of_both(ipopt):
    _, result = ipopt
    times = re.findall(
        r"time a solve [\d.]+ ms \(median\), [\d.]+ ms of it in (\d+) functions",
        result.stdout,
    )
    assert len(times) == 2
    assert times[0] == times[1]


def test_ipopt_has_neither_python_nor_a_plugin_in_its_process(ipopt, solve):
    folder, _ = ipopt
    needed = run("ldd", folder / "build/solve", folder=folder).stdout
    assert "libcyxla.so" in needed
    assert "libipopt.so" in needed
    assert not re.search(r"libpython|not found", needed), needed
    result = solve({"LD_DEBUG": "libs"})
    assert "libcyxla" in result.stderr
    assert "cpu_plugin.so" not in result.stderr
    assert "libpython" not in result.stderr


def test_ipopt_prints_nothing_on_standard_error(solve):
    result = solve()
    assert (result.returncode, result.stderr) == (0, "")


def test_ipopt_refuses_a_folder_without_files(ipopt, tmp_path):
    folder, _ = ipopt
    result = run(folder / "build/solve", tmp_path, folder=folder)
    assert result.returncode == 1
    assert "bounds.cyxla cannot be read: No such file or dir" in result.stderr


def test_ipopt_explains_how_it_is_called(ipopt):
    folder, _ = ipopt
    result = run(folder / "build/solve", folder=folder)
    assert result.returncode == 2
    assert "solve FOLDER" in result.stderr


@pytest.mark.parametrize(
    ("name", "other", "message"),
    [
        ("jacobian", "objective", "jacobian: result is float64 in 8 bytes, expected"),
        ("gradient", "hessian", "has 3 inputs and 1 outputs, expected 1 and 1"),
        ("bounds", "objective", "has 1 inputs and 1 outputs, expected 0 and 5"),
    ],
)
def test_ipopt_refuses_functions_with_another_signature(solve, name, other, message):
    result = solve(**{name: other})
    assert result.returncode == 1
    assert message in result.stderr


def test_ipopt_says_which_functions_it_cannot_run(solve):
    result = solve({"CYXLA_PLUGIN": "/no/plugin.so", "CYXLA_TIER": "pjrt"})
    assert result.returncode == 1
    assert "/no/plugin.so" in result.stderr


def test_ipopt_says_what_it_is_missing(prefix, tmp_path):
    folder = copy_example("ipopt", tmp_path)
    for variable, message in [
        ("PREFIX", "expected where cyxla is installed"),
        ("IPOPT_PREFIX", "expected where Ipopt is installed"),
        ("PYTHON", "expected a Python that has cyxla"),
    ]:
        result = make(folder, prefix, f"{variable}=/nowhere")
        assert result.returncode != 0
        assert f"{variable} is /nowhere, {message}" in result.stderr
