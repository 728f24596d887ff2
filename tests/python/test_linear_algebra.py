"""Linear algebra: what jaxlib's LAPACK kernels compute, in the plugin as in JAX.

Both call the same kernels, so this tests that all arrives where it should, to the
bit where no matrices are multiplied. The functions and their arguments are those of the
package sweep. Here each is tested with some dtypes and in some modes; all of them take
``make sweep``.
"""

import enum
import re

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sweep
from comparing import IS_EXACT, assert_equal_to_rounding, largest_difference, leaves_of
from jax.experimental import sparse
from jax.experimental.sparse import linalg as sparse_linalg
from jaxlib import cpu_sparse, lapack

pytestmark = pytest.mark.usefixtures("x64")

MODULES = {
    "jnp.linalg": jnp.linalg,
    "jax.scipy.linalg": jax.scipy.linalg,
    "jax.lax.linalg": jax.lax.linalg,
    "jax.experimental.sparse": sparse,
    "jax.experimental.sparse.linalg": sparse_linalg,
}

# Cases that call every kernel of jaxlib's, so these are tested with all dtypes.
ARE_KERNELS = re.compile(r"jax\.lax\.linalg\.|jax\.experimental\.sparse\.BCSR$")


def is_function(module, value):
    """Whether a name of a module is what its users call."""
    if isinstance(value, type) and issubclass(value, (Exception, enum.Enum)):
        return False
    # The module for sparse linear algebra has the names that it imports itself.
    return callable(value) and (
        module is not sparse_linalg or value.__module__ == module.__name__
    )


def test_every_function_of_the_modules_is_in_the_sweep():
    swept = {name.split(",")[0] for name in sweep.CASES}
    functions = {
        f"{prefix}.{name}"
        for prefix, module in MODULES.items()
        for name, value in vars(module).items()
        if not name.startswith("_") and is_function(module, value)
    }
    assert functions == swept | set(sweep.NOT_SWEPT)
    assert not swept & set(sweep.NOT_SWEPT)


def chosen(number, name):
    """The modes and dtypes to test a case with."""
    case = sweep.CASES[name]
    pairs = sweep.sample_of(case, number)
    if ARE_KERNELS.match(name):
        pairs += [pair for pair in sweep.pairs_of(case) if pair[0] == "plain"]
    return list(dict.fromkeys(pairs))


@pytest.mark.parametrize(
    ("number", "name"),
    [pytest.param(i, name, id=name) for i, name in enumerate(sweep.CASES)],
)
def test_function_gives_what_jit_gives(number, name):
    case, pairs = sweep.CASES[name], chosen(number, name)
    function, arguments = sweep.together(case, pairs)
    found = cx.compile(function, arguments)(arguments)
    expected = jax.jit(function)(arguments)
    for key, (mode, dtype) in zip(arguments, pairs, strict=True):
        for one, other in leaves_of(found[key], expected[key]):
            assert_equal_to_rounding(one, other)
        if IS_EXACT and largest_difference(found[key], expected[key]):
            assert sweep.has_products(case, mode, dtype), f"{key} is not exact"


def test_every_mode_and_dtype_is_tested():
    tested = {
        pair for number, name in enumerate(sweep.CASES) for pair in chosen(number, name)
    }
    assert tested == {(mode, dtype) for mode in sweep.MODES for dtype in sweep.DTYPES}


def test_every_handler_of_jaxlib_s_is_called():
    called = set()
    for name, case in sweep.CASES.items():
        if ARE_KERNELS.match(name):
            pairs = [pair for pair in sweep.pairs_of(case) if pair[0] == "plain"]
            function, arguments = sweep.together(case, pairs)
            text = jax.jit(function).lower(arguments).as_text()
            called |= set(re.findall(r"custom_call @(\w+)", text))
    registered = [*lapack.registrations()["cpu"], *cpu_sparse.registrations()["cpu"]]
    assert {name for name, _, _ in registered} <= called


LACKING = [
    (name, lacking)
    for name, case in sweep.CASES.items()
    for lacking in sorted(case.lacks)
]


@pytest.mark.parametrize(("name", "lacking"), LACKING)
def test_what_is_left_out_jax_does_not_do(name, lacking):
    mode, dtype = "plain", "float32"
    for word in lacking.split():
        if word in sweep.MODES:
            mode = word
        else:
            dtype = word
    case = sweep.CASES[name]
    function = sweep.function_of(case, mode)
    with pytest.raises((NotImplementedError, TypeError, ValueError)):
        jax.jit(function).lower(*sweep.arguments_of(case, mode, dtype))


@pytest.mark.parametrize("kind", [sparse.BCOO, sparse.BCSR, sparse.COO, sparse.CSR])
def test_sparse_matrices_are_arguments(kind):
    dense = np.arange(12.0).reshape(3, 4) * (np.arange(12).reshape(3, 4) % 5 == 0)
    matrix = kind.fromdense(dense)
    vector = np.arange(4.0)
    product = cx.compile(lambda matrix, vector: matrix @ vector, matrix, vector)
    np.testing.assert_array_equal(product(matrix, vector), dense @ vector)
