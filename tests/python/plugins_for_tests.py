"""The plugins that tests load."""

import os
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FAKE_SOURCES = ROOT / "tests" / "fake_plugin"


def in_package(package, file):
    """The path of a file in a package, which is not imported."""
    return Path(find_spec(package).submodule_search_locations[0], file)


# Those that users install: PJRT API 0.115, 0.106 and 0.81.
CPU_PLUGIN = in_package("lammps_jax_pjrt_cpu", "pjrt_c_api_cpu_plugin.so")
MIDDLE_CPU_PLUGIN = in_package("fastatomstruct_xla_cpu", "libpjrt_cpu.so")
OLD_CPU_PLUGIN = in_package("xla_plugins", "xla_cpu_pjrt/xla_cpu_pjrt.so")
OFFICIAL_HEADER = in_package("xla_plugins", "xla_cpu_pjrt/include/pjrt_c_api.h")


class FakePlugins(NamedTuple):
    """Libraries that are made from tests/fake_plugin."""

    fake: Path
    without_symbol: Path
    without_table: Path


def compiler():
    """The command of the C compiler."""
    return os.environ.get("CC", "cc").split()


def build_library(path, sources):
    includes = [f"-I{ROOT}/include", f"-I{ROOT}/src"]
    flags = ["-std=gnu99", "-shared", "-fPIC"]
    command = [*compiler(), *flags, *includes, *map(str, sources), "-o", str(path)]
    subprocess.run([*command, "-lpthread"], check=True)
    return path


def build_fake_plugins(folder):
    return FakePlugins(
        fake=build_library(folder / "fake.so", sorted(FAKE_SOURCES.glob("fake_*.c"))),
        without_symbol=build_library(
            folder / "without_symbol.so", [FAKE_SOURCES / "broken_no_symbol.c"]
        ),
        without_table=build_library(
            folder / "without_table.so", [FAKE_SOURCES / "broken_null_api.c"]
        ),
    )


def fake_knob(name):
    """The number of a knob of the fake plugin, which ctypes has to be told."""
    header = (FAKE_SOURCES / "fake_plugin.h").read_text()
    (knobs,) = re.findall(r"typedef enum \{([^}]*)\} fake_knob;", header)
    return re.findall(r"^ *(FAKE_\w+)", knobs, re.MULTILINE).index(name)
