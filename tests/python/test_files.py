"""Programs are saved and loaded, and files that are no programs are refused."""

import dataclasses
import os
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits

VECTOR = np.array([1.0, 2.0, 3.0], np.float32)

# Offsets in the header, which docs/file-format.md describes.
VERSION = 8
NUM_SECTIONS = 12


def double(x):
    return x * 2


@pytest.fixture(scope="module")
def executable():
    return cx.compile(double, VECTOR)


@pytest.fixture(scope="module")
def content(executable, tmp_path_factory):
    """The bytes of a file."""
    path = tmp_path_factory.mktemp("saved") / "double.cyxla"
    cx.save(path, executable.program)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "program.cyxla"


def changed(content, offset, byte):
    return content[:offset] + bytes([byte]) + content[offset + 1 :]


def test_an_executable_is_saved_and_loaded(executable, path):
    cx.save(path, executable)
    loaded = cx.load(path)
    assert isinstance(loaded, cx.Executable)
    assert_same_bits(loaded(VECTOR), 2 * VECTOR)


def test_a_program_is_saved_and_loaded_with_all_its_parts(path):
    program = cx.lower(
        lambda x, y: {"sum": x + y},
        [VECTOR, VECTOR],
        donate_argnums=0,
        compiler_options={"xla_cpu_enable_fast_math": False},
    )
    cx.save(path, program)
    loaded = cx.Program.load(path)
    for part in ["platform", "code", "compile_options", "inputs", "outputs", "details"]:
        assert getattr(loaded, part) == getattr(program, part)
    assert loaded.trees == program.trees


def test_the_file_of_an_executable_names_the_plugin(executable, path):
    cx.save(path, executable)
    assert os.fsencode(cx.runtime_info().plugin) in path.read_bytes()
    cx.save(path, executable.program)
    assert os.fsencode(cx.runtime_info().plugin) not in path.read_bytes()


def test_a_loaded_program_is_saved_as_it_was(content, path):
    path.write_bytes(content)
    cx.save(path, cx.Program.load(path))
    assert path.read_bytes() == content


@pytest.mark.parametrize("make", [str, os.fspath, Path, os.fsencode])
def test_paths_are_text_bytes_or_path_objects(executable, path, make):
    cx.save(make(path), executable.program)
    assert cx.Program.load(make(path)).inputs == executable.inputs


def test_a_file_is_replaced_and_nothing_is_left_beside_it(executable, path):
    path.write_text("something else")
    cx.save(path, executable)
    assert cx.Program.load(path).inputs == executable.inputs
    assert list(path.parent.iterdir()) == [path]


def test_options_can_be_given_for_a_program_from_a_file(content, path):
    path.write_bytes(content)
    options = {"xla_cpu_enable_fast_math": True}
    program = cx.Program.load(path)
    executable, _ = cx.compile_program(program, compiler_options=options)
    assert executable.program.details["compiler_options"] == options
    assert_same_bits(executable(VECTOR), 2 * VECTOR)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    x: object


def test_pytrees_of_own_types_work_until_they_are_loaded(path):
    executable = cx.compile(lambda state: State(state.x + 1), State(VECTOR))
    assert_same_bits(executable(State(VECTOR)).x, VECTOR + 1)
    cx.save(path, executable)
    loaded = cx.load(path)
    assert_same_bits(loaded.run([VECTOR])[0], VECTOR + 1)
    with pytest.raises(TypeError, match="loaded from a file, which cannot hold the ty"):
        loaded(State(VECTOR))


def test_a_program_without_pytrees_is_run_with_flat_lists(executable):
    names = ["platform", "code", "compile_options", "inputs", "outputs"]
    parts = {name: getattr(executable.program, name) for name in names}
    plain, _ = cx.compile_program(cx.Program.from_parts(**parts))
    assert plain.program.details == {}
    assert_same_bits(plain.run([VECTOR])[0], 2 * VECTOR)
    with pytest.raises(TypeError, match="use run with a flat list of arrays"):
        plain(VECTOR)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "found None to save, expected a Program, an Executable or a function"),
        (double, "shapes is None, expected a list with the example arguments"),
        ("path", "found 'path' to save"),
    ],
)
def test_only_programs_and_functions_with_shapes_are_saved(value, message, path):
    with pytest.raises(TypeError, match=message):
        cx.save(path, value)
    assert not path.exists()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder: folder, "Is a directory"),
        (lambda folder: folder / "missing" / "file", "No such file or directory"),
        (lambda folder: "", "No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_an_os_error(
    executable, tmp_path, make, reason
):
    target = make(tmp_path)
    with pytest.raises(
        OSError, match=f"file {target} cannot be written: {reason}"
    ) as info:
        cx.save(target, executable)
    assert isinstance(info.value, cx.FileError)
    assert info.value.status == "FILE_UNWRITABLE"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder: folder, "is a directory, expected a file"),
        (
            lambda folder: folder / "missing",
            "cannot be read: No such file or directory",
        ),
    ],
)
@pytest.mark.parametrize("load", [cx.load, cx.Program.load])
def test_a_file_that_cannot_be_read_is_an_os_error(tmp_path, load, make, reason):
    with pytest.raises(OSError, match=f"the file {make(tmp_path)} {reason}") as info:
        load(make(tmp_path))
    assert isinstance(info.value, cx.FileError)
    assert info.value.status == "FILE_UNREADABLE"


