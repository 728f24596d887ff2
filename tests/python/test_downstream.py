"""tests/downstream, a package of its own, which is built and run outside the source
tree, against the wheel of cyxla and nothing else of it."""

import re
import shutil
from pathlib import Path

import cyxla
import pytest
from example_projects import ROOT
from extension_modules import build_module, install_downstream
from scripts import run_python

BEGIN = """
import jax
import jax.numpy as jnp
import numpy as np
import cyxla as cx
"""

# As the documentation of extension modules shows it, word for word.
SHOWN = """
import cython
from cython.cimports.cyxla._runtime import ABI_VERSION, Input, ProgramSpec, execute

import cyxla

cyxla.check_abi(ABI_VERSION)
"""

SHOWN_TYPES = """
from cython.cimports.cyxla._pjrt import PJRT_Buffer_Type_F32
from cython.cimports.cyxla._runtime import aligned_memory, free_aligned


def sizes():
    given: Input
    given.type = PJRT_Buffer_Type_F32
    spec: ProgramSpec
    memory: cython.p_void = aligned_memory(1000)
    address: cython.size_t = cython.cast(cython.size_t, memory)
    free_aligned(memory)
    return cython.cast(cython.int, given.type), address % 64


@cython.cfunc
@cython.exceptval(-1, check=False)
@cython.nogil
def run(spec: cython.pointer[ProgramSpec]) -> cython.int:
    return execute(spec)


@cython.cfunc
def first(spec: cython.pointer[ProgramSpec]) -> cython.size_t:
    return spec.output_bytes[0]
"""

SHOWN_IN_MESON = r"""
cyxla_include = run_command(
  python, '-c', 'import cyxla; print("\\n".join(cyxla.get_include()))', check: true,
).stdout().strip().split('\n')
"""


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    return install_downstream(wheel, tmp_path_factory.mktemp("downstream"))


def test_the_modules_stand_on_the_wheel_alone(installed, tmp_path):
    script = BEGIN + "import downstream; print(cx.__file__, *cx.get_include())"
    output = installed.output_of(script, tmp_path)
    package = installed.cyxla / "cyxla"
    assert output.split() == [
        str(package / "__init__.py"),
        str(package / "include"),
        str(installed.cyxla),
    ]


def test_a_module_in_cython_s_own_language_runs(installed, tmp_path):
    script = """
from downstream.oscillator import Oscillator

def step(state):
    velocity = 0.5 * state[1] - 0.25 * state[0]
    return jnp.stack([state[0] + velocity, velocity])

with jax.enable_x64(True):
    executable = cx.compile(step, np.zeros(2), donate_argnums=0)
oscillator = Oscillator(executable, 1.0, 0.0)
print(oscillator.output_bytes, executable.output_bytes, oscillator.is_copied)
found = oscillator.advance(3)
print(oscillator.is_updated_in_place)
expected = np.array([1.0, 0.0])
for _ in range(3):
    (expected,) = executable.run([expected])
print(list(found) == list(expected))
"""
    output = installed.output_of(BEGIN + script, tmp_path)
    assert output.splitlines() == ["16 [16] False", "True", "True"]


def test_a_module_in_pure_python_mode_runs(installed, tmp_path):
    script = """
from downstream.pendulum import total

executable = cx.compile(lambda angle: 1 - jnp.cos(angle), np.float32(0))
angles = [0.0, 0.5, 1.0]
expected = sum(float(executable.run([angle])[0]) for angle in angles)
print(total(executable, angles) == expected, expected > 0)
"""
    assert installed.output_of(BEGIN + script, tmp_path) == "True True\n"


def test_modules_refuse_programs_that_are_not_theirs(installed, tmp_path):
    script = """
from downstream.oscillator import Oscillator
from downstream.pendulum import total

for function, *arguments in [
    (lambda s: s, np.zeros(2, np.float32)),
    (lambda s: s, np.zeros((2, 1), np.float32)),
    (lambda s, t: s + t, np.zeros(2, np.float32), np.float32(1)),
    (lambda: jnp.zeros(2),),
]:
    try:
        Oscillator(cx.compile(function, *arguments), 1.0, 0.0)
    except TypeError as error:
        print(error)
try:
    total(cx.compile(lambda s: s[0], np.zeros(2, np.int32)), [1.0])
except TypeError as error:
    print(error)
"""
    assert installed.output_of(BEGIN + script, tmp_path).splitlines() == [
        "input s is float64[2], expected float32[2]",
        "input s is float64[2], expected float32[2, 1]",
        "the program takes 2 arguments (s, t), found 1",
        "the program takes 0 arguments (), found 1",
        "input s is float32[], expected int32[2]",
    ]


def test_the_meson_build_is_the_one_of_the_documentation():
    assert SHOWN_IN_MESON in (ROOT / "tests/downstream/meson.build").read_text()


def test_the_lines_of_the_documentation_build_and_run(tmp_path):
    source = tmp_path / "shown.py"
    source.write_text(SHOWN + SHOWN_TYPES)
    build_module(source, tmp_path)
    source.unlink()
    script = "import sys; sys.path.insert(0, sys.argv[1]); import shown; "
    result = run_python("-c", script + "print(*shown.sizes())", tmp_path)
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "11 0\n")


@pytest.mark.parametrize("name", ["pendulum.py", "oscillator.pyx"])
def test_a_module_built_against_another_version_is_rejected(tmp_path, name):
    """Both versions are named, and what to do."""
    declarations = tmp_path / "declarations"
    package = Path(cyxla.get_include()[1]) / "cyxla"
    (declarations / "cyxla").mkdir(parents=True)
    for path in package.glob("*.pxd"):
        text, count = re.subn(r"(ABI_VERSION = )\d+", r"\g<1>987", path.read_text())
        assert count == (path.name == "_runtime.pxd")
        (declarations / "cyxla" / path.name).write_text(text)
    (declarations / "cyxla" / "__init__.py").touch()
    source = shutil.copy(ROOT / "tests/downstream/src/downstream" / name, tmp_path)
    build_module(source, tmp_path, declarations)
    Path(source).unlink()
    script = "import sys; sys.path.insert(0, sys.argv[1]); import "
    result = run_python("-c", script + Path(source).stem, tmp_path)
    assert result.returncode != 0
    assert result.stderr.splitlines()[-1] == (
        "ImportError: the extension module was built against version 987 of cyxla's "
        f"declarations, and the installed cyxla {cyxla.__version__} has version "
        f"{cyxla._runtime._ABI_VERSION}; build the module again"
    )


def test_the_version_of_this_cyxla_is_accepted():
    assert cyxla.check_abi(cyxla._runtime._ABI_VERSION) is None
    with pytest.raises(ImportError, match="was built against version 987 of cyxla's"):
        cyxla.check_abi(987)
