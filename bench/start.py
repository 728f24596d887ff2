"""How long it takes in a fresh process to open a file and to run its program once.

A script of its own, without the Python package, as a native program does it. Prints the
nanoseconds, and whether the program was loaded (1) or compiled (0).

usage: start.py LIBRARY PLUGIN FILE
"""

import ctypes
import os
import sys
from time import perf_counter_ns


def main():
    path, os.environ["CYXLA_PLUGIN"], file = sys.argv[1:]
    library = ctypes.CDLL(path)
    executable, call = ctypes.c_void_p(), ctypes.c_void_p()
    start = perf_counter_ns()
    failures = (
        library.cyxla_open(os.fsencode(file), None, ctypes.byref(executable), None),
        library.cyxla_call_create(executable, ctypes.byref(call), None),
        library.cyxla_call_run(call, None),
    )
    nanoseconds = perf_counter_ns() - start
    if any(failures):
        raise RuntimeError(f"{file} cannot be run: {failures}")
    print(nanoseconds, library.cyxla_executable_is_deserialized(executable) & 1)


if __name__ == "__main__":
    main()
