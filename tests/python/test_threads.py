"""Threads: the caller's, which run while a program executes, and the plugin's."""

import ctypes
import sys
import threading
import time

import cyxla as cx
import jax
import numpy as np
import pytest
from scripts import output_of

STEPS = 10_000_000  # about half a second of work that cannot be shortened


@pytest.fixture
def one_thread_at_a_time():
    """A thread keeps the GIL until it gives it up itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture(scope="module")
def long():
    def count(steps):
        return jax.lax.fori_loop(0, steps, lambda i, x: x * 1.000001 + 1, np.float32(0))

    return cx.compile(count, np.int32(0))


def progress_during(work):
    """How often another thread got a turn while work() ran.

    No turn can come between the flags and the work: a thread keeps the GIL.
    """
    flags = []

    def run():
        flags.append("begun")
        work()
        flags.append("done")

    thread = threading.Thread(target=run)
    turns = 0
    thread.start()
    while "done" not in flags:
        turns += "begun" in flags
        time.sleep(0)
    thread.join()
    return turns


@pytest.mark.usefixtures("one_thread_at_a_time")
def test_other_threads_run_python_while_a_program_runs(long):
    argument = np.array(STEPS, np.int32)
    assert progress_during(lambda: long.run([argument])) > 0


@pytest.mark.usefixtures("one_thread_at_a_time")
def test_work_that_keeps_the_gil_would_be_found_out():
    """That the test before can fail."""
    assert progress_during(lambda: sum(range(1_000_000))) == 0


@pytest.mark.usefixtures("one_thread_at_a_time")
def test_other_threads_run_python_while_an_extension_module_executes(seat, long):
    memory = seat.Memory(4)
    steps = np.ctypeslib.as_array((ctypes.c_int32 * 1).from_address(memory.address))
    made = seat.Seat(long, (memory.address, seat.S32, ()))
    steps[0] = STEPS
    assert progress_during(made.execute) > 0


def test_the_option_threads_sets_the_plugin_s_pool():
    script = """
        import json, os, sys
        from pathlib import Path
        import cyxla as cx
        import jax.numpy as jnp
        import numpy as np

        def threads():
            return [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]

        arguments = [np.ones((256, 256), np.float32)] * 2
        program = cx.lower(jnp.matmul, arguments)
        before = threads()
        cx.initialize(threads=json.loads(sys.argv[1]))
        executable, _ = cx.compile_program(program)
        for _ in range(10):
            executable.run(arguments)
        after = threads()
        pool = [sum("XLAEigen" in name for name in names) for names in (before, after)]
        cores = len(os.sched_getaffinity(0))
        print(pool[1] - pool[0], len(after) - len(before), cores)
    """
    numbers = ["1", "2", "4", "null"]
    counts = [
        [int(word) for word in output_of(script, number, NPROC=None).split()]
        for number in numbers
    ]
    pools, threads, cores = zip(*counts, strict=True)
    assert pools == (1, 2, 4, cores[-1])
    assert threads[0] < threads[1] < threads[2]
