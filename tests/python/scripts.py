"""Python in processes of its own, since a process loads one plugin."""

import os
import subprocess
import sys
import textwrap


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


def output_of(source, *arguments, **environment):
    """What a script prints that succeeds and writes nothing to standard error."""
    process = run_python("-c", textwrap.dedent(source), *arguments, **environment)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout
