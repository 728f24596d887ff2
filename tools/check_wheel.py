"""Checks that the wheel in a folder holds the Python package, all of it and no more,
and that its extension module exports its init function only: the C library inside it
must not mix with another one in the process.

usage: check_wheel.py FOLDER
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent.parent
# Sources that are compiled, and what a run of the sources leaves.
NOT_SHIPPED = re.compile(r"\.pyx$|\.pxi$|\.pyc$|^meson\.build$")


def wanted():
    package = SOURCE / "python"
    for path in package.rglob("*"):
        if path.is_file() and not NOT_SHIPPED.search(path.name):
            yield path.relative_to(package).as_posix()
    yield "cyxla/include/cyxla.h"
    yield "cyxla/include/cyxla_ffi.h"
    for path in (SOURCE / "src" / "abi").iterdir():
        yield f"cyxla/include/abi/{path.name}"
    yield "cyxla/_runtime.so"


def held(wheel):
    for name in zipfile.ZipFile(wheel).namelist():
        if not name.partition("/")[0].endswith(".dist-info"):
            yield re.sub(r"(_runtime)\.[\w.-]+\.so$", r"\1.so", name)


def exported(wheel):
    (name,) = (
        name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")
    )
    with tempfile.TemporaryDirectory() as folder:
        library = zipfile.ZipFile(wheel).extract(name, folder)
        command = ("nm", "--defined-only", "--dynamic", library)
        lines = subprocess.check_output(command, text=True).splitlines()
    return {line.split()[-1] for line in lines}


def complaints(wheel):
    should, does = set(wanted()), set(held(wheel))
    for name in sorted(should - does):
        yield f"{wheel.name} lacks {name}"
    for name in sorted(does - should):
        yield f"{wheel.name} holds {name}, which does not belong there"
    for name in sorted(exported(wheel) - {"PyInit__runtime"}):
        yield f"the extension module exports {name}"


if __name__ == "__main__":
    (only_wheel,) = Path(sys.argv[1]).glob("*.whl")
    found = list(complaints(only_wheel))
    print("\n".join(found))
    sys.exit(1 if found else 0)
