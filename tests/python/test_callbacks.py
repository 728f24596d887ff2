"""Python callbacks in programs."""

import gc
import re
import sys
import threading

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from cyxla import callbacks
from cyxla.arrays import DTYPES
from jax.experimental import io_callback
from jax.experimental.sparse.linalg import spsolve
from scripts import output_of

X = np.arange(3, dtype=np.float32)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def doubled(x):
    return np.asarray(x) * 2


def call_doubled(x):
    return jax.pure_callback(doubled, like(x), x) + 1


def test_a_pure_callback_gives_what_jit_gives():
    executable = cx.compile(call_doubled, X)
    assert_same_bits(executable(X), jax.jit(call_doubled)(X))
    assert_same_bits(executable(X + 1), jax.jit(call_doubled)(X + 1))


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", DTYPES)
def test_arrays_of_every_dtype_go_there_and_back(name):
    array = np.array([[0, 1], [1, 0], [1, 1]]).astype(DTYPES[name])

    def there_and_back(x):
        return jax.pure_callback(np.asarray, like(x), x)

    assert_same_bits(cx.compile(there_and_back, array)(array), array)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0)])
def test_scalars_and_empty_arrays_go_there_and_back(shape):
    array = np.ones(shape, np.float32)
    assert_same_bits(cx.compile(call_doubled, array)(array), array * 2 + 1)


def test_a_callback_may_have_several_arguments_and_results():
    def function(x, y):
        results = (like(y), {"sum": jax.ShapeDtypeStruct((), np.float32)})
        return jax.pure_callback(lambda x, y: (y, {"sum": x.sum()}), results, x, y)

    y = np.ones((2, 2), np.float32)
    found, totals = cx.compile(function, X, y)(X, y)
    assert_same_bits(found, y)
    assert totals["sum"] == 3


def test_an_io_callback_is_called_by_every_run():
    seen = []

    def function(x):
        io_callback(lambda x: seen.append(np.asarray(x).tolist()), None, x)
        return x

    executable = cx.compile(function, X)
    executable(X)
    executable(X + 1)
    assert seen == [[0, 1, 2], [1, 2, 3]]


def test_debug_callbacks_print():
    source = """
        import cyxla as cx, jax, numpy as np
        def function(x):
            jax.debug.print("x is {} and {total}", x, total=x.sum())
            jax.debug.callback(lambda x: print("called with", x), x)
            return x
        cx.compile(function, np.ones(2, np.float32))(np.ones(2))
    """
    assert sorted(output_of(source).splitlines()) == [
        "called with [1. 1.]",
        "x is [1. 1.] and 2.0",
    ]


def test_callbacks_work_in_loops_and_under_vmap():
    def function(x):
        def step(total, value):
            result = jax.ShapeDtypeStruct((), np.float32)
            twice = jax.pure_callback(doubled, result, value, vmap_method="sequential")
            return total + twice, total

        return jax.lax.scan(step, jnp.float32(0), x)

    rows = np.stack([X, X + 1])
    found = cx.compile(jax.vmap(function), rows)(rows)
    for one, other in zip(found, jax.vmap(function)(rows), strict=True):
        assert_same_bits(one, np.asarray(other))


def test_jit_is_as_it_was():
    cx.compile(call_doubled, X)
    assert_same_bits(jax.jit(call_doubled)(X), X * 2 + 1)


@pytest.mark.filterwarnings("ignore")
def test_an_exception_is_an_error_of_the_run():
    def fail(x):
        raise KeyError(f"no such key as {x[1]}")

    executable = cx.compile(lambda x: jax.pure_callback(fail, like(x), x), X)
    with pytest.raises(cx.Error, match="KeyError in a Python callback"):
        executable(X)
    with pytest.raises(cx.Error, match=re.escape("no such key as 1.0")):
        executable(X)


