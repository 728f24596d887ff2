"""Compiled programs are found again, and only what is theirs."""

import errno
import os
import types

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from caching import COMPILE, VECTOR, files_of, is_from_cache
from comparing import assert_same_bits
from cyxla import _runtime, cache_directory, cache_executables, runtime
from plugins_for_tests import MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN
from scripts import output_of


def sine(x):
    return jnp.sin(x) * 2


@pytest.fixture(scope="module")
def program():
    return cx.lower(sine, [VECTOR])


@pytest.fixture
def saved(program, tmp_path):
    """The program in a file, for other processes."""
    path = tmp_path / "sine.cyxla"
    cx.save(path, program)
    return path


def test_a_program_is_compiled_once(program, cache):
    first, compiled = cx.compile_program(program)
    second, loaded = cx.compile_program(program)
    assert (compiled.from_cache, loaded.from_cache) == (False, True)
    assert second is not first
    assert loaded.compile_seconds == second.compile_seconds > 0
    assert (loaded.tier, loaded.code_bytes) == ("direct", second.code_bytes)
    assert second.inputs == first.inputs
    assert second.program is program
    assert_same_bits(second(VECTOR), first(VECTOR))
    assert len(files_of(cache)) == 1


def test_equal_programs_share_an_executable_and_keep_their_own_names(cache):
    first = cx.compile(lambda x: {"a": x + 1}, VECTOR)
    second = cx.compile(lambda y: {"a": y + 1}, VECTOR)
    assert second.inputs[0].name == "y"
    assert first.inputs[0].name == "x"
    assert second(VECTOR)["a"].tolist() == [2, 3, 4]


def test_the_line_that_a_function_is_in_does_not_matter(cache):
    programs = [cx.lower(lambda x: x * 3, [VECTOR])]
    programs.append(cx.lower(lambda x: x * 3, [VECTOR]))
    assert programs[0].code != programs[1].code
    assert [is_from_cache(program) for program in programs] == [False, True]


def test_code_that_jaxlib_cannot_read_is_its_own_key(program):
    assert cache_executables.without_locations(b"no StableHLO") == b"no StableHLO"
    stripped = cache_executables.without_locations(program.code)
    assert b".py" in program.code
    assert b".py" not in stripped
    assert cache_executables.without_locations(program.code[:-9]) == program.code[:-9]


def test_another_process_finds_it(program, saved, cache):
    cx.compile_program(program)
    assert output_of(COMPILE, saved) == "True\n"


def test_loading_a_file_looks_in_the_cache(saved, cache):
    assert not cx.load(saved).is_deserialized
    assert cx.load(saved).is_deserialized


def test_what_a_file_holds_is_loaded_and_not_stored(program, cache, tmp_path):
    path = tmp_path / "compiled.cyxla"
    cx.save(path, cx.compile_program(program, cache=False)[0])
    executable, statistics = cx.compile_program(cx.Program.load(path))
    assert (executable.is_deserialized, statistics.from_cache) == (True, False)
    assert not files_of(cache)


def test_what_was_in_the_cache_can_be_saved(program, cache, tmp_path):
    cx.compile_program(program)
    cx.save(tmp_path / "found.cyxla", cx.compile_program(program)[0])
    loaded = cx.Program.load(tmp_path / "found.cyxla")
    assert cx.compile_program(loaded, cache=False)[0].is_deserialized


def test_without_the_cache_nothing_is_stored_or_looked_for(program, cache):
    assert not is_from_cache(program, cache=False)
    assert not cache.exists()
    assert not is_from_cache(program)
    assert not is_from_cache(program, cache=False)
    assert not cx.compile(sine, VECTOR, cache=False).is_deserialized
    assert cx.compile(sine, VECTOR).is_deserialized


def test_none_turns_the_cache_off(program, cache, monkeypatch):
    cx.compile_program(program)
    monkeypatch.setenv("CYXLA_CACHE_DIR", "none")
    assert not is_from_cache(program)
    assert not os.path.exists("none")


def test_donated_inputs_stay_donated(cache):
    program = cx.lower(lambda x: x + 1, [VECTOR], donate_argnums=0)
    for expected in (False, True):
        executable, statistics = cx.compile_program(program)
        assert statistics.from_cache is expected
        assert executable.inputs[0].aliased_output == 0
        assert executable(VECTOR).tolist() == [2, 3, 4]


