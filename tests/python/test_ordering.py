"""Callbacks whose order counts (``ordered=True``)."""

import functools
import threading
import time

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_equal_to_jax, assert_same_bits
from jax._src import callback, core
from jax._src.interpreters import mlir
from jax.experimental import io_callback
from jax.extend.core import Primitive
from jaxlib.mlir.dialects import stablehlo

X = np.arange(3, dtype=np.float32)
SCALAR = jax.ShapeDtypeStruct((), np.float32)


class Log(list):
    """What callbacks were called with, as they were called."""

    def note(self, name, x=None):
        """An io_callback whose order counts."""
        arguments = () if x is None else (x,)
        io_callback(functools.partial(self.add, name), None, *arguments, ordered=True)

    def add(self, name, x=None):
        self.append((name, None if x is None else np.asarray(x).tolist()))


def assert_called_as_by_jit(function, log, *arguments, runs=3, **options):
    """That callbacks and results are those of jax.jit, run after run."""
    expected = jax.jit(function)(*arguments)
    jax.effects_barrier()
    called = list(log)
    assert called
    executable = cx.compile(function, *arguments, **options)
    for _ in range(runs):
        log.clear()
        assert_equal_to_jax(executable(*arguments), expected)
        assert log == called


def sort_and(call, x):
    """Twelve calls on what can be computed at once, of which some take long."""
    for i in range(12):
        smallest = jnp.sort(x + i, axis=0)[0, 0]
        call(functools.partial(time.sleep, 0.01 if i % 3 == 0 else 0), i, smallest)
    return x


def test_the_order_is_kept_where_xla_runs_operations_at_once():
    log = []

    def call(work, i, x):
        io_callback(lambda x: (work(), log.append(i))[1], None, x, ordered=True)

    x = np.ones((300, 300), np.float32)
    executable = cx.compile(functools.partial(sort_and, call), x)
    for _ in range(5):
        log.clear()
        executable(x)
        assert log == list(range(12))


def test_kinds_of_callbacks_keep_their_order_among_one_another(capfd):
    def call(work, i, x):
        def print_i(x):
            work()
            print(i)

        if i % 3 == 0:
            io_callback(print_i, None, x, ordered=True)
        elif i % 3 == 1:
            jax.debug.callback(print_i, x, ordered=True)
        else:
            jax.debug.print("{}", jnp.int32(i), ordered=True)

    x = np.ones((300, 300), np.float32)
    executable = cx.compile(functools.partial(sort_and, call), x)
    for _ in range(5):
        executable(x)
        assert capfd.readouterr().out.split() == [str(i) for i in range(12)]


def test_a_scan_keeps_the_order():
    log = Log()

    def function(x):
        def step(total, value):
            log.note("first", value)
            log.note("second", total)
            return total + value, total

        log.note("before")
        result = jax.lax.scan(step, jnp.float32(0), x)
        log.note("after")
        return result

    assert_called_as_by_jit(function, log, X)


def test_a_while_loop_keeps_the_order_of_its_condition_and_its_body():
    log = Log()

    def function(x):
        def condition(i):
            log.note("condition", i)
            return i < 3

        def body(i):
            log.note("body", i)
            return i + 1

        return jax.lax.while_loop(condition, body, x)

    assert_called_as_by_jit(function, log, np.int32(0))


@pytest.mark.parametrize("bound", [0, 2])
def test_nested_loops_keep_the_order(bound):
    log = Log()

    def function(n):
        def outer(i, total):
            log.note("outer", i)
            total = jax.lax.fori_loop(0, n, inner, total)
            log.note("end", total)
            return total

        def inner(k, total):
            log.note("inner", k)
            return total + k

        return jax.lax.fori_loop(0, 3, outer, 0)

    assert_called_as_by_jit(function, log, np.int32(bound))


