"""Running saved programs in a process without Python."""

import os
import subprocess
from pathlib import Path

import cyxla as cx
import numpy as np
from plugins_for_tests import CPU_PLUGIN, ROOT, compiler

SOURCE = ROOT / "tests" / "native" / "run_programs.c"

# What a process without Python has of the tests' environment.
KEPT = ["PATH", "HOME", "TMPDIR", "LD_PRELOAD"]


def build_runner(prefix, folder):
    """The program that runs saved programs, built against the C library."""
    library = Path(prefix) / "lib"
    runner = folder / "run_programs"
    subprocess.run(
        [
            *compiler(),
            "-std=c99",
            f"-I{prefix}/include",
            str(SOURCE),
            "-o",
            str(runner),
            f"-L{library}",
            "-lcyxla",
            f"-Wl,-rpath,{library}",
        ],
        check=True,
    )
    return runner


class SavedPrograms:
    """Programs in a folder, with the arguments to run them with."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = []

    def add(self, program, arguments):
        """Saves a program with arguments, one for each input."""
        number = len(self.programs)
        self.programs.append(program)
        cx.save(self.folder / f"{number}.cyxla", program)
        data = b"".join(
            np.ascontiguousarray(argument, spec.dtype).tobytes()
            for argument, spec in zip(arguments, program.inputs, strict=True)
        )
        (self.folder / f"{number}.in").write_bytes(data)

    def run(self, runner, **environment):
        """The results of each program, a list of arrays, or the text of its error."""
        lines = [
            " ".join(str(self.folder / f"{i}.{end}") for end in ("cyxla", "in", "out"))
            for i in range(len(self.programs))
        ]
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        process = subprocess.run(
            [str(runner)],
            input="\n".join(lines),
            env={**kept, "CYXLA_PLUGIN": str(CPU_PLUGIN), **environment},
            capture_output=True,
            text=True,
        )
        # What ended the process comes from the program after the last that is told of.
        assert (process.returncode, process.stderr) == (0, ""), len(
            process.stdout.splitlines()
        )
        told = process.stdout.splitlines()
        assert len(told) == len(lines)
        return [
            self.read_results(i) if text == "ok" else text
            for i, text in enumerate(told)
        ]

    def read_results(self, number):
        data = (self.folder / f"{number}.out").read_bytes()
        results = []
        at = 0
        for spec in self.programs[number].outputs:
            dtype = np.dtype(spec.dtype)
            count = int(np.prod(spec.shape))
            array = np.frombuffer(data, dtype, count, at)
            results.append(array.reshape(spec.shape))
            at += count * dtype.itemsize
        return results
