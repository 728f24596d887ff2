"""Lowering: from a JAX function to a program."""

import collections
import itertools
import re
import warnings

import jax
import numpy as np
from jax import export
from jax._src import effects
from jax.extend.core import jaxpr_as_fun

from cyxla import (
    _runtime,
    artifacts,
    callbacks,
    donation,
    latency,
    ordering,
    platforms,
    plugins,
)
from cyxla import custom_calls as targets
from cyxla.arctangent import with_narrow_vectors
from cyxla.arrays import DTYPES, dtype_of, is_supported
from cyxla.compile_options import compile_options
from cyxla.program import Program
from cyxla.specs import ArraySpec


def lower(
    function,
    args=(),
    kwargs=None,
    *,
    static_argnums=None,
    static_argnames=None,
    donate_argnums=None,
    donate_argnames=None,
    platform=None,
    compiler_options=None,
    optimize_for=None,
    custom_calls=(),
):
    """Lowers a JAX function for example arguments. Returns a :class:`Program`.

    ``function`` is anything that ``jax.jit`` takes, a function that is jitted already,
    which keeps its own static and donated arguments and compiler options, or what
    ``jax.export`` made, also with symbolic dimensions, which the arguments settle.
    ``args`` is the list of its positional arguments and ``kwargs`` the dict of its
    keyword arguments: pytrees of arrays, numbers or ``jax.ShapeDtypeStruct``, and the
    values of static arguments. Only shapes and dtypes of the others are used.

    The program takes the leaves of all arguments that are not static, also of those
    that the function does not use, and returns the leaves of its result. Inputs are
    called after the path of a leaf, such as ``state.velocity.0``; outputs after the
    path in the result, such as ``energy``, or ``result`` and ``result.0`` where there
    is no name.

    ``static_argnums`` to ``donate_argnames`` are those of ``jax.jit``.
    ``compiler_options`` overrides XLA's options by name, as in ``jax.jit``.
    ``platform`` is what the program will run on. By default it is chosen as JAX does:
    the device that an argument is committed to, ``jax.default_device``, the plugin that
    is loaded, ``jax_platforms``, then the first of CPU, CUDA, ROCm and TPU for which a
    plugin is installed. ``custom_calls`` names the targets of custom calls that the
    function may lower to and that ``jax.export`` would refuse.

    ``optimize_for="latency"``, for the CPU, makes small products of matrices, small
    convolutions and small reductions kernels of XLA's own, which run directly, where
    it would call a library through the plugin (``tier`` of :func:`compile_program`).
    Results are as exact, and differ in rounding from those of ``jax.jit``. A program
    with a large one, for which libraries are faster, stays as it is. None leaves all to
    XLA.
    """
    if not isinstance(args, (list, tuple)):
        raise TypeError(
            f"args is a {type(args).__name__}, expected a list of the function's "
            "positional arguments"
        )
    if kwargs is not None and not isinstance(kwargs, dict):
        raise TypeError(
            f"kwargs is a {type(kwargs).__name__}, expected a dict of the function's "
            "keyword arguments"
        )
    jit_arguments = {
        "static_argnums": static_argnums,
        "static_argnames": static_argnames,
        "donate_argnums": donate_argnums,
        "donate_argnames": donate_argnames,
    }
    if isinstance(function, export.Exported):
        if len(function.platforms) == 1:
            platform = platform or function.platforms[0]
        function = calling(function)
    traced = trace(function, args, kwargs or {}, jit_arguments)
    inputs = input_specs(traced)
    warn_of_narrowing(inputs, (args, kwargs or {}))
    outputs = output_specs(traced)
    if platform is None:
        platform = platforms.choose(jax.tree.leaves((args, kwargs)))
    else:
        platform = plugins.canonical_platform(platform)
    latency.check(optimize_for, platform)
    with callbacks.collected() as collected:
        exported = export_flat(traced, platform, custom_calls)
    check_exported(exported, num_devices(traced, exported))
    code = bytes(exported.mlir_module_serialized)
    # Of what jax.export made with symbolic dimensions, also where it is only called.
    if exported.uses_global_constants:
        code = artifacts.refined(code)
    if exported.ordered_effects:
        code = ordering.thread(code, len(inputs))
    if any(donated(traced)):
        inputs, code = donation.assign(inputs, outputs, code)
    options = {**jit_compiler_options(traced), **(compiler_options or {})}
    program = Program.make(
        platform=exported.platforms[0],
        code=code,
        compile_options=with_narrow_vectors(platform, code, compile_options(options)),
        inputs=inputs,
        outputs=outputs,
        trees=(traced.in_tree, traced.out_tree),
        callbacks=collected,
        details={
            "function": traced.fun_name,
            "jax": jax.__version__,
            "cyxla": _runtime.version(),
            "compiler_options": options,
        },
    )
    return latency.optimized(program, optimize_for)


def calling(exported):
    """A function that calls what jax.export made, under the name that it had."""

    def call(*args, **kwargs):
        return exported.call(*args, **kwargs)

    call.__name__ = call.__qualname__ = exported.fun_name
    return call


def trace(function, args, kwargs, jit_arguments):
    """The function traced by JAX, jitted first unless it is already."""
    given = {name: value for name, value in jit_arguments.items() if value is not None}
    if not isinstance(function, jax.stages.Wrapped):
        function = jax.jit(function, **given)
    elif given:
        raise TypeError(
            f"{', '.join(given)} cannot be given for a function that is jitted "
            "already; pass them to jax.jit"
        )
    return function.trace(*args, **kwargs)


