"""The first example of the description runs as printed, and prints nothing."""

from scripts import output_of

EXAMPLE = """
import jax
import jax.numpy as jnp
import numpy as np

import cyxla as cx

program = cx.lower(lambda x: jnp.sin(x) * 2, [jax.ShapeDtypeStruct((3,), jnp.float32)])
executable, statistics = cx.compile_program(program)
(result,) = executable.run([np.array([0.0, 1.0, 2.0])])
"""

CHECK = """
assert np.allclose(result, 2 * np.sin([0.0, 1.0, 2.0]))
assert result.dtype == np.float32
assert executable.output_bytes == [12]
"""


def test_the_example_runs_and_prints_nothing():
    assert output_of(EXAMPLE + CHECK) == ""


def test_the_log_of_xla_can_be_asked_for():
    assert output_of("import os\n" + EXAMPLE + CHECK, CYXLA_LOG="3") == ""
