"""Compiling, running, and calling with pytrees."""

import collections
import textwrap
import threading
from pathlib import Path
from typing import NamedTuple

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_equal_to_jax, assert_same_bits
from cyxla import _runtime, runtime
from scripts import output_of, run_python
from xxhash import xxh64_hexdigest

VECTOR = np.array([1.0, 2.0, 3.0], np.float32)


class State(NamedTuple):
    position: object
    velocity: object


def advance(state, dt, *, drag=None):
    velocity = state.velocity if drag is None else state.velocity * (1 - drag * dt)
    return State(state.position + velocity * dt, velocity), {"time": [dt, None]}


@pytest.fixture(scope="module")
def double():
    return cx.compile(lambda x: x * 2, VECTOR)


@pytest.fixture(scope="module")
def advancing():
    return cx.compile(advance, State(VECTOR, VECTOR), 0.1, kwargs={"drag": 0.5})


def test_statistics_tell_how_the_executable_came_to_be():
    executable, statistics = cx.compile_program(cx.lower(jnp.sin, [VECTOR]))
    assert 0 < statistics.compile_seconds < 60
    assert statistics.compile_seconds == executable.compile_seconds
    assert statistics.from_cache is False
    assert statistics.tier == executable.tier == "direct"
    assert statistics.code_bytes == executable.code_bytes >= -1


def test_an_executable_describes_its_program(advancing):
    assert advancing.program.platform == "cpu"
    assert advancing.inputs == advancing.program.inputs
    assert advancing.outputs == advancing.program.outputs
    assert [spec.name for spec in advancing.inputs] == [
        "state.position",
        "state.velocity",
        "dt",
        "drag",
    ]
    assert [spec.name for spec in advancing.outputs] == [
        "result.0.position",
        "result.0.velocity",
        "result.1.time.0",
    ]
    assert advancing.output_bytes == [12, 12, 4]


def test_a_call_takes_and_returns_pytrees(advancing):
    state = State(VECTOR, 2 * VECTOR)
    found = advancing(state, 0.1, drag=0.5)
    expected = jax.jit(advance)(state, 0.1, drag=0.5)
    assert isinstance(found[0], State)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    assert_equal_to_jax(found, expected)
    assert all(type(leaf) is np.ndarray for leaf in jax.tree.leaves(found))


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ((), {}),
        ((State(1, 1), 0.1), {}),
        ((State(1, 1), 0.1, 0.5), {}),
        (((1, 1), 0.1), {"drag": 0.5}),
        ((State(1, None), 0.1), {"drag": 0.5}),
        ((State(1, 1), 0.1), {"drag": 0.5, "more": 1}),
    ],
    ids=["nothing", "no keyword", "positional", "tuple", "None", "too many"],
)
def test_a_call_with_another_structure_is_refused(advancing, arguments, keywords):
    message = (
        r"takes arguments of the structure PyTreeDef\(.*State.*\), found PyTreeDef"
    )
    with pytest.raises(TypeError, match=message):
        advancing(*arguments, **keywords)


def test_static_arguments_are_left_out_of_calls():
    executable = cx.compile(
        lambda n, x, *, m: n * m * x,
        2,
        VECTOR,
        kwargs={"m": 3},
        static_argnums=0,
        static_argnames="m",
    )
    assert_same_bits(executable(VECTOR), 6 * VECTOR)


def test_none_among_arguments_and_results_stays():
    executable = cx.compile(lambda x, nothing: (nothing, x), VECTOR, None)
    nothing, same = executable(VECTOR, None)
    assert nothing is None
    assert_same_bits(same, VECTOR)


def test_outputs_are_new_arrays(double):
    first = double.run([VECTOR])[0]
    second = double.run([VECTOR + 1])[0]
    assert first.tolist() == [2, 4, 6]
    assert second.tolist() == [4, 6, 8]
    assert first.flags.owndata
    assert first.flags.writeable
    assert first.flags.c_contiguous
    first[:] = 0
    assert double.run([VECTOR])[0].tolist() == [2, 4, 6]


def test_an_output_that_is_an_input_is_a_new_array():
    executable = cx.compile(lambda x: (x, x), VECTOR)
    first, second = executable.run([VECTOR])
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, VECTOR)


def test_memory_that_is_not_there_is_a_memory_error():
    size = 2**58
    example = jax.ShapeDtypeStruct((size,), np.float32)
    executable = cx.compile(lambda x: x[:1], example)
    with pytest.raises(MemoryError, match="no memory left for an input"):
        executable.run([np.broadcast_to(np.float32(0), (size,))])


def test_a_signature_that_no_memory_can_hold_is_a_memory_error(double):
    spec = cx.ArraySpec("x", range(2**60), np.dtype(np.float32))
    with pytest.raises(MemoryError, match=f"no memory left for {2**60} elements"):
        make_program(double, inputs=[spec])