def call_of(attributes, *results):
    """An executable of a custom call that cx.lower did not make."""
    call = jax.ffi.ffi_call(callbacks.TARGET, results, has_side_effect=True)
    return cx.compile(lambda x: call(x, **attributes), X)


@pytest.mark.parametrize(
    "attributes", [{}, {"index": np.int8(1)}, {"index": "1"}, {"number": np.uint64(1)}]
)
def test_a_custom_call_that_names_no_callback_is_an_error(attributes):
    with pytest.raises(cx.Error, match="does not say which callback it calls"):
        call_of(attributes, like(X))(X)


@pytest.mark.parametrize(
    "results",
    [
        [],
        [like(X), like(X)],
        [jax.ShapeDtypeStruct((2,), np.float32)],
        [jax.ShapeDtypeStruct((3,), np.int32)],
    ],
)
def test_a_custom_call_with_other_results_than_its_callback_is_an_error(results):
    callback = callbacks.Callback(lambda x: [x], [like(X)], "same")
    executable = call_of({"index": np.uint64(callback.number)}, *results)
    with pytest.raises(cx.Error, match="has other results than its callback"):
        executable(X)


def test_a_recursion_without_an_end_is_an_error():
    executable = cx.compile(
        lambda x: jax.pure_callback(lambda x: executable(x), like(x), x), X
    )
    with pytest.raises(cx.Error, match="this thread is in 16 runs already"):
        executable(X)


def test_a_callback_may_run_an_executable():
    inner = cx.compile(call_doubled, X)
    outer = cx.compile(lambda x: jax.pure_callback(inner, like(x), x) + 1, X)
    assert_same_bits(outer(X), X * 2 + 2)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (np.ones(4, np.float32), "is float32[4], expected float32[3]"),
        (np.ones(3, np.float16), "is float16[3], expected float32[3]"),
    ],
)
def test_a_result_of_another_shape_or_dtype_is_an_error(result, message):
    executable = cx.compile(
        lambda x: jax.pure_callback(lambda x: result, like(x), x), X
    )
    with pytest.raises(cx.Error, match=re.escape(message)):
        executable(X)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (np.sin(np.arange(3.0)), np.float32),
        (np.arange(3), np.int32),
        (np.arange(3, dtype=np.uint64), np.uint32),
        (np.arange(3.0) * 1j, np.complex64),
        (1.5, np.float32),
        (7, np.int32),
    ],
)
def test_results_become_what_jit_makes_of_them(result, expected):
    shape = jax.ShapeDtypeStruct(np.shape(result), expected)

    def function(x):
        return jax.pure_callback(lambda x: result, shape, x)

    found = cx.compile(function, X)(X)
    assert_same_bits(jax.jit(function)(X), found)


@pytest.mark.parametrize("dtype", [jnp.int4, jnp.float8_e4m3fn])
def test_dtypes_that_callbacks_cannot_have_are_refused(dtype):
    small = jax.ShapeDtypeStruct((64,), dtype)

    def result_of(x):
        returned = jax.pure_callback(lambda x: np.zeros(64, dtype), small, x)
        return returned.astype(np.float32)

    def argument_of(x):
        return jax.pure_callback(lambda x: np.zeros(3), like(x), x.astype(dtype))

    message = f"the callback <lambda> takes or returns {jnp.dtype(dtype)}"
    for function in (result_of, argument_of):
        with pytest.raises(TypeError, match=message):
            cx.lower(function, [X])


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Interrupting(Exception):
    def __str__(self):
        raise KeyboardInterrupt


def failing(error):
    def fail(x):
        raise error

    return cx.compile(lambda x: jax.pure_callback(fail, like(x), x), X)


@pytest.mark.parametrize(
    "error", [Unprintable(), Interrupting(), ValueError("a\0b\udc80")]
)
def test_an_exception_is_an_error_whatever_its_text(error):
    executable = failing(error)
    with pytest.raises(cx.Error, match=type(error).__name__) as caught:
        executable(X)
    assert caught.value.__cause__ is error


