"""Many processes, threads and forked children use one cache at once."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import cyxla as cx
from caching import VECTOR, files_of
from scripts import output_of

# Compiles a program again and again while others do, and while entries vanish.
COMPETE = """
import os, sys
import cyxla as cx
import numpy as np
from cyxla import cache_directory
program = cx.Program.load(sys.argv[1])
key = cx.cache_key("program")
found = []
cx.initialize()
print("ready", flush=True)
sys.stdin.readline()
for i in range(30):
    executable, statistics = cx.compile_program(program)
    found.append(statistics.from_cache)
    assert executable.run([[1.0, 2.0, 3.0]])[0].tolist() == [3.0, 5.0, 7.0]
    cx.store_lowered(key, program)
    lowered = cx.load_lowered(key)
    assert lowered is None or lowered.code == program.code
    if i % 5 == int(sys.argv[2]):
        cache_directory.clear(cache_directory.opened())
print(len(found), any(found), flush=True)
"""


def test_processes_store_load_and_remove_the_same_entries_at_once(cache, tmp_path):
    cx.save(tmp_path / "p.cyxla", cx.lower(lambda x: 2 * x + 1, [VECTOR]))
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-W",
                "error",
                "-c",
                COMPETE,
                tmp_path / "p.cyxla",
                str(i),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(3)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        assert process.communicate() == ("30 True\n", "")
    assert not list(cache.glob("*.tmp"))


def test_threads_compile_one_program_at_once(cache):
    program = cx.lower(lambda x: 2 * x + 1, [VECTOR])

    def compile_and_run(_):
        return cx.compile_program(program)[0].run([VECTOR])[0].tolist()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(compile_and_run, range(12))) == [[3, 5, 7]] * 12
    assert len(files_of(cache)) == 1


def test_children_that_forked_before_a_plugin_was_loaded_share_the_cache(cache):
    script = """
        import os, signal, sys
        import cyxla as cx
        program = cx.lower(lambda x: 2 * x + 1, [1.0])
        for _ in range(3):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                executable, statistics = cx.compile_program(program)
                print(statistics.from_cache, executable.run([1.0])[0], flush=True)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    """
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
    )
    assert process.stdout == "False 3.0\nTrue 3.0\nTrue 3.0\n", process.stderr


def test_a_child_that_forked_later_gets_the_error_that_it_gets_without(cache):
    script = """
        import os, signal, warnings
        warnings.simplefilter("ignore")
        import cyxla as cx
        program = cx.lower(lambda x: 2 * x + 1, [1.0])
        cx.compile_program(program)
        if os.fork() == 0:
            signal.alarm(60)
            try:
                cx.compile_program(program)
            except cx.Error as error:
                print(error.status, flush=True)
            os._exit(0)
        print(os.wait()[1])
    """
    assert output_of(script) == "FORKED\n0\n"
    assert len(files_of(cache)) == 1