@pytest.mark.parametrize("branch", [0, 1, 2])
def test_branches_keep_the_order(branch):
    log = Log()

    def branch_of(name, x):
        log.note(name, x)
        return x + 1

    def function(i, x):
        log.note("before", i)
        branches = [lambda x: x]
        branches += [functools.partial(branch_of, name) for name in ("one", "two")]
        x = jax.lax.switch(i, branches, x)
        x = jax.lax.cond(i == 1, functools.partial(branch_of, "again"), jnp.sin, x)
        log.note("after", x)
        return x

    assert_called_as_by_jit(function, log, np.int32(branch), X)


def test_functions_that_are_jitted_keep_the_order():
    log = Log()

    @jax.jit
    def inner(x):
        log.note("inner", x)
        return x + 1

    def function(x):
        log.note("before", x)
        x = inner(inner(x))
        log.note("after", x)
        return inner(x)

    assert_called_as_by_jit(function, log, X)


def test_kinds_of_callbacks_mix_in_loops_and_branches():
    log = Log()

    def function(x):
        def step(i, x):
            log.note("io", i)
            return jax.lax.cond(i % 2 == 0, even, odd, x)

        def even(x):
            jax.debug.callback(functools.partial(log.add, "even"), x, ordered=True)
            return x + 1

        def odd(x):
            log.note("odd", x)
            return x * 2

        jax.debug.callback(functools.partial(log.add, "begin"), x, ordered=True)
        x = jax.lax.fori_loop(0, 4, step, x)
        jax.debug.callback(functools.partial(log.add, "end"), x, ordered=True)
        return x

    executable = cx.compile(function, np.float32(1))
    names = ["begin", "io", "even", "io", "odd", "io", "even", "io", "odd", "end"]
    for _ in range(3):
        log.clear()
        assert executable(np.float32(1)) == 10
        assert [name for name, _ in log] == names


def test_results_of_ordered_callbacks_arrive():
    log = Log()

    def add_and_sum(x):
        log.add("sum", x)
        return {"next": x + np.float32(1), "sum": x.sum()}

    def function(x):
        shapes = {"next": jax.ShapeDtypeStruct((3,), np.float32), "sum": SCALAR}
        first = io_callback(add_and_sum, shapes, x, ordered=True)
        second = io_callback(add_and_sum, shapes, first["next"], ordered=True)
        return first, second["sum"]

    assert_called_as_by_jit(function, log, X)


def test_ordered_and_unordered_callbacks_mix():
    log = Log()

    def function(x):
        log.note("first", x)
        io_callback(functools.partial(log.add, "any"), None, x + 5)
        y = jax.pure_callback(lambda x: x * 2, jax.ShapeDtypeStruct((3,), x.dtype), x)
        log.note("second", y)
        return y

    executable = cx.compile(function, X)
    for _ in range(3):
        log.clear()
        assert_same_bits(executable(X), X * 2)
        assert sorted(name for name, _ in log) == ["any", "first", "second"]
        ordered = [entry for entry in log if entry[0] != "any"]
        assert ordered == [("first", [0, 1, 2]), ("second", [0, 2, 4])]


def test_inputs_outputs_and_donation_are_as_without_order():
    log = Log()

    def plain(state, dt):
        return {"rest": dt + 1, "state": {"v": state["x"] * dt, "x": state["v"] + dt}}

    def noted(state, dt):
        log.note("dt", dt)
        jax.debug.callback(functools.partial(log.add, "x"), state["x"], ordered=True)
        return plain(state, dt)

    arguments = ({"x": X, "v": X + 1}, np.float32(2))
    lowered = [
        cx.lower(function, arguments, donate_argnums=0) for function in (plain, noted)
    ]
    assert lowered[0].inputs == lowered[1].inputs
    assert lowered[0].outputs == lowered[1].outputs
    names = [spec.name for spec in lowered[1].outputs]
    aliases = {spec.name: spec.aliased_output for spec in lowered[1].inputs}
    assert names[aliases["state.x"]] == "state.x"
    assert names[aliases["state.v"]] == "state.v"
    assert aliases["dt"] == -1
    found, expected = (
        cx.compile_program(each)[0](*arguments) for each in lowered[::-1]
    )
    assert_equal_to_jax(found, expected)
    assert log == [("dt", 2), ("x", [0, 1, 2])]


