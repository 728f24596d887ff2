"""What was compiled is saved, and loaded only by the plugin that compiled it."""

import os
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_equal_to_rounding, assert_same_bits
from cyxla import _runtime, runtime
from plugins_for_tests import CPU_PLUGIN, MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN
from scripts import output_of
from test_linear_algebra_without_python import lapack_of

PLUGINS = {"115": CPU_PLUGIN, "106": MIDDLE_CPU_PLUGIN, "81": OLD_CPU_PLUGIN}
VECTOR = np.array([1.0, 2.0, 3.0], np.float32)

# Loads the file with a plugin, prints how, saves it again if so wanted.
SCRIPT = """
    import sys
    import cyxla as cx
    import numpy as np
    _, plugin, path, saves = sys.argv
    cx.initialize(plugin)
    executable = cx.load(path)
    result = executable.run([np.array([1, 2, 3], "f4")])[0]
    assert np.allclose(result, np.sin([1, 2, 3]).sum() * np.array([1, 2, 3])), result
    if saves == "saves":
        cx.save(path, executable)
    print("loaded" if executable.is_deserialized else "compiled")
"""


def load_with(plugin, path, saves="saves not"):
    return output_of(SCRIPT, plugin, path, saves, CYXLA_LOG="3").strip()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "program.cyxla"


@pytest.fixture(scope="module")
def program():
    return cx.lower(lambda x: jnp.sin(x).sum() * x, [VECTOR])


def test_a_loaded_executable_computes_the_same_bits(program, path):
    executable, _ = cx.compile_program(program)
    cx.save(path, executable)
    loaded, loading = cx.compile_program(cx.Program.load(path))
    assert (executable.is_deserialized, loaded.is_deserialized) == (False, True)
    assert 0 < loading.compile_seconds == loaded.compile_seconds
    assert_same_bits(loaded.run([VECTOR])[0], executable.run([VECTOR])[0])
    assert loaded.serialize() == executable.serialize()


@pytest.mark.parametrize(
    "names", [["115", "106", "81"], ["106", "81", "115"], ["81", "115", "106"]]
)
def test_a_file_of_one_plugin_is_compiled_by_another(program, path, names):
    """The middle and the new plugin take each other's code, and the old one takes all
    and computes wrong numbers, so none may see it."""
    cx.save(path, program)
    for count, name in enumerate(names):
        assert load_with(PLUGINS[name], path, "saves") == "compiled"
        assert len(cx.Program.load(path).executables) == count + 1
    for name in names:
        assert load_with(PLUGINS[name], path) == "loaded"


def test_a_file_tells_what_it_holds(program, path):
    executable, _ = cx.compile_program(program)
    cx.save(path, executable)
    assert program.executables == []
    (found,) = cx.Program.load(path).executables
    info = cx.runtime_info()
    assert found == cx.ExecutableInfo(
        plugin_identity=_runtime.plugin_identity(runtime.runtime_for("cpu")),
        pjrt_api_version=info.pjrt_api_version,
        platform="cpu",
        device_kind=info.devices[0],
        cpu_features=_runtime.cpu_features(),
        bytes=len(executable.serialize()),
        is_direct=True,
    )


def test_other_compile_options_are_compiled(program, path):
    cx.save(path, cx.compile_program(program)[0])
    options = {"xla_cpu_enable_fast_math": True}
    executable, _ = cx.compile_program(cx.Program.load(path), compiler_options=options)
    assert not executable.is_deserialized
    cx.save(path, executable)
    assert len(cx.Program.load(path).executables) == 1
    assert cx.load(path).is_deserialized


def test_other_flags_of_xla_are_compiled(program, path):
    cx.save(path, cx.compile_program(program)[0])
    flags = "--xla_cpu_enable_fast_math=true"
    found = output_of(SCRIPT, CPU_PLUGIN, path, "saves", CYXLA_LOG="3", XLA_FLAGS=flags)
    assert found == "compiled\n"
    assert len(cx.Program.load(path).executables) == 1
    assert not cx.load(path).is_deserialized


def solve(matrix, vector):
    return jnp.linalg.solve(matrix, vector), jnp.linalg.eigh(matrix @ matrix.T)[0]


def step(state, speed):
    return state + speed, jnp.sort(state)


@pytest.mark.parametrize(
    ("function", "arguments", "options"),
    [
        (solve, [np.eye(3, dtype="f4") * 2 + 1, VECTOR], {}),
        (step, [VECTOR, VECTOR], {"donate_argnums": 0}),
        (lambda x: (x, x + 1, jnp.zeros(2)), [VECTOR], {}),
        (
            lambda x: jax.lax.while_loop(lambda y: y.sum() < 99, jnp.exp, x),
            [VECTOR],
            {},
        ),
        (lambda: jnp.arange(3), [], {}),
        (lambda x: jnp.fft.fft(x @ x), [np.eye(4, dtype="f4")], {}),
    ],
)
def test_programs_of_all_kinds_are_loaded(path, function, arguments, options):
    executable = cx.compile(function, *arguments, **options)
    cx.save(path, executable)
    loaded = cx.load(path)
    assert loaded.is_deserialized
    for found, expected in zip(
        loaded.run(arguments), executable.run(arguments), strict=True
    ):
        assert_same_bits(found, expected)


