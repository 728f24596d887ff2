"""How ``cyxla run`` and ``cyxla bench`` find the size of a function that they run."""

import contextlib
import io
import json
import os
import re
import subprocess
import threading

import cyxla as cx
import fake_files
import jax
import numpy as np
import pytest
from plugins_for_tests import CPU_PLUGIN

SIZES = [((3,), (2,)), ((0,), (2,)), ((3,), (5,)), ((2, 2), (2,))]


@pytest.fixture
def path(tmp_path):
    """A program that returns its inputs x and y, at four sizes."""
    return fake_files.save_sizes(tmp_path / "program.cyxla", *SIZES)


@pytest.fixture
def one(tmp_path):
    return fake_files.save_copies(tmp_path / "one.cyxla", ("x", "float32", (3,)))


@pytest.fixture
def file(tmp_path):
    """Saves an array of ones, and returns the path."""

    def save(*shape, dtype="float32"):
        path = tmp_path / f"{dtype}{shape}.npy"
        np.save(path, np.ones(shape, dtype))
        return path

    return save


@pytest.fixture
def integers(file):
    return lambda *shape: file(*shape, dtype="int32")


def assert_shapes(done, x, y):
    """The outputs are of the size that was meant."""
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall("^[xy]  (.*)$", done.stdout, re.MULTILINE) == [
        f"float32[{','.join(map(str, x))}]",
        f"int32[{','.join(map(str, y))}]",
    ]


def assert_failed(done, code, message, command="run"):
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == f"cyxla {command}: {message}\n"


@pytest.mark.parametrize(("x", "y"), SIZES)
def test_the_shapes_of_the_arrays_pick_the_size(on_fake, path, file, integers, x, y):
    assert_shapes(on_fake("run", path, file(*x), integers(*y)), x, y)
    assert_shapes(on_fake("run", path, f"y={integers(*y)}", file(*x)), x, y)


@pytest.mark.parametrize("x", [(0,), (2, 2)])
def test_as_many_arrays_are_enough_as_tell_the_size(on_fake, path, file, integers, x):
    assert_shapes(on_fake("run", path, file(*x), "--zeros"), x, (2,))
    done = on_fake("run", path, f"y={integers(5)}", "--random=1")
    assert_shapes(done, (3,), (5,))


def test_arrays_that_are_missing_are_those_of_the_size(on_fake, path, integers):
    assert_failed(
        on_fake("run", path, f"y={integers(5)}"),
        2,
        "the input x, float32[3], is missing: give x=FILE.npy, or --zeros or --random "
        "SEED for all that are not given",
    )


LIST = "x[3] y[2]; x[0] y[2]; x[3] y[5]; x[2,2] y[2]"
NUMBERS = "(or give its number with --size, from 0 to 3)"


@pytest.mark.parametrize("command", ["run", "bench"])
def test_arrays_that_leave_several_sizes_are_wrong_usage(on_fake, path, file, command):
    assert_failed(
        on_fake(command, path, "--zeros"),
        2,
        "the program was saved at 4 sizes, and none was asked for; give the shapes of "
        f"its inputs: {LIST} {NUMBERS}",
        command,
    )
    assert_failed(
        on_fake(command, path, file(3), "--zeros"),
        2,
        "2 sizes of the program have the inputs x[3]; give the shapes of more of them: "
        f"{LIST} {NUMBERS}",
        command,
    )


@pytest.mark.parametrize("command", ["run", "bench"])
def test_arrays_that_no_size_has_are_wrong(on_fake, path, file, integers, command):
    for x, y in [((4,), (2,)), ((0,), (5,)), ((2, 3), (2,)), ((), (2,))]:
        sizes = ",".join(map(str, x))
        assert_failed(
            on_fake(command, path, file(*x), integers(*y)),
            1,
            f"the program has no size for x[{sizes}] y[{y[0]}]; pad the arrays to one "
            f"that it has, or save it for this one too; it has: {LIST}",
            command,
        )


def test_a_number_names_the_size(on_fake, path):
    for number, (x, y) in enumerate(SIZES):
        assert_shapes(on_fake("run", path, "--zeros", f"--size={number}"), x, y)
        assert_shapes(on_fake("run", path, "--random=1", "--size", number), x, y)


def test_a_number_may_be_given_beside_arrays(on_fake, path, file, integers):
    done = on_fake("run", path, file(3), "--zeros", "--size=2")
    assert_shapes(done, (3,), (5,))
    x = file(2, 2)
    assert_failed(
        on_fake("run", path, x, "--zeros", "--size=2"),
        1,
        f"{x}, for the input x, holds float32[2,2], expected float32[3]",
    )


@pytest.mark.parametrize("command", ["run", "bench", "compile"])
@pytest.mark.parametrize("number", ["", "-1", "x", "4", "1.0", "99999999999999999999"])
def test_a_number_that_is_none_is_refused(on_fake, path, one, command, number):
    zeros = ["--zeros"] if command == "run" else []
    assert_failed(
        on_fake(command, path, f"--size={number}", *zeros),
        2,
        f"--size is {number}, expected a number from 0 to 3; cyxla info lists the "
        "sizes",
        command,
    )
    assert_failed(
        on_fake(command, one, f"--size={number}", *zeros),
        2,
        f"--size is {number}, expected 0: the file holds one size",
        command,
    )


