"""The command ``cyxla compile``, and what ``cyxla info`` tells of its work."""

import json
import os
import subprocess
import time

import cyxla as cx
import fake_files
import numpy as np
import pytest
from cyxla import _runtime
from plugins_for_tests import CPU_PLUGIN, MIDDLE_CPU_PLUGIN


@pytest.fixture
def path(tmp_path):
    return fake_files.save_copies(tmp_path / "program.cyxla", ("x", "float32", (3,)))


def test_the_machine_code_is_written_into_the_file(on_fake, path, fake_plugins):
    before = cx.Program.load(path)
    done = on_fake("compile", path)
    assert (done.returncode, done.stderr) == (0, "")
    (found,) = cx.Program.load(path).executables
    assert done.stdout.startswith(
        f"{path} now holds {found.bytes} bytes of machine code, compiled in "
    )
    assert done.stdout.endswith(f" s by {fake_plugins.fake.resolve()}\n")
    for part in ["code", "compile_options", "inputs", "outputs", "metadata"]:
        assert getattr(cx.Program.load(path), part) == getattr(before, part)


def test_what_is_there_already_is_not_compiled_again(on_fake, path, fake_plugins):
    on_fake("compile", path)
    content = path.read_bytes()
    done = on_fake("compile", path)
    assert (done.returncode, done.stderr) == (0, "")
    plugin = fake_plugins.fake.resolve()
    assert done.stdout == f"{path} has been compiled before, by this plugin: {plugin}\n"
    assert path.read_bytes() == content


def test_a_file_holds_the_code_of_several_plugins(cyxla, tmp_path):
    path = tmp_path / "program.cyxla"
    cx.save(path, cx.lower(lambda x: x + 1, [1.0]))
    for plugin in [CPU_PLUGIN, MIDDLE_CPU_PLUGIN]:
        done = cyxla("compile", f"--plugin={plugin}", path)
        assert (done.returncode, done.stderr) == (0, "")
    assert [info.pjrt_api_version for info in cx.Program.load(path).executables] == [
        (0, 106),
        (0, 115),
    ]
    assert cx.load(path).is_deserialized


def test_info_lists_the_executables(on_fake, cyxla, path):
    on_fake("compile", path)
    (found,) = cx.Program.load(path).executables
    lines = cyxla("info", path).stdout.splitlines()
    begin = lines.index("  executables      1")
    assert lines[begin + 1] == (
        f"    {found.plugin_identity}  PJRT 0.114, cpu ({found.device_kind}), "
        f"{found.bytes} bytes, processor 0"
    )
    assert lines[begin + 3 :] == [
        "  processors       1",
        f"    0: {_runtime.cpu_features()}",
    ]
    assert json.loads(cyxla("info", "--json", path).stdout)["executables"] == [
        {**found._asdict(), "pjrt_api_version": [0, 114]}
    ]


def test_the_plugin_is_found_again_without_being_named(on_fake, cyxla, path):
    on_fake("compile", path)
    done = cyxla("compile", path, CYXLA_PLUGIN="")
    assert (done.returncode, done.stderr) == (0, "")
    assert "has been compiled before" in done.stdout


def test_a_file_that_is_no_program_or_missing_is_an_error(on_fake, tmp_path):
    path = tmp_path / "text"
    path.write_text("text")
    for file, reason in [(path, "is no .cyxla file"), (tmp_path / "none", "No such")]:
        done = on_fake("compile", file)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("cyxla compile: ")
        assert reason in done.stderr


def test_a_file_that_cannot_be_written_is_an_error_and_stays(on_fake, path):
    content = path.read_bytes()
    path.parent.chmod(0o555)
    try:
        if os.access(path.parent, os.W_OK):  # as the superuser, whom nothing stops
            path.parent.chmod(0o755)
            done = on_fake("compile", path.parent)
            assert "is a directory" in done.stderr
        else:
            done = on_fake("compile", path)
            assert "cannot be written" in done.stderr
    finally:
        path.parent.chmod(0o755)
    assert (done.returncode, done.stdout) == (1, "")
    assert path.read_bytes() == content


