"""Programs of today's JAX run on a plugin of PJRT API 0.81."""

import subprocess

import cyxla as cx
import jax
import numpy as np
from cyxla import artifacts
from plugins_for_tests import OLD_CPU_PLUGIN
from scripts import output_of, path_of_tests

# Of each kind of program some. The old plugin knows StableHLO 1.13 and lacks the
# operations that top_k and the special functions are lowered to today.
NAMES = """
    sin3_f32 ewise_f64 reduce_f32 softmax_f64 sort_f32 mm8_f64 mm64_f32 bmm_f32
    mlp_f32 mlp_train_f64 attn_f32 lstm_scan rosen_vgh_f64 scan_f32 while_newton_f64
    cond_f32 switch_f64 rk4_100_f64 kalman_f32 lj_force_f64 fft_f64 conv2d_f32
    scatter_f64 interp spmv dynslice threefry rbg int_ops bool_ops complex f16 bf16
    int8_mm passthru2 const_out unused_arg
"""


def test_programs_are_equal_to_rounding():
    output = output_of(
        """
        import sys

        import jax

        import cyxla as cx
        from comparing import assert_equal_to_rounding
        from corpus import PROGRAMS

        jax.config.update("jax_enable_x64", True)
        cx.initialize(sys.argv[1])
        names = sys.argv[2:]
        for program in PROGRAMS:
            if program.name in names:
                found = cx.compile(program.function, *program.arguments).run(
                    program.arguments
                )
                expected = jax.jit(program.function)(*program.arguments)
                for one, other in zip(found, jax.tree.leaves(expected), strict=True):
                    assert_equal_to_rounding(one, other)
                print(program.name)
        """,
        OLD_CPU_PLUGIN,
        *NAMES.split(),
        # The plugin logs errors about an optimization that it does not know.
        CYXLA_LOG="3",
        PYTHONPATH=path_of_tests(),
    )
    assert sorted(output.split()) == sorted(NAMES.split())


def test_a_program_that_it_does_not_know_is_written_for_it(tmp_path):
    output = output_of(
        """
        import sys

        import jax
        import jax.numpy as jnp
        import numpy as np

        import cyxla as cx

        # What JAX lowers these to came after the plugin.
        def newer(x):
            matrix = jnp.outer(x, x) + jnp.eye(3)
            return jax.lax.top_k(x, 2)[0], jnp.linalg.cholesky(matrix)

        cx.initialize(sys.argv[1])
        x = np.array([1, 3, 2], np.float32)
        executable = cx.compile(newer, x)
        for found, expected in zip(executable(x), jax.jit(newer)(x), strict=True):
            assert np.allclose(found, expected, rtol=1e-6), (found, expected)
        print(b"StableHLO_v1.13.3" in executable.program.code[:30])
        executable.save(sys.argv[2])
        print(cx.load(sys.argv[2]).is_deserialized)
        """,
        OLD_CPU_PLUGIN,
        tmp_path / "newer.cyxla",
        CYXLA_LOG="3",
    )
    # The program is as it was, and what is saved opens without compiling.
    assert output == "False\nTrue\n"


def test_what_it_makes_is_called_directly_or_refused():
    output = output_of(
        """
        import sys

        import jax.numpy as jnp
        import numpy as np

        import cyxla as cx

        cx.initialize(sys.argv[1])
        x = np.array([1, 3, 2], np.float32)
        print(cx.compile(lambda x: jnp.sin(x) @ x, x, tier="direct").tier)
        print(cx.compile(jnp.sin, np.float32(1), tier="auto").tier)
        try:
            cx.compile(jnp.fft.rfft, x, tier="direct")
        except cx.Error as error:
            print(error)
        """,
        OLD_CPU_PLUGIN,
        CYXLA_LOG="3",
    )
    first, second, refusal = output.splitlines()
    assert (first, second) == ("direct", "direct")
    assert refusal.startswith("the program cannot be called directly: it has an op")


def test_a_program_that_it_does_not_know_is_refused_with_both_versions(
    prefix, tmp_path
):
    path = tmp_path / "newer.cyxla"
    program = cx.lower(lambda x: jax.lax.top_k(x, 2), [np.ones(3, np.float32)])
    cx.save(path, program)
    version = artifacts.stablehlo_version(program.code)
    process = subprocess.run(
        [f"{prefix}/bin/cyxla", "run", "--zeros", "--plugin", OLD_CPU_PLUGIN, path],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert "unregistered operation 'vhlo.composite_v2'" in process.stderr
    assert (
        f"the program is written for StableHLO {version}, and the plugin reads those "
        "up to 1.13.3: save it for that version (stablehlo_target of cyxla.save in "
        "Python)"
    ) in process.stderr
