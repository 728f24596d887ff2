"""The command ``cyxla plugins``."""

import json
import os
import shutil
import subprocess

import lammps_jax_pjrt_cpu
import pytest

PLUGIN = str(lammps_jax_pjrt_cpu.PLUGIN_PATH)


@pytest.fixture
def cyxla(prefix):
    """Runs the installed program."""

    def run(*arguments, **environment):
        return subprocess.run(
            [f"{prefix}/bin/cyxla", *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            timeout=60,
            check=False,
        )

    return run


def test_without_a_command_the_commands_are_listed(cyxla):
    done = cyxla()
    assert done.returncode == 2
    assert "usage: cyxla COMMAND" in done.stderr
    assert "plugins" in done.stderr


def test_help_and_version_are_printed(cyxla):
    assert "usage: cyxla COMMAND" in cyxla("--help").stdout
    assert "usage: cyxla plugins" in cyxla("plugins", "--help").stdout
    assert cyxla("--version").stdout.startswith("cyxla 0.")


def test_an_unknown_command_or_option_is_refused(cyxla):
    done = cyxla("plugin")
    assert done.returncode == 2
    assert "there is no command plugin" in done.stderr
    done = cyxla("plugins", "--xml")
    assert done.returncode == 2
    assert "there is no option --xml" in done.stderr


def test_nothing_is_found_where_nothing_is_given(cyxla):
    done = cyxla("plugins")
    assert done.returncode == 0
    assert "no plugin was found" in done.stdout
    assert cyxla("plugins", "--json").stdout.split() == ["[", "]"]


def test_the_plugin_of_the_environment_is_described(cyxla):
    done = cyxla("plugins", CYXLA_PLUGIN=PLUGIN)
    assert done.returncode == 0
    assert done.stderr == ""
    assert PLUGIN in done.stdout
    assert "PJRT API    0.115" in done.stdout
    assert "FFI" in done.stdout


def test_the_libraries_in_a_directory_are_described(cyxla, tmp_path):
    os.symlink(PLUGIN, tmp_path / "b.so")
    (tmp_path / "a.so").write_text("no library")
    (tmp_path / "c.txt").write_text("no library")
    rows = json.loads(cyxla("plugins", "--json", tmp_path).stdout)
    assert [row["path"] for row in rows] == [f"{tmp_path}/a.so", f"{tmp_path}/b.so"]
    assert "is not a library that can be loaded" in rows[0]["problem"]
    assert rows[0]["pjrt_api_version"] is rows[0]["stablehlo_version"] is None
    assert rows[0]["extensions"] == []
    assert rows[1]["problem"] is None
    assert rows[1]["stablehlo_version"] == [1, 20, 0]
    assert rows[1]["pjrt_api_version"] == [0, 115]


def test_a_directory_that_cannot_be_read_is_reported(cyxla, tmp_path):
    done = cyxla("plugins", tmp_path / "nowhere")
    assert done.returncode == 0
    assert "nowhere cannot be read" in done.stdout


def test_output_that_cannot_be_written_is_a_failure(prefix):
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [f"{prefix}/bin/cyxla", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "cannot be written" in done.stderr


def test_the_program_needs_no_python(prefix):
    if shutil.which("ldd") is None:
        pytest.skip("this system has no ldd")
    needed = subprocess.run(
        ["ldd", f"{prefix}/bin/cyxla"], capture_output=True, text=True, check=True
    ).stdout
    assert "not found" not in needed
    assert "python" not in needed
    assert "stdc++" not in needed
