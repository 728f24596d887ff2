"""The directory of the disk cache, and the files in it.

Each entry is one file whose name is its key. Code that a plugin loads has a head that
repeats the name and holds a checksum, since a plugin that is given damaged bytes, or
those of another plugin, may crash or compute wrong numbers.

Files are written under another name and renamed, so that any number of processes use
one directory at once without waiting for one another.
"""

import contextlib
import hashlib
import os
import re
import stat
import struct
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from cyxla import _runtime

OFF = "none"  # the value of CYXLA_CACHE_DIR that turns the cache off

# What the names of entries end in.
EXECUTABLE, PROGRAM, PLUGIN = KINDS = ("executable", "cyxla", "plugin")

LIMIT_FILE = "limit"
DEFAULT_LIMIT = 2**30

# What may be removed. All else in the directory is somebody else's and stays.
ENTRY_NAME = re.compile(rf"[0-9a-f]{{64}}\.({'|'.join(KINDS)})")

# Saving a program makes temporary files of such names too.
TEMPORARY_PREFIX, TEMPORARY_SUFFIX = ".cyxla-", ".tmp"

# No process takes so long between making a temporary file and renaming it.
ABANDONED_SECONDS = 24 * 60 * 60

MAGIC = b"\x89cyxla-entry\r\n\n"


class Entry(NamedTuple):
    """A file of the cache: its path, size in bytes and the time of its last use."""

    path: Path
    size: int
    used: int

    @property
    def kind(self):
        return self.path.suffix[1:]


def place():
    """Where the cache is, None if it is turned off or there is no place for it."""
    named, user_caches, home = _runtime.environment_cache()
    if named is not None:
        return None if named == OFF else Path(named).absolute()
    # Relative paths in this variable count as unset, as its specification says.
    if user_caches is not None and os.path.isabs(user_caches):
        return Path(user_caches, "cyxla")
    return None if home is None else Path(home, ".cache", "cyxla").absolute()


def check(path):
    """Refuses a directory that somebody else could put machine code into."""
    found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(f"{path} is no directory")
    if os.name == "posix" and found.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user")
    if os.name == "posix" and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"others may write to {path}; chmod go-w changes that")


def opened(is_made=False):
    """The directory's path after it was checked, None where there is none. OSError
    tells why it cannot be used."""
    path = place()
    if path is None:
        return None
    if is_made:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    elif not os.path.lexists(path):
        return None
    check(path)
    return path


def head_of(name, content):
    """What the file of an entry begins with: what it is, and a checksum of all."""
    sizes = struct.pack("<QQ", len(name), len(content))
    digest = hashlib.sha256(MAGIC + sizes + name.encode())
    digest.update(content)
    return MAGIC + sizes + digest.digest() + name.encode()


def read(directory, name):
    """The content of an entry, None if it is not there or not as it was written."""
    path = directory / name
    try:
        # Opening a pipe would wait for a writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        data = path.read_bytes()
    except OSError:
        return None
    start = len(head_of(name, b""))
    content = memoryview(data)[start:]
    if data[:start] != head_of(name, content):
        return None
    mark_used(path)
    return bytes(content)


def mark_used(path):
    """Makes an entry the last to be removed."""
    # What can be read can still be of use where nothing can be written.
    with contextlib.suppress(OSError):
        os.utime(path)


def write(directory, name, content):
    """Stores an entry unless it is larger than the whole cache may be."""
    head = head_of(name, content)
    if len(head) + len(content) > limit(directory):
        return
    replace(directory / name, head, content)
    trim(directory)


def replace(path, *parts):
    """Writes a file and gives it its name when all of it is there."""
    descriptor, temporary = tempfile.mkstemp(
        TEMPORARY_SUFFIX, TEMPORARY_PREFIX, path.parent
    )
    try:
        with open(descriptor, "wb") as file:
            for part in parts:
                file.write(part)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def limit(directory):
    """The bytes that all entries together may have."""
    try:
        return int((directory / LIMIT_FILE).read_text("ascii"))
    except (OSError, ValueError):
        return DEFAULT_LIMIT


def set_limit(directory, limit):
    """Keeps a limit with the directory, for all processes that use it."""
    replace(directory / LIMIT_FILE, f"{limit}\n".encode())
    trim(directory)


def entries(directory):
    """All entries, the least recently used first."""
    found = []
    with os.scandir(directory) as files:
        for file in files:
            if ENTRY_NAME.fullmatch(file.name) is None:
                continue
            # Another process may have removed it meanwhile.
            with contextlib.suppress(FileNotFoundError):
                known = file.stat(follow_symlinks=False)
                path = directory / file.name
                found.append(Entry(path, known.st_size, known.st_mtime_ns))
    return sorted(found, key=lambda entry: (entry.used, entry.path))


def remove(path):
    """Removes a file; another process may be doing so too."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def trim(directory):
    """Removes the least recently used entries until the rest is within the limit."""
    present = entries(directory)
    most = limit(directory)
    total = sum(entry.size for entry in present)
    for entry in present:
        if total <= most:
            break
        remove(entry.path)
        total -= entry.size
    remove_temporaries(directory)


def remove_temporaries(directory):
    """Removes files that a process which ended early left behind."""
    before = time.time() - ABANDONED_SECONDS
    for path in directory.glob(f"{TEMPORARY_PREFIX}*{TEMPORARY_SUFFIX}"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()


def clear(directory):
    """Removes all entries and returns what was there."""
    present = entries(directory)
    for entry in present:
        remove(entry.path)
    remove_temporaries(directory)
    return present
