"""Building modules that use cyxla from C, as the packages of others do."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import cyxla
from example_projects import ROOT, run
from plugins_for_tests import compiler


def build_module(source, folder, declarations=None):
    """Translates and compiles one source into a module in a folder.

    ``declarations`` is the folder of other .pxd files than those of cyxla.
    """
    headers, own_declarations = cyxla.get_include()
    name = Path(source).stem
    translated = folder / f"{name}.c"
    module = folder / (name + sysconfig.get_config_var("EXT_SUFFIX"))
    cython = [sys.executable, "-m", "cython", "-3", "-I"]
    cython += [str(declarations or own_declarations), str(source), "-o", translated]
    subprocess.run(cython, check=True, stdin=subprocess.DEVNULL)
    includes = [f"-I{headers}", f"-I{sysconfig.get_path('include')}"]
    command = [
        *compiler(),
        "-fPIC",
        "-shared",
        *includes,
        str(translated),
        "-o",
        module,
    ]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return module


class Installed(NamedTuple):
    """Folders that packages are installed in."""

    cyxla: Path
    downstream: Path

    def python(self, *arguments, folder):
        """Runs Python with the two packages, and nothing of the source tree."""
        path = os.pathsep.join(map(str, self))
        return run(sys.executable, "-P", *arguments, folder=folder, PYTHONPATH=path)

    def output_of(self, script, folder):
        result = self.python("-c", script, folder=folder)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout


def pip(*arguments, folder, path=""):
    """Runs pip where it can download nothing."""
    options = ["--no-index", "--no-deps", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-P", "-m", "pip", *arguments, *options]
    result = run(*command, folder=folder, PYTHONPATH=str(path))
    assert result.returncode == 0, result.stdout + result.stderr


def install_downstream(wheel, folder):
    """Installs the wheel of cyxla and builds tests/downstream against it."""
    installed = Installed(folder / "cyxla", folder / "downstream")
    source = shutil.copytree(ROOT / "tests" / "downstream", folder / "source")
    pip("install", "--target", installed.cyxla, wheel, folder=folder)
    pip(
        *["wheel", "--no-build-isolation", "--wheel-dir", folder / "wheels", source],
        folder=folder,
        path=installed.cyxla,
    )
    (built,) = (folder / "wheels").glob("*.whl")
    pip("install", "--target", installed.downstream, built, folder=folder)
    return installed
