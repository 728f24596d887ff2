"""The command ``cyxla bench``."""

import json
import re

import cyxla as cx
import fake_files
import numpy as np
import pytest
from fake_files import spec
from plugins_for_tests import CPU_PLUGIN

QUICK = "--seconds=0.05"


@pytest.fixture
def path(tmp_path):
    """A program that returns its input, of three numbers."""
    return fake_files.save_copies(tmp_path / "program.cyxla", ("x", "float32", (3,)))


def assert_failed(done, code, message):
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == f"cyxla bench: {message}\n"


def test_times_are_told(on_fake, path):
    done = on_fake("bench", QUICK, path)
    assert (done.returncode, done.stderr) == (0, "")
    time = r"\d+\.\d\d? (ns|us|ms|s)"
    assert re.fullmatch(
        re.escape(str(path)) + "\n"
        "  platform         cpu\n"
        "  tier             pjrt\n"
        rf"  compiling        {time}\n"
        "  threads          1\n"
        r"  runs             \d+ in \d+\.\d\d s, \S+ a second\n"
        rf"  minimum          {time}\n"
        rf"  median           {time}\n"
        rf"  99th percentile  {time}\n",
        done.stdout,
    )


def test_code_that_was_loaded_is_told_from_what_was_compiled(on_fake, path):
    for word, is_loaded in [("compiling", False), ("loading", True)]:
        done = on_fake("bench", QUICK, path)
        assert re.findall(r"^  (\w+ing) +\d", done.stdout, re.MULTILINE) == [word]
        done = on_fake("bench", QUICK, "--json", path)
        assert json.loads(done.stdout)["is_deserialized"] is is_loaded
        on_fake("compile", path)


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_times_are_told_in_json(on_fake, path, threads):
    more = [] if threads is None else ["--threads", threads]
    done = on_fake("bench", path, "--json", "--seconds", "0.1", *more)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found) == [
        *["file", "platform", "tier", "compile_seconds", "is_deserialized", "threads"],
        *["runs", "runs_per_time", "seconds", "runs_per_second"],
        *["minimum_seconds", "median_seconds", "percentile_99_seconds"],
    ]
    assert (found["file"], found["platform"], found["tier"]) == (
        str(path),
        "cpu",
        "pjrt",
    )
    assert (found["threads"], found["runs_per_time"]) == (threads or 1, 1)
    assert found["seconds"] >= 0.1
    assert found["runs"] >= found["threads"]
    assert found["runs_per_second"] == pytest.approx(found["runs"] / found["seconds"])
    quantiles = [
        found[f"{name}_seconds"] for name in ["minimum", "median", "percentile_99"]
    ]
    assert quantiles[0] > 0
    # The times are kept in single precision, but for the shortest one.
    assert quantiles[0] <= quantiles[1] * 1.000001 <= quantiles[2] * 1.000002
    total = found["runs"] * quantiles[0] / found["threads"]
    assert total <= found["seconds"]


def test_one_run_is_measured_however_little_time_there_is(on_fake, path):
    done = on_fake("bench", path, "--json", "--seconds", "1e-9")
    assert json.loads(done.stdout)["runs"] == 1


def test_a_jax_function_is_measured_with_given_inputs(cyxla, tmp_path):
    path = tmp_path / "program.cyxla"
    cx.save(path, cx.lower(lambda x, y: x / y, [np.ones(3, "f4"), np.ones(3, "f4")]))
    np.save(tmp_path / "y.npy", np.ones(3, "f4"))
    for more in [[], [f"y={tmp_path}/y.npy"], ["--random", "1"]]:
        done = cyxla(
            "bench", path, QUICK, "--json", *more, CYXLA_PLUGIN=str(CPU_PLUGIN)
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["runs"] >= 1


def test_donated_inputs_are_measured(on_fake, tmp_path):
    array = spec("x", "float32", (3,), 0)
    path = fake_files.save(
        tmp_path / "p.cyxla",
        [array],
        [spec("y", "float32", (3,))],
        ["into 0 = negate 0"],
    )
    assert on_fake("bench", path, QUICK, "--threads=2").returncode == 0


@pytest.mark.parametrize("seconds", [".05", "5e-2", "5E-2", "00.05", "1e-320"])
def test_a_time_is_a_decimal_number(on_fake, path, seconds):
    done = on_fake("bench", path, f"--seconds={seconds}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "seconds",
    [
        *["", "0", "-1", "+1", " 1", "1 ", "x", "1x", ".", "1e", "1,5", "0x10", "0x.8"],
        *["0X1p-4", "inf", "nan", ".nan", "1e10", "1000000000.1", "1e400", "1e-400"],
    ],
)
def test_a_time_that_is_none_is_refused(on_fake, path, seconds):
    done = on_fake("bench", path, f"--seconds={seconds}")
    message = f"--seconds is {seconds}, expected a number above 0 and up to 1000000000"
    assert_failed(done, 2, message)


@pytest.mark.parametrize(
    "threads",
    [
        *["", "0", "-1", "+1", " 1", "1 ", "x", "1.5", "1e0", "0x1", "1025"],
        *["18446744073709551615", "18446744073709551617", 40 * "9"],
    ],
)
def test_a_number_of_threads_that_is_none_is_refused(on_fake, path, threads):
    done = on_fake("bench", path, f"--threads={threads}")
    assert_failed(done, 2, f"--threads is {threads}, expected a number from 1 to 1024")


def test_inputs_are_checked_as_by_run(on_fake, path, tmp_path):
    done = on_fake("bench", path, f"y={tmp_path}/y.npy")
    assert done.returncode == 2
    assert done.stderr.startswith("cyxla bench: there is no input y;")
    done = on_fake("bench", path, "nowhere.npy")
    assert_failed(
        done,
        1,
        "nowhere.npy, for the input x, cannot be opened: No such file or directory",
    )
    assert_failed(on_fake("bench"), 2, "a FILE is missing; see cyxla bench --help")


def test_a_run_that_fails_is_reported(on_fake, tmp_path):
    """The signature says that the input has a dtype of another size."""
    path = fake_files.save_copies(tmp_path / "program.cyxla", ("x", "float32", (3,)))
    program = cx.Program.load(path)
    cx.Program.from_parts(
        platform="cpu",
        code=program.code,
        compile_options=program.compile_options,
        inputs=[spec("x", "float64", (3,))],
        outputs=program.outputs,
    ).save(path)
    for command in ["run", "bench"]:
        done = on_fake(command, path, "--zeros")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"cyxla {command}: ")