@pytest.mark.parametrize(
    "call", [cx.load, lambda path: cx.save(path, cx.lower(double, [1]))]
)
def test_a_zero_byte_in_a_path_is_refused(call, tmp_path):
    with pytest.raises(ValueError, match="holds a zero byte"):
        call(f"{tmp_path}/program\0.cyxla")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "call", [cx.load, lambda path: cx.save(path, cx.lower(double, [1]))]
)
def test_what_is_no_path_is_refused(call):
    with pytest.raises(TypeError, match=r"expected str, bytes or os\.PathLike"):
        call(None)


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        (lambda content: b"", "FILE_INVALID", "is empty, expected a .cyxla file"),
        (lambda content: b"#!/bin/sh\n" * 9, "FILE_INVALID", "is no .cyxla file"),
        (lambda content: content[1:], "FILE_INVALID", "is no .cyxla file"),
        (lambda content: content[:20], "FILE_INVALID", "its header is cut off"),
        (lambda content: content[:-1], "FILE_INVALID", "bytes and its header says"),
        (lambda content: content + b"\0", "FILE_INVALID", "has at least .* bytes"),
        (
            lambda content: content.replace(b"\r\n", b"\n"),
            "FILE_INVALID",
            "is no .cyxla file",
        ),
        (
            lambda content: changed(content, VERSION, 99),
            "FILE_TOO_NEW",
            "has version 99 of the format, and cyxla .* reads versions up to",
        ),
        (lambda content: changed(content, VERSION, 0), "FILE_INVALID", "version is 0"),
        (
            lambda content: changed(content, NUM_SECTIONS + 2, 1),
            "FILE_INVALID",
            "its table is longer than the file",
        ),
        (
            lambda content: changed(content, NUM_SECTIONS, 1),
            "FILE_INVALID",
            "the checksum of its header is wrong",
        ),
        (
            lambda content: changed(content, len(content) - 1, content[-1] ^ 1),
            "FILE_INVALID",
            "the checksum of a section is wrong",
        ),
    ],
)
def test_a_file_that_is_not_right_is_refused(path, content, change, status, message):
    path.write_bytes(change(content))
    with pytest.raises(cx.Error, match=f"the file {path} .*{message}") as info:
        cx.load(path)
    assert info.value.status == status


def program_or_status(path):
    """The program of a file, or the status of the error."""
    try:
        return cx.Program.load(path)
    except cx.Error as error:
        return error.status


def test_a_file_that_is_cut_off_anywhere_is_refused(content, path):
    for length in range(len(content)):
        path.write_bytes(content[:length])
        assert program_or_status(path) == "FILE_INVALID"


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_a_file_with_a_flipped_byte_is_refused_or_the_same(content, path, mask):
    path.write_bytes(content)
    program = cx.Program.load(path)
    parts = ["platform", "code", "compile_options", "inputs", "outputs", "metadata"]
    same = 0
    for offset in range(len(content)):
        path.write_bytes(changed(content, offset, content[offset] ^ mask))
        loaded = program_or_status(path)
        if loaded in ("FILE_INVALID", "FILE_TOO_NEW"):
            continue
        same += 1
        for part in parts:
            assert getattr(loaded, part) == getattr(program, part)
    # Nothing depends on the gaps between the sections, which are there to align them.
    assert same < 64 * 6


@pytest.mark.parametrize(
    "metadata",
    [
        "",
        "a note",
        "[1, 2]",
        "3",
        '{"trees": 3}',
        '{"trees": [null, null]}',
        '{"trees": ["AAAA", "#"]}',
        '{"trees": [1, 2]}',
        '{"trees": ["AAAA", "AAAA"]}',
        "[" * 100000,
    ],
)
def test_any_text_may_stand_in_the_place_of_the_metadata(metadata):
    program = cx.lower(jnp.sin, [np.float32(0)])
    parts = ["platform", "code", "compile_options", "inputs", "outputs"]
    kept = {part: getattr(program, part) for part in parts}
    noted = cx.Program.from_parts(**kept, metadata=metadata)
    executable, _ = cx.compile_program(noted)
    assert executable.run([0.0])[0] == 0
    with pytest.raises(TypeError, match="use run with a flat list of arrays"):
        executable(0.0)
