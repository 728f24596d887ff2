"""Executables: compiled programs, called with arrays or with pytrees."""

import inspect
from typing import NamedTuple

import jax

from cyxla import _runtime, cache_executables, custom_calls, latency, runtime
from cyxla.arctangent import with_narrow_vectors
from cyxla.compile_options import compile_options
from cyxla.errors import Error
from cyxla.lowering import lower
from cyxla.program import Program


class CompileStatistics(NamedTuple):
    """How an executable came to be.

    ``from_cache`` tells whether it was loaded from the disk cache, and
    ``compile_seconds`` is the time that the plugin took to compile, or to load what the
    cache or a file held. ``tier`` tells how runs happen: ``"pjrt"``, through the
    plugin, or ``"direct"``. ``code_bytes`` is the size of the machine code as the
    plugin counts it, -1 where it does not tell.
    """

    compile_seconds: float
    from_cache: bool
    tier: str
    code_bytes: int


def describe(spec):
    """One array as in ``x float32[3, 2]``."""
    return f"{spec.name} {spec.dtype}{list(spec.shape)}"


class Executable(_runtime.Executable):
    """A compiled program. Any number of threads may run it at once.

    ``program`` is the :class:`Program` that it was compiled from.
    """

    def __repr__(self):
        inputs = ", ".join(describe(spec) for spec in self.inputs)
        outputs = ", ".join(describe(spec) for spec in self.outputs)
        return f"<cyxla.Executable ({inputs}) -> ({outputs})>"

    def save(self, path):
        """Writes a ``.cyxla`` file that holds the program and what was compiled."""
        self.program.check_saved()
        super().save(path)

    def __call__(self, *args, **kwargs):
        """Calls the program with the pytrees of the JAX function, and returns its.

        Leaves are arrays or numbers and are converted as by :meth:`run`; those of the
        result are NumPy arrays. Static arguments are left out, since their values are
        part of the program.
        """
        expected, result = self.program.trees
        leaves, found = jax.tree.flatten((args, kwargs))
        if found != expected:
            raise TypeError(
                f"the program takes arguments of the structure {expected}, "
                f"found {found}"
            )
        return jax.tree.unflatten(result, self.run(leaves))


def compile_program(
    program,
    *,
    compiler_options=None,
    optimize_for=None,
    cache=True,
    tier=None,
    compare=True,
):
    """Compiles a program. Returns the pair ``(executable, statistics)``.

    A program from a file that holds an executable of this plugin and for this machine
    is not compiled: that is loaded, see ``Executable.is_deserialized``.

    Loads the plugin for the program's platform if none is loaded. ``compiler_options``
    overrides XLA's options by name, on top of those that the program was lowered with.
    ``optimize_for`` is that of :func:`lower`, for a program that was lowered without.

    A program that is written for a later StableHLO than the plugin reads, and that it
    refuses, is written for the plugin's, see :meth:`Program.for_stablehlo`.

    What was compiled before, by this very plugin on a machine like this one, is loaded
    from the disk cache instead, and what is compiled is stored there. With
    ``cache=False`` the cache is left alone.

    ``tier`` says how runs happen: ``"pjrt"``, through the plugin; ``"direct"``, as
    calls of the machine code that XLA made, an error where cyxla does not know all of
    that; ``"auto"``, direct where it does, its results are those of the plugin, bit for
    bit, and the plugin is not faster. None is what the environment variable
    ``CYXLA_TIER`` says, else ``"auto"``.

    Results are compared at once on inputs that are made up. Those of a program with a
    loop whose length depends on its inputs, which might never end on such, with
    handlers or callbacks, which might not take them, and of one that runs long are
    compared in its first runs: these happen both ways, and until then
    ``Executable.tier`` is ``"pjrt"``. ``compare`` gives a list of arrays, as
    :meth:`Executable.run` takes, to compare on too, so that no run has to; False leaves
    it out.
    """
    if not isinstance(program, Program):
        raise TypeError(f"program is {program!r}, expected what cyxla.lower returns")
    check_comparison(program, compare)
    if compiler_options:
        merged = {**program.details.get("compiler_options", {}), **compiler_options}
        program = program.rebuilt(lambda size: with_compiler_options(size, merged))
    program = latency.optimized(program, optimize_for)
    loaded = runtime.runtime_for(program.platform)
    custom_calls.synchronize()
    custom_calls.prepare_lapack(program.code)
    executable, is_found = create_or_find(
        loaded, program, cache, tier=tier, compare=compare
    )
    statistics = CompileStatistics(
        compile_seconds=executable.compile_seconds,
        from_cache=is_found,
        tier=executable.tier,
        code_bytes=executable.code_bytes,
    )
    return executable, statistics


