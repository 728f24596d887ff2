"""How large the installed library is, and how new a C library it needs."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from targets import Result


def stripped_bytes(library):
    with TemporaryDirectory() as folder:
        copy = Path(folder, "stripped.so")
        subprocess.run(["strip", "-o", copy, library], check=True)
        return copy.stat().st_size


def newest_glibc(library):
    """The latest version of glibc whose symbols the library asks for."""
    text = subprocess.run(
        ["readelf", "--version-info", library],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    versions = re.findall(r"Name: GLIBC_([\d.]+)", text)
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])


def library(path):
    """The target for the library's size. Its title tells which glibc it needs."""
    title = f"size of libcyxla.so, stripped, which needs glibc {newest_glibc(path)}"
    return Result(title, 400.0, True, stripped_bytes(path) / 1024, None, "KiB")
