"""Builds the extension module native_loops against the installed C library."""

import importlib.util
import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import cyxla as cx

SOURCES = Path(__file__).parent
FLAGS = ["-O3", "-fPIC", "-shared", "-pthread"]


def compiler():
    """The command of the C compiler, a list of words: CC or cc."""
    return shlex.split(os.environ.get("CC") or "cc")


def build(prefix, folder):
    """Translates and compiles the module. Returns its path."""
    headers, declarations = cx.get_include()
    generated = folder / "native_loops.c"
    module = folder / f"native_loops{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run(
        [
            *[sys.executable, "-m", "cython", "-3", "-I", declarations],
            *[SOURCES / "native_loops.pyx", "--output-file", generated],
        ],
        check=True,
    )
    libraries = Path(prefix) / "lib"
    subprocess.run(
        [
            *[*compiler(), *FLAGS, "-o", module],
            *[f"-I{SOURCES}", f"-I{headers}", f"-I{sysconfig.get_path('include')}"],
            *[generated, SOURCES / "bare_pjrt.c", SOURCES / "call_loop.c"],
            *[f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lcyxla", "-ldl"],
        ],
        check=True,
    )
    return module


def build_kernel_loop(prefix, library):
    """Compiles kernel_loop.c, with the static library and what that hides."""
    subprocess.run(
        [
            *[*compiler(), "-std=c99", *FLAGS, "-DCYXLA_STATIC", "-Wl,-Bsymbolic"],
            *["-o", library, SOURCES / "kernel_loop.c", f"-I{SOURCES.parent / 'src'}"],
            *[f"-I{Path(prefix) / 'include'}", Path(prefix) / "lib" / "libcyxla.a"],
            *["-ldl", "-lm"],
        ],
        check=True,
    )


def build_program(prefix, source, program):
    """Compiles a C program, which may use the installed C library."""
    libraries = Path(prefix) / "lib"
    subprocess.run(
        [
            *[*compiler(), "-std=c99", "-O3", "-o", program, SOURCES / source],
            *[f"-I{Path(prefix) / 'include'}", f"-L{libraries}"],
            *[f"-Wl,-rpath,{libraries}", "-Wl,--as-needed", "-lcyxla"],
        ],
        check=True,
    )
    return program


def load(module):
    """The module at that path, imported."""
    specification = importlib.util.spec_from_file_location("native_loops", module)
    native_loops = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(native_loops)
    return native_loops
