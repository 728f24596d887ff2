"""Paths of the plugins that tests load."""

import os
from importlib.util import find_spec
from pathlib import Path


def in_package(package, file):
    """The path of a file in a package, which is not imported."""
    return Path(find_spec(package).submodule_search_locations[0], file)


# Those that users install: PJRT API 0.115 and 0.81.
CPU_PLUGIN = in_package("lammps_jax_pjrt_cpu", "pjrt_c_api_cpu_plugin.so")
OLD_CPU_PLUGIN = in_package("xla_plugins", "xla_cpu_pjrt/xla_cpu_pjrt.so")
OFFICIAL_HEADER = in_package("xla_plugins", "xla_cpu_pjrt/include/pjrt_c_api.h")

# Those of tests/fake_plugin; the folder that they are built in is passed by
# tools/run_python_tests.sh.
BUILT_PLUGINS = Path(os.environ["CYXLA_TEST_PLUGINS"])
FAKE_PLUGIN = BUILT_PLUGINS / "fake_plugin.so"
LIBRARY_WITHOUT_SYMBOL = BUILT_PLUGINS / "broken_no_symbol.so"
PLUGIN_WITHOUT_TABLE = BUILT_PLUGINS / "broken_null_api.so"
