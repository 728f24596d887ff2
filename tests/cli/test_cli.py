"""The program ``cyxla`` itself, and what holds for all of its commands."""

import os
import re
import shutil
import subprocess

import pytest

COMMANDS = ["info", "compile", "run", "bench", "plugins"]


def test_without_a_command_the_commands_are_listed(cyxla):
    done = cyxla()
    assert done.returncode == 2
    assert "usage: cyxla COMMAND" in done.stderr
    assert re.findall(r"^  (\w+) ", done.stderr, re.MULTILINE) == COMMANDS


def test_help_and_version_are_printed(cyxla):
    assert "usage: cyxla COMMAND" in cyxla("--help").stdout
    assert cyxla("--version").stdout.startswith("cyxla 0.")


def test_an_unknown_command_or_option_is_refused(cyxla):
    done = cyxla("plugin")
    assert done.returncode == 2
    assert "there is no command plugin" in done.stderr
    done = cyxla("plugins", "--xml")
    assert done.returncode == 2
    assert "there is no option --xml" in done.stderr


@pytest.mark.parametrize("command", ["cache", "check"])
def test_commands_of_python_are_named_as_such(command, cyxla):
    done = cyxla(command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cyxla: {command} is a command of python -m cyxla\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_that_tells_its_exit_codes(command, cyxla):
    for arguments in [(command, "--help"), (command, "FILE", "-h", "--nonsense")]:
        done = cyxla(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"usage: cyxla {command} [")
        assert re.search(
            r"Exit codes: 0 success[,;] 1 .*[,;]\s2\swrong", done.stdout, re.S
        )
        assert max(map(len, done.stdout.splitlines())) <= 85


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_options_that_it_does_not_have(command, cyxla):
    done = cyxla(command, "--nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"cyxla {command}: there is no option --nonsense; see cyxla {command} --help\n"
    )


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
