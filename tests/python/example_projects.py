"""Running the projects in examples/ as a user does."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Of the make that runs the tests, and of the coverage that they are measured with.
NOT_FOR_EXAMPLES = {
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "COVERAGE_PROCESS_CONFIG",
}


def run(*command, folder, **environment):
    """Runs a command as a user does, apart from what runs the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in NOT_FOR_EXAMPLES
    }
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**kept, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def make(folder, prefix, *arguments):
    return run(
        "make",
        "run",
        f"PYTHON={sys.executable}",
        f"PREFIX={prefix}",
        *arguments,
        folder=folder,
    )


def copy_example(name, folder):
    """Copies an example without what was built in its folder."""
    without_build = shutil.ignore_patterns("build")
    return shutil.copytree(
        ROOT / "examples" / name, folder / name, ignore=without_build
    )


def script_runner(folder, modules, begin):
    """A function that runs a script after the beginning, in the folder of an example,
    whose modules it finds; returns what the script prints, which must be no error."""
    path = os.pathsep.join([str(modules), os.environ.get("PYTHONPATH", "")])

    def output_of_script(script):
        source = begin + textwrap.dedent(script)
        result = run(sys.executable, "-c", source, folder=folder, PYTHONPATH=path)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout

    return output_of_script
