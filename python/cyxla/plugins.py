"""Finding plugins: the shared libraries that implement PJRT for a platform."""

import importlib.util
from pathlib import Path
from typing import NamedTuple

from cyxla import _runtime


class Plugin(NamedTuple):
    """A plugin that was found, and where it came from."""

    platform: str
    path: Path
    source: str


# Packages that hold a plugin: platform, module, file within it, name on PyPI. The first
# that is installed is used, so the latest build stands first.
PACKAGES = [
    ("cpu", "lammps_jax_pjrt_cpu", "pjrt_c_api_cpu_plugin.so", "lammps-jax-pjrt-cpu"),
    ("cpu", "xla_plugins.xla_cpu_pjrt", "xla_cpu_pjrt.so", "xla-cpu-pjrt"),
]


def module_directory(name):
    """The directory of a package, which is not imported; None if it is not there."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


def find_plugins(platform=None):
    """The plugins that are installed, of one platform or of all, the preferred first.

    CYXLA_PLUGIN stands before all others and counts for any platform.
    """
    plugins = []
    given = _runtime.environment_plugin()
    if given is not None:
        plugins.append(Plugin(platform or "cpu", Path(given), "CYXLA_PLUGIN"))
    for package_platform, module, file, distribution in PACKAGES:
        directory = module_directory(module)
        if platform in (None, package_platform) and directory is not None:
            plugins.append(Plugin(package_platform, directory / file, distribution))
    return plugins


def find_plugin(platform):
    """The plugin for a platform; LookupError tells what to install if there is none."""
    plugins = find_plugins(platform)
    if not plugins:
        packages = [package[3] for package in PACKAGES if package[0] == platform]
        advice = f"install {packages[0]}, or " if packages else ""
        raise LookupError(
            f"no plugin for the platform {platform} was found; {advice}set "
            "CYXLA_PLUGIN to the path of its library"
        )
    return plugins[0]
