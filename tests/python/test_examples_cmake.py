"""examples/cmake, found by CMake, built as C++ and run beside JAX."""

import os
import re
import runpy
import shutil

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from example_projects import copy_example, make, run

FLAGS = "-Wall -Wextra -Wconversion -Wpedantic -Werror"
RUNS = 100
TIME_STEP = 0.001

# What the class promises, on the file that the example saved.
USE_MODEL = """
#include <cstdio>
#include <vector>
#include "model.hpp"

static_assert(!std::is_copy_constructible_v<Model>);
static_assert(!std::is_copy_assignable_v<Model>);
static_assert(std::is_nothrow_move_constructible_v<Model>);
static_assert(std::is_nothrow_move_assignable_v<Model>);

template <typename Function>
void print_error(Function function) {
  try {
    function();
    std::puts("no error");
  } catch (const std::runtime_error &error) {
    std::puts(error.what());
  }
}

int main() {
  Model model("build/advance.cyxla");
  print_error([&] { model.input<float>("position", {2}); });
  print_error([&] { model.input<double>("position", {2, 1}); });
  print_error([&] { model.input<double>("time_step", {1}); });
  print_error([&] { model.input<double>("mass", {}); });
  print_error([&] { model.output<std::int64_t>("energy", {}); });
  print_error([&] { model.output<double>("energy", {}); });

  const Array<double> position = model.input<double>("position", {2});
  position[0] = 1;
  Model other = model.seat();
  other.input<double>("position", {2})[0] = 2;
  Model moved = std::move(model);
  moved.run();
  print_error([&] { other.output<double>("energy", {}); });
  other.run();
  const bool same = moved.input<double>("position", {2}).data() == position.data();
  std::printf("%d %.0f %.0f %zu\\n", same, moved.output<double>("position", {2})[0],
              other.output<double>("position", {2})[0], position.size());
  other = std::move(moved);
  std::printf("%.0f\\n", other.output<double>("position", {2})[0]);
}
"""


@pytest.fixture(scope="module")
def orbits(prefix, tmp_path_factory):
    """A copy of examples/cmake with what its run printed."""
    folder = copy_example("cmake", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix, f"CXXFLAGS={FLAGS}")


@pytest.fixture
def run_orbits(orbits):
    """Runs the program of the example in its build folder."""
    folder, first = orbits
    assert first.returncode == 0, first.stderr
    return lambda *arguments, **environment: run(
        "./orbits", *arguments, folder=folder / "build", **environment
    )


def follow(advance, distance, speed):
    """What orbits.cpp does, with JAX."""
    position, velocity = np.array([distance, 0.0]), np.array([0.0, speed])
    for _ in range(RUNS):
        state = advance(position, velocity, TIME_STEP)
        position, velocity = state["position"], state["velocity"]
    return [*position.tolist(), float(state["energy"])]


@pytest.mark.usefixtures("x64")
def test_the_planets_are_where_jax_has_them(orbits):
    folder, result = orbits
    assert result.returncode == 0, result.stderr
    source = (folder / "orbits.cpp").read_text()
    planets = re.findall(r'\{"(\w+)", ([\d.]+), ([\d.]+)\}', source)
    script = runpy.run_path(str(folder / "save_advance.py"))
    advance = jax.jit(script["advance"])
    printed = re.findall(r"^(\w+) +(\S+) +(\S+) +(\S+)$", result.stdout, re.MULTILINE)
    assert [name for name, *_ in printed] == [name for name, *_ in planets]
    for (_, distance, speed), (_, *numbers) in zip(planets, printed, strict=True):
        expected = follow(advance, float(distance), float(speed))
        assert [*map(float, numbers)] == pytest.approx(expected, abs=1e-11)
    energies = {name: float(energy) for name, *_, energy in printed}
    assert energies["Earth"] == pytest.approx(-2 * np.pi**2, rel=1e-4)


def test_the_program_needs_no_python(orbits):
    folder, _ = orbits
    needed = run("ldd", "build/orbits", folder=folder).stdout
    assert "libcyxla.so" in needed
    assert not re.search(r"libpython|not found", needed), needed


def test_a_model_keeps_its_promises(orbits, prefix):
    folder, first = orbits
    assert first.returncode == 0, first.stderr
    (folder / "use_model.cpp").write_text(USE_MODEL)
    compiler = os.environ.get("CXX", "c++").split()
    built = run(
        *compiler, "-std=c++17", *FLAGS.split(), f"-I{prefix}/include",
        "use_model.cpp", "-o", "use_model", f"-L{prefix}/lib", "-lcyxla",
        f"-Wl,-rpath,{prefix}/lib", folder=folder,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    result = run("./use_model", folder=folder)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "input position is float64[2], expected float32[2]",
        "input position is float64[2], expected float64[2 x 1]",
        "input time_step is float64[], expected float64[1]",
        "the function has no input mass",
        "output energy is float64[], expected int64[]",
        "there is no output energy until a run has succeeded",
        "there is no output energy until a run has succeeded",
        "1 1 2 2",
        "1",
    ]


def test_orbits_explains_how_it_is_called(run_orbits):
    result = run_orbits()
    assert (result.returncode, result.stderr) == (2, "usage: orbits FILE\n")


def test_orbits_throws_the_messages_of_the_library(run_orbits):
    result = run_orbits("no.cyxla")
    assert result.returncode == 1
    assert "orbits: the file no.cyxla cannot be read: No such" in result.stderr
    result = run_orbits(
        "advance.cyxla", CYXLA_PLUGIN="/no/plugin.so", CYXLA_TIER="pjrt"
    )
    assert result.returncode == 1
    assert "/no/plugin.so" in result.stderr


def test_what_a_thread_throws_is_told(run_orbits, tmp_path):
    path = tmp_path / "other.cyxla"
    cx.save(path, cx.compile(lambda position: {"energy": position}, jnp.zeros(3)))
    result = run_orbits(path)
    assert (result.returncode, result.stdout) == (1, "")
    expected = "orbits: input position is float32[3], expected float64[2]\n"
    assert result.stderr == expected


def test_another_prefix_is_found_where_paths_have_spaces(orbits, prefix, tmp_path):
    folder, _ = orbits
    moved = shutil.copytree(prefix, tmp_path / "a prefix", symlinks=True)
    result = make(folder, moved)
    assert result.returncode == 0, result.stderr
    assert f"=> {moved}/lib" in run("ldd", "build/orbits", folder=folder).stdout


def test_cmake_says_what_it_is_missing(tmp_path):
    folder = copy_example("cmake", tmp_path)
    result = make(folder, tmp_path / "nowhere")
    assert result.returncode != 0
    assert 'package configuration file provided by "cyxla"' in result.stderr
