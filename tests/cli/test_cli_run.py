"""The command ``cyxla run``: its arguments, where inputs come from and outputs go."""

import os
import subprocess

import cyxla as cx
import fake_files
import jax.numpy as jnp
import numpy as np
import pytest
from fake_files import array_text, spec
from plugins_for_tests import CPU_PLUGIN


@pytest.fixture
def path(tmp_path):
    return tmp_path / "program.cyxla"


@pytest.fixture
def pair(path):
    """A program that returns its two inputs."""
    return fake_files.save_copies(
        path, ("x", "float32", (3,)), ("state.n", "int32", ())
    )


@pytest.fixture
def x_file(tmp_path):
    np.save(tmp_path / "x.npy", np.array([1, 2.5, 3], np.float32))
    return tmp_path / "x.npy"


@pytest.fixture
def n_file(tmp_path):
    np.save(tmp_path / "n.npy", np.int32(-7))
    return tmp_path / "n.npy"


PRINTED = "x  float32[3]\n[1.  2.5 3. ]\nstate.n  int32[]\n-7\n"


def assert_printed(done, text):
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == text


def assert_failed(done, code, message):
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == f"cyxla run: {message}\n"


def test_inputs_are_read_in_order(on_fake, pair, x_file, n_file):
    assert_printed(on_fake("run", pair, x_file, n_file), PRINTED)


def test_inputs_are_read_by_name(on_fake, pair, x_file, n_file):
    done = on_fake("run", pair, f"state.n={n_file}", f"x={x_file}")
    assert_printed(done, PRINTED)
    assert_printed(on_fake("run", pair, f"state.n={n_file}", x_file), PRINTED)


def test_a_jax_function_is_run(cyxla, path, tmp_path):
    program = cx.lower(
        lambda a, b: {"sum": a + b, "c": a.astype(jnp.complex64) * 1j},
        [np.ones((2, 2), "f4"), np.ones(2, "f4")],
    )
    cx.save(path, program)
    a, b = np.arange(4, dtype="f4").reshape(2, 2), np.array([0.5, 10], "f4")
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    files = [tmp_path / "a.npy", tmp_path / "b.npy"]
    done = cyxla("run", path, *files, CYXLA_PLUGIN=str(CPU_PLUGIN))
    c = a.astype("c8") * np.complex64(1j)
    assert_printed(done, f"c  complex64[2,2]\n{c}\nsum  float32[2,2]\n{a + b}\n")


def test_the_plugin_may_be_given(cyxla, fake_plugins, pair, tmp_path):
    wrong = str(tmp_path / "wrong.so")
    done = cyxla(
        "run", pair, "--zeros", "--plugin", fake_plugins.fake, CYXLA_PLUGIN=wrong
    )
    assert (done.returncode, done.stderr) == (0, "")
    done = cyxla("run", pair, "--zeros", f"--plugin={wrong}")
    assert done.returncode == 1
    assert wrong in done.stderr


def test_a_missing_plugin_is_reported(cyxla, pair):
    done = cyxla("run", pair, "--zeros")
    assert (done.returncode, done.stdout) == (1, "")
    assert "CYXLA_PLUGIN" in done.stderr


def test_a_missing_input_is_named_before_anything_is_compiled(cyxla, pair, x_file):
    assert_failed(
        cyxla("run", pair, x_file),
        2,
        "the input state.n, int32[], is missing: give state.n=FILE.npy, or --zeros or "
        "--random SEED for all that are not given",
    )


def test_inputs_that_are_not_given_may_be_zero(on_fake, pair, n_file):
    done = on_fake("run", "--zeros", pair, f"state.n={n_file}")
    assert_printed(done, "x  float32[3]\n[0. 0. 0.]\nstate.n  int32[]\n-7\n")


@pytest.mark.parametrize("dtype", [*fake_files.DTYPES, "bfloat16"])
def test_inputs_that_are_not_given_may_be_random(on_fake, path, tmp_path, dtype):
    fake_files.save_copies(path, ("x", dtype, (500,)), ("y", dtype, (500,)))

    def draw(seed, *more):
        done = on_fake("run", path, "--random", seed, "-o", tmp_path / "out", *more)
        assert (done.returncode, done.stderr) == (0, "")
        arrays = [np.load(tmp_path / f"out/{name}.npy") for name in "xy"]
        return [array.view(fake_files.dtype_of(dtype)) for array in arrays]

    x, y = draw(1)
    assert x.tobytes() != y.tobytes()
    other = draw(2)[0]
    assert x.tobytes() != other.tobytes()
    given = tmp_path / "given.npy"
    np.save(given, x)
    again, same_y = draw(1, f"x={given}")
    assert again.tobytes() == x.tobytes()
    assert same_y.tobytes() == y.tobytes()
    numbers = np.concatenate([x, y]).astype("c16").view("f8")
    if x.dtype.kind in "fcV":
        assert 0 <= numbers.min() < numbers.max() < 1
        parts = numbers if x.dtype.kind == "c" else numbers[::2]
        assert 0.45 < parts.mean() < 0.55
        assert len(np.unique(numbers)) > 200
    else:
        assert set(numbers) == set(range(2 if dtype == "bool" else 10))


