"""Comparing direct code with the plugin: on made-up inputs, given ones, first runs."""

import time

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from cyxla import _runtime
from jax import lax
from jax.experimental import sparse

VECTOR = np.array([1.0, 2.0, 3.0], np.float32)
LENGTH = 300  # above what XLA makes one kernel of, loops included
LONG = np.ones(LENGTH, np.float32)
ON_TRIAL = (
    "its first runs happen both ways, to be compared with the plugin, unless "
    "arrays to compare on are given"
)


def halve(x):
    """A loop whose length depends on data, and that does not end on infinities."""
    return lax.while_loop(lambda x: x.sum() > 1, lambda x: x * 0.5, x)


def halved(x):
    while x.sum() > 1:
        x = x * np.float32(0.5)
    return x


def test_a_loop_that_depends_on_data_is_compared_in_its_first_runs():
    executable = cx.compile(halve, LONG)
    for k in range(5):
        on_trial = k < 3
        assert executable.tier == ("pjrt" if on_trial else "direct")
        assert executable.tier_reason == (ON_TRIAL if on_trial else "")
        assert_same_bits(executable(LONG * (k + 1)), halved(LONG * (k + 1)))


def test_a_loop_that_is_a_part_of_a_kernel_is_compared_in_its_first_runs():
    """XLA compiles small loops into kernels. These do not end on made-up numbers."""

    def count(x):
        return lax.while_loop(
            lambda s: s[0] < x, lambda s: (s[0] + 1, s[1] * 2), (0, 1)
        )

    def shrink(step):
        return lax.while_loop(lambda x: x > step, lambda x: x * step, step * 4)

    for function, argument, expected in [
        (count, np.int32(5), (5, 32)),
        (shrink, np.float32(0.5), (0.5,)),
    ]:
        executable = cx.compile(function, argument)
        assert (executable.tier, executable.tier_reason) == ("pjrt", ON_TRIAL)
        for _ in range(3):
            assert tuple(executable.run([argument])) == expected
        assert executable.tier == "direct"


def test_arrays_that_are_given_are_compared_on_at_once():
    executable = cx.compile(halve, LONG, compare=[LONG])
    assert executable.tier == "direct"
    assert_same_bits(executable(LONG), halved(LONG))
    # Converted as for a run.
    executable = cx.compile(halve, LONG, compare=[[1.0] * LENGTH])
    assert executable.tier == "direct"
    executable, statistics = cx.compile_program(cx.lower(halve, [LONG]), compare=[LONG])
    assert executable.tier == statistics.tier == "direct"


def test_the_comparison_can_be_left_out():
    executable = cx.compile(halve, LONG, compare=False)
    assert executable.tier == "direct"
    assert_same_bits(executable(LONG), halved(LONG))


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        ([], r"compare: the program takes 1 argument \(x\), found 0"),
        ([VECTOR, VECTOR], r"compare: the program takes 1 argument \(x\), found 2"),
        ([VECTOR[:2]], r"compare: argument x has shape \(2,\), expected \(3,\)"),
        ([["a"] * 3], "compare: argument x"),
        (
            VECTOR,
            "compare is of <class 'numpy.ndarray'>, .* for each of the inputs: x$",
        ),
        (None, "compare is of <class 'NoneType'>, expected True, False, or a list"),
        (
            np.False_,
            "compare is of <class 'numpy.*bool.*'>, expected True, False, or a list",
        ),
        (
            {"x": VECTOR},
            "compare is of <class 'dict'>, expected True, False, or a list",
        ),
    ],
)
def test_arrays_to_compare_on_are_those_of_the_program(compare, message):
    with pytest.raises((TypeError, ValueError), match=message):
        cx.compile(lambda x: 2 * x, VECTOR, compare=compare)


def test_a_program_that_runs_long_is_compared_in_its_first_runs():
    def long(x):
        return lax.fori_loop(0, 1_000_000, lambda i, x: jnp.sin(x) + x[::-1], x)

    executable = cx.compile(long, LONG)
    assert (executable.tier, executable.tier_reason) == ("pjrt", ON_TRIAL)
    through_plugin = cx.compile(long, LONG, tier="pjrt")
    expected = through_plugin(LONG)
    for _ in range(3):
        assert_same_bits(executable(LONG), expected)
    assert executable.tier == "direct"


def test_a_program_that_runs_for_minutes_is_compiled_without_running_it_to_the_end():
    def sort_often(x):
        return lax.fori_loop(0, 1 << 20, lambda i, x: jnp.sort(x) * x[::-1], x)

    start = time.monotonic()
    executable = cx.compile(sort_often, LONG)
    assert (executable.tier, executable.tier_reason) == ("pjrt", ON_TRIAL)
    assert time.monotonic() - start < 15


def test_donated_inputs_are_compared_too():
    executable = cx.compile(halve, LONG, donate_argnums=0)
    for _ in range(5):
        assert_same_bits(executable(LONG), halved(LONG))
    assert executable.tier == "direct"


