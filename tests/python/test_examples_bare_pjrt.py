"""examples/bare_pjrt: serialized executables, run with the PJRT C API alone."""

import re
import runpy
import sys

import cyxla as cx
import jax
import numpy as np
import pytest
from example_projects import ROOT, copy_example, make, run
from plugins_for_tests import CPU_PLUGIN, MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN

FLAGS = "-Wall -Wextra -Wconversion -Wpedantic -Werror"
PRINTED = "[7.5, 10.6, 13.7, 16.8]\n"
X = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
Y = np.array([5.5, 6.6, 7.7, 8.8], np.float32)


@pytest.fixture(scope="module")
def bare(prefix, tmp_path_factory):
    """A copy of examples/bare_pjrt with what its run printed."""
    folder = copy_example("bare_pjrt", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix, f"CFLAGS={FLAGS}")


@pytest.fixture
def run_bare(bare):
    """Runs the program of the example in its build folder."""
    folder, first = bare
    assert first.returncode == 0, first.stderr
    folder = folder / "build"
    return lambda *words, **variables: run(
        "./bare_pjrt", *words, folder=folder, **variables
    )


def assert_fails(result, message):
    assert (result.returncode, result.stdout) == (1, "")
    assert f"bare_pjrt: cannot {message}" in result.stderr


def test_it_prints_what_jax_computes(bare, run_bare):
    folder, result = bare
    twice_plus = runpy.run_path(str(folder / "make_foo.py"))["twice_plus"]
    numbers = ", ".join(f"{number:.1f}" for number in jax.jit(twice_plus)(X, Y))
    assert f"[{numbers}]\n" == PRINTED
    assert result.stdout.endswith(f"build/foo.bin\n{PRINTED}")
    again = run_bare(CPU_PLUGIN, "foo.bin")
    assert (again.returncode, again.stdout, again.stderr) == (0, PRINTED, "")


@pytest.mark.parametrize("plugin", [MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN])
def test_older_plugins_run_what_they_serialized(plugin, bare, run_bare, tmp_path):
    folder, _ = bare
    command = [sys.executable, "make_foo.py", tmp_path]
    made = run(*command, folder=folder, CYXLA_PLUGIN=str(plugin))
    assert made.stdout == f"{plugin.resolve()}\n"
    # They log that a processor may lack what they only prefer, as prefer-no-gather.
    result = run_bare(plugin, tmp_path / "foo.bin", TF_CPP_MIN_LOG_LEVEL="3")
    assert (result.returncode, result.stdout, result.stderr) == (0, PRINTED, "")


def test_nothing_of_cyxla_is_linked(bare):
    folder, _ = bare
    needed = run("ldd", "build/bare_pjrt", folder=folder).stdout
    assert "libc.so" in needed
    assert not re.search(r"cyxla|python|libstdc\+\+|not found", needed), needed


def test_it_explains_how_it_is_called(run_bare):
    result = run_bare("foo.bin")
    assert result.returncode == 2
    assert result.stderr == "usage: bare_pjrt PLUGIN FILE\n"


def test_what_is_no_plugin_is_refused(run_bare, fake_plugins):
    for plugin, message in [
        ("/no/plugin.so", "load the plugin: /no/plugin.so: cannot open shared obj"),
        (fake_plugins.without_symbol, "load the plugin: .*GetPjrtApi"),
        (fake_plugins.without_table, "use the plugin: GetPjrtApi returned NULL"),
        (fake_plugins.fake, "load the serialized executable: no fake executable"),
    ]:
        result = run_bare(plugin, "foo.bin")
        assert (result.returncode, result.stdout) == (1, "")
        assert re.match(f"bare_pjrt: cannot {message}", result.stderr)


@pytest.fixture
def foo(tmp_path):
    """A file with the bytes of a serialized executable."""

    def write(contents):
        path = tmp_path / "other.bin"
        path.write_bytes(contents)
        return path

    return write


def test_files_that_cannot_be_read_are_refused(run_bare, tmp_path):
    result = run_bare(CPU_PLUGIN, "no.bin")
    assert_fails(result, "read the file: No such file or directory")
    result = run_bare(CPU_PLUGIN, tmp_path)
    assert_fails(result, "read the file: Is a directory")


def test_bytes_that_are_no_executable_are_refused_with_the_text_of_xla(run_bare, foo):
    contents = cx.compile(lambda x, y: x + y, X, Y).serialize()
    for damaged, message in [
        (contents[:-1], "Failed to parse message of type xla.ExecutableAndOptionsPro"),
        (b"foo", "Failed to parse message of type xla.ExecutableAndOptionsProto"),
        (b"", "RET_CHECK failure"),
    ]:
        result = run_bare(CPU_PLUGIN, foo(damaged))
        assert_fails(result, f"load the serialized executable: {message}")


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x, y),
        lambda x, y: (),
        lambda x, y: x[:3] + y[:3],
        lambda x, y: (x + y)[None],
        lambda x, y: (x + y).astype("i4"),
    ],
    ids=["two outputs", "no output", "other size", "other rank", "other type"],
)
def test_functions_with_other_outputs_are_not_run(function, run_bare, foo):
    path = foo(cx.compile(function, X, Y).serialize())
    result = run_bare(CPU_PLUGIN, path)
    assert_fails(result, "run the function: it does not return one array of four fl")


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (
            lambda x: x * 2,
            [X],
            "Execution supplied 2 arguments but compiled program ex",
        ),
        (lambda x, y: x + y[:4], [X, np.ones(5, "f4")], "E0102: RuntimeProgramInput"),
    ],
    ids=["number", "size"],
)
def test_functions_with_other_inputs_fail(function, arguments, message, run_bare, foo):
    path = foo(cx.compile(function, *arguments).serialize())
    result = run_bare(CPU_PLUGIN, path)
    assert_fails(result, f"run the function: {message}")


def test_output_that_cannot_be_written_is_told(bare):
    folder, _ = bare
    command = f"build/bare_pjrt '{CPU_PLUGIN}' build/foo.bin >/dev/full"
    result = run("sh", "-c", command, folder=folder)
    assert_fails(result, "print the output: No space left on device")


def test_it_says_what_it_is_missing(prefix, tmp_path):
    folder = copy_example("bare_pjrt", tmp_path)
    result = make(folder, tmp_path / "nowhere")
    assert result.returncode != 0
    assert f"PREFIX is {tmp_path}/nowhere, expected where cyxla is" in result.stderr


def test_its_page_shows_the_code_that_runs():
    """The pieces are marked C and not c, since they do not compile alone."""
    page = (ROOT / "docs/bare-pjrt.md").read_text()
    pieces = re.findall(r"^```C\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    program = (ROOT / "examples/bare_pjrt/bare_pjrt.c").read_text()
    assert len(pieces) == 3
    assert all(piece in program for piece in pieces)
    assert f"It prints `{PRINTED.strip()}`" in page