def test_outputs_outlive_the_executable():
    executable = cx.compile(lambda x: x + 1, np.zeros(100_000, np.float32))
    (result,) = executable.run([np.zeros(100_000, np.float32)])
    del executable
    assert (result == 1).all()


def test_options_of_xla_reach_the_program():
    plain = cx.lower(jnp.sin, [VECTOR])
    given = cx.lower(jnp.sin, [VECTOR], compiler_options={"xla_cpu_foo": "1"})
    jitted = jax.jit(jnp.sin, compiler_options={"xla_cpu_foo": "1"})
    assert b"xla_cpu_foo" not in plain.compile_options
    assert b"xla_cpu_foo" in given.compile_options
    assert cx.lower(jitted, [VECTOR]).compile_options == given.compile_options


def test_later_options_override_earlier_ones():
    jitted = jax.jit(jnp.sin, compiler_options={"xla_a": 1, "xla_b": 1})
    program = cx.lower(jitted, [VECTOR], compiler_options={"xla_b": 2, "xla_c": 2})
    assert program.details["compiler_options"] == {"xla_a": 1, "xla_b": 2, "xla_c": 2}


def test_options_can_be_given_when_compiling():
    program = cx.lower(jnp.sin, [VECTOR])
    options = {"xla_cpu_enable_fast_math": True}
    executable, _ = cx.compile_program(program, compiler_options=options)
    assert executable.program.details["compiler_options"] == options
    assert executable.program.inputs == program.inputs
    assert b"xla_cpu_enable_fast_math" in executable.program.compile_options
    assert_equal_to_jax(
        executable(VECTOR), jax.jit(jnp.sin, compiler_options=options)(VECTOR)
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"xla_unknown": True}, "No such compile option: 'xla_unknown'"),
        ({"xla_cpu_enable_fast_math": "maybe"}, "'maybe' is not a valid bool value"),
    ],
)
def test_wrong_options_are_refused_with_the_text_of_xla(options, message):
    program = cx.lower(jnp.sin, [VECTOR])
    with pytest.raises(cx.Error, match=message) as info:
        cx.compile_program(program, compiler_options=options)
    assert info.value.status == "INVALID_ARGUMENT"


def make_program(executable, **changes):
    """A program made of the parts of another, some of which are changed."""
    program = executable.program
    names = ["platform", "code", "compile_options", "inputs", "outputs"]
    parts = {name: getattr(program, name) for name in names}
    return cx.Program.from_parts(**{**parts, **changes})


def test_empty_compile_options_are_the_default(double):
    program = make_program(double, compile_options=b"")
    executable, _ = cx.compile_program(program)
    assert program.compile_options == b"\x1a\x04\x20\x01\x28\x01"
    assert_same_bits(executable.run([VECTOR])[0], 2 * VECTOR)


def test_compile_options_without_a_replica_are_refused(double):
    """XLA would end the process."""
    with pytest.raises(cx.Error, match="ask for 0 replicas and 0 part") as info:
        make_program(double, compile_options=b"\x1a\x00")
    assert info.value.status == "INVALID_ARGUMENT"


def test_code_that_does_not_compile_is_refused_with_the_text_of_xla(double):
    program = make_program(double, code=b"no StableHLO")
    with pytest.raises(cx.Error, match=r"(?s)plugin cannot compile.*StableHLO"):
        cx.compile_program(program)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([], "has 1 outputs, and its signature says 0"),
        ([cx.ArraySpec("r", (3,), np.dtype("i4"))], "r .* has dtype float32, .* int32"),
        ([cx.ArraySpec("r", (4,), np.dtype("f4"))], "output r .* has another shape"),
    ],
)
def test_a_signature_that_is_not_the_code_s_is_refused(double, outputs, message):
    with pytest.raises(cx.Error, match=message) as info:
        cx.compile_program(make_program(double, outputs=outputs))
    assert info.value.status == "SIGNATURE_MISMATCH"


def test_a_program_for_another_platform_is_refused(double):
    cx.initialize()
    program = cx.lower(jnp.sin, [VECTOR], platform="cuda")
    message = "lowered for the platform cuda, and the plugin .* implements cpu"
    with pytest.raises(cx.Error, match=message) as info:
        cx.compile_program(program)
    assert info.value.status == "PLATFORM_MISMATCH"


@pytest.mark.parametrize("value", [None, jnp.sin, "program"])
def test_only_programs_are_compiled(value):
    with pytest.raises(TypeError, match=r"expected what cyxla\.lower returns"):
        cx.compile_program(value)


