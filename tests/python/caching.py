"""What the tests of the disk cache share."""

import os
import re

import cyxla as cx
import numpy as np

VECTOR = np.array([1.0, 2.0, 3.0], np.float32)

# A script that compiles the program of a file and tells whether it was in the cache.
COMPILE = """
import sys
import cyxla as cx
program = cx.Program.load(sys.argv[1])
executable, statistics = cx.compile_program(program)
print(statistics.from_cache)
"""


def is_from_cache(program, **options):
    """Compiles a program and tells whether it was in the cache."""
    return cx.compile_program(program, **options)[1].from_cache


def files_of(directory, kind="executable"):
    """The files of the entries of one kind."""
    return sorted(directory.glob(f"*.{kind}"))


def use_of(path, when):
    """Makes it look as if a file was last used then."""
    os.utime(path, (when, when))


def without_numbers(text):
    return re.sub(r"\d+(\.\d+)?", "N", text)