def warn_of_narrowing(inputs, arguments):
    """Warns of arguments of 64 bits that JAX has lowered with 32: native code that goes
    by what it has given would write beyond the arrays."""
    leaves = jax.tree.leaves(arguments)
    if len(leaves) != len(inputs):  # some are static
        return
    for leaf, spec in zip(leaves, inputs, strict=True):
        given = getattr(leaf, "dtype", spec.dtype)
        if getattr(given, "itemsize", 0) > spec.dtype.itemsize:
            warnings.warn(
                f"the argument {spec.name} is given as {given} and lowered as "
                f"{spec.dtype}; for {given} set jax_enable_x64",
                stacklevel=3,
            )


def jit_compiler_options(traced):
    """The compiler options that a jitted function was given."""
    return dict(traced._params.get("compiler_options_kvs", ()))


def donated(traced):
    """For each leaf of the arguments whether it is donated."""
    return [leaf.donated for leaf in jax.tree.leaves(traced.args_info)]


def export_flat(traced, platform, custom_calls):
    """Exports the traced function as one of flat arguments that keeps unused ones."""
    flat = jaxpr_as_fun(traced.jaxpr)

    def flat_function(*leaves):
        return flat(*leaves)

    flat_function.__name__ = traced.fun_name
    jitted = jax.jit(
        flat_function,
        keep_unused=True,
        donate_argnums=tuple(itertools.compress(itertools.count(), donated(traced))),
    )
    names = targets.known_names() | {callbacks.TARGET, *custom_calls}
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in sorted(names)]
    avals = [
        jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in traced.jaxpr.in_avals
    ]
    if not avals and effects.ordered_effects.filter_in(traced.jaxpr.effects):
        # jax.export fails on tokens without arrays; ordering takes this one out again.
        jitted = jax.jit(lambda _: flat_function(), keep_unused=True)
        avals = [jax.ShapeDtypeStruct((), np.int32)]
    exporter = export.export(
        jitted,
        platforms=[platform],
        disabled_checks=checks,
        _override_lowering_rules=callbacks.rules(platform),
    )
    return exporter(*avals)


def num_devices(traced, exported):
    """How many devices the function is for. What it was exported as has lost the
    shardings of its arguments and results."""
    shardings = [*traced._params["in_shardings"], *traced._params["out_shardings"]]
    counts = [getattr(sharding, "num_devices", 1) for sharding in shardings]
    return max([exported.nr_devices, *counts])


def check_exported(exported, num_devices):
    """Refuses what a program cannot be."""
    if num_devices != 1:
        raise ValueError(
            f"the function is for {num_devices} devices, and cyxla runs programs of "
            "one device"
        )
    refused = [
        effect
        for effect in exported.ordered_effects
        if not isinstance(effect, callbacks.ORDERED_EFFECTS)
    ]
    if refused:
        raise NotImplementedError(
            f"the function has ordered effects ({', '.join(map(str, refused))}), and "
            "programs keep the order of callbacks only"
        )


def input_specs(traced):
    """The specs of the inputs, named after the paths of the arguments' leaves."""
    names = traced.jaxpr.jaxpr.debug_info.arg_names or ()
    return specs("argument", names, traced.jaxpr.in_avals)


def output_specs(traced):
    """The specs of the outputs, named after the paths of the result's leaves."""
    names = traced.jaxpr.jaxpr.debug_info.result_paths or ()
    return specs("result", names, traced.jaxpr.out_avals)


def specs(what, paths, avals):
    """Specs of arrays whose paths JAX writes as in ``state['x'][0]``."""
    paths = [path or f"{what}{i}" for i, path in enumerate(padded(paths, len(avals)))]
    names = [short_name(what, path) for path in paths]
    counts = collections.Counter(names)
    names = numbered(
        path if counts[name] > 1 else name
        for name, path in zip(names, paths, strict=True)
    )
    return [spec(what, name, aval) for name, aval in zip(names, avals, strict=True)]


def numbered(names):
    """The names, with ``#2`` and so on after those that would occur once more."""
    names = list(names)
    given = set(names)
    unique = {}  # in the place of an ordered set
    for name in names:
        candidate = name
        number = 1
        while candidate in unique or (number > 1 and candidate in given):
            number += 1
            candidate = f"{name}#{number}"
        unique[candidate] = None
    return list(unique)


def padded(paths, count):
    """The paths, and None for those that JAX does not know."""
    return (*paths, *[None] * count)[:count]


# An element of a path: an index, a plain key, or a key that is not plain.
ELEMENT = re.compile(
    r"\[(\d+)\]"
    r"|\['([^'\[\].]+)'\]"
    r"|\['(?:[^'\\]|\\.)*'\]"
    r'|\["(?:[^"\\]|\\.)*"\]'
)


def dotted(element):
    """The match of an element, with a dot instead of brackets where it is plain."""
    plain = element[1] or element[2]
    return f".{plain}" if plain else element[0]


def short_name(what, path):
    """A path with dots: ``state.x.0`` for ``state['x'][0]``.

    A result's path begins with ``result``, which is left out where a name follows. Keys
    that hold a bracket, quote or dot themselves stay as JAX writes them.
    """
    name = ELEMENT.sub(dotted, path)
    root, _, rest = name.partition(".")
    is_named = what == "result" and root == what and rest and not rest[0].isdigit()
    return rest if is_named else name


def spec(what, name, aval):
    """The spec of one array; TypeError for what a program cannot take or return."""
    if not is_supported(aval.dtype):
        raise TypeError(
            f"{what} {name} has dtype {aval.dtype}, and programs take and return "
            f"{', '.join(DTYPES)}"
        )
    if not all(isinstance(size, int) for size in aval.shape):
        raise ValueError(
            f"{what} {name} has shape {aval.shape}, expected sizes that are numbers"
        )
    return ArraySpec(name, tuple(aval.shape), dtype_of(aval.dtype.name))
