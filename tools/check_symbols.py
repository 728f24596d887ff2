"""Checks what the libraries export and need.

The shared library exports exactly the functions that the public header declares, and
needs the C library and the loader only. Every global name of the static library
begins with cyxla_, so that it cannot clash with those of the program around it.

usage: check_symbols.py HEADER SHARED_LIBRARY STATIC_LIBRARY
"""

import re
import subprocess
import sys
from pathlib import Path

# Parts of the C library, some of them separate files in old versions only.
ALLOWED_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|ld-linux[-\w]*)\.so")


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
    lines = output("nm", "--defined-only", *options, library).splitlines()
    return {fields[2] for fields in map(str.split, lines) if len(fields) == 3}


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", library))


def complaints(header, shared, static):
    wanted, exported = declared(header), defined(shared, "--dynamic")
    for name in sorted(exported - wanted):
        yield f"{shared} exports {name}, which {header} does not declare"
    for name in sorted(wanted - exported):
        yield f"{header} declares {name}, which {shared} does not export"
    for name in needed(shared):
        if not ALLOWED_LIBRARIES.match(name):
            yield f"{shared} needs {name}; only libc, libm and the loader are allowed"
    for name in sorted(defined(static, "--extern-only")):
        if not name.startswith("cyxla_"):
            yield f"{static} defines {name}, which does not begin with cyxla_"


if __name__ == "__main__":
    found = list(complaints(*sys.argv[1:]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
