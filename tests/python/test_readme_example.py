"""The examples of the description run as printed, in the root of a checkout."""

import sys

import cyxla as cx
import pytest
from example_projects import ROOT, copy_example, run
from scripts import output_of
from test_docs import blocks

README = ROOT / "README.md"

EXAMPLE = """
import jax
import jax.numpy as jnp
import numpy as np

import cyxla as cx

program = cx.lower(lambda x: jnp.sin(x) * 2, [jax.ShapeDtypeStruct((3,), jnp.float32)])
executable, statistics = cx.compile_program(program)
(result,) = executable.run([np.array([0.0, 1.0, 2.0])])
"""

CHECK = """
assert np.allclose(result, 2 * np.sin([0.0, 1.0, 2.0]))
assert result.dtype == np.float32
assert executable.output_bytes == [12]
"""


def test_the_first_example_runs_and_prints_nothing():
    assert output_of(EXAMPLE + CHECK) == ""


def test_the_log_of_xla_can_be_asked_for():
    assert output_of("import os\n" + EXAMPLE + CHECK, CYXLA_LOG="3") == ""


@pytest.fixture
def checkout(prefix, tmp_path):
    """What there is in a checkout after make library package, with the Python of the
    tests, and with what the Python of the description saves."""
    copy_example("step", tmp_path / "examples")
    (tmp_path / "build").mkdir()
    (tmp_path / "build/prefix").symlink_to(prefix)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    saved = run(python, "-c", "\n".join(blocks(README, "python")), folder=tmp_path)
    assert saved.returncode == 0, saved.stderr
    return tmp_path


@pytest.mark.parametrize("begin", ["export PKG_CONFIG_PATH=", "make -C examples/step"])
def test_the_commands_run_as_printed_in_a_checkout(begin, checkout):
    (commands,) = [code for code in blocks(README, "sh") if code.startswith(begin)]
    (output,) = blocks(README, "text")
    done = run("sh", "-e", "-c", commands, folder=checkout)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines(True) if line[0].isdigit()] == [
        output
    ]


def test_make_library_tells_what_finds_the_installation(prefix, tmp_path):
    """As if it were built already."""
    link = tmp_path / "a prefix"
    link.symlink_to(prefix)
    arguments = ["-o", "build/library.ready", "BUILD=build", f"PREFIX={link}"]
    made = run("make", "-s", "library", *arguments, folder=ROOT)
    assert (made.returncode, made.stderr) == (0, "")
    begin = f"installed in {link}; to find it: export "
    (line,) = made.stdout.splitlines()
    assert line.startswith(begin)
    export = line.removeprefix(begin)
    script = f"export {export}; cyxla --version; pkg-config --modversion cyxla"
    done = run("sh", "-c", script, folder=tmp_path)
    assert done.stdout == f"cyxla {cx.__version__}\n{cx.__version__}\n"
