"""Direct calls of what makes numbers of 16 bits of wider ones."""

import pytest
from cyxla import _runtime
from narrowing import assert_all_direct
from plugins_for_tests import MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN
from scripts import output_of, path_of_tests


@pytest.mark.usefixtures("x64")
def test_numbers_of_16_bits_are_the_plugin_s_bit_for_bit():
    num_called = assert_all_direct()
    # Processors with an instruction for it call no function for bfloat16.
    assert num_called == 3 or "avx512bf16" in _runtime.cpu_features()


@pytest.mark.parametrize("plugin", [MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN])
def test_older_plugins_have_the_same_bits(plugin):
    output = output_of(
        """
        import sys

        import jax

        import cyxla as cx
        from narrowing import assert_all_direct

        jax.config.update("jax_enable_x64", True)
        cx.initialize(sys.argv[1])
        print(assert_all_direct())
        """,
        plugin,
        # The plugin logs errors about an optimization that it does not know.
        CYXLA_LOG="3",
        PYTHONPATH=path_of_tests(),
    )
    assert int(output) > 0