def test_a_failure_without_any_text_is_no_success(monkeypatch):
    def no_memory(error):
        raise MemoryError

    executable = failing(ValueError("a reason"))
    monkeypatch.setattr(callbacks, "text_of", no_memory)
    with pytest.raises(cx.Error, match="a Python callback failed without a text"):
        executable(X)


def test_the_exception_is_the_cause_of_the_error():
    error = ValueError("a reason", X)
    executable = failing(error)
    for _ in range(3):
        with pytest.raises(cx.Error, match="a reason") as caught:
            executable(X)
        assert caught.value.__cause__ is error
    (callback,) = executable.program._callbacks
    assert not callback.failures


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_interrupts_and_exits_pass(error):
    with pytest.raises(type(error)) as caught:
        failing(error)(X)
    assert caught.value is error


def test_an_error_of_the_run_itself_has_no_cause():
    executable = failing(ValueError("a reason"))
    with pytest.raises(cx.Error):
        executable(X)
    assert callbacks.take_failure(executable.program, "another reason") is None


def test_a_wrong_number_of_results_is_an_error():
    kept = callbacks.Callback(lambda: (1, 2), [], "two")
    with pytest.raises(ValueError, match="returned 2 values, expected 0"):
        callbacks.call(kept.number, [])


def test_callbacks_run_in_several_threads():
    executable = cx.compile(call_doubled, X)
    wrong = []

    def work(start):
        for i in range(50):
            x = X + start + i
            if executable(x).tolist() != (x * 2 + 1).tolist():
                wrong.append(x)

    threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_spsolve_which_calls_scipy_gives_what_jit_gives(tmp_path):
    def solve(data, b):
        return spsolve(data, np.array([0, 1, 0]), np.array([0, 2, 3]), b)

    arguments = np.array([2, 1, 4], np.float32), np.array([5, 8], np.float32)
    program = cx.lower(solve, arguments)
    executable, _ = cx.compile_program(program)
    (found,) = executable.run(arguments)
    assert_same_bits(found, jax.jit(solve)(*arguments))
    with pytest.raises(ValueError, match="spsolve"):
        cx.save(tmp_path / "solve.cyxla", program)


def test_spsolve_keeps_its_own_rule_on_other_platforms():
    assert callbacks.rules("cuda") == callbacks.RULES


def test_rules_do_without_sparse_matrices(monkeypatch):
    monkeypatch.delitem(sys.modules, "jax.experimental.sparse.linalg")
    assert callbacks.rules("cpu") == callbacks.RULES


def test_a_program_with_callbacks_is_not_saved(tmp_path):
    def function(x):
        jax.debug.print("x is {}", x)
        return call_doubled(x)

    program = cx.lower(function, [X])
    executable, _ = cx.compile_program(program)
    for saved in (program, executable):
        with pytest.raises(ValueError, match="calls the Python function") as info:
            cx.save(tmp_path / "function.cyxla", saved)
        assert "jax.debug.print" in str(info.value)
        assert "doubled" in str(info.value)
    assert not list(tmp_path.iterdir())


def test_other_compile_options_keep_the_callbacks():
    executable, _ = cx.compile_program(
        cx.lower(call_doubled, [X]),
        compiler_options={"xla_cpu_enable_fast_math": False},
    )
    gc.collect()
    assert_same_bits(executable(X), X * 2 + 1)


def test_callbacks_end_with_their_program():
    before = len(callbacks._live)
    executable = cx.compile(call_doubled, X)
    assert len(callbacks._live) == before + 1
    del executable
    gc.collect()
    assert len(callbacks._live) == before


def test_a_method_and_a_partial_have_their_function_s_name():
    class Table:
        def look_up(self, x):
            return np.asarray(x)

    program = cx.lower(lambda x: jax.pure_callback(Table().look_up, like(x), x), [X])
    with pytest.raises(ValueError, match="look_up"):
        program.save("unused")
