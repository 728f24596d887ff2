#!/usr/bin/env python3
"""Installs the .mod files of the Fortran module, which Meson does not do itself.

usage: install_modules.py FOLDER_WITH_MODULES FOLDER_BELOW_THE_PREFIX
"""

import os
import shutil
import sys
from pathlib import Path


def main():
    source, below = sys.argv[1:]
    destination = Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], below)
    destination.mkdir(parents=True, exist_ok=True)
    modules = sorted(Path(source).glob("cyxla*.mod"))
    if not modules:
        sys.exit(f"{source} holds no modules, expected cyxla.mod")
    for module in modules:
        shutil.copy(module, destination)


if __name__ == "__main__":
    main()
