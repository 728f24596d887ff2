"""The list of plugins, as ``python -m cyxla`` prints it."""

import json
import subprocess

import cyxla as cx
import pytest
from cyxla import __main__, listing
from cyxla.plugins import Plugin
from distributions import python_path, write_distribution, write_plugin
from plugins_for_tests import CPU_PLUGIN, MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN, compiler
from scripts import run_python


def write_library(path, body):
    """Makes a library that does something when it is loaded."""
    source = (
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
        f"__attribute__((constructor)) static void start(void) {{ {body} }}\n"
    )
    command = [*compiler(), "-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=source, text=True, check=True)
    return path


def row_of(path, platform="cpu"):
    return listing.row(Plugin(platform, path, "a test"))


def test_every_plugin_is_listed_with_what_its_library_says():
    process = run_python("-m", "cyxla")
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == (
        f"cyxla {cx.__version__}\n"
        "\n"
        "cpu: lammps-jax-pjrt-cpu\n"
        f"  path        {CPU_PLUGIN}\n"
        "  PJRT API    0.115\n"
        "  StableHLO   1.20.0\n"
        "  extensions  XlaTransform, Shardings, PhaseCompile, FFI, MemoryDescriptions, "
        "Layouts\n"
        "\n"
        "cpu: fastatomstruct-xla-cpu\n"
        f"  path        {MIDDLE_CPU_PLUGIN}\n"
        "  PJRT API    0.106\n"
        "  StableHLO   1.16.1\n"
        "  extensions  Shardings, PhaseCompile, FFI, MemoryDescriptions, Layouts\n"
        "\n"
        "cpu: xla-cpu-pjrt\n"
        f"  path        {OLD_CPU_PLUGIN}\n"
        "  PJRT API    0.81\n"
        "  StableHLO   1.13.3\n"
        "  extensions  PhaseCompile, FFI, MemoryDescriptions, Layouts\n"
    )


def test_why_a_plugin_cannot_be_used_is_listed(tmp_path):
    write_distribution(tmp_path, "broken-plugin", {"x": "no_such_module"})
    write_plugin(tmp_path, "rocm", "/missing/rocm.so")
    process = run_python("-m", "cyxla", "plugins", PYTHONPATH=python_path(tmp_path))
    assert (process.returncode, process.stderr) == (0, "")
    blocks = process.stdout.split("\n\n")
    assert (
        "unknown platform: entry point x of broken-plugin\n"
        "  path        -\n"
        "  PJRT API    -\n"
        "  StableHLO   -\n"
        "  extensions  -\n"
        "  cannot be used: its entry point failed: ModuleNotFoundError: No module "
        "named 'no_such_module'"
    ) in blocks
    assert (
        "rocm: entry point rocm of plugin-for-rocm\n"
        "  path        /missing/rocm.so\n"
        "  PJRT API    -\n"
        "  StableHLO   -\n"
        "  extensions  -\n"
        "  cannot be used: /missing/rocm.so is not there"
    ) in blocks


@pytest.mark.parametrize(
    "arguments", [["--json"], ["plugins", "--json"], ["--json", "plugins"]]
)
def test_the_list_is_printed_as_json(arguments):
    path = str(OLD_CPU_PLUGIN)
    process = run_python("-m", "cyxla", *arguments, CYXLA_PLUGIN=path)
    assert (process.returncode, process.stderr) == (0, "")
    rows = json.loads(process.stdout)
    assert rows[0] == {
        "platform": "cpu",
        "source": "CYXLA_PLUGIN",
        "path": path,
        "pjrt_api_version": [0, 81],
        "stablehlo_version": [1, 13, 3],
        "extensions": ["PhaseCompile", "FFI", "MemoryDescriptions", "Layouts"],
        "problem": None,
    }
    assert [row["source"] for row in rows[1:]] == [
        "lammps-jax-pjrt-cpu",
        "fastatomstruct-xla-cpu",
    ]


def test_without_a_plugin_it_is_said_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(listing, "find_plugins", list)
    assert __main__.main([]) == 0
    assert capsys.readouterr().out == (
        f"cyxla {cx.__version__}\n"
        "no plugin was found; for the CPU, install lammps-jax-pjrt-cpu\n"
    )


@pytest.mark.parametrize("command", ["info", "compile", "run", "bench"])
@pytest.mark.parametrize("before", [[], ["--json"]])
def test_commands_of_the_program_are_named_as_such(command, before, capsys):
    with pytest.raises(SystemExit) as error:
        __main__.main([*before, command, "--zeros", "program.cyxla"])
    assert error.value.code == 2
    output, message = capsys.readouterr()
    assert output == ""
    assert message.endswith(
        f"python -m cyxla: error: {command} is a command of the program cyxla, which "
        "is installed with the C library: make library in a checkout installs "
        "build/prefix/bin/cyxla\n"
    )


def test_help_names_the_commands_of_the_program():
    process = run_python("-m", "cyxla", "--help", "info")
    assert (process.returncode, process.stderr) == (0, "")
    text = " ".join(process.stdout.split())
    assert "info, compile, run, bench: each is a command of the program cyxla" in text


def test_a_library_that_is_no_plugin_is_told(fake_plugins):
    row = row_of(fake_plugins.without_symbol)
    assert row.pjrt_api_version is row.stablehlo_version is row.extensions is None
    assert row.problem == (
        f"the library {fake_plugins.without_symbol} is no PJRT plugin: it has no "
        "function GetPjrtApi"
    )


def test_a_library_that_ends_the_process_is_told(tmp_path):
    path = write_library(tmp_path / "aborts.so", "abort();")
    assert row_of(path).problem == "loading it ended the process (-6): no message"
    path = write_library(
        tmp_path / "exits.so", 'fputs("first\\nlast\\n", stderr); _exit(3);'
    )
    assert row_of(path).problem == "loading it ended the process (3): last"


def test_a_library_that_never_answers_is_told(tmp_path, monkeypatch):
    path = write_library(tmp_path / "hangs.so", "for (;;) pause();")
    monkeypatch.setattr(listing, "INSPECTION_SECONDS", 0.5)
    assert row_of(path).problem == "it did not answer within 0.5 seconds"


def test_a_library_that_prints_does_not_spoil_the_list(tmp_path):
    path = write_library(tmp_path / "prints.so", 'puts("hello"); fflush(stdout);')
    assert "is no PJRT plugin" in row_of(path).problem


def test_a_path_may_hold_any_bytes(tmp_path):
    directory = tmp_path / "größe\udcff 'quoted'"
    directory.mkdir()
    (directory / "plugin.so").symlink_to(CPU_PLUGIN)
    row = row_of(directory / "plugin.so")
    assert (row.pjrt_api_version, row.problem) == ([0, 115], None)


def test_the_version_is_printed():
    process = run_python("-m", "cyxla", "--version")
    assert (process.returncode, process.stdout) == (0, f"{cx.__version__}\n")


def test_an_unknown_command_is_refused():
    process = run_python("-m", "cyxla", "plugin")
    assert process.returncode == 2
    assert "invalid choice: 'plugin'" in process.stderr
