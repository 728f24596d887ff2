"""The handlers of jaxlib 0.12, which are built for a newer version of XLA's FFI than
that of the plugin, in processes that import this jaxlib."""

import os
import sys
from pathlib import Path

import pytest
from scripts import output_of

# requirements/jax-0.12.txt is installed there.
NEWER_JAX = Path(sys.prefix, "jax-0.12").resolve()

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="jaxlib 0.12 is for Python 3.12 and later"
)


def output_with_newer_jax(source):
    """What a script prints that imports the newer JAX, and cyxla as the tests do."""
    path = os.pathsep.join([str(NEWER_JAX), os.environ["PYTHONPATH"]])
    return output_of(source, Path(__file__).parent, PYTHONPATH=path)


def test_its_handlers_are_of_a_newer_ffi():
    source = """
        import jax, jaxlib
        print(jax.__version__, jaxlib.__version__, jax.__file__)
    """
    jax, jaxlib, path = output_with_newer_jax(source).split()
    assert (jax, jaxlib) == ("0.12.0.1", "0.12.0.1")
    assert path.startswith(str(NEWER_JAX))


def test_its_kernels_give_what_jit_gives():
    source = """
        import re, sys
        sys.path.insert(0, sys.argv[1])
        import cyxla as cx, jax, sweep
        from comparing import assert_equal_to_rounding
        jax.config.update("jax_enable_x64", True)
        kernels = [
            (name, case)
            for name, case in sweep.CASES.items()
            if name.startswith("jax.lax.linalg") or name.endswith("sparse.BCSR")
        ]
        called = set()
        for number, (name, case) in enumerate(kernels):
            pairs = sweep.sample_of(case, number)[:1]
            function, arguments = sweep.together(case, pairs)
            program = cx.lower(function, [arguments])
            called |= set(re.findall(rb"lapack_\\w+_ffi|cpu_csr\\w+", program.code))
            found = cx.compile_program(program)[0](arguments)
            leaves = map(jax.tree.leaves, (found, jax.jit(function)(arguments)))
            for one, other in zip(*leaves, strict=True):
                assert_equal_to_rounding(one, other)
        print(len(called))
    """
    assert int(output_with_newer_jax(source)) > 15


def test_callbacks_run():
    source = """
        import cyxla as cx, jax, numpy as np
        x = np.arange(3, dtype=np.float32)
        function = lambda x: jax.pure_callback(lambda x: 2 * x, x, x) + 1
        print(cx.compile(function, x)(x))
    """
    assert output_with_newer_jax(source) == "[1. 3. 5.]\n"
