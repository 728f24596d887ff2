"""What the Makefiles of all examples do alike: they tell what is missing before
anything is made, and take prefixes of any name."""

import shutil

import pytest
from example_projects import ROOT, copy_example, make, run
from test_examples_kalman import LAPACK

MAKEFILES = {path.parent.name: path for path in ROOT.glob("examples/*/Makefile")}
WITH_PREFIX = [name for name in MAKEFILES if "PREFIX ?=" in MAKEFILES[name].read_text()]
PYTHON_HINT = "in a checkout of cyxla, make package makes .venv/bin/python one\n"
PREFIX_HINT = "in a checkout of cyxla, make library installs it in build/prefix\n"


@pytest.mark.parametrize("name", MAKEFILES)
def test_a_python_without_cyxla_is_told_before_anything_is_made(name, prefix, tmp_path):
    folder = copy_example(name, tmp_path)
    result = make(folder, prefix, "PYTHON=false")
    assert result.returncode != 0
    assert result.stdout == ""
    begin = "PYTHON is false, expected a Python that has cyxla"
    (line,) = [x for x in result.stderr.splitlines(True) if x.startswith(begin)]
    assert line.endswith(f"; {PYTHON_HINT}")
    assert not (folder / "build").exists()


@pytest.mark.parametrize("name", WITH_PREFIX)
def test_a_prefix_without_cyxla_is_told_before_anything_is_compiled(name, tmp_path):
    if name == "cmake" and shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    folder = copy_example(name, tmp_path)
    result = make(folder, "/nowhere at all")
    assert result.returncode != 0
    begin = "PREFIX is /nowhere at all, expected where "
    (line,) = [x for x in result.stderr.splitlines(True) if x.startswith(begin)]
    assert line.endswith(f"; {PREFIX_HINT}")
    assert " -o " not in result.stdout


@pytest.mark.parametrize("name", ["bare_pjrt", "handler", "kalman", "sizes", "step"])
@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_prefix_may_have_spaces_and_be_relative(name, is_absolute, prefix, tmp_path):
    moved = shutil.copytree(prefix, tmp_path / "a prefix", symlinks=True)
    folder = copy_example(name, tmp_path)
    program = {"handler": "trend", "kalman": "track", "sizes": "refine"}.get(name, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CYXLA_LAPACK", str(LAPACK))
        result = make(folder, moved if is_absolute else "../a prefix")
    assert result.returncode == 0, result.stderr
    needed = run("ldd", f"build/{program}", folder=folder).stdout
    assert "not found" not in needed
    assert name == "bare_pjrt" or f"=> {moved}/" in needed
