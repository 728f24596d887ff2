"""The command ``cyxla compile``, and what ``cyxla info`` tells of its work."""

import json
import os

import cyxla as cx
import fake_files
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
    assert lines[begin + 1 : begin + 3] == [
        f"    {found.plugin_identity}  PJRT 0.114, cpu ({found.device_kind}), "
        f"{found.bytes} bytes",
        f"      {_runtime.cpu_features()}",
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