def test_a_handler_of_one_s_own_has_to_be_there_for_loading_too(path, tmp_path):
    """The error is that of compiling, which is tried when loading fails."""
    cx.save(path, cx.compile(solve, np.eye(3, dtype="f4"), VECTOR))
    script = """
        import sys
        import cyxla as cx
        cx.initialize(jax_targets=False)
        try:
            cx.load(sys.argv[1])
        except cx.Error as error:
            print(error)
    """
    found = output_of(script, path, CYXLA_LOG="3")
    assert "No FFI handler registered for" in found
    assert "register a handler of XLA's typed FFI under that name first" in found


def test_linear_algebra_is_loaded_without_python_s_package(path, prefix):
    cx.save(path, cx.compile(solve, np.eye(3, dtype="f4"), VECTOR))
    script = """
        import ctypes, sys
        library = ctypes.CDLL(sys.argv[1])
        executable = ctypes.c_void_p()
        message = ctypes.create_string_buffer(5000)
        assert library.cyxla_open(
            sys.argv[2].encode(), None, ctypes.byref(executable), message
        ) == 0, message.raw[4:].split(bytes(1))[0]
        library.cyxla_executable_is_deserialized.restype = ctypes.c_bool
        print(library.cyxla_executable_is_deserialized(executable))
    """
    library = Path(prefix) / "lib" / "libcyxla.so"
    lapack = lapack_of("scipy")
    assert output_of(script, library, path, CYXLA_LAPACK=lapack) == "True\n"


def test_a_donated_input_is_updated_in_place_after_loading(path, prefix):
    cx.save(
        path,
        cx.compile(
            lambda state, speed: state + speed, VECTOR, VECTOR, donate_argnums=0
        ),
    )
    script = """
        import ctypes, sys
        library = ctypes.CDLL(sys.argv[1])
        executable, call = ctypes.c_void_p(), ctypes.c_void_p()
        library.cyxla_call_input.restype = ctypes.c_void_p
        for name in ["executable_is_deserialized", "call_output_is_copied"]:
            getattr(library, "cyxla_" + name).restype = ctypes.c_bool
        assert library.cyxla_open(
            sys.argv[2].encode(), None, ctypes.byref(executable), None
        ) == 0
        assert library.cyxla_executable_is_deserialized(executable)
        assert library.cyxla_call_create(executable, ctypes.byref(call), None) == 0
        arrays = []
        for i in range(2):
            address = library.cyxla_call_input(call, ctypes.c_size_t(i))
            arrays.append((ctypes.c_float * 3).from_address(address))
            arrays[i][:] = [1, 2, 3]
        memory = ctypes.c_void_p(ctypes.addressof(arrays[0]))
        zero = ctypes.c_size_t(0)
        assert library.cyxla_call_bind_output(call, zero, memory, None) == 0
        for _ in range(2):
            assert library.cyxla_call_run(call, None) == 0
        print(list(arrays[0]), library.cyxla_call_output_is_copied(call, zero))
    """
    library = Path(prefix) / "lib" / "libcyxla.so"
    assert output_of(script, library, path) == "[3.0, 6.0, 9.0] False\n"


@pytest.mark.parametrize("mask", [0x01, 0x80])
def test_code_with_a_flipped_byte_reaches_no_plugin(program, path, mask):
    """XLA takes much of it, and some of that computes wrong numbers or crashes."""
    executable, _ = cx.compile_program(program)
    code = executable.serialize()
    cx.save(path, executable)
    content = path.read_bytes()
    begin = content.index(code)
    for offset in range(begin, begin + len(code), 97):
        changed = bytes([content[offset] ^ mask])
        path.write_bytes(content[:offset] + changed + content[offset + 1 :])
        with pytest.raises(cx.Error, match="the checksum of a section is wrong"):
            cx.load(path)


def test_a_file_without_executables_is_compiled(program, path):
    cx.save(path, program)
    loaded = cx.load(path)
    assert not loaded.is_deserialized
    assert_equal_to_rounding(loaded.run([VECTOR])[0], np.sin(VECTOR).sum() * VECTOR)


def test_a_plugin_that_was_replaced_after_loading_is_not_taken_for_itself(
    program, path, tmp_path, fake_plugins
):
    """The file under the plugin's path is another one then."""
    plugin = tmp_path / "plugin.so"
    plugin.write_bytes(fake_plugins.fake.read_bytes())
    script = """
        import os, sys
        import cyxla as cx
        from cyxla import _runtime, runtime
        cx.initialize(sys.argv[1])
        os.replace(sys.argv[2], sys.argv[1])
        try:
            _runtime.plugin_identity(runtime.runtime_for("cpu"))
        except cx.Error as error:
            print(error)
    """
    other = tmp_path / "other.so"
    other.write_bytes(fake_plugins.fake.read_bytes() + os.urandom(8))
    assert "was changed after it had been loaded" in output_of(script, plugin, other)


def test_a_program_is_compiled_where_that_is_asked_for(tmp_path):
    compiled = cx.compile(jnp.sin, VECTOR, cache=False)
    cx.save(tmp_path / "sin.cyxla", compiled)
    program = cx.Program.load(tmp_path / "sin.cyxla")
    again = cx.Executable.compile(runtime.runtime_for("cpu"), program)
    assert not again.is_deserialized
    assert_same_bits(again.run([VECTOR])[0], compiled(VECTOR))
