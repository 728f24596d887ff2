"""The runtime of the process: the one plugin that is loaded, and its client."""

import json
import numbers
import os
from os import PathLike
from typing import NamedTuple

from cyxla import (
    _runtime,
    cache_identity,
    cuda_libraries,
    custom_calls,
    plugins,
    process,
)
from cyxla.errors import Error
from cyxla.options import check_options

_client_settings = None


def initialize(
    plugin=None, *, platform=None, options=None, threads=None, jax_targets=True
):
    """Loads a plugin and creates its client. Returns a :class:`RuntimeInfo`.

    ``plugin`` is the path of a PJRT plugin's library, and ``platform`` then names the
    platform that it implements. Without a path the plugin for ``platform`` is looked
    for: CYXLA_PLUGIN, then packages with an entry point in the group ``cyxla.plugins``,
    then the wheels of JAX and others that are known to hold one. Without a platform it
    is that of CYXLA_PLUGIN, or the first of CPU, CUDA, ROCm and TPU that is installed.

    ``options`` are handed to the plugin's client: a dict of bool, int, float, str or
    lists of int. They add to or replace what cyxla sets itself: a CPU client runs
    synchronously on one device, a GPU client does not preallocate memory.

    ``threads`` is the number of threads in the plugin's pool for computing; by default
    the plugin takes one for each core that it may use. The plugin has a few threads
    besides, for compiling and waiting.

    Unless ``jax_targets`` is False, the handlers of custom calls that jaxlib ships are
    registered with the plugin, for linear algebra and sparse matrices. Those that are
    registered with JAX or by :func:`register_ffi_target` always are.

    A process loads one plugin. The first function that needs one calls this without
    arguments, so a choice has to come before. Later calls return the details of the
    first, whatever their arguments. A call that fails may be repeated.
    """
    options = check_options(options)
    if plugin is not None and not isinstance(plugin, (str, PathLike)):
        raise TypeError(f"plugin is {plugin!r}, expected a path")
    if platform is not None:
        platform = plugins.canonical_platform(platform)
    threads = check_threads(threads)
    with process.lock:
        return _initialize(plugin, platform, options, threads, jax_targets).info


def _initialize(plugin, platform, options, threads, jax_targets=True):
    if process.runtime is None:
        if plugin is not None:
            found = plugins.Plugin(None, plugin, "a path")
        elif platform is not None:
            found = plugins.find_plugin(platform)
        else:
            found = plugins.find_default_plugin()
        if platform is None and found.source != "CYXLA_PLUGIN":
            platform = found.platform
        state = cache_identity.state_of(found.path)
        created = create(found, platform, options, threads)
        cache_identity.note(found.path, state)
        custom_calls.attach(created, jax_targets)
        process.runtime = created
    return process.runtime


def create(plugin, platform, options, threads):
    """The runtime of a plugin that was found, which has to be of a platform unless that
    is None. A library's name is a hint at its platform and no more."""
    options = {**(plugin.options or {}), **options}
    likely = platform or plugins.platform_of_path(plugin.path)
    problems = cuda_libraries.preload(plugin.path) if likely == "cuda" else ""
    note_settings(options, threads)
    try:
        return _runtime.Runtime(plugin.path, platform, options, threads)
    except Error as error:
        # Options are refused whatever libraries there are.
        if not problems or error.status == "INVALID_ARGUMENT":
            raise
        raise Error(f"{error} ({problems})", error.status) from error


class ClientSettings(NamedTuple):
    """What a client was made with that machine code depends on.

    ``num_threads`` is what was asked for, None for nothing, and ``num_cores`` how many
    cores there were: XLA divides loops among threads when it compiles. ``flags`` are
    those of XLA_FLAGS, "" for none.
    """

    options: str
    num_threads: str
    num_cores: int
    flags: str


def note_settings(options, threads):
    """Remembers what a client is made with, since the environment may change later."""
    global _client_settings
    _client_settings = ClientSettings(
        options=json.dumps(options, sort_keys=True),
        num_threads=str(threads or _runtime.environment_num_threads()),
        num_cores=num_cores(),
        flags=_runtime.environment_xla_flags(),
    )


def num_cores():
    """How many cores this process may use, which XLA makes as many threads for."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def client_settings():
    """What the client of the process was made with, None where there is none."""
    return _client_settings


def runtime_for(platform):
    """The runtime of the process, with the plugin for a platform if none is loaded."""
    with process.lock:
        return _initialize(None, platform, {}, 0)


def loaded_platform():
    """The platform of the plugin that is loaded, None if none is."""
    runtime = process.runtime
    return None if runtime is None else runtime.info.platform


def runtime_info():
    """What is loaded, a :class:`RuntimeInfo`; loads the default plugin if none is."""
    return initialize()


def check_threads(threads):
    """The number of threads as C takes it, where 0 leaves it to the plugin."""
    if threads is None:
        return 0
    if not isinstance(threads, numbers.Integral) or not 1 <= threads < 2**31:
        raise ValueError(f"threads is {threads!r}, expected a positive integer or None")
    return int(threads)
