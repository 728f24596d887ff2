"""Programs for latency: kernels, which run directly, in the place of libraries."""

import functools

import cyxla as cx
import jax
import pytest
from comparing import assert_equal_to_rounding, assert_same_bits
from corpus import PROGRAMS
from plugins_for_tests import MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN
from scripts import output_of, path_of_tests
from test_direct import special

BY_NAME = {program.name: program for program in PROGRAMS}

# What is compared on numbers that are made up: loops may not end on them.
NUMBERS = range(3)


@functools.cache
def lowered(name):
    program = BY_NAME[name]
    return cx.lower(program.function, program.arguments, optimize_for="latency")


@functools.cache
def executable_of(name):
    """The executable that runs directly, or else through the plugin, and the reason."""
    try:
        return cx.compile_program(lowered(name), tier="direct")[0], ""
    except cx.Error as error:
        return cx.compile_program(lowered(name), tier="pjrt")[0], str(error)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", BY_NAME)
def test_what_runs_directly_is_the_same_as_the_plugin_bit_for_bit(name):
    direct, reason = executable_of(name)
    plugin, _ = cx.compile_program(lowered(name), tier="pjrt")
    inputs = [jax.tree.leaves(BY_NAME[name].arguments)]
    if not reason and "while" not in name:
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
    plain = cx.compile(BY_NAME[name].function, *arguments, tier="pjrt")
    leaves = jax.tree.leaves(arguments)
    for found, expected in zip(
        executable_of(name)[0].run(leaves), plain.run(leaves), strict=True
    ):
        assert_equal_to_rounding(found, expected)


@pytest.mark.usefixtures("x64")
def test_nearly_all_of_the_corpus_runs_directly():
    assert [executable_of(name)[1] for name in BY_NAME].count("") >= 109


@pytest.mark.usefixtures("x64")
def test_large_products_and_convolutions_alone_are_left_to_libraries():
    left = {
        name
        for name in BY_NAME
        if any(
            f"of the kind {kind}" in executable_of(name)[1]
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
        count = 0
        for program in PROGRAMS:
            lowered = cx.lower(
                program.function, program.arguments, optimize_for="latency"
            )
            plugin, _ = cx.compile_program(lowered, tier="pjrt")
            try:
                direct, _ = cx.compile_program(lowered, tier="direct")
            except cx.Error:
                continue
            count += 1
            leaves = jax.tree.leaves(program.arguments)
            for found, expected in zip(
                direct.run(leaves), plugin.run(leaves), strict=True
            ):
                assert_same_bits(found, expected)
        print(count)
        """,
        plugin,
        CYXLA_LOG="3",
        PYTHONPATH=path_of_tests(),
    )
    assert int(output) >= 109
