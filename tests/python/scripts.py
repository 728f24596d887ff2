"""Python scripts in processes of their own, since a process loads one plugin."""

import os
import subprocess
import sys
import textwrap


def run_script(source, *arguments, **environment):
    """Runs a script with warnings as errors. Returns the finished process.

    Keyword arguments are environment variables; None removes one.
    """
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(source)]
        + [str(argument) for argument in arguments],
        env={name: value for name, value in variables.items() if value is not None},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def output_of(source, *arguments, **environment):
    """What a script prints that succeeds and writes nothing to standard error."""
    process = run_script(source, *arguments, **environment)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout
