"""Debuggers and profilers show direct kernels by name, also with a library that was
stripped of its own symbols.

A tool that is not installed, or that the system does not let look into processes, is a
skipped test with the reason.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import cyxla as cx
import jax.numpy as jnp
import numpy as np
import pytest
from plugins_for_tests import MIDDLE_CPU_PLUGIN, compiler

SECONDS = 300

# A compiler of another library, whose names are found before cyxla's own.
OTHER_COMPILER = """
#include <stdlib.h>
struct { unsigned version, action; void *relevant, *first; } __jit_debug_descriptor;
void __jit_debug_register_code(void) { abort(); }
"""


@pytest.fixture(scope="module")
def stripped(prefix, tmp_path_factory):
    """The installed command and library, without their symbol tables."""
    folder = tmp_path_factory.mktemp("stripped") / "prefix"
    shutil.copytree(prefix, folder, symlinks=True)
    for file in ["bin/cyxla", "lib/libcyxla.so"]:
        subprocess.run(["strip", str((folder / file).resolve())], check=True)
    return folder


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A saved program whose kernel calls the C library."""
    path = tmp_path_factory.mktemp("program") / "root.cyxla"
    x = np.linspace(0, 1, 1000, dtype=np.float32)
    cx.save(path, cx.compile(lambda x: 2 * jnp.cbrt(x), x, tier="direct"))
    return path


def names_of(number):
    """The file that a process of that number writes for perf, which goes."""
    path = Path(f"/tmp/perf-{number}.map")
    text = path.read_text()
    path.unlink()
    return text


def kernel_of(stripped, program, *arguments):
    """The name of the program's only kernel, which XLA gave it."""
    process = subprocess.Popen(
        [stripped / "bin/cyxla", "run", "--zeros", *arguments, program],
        env=environment(CYXLA_PERF_MAP="1"),
        stdout=subprocess.DEVNULL,
    )
    assert process.wait() == 0
    (name,) = re.findall(r"^[0-9a-f]+ [0-9a-f]+ (.*)$", names_of(process.pid), re.M)
    return name


@pytest.fixture(scope="module")
def kernel(stripped, program):
    return kernel_of(stripped, program)


def environment(**variables):
    kept = {name: os.environ[name] for name in ["PATH", "HOME"] if name in os.environ}
    return {**kept, "CYXLA_TIER": "direct", "LC_ALL": "C", **variables}


def run_tool(*command, **variables):
    """What a tool prints; the test is skipped where the tool is not installed."""
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    return subprocess.run(
        list(map(str, command)),
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )


def run_gdb(stripped, program, *commands, arguments=()):
    """What gdb prints while it runs the program again and again."""
    settings = ["set breakpoint pending on", "set debuginfod enabled off"]
    options = [f"--eval-command={command}" for command in [*settings, *commands]]
    bench = [stripped / "bin/cyxla", "bench", "--seconds=0.1", *arguments, program]
    printed = run_tool("gdb", "-nx", "-batch", *options, "--args", *bench).stdout
    if "ptrace: Operation not permitted" in printed:
        pytest.skip("the system does not let gdb look into processes")
    return printed


def frames(printed):
    """The frames of the last backtrace, the innermost first."""
    lines = re.findall(r"^#\d+ .*", printed, re.MULTILINE)
    starts = [i for i, line in enumerate(lines) if line.startswith("#0 ")]
    return lines[starts[-1] :] if starts else []


def is_whole(trace, kernel):
    """Whether it leads from the kernel, called by cyxla, to where its thread began."""
    places = [i for i, line in enumerate(trace) if f" {kernel} ()" in line]
    callers = trace[places[0] + 1 :] if places else []
    starts = re.search(r"libc_start|start_thread", "".join(callers))
    return "libcyxla.so" in "".join(callers[:1]) and starts is not None


def test_gdb_stops_at_a_kernel_and_finds_its_callers(stripped, program, kernel):
    printed = run_gdb(stripped, program, f"break {kernel}", "run", "backtrace")
    assert re.search(rf"Breakpoint 1, 0x\w+ in {kernel} \(\)", printed)
    assert kernel in frames(printed)[0]
    assert is_whole(frames(printed), kernel), printed


def test_gdb_finds_the_callers_from_any_place_of_a_kernel(stripped, program, kernel):
    """From its first instruction, where no frame is set up, and from what it calls."""
    first = [f"break {kernel}", "run", "delete", f"break *{kernel}", "continue"]
    printed = run_gdb(stripped, program, *first, "x/i $pc", "backtrace")
    assert f"<{kernel}>:" in printed
    assert is_whole(frames(printed), kernel), printed
    called = ["delete", "break cbrtf", "continue", "backtrace"]
    printed = run_gdb(stripped, program, *first, *called)
    assert "Breakpoint 3, " in printed
    assert kernel not in frames(printed)[0]
    assert is_whole(frames(printed), kernel), printed


def test_gdb_forgets_kernels_that_are_gone(stripped, program, kernel):
    commands = [f"tbreak {kernel}", "run", "break exit", "continue"]
    printed = run_gdb(stripped, program, *commands, f"info address {kernel}")
    assert "Temporary breakpoint 1, 0x" in printed
    assert "Breakpoint 2, " in printed
    assert f'No symbol "{kernel}" in current context' in printed, printed


def test_the_names_of_another_library_s_compiler_are_not_cyxla_s(
    stripped, program, kernel, tmp_path
):
    source, library = tmp_path / "other.c", tmp_path / "other.so"
    source.write_text(OTHER_COMPILER)
    build = [*compiler(), "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(build, check=True)
    command = [stripped / "bin/cyxla", "run", "--zeros", program]
    process = run_tool(*command, LD_PRELOAD=str(library))
    assert process.returncode == 0, process.stdout
    preload = f"set environment LD_PRELOAD {library}"
    printed = run_gdb(stripped, program, preload, f"break {kernel}", "run", "backtrace")
    assert is_whole(frames(printed), kernel), printed


def test_gdb_shows_what_a_plugin_tells_of_its_own_code_as_well(stripped, program):
    """Some plugins' compilers use the same names, each its own. The kernels that they
    run, which cyxla's are compared with, are called the same too."""
    plugin = ["--plugin", MIDDLE_CPU_PLUGIN]
    kernel = kernel_of(stripped, program, *plugin)
    stops = ["backtrace", "continue"] * 3
    commands = [f"break {kernel}", "run", *stops, "backtrace"]
    printed = run_gdb(stripped, program, *commands, arguments=plugin)
    traces = [frames(part) for part in printed.split(" hit Breakpoint ")[1:]]
    assert any(is_whole(trace, kernel) for trace in traces), printed
    assert any(not is_whole(trace, kernel) for trace in traces), printed


def test_the_library_exports_what_gdb_looks_for(prefix):
    library = Path(prefix, "lib/libcyxla.so")
    printed = run_tool("nm", "--dynamic", "--defined-only", library).stdout
    for name in ["__jit_debug_descriptor", "__jit_debug_register_code"]:
        assert re.search(rf"\b[VW] {name}$", printed, re.MULTILINE)


def test_perf_shows_kernels_by_name(stripped, program, kernel, tmp_path):
    data, number = tmp_path / "perf.data", tmp_path / "number"
    command = [stripped / "bin/cyxla", "bench", "--seconds=0.5", program]
    shell = ["sh", "-c", f'echo $$ >{number}; exec "$@"', "sh", *command]
    record = ["perf", "record", "--event=cpu-clock", f"--output={data}", "--", *shell]
    process = run_tool(*record, CYXLA_PERF_MAP="1")
    if process.returncode != 0:
        pytest.skip(f"perf cannot record here: {process.stdout}")
    report = ["perf", "report", "--stdio", f"--input={data}", "--sort=comm,symbol"]
    printed = run_tool(*report).stdout
    assert kernel in names_of(number.read_text().strip())
    assert re.search(rf"\d% +cyxla +\[\.\] {kernel}\b", printed), printed
