"""Programs for latency: kernels, which run directly, in the place of libraries."""

import functools

import cyxla as cx
import jax
import pytest
from comparing import assert_equal_to_rounding, assert_same_bits
from corpus import PROGRAMS
from plugins_for_tests import MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN
from scripts import output_of
from test_direct import special
from test_older_plugin import python_path

BY_NAME = {program.name: program for program in PROGRAMS}

# What is compared on numbers that are made up: loops may not end on them.
NUMBERS = range(3)


@functools.cache
def lowered(name):
    program = BY_NAME[name]
    return cx.lower(program.function, program.arguments, optimize_for="latency")


@functools.cache
def executable_of(name):
    return cx.compile_program(lowered(name), tier="auto")[0]


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", BY_NAME)
def test_what_runs_directly_is_the_same_as_the_plugin_bit_for_bit(name):
    direct = executable_of(name)
    plugin, _ = cx.compile_program(lowered(name), tier="pjrt")
    inputs = [jax.tree.leaves(BY_NAME[name].arguments)]
    if direct.tier == "direct" and "while" not in name:
        inputs += [
            [special(spec.shape, spec.dtype, number) for spec in direct.inputs]
            for number in NUMBERS
        ]
    for arguments in inputs:
        for found, expected in zip(
            direct.run(arguments), plugin.run(arguments), strict=True
        ):
            assert_same_bits(found, expected)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", BY_NAME)
def test_results_differ_in_rounding_alone(name):
    """Products and sums add the same numbers in another order."""
    arguments = BY_NAME[name].arguments
    plain = cx.compile(BY_NAME[name].function, *arguments)
    leaves = jax.tree.leaves(arguments)
    for found, expected in zip(
        executable_of(name).run(leaves), plain.run(leaves), strict=True
    ):
        assert_equal_to_rounding(found, expected)


@pytest.mark.usefixtures("x64")
def test_four_fifths_of_the_corpus_run_directly():
    executables = [executable_of(name) for name in BY_NAME]
    reasons = [executable.tier_reason for executable in executables]
    assert reasons.count("") >= 91
    # The tier direct takes what XLA would run on several threads.
    on_one_thread = [reason for reason in reasons if "several threads" not in reason]
    assert sum(map(bool, on_one_thread)) <= 114 - 94


@pytest.mark.usefixtures("x64")
def test_no_product_is_left_to_a_library_but_large_ones():
    left = {
        name
        for name in BY_NAME
        if any(
            f"of the kind {kind}" in executable_of(name).tier_reason
            for kind in ["dot", "ynn-fusion", "convolution"]
        )
    }
    assert left == {"conv2d_f32", "mm256_f32", "mm256_f64"}


@pytest.mark.parametrize("plugin", [MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN])
def test_older_plugins_take_the_options(plugin):
    output = output_of(
        """
        import sys

        import jax

        import cyxla as cx
        from comparing import assert_same_bits
        from corpus import PROGRAMS

        jax.config.update("jax_enable_x64", True)
        cx.initialize(sys.argv[1])
        reasons = []
        for program in PROGRAMS:
            lowered = cx.lower(
                program.function, program.arguments, optimize_for="latency"
            )
            plugin, direct = [
                cx.compile_program(lowered, tier=tier)[0] for tier in ["pjrt", "auto"]
            ]
            reasons.append(direct.tier_reason)
            leaves = jax.tree.leaves(program.arguments)
            for found, expected in zip(
                direct.run(leaves), plugin.run(leaves), strict=True
            ):
                assert_same_bits(found, expected)
        print(reasons.count(""))
        """,
        plugin,
        CYXLA_LOG="3",
        PYTHONPATH=python_path(),
    )
    assert int(output) >= 87
