"""How much memory a process takes for many runs that it does not take for few.

A script of its own, since the memory of the other contestants would be counted too, and
what they have freed would be used. Prints the bytes.

usage: memory.py CONTESTANT NATIVE_MODULE FOLDER FEW_RUNS MANY_RUNS
"""

import sys
from pathlib import Path

import contestants
import functions
import native_build


def resident_bytes():
    """The memory that the process has in use, counted exactly."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/smaps_rollup has no line Rss:")


def main():
    name, module, folder, few, many = sys.argv[1:]
    (prepare,) = [c.prepare for c in contestants.CONTESTANTS if c.name == name]
    native = native_build.load(Path(module))
    function = functions.functions()[0]
    loop = prepare(contestants.Setting(function, native, Path(folder), []))
    loop.time(int(few))
    before = resident_bytes()
    loop.time(int(many) - int(few))
    print(resident_bytes() - before)


if __name__ == "__main__":
    main()
