"""The CUDA libraries of the nvidia wheels, which JAX's CUDA plugin needs loaded."""

import ctypes
import importlib.util
from pathlib import Path

# Directory below the namespace package nvidia, and the libraries there, in the order in
# which JAX 0.11 loads them: each may need those before it. The wheels of CUDA 13 share
# one directory.
CUDA_13 = [
    ("cu13", "libcudart.so.13"),
    ("cu13", "libnvrtc.so.13"),
    ("cu13", "libcublas.so.13"),
    ("cu13", "libcublasLt.so.13"),
    ("nccl", "libnccl.so.2"),
    ("cu13", "libcupti.so.13"),
    ("cu13", "libcusparse.so.12"),
    ("cu13", "libcusolver.so.12"),
    ("cu13", "libcufft.so.12"),
    ("nvshmem", "libnvshmem_host.so.3"),
    ("cudnn", "libcudnn.so.9"),
]
CUDA_12 = [
    ("cuda_runtime", "libcudart.so.12"),
    ("cuda_nvrtc", "libnvrtc.so.12"),
    ("cublas", "libcublas.so.12"),
    ("cublas", "libcublasLt.so.12"),
    ("nccl", "libnccl.so.2"),
    ("cuda_cupti", "libcupti.so.12"),
    ("cusparse", "libcusparse.so.12"),
    ("cusolver", "libcusolver.so.11"),
    ("cufft", "libcufft.so.11"),
    ("nvshmem", "libnvshmem_host.so.3"),
    ("cudnn", "libcudnn.so.9"),
]


def libraries_for(plugin):
    """The libraries that JAX's plugin at this path is built for, which the name of its
    package tells."""
    return CUDA_12 if "cuda12" in Path(plugin).parent.name else CUDA_13


def nvidia_directories():
    """The directories of the namespace package nvidia."""
    spec = importlib.util.find_spec("nvidia")
    if spec is None:
        return []
    return [Path(path) for path in spec.submodule_search_locations or ()]


def find(directory, name):
    """The path of a library in the nvidia wheels, None if it is not there."""
    candidates = [root / directory / "lib" / name for root in nvidia_directories()]
    return next((path for path in candidates if path.is_file()), None)


def preload(plugin):
    """Loads the libraries of the nvidia wheels for a plugin. Returns what is wrong with
    them, "" if nothing is.

    A library that is missing is no failure by itself: the system may have its own.
    """
    missing, problems = [], []
    for directory, name in libraries_for(plugin):
        path = find(directory, name)
        if path is None:
            missing.append(name)
            continue
        try:
            ctypes.CDLL(str(path))
        except OSError as error:
            problems.append(f"{name} cannot be loaded: {error}")
    if missing:
        problems.insert(0, f"the nvidia wheels lack {', '.join(missing)}")
    return "; ".join(problems)