def test_threads_run_one_executable_at_once():
    size, turns, count = 4096, 50, 4
    executable = cx.compile(
        lambda x: jnp.cumsum(jnp.sin(x)), np.zeros(size, np.float32)
    )
    inputs = [np.full(size, i, np.float32) for i in range(count)]
    expected = [executable.run([array])[0] for array in inputs]
    wrong = collections.deque()
    start = threading.Barrier(count)

    def work(index):
        start.wait()
        for _ in range(turns):
            (result,) = executable.run([inputs[index]])
            if result.tobytes() != expected[index].tobytes():
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("kind", [cx.Program, cx.Executable])
def test_programs_and_executables_are_not_made_empty(kind):
    with pytest.raises(TypeError, match="are made by cyxla"):
        kind()
    with pytest.raises(TypeError, match="are made by cyxla"):
        kind.__new__(kind)


def test_nothing_cannot_be_compiled():
    with pytest.raises(TypeError, match="None"):
        cx.Executable.compile(None, None)


def test_a_child_that_was_forked_while_the_plugin_was_loading_does_not_hang():
    source = """
        import os, signal, threading, time
        import cyxla as cx
        program = cx.lower(lambda x: x, [1.0])
        for delay in (0.0, 0.05, 0.1):
            thread = threading.Thread(target=cx.initialize)
            thread.start()
            time.sleep(delay)
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                try:
                    cx.compile_program(program)
                except cx.Error as error:
                    os._exit(0 if error.status == "FORKED" else 1)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            print(status)
            thread.join()
    """
    process = run_python("-W", "ignore", "-c", textwrap.dedent(source))
    assert process.stdout.split() == ["0", "0", "0"], process.stderr


def test_an_executable_shows_its_signature():
    executable = cx.compile(lambda x, y: {"sum": x + y}, VECTOR, 1.0)
    expected = "<cyxla.Executable (x float32[3], y float32[]) -> (sum float32[3])>"
    assert repr(executable) == expected


def test_keyword_arguments_of_the_function_are_asked_for_as_kwargs():
    with pytest.raises(TypeError, match=r"no option drag; .* kwargs=\{'drag'"):
        cx.compile(advance, VECTOR, 1.0, drag=2.0)


def test_an_executable_is_serialized_by_the_plugin(fake_plugins):
    """The fake plugin gives a text, and has its own language for programs."""
    script = """
        import ctypes, sys
        import cyxla as cx
        import numpy as np
        cx.initialize(sys.argv[1])
        program = cx.Program.from_parts(
            platform="cpu",
            code=b"output float32[3] = zeros",
            compile_options=b"",
            inputs=[],
            outputs=[cx.ArraySpec("result", (3,), np.dtype("f4"))],
        )
        executable, _ = cx.compile_program(program, tier="pjrt")
        print(executable.serialize())
        fake = ctypes.CDLL(sys.argv[1])
        fake.fake_plugin_remove_function(b"PJRT_Executable_Serialize")
        try:
            executable.serialize()
        except cx.Error as error:
            print(error.status, error)
    """
    path = fake_plugins.fake
    assert output_of(script, path) == (
        "b'a fake executable\\noutput float32[3] = zeros'\n"
        f"UNIMPLEMENTED the plugin {path} cannot serialize executables\n"
    )


def test_an_executable_is_made_of_what_was_serialized(double):
    loaded = cx.Executable.deserialize(
        runtime.runtime_for("cpu"), double.program, double.serialize()
    )
    assert isinstance(loaded, cx.Executable)
    assert (double.is_deserialized, loaded.is_deserialized) == (False, True)
    assert loaded.compile_seconds > 0
    assert_same_bits(loaded(VECTOR), double(VECTOR))
    assert loaded.serialize() == double.serialize()


def test_bytes_that_are_no_executable_are_refused(double):
    loaded = runtime.runtime_for("cpu")
    with pytest.raises(cx.Error, match="cannot load a serialized executable"):
        cx.Executable.deserialize(loaded, double.program, b"something else")
    with pytest.raises(TypeError):
        cx.Executable.deserialize(loaded, double.program, None)


def test_a_plugin_is_told_by_the_hash_and_size_of_its_library():
    path = Path(cx.runtime_info().plugin)
    identity = _runtime.plugin_identity(runtime.runtime_for("cpu"))
    assert identity == f"{xxh64_hexdigest(path.read_bytes())}-{path.stat().st_size}"


def test_the_features_of_the_cpu_are_those_that_the_system_lists():
    """Some have other names in Linux, and some it does not list."""
    architecture, *features = _runtime.cpu_features().split()
    assert architecture == "x86-64"
    assert features == sorted(features)
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    listed = set(next(line for line in lines if line.startswith("flags")).split())
    for name in "avx avx2 avx512f avx512vl bmi2 f16c fma popcnt ssse3".split():
        assert (name in features) == (name in listed)


def test_a_serialized_executable_is_the_same_each_time(double):
    serialized = double.serialize()
    assert serialized == double.serialize()
    assert len(serialized) > double.code_bytes
