"""Checks what the libraries export and need.

The shared library exports exactly the functions that the public header declares, and
what gdb looks for; it needs the C library and the loader only. It needs no function
that glibc 2.17 lacks, and is small. Every global name of the static library begins
with cyxla_, so that it cannot clash with those of the program around it.

usage: check_symbols.py HEADER SHARED_LIBRARY STATIC_LIBRARY
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

# Parts of the C library, some of them separate files in old versions only.
ALLOWED_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|ld-linux[-\w]*)\.so")

OLDEST_GLIBC = (2, 17)

# What glibc 2.17 has too, though a library that is built with a later one asks for a
# later version: functions that moved into libc from libdl and libpthread in 2.34, and
# stat and fstat, which were inline functions over __xstat and __fxstat until 2.33.
MOVED = set(
    "dladdr dlclose dlerror dlopen dlsym dlvsym fstat fstat64 pthread_once stat "
    "stat64".split()
)

# Where gdb learns of code that was loaded. In a library without its symbol table gdb
# sees only what is exported. The names are weak, so that they clash with nothing.
DEBUGGERS = {"__jit_debug_descriptor", "__jit_debug_register_code"}

STRIPPED_KIB_MAXIMUM = 400


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared(header):
    text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(), flags=re.S)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return {
        re.search(r"(\w+)\s*\(", declaration).group(1)
        for declaration in re.findall(r"CYXLA_API\s+([^;]*)", text)
    }


def defined(library, *options):
    """The names that a library defines, but for what is weak and debuggers look for."""
    lines = output("nm", "--defined-only", *options, library).splitlines()
    symbols = [fields[1:] for fields in map(str.split, lines) if len(fields) == 3]
    return {name for kind, name in symbols if kind not in "VW" or name not in DEBUGGERS}


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", library))


def too_new(library):
    """The functions that the library needs and glibc 2.17 does not have."""
    options = ["--dynamic", "--undefined-only", "--with-symbol-versions"]
    for line in output("nm", *options, library).splitlines():
        kind, symbol = line.split()[:2]
        name, _, version = symbol.partition("@")
        if name in MOVED or (kind == "w" and not version):
            continue  # the compiler's own weak names are optional
        numbers = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version)
        if not numbers or tuple(map(int, numbers.groups()[:2])) > OLDEST_GLIBC:
            yield symbol


def stripped_kib(library):
    with TemporaryDirectory() as folder:
        copy = Path(folder, "stripped")
        output("strip", "-o", copy, library)
        return copy.stat().st_size / 1024


def complaints(header, shared, static):
    wanted, exported = declared(header), defined(shared, "--dynamic")
    for name in sorted(exported - wanted):
        yield f"{shared} exports {name}, which {header} does not declare"
    for name in sorted(wanted - exported):
        yield f"{header} declares {name}, which {shared} does not export"
    for name in needed(shared):
        if not ALLOWED_LIBRARIES.match(name):
            yield f"{shared} needs {name}; only libc, libm and the loader are allowed"
    for symbol in too_new(shared):
        yield (
            f"{shared} needs {symbol}, which glibc 2.17 does not have; do without, or "
            "name it in MOVED if 2.17 has it under an older version"
        )
    if (kib := stripped_kib(shared)) >= STRIPPED_KIB_MAXIMUM:
        yield (
            f"{shared} has {kib:.0f} KiB without its symbol table; fewer than "
            f"{STRIPPED_KIB_MAXIMUM} are allowed"
        )
    for name in sorted(defined(static, "--extern-only")):
        if not name.startswith("cyxla_"):
            yield f"{static} defines {name}, which does not begin with cyxla_"


if __name__ == "__main__":
    found = list(complaints(*sys.argv[1:]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
