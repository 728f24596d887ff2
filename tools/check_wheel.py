"""Checks that the wheel in a folder holds the Python package, all of it and no more.

usage: check_wheel.py FOLDER
"""

import re
import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent.parent
# Sources that are compiled, and what a run of the sources leaves.
NOT_SHIPPED = re.compile(r"\.pyx$|\.pyc$|^meson\.build$")


def wanted():
    package = SOURCE / "python"
    for path in package.rglob("*"):
        if path.is_file() and not NOT_SHIPPED.search(path.name):
            yield path.relative_to(package).as_posix()
    yield "cyxla/include/cyxla.h"
    for path in (SOURCE / "src" / "abi").iterdir():
        yield f"cyxla/include/abi/{path.name}"
    yield "cyxla/_runtime.so"


def held(wheel):
    for name in zipfile.ZipFile(wheel).namelist():
        if not name.partition("/")[0].endswith(".dist-info"):
            yield re.sub(r"(_runtime)\.[\w.-]+\.so$", r"\1.so", name)


def complaints(wheel):
    should, does = set(wanted()), set(held(wheel))
    for name in sorted(should - does):
        yield f"{wheel.name} lacks {name}"
    for name in sorted(does - should):
        yield f"{wheel.name} holds {name}, which does not belong there"


if __name__ == "__main__":
    (only_wheel,) = Path(sys.argv[1]).glob("*.whl")
    found = list(complaints(only_wheel))
    print("\n".join(found))
    sys.exit(1 if found else 0)