@pytest.mark.parametrize("seed", ["0", "4294967295", "010"])
def test_a_seed_is_a_decimal_number(on_fake, path, seed):
    fake_files.save_copies(path, ("x", "int32", (4,)))
    done = on_fake("run", path, "--random", seed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == on_fake("run", path, f"--random={int(seed)}").stdout


@pytest.mark.parametrize(
    "seed",
    [
        *["", "-1", "+1", " 1", "1 ", "x", "1.5", "1e3", "0x10", "nan", "4294967296"],
        *["18446744073709551616", 40 * "9"],
    ],
)
def test_a_seed_that_is_none_is_refused(on_fake, pair, seed):
    assert_failed(
        on_fake("run", pair, "--random", seed),
        2,
        f"the seed of --random is {seed}, expected a number from 0 to 4294967295",
    )


def test_zeros_and_random_exclude_each_other(on_fake, pair):
    done = on_fake("run", pair, "--random=1", "--zeros")
    assert_failed(done, 2, "--zeros and --random exclude each other")


def test_an_option_needs_its_value(on_fake, pair):
    done = on_fake("run", pair, "-o")
    assert_failed(done, 2, "the option -o needs a value; see cyxla run --help")


def test_a_file_is_needed(on_fake):
    assert_failed(on_fake("run"), 2, "a FILE is missing; see cyxla run --help")


def test_a_file_that_is_no_program_is_reported(on_fake, tmp_path):
    done = on_fake("run", tmp_path / "nowhere.cyxla")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nowhere.cyxla" in done.stderr


def test_an_unknown_input_is_refused_with_the_names_of_all(on_fake, pair, x_file):
    assert_failed(
        on_fake("run", pair, f"y={x_file}"),
        2,
        'there is no input y; the inputs are: x, state.n (a path that holds "=" has to '
        'begin with "./" or "/")',
    )


def test_of_many_names_the_first_are_listed(on_fake, path):
    fake_files.save(
        path,
        [spec(f"x{i}", "int8", ()) for i in range(21)],
        [],
        [],
    )
    done = on_fake("run", path, "y=y.npy")
    assert "x18, x19, ... (a path" in done.stderr


def test_a_path_may_hold_an_equals_sign(on_fake, pair, x_file, n_file, tmp_path):
    folder = tmp_path / "a=b"
    folder.mkdir()
    moved = x_file.rename(folder / "x.npy")
    assert_printed(on_fake("run", pair, moved, n_file), PRINTED)
    assert_printed(on_fake("run", pair, f"x={moved}", f"state.n={n_file}"), PRINTED)


def test_a_name_may_hold_an_equals_sign(on_fake, path, x_file):
    array = ("float32", (3,))
    fake_files.save_copies(path, ("a", *array), ("a=b", *array))
    done = on_fake("run", path, "--zeros", f"a=b={x_file}")
    assert_printed(done, "a  float32[3]\n[0. 0. 0.]\na=b  float32[3]\n[1.  2.5 3. ]\n")


def test_an_input_that_is_given_twice_is_refused(on_fake, pair, x_file):
    assert_failed(
        on_fake("run", pair, x_file, f"x={x_file}"),
        2,
        f"the input x is given twice, the second time by x={x_file}",
    )


def test_an_array_too_many_is_refused(on_fake, path, pair, x_file, n_file):
    assert_failed(
        on_fake("run", pair, x_file, n_file, n_file),
        2,
        f"{n_file} is one array too many: the program has 2 inputs",
    )
    fake_files.save_copies(path, ("x", "float32", (3,)))
    assert_failed(
        on_fake("run", path, x_file, n_file),
        2,
        f"{n_file} is one array too many: the program has 1 input",
    )


def test_a_missing_file_is_reported(on_fake, pair):
    assert_failed(
        on_fake("run", pair, "nowhere.npy"),
        1,
        "nowhere.npy, for the input x, cannot be opened: No such file or directory",
    )


def test_a_directory_is_no_array(on_fake, pair, tmp_path):
    assert_failed(
        on_fake("run", pair, tmp_path),
        1,
        f"{tmp_path}, for the input x, cannot be read: Is a directory",
    )


def test_outputs_are_written_to_files_that_are_listed(
    on_fake, pair, x_file, n_file, tmp_path
):
    out = tmp_path / "out"
    expected = f"x  float32[3]  {out}/x.npy\nstate.n  int32[]  {out}/state.n.npy\n"
    for _ in range(2):  # files are replaced
        done = on_fake("run", pair, x_file, n_file, "-o", out)
        assert_printed(done, expected)
    assert sorted(os.listdir(out)) == ["state.n.npy", "x.npy"]
    for name, original in [("x", x_file), ("state.n", n_file)]:
        written, array = np.load(out / f"{name}.npy"), np.load(original)
        assert (written.dtype, written.shape) == (array.dtype, array.shape)
        assert written.tobytes() == array.tobytes()


def test_a_run_may_replace_its_own_input(on_fake, pair, x_file, n_file, tmp_path):
    done = on_fake("run", pair, f"x={x_file}", f"state.n={n_file}", "-o", tmp_path)
    assert done.returncode == 0
    assert np.array_equal(np.load(x_file), [1, 2.5, 3])


def test_names_of_outputs_become_safe_names_of_files(on_fake, path, tmp_path):
    long = "é" * 150
    names = {
        "a/b": "a_b.npy",
        "a\\b": "a_b-2.npy",
        "A_B": "A_B-3.npy",
        "a_b-2": "a_b-2-2.npy",
        "['k'][0]": "__k___0_.npy",
        "..": "_..npy",
        ".hidden": "_hidden.npy",
        "x.y-z_9": "x.y-z_9.npy",
        "φ": "φ.npy",
        "a b\n": "a_b_.npy",
        long: "é" * 100 + ".npy",
        "x" + long: "x" + "é" * 99 + ".npy",
        long + "2": "é" * 100 + "-2.npy",
    }
    fake_files.save_copies(path, *[(name, "int8", ()) for name in names])
    done = on_fake("run", path, "--zeros", "-o", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(os.listdir(tmp_path / "out")) == sorted(names.values())
    for line, (name, file) in zip(done.stdout.splitlines(), names.items(), strict=True):
        shown = name.replace("\n", "\\x0a")
        assert line == f"{shown}  int8[]  {tmp_path}/out/{file}"


def test_a_directory_that_cannot_be_made_is_reported_before_compiling(
    cyxla, pair, x_file, tmp_path
):
    for directory, reason in [
        (x_file, "Not a directory"),
        (tmp_path / "a/b", "No such file or directory"),
        ("", "No such file or directory"),
    ]:
        assert_failed(
            cyxla("run", pair, "--zeros", "-o", directory),
            1,
            f"the directory {directory} cannot be made: {reason}",
        )


def test_a_file_that_cannot_be_written_is_reported(on_fake, pair, tmp_path):
    (tmp_path / "out/x.npy").mkdir(parents=True)
    assert_failed(
        on_fake("run", pair, "--zeros", "-o", tmp_path / "out"),
        1,
        f"{tmp_path}/out/x.npy cannot be written: Is a directory",
    )


def test_a_file_that_gets_no_room_is_removed(prefix, fake_plugins, path, tmp_path):
    fake_files.save_copies(path, ("x", "float64", (100_000,)))
    # The signal that a file is too large would end the process.
    limited = "trap '' XFSZ; ulimit -f 8; exec \"$@\""
    command = [f"{prefix}/bin/cyxla", "run", path, "--zeros", "-o", tmp_path / "out"]
    done = subprocess.run(
        ["sh", "-c", limited, "sh", *command],
        capture_output=True,
        text=True,
        env={**os.environ, "CYXLA_PLUGIN": str(fake_plugins.fake)},
        timeout=60,
        check=False,
    )
    assert_failed(done, 1, f"{tmp_path}/out/x.npy cannot be written: File too large")
    assert os.listdir(tmp_path / "out") == []


def test_a_donated_input_is_taken_over(on_fake, path, x_file):
    inputs = [spec("x", "float32", (3,), 0)]
    fake_files.save(path, inputs, [spec("y", "float32", (3,))], ["into 0 = negate 0"])
    done = on_fake("run", path, x_file)
    assert_printed(done, "y  float32[3]\n[-1.  -2.5 -3. ]\n")


def test_a_program_without_arrays_runs(on_fake, path):
    fake_files.save(path, [], [], [])
    assert_printed(on_fake("run", path), "")


def test_a_program_that_does_not_compile_is_reported(on_fake, path):
    arrays = [spec("x", "float32", (3,))]
    fake_files.save(path, arrays, arrays, ["= nonsense 0"])
    done = on_fake("run", path, "--zeros")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot compile the program" in done.stderr


def test_a_text_describes_an_array_as_info_does(cyxla, on_fake, path):
    array = spec("x", "float32", (1, 2, 3))
    fake_files.save_copies(path, ("x", "float32", (1, 2, 3)))
    assert array_text(array) in cyxla("info", path).stdout
    assert array_text(array) in on_fake("run", path, "--zeros").stdout
