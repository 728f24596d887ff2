"""Prints what the C tests need of the packages from PyPI, a path a line: the CPU
plugin, an older one, and the folder of the official header that comes with that."""

from importlib.util import find_spec
from pathlib import Path


def folder(package):
    spec = find_spec(package)
    if spec is None:
        raise SystemExit(f"{package} is missing: see requirements/development.txt")
    return Path(spec.submodule_search_locations[0])


older = folder("xla_plugins.xla_cpu_pjrt")
print(folder("lammps_jax_pjrt_cpu") / "pjrt_c_api_cpu_plugin.so")
print(older / "xla_cpu_pjrt.so")
print(older / "include")