def test_a_donated_input_keeps_its_partner_where_names_tell_nothing():
    log = Log()

    def function(x, y):
        log.note("x", x)
        return y + 1, jnp.float32(3)

    program = cx.lower(function, [X, X], donate_argnums=1)
    assert [spec.aliased_output for spec in program.inputs] == [-1, 0]


def test_a_function_without_arrays_is_called_in_order():
    log = Log()

    def function():
        log.note("one")
        jax.debug.callback(functools.partial(log.add, "two"), ordered=True)

    program = cx.lower(function)
    assert program.inputs == program.outputs == []
    executable, _ = cx.compile_program(program)
    for _ in range(3):
        log.clear()
        assert executable() is None
        assert log == [("one", None), ("two", None)]


def test_a_function_without_arguments_returns_what_callbacks_return():
    log = Log()

    def count():
        log.append("count")
        return np.float32(len(log))

    def function():
        first = io_callback(count, SCALAR, ordered=True)
        return first, io_callback(count, SCALAR, ordered=True)

    assert cx.compile(function)() == (1, 2)


def test_callbacks_behind_one_that_fails_do_not_happen():
    log = Log()
    error = ValueError("a reason")

    def fail(x):
        log.append("fails")
        raise error

    def function(x):
        log.note("before")
        io_callback(fail, None, x, ordered=True)
        log.note("after")
        jax.debug.callback(functools.partial(log.add, "debug"), ordered=True)
        return x

    executable = cx.compile(function, X)
    for _ in range(3):
        log.clear()
        message = "ValueError in a Python callback: a reason"
        with pytest.raises(cx.Error, match=message) as caught:
            executable(X)
        assert caught.value.__cause__ is error
        assert log == [("before", None), "fails"]


def test_each_of_several_runs_at_once_keeps_its_order():
    log = Log()

    def function(start):
        def step(i, x):
            log.note("step", start + i)
            return x

        return jax.lax.fori_loop(0, 20, step, start)

    executable = cx.compile(function, np.int32(0))
    starts = [np.int32(100 * i) for i in range(4)]
    threads = [threading.Thread(target=executable, args=(i,)) for i in starts]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for start in starts:
        seen = [value for _, value in log if 0 <= value - start < 100]
        assert seen == list(range(start, start + 20))


def test_a_program_with_ordered_callbacks_is_not_saved(tmp_path):
    log = Log()
    program = cx.lower(lambda x: (log.note("x", x), x)[1], [X])
    with pytest.raises(ValueError, match="calls the Python function add"):
        cx.save(tmp_path / "function.cyxla", program)


def primitive_with(lower):
    """A primitive of somebody else's that takes part in the order of io_callbacks."""
    primitive = Primitive("foreign")
    effects = {callback._OrderedIOEffect}
    primitive.def_effectful_abstract_eval(lambda x: (x, effects))
    mlir.register_lowering(primitive, lower)
    return primitive


def set_token(context, token):
    tokens = mlir.TokenSet({callback._OrderedIOEffect: token})
    context.set_tokens_out(context.tokens_in.update_tokens(tokens))


def test_what_is_no_callback_in_the_order_is_refused():
    def join(context, x):
        token = context.tokens_in.get(callback._OrderedIOEffect)
        set_token(context, stablehlo.after_all([token]))
        return [x]

    def call(context, x):
        token = context.tokens_in.get(callback._OrderedIOEffect)
        tokens = [core.abstract_token]
        inner = context.replace(avals_in=tokens, avals_out=tokens)
        lower = jax.ffi.ffi_lowering("foreign_target", has_side_effect=True)
        set_token(context, lower(inner, token)[0])
        return [x]

    for lower, name in ((join, "stablehlo.after_all"), (call, "foreign_target")):
        message = f"the function has {name} in the order of its callbacks, and"
        with pytest.raises(NotImplementedError, match=message):
            cx.lower(primitive_with(lower).bind, [X], custom_calls=["foreign_target"])
