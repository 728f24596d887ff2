"""Python callbacks in programs: ``jax.pure_callback``, ``io_callback``,
``jax.debug.print`` and ``jax.debug.callback``.

JAX lowers them to a custom call of its own handler, which only works in its own client.
Here they become custom calls of a handler of cyxla's, which is told the number of the
Python function and takes the GIL while that runs.
"""

import collections
import contextlib
import contextvars
import functools
import itertools
import sys
import types
import weakref

import jax
import numpy as np
from jax._src import callback as jax_callback
from jax._src import core, debugging, ffi

from cyxla.arrays import DTYPES, is_supported

TARGET = "cyxla_python_callback"

# The callbacks of programs that are alive, by the number that the custom call names.
_live = weakref.WeakValueDictionary()
_numbers = itertools.count(1)

# What results become where JAX's arrays have 32 bits, as in jax.jit.
WITHOUT_X64 = {
    "float64": "float32",
    "int64": "int32",
    "uint64": "uint32",
    "complex128": "complex64",
}

# The effects of callbacks whose order counts, each of which has a token of its own.
ORDERED_EFFECTS = (
    type(jax_callback._OrderedIOEffect),
    type(debugging.ordered_debug_effect),
)

# Failures are kept for the run that they end, and runs of Cython never ask for theirs.
FAILURES_KEPT = 16


class Callback:
    """A Python function that a program calls, kept alive by the program."""

    def __init__(self, function, result_avals, name, is_ordered=False):
        self.function = function
        self.name = name
        self.is_ordered = is_ordered
        self.results = [(aval.shape, np.dtype(aval.dtype)) for aval in result_avals]
        self.is_x64 = jax.config.jax_enable_x64
        self.failures = collections.deque(maxlen=FAILURES_KEPT)
        self.number = next(_numbers)
        _live[self.number] = self

    def __call__(self, arguments):
        """The results as arrays of the shapes and dtypes that the program expects.

        A callback whose order counts takes and returns the order's number first.
        """
        order = arguments[:1] if self.is_ordered else []
        arguments = arguments[len(order) :]
        results = self.function(*arguments)
        if len(results) != len(self.results):
            raise ValueError(
                f"the callback returned {len(results)} values, expected "
                f"{len(self.results)}"
            )
        results = [np.asarray(result) for result in results]
        return [*order, *map(self.result, itertools.count(), results)]

    def result(self, i, array):
        """One result as the program's array; ValueError for what does not fit."""
        shape, dtype = self.results[i]
        found = array.dtype
        if not self.is_x64:
            found = np.dtype(WITHOUT_X64.get(found.name, found))
        if (array.shape, found) != (shape, dtype):
            raise ValueError(
                f"value {i} of the callback is {array.dtype}{list(array.shape)}, "
                f"expected {dtype}{list(shape)}"
            )
        return np.ascontiguousarray(array, dtype).reshape(shape)


def call(number, arguments):
    """Calls the callback of that number; what the handler of the custom call does."""
    callback = _live[number]
    try:
        return callback(arguments)
    except BaseException as error:
        callback.failures.append((text_of(error), error))
        raise


def text_of(error):
    """What the run's error says of an exception, whose own text may be an exception."""
    try:
        text = str(error)
    except BaseException:
        text = "(str of the exception failed)"
    text = text.encode("utf-8", "replace").decode()
    # C's texts end at a zero byte.
    return f"{type(error).__name__} in a Python callback: {text}".replace("\0", "\\0")


def take_failure(program, message):
    """The exception of a callback that ended a run with this message, or None."""
    for callback in getattr(program, "_callbacks", ()):
        for failure in list(callback.failures):
            # The message may be cut where the text is long.
            if failure[0][:100] in message:
                with contextlib.suppress(ValueError):
                    callback.failures.remove(failure)
                return failure[1]
    return None


# The list that collects the callbacks of the function that is being lowered.
_collected = contextvars.ContextVar("collected callbacks")


@contextlib.contextmanager
def collected():
    """Collects the callbacks of what is lowered within, with RULES, in a list."""
    callbacks = []
    token = _collected.set(callbacks)
    try:
        yield callbacks
    finally:
        _collected.reset(token)


def emit(
    ctx,
    callback,
    token,
    operands,
    operand_avals,
    result_avals,
    *,
    has_side_effect,
    name=None,
    **_,
):
    """Emits a call of our handler, in the place of JAX's function of that name.

    Where the order counts there is a token, which the call takes and returns first.
    """
    name = name or name_of(callback)
    for aval in (*operand_avals, *result_avals):
        if not is_supported(aval.dtype):
            raise TypeError(
                f"the callback {name} takes or returns {aval.dtype}, and callbacks "
                f"take and return {', '.join(DTYPES)}"
            )
    is_ordered = token is not None
    if is_ordered:
        operands = [token, *operands]
        ctx = ctx.replace(
            avals_in=[core.abstract_token, *ctx.avals_in],
            avals_out=[core.abstract_token, *ctx.avals_out],
        )
    kept = Callback(callback, result_avals, name, is_ordered)
    _collected.get().append(kept)
    lower = ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)
    results = lower(ctx, *operands, index=np.uint64(kept.number)).results
    return (results[1:], results[0], None) if is_ordered else (results, None, None)


def name_of(callback):
    """The name of the user's function, which JAX has wrapped; "jax.debug.print" where
    all of it is JAX's."""
    pending = [callback]
    while pending:
        function = pending.pop(0)
        function = getattr(function, "callback_func", function)
        if isinstance(function, functools.partial):
            pending.append(function.func)
        elif isinstance(function, types.MethodType):
            pending.append(function.__func__)
        elif isinstance(function, types.FunctionType):
            if not function.__module__.startswith("jax."):
                return function.__name__
            pending += [cell.cell_contents for cell in function.__closure__ or ()]
    return "jax.debug.print"


def rebound(function, namespace):
    """The same function with other global names."""
    copy = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def make_rules():
    """Lowering rules for the primitives of callbacks: JAX's own, but for the call that
    they emit. Nothing of JAX's is changed, so that jax.jit works as ever."""
    in_callback = {**vars(jax_callback), "emit_python_callback": emit}
    in_debugging = {**vars(debugging), "cb": types.SimpleNamespace(**in_callback)}
    for name in ("debug_callback_lowering", "debug_print_lowering_rule"):
        in_debugging[name] = rebound(getattr(debugging, name), in_debugging)
    rules = {
        jax_callback.pure_callback_p: rebound(
            jax_callback.pure_callback_lowering, in_callback
        ),
        jax_callback.io_callback_p: rebound(
            jax_callback.io_callback_lowering, in_callback
        ),
        debugging.debug_callback_p: in_debugging["debug_callback_lowering"],
        debugging.debug_print_p: in_debugging["debug_print_lowering_rule"],
    }
    return tuple(rules.items())


RULES = make_rules()


def rules(platform):
    """The rules to lower a function for a platform with."""
    linalg = sys.modules.get("jax.experimental.sparse.linalg")
    if platform != "cpu" or linalg is None:
        return RULES
    # On the CPU it calls SciPy. Its module is slow to import, and few use it.
    emit_spsolve = functools.partial(emit, name="spsolve")
    mlir = {**vars(linalg.mlir), "emit_python_callback": emit_spsolve}
    namespace = {**vars(linalg), "mlir": types.SimpleNamespace(**mlir)}
    rule = rebound(linalg._spsolve_cpu_lowering, namespace)
    return (*RULES, (linalg.spsolve_p, rule))
