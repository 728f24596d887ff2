"""Which build of a plugin is loaded, remembered from process to process.

The library has to be read for that, which takes a tenth of a second, longer than
loading what was compiled. The cache keeps the answer beside what tells that the file is
still the same.
"""

import os
import time

from cyxla import _runtime, cache_directory
from cyxla.cache_digests import digest

# Two changes of a file within one tick of the system's clock look the same.
SETTLED_SECONDS = 2

# What the library's file was when it was loaded: it may be replaced later. None where
# that is not known.
_loaded = None


def state_of(path):
    """What tells a file from one that was put in its place or written to later. The
    time of the last change of the file's state cannot be set by a program. None for
    what is no file, also where it can be no path, which is refused when it is loaded.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    known = (found.st_dev, found.st_ino, found.st_size)
    return (str(path), *known, found.st_mtime_ns, found.st_ctime_ns)


def note(path, before):
    """Notes what was loaded from a path, where its state was the same before."""
    global _loaded
    _loaded = before if before == state_of(path) else None


def is_settled(state):
    """Whether a state will have changed if the file does."""
    return time.time_ns() - state[-1] > SETTLED_SECONDS * 10**9


def identity_of(loaded, directory):
    """The identity of a runtime's plugin, taken from the cache if it is there."""
    if _loaded is None or not is_settled(_loaded):
        return _runtime.plugin_identity(loaded)
    key = digest("plugin", *map(str, _loaded)).hex()
    name = f"{key}.{cache_directory.PLUGIN}"
    found = cache_directory.read(directory, name)
    if found is not None:
        return found.decode()
    identity = _runtime.plugin_identity(loaded)
    cache_directory.write(directory, name, identity.encode())
    return identity
