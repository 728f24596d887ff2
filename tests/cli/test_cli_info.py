"""The command ``cyxla info``."""

import json
import re

import cyxla as cx
import fake_files
import jax.numpy as jnp
import numpy as np
import pytest
from cyxla import _runtime
from fake_files import spec


@pytest.fixture
def path(tmp_path):
    return tmp_path / "program.cyxla"


@pytest.fixture
def donating(path):
    """A file with a donated input, and with names that hold anything."""
    inputs = [spec("state.x", "float32", (2, 3), 1), spec("n", "int64", ())]
    outputs = [spec('a/"b"', "int64", ()), spec("next", "float32", (2, 3))]
    operations = ["= argument 1", "into 0 = argument 0"]
    return fake_files.save(path, inputs, outputs, operations, metadata='{"é": 1}')


def test_a_program_is_described(cyxla, donating):
    done = cyxla("info", donating)
    assert (done.returncode, done.stderr) == (0, "")
    program = cx.Program.load(donating)
    assert done.stdout == (
        f"{donating}\n"
        "  platform         cpu\n"
        "  inputs           2\n"
        "    state.x  float32[2,3]  24 bytes, donated to the output next\n"
        "    n        int64[]       8 bytes\n"
        "  outputs          2\n"
        '    a/"b"    int64[]       8 bytes\n'
        "    next     float32[2,3]  24 bytes\n"
        f"  code             {len(program.code)} bytes of StableHLO\n"
        f"  compile options  {len(program.compile_options)} bytes\n"
        "  executables      0\n"
        "  metadata         9 bytes, which --json prints\n"
    )


def test_a_program_is_described_in_json(cyxla, donating):
    done = cyxla("info", "--json", donating)
    assert (done.returncode, done.stderr) == (0, "")
    program = cx.Program.load(donating)
    assert json.loads(done.stdout) == {
        "file": str(donating),
        "platform": "cpu",
        "inputs": [
            {
                "name": "state.x",
                "dtype": "float32",
                "shape": [2, 3],
                "bytes": 24,
                "aliased_output": 1,
            },
            {
                "name": "n",
                "dtype": "int64",
                "shape": [],
                "bytes": 8,
                "aliased_output": None,
            },
        ],
        "outputs": [
            {"name": 'a/"b"', "dtype": "int64", "shape": [], "bytes": 8},
            {"name": "next", "dtype": "float32", "shape": [2, 3], "bytes": 24},
        ],
        "code_bytes": len(program.code),
        "compile_options_bytes": len(program.compile_options),
        "executables": [],
        "metadata": '{"é": 1}',
    }


def test_what_jax_lowered_is_described_as_python_sees_it(cyxla, path):
    program = cx.lower(
        lambda state, scale: {"y": state["x"] * scale, "z": ()},
        [{"x": jnp.ones((0, 4), jnp.bfloat16)}, np.float32(2)],
    )
    cx.save(path, program)
    found = json.loads(cyxla("info", path, "--json").stdout)
    for kind in ["inputs", "outputs"]:
        assert [
            (array["name"], array["dtype"], tuple(array["shape"]))
            for array in found[kind]
        ] == [(s.name, s.dtype.name, s.shape) for s in getattr(program, kind)]
    assert found["platform"] == program.platform
    assert found["metadata"] == program.metadata
    assert found["code_bytes"] == len(program.code)
    assert found["compile_options_bytes"] == len(program.compile_options)


def test_a_program_without_arrays_is_described(cyxla, path):
    fake_files.save(path, [], [], [])
    done = cyxla("info", path)
    assert "  inputs           0\n  outputs          0\n" in done.stdout
    assert done.stdout.endswith("  metadata         0 bytes\n")
    assert json.loads(cyxla("info", "--json", path).stdout)["outputs"] == []


@pytest.fixture
def sizes(path):
    """A file with two sizes, and what is told of them, by their numbers."""
    fake_files.save_sizes(path, ((3,), (2, 2)), ((0,), (2, 2)))
    return path, cx.Program.load(path).sizes


