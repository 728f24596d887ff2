"""Machines without a plugin's hardware: one clear error, and the CPU still works."""

import subprocess
import sys
from pathlib import Path

import pytest
from distributions import write_package, write_plugin
from plugins_for_tests import CPU_PLUGIN, compiler
from scripts import output_of

# requirements/hardware.txt is installed there.
HARDWARE = Path(sys.prefix, "hardware").resolve()
CUDA_PLUGIN = HARDWARE / "jax_plugins/xla_cuda13/xla_cuda_plugin.so"

# JAX looks for plugins once, and is not to find those of the folder.
SCRIPT = """
import ctypes
import sys

import jax
import numpy as np

import cyxla as cx

jax.devices()
sys.path.insert(0, sys.argv[1])

def initialize(platform):
    try:
        print(cx.initialize(platform=platform))
    except (cx.Error, LookupError) as error:
        print(getattr(error, "status", ""), error)

def use_the_cpu():
    executable = cx.compile(lambda x: x * 2, np.ones(2, np.float32), platform="cpu")
    assert executable(np.ones(2)).tolist() == [2, 2]
    print(cx.runtime_info().plugin)
"""
TWICE = """
initialize(sys.argv[2])
initialize(sys.argv[2])
use_the_cpu()
"""


def expect_error_twice(output, message):
    first, second, plugin = output.splitlines()
    assert first == second == message
    assert plugin == str(CPU_PLUGIN)


