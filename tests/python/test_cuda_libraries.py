"""The CUDA libraries that are loaded before the plugin which needs them."""

import ctypes
import subprocess
import sys

import pytest
from cyxla import cuda_libraries
from plugins_for_tests import compiler
from scripts import output_of

# A library that tells its name when it is loaded.
TELLING = """
#include <stdio.h>
__attribute__((constructor)) static void tell(void) { puts(NAME); fflush(stdout); }
"""
PLUGIN_12 = "/packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so"
PLUGIN_13 = "/packages/cuda12/jax_plugins/xla_cuda13/xla_cuda_plugin.so"


def write_library(folder, directory, name):
    """Puts a library into a layout as that of the nvidia wheels."""
    path = folder / "nvidia" / directory / "lib" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [*compiler(), "-shared", "-fPIC", f'-DNAME="{name}"', "-x", "c", "-"]
    command += ["-o", str(path)]
    subprocess.run(command, input=TELLING, text=True, check=True)
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder where modules are found."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def names(libraries):
    return [name for _, name in libraries]


def test_every_library_is_loaded_in_the_order_of_jax(tmp_path):
    for directory, name in cuda_libraries.CUDA_13:
        write_library(tmp_path, directory, name)
    script = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from cyxla import cuda_libraries
        print(repr(cuda_libraries.preload(sys.argv[2])))
        """
    output = output_of(script, tmp_path, PLUGIN_13).splitlines()
    assert output == [*names(cuda_libraries.CUDA_13), "''"]
    assert output[:3] == ["libcudart.so.13", "libnvrtc.so.13", "libcublas.so.13"]


def test_libraries_are_those_of_the_plugin_s_version_of_cuda():
    assert cuda_libraries.libraries_for(PLUGIN_12) is cuda_libraries.CUDA_12
    assert cuda_libraries.libraries_for(PLUGIN_13) is cuda_libraries.CUDA_13
    assert cuda_libraries.libraries_for("/my/plugin.so") is cuda_libraries.CUDA_13


def test_missing_and_broken_libraries_are_named(folder):
    for directory, name in cuda_libraries.CUDA_12:
        path = folder / "nvidia" / directory / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
    write_library(folder, "cuda_nvrtc", "libnvrtc.so.12")
    broken = folder / "nvidia/cublas/lib/libcublas.so.12"
    broken.write_text("no library")
    problems = cuda_libraries.preload(PLUGIN_12)
    missing, unloadable = problems.split("; ")
    rest = set(names(cuda_libraries.CUDA_12)) - {"libnvrtc.so.12", "libcublas.so.12"}
    assert missing.startswith(
        "the nvidia wheels lack libcudart.so.12, libcublasLt.so.12"
    )
    assert set(missing.removeprefix("the nvidia wheels lack ").split(", ")) == rest
    assert unloadable.startswith(f"libcublas.so.12 cannot be loaded: {broken}: ")


def test_the_others_are_loaded_where_one_is_missing(tmp_path):
    write_library(tmp_path, "cu13", "libcublasLt.so.13")
    write_library(tmp_path, "cudnn", "libcudnn.so.9")
    script = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from cyxla import cuda_libraries
        cuda_libraries.preload(sys.argv[2])
        """
    output = output_of(script, tmp_path, PLUGIN_13)
    assert output.split() == ["libcublasLt.so.13", "libcudnn.so.9"]


def test_a_library_is_looked_for_in_every_place_of_the_wheels(folder, monkeypatch):
    (folder / "first" / "nvidia").mkdir(parents=True)
    path = write_library(folder / "second", "cudnn", "libcudnn.so.9")
    monkeypatch.syspath_prepend(folder / "second")
    monkeypatch.syspath_prepend(folder / "first")
    assert cuda_libraries.find("cudnn", "libcudnn.so.9") == path
    assert cuda_libraries.find("cudnn", "libcudnn.so.8") is None
    ctypes.CDLL(str(path))


def test_without_the_wheels_all_are_missing(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    assert cuda_libraries.nvidia_directories() == []
    assert cuda_libraries.preload(PLUGIN_13) == "the nvidia wheels lack " + ", ".join(
        names(cuda_libraries.CUDA_13)
    )


def test_a_module_of_that_name_is_no_wheel(folder):
    (folder / "nvidia.py").touch()
    assert cuda_libraries.nvidia_directories() == []