def check_comparison(program, compare):
    """Raises TypeError unless ``compare`` is what :func:`compile_program` takes."""
    if not isinstance(compare, (bool, list, tuple)):
        names = ", ".join(spec.name for spec in program.inputs)
        raise TypeError(
            f"compare is of {type(compare)}, expected True, False, or a "
            f"list with an array for each of the inputs: {names}"
        )


def with_compiler_options(size, options):
    """One size of a program with other compiler options, and for latency if it was."""
    code = size.code
    serialized = with_narrow_vectors(size.platform, code, compile_options(options))
    if latency.is_for_latency(size):
        code, serialized = latency.applied(code, serialized)
    return size.with_parts(
        code=code,
        compile_options=serialized,
        details={"compiler_options": options},
    )


def create_or_find(loaded, program, cache, **how):
    """The executable of a program, and whether it was in the cache. What the program
    calls has to be registered before: plugins load nothing that calls what they do not
    know. ``how`` are the tier and the comparison, see :func:`compile_program`.
    """
    is_in_cache = cache and not is_in_file(loaded, program)
    slot = cache_executables.slot_for(loaded, program) if is_in_cache else None
    executable = slot and slot.load(Executable, loaded, program, **how)
    if executable is not None:
        return executable, True
    executable, is_compiled = create(loaded, program, **how)
    # What a file held may be compiled with another number of threads than the key says.
    if slot is not None and is_compiled:
        slot.store(executable)
    return executable, False


def is_in_file(loaded, program):
    """Whether the program's file holds what this plugin made and what has been compared
    with it, which the cache does not know.
    """
    compared = [info for info in program.executables if info.is_direct]
    if not compared:
        return False
    try:
        identity = _runtime.plugin_identity(loaded)
    except Error:
        # The library's file was replaced after it had been loaded.
        return False
    return any(info.plugin_identity == identity for info in compared)


def create(loaded, program, **how):
    """Compiles a program, or loads what its file holds. Returns the executable, and
    whether it was compiled.

    Where the plugin refuses it and is older than its StableHLO, it is written for the
    plugin's, and what comes of that is an executable of the program as it was: files
    keep its code, and what other plugins made of it.
    """
    try:
        executable = Executable.create(loaded, program, **how)
        return executable, not executable.is_deserialized
    except Error:
        rewritten = readable(loaded, program)
        if rewritten is program:
            raise
        # Of the same tier, so that one that is refused is an error here too.
        executable = Executable.create(loaded, rewritten, **how)
    try:
        executable = Executable.create(
            loaded, program, data=executable.serialize(), **how
        )
    except Error:
        # Not every plugin can serialize, and the executable works all the same.
        return executable, False
    return executable, True


def readable(loaded, program):
    """The program, this size only, written for the StableHLO that the plugin reads;
    itself where that is not older, or the program cannot be written for it."""
    version = loaded.info.stablehlo_version
    try:
        return program if version == (0, 0, 0) else program.at_stablehlo(version)
    except ValueError:
        return program


def check_options(name, options):
    """Raises TypeError for options that a function of that name does not pass on."""
    unknown = sorted(set(options) - set(inspect.signature(lower).parameters))
    if unknown:
        raise TypeError(
            f"{name} has no option {unknown[0]}; pass keyword arguments of the "
            f"function as kwargs={{{unknown[0]!r}: ...}}"
        )


def compile(
    function, *example_arguments, cache=True, tier=None, compare=True, **options
):
    """Lowers a function for example arguments and compiles it. Returns the executable.

    ``options`` are the keyword arguments of :func:`lower`, such as ``optimize_for``;
    the function's own keyword arguments are passed as ``kwargs={...}``. ``cache``,
    ``tier`` and ``compare`` are those of :func:`compile_program`.
    """
    if isinstance(function, Program):
        raise TypeError("a Program is compiled by cyxla.compile_program")
    check_options("compile", options)
    program = lower(function, example_arguments, **options)
    return compile_program(program, cache=cache, tier=tier, compare=compare)[0]
