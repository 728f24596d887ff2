"""Python in processes of its own, since a process loads one plugin."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path


def run_python(*arguments, **environment):
    """Runs Python with warnings as errors. Returns the finished process.

    Keyword arguments are environment variables; None removes one.
    """
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-W", "error", *map(str, arguments)],
        env={name: value for name, value in variables.items() if value is not None},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def path_of_tests():
    """PYTHONPATH for what this process finds, the corpus and the helpers."""
    tests = Path(__file__).parent
    return os.pathsep.join([*sys.path, str(tests.parent), str(tests)])


def output_of(source, *arguments, **environment):
    """What a script prints that succeeds and writes nothing to standard error."""
    process = run_python("-c", textwrap.dedent(source), *arguments, **environment)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout
