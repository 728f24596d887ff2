"""Processes that fork after a plugin was started: an error at once, never a hang."""

import pytest
from cyxla import process
from scripts import output_of, run_python

BEGIN = """
import multiprocessing
import os
import signal
import warnings

warnings.simplefilter("ignore")  # of JAX and Python about forks

import cyxla as cx
import numpy as np

signal.alarm(300)  # ends a process that hangs
"""

# What may be called in a child, and none of it can work. Each is a line of a script.
CALLS = {
    "run": "executable.run([1.0])",
    "call": "executable(1.0)",
    "compile a program": "cx.compile_program(executable.program)",
    "compile": "cx.compile(lambda x: x, np.float32(0))",
    "load": "cx.load(path)",
}


@pytest.fixture
def output(tmp_path):
    """Runs a script that has an executable and its file, and returns its output."""

    def run(script):
        start = """
path = os.sys.argv[1]
executable = cx.compile(lambda x: x + 1, np.float32(0), tier="pjrt")
cx.save(path, executable)
"""
        return output_of(BEGIN + start + script, tmp_path / "f.cyxla")

    return run


def test_whatever_needs_the_plugin_fails_in_a_forked_child_at_once(output):
    attempts = "".join(
        f"""
    try:
        {call}
    except cx.Error as error:
        print(error.status, error, flush=True)
"""
        for call in CALLS.values()
    )
    script = f"""
if os.fork() == 0:
    signal.alarm(60)
{attempts}
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
print(executable.run([1.0])[0])
"""
    *refusals, status, result = output(script).splitlines()
    assert (status, result) == ("0", "2.0")
    assert len(refusals) == len(CALLS)
    for refusal in refusals:
        assert refusal.startswith("FORKED the process was forked after the plugin ")


def test_an_executable_may_be_deleted_in_a_child(output):
    """It ends with os._exit, since JAX's own threads are missing there at exit."""
    script = """
executable.run([1.0])
if os.fork() == 0:
    signal.alarm(60)
    del executable
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]), executable.run([1.0])[0])
"""
    assert output(script) == "0 2.0\n"


WORKER = """
import multiprocessing
import sys
import warnings

warnings.simplefilter("ignore")  # of JAX and Python about forks

import cyxla as cx
import numpy as np

def work(number):
    try:
        executable = cx.compile(lambda x: x * 2, np.float32(0))
        return float(executable(number))
    except cx.Error as error:
        return error.status

if __name__ == "__main__":
    if sys.argv[2] == "used":
        work(1.0)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(work, [1.0, 2.0]))
"""


@pytest.mark.parametrize(
    ("method", "parent", "expected"),
    [
        ("fork", "used", ["FORKED", "FORKED"]),
        ("fork", "not used", [2.0, 4.0]),
        ("spawn", "used", [2.0, 4.0]),
        ("forkserver", "used", [2.0, 4.0]),
    ],
)
def test_pools_of_multiprocessing(tmp_path, method, parent, expected):
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    process = run_python(script, method, parent)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == f"{expected}\n"


def test_a_lock_that_is_held_is_forgotten_in_a_forked_child():
    held = process.lock
    held.acquire()
    try:
        process.forget_lock()  # what happens in the child
        assert process.lock is not held
        assert process.lock.acquire(blocking=False)
        process.lock.release()
    finally:
        held.release()
