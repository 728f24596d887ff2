"""Files: programs at one or more sizes, saved and loaded."""

from jax import export

from cyxla import _runtime
from cyxla.executable import Executable, check_options, compile_program
from cyxla.program import Program
from cyxla.sizes import lower_sizes


def save(
    path,
    function,
    shapes=None,
    *,
    args=None,
    kwargs=None,
    stablehlo_target=None,
    tier=None,
    compare=True,
    **options,
):
    """Writes a ``.cyxla`` file that C programs open and :func:`load` reads.

    ``function`` is an :class:`Executable`, a :class:`Program`, or a function to be
    lowered for the ``shapes`` of its arguments. The file holds the program. Of an
    executable it also holds what was compiled, so that machines like this one with the
    same plugin do not compile again, and names the plugin, so that C programs on this
    machine find it. What other plugins and machines compiled is kept if the file held
    the same program. The file is replaced in one step.

    ``shapes`` lists the sizes at which a function is saved: it is lowered and compiled
    for each, and C programs pick the one whose shapes they bind. An element is a list
    of example arguments; ``kwargs`` are keyword arguments of all sizes, and ``options``
    those of :func:`lower`. If ``args`` are given with symbolic dimensions
    (``jax.export.symbolic_shape``), or ``function`` is a ``jax.export.Exported`` that
    has them, an element is a dict of their sizes, such as ``{"n": 100}``.

    ``tier`` and ``compare`` are those of :func:`compile_program` for a function, where
    ``compare`` is True or False: one that depends on its inputs for how long it loops
    needs no plugin in C if it is compared before it is saved, as an executable is, or
    if ``compare`` is False.

    ``stablehlo_target`` is the latest version of StableHLO that the plugin reads, such
    as ``"1.13.3"`` (``runtime_info().stablehlo_version``), where that is older than
    what JAX writes. ValueError where the program cannot be written for it.
    """
    if not isinstance(compare, bool):
        raise TypeError(
            f"compare is of {type(compare)}, expected True or False: "
            "compile and save an executable to compare on arrays"
        )
    if isinstance(function, (Program, Executable)):
        given = {"shapes": shapes, "args": args, "kwargs": kwargs, "tier": tier}
        refuse_options({**given, "compare": None if compare else False, **options})
        saved = function
    elif callable(function) or isinstance(function, export.Exported):
        check_options("save", options)
        saved = lower_sizes(function, shapes, args, kwargs, **options)
    else:
        raise TypeError(
            f"found {function!r} to save, expected a Program, an Executable or a "
            "function"
        )
    program = saved.program if isinstance(saved, Executable) else saved
    if stablehlo_target is not None:
        program = program.for_stablehlo(stablehlo_target)
    if isinstance(function, Executable) and program is function.program:
        function.save(path)
    elif isinstance(function, Program):
        program.save(path)
    else:
        save_compiled(path, program, tier=tier, compare=compare)


def save_compiled(path, program, **how):
    """Compiles a program at each of its sizes and saves what came of it."""
    program.check_saved()
    sizes = program.sizes
    executables = [compile_program(size, **how)[0] for size in sizes]
    # A plugin that is too old and cannot serialize gives executables of other programs.
    kept = [
        executable
        for executable, size in zip(executables, sizes, strict=True)
        if executable.program is size
    ]
    if kept:
        _runtime.save_all(kept, path)
    else:
        program.save(path)


def refuse_options(given):
    """A program has its shapes already, and an executable its tier."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise TypeError(
            f"{', '.join(names)} cannot be given for a program that is lowered already"
        )


def load(path, shapes=(), *, tier=None, compare=True):
    """Reads a ``.cyxla`` file and makes its program ready. Returns the executable.

    If the file holds an executable of this plugin and for this machine, that is loaded;
    else the program is compiled. Of a file with several sizes ``shapes`` says which
    one, see :meth:`Program.pick`. ``tier`` and ``compare`` are those of
    :func:`compile_program`; what has been compared with this plugin before it was saved
    is not compared again.

    A file is turned into machine code: load only files that you trust.
    """
    program = Program.load(path).pick(shapes)
    return compile_program(program, tier=tier, compare=compare)[0]
