"""Direct calls of what sorts, finds the largest numbers and turns arrays around."""

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from jax import lax
from ordering import assert_direct, sorts, turned
from plugins_for_tests import MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN
from scripts import output_of, path_of_tests

VECTOR = np.array([3.0, 1.0, 2.0], np.float32)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(
    ("function", "arrays"),
    [pytest.param(*case[1:], id=case[0]) for case in [*sorts(), *turned()]],
)
def test_the_order_is_the_plugin_s_bit_for_bit(function, arrays):
    assert_direct(function, arrays)


@pytest.mark.parametrize("plugin", [MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN])
def test_older_plugins_order_in_the_same_way(plugin):
    output = output_of(
        """
        import sys

        import jax

        import cyxla as cx
        from ordering import assert_direct, sorts, turned

        jax.config.update("jax_enable_x64", True)
        cx.initialize(sys.argv[1])
        cases = [*sorts(), *turned()]
        for _, function, arrays in cases:
            assert_direct(function, arrays)
        print(len(cases))
        """,
        plugin,
        # The plugin logs errors about an optimization that it does not know.
        CYXLA_LOG="3",
        PYTHONPATH=path_of_tests(),
    )
    assert int(output) == len([*sorts(), *turned()])


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: jnp.sort(x, stable=False), "it has a sort that is not stable"),
        (
            # By a comparison of which NaN is neither before nor behind anything.
            lambda x: lax.approx_min_k(x, 2),
            "it has a sort of numbers that may be NaN by their value alone",
        ),
    ],
)
def test_an_order_that_plugins_choose_is_left_to_them(function, reason):
    executable = cx.compile(function, VECTOR, tier="auto")
    assert (executable.tier, executable.tier_reason) == ("pjrt", reason)
    expected = jax.tree.leaves(jax.jit(function)(VECTOR))
    for found, wanted in zip(executable.run([VECTOR]), expected, strict=True):
        assert_same_bits(found, wanted)


def test_many_rows_are_sorted_wherever_that_is_faster():
    rows = np.random.default_rng(0).normal(size=(100, 1000)).astype(np.float32)
    executable = cx.compile(lambda x: jnp.sort(x, axis=1), rows, tier="auto")
    reason = (
        "" if executable.tier == "direct" else "the plugin runs it on several threads"
    )
    assert executable.tier_reason == reason
    direct = cx.compile(lambda x: jnp.sort(x, axis=1), rows, tier="direct")
    assert_same_bits(direct(rows), executable(rows))
    assert_same_bits(direct(rows), np.sort(rows, axis=1))
