"""Commands that compile for more than a second say so on a terminal."""

import os
import pty
import re
import subprocess

import fake_files
import pytest


@pytest.fixture
def program(tmp_path):
    return fake_files.save_copies(
        tmp_path / "a\x1b.cyxla", ("x", "float32", (3,)), ("y", "int32", ())
    )


@pytest.fixture
def start(prefix, slow_plugin, fake_plugins, program, tmp_path):
    """Starts a command, with standard error where it is told."""

    def start(command, stderr):
        return subprocess.Popen(
            [f"{prefix}/bin/cyxla", command, program, "--zeros"],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={
                "CYXLA_PLUGIN": str(slow_plugin),
                "SLOW_PLUGIN_OTHER": str(fake_plugins.fake),
                "SLOW_PLUGIN_FILE": str(tmp_path / "go"),
            },
        )

    return start


def read_terminal(leader, until=None):
    """What is written to a terminal, until a text comes or the terminal is closed."""
    text = b""
    while until is None or until not in text:
        try:
            more = os.read(leader, 1000)
        except OSError:  # Linux's way to say that nobody has it open any more
            break
        if not more:
            break
        text += more
    return text.decode()


@pytest.mark.parametrize("command", ["run", "bench"])
def test_the_seconds_are_shown_on_a_terminal_and_taken_away(
    start, program, tmp_path, command
):
    leader, follower = pty.openpty()
    process = start(command, follower)
    os.close(follower)
    shown = read_terminal(leader, until=b": 2 s")
    (tmp_path / "go").touch()
    shown += read_terminal(leader)
    os.close(leader)
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    name = str(program).replace("\x1b", "\\x1b")
    assert b"float32[3]\n[0. 0. 0.]\n" in output or b"percentile" in output
    lines = shown.split("\r")
    assert lines[0] == ""
    assert lines[-1] == "\x1b[K"
    assert lines[1:3] == [f"compiling {name}: 1 s", f"compiling {name}: 2 s"]
    for line in lines[3:-1]:
        assert re.fullmatch(rf"compiling {re.escape(name)}: \d+ s", line)


def test_nothing_is_shown_where_standard_error_is_no_terminal(start, tmp_path):
    process = start("run", subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=2.5)
    (tmp_path / "go").touch()
    output, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, b"")
    assert output == b"x  float32[3]\n[0. 0. 0.]\ny  int32[]\n0\n"
