"""Direct calls: the machine code that XLA made, run without the plugin."""

import sys
import threading

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from corpus import PROGRAMS
from scripts import output_of

VECTOR = np.array([1.0, 2.0, 3.0], np.float32)

# What is not called directly yet, by what it needs.
REASONS = {
    "it has an operation of the kind ",
    "the plugin runs it ",
    "the plugin cannot serialize an executable",
}


def special(shape, dtype, number):
    """Numbers that are rarely tried: denormals, infinities, NaN and both zeros."""
    if not np.issubdtype(dtype, np.inexact):
        return np.full(shape, number, dtype)
    tiny, large = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    values = np.array([tiny, -tiny, np.inf, -np.inf, np.nan, -0.0, 0.0, large], dtype)
    return np.resize(np.roll(values, number), shape)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_what_runs_directly_is_the_same_as_the_plugin_bit_for_bit(program):
    lowered = cx.lower(program.function, program.arguments)
    plugin, _ = cx.compile_program(lowered, tier="pjrt")
    # What has loops is compared on these at once, and so is not on trial.
    examples = jax.tree.leaves(program.arguments)
    direct, statistics = cx.compile_program(lowered, tier="auto", compare=examples)
    assert statistics.tier == direct.tier
    if direct.tier == "pjrt":
        assert any(reason in direct.tier_reason for reason in REASONS)
        return
    assert direct.tier_reason == ""
    made_up = [
        [special(spec.shape, spec.dtype, number) for spec in lowered.inputs]
        for number in range(3)
    ]
    # A loop may not end on what is made up.
    inputs = [examples, *made_up]
    for arguments in inputs if "while" not in program.name else inputs[:1]:
        for found, expected in zip(
            direct.run(arguments), plugin.run(arguments), strict=True
        ):
            assert_same_bits(found, expected)


@pytest.mark.usefixtures("x64")
def test_most_of_the_corpus_runs_directly():
    """Without regard to what is faster on several threads, which depends on them."""
    count = 0
    for program in PROGRAMS:
        lowered = cx.lower(program.function, program.arguments)
        try:
            cx.compile_program(lowered, tier="direct", compare=False)
        except cx.Error:
            continue
        count += 1
    assert count >= 90
    assert count / len(PROGRAMS) >= 0.78


def test_a_tier_is_what_was_asked_for():
    def double(x):
        return 2 * x

    for tier in ["auto", "direct", "pjrt"]:
        executable = cx.compile(double, VECTOR, tier=tier)
        assert executable.tier == ("pjrt" if tier == "pjrt" else "direct")
        assert_same_bits(executable(VECTOR), 2 * VECTOR)
    for wrong in ["fast", "", ["direct"], 1]:
        with pytest.raises(ValueError, match=r"tier is .*, expected 'auto', 'pjrt' or"):
            cx.compile(double, VECTOR, tier=wrong)


def test_what_cannot_be_called_directly_says_why():
    def transform(x):
        return jnp.fft.fft(x)

    with pytest.raises(
        cx.Error,
        match="the program cannot be called directly: it has an operation of the kind",
    ):
        cx.compile(transform, VECTOR, tier="direct")
    executable = cx.compile(transform, VECTOR, tier="auto")
    assert executable.tier_reason.startswith("it has an operation of the kind fft")
    assert_same_bits(executable(VECTOR)[0], np.complex64(6))


def test_a_loop_that_depends_on_data_is_called_directly_if_that_is_asked_for():
    def halve(x):
        return jax.lax.while_loop(
            lambda x: jnp.linalg.norm(x) > 1, lambda x: jnp.sin(x) / 2 @ x * x, x
        )

    plugin = cx.compile(halve, VECTOR, tier="pjrt")
    direct = cx.compile(halve, VECTOR, tier="direct")
    assert_same_bits(direct(VECTOR), plugin(VECTOR))


def test_the_environment_says_the_tier():
    script = """
        import cyxla as cx
        import numpy as np
        executable = cx.compile(lambda x: x + 1, np.ones(3, "f4"))
        print(executable.tier, executable(np.ones(3, "f4")))
    """
    assert output_of(script, CYXLA_TIER=None) == "direct [2. 2. 2.]\n"
    assert output_of(script, CYXLA_TIER="auto") == "direct [2. 2. 2.]\n"
    assert output_of(script, CYXLA_TIER="pjrt") == "pjrt [2. 2. 2.]\n"
    failing = f"""
        import cyxla as cx
        try:
            {script.strip().splitlines()[2].strip()}
        except cx.Error as error:
            print(error)
    """.replace('np.ones(3, "f4")', "1.0")
    assert 'CYXLA_TIER is "fast", expected auto, pjrt or direct' in output_of(
        failing, CYXLA_TIER="fast"
    )


@pytest.mark.usefixtures("x64")
def test_functions_of_the_c_library_are_those_that_the_plugin_calls():
    x = np.array([-1.0, -np.inf, np.nan, -0.0, 2.0, np.inf])
    for function in [jnp.log, jnp.log1p, jnp.arctan, jnp.exp2, jnp.cbrt]:
        for numbers in [x, x.astype(np.float32)]:
            plugin = cx.compile(function, numbers, tier="pjrt")
            direct = cx.compile(function, numbers, tier="direct", compare=False)
            assert_same_bits(direct(numbers), plugin(numbers))


def test_an_input_that_is_donated_keeps_its_values():
    executable = cx.compile(lambda x: x + 1, VECTOR, donate_argnums=0, tier="direct")
    for _ in range(2):
        assert_same_bits(executable(VECTOR), VECTOR + 1)


def test_threads_run_one_executable_at_once():
    executable = cx.compile(lambda x: jnp.sin(x) @ x + x, VECTOR, tier="direct")
    expected = executable(VECTOR)
    wrong = []

    def run():
        for k in range(2000):
            x = VECTOR if k % 2 else VECTOR * 2
            if k % 2 and executable(x).tobytes() != expected.tobytes():
                wrong.append(k)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(sys.platform != "linux", reason="no fork")
def test_a_forked_child_calls_directly():
    output = output_of(
        """
        import os
        import warnings

        import cyxla as cx
        import numpy as np

        warnings.simplefilter("ignore")  # JAX warns of forks
        x = np.ones(3, "f4")
        executable = cx.compile(lambda x: x + 1, x, tier="direct")
        executable(x)
        child = os.fork()
        if child == 0:
            again = cx.Executable.run(executable, [2 * x])[0]
            os._exit(int(again.sum()))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert output == "9\n"


def test_what_the_cache_and_files_hold_is_called_directly(tmp_path, monkeypatch):
    monkeypatch.setenv("CYXLA_CACHE_DIR", str(tmp_path / "cache"))
    program = cx.lower(lambda x: 3 * x, [VECTOR])
    for is_found in [False, True]:
        executable, statistics = cx.compile_program(program, tier="direct")
        assert (statistics.from_cache, statistics.tier) == (is_found, "direct")
        assert_same_bits(executable(VECTOR), 3 * VECTOR)
    cx.save(tmp_path / "triple.cyxla", executable)
    monkeypatch.setenv("CYXLA_TIER", "direct")
    loaded = cx.load(tmp_path / "triple.cyxla")
    assert (loaded.tier, loaded.is_deserialized) == ("direct", True)
    assert_same_bits(loaded(VECTOR), 3 * VECTOR)