def test_the_cuda_plugin_says_that_there_is_no_gpu():
    assert CUDA_PLUGIN.is_file(), f"{CUDA_PLUGIN} is missing; run make venv"
    if list(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("this machine has an NVIDIA GPU")
    expect_error_twice(
        output_of(SCRIPT + TWICE, HARDWARE, "cuda"),
        f"FAILED_PRECONDITION the plugin {CUDA_PLUGIN} cannot create a client: No "
        "visible GPU devices. (the nvidia wheels lack libcudart.so.13, "
        "libnvrtc.so.13, libcublas.so.13, libcublasLt.so.13, libnccl.so.2, "
        "libcupti.so.13, libcusparse.so.12, libcusolver.so.12, libcufft.so.12, "
        "libnvshmem_host.so.3, libcudnn.so.9)",
    )


def test_an_option_of_the_cuda_plugin_is_refused_before_the_hardware_is_missed():
    script = """
from cyxla import runtime
try:
    cx.initialize(platform="gpu", options={"memory_fraction": 1})
except cx.Error as error:
    print(error.status, error)
use_the_cpu()
"""
    assert output_of(SCRIPT + script, HARDWARE).splitlines() == [
        f"INVALID_ARGUMENT the option memory_fraction of the plugin {CUDA_PLUGIN} is "
        "an integer, expected a float",
        str(CPU_PLUGIN),
    ]


def test_the_cuda_plugin_is_listed():
    script = """
from cyxla import listing
row = next(row for row in listing.list_plugins() if row.platform == "cuda")
print(row.source, row.path, row.pjrt_api_version, "FFI" in row.extensions, row.problem)
"""
    assert output_of(SCRIPT + script, HARDWARE) == (
        f"jax-cuda13-pjrt {CUDA_PLUGIN} [0, 116] True None\n"
    )


def test_rocm_s_plugin_says_which_library_is_missing(tmp_path):
    """The libraries of ROCm are not there, as for a library that was linked with one
    which was removed since."""
    plugin = write_package(tmp_path, "jax_plugins.xla_rocm7", "xla_rocm_plugin.so")
    missing = tmp_path / "librocprofiler-sdk.so.1"
    build = [*compiler(), "-shared", "-fPIC", "-x", "c", "/dev/null", "-x", "none"]
    subprocess.run([*build, f"-Wl,-soname,{missing.name}", "-o", missing], check=True)
    link = ["-Wl,--no-as-needed", missing, "-o", plugin]
    subprocess.run([*build, *link], check=True)
    missing.unlink()
    expect_error_twice(
        output_of(SCRIPT + TWICE, tmp_path, "rocm"),
        f"PLUGIN_UNLOADABLE the plugin {plugin} is not a library that can be loaded "
        f"here: {missing.name}: cannot open shared object file: No such file or "
        "directory",
    )


def test_libtpu_says_that_there_is_no_tpu_and_asks_no_network(fake_plugins, tmp_path):
    """libtpu makes no client where there is no TPU, and waits for a server that tells
    about TPUs unless a variable says that it need not."""
    write_plugin(tmp_path, "tpu", fake_plugins.fake)
    script = """
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
fake = ctypes.CDLL(sys.argv[3])
fake.fake_plugin_set_text(1, b"TPU initialization failed: No jellyfish device found.")
fake.fake_plugin_set(0, ctypes.c_long(5))
fake.fake_plugin_fail_function(b"PJRT_Client_Create")
"""
    end = 'print(libc.getenv(b"TPU_SKIP_MDS_QUERY"))'
    *errors, variable = output_of(
        SCRIPT + script + TWICE + end,
        tmp_path,
        "tpu",
        fake_plugins.fake,
        TPU_SKIP_MDS_QUERY=None,
    ).splitlines()
    expect_error_twice(
        "\n".join(errors),
        f"NOT_FOUND the plugin {fake_plugins.fake} cannot create a client: TPU "
        "initialization failed: No jellyfish device found.",
    )
    assert variable == "b'1'"


@pytest.mark.parametrize("platform", ["cuda", "rocm", "tpu"])
def test_without_the_plugin_it_is_said_what_to_install(tmp_path, platform):
    package = {"cuda": "jax-cuda13-pjrt", "rocm": "jax-rocm7-pjrt", "tpu": "libtpu"}
    expect_error_twice(
        output_of(SCRIPT + TWICE, tmp_path, platform),
        f" no plugin for the platform {platform}: none is installed; install "
        f"{package[platform]}, or set CYXLA_PLUGIN to the path of its library",
    )


def test_cuda_s_own_text_stays_where_its_libraries_are_there(fake_plugins, tmp_path):
    """A GPU that is busy is not the fault of a library."""
    write_plugin(tmp_path, "cuda", fake_plugins.fake)
    script = """
from cyxla import cuda_libraries
cuda_libraries.CUDA_13.clear()
fake = ctypes.CDLL(sys.argv[3])
fake.fake_plugin_set_text(0, b"cuda")
fake.fake_plugin_fail_function(b"PJRT_Client_Create")
"""
    output = output_of(SCRIPT + script + TWICE, tmp_path, "cuda", fake_plugins.fake)
    expect_error_twice(
        output,
        f"INTERNAL the plugin {fake_plugins.fake} cannot create a client: injected "
        "failure",
    )


def test_cuda_libraries_that_are_broken_are_named(fake_plugins, tmp_path):
    write_plugin(tmp_path, "cuda", fake_plugins.fake)
    broken = tmp_path / "nvidia/cu13/lib/libcudart.so.13"
    broken.parent.mkdir(parents=True)
    broken.write_text("no library")
    script = """
from cyxla import cuda_libraries
del cuda_libraries.CUDA_13[2:]
fake = ctypes.CDLL(sys.argv[3])
fake.fake_plugin_set_text(0, b"cuda")
fake.fake_plugin_fail_function(b"PJRT_Client_Create")
initialize("cuda")
fake.fake_plugin_fail_function(None)
initialize("cuda")
"""
    failed, worked = output_of(
        SCRIPT + script, tmp_path, "cuda", fake_plugins.fake
    ).splitlines()
    assert failed.startswith(
        f"INTERNAL the plugin {fake_plugins.fake} cannot create a client: injected "
        f"failure (the nvidia wheels lack libnvrtc.so.13; libcudart.so.13 cannot be "
        f"loaded: {broken}: "
    )
    # The system may have libraries of its own.
    assert worked.startswith("RuntimeInfo(platform='cuda'")