def test_each_size_is_described(cyxla, sizes):
    path, programs = sizes
    done = cyxla("info", path)
    assert (done.returncode, done.stderr) == (0, "")
    text = f"{path}\n  platform         cpu\n  sizes            2\n"
    for i, (program, array, count) in enumerate(
        zip(programs, ["float32[3]", "float32[0]"], [12, 0], strict=True)
    ):
        lines = f"    x  {array}  {count} bytes\n    y  int32[2,2]  16 bytes\n"
        text += (
            "\n"
            f"  size             {i}\n"
            f"  inputs           2\n{lines}"
            f"  outputs          2\n{lines}"
            f"  code             {len(program.code)} bytes of StableHLO\n"
            f"  compile options  {len(program.compile_options)} bytes\n"
            "  executables      0\n"
            "  metadata         6 bytes, which --json prints\n"
        )
    assert done.stdout == text


def test_each_size_is_described_in_json(cyxla, sizes, tmp_path):
    """A size has the keys that a file of one size has."""
    path, programs = sizes
    done = cyxla("info", "--json", path)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found) == ["file", "platform", "sizes"]
    assert (found["file"], found["platform"]) == (str(path), "cpu")
    for i, (program, size) in enumerate(zip(programs, found["sizes"], strict=True)):
        alone = tmp_path / "alone.cyxla"
        cx.Program.join([program]).save(alone)
        one = json.loads(cyxla("info", "--json", alone).stdout)
        del one["file"], one["platform"]
        assert list(size) == list(one)
        assert size == one
        assert size["metadata"] == f"size {i}"
    assert [size["inputs"][0]["shape"] for size in found["sizes"]] == [[3], [0]]


def test_processors_are_listed_once_for_all_sizes(cyxla, on_fake, path):
    """The second size was compiled on another one than the others."""
    fake_files.save_sizes(path, *[((n,), (1,)) for n in range(3)])
    on_fake("compile", path)
    features = _runtime.cpu_features()
    other = features[:-1] + "9"
    fake_files.replace_in_section(path, 6, features.encode(), other.encode(), number=1)
    done = cyxla("info", path)
    assert (done.returncode, done.stderr) == (0, "")
    numbers = re.findall(r" bytes, processor (\d+)$", done.stdout, re.MULTILINE)
    assert numbers == ["0", "1", "0"]
    assert done.stdout.count("x86-64 ") == 2
    assert done.stdout.endswith(
        f"prints\n\n  processors       2\n    0: {features}\n    1: {other}\n"
    )
    sizes = json.loads(cyxla("info", "--json", path).stdout)["sizes"]
    assert [size["executables"][0]["cpu_features"] for size in sizes] == [
        features,
        other,
        features,
    ]


def test_no_plugin_is_needed(cyxla, donating, tmp_path):
    done = cyxla("info", donating, CYXLA_PLUGIN=str(tmp_path / "nowhere.so"))
    assert (done.returncode, done.stderr) == (0, "")


def test_control_characters_of_a_name_do_not_reach_the_terminal(cyxla, path):
    fake_files.save_copies(path, ("a\x1b[2J\n\x7f", "int8", ()))
    done = cyxla("info", path)
    assert "a\\x1b[2J\\x0a\\x7f" in done.stdout
    (array,) = json.loads(cyxla("info", "--json", path).stdout)["inputs"]
    assert array["name"] == "a\x1b[2J\n\x7f"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("é€😀", "é€😀"),
        ("\ufdd0\uffff", "\ufdd0\uffff"),
        ("a\x80b", "a�b"),
        ("a\xc3", "a�"),
        ("\xc0\xaf", "��"),
        ("\xe0\x80\x80", "���"),
        ("\xed\xa0\x80", "���"),
        ("\xf0\x80\x80\x80", "����"),
        ("\xf4\x90\x80\x80", "����"),
        ("\xf5\x80", "��"),
    ],
)
def test_json_is_utf8_whatever_the_name(cyxla, path, name, text):
    """Names that are read as another text are bytes, written as Latin-1."""
    raw = name.encode() if text == name else name.encode("latin1")
    marker = b"n" * len(raw)
    fake_files.save_copies(path, (marker.decode(), "int8", ()))
    fake_files.replace_in_section(path, 1, marker, raw)
    done = cyxla("info", "--json", path)
    assert json.loads(done.stdout)["inputs"][0]["name"] == text


def test_a_file_that_is_no_program_is_reported(cyxla, path):
    done = cyxla("info", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cyxla info: ")
    assert str(path) in done.stderr
    path.write_text("no program")
    done = cyxla("info", "--json", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "is no .cyxla file" in done.stderr


@pytest.mark.parametrize("count", [0, 2])
def test_one_file_is_expected(cyxla, count):
    done = cyxla("info", *["file.cyxla"] * count)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"cyxla info: there are {count} files, expected one; see cyxla info --help\n"
    )
