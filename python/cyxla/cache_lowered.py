"""Lowered programs in the disk cache, under keys that the caller asks for."""

import re
from importlib import metadata

import jax
import jaxlib
import numpy as np

from cyxla import _runtime, cache_directory, cache_executables, lowering, platforms
from cyxla.cache_digests import Digester, digest
from cyxla.errors import Error
from cyxla.program import Program

# Raised when the meaning of keys changes.
FORMAT = "1"

KEY = re.compile("[0-9a-f]{64}")


def cache_key(function, args=(), kwargs=None, *, distributions=(), **options):
    """The key that a lowered program is kept under, a text.

    Takes what :func:`lower` takes. ``function`` is the function, or a text of the
    caller's that names it, and ``options`` are the keyword arguments of lower or
    whatever else the program depends on. Of arrays among ``args`` and ``kwargs`` shapes
    and dtypes count, of all other values what they are.

    The key changes with the versions of JAX, jaxlib and cyxla, with JAX's settings,
    with the version of each of ``distributions``, the names of installed packages, and
    with the function's own code and what it closes over. It does not change with the
    functions that it calls by a global name: name the distributions that hold them, or
    give a version of your own as an option. TypeError names a value that no key can be
    made of.
    """
    if isinstance(distributions, str):
        raise TypeError(
            f"distributions is {distributions!r}, expected a list of packages' names"
        )
    leaves, tree = jax.tree.flatten((tuple(args), kwargs or {}))
    if options.get("platform") is None:
        options["platform"] = platforms.choose(leaves)
    versions = {name: metadata.version(name) for name in distributions}
    versions["jax"] = jax.__version__
    versions["jaxlib"] = jaxlib.__version__
    digester = Digester()
    settings = {name: repr(value) for name, value in jax.config.values.items()}
    parts = [versions, settings, function, options, *map(as_spec, leaves)]
    return digest(
        FORMAT,
        _runtime.version(),
        lowering.compile_options({}),
        str(tree),
        *map(digester.of, parts),
    ).hex()


def as_spec(leaf):
    """What of an argument a program depends on."""
    if isinstance(leaf, (np.ndarray, jax.Array)):
        is_weak = getattr(leaf, "weak_type", False)
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=is_weak)
    return leaf


def file_name(key):
    """The name of a program's file; ValueError for what cache_key does not return."""
    if not isinstance(key, str) or KEY.fullmatch(key) is None:
        raise ValueError(f"key is {key!r}, expected what cyxla.cache_key returns")
    return f"{key}.{cache_directory.PROGRAM}"


def store_lowered(key, program):
    """Keeps a program in the disk cache, under a key from :func:`cache_key`.

    Returns whether it was stored. It is not where the cache is turned off or cannot be
    written, and where the program calls Python functions of this process.
    """
    if not isinstance(program, Program):
        raise TypeError(f"program is {program!r}, expected what cyxla.lower returns")
    name = file_name(key)
    if cache_executables.calls_python(program):
        return False
    try:
        directory = cache_directory.opened(is_made=True)
        if directory is None or len(program.code) > cache_directory.limit(directory):
            return False
        program.with_details({"cache_key": key}).save(directory / name)
        cache_directory.trim(directory)
    except OSError as error:
        cache_executables.warn(error)
        return False
    return True


def load_lowered(key):
    """The program that is kept in the disk cache under a key, None if none is.

    As with :func:`load`, pytrees of types that a file cannot hold are lost: an
    executable of the program then has only ``run``.
    """
    name = file_name(key)
    try:
        directory = cache_directory.opened()
    except OSError as error:
        cache_executables.warn(error)
        return None
    if directory is None:
        return None
    try:
        program = Program.load(directory / name)
    except Error:
        return None
    # A file that was renamed holds another program, in perfect order.
    if program.details.get("cache_key") != key:
        return None
    cache_directory.mark_used(directory / name)
    return program