def test_the_file_is_one(on_fake, path):
    for arguments in [(), (path, path)]:
        done = on_fake("compile", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"there are {len(arguments)} files, expected one" in done.stderr


def test_a_plugin_that_cannot_be_loaded_is_an_error(cyxla, path):
    done = cyxla("compile", "--plugin", "/nowhere.so", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "/nowhere.so" in done.stderr


SIZES = [((3,), (2,)), ((0,), (2,)), ((3,), (5,))]


@pytest.fixture
def sizes(tmp_path):
    return fake_files.save_sizes(tmp_path / "sizes.cyxla", *SIZES)


def executables(path):
    """Of each size of a file, how many bytes of machine code it holds."""
    return [
        [info.bytes for info in size.executables]
        for size in cx.Program.load(path).sizes
    ]


def assert_compiled(done, path, plugin, numbers, bytes_, before=()):
    """What is printed, a line for each size."""
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    for number, line in zip(numbers, lines, strict=True):
        if number in before:
            assert line == (
                f"size {number} of {path} has been compiled before, by this plugin: "
                f"{plugin}"
            )
        else:
            (count,) = bytes_[number]
            begin = f"size {number} of {path} now holds {count} bytes of machine code, "
            assert line.startswith(f"{begin}compiled in ")
            assert line.endswith(f" s by {plugin}")


def test_all_sizes_are_compiled_and_written_in_one_step(on_fake, sizes, fake_plugins):
    before = [size.metadata for size in cx.Program.load(sizes).sizes]
    plugin = fake_plugins.fake.resolve()
    done = on_fake("compile", sizes)
    found = executables(sizes)
    assert [len(size) for size in found] == [1, 1, 1]
    assert_compiled(done, sizes, plugin, range(3), found)
    assert [size.metadata for size in cx.Program.load(sizes).sizes] == before
    status = os.stat(sizes)
    assert_compiled(
        on_fake("compile", sizes), sizes, plugin, range(3), found, before=range(3)
    )
    assert os.stat(sizes).st_mtime_ns == status.st_mtime_ns
    assert os.stat(sizes).st_ino == status.st_ino


def test_as_many_sizes_as_a_file_can_hold_are_compiled(on_fake, tmp_path):
    path = tmp_path / "many.cyxla"
    fake_files.save_sizes(path, *[((n,), (1,)) for n in range(4096)])
    done = on_fake("compile", path)
    assert (done.returncode, done.stderr) == (0, "")
    numbers = [int(line.split()[1]) for line in done.stdout.splitlines()]
    assert numbers == [*range(4096)]
    assert all(len(size) == 1 for size in executables(path))


def test_one_size_is_compiled_alone_and_the_others_later(on_fake, sizes, fake_plugins):
    plugin = fake_plugins.fake.resolve()
    done = on_fake("compile", "--size=1", sizes)
    found = executables(sizes)
    assert [len(size) for size in found] == [0, 1, 0]
    assert_compiled(done, sizes, plugin, [1], found)
    done = on_fake("compile", sizes, "--size", "1")
    assert_compiled(done, sizes, plugin, [1], found, before=[1])
    done = on_fake("compile", sizes)
    found = executables(sizes)
    assert [len(size) for size in found] == [1, 1, 1]
    assert_compiled(done, sizes, plugin, range(3), found, before=[1])


def test_the_only_size_is_compiled_as_without_a_number(on_fake, path):
    assert on_fake("compile", path, "--size=0").stdout.startswith(f"{path} now holds ")
    assert on_fake("compile", path, "--size=0").stdout.startswith(f"{path} has been ")


def test_sizes_that_jax_lowered_are_compiled(cyxla, tmp_path):
    path = tmp_path / "program.cyxla"
    cx.Program.join(
        [cx.lower(lambda x: x.sum(axis=0), [np.ones((n, 2), "f4")]) for n in [0, 3]]
    ).save(path)
    done = cyxla("compile", path, CYXLA_PLUGIN=str(CPU_PLUGIN))
    assert (done.returncode, done.stderr) == (0, "")
    assert [len(size) for size in executables(path)] == [1, 1]
    assert all(cx.load(path, [(n, 2)]).is_deserialized for n in [0, 3])


def test_nothing_is_written_where_a_size_does_not_compile(on_fake, tmp_path):
    path = tmp_path / "program.cyxla"
    arrays = [fake_files.spec("x", "float32", (n,)) for n in range(3)]
    operations = ["= argument 0", "= argument 0", "= nonsense 0"]
    cx.Program.join(
        [
            fake_files.make([array], [array], [operation])
            for array, operation in zip(arrays, operations, strict=True)
        ]
    ).save(path)
    content = path.read_bytes()
    done = on_fake("compile", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"cyxla compile: size 2 of {path}: ")
    assert "cannot compile the program" in done.stderr
    assert path.read_bytes() == content
    assert on_fake("compile", path, "--size=0").returncode == 0
    assert [len(size) for size in executables(path)] == [1, 0, 0]


def change_one_size(path):
    """Writes other metadata into the last size."""
    *others, last = cx.Program.load(path).sizes
    changed = fake_files.make_copies(
        *[(spec.name, spec.dtype.name, spec.shape) for spec in last.inputs],
        metadata="changed",
    )
    assert changed.code == last.code
    cx.Program.join([*others, changed]).save(path)


def add_size(path):
    new = fake_files.make_copies(("x", "float32", (7,)), ("y", "int32", (7,)))
    cx.Program.join([*cx.Program.load(path).sizes, new]).save(path)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("more", [[], ["--size=0"]])
@pytest.mark.parametrize("change", [change_one_size, add_size, os.remove])
def test_a_file_that_changes_meanwhile_is_left_as_it_is(
    prefix, slow_plugin, fake_plugins, tmp_path, change, more, count
):
    path = fake_files.save_sizes(tmp_path / "sizes.cyxla", *SIZES[:count])
    process = subprocess.Popen(
        [f"{prefix}/bin/cyxla", "compile", path, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            "CYXLA_PLUGIN": str(slow_plugin),
            "SLOW_PLUGIN_OTHER": str(fake_plugins.fake),
            "SLOW_PLUGIN_FILE": str(tmp_path / "go"),
            "SLOW_PLUGIN_BEGUN": str(tmp_path / "begun"),
        },
    )
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.01)
    change(path)
    content = path.read_bytes() if path.exists() else None
    (tmp_path / "go").touch()
    output, error = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert error == (
        f"cyxla compile: {path} was changed while its program was compiled; try again\n"
    )
    assert content == (path.read_bytes() if path.exists() else None)