def test_linear_algebra_works_in_a_process_that_lowers_nothing(cache, tmp_path):
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
    program = cx.lower(lambda a: jnp.linalg.eigh(a)[0], [matrix])
    expected = cx.compile_program(program)[0](matrix)
    cx.save(tmp_path / "eigh.cyxla", program)
    script = """
        import sys
        import cyxla as cx
        executable = cx.load(sys.argv[1])
        print(executable.is_deserialized)
        print(executable.run([[[4.0, 1.0], [1.0, 3.0]]])[0].tobytes().hex())
    """
    found = output_of(script, tmp_path / "eigh.cyxla")
    assert found == f"True\n{expected.tobytes().hex()}\n"


def test_a_program_with_callbacks_is_never_cached(cache):
    def function(x):
        return jax.pure_callback(lambda y: y * 2, jax.typeof(x), x)

    program = cx.lower(function, [VECTOR])
    assert not is_from_cache(program)
    assert not is_from_cache(program)
    assert not files_of(cache)


@pytest.mark.parametrize("plugin", [MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN])
def test_another_plugin_does_not_find_it_and_has_its_own(plugin, program, saved, cache):
    script = (
        COMPILE
        + """
result = executable.run([[1.0, 2.0, 3.0]])[0]
print(abs(result / [1.682942, 1.818595, 0.2822400] - 1).max() < 1e-5)
"""
    )
    cx.compile_program(program)
    for is_found in (False, True):
        found = output_of(script, saved, CYXLA_PLUGIN=str(plugin))
        assert found == f"{is_found}\nTrue\n"
    assert len(files_of(cache)) == 2


def test_what_a_client_is_made_with_is_part_of_the_key(program, saved, cache):
    cx.compile_program(program)
    flags = {"XLA_FLAGS": "--xla_cpu_enable_fast_math=true"}
    three = {"PJRT_NPROC": "3", "NPROC": None}
    assert output_of(COMPILE, saved, **three) == "False\n"
    assert output_of(COMPILE, saved, **three, **flags) == "False\n"
    # As many as another process was told by the environment.
    threads = "import cyxla as cx; cx.initialize(threads=3)" + COMPILE
    assert output_of(threads, saved) == "True\n"


