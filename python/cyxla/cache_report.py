"""What is in the disk cache, as ``python -m cyxla cache`` prints it."""

import argparse
import re
from typing import NamedTuple

from cyxla import cache_directory
from cyxla.cache_directory import EXECUTABLE, PROGRAM

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
SIZE = re.compile(r"(\d+) ?(?:([KMGT])(?:iB|B)?|bytes)?", re.IGNORECASE)


class Report(NamedTuple):
    """The state of the cache; sizes are in bytes.

    ``directory`` is None where there is no cache, ``problem`` says why, and why the
    directory cannot be used; it is None where all is well.
    """

    directory: str | None
    size: int = 0
    limit: int = 0
    executables: int = 0
    programs: int = 0
    problem: str | None = None


def make_report():
    """The state of the cache of this user and environment."""
    place = cache_directory.place()
    if place is None:
        return Report(None, problem="it is turned off, or there is no place for it")
    try:
        directory = cache_directory.opened()
    except OSError as error:
        return Report(str(place), problem=str(error))
    present = [] if directory is None else cache_directory.entries(directory)
    kinds = [entry.kind for entry in present]
    return Report(
        directory=str(place),
        size=sum(entry.size for entry in present),
        limit=cache_directory.limit(place),
        executables=kinds.count(EXECUTABLE),
        programs=kinds.count(PROGRAM),
    )


def format_report(report):
    """The report as text."""
    lines = [f"directory    {report.directory or '-'}"]
    if report.problem is None:
        sizes = f"{format_size(report.size)} of at most {format_size(report.limit)}"
        lines.append(f"size         {sizes}")
        lines.append(f"executables  {report.executables}")
        lines.append(f"programs     {report.programs}")
    else:
        lines.append(f"there is no disk cache: {report.problem}")
    return "\n".join(lines)


def format_size(size):
    """A number of bytes in the unit that suits it."""
    power = 0
    while size >= 1024 and power + 1 < len(UNITS):
        size /= 1024
        power += 1
    return f"{size:.4g} {UNITS[power]}"


def parse_size(text):
    """The bytes that a text such as ``500M`` or ``2 GiB`` means."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no size, expected a number of bytes or one such as 500M or 2G"
        )
    power = "KMGT".index(found[2].upper()) + 1 if found[2] else 0
    return int(found[1]) * 1024**power


def clear():
    """Empties the cache, and tells what happened."""
    directory = cache_directory.opened()
    removed = [] if directory is None else cache_directory.clear(directory)
    size = format_size(sum(entry.size for entry in removed))
    return f"removed {len(removed)} entries of {size}"


def set_limit(limit):
    """Keeps a limit with the directory, which is made for that."""
    directory = cache_directory.opened(is_made=True)
    if directory is not None:
        cache_directory.set_limit(directory, limit)
