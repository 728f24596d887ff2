"""Compiled executables in the disk cache, which compile_program stores and finds."""

import io
import warnings
from pathlib import Path
from typing import NamedTuple

from jax.extend import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.passmanager import PassManager

from cyxla import _runtime, cache_directory, cache_identity, callbacks, runtime
from cyxla.cache_digests import digest
from cyxla.errors import Error

# Raised when the meaning of keys or the form of entries changes.
FORMAT = "1"

_has_warned = False


def warn(error):
    """Says once in a process why the cache is of no use."""
    global _has_warned
    if not _has_warned:
        _has_warned = True
        warnings.warn(
            f"the disk cache cannot be used: {error}; set CYXLA_CACHE_DIR to a "
            f"directory of yours, or to {cache_directory.OFF} to do without",
            RuntimeWarning,
            stacklevel=4,
        )


class Slot(NamedTuple):
    """The place in the cache of one program, compiled for one runtime."""

    directory: Path
    name: str

    def load(self, kind, loaded, program, **how):
        """The executable that is kept here, None if there is none that is usable."""
        data = cache_directory.read(self.directory, self.name)
        if data is None:
            return None
        try:
            return kind.create(loaded, program, data=data, **how)
        except Error:
            # Whatever is wrong, compiling makes it right or says it better.
            return None

    def store(self, executable):
        """Keeps an executable here, if that is possible."""
        try:
            data = executable.serialize()
            cache_directory.write(self.directory, self.name, data)
        except OSError as error:
            warn(error)
        except Error:
            # Not every plugin can serialize, and the executable works all the same.
            return


def calls_python(program):
    """Whether a program calls functions of this process, which another one lacks."""
    return callbacks.TARGET.encode() in program.code


def is_cached(program, flags):
    """Whether a program's executable may come from the cache."""
    # Files of flags may change, and what XLA is asked to dump comes from compiling.
    is_file = bool(flags) and not flags.lstrip().startswith("--")
    asks_for_dump = b"xla_dump" in program.compile_options or "xla_dump" in flags
    return not (is_file or asks_for_dump or calls_python(program))


def slot_for(loaded, program):
    """The place of a program in the cache, None where it cannot be cached."""
    if not is_cached(program, runtime.client_settings().flags):
        return None
    try:
        directory = cache_directory.opened(is_made=True)
        if directory is None:
            return None
        identity = cache_identity.identity_of(loaded, directory)
    except OSError as error:
        warn(error)
        return None
    except Error:
        # The library's file was replaced after it had been loaded.
        return None
    key = key_of(loaded, program, identity)
    return Slot(directory, f"{key}.{cache_directory.EXECUTABLE}")


def key_of(loaded, program, identity):
    """A digest of all that machine code depends on, since a plugin does not notice
    what is different."""
    info = loaded.info
    return digest(
        FORMAT,
        identity,
        str(info.pjrt_api_version),
        info.platform,
        info.platform_version,
        str(info.devices),
        _runtime.cpu_features(),
        str(runtime.client_settings()),
        program.compile_options,
        without_locations(program.code),
    ).hex()


def without_locations(code):
    """The code without the names and lines of the source that it came from: a program
    stays the same when a file of it gets another line. What is no StableHLO that jaxlib
    reads is left as it is."""
    with ir.Context() as context:
        # A forked child has none of the threads, and would wait for them for ever.
        context.enable_multithreading(False)
        try:
            module = mlir.deserialize_portable_artifact(code, context)
            passes = PassManager.parse("builtin.module(strip-debuginfo)")
            passes.run(module.operation)
        except RuntimeError:
            return code
        stripped = io.BytesIO()
        module.operation.write_bytecode(stripped)
        return stripped.getvalue()