def test_cores_are_counted_where_a_process_cannot_be_bound_to_some(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert runtime.num_cores() == 7


def test_every_part_of_the_key_counts(program, cache, monkeypatch):
    loaded = types.SimpleNamespace(info=cx.runtime_info())
    keys = []

    def add(program=program, identity="identity", **changes):
        changed = types.SimpleNamespace(info=loaded.info._replace(**changes))
        keys.append(cache_executables.key_of(changed, program, identity))

    add()
    add(identity="another")
    add(pjrt_api_version=(0, 114))
    add(platform="cuda")
    add(platform_version="another")
    add(devices=("another",))
    add(cx.lower(jnp.sin, [VECTOR]))
    add(cx.lower(sine, [VECTOR], compiler_options={"xla_cpu_enable_fast_math": True}))
    with monkeypatch.context() as patch:
        patch.setattr(_runtime, "cpu_features", lambda: "x86-64 aes")
        add()
    with monkeypatch.context() as patch:
        patch.setattr(cache_executables, "FORMAT", "0")
        add()
    for field in runtime.ClientSettings._fields:
        with monkeypatch.context() as patch:
            changed = runtime.client_settings()._replace(**{field: "another"})
            patch.setattr(runtime, "_client_settings", changed)
            add()
    assert len(set(keys)) == len(keys) == 14
    add()
    assert keys[-1] == keys[0]


def test_compiler_options_are_part_of_the_key(program, cache):
    fast = {"compiler_options": {"xla_cpu_enable_fast_math": True}}
    assert not is_from_cache(program)
    assert not is_from_cache(program, **fast)
    assert is_from_cache(program, **fast)
    assert is_from_cache(program)


def test_what_xla_is_asked_to_dump_is_dumped_each_time(program, cache, tmp_path):
    dumped = tmp_path / "dumped"
    options = {"xla_dump_to": str(dumped)}
    for _ in range(2):
        assert not is_from_cache(program, compiler_options=options)
        assert list(dumped.iterdir())
        for path in dumped.iterdir():
            path.unlink()
    assert not files_of(cache)


@pytest.mark.parametrize("flags", ["/some/file", "--a=1 --xla_dump_to=/some/folder"])
def test_flags_that_need_compiling_turn_the_cache_off(
    flags, program, cache, monkeypatch
):
    cx.compile_program(program)
    changed = runtime.client_settings()._replace(flags=flags)
    monkeypatch.setattr(runtime, "_client_settings", changed)
    assert not is_from_cache(program)
    assert len(files_of(cache)) == 1


def test_a_plugin_that_cannot_serialize_compiles_each_time(program, cache, monkeypatch):
    def fail(executable):
        raise cx.Error("the plugin cannot serialize executables", "UNIMPLEMENTED")

    monkeypatch.setattr(cx.Executable, "serialize", fail)
    assert not is_from_cache(program)
    assert not is_from_cache(program)
    assert not files_of(cache)


def test_a_library_that_was_replaced_turns_the_cache_off(program, cache, monkeypatch):
    def fail(loaded):
        raise cx.Error("the file was replaced", "FAILED_PRECONDITION")

    cx.initialize()
    monkeypatch.setattr(_runtime, "plugin_identity", fail)
    assert not is_from_cache(program)
    assert not is_from_cache(program)
    assert not files_of(cache)


def damaged(data):
    """An entry damaged in many ways: the names of the ways with what comes out."""
    name = data.index(b".executable")
    flips = [0, 16, 24, 32, name, name + 11, len(data) // 2, len(data) - 1]
    for i in flips:
        yield f"byte {i}", data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]
    for size in (0, 1, 16, 40, name, name + 11, len(data) // 2, len(data) - 1):
        yield f"cut to {size}", data[:size]
    yield "longer", data + b"\0"
    yield "garbage", b"garbage" * 100
    yield "only zeros", bytes(len(data))


def test_a_damaged_entry_is_compiled_anew_without_the_plugin_seeing_it(
    program, cache, monkeypatch
):
    expected = cx.compile_program(program)[0](VECTOR)
    (path,) = files_of(cache)
    data = path.read_bytes()

    def see(*_):
        pytest.fail("the plugin was given the damaged entry")

    for way, content in damaged(data):
        path.write_bytes(content)
        with monkeypatch.context() as patch:
            patch.setattr(cx.Executable, "deserialize", see)
            executable, statistics = cx.compile_program(program)
        assert not statistics.from_cache, way
        assert_same_bits(executable(VECTOR), expected)
        assert is_from_cache(program), way


def test_the_entry_of_another_program_is_not_taken(program, cache):
    cx.compile_program(program)
    (path,) = files_of(cache)
    other = cx.lower(jnp.cos, [VECTOR])
    cx.compile_program(other)
    (other_path,) = set(files_of(cache)) - {path}
    os.replace(other_path, path)
    executable, statistics = cx.compile_program(program)
    assert not statistics.from_cache
    assert_same_bits(executable(VECTOR), cx.compile(sine, VECTOR, cache=False)(VECTOR))
    assert is_from_cache(program)


def test_what_the_plugin_does_not_take_is_compiled(program, cache):
    cx.compile_program(program)
    (path,) = files_of(cache)
    cache_directory.write(cache, path.name, b"no executable")
    assert not is_from_cache(program)
    assert is_from_cache(program)


def test_a_pipe_or_folder_in_the_place_of_an_entry_does_no_harm(program, cache):
    cx.compile_program(program)
    (path,) = files_of(cache)
    path.unlink()
    os.mkfifo(path)
    assert not is_from_cache(program)
    assert is_from_cache(program)
    path.unlink()
    path.mkdir()
    with pytest.warns(RuntimeWarning, match="the disk cache cannot be used"):
        assert not is_from_cache(program)


def test_a_full_disk_is_told_once(program, cache, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", fail)
    message = (
        r"^the disk cache cannot be used: \[Errno 28\] No space left on device; set "
        "CYXLA_CACHE_DIR to a directory of yours, or to none to do without$"
    )
    with pytest.warns(RuntimeWarning, match=message):
        assert not is_from_cache(program)
    assert not is_from_cache(program)
    assert not list(cache.iterdir())


def test_a_place_where_nothing_can_be_made_is_told_once(program, cache, monkeypatch):
    cache.write_text("a file")
    monkeypatch.setenv("CYXLA_CACHE_DIR", str(cache / "inside"))
    with pytest.warns(RuntimeWarning, match="cannot be used: .*File exists"):
        assert not is_from_cache(program)
    assert not is_from_cache(program)


def test_a_cache_that_others_can_write_to_is_not_used(program, cache):
    cx.compile_program(program)
    cache.chmod(0o770)
    message = f"others may write to {cache}; chmod go-w changes that"
    with pytest.warns(RuntimeWarning, match=message):
        assert not is_from_cache(program)
    cache.chmod(0o755)
    assert is_from_cache(program)


def test_the_cache_of_another_user_is_not_used(program, cache, monkeypatch):
    cx.compile_program(program)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.warns(RuntimeWarning, match=f"{cache} belongs to another user"):
        assert not is_from_cache(program)


def test_a_cache_that_turns_off_between_is_no_error(program, cache, monkeypatch):
    monkeypatch.setattr(cache_directory, "place", lambda: None)
    assert not is_from_cache(program)
    assert not cache.exists()