def test_what_is_on_trial_is_saved_and_tried_again(tmp_path):
    path = tmp_path / "halve.cyxla"
    executable = cx.compile(halve, LONG)
    cx.save(path, executable)
    loaded = cx.load(path)
    assert not loaded.program.executables[0].is_direct
    assert loaded.tier_reason == ON_TRIAL
    for _ in range(3):
        loaded(LONG)
    cx.save(path, loaded)
    # What was compared before it was saved is trusted.
    loaded = cx.load(path)
    assert [found.is_direct for found in loaded.program.executables] == [True]
    assert (loaded.tier, loaded.tier_reason) == ("direct", "")
    assert_same_bits(loaded(LONG), halved(LONG))


def test_what_was_compared_is_trusted_although_the_cache_does_not_know_of_it(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("CYXLA_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "halve.cyxla"
    cx.save(path, cx.compile(halve, LONG, compare=[LONG]))
    loaded = cx.load(path)
    assert (loaded.tier, loaded.tier_reason) == ("direct", "")
    assert loaded.is_deserialized

    def fail(loaded):
        raise cx.Error("the plugin was replaced", "FAILED_PRECONDITION")

    monkeypatch.setattr(_runtime, "plugin_identity", fail)
    # Then nobody knows, and it is compared again.
    assert_same_bits(cx.load(path)(LONG), halved(LONG))


def test_a_file_keeps_what_needs_no_plugin_in_the_place_of_the_same_that_does(tmp_path):
    path = tmp_path / "halve.cyxla"
    program = cx.lower(halve, [LONG])
    cx.save(path, cx.compile_program(program, compare=[LONG])[0])
    # From the same plugin, but not compared: the file's own is as good and better.
    cx.save(path, cx.compile_program(program, tier="pjrt")[0])
    assert [info.is_direct for info in cx.Program.load(path).executables] == [True]
    loaded = cx.load(path, tier="pjrt")
    assert (loaded.tier, loaded.tier_reason) == ("pjrt", "")
    cx.save(path, loaded)
    assert [info.is_direct for info in cx.Program.load(path).executables] == [True]


def test_a_file_is_loaded_with_a_tier_and_a_comparison(tmp_path):
    path = tmp_path / "halve.cyxla"
    cx.save(path, cx.compile(halve, LONG, tier="pjrt"))
    assert cx.load(path).tier_reason == ON_TRIAL
    for options in ({"tier": "direct"}, {"compare": [LONG]}, {"compare": False}):
        assert cx.load(path, **options).tier == "direct"


def test_a_function_is_saved_at_several_sizes_without_comparing(tmp_path):
    path = tmp_path / "halve.cyxla"
    shapes = [[LONG], [np.ones(LENGTH + 1, np.float32)]]
    for how, is_direct in [({}, False), ({"compare": False}, True)]:
        cx.save(path, halve, shapes=shapes, **how)
        for size in cx.Program.load(path).sizes:
            assert [info.is_direct for info in size.executables] == [is_direct]


@pytest.mark.parametrize(
    ("saved", "options", "message"),
    [
        (
            halve,
            {"compare": [LONG]},
            "compare is of <class 'list'>, expected True or False",
        ),
        (halve, {"tiers": "direct"}, "save has no option tiers; pass keyword"),
        ("program", {"tier": "direct"}, "tier cannot be given for a program that is"),
        ("program", {"compare": False}, "compare cannot be given for a program"),
    ],
)
def test_options_that_saving_does_not_take_are_named(tmp_path, saved, options, message):
    if saved == "program":
        saved = cx.lower(halve, [LONG])
        with pytest.raises(TypeError, match="a Program is compiled by"):
            cx.compile(saved)
    with pytest.raises(TypeError, match=message):
        cx.save(tmp_path / "x.cyxla", saved, **options)


def test_arrays_that_are_too_large_to_compare_stay_with_the_plugin():
    large = jax.ShapeDtypeStruct((1 << 26,), np.float32)
    executable = cx.compile(lambda x: x[:1] + 1, large)
    assert executable.tier == "pjrt"
    assert "its arrays take more than 268435456 bytes" in executable.tier_reason
    assert cx.compile(lambda x: x[:1] + 1, large, compare=False).tier == "direct"


def test_arrays_between_operations_may_be_too_large_as_well():
    def largest(x):
        return jnp.sort(jnp.arange(1 << 26, dtype=jnp.int32) * x)[:1]

    executable = cx.compile(largest, np.int32(1))
    assert executable.tier == "pjrt"
    assert "its arrays take more than 268435456 bytes" in executable.tier_reason


def test_places_in_sparse_matrices_are_not_made_up():
    """What multiplies them would read outside of the arrays."""
    matrix = sparse.BCSR.fromdense(np.diag(VECTOR))
    executable = cx.compile(lambda matrix, x: matrix @ x, matrix, VECTOR)
    assert (executable.tier, executable.tier_reason) == ("pjrt", ON_TRIAL)
    for _ in range(4):
        assert_same_bits(executable(matrix, VECTOR), VECTOR * VECTOR)