def test_the_only_size_may_be_named(on_fake, one, file):
    for arguments in [[], [file(3)]]:
        expected = on_fake("run", one, "--zeros", *arguments)
        done = on_fake("run", one, "--zeros", "--size=0", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == expected.stdout


def test_the_only_size_is_no_list(on_fake, one, file):
    wrong = file(4)
    assert_failed(
        on_fake("run", one, wrong),
        1,
        f"{wrong}, for the input x, holds float32[4], expected float32[3]",
    )


def test_an_array_of_another_dtype_is_converted_by_the_user(on_fake, path, file):
    wrong = file(2, 2, dtype="float64")
    assert_failed(
        on_fake("run", path, wrong, "--zeros"),
        1,
        f"{wrong}, for the input x, holds float64[2,2], expected float32[2,2]; convert "
        'it in Python with array.astype("float32")',
    )


def test_a_file_that_is_no_array_is_reported(on_fake, path, tmp_path):
    text = tmp_path / "text.npy"
    text.write_text("no array")
    for file, problem in [
        (text, "is no .npy file; numpy.save writes them, and numpy.load reads .npz"),
        (tmp_path / "none", "cannot be opened: No such file or directory"),
    ]:
        assert_failed(
            on_fake("run", path, f"y={file}"), 1, f"{file}, for the input y, {problem}"
        )


def test_wrong_usage_is_found_before_files_are_read(on_fake, path):
    done = on_fake("run", path, "none.npy", "z=none.npy")
    assert done.returncode == 2
    assert done.stderr.startswith("cyxla run: there is no input z; ")


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def write_pipe(pipe, array, before=lambda: None):
    """Writes an array as soon as the pipe is opened; what comes before is done then."""
    content = io.BytesIO()  # since NumPy writes to files that know their position
    np.save(content, array)

    def write():
        # What was opened may be refused without being read.
        with contextlib.suppress(BrokenPipeError), open(pipe, "wb") as stream:
            before()
            stream.write(content.getvalue())

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def test_an_array_may_come_through_a_pipe_where_the_size_is_known(
    on_fake, path, one, pipe
):
    for arguments in [(path, "--size=0", "--zeros"), (one,)]:
        thread = write_pipe(pipe, np.ones(3, np.float32))
        done = on_fake("run", *arguments, f"x={pipe}")
        thread.join()
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("x  float32[3]\n[1. 1. 1.]\n")


def test_an_array_that_picks_the_size_is_no_pipe(on_fake, path, pipe):
    thread = write_pipe(pipe, np.ones(3, np.float32))
    done = on_fake("run", path, pipe, "--zeros")
    thread.join()
    assert_failed(
        done,
        1,
        f"{pipe}, for the input x, can be read only once, as a pipe, and its shape is "
        "needed before; give --size N",
    )


@pytest.mark.parametrize(
    "sizes",
    [
        [((4,), (2,)), ((0,), (2,))],  # the size is gone
        [((0,), (2,)), ((3,), (2,))],  # it has another number
        [((3, 1), (2,))],  # it has become one size
    ],
)
def test_a_file_that_changes_while_arrays_are_read_is_an_error(
    on_fake, path, pipe, sizes
):
    thread = write_pipe(
        pipe,
        np.ones(3, np.float32),
        before=lambda: fake_files.save_sizes(path, *sizes),
    )
    done = on_fake("run", path, "--size=0", "--zeros", f"x={pipe}")
    thread.join()
    assert_failed(done, 1, f"{path} was changed while its program was read; try again")


def test_names_and_dtypes_that_change_are_an_error_too(on_fake, path, pipe):
    def change():
        cx.Program.join(
            [
                fake_files.make_copies(("x", "float32", x), ("z", "float32", y))
                for x, y in SIZES
            ]
        ).save(path)

    thread = write_pipe(pipe, np.ones(3, np.float32), before=change)
    done = on_fake("run", path, "--size=0", "--zeros", f"x={pipe}")
    thread.join()
    assert_failed(done, 1, f"{path} was changed while its program was read; try again")


def test_the_size_that_is_measured_is_told(on_fake, path, one, file):
    for arguments in [["--size=3"], [file(2, 2)]]:
        done = on_fake("bench", path, "--seconds=0.05", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert "  platform         cpu\n  size             3\n  tier" in done.stdout
        done = on_fake("bench", path, "--seconds=0.05", "--json", *arguments)
        assert json.loads(done.stdout)["size"] == 3
    done = on_fake("bench", one, "--seconds=0.05", "--json", "--size=0")
    assert "size" not in json.loads(done.stdout)
    assert "  size " not in on_fake("bench", one, "--seconds=0.05").stdout


def test_a_jax_function_is_run_at_each_of_its_sizes(cyxla, tmp_path):
    def total(x):
        return x.sum(axis=0)

    path = tmp_path / "total.cyxla"
    arrays = [np.arange(3 * n, dtype=np.float32).reshape(n, 3) for n in [0, 2, 5]]
    cx.save(path, total, shapes=[[array] for array in arrays])
    for array in arrays:
        np.save(tmp_path / "x.npy", array)
        done = cyxla("run", path, tmp_path / "x.npy", CYXLA_PLUGIN=str(CPU_PLUGIN))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[1] == str(np.asarray(jax.jit(total)(array)))


def test_many_sizes_are_listed_as_far_as_there_is_room(on_fake, tmp_path):
    path = fake_files.save_sizes(
        tmp_path / "many.cyxla", *[((n,), (1,)) for n in range(1000)]
    )
    done = on_fake("run", path, "--zeros")
    assert done.returncode == 2
    assert done.stderr.endswith("... (or give its number with --size, from 0 to 999)\n")
    assert_shapes(on_fake("run", path, "--zeros", "--size=999"), (999,), (1,))


def test_the_plugin_is_not_needed_to_find_the_size(prefix, path):
    done = subprocess.run(
        [f"{prefix}/bin/cyxla", "run", path, "--plugin=/nowhere.so"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "none was asked for" in done.stderr
