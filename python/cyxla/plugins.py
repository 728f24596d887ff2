"""Finding plugins: the shared libraries that implement PJRT for a platform."""

import importlib.util
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from cyxla import _runtime
from cyxla.options import check_options

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
ENTRY_POINTS = "cyxla.plugins"


class Plugin(NamedTuple):
    """A plugin that was found.

    ``platform`` is None where only the plugin itself knows it. ``source`` tells where
    the plugin came from, ``options`` are the client options that its package sets, and
    ``problem`` says why it cannot be used, None if nothing is known against it.
    """

    platform: str | None
    path: Path | None
    source: str
    options: dict | None = None
    problem: str | None = None


# Packages that hold a plugin but no entry point: platform, module, file within it, and
# name on PyPI. The first of a platform is the one to install.
PACKAGES = [
    ("cpu", "lammps_jax_pjrt_cpu", "pjrt_c_api_cpu_plugin.so", "lammps-jax-pjrt-cpu"),
    ("cpu", "fastatomstruct_xla_cpu", "libpjrt_cpu.so", "fastatomstruct-xla-cpu"),
    ("cpu", "xla_plugins.xla_cpu_pjrt", "xla_cpu_pjrt.so", "xla-cpu-pjrt"),
    ("cuda", "jax_plugins.xla_cuda13", "xla_cuda_plugin.so", "jax-cuda13-pjrt"),
    ("cuda", "jax_plugins.xla_cuda12", "xla_cuda_plugin.so", "jax-cuda12-pjrt"),
    ("rocm", "jax_plugins.xla_rocm7", "xla_rocm_plugin.so", "jax-rocm7-pjrt"),
    ("tpu", "libtpu", "libtpu.so", "libtpu"),
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


def platform_of_path(path):
    """The platform that a library's name tells, None if it tells none."""
    name = Path(path).name.lower()
    return next((platform for platform in PLATFORMS if platform in name), None)


def canonical_platform(platform):
    """A platform's own name for one of JAX's: "gpu" is what is installed of the two."""
    if not isinstance(platform, str):
        raise TypeError(f"platform is {platform!r}, expected a str")
    platform = platform.lower()
    if platform != "gpu":
        return platform
    installed = installed_platforms()
    return "rocm" if "rocm" in installed and "cuda" not in installed else "cuda"


def from_environment():
    """The plugin that CYXLA_PLUGIN names, in a list."""
    path = _runtime.environment_plugin()
    if path is None:
        return []
    return [Plugin(platform_of_path(path), Path(path), "CYXLA_PLUGIN")]


def from_entry_points():
    """The plugins that packages offer with an entry point."""
    return [from_entry_point(point) for point in entry_points(group=ENTRY_POINTS)]


def from_entry_point(point):
    """The plugin of one entry point, with the problem if it is not a valid one."""
    source = f"entry point {point.name}"
    if point.dist is not None:
        source = f"{source} of {point.dist.name}"
    # A package of others may fail in any way, and must not keep the rest from working.
    try:
        return plugin_of_module(point.load(), source)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        return Plugin(None, None, source, problem=f"its entry point failed: {problem}")


def plugin_of_module(module, source):
    """The plugin that the module of an entry point describes."""
    if not isinstance(module.PLATFORM, str) or not module.PLATFORM:
        raise TypeError(f"PLATFORM is {module.PLATFORM!r}, expected a str")
    options = check_options(module.CREATE_OPTIONS)
    path = Path(module.library_path())
    return Plugin(module.PLATFORM.lower(), path, source, options)


def from_packages():
    """The plugins of the known packages that are installed."""
    return [
        Plugin(platform, directory / file, distribution)
        for platform, module, file, distribution in PACKAGES
        if (directory := module_directory(module)) is not None
    ]


def find_plugins():
    """The plugins that are installed, the preferred first: that of CYXLA_PLUGIN, those
    with an entry point, and those of known packages. Each library is listed once."""
    plugins = {}
    for plugin in (*from_environment(), *from_entry_points(), *from_packages()):
        key = plugin.source if plugin.path is None else plugin.path.resolve()
        if plugin.problem is None and not plugin.path.is_file():
            plugin = plugin._replace(problem=f"{plugin.path} is not there")
        plugins.setdefault(key, plugin)
    return list(plugins.values())


def find_plugin(platform):
    """The plugin for a platform: that of CYXLA_PLUGIN whatever it is, else the first
    that can be used. LookupError tells what to install if there is none."""
    given = from_environment()
    if given:
        return given[0]
    problems = []
    for plugin in find_plugins():
        # A package that failed may be one for this platform.
        if plugin.platform not in (platform, None):
            continue
        if plugin.problem is None:
            return plugin
        problems.append(f"{plugin.source} cannot be used ({plugin.problem})")
    raise LookupError(
        f"no plugin for the platform {platform}: {advice(platform, problems)}"
    )


def advice(platform, problems):
    """What was wrong with the plugins that are there, and what to do."""
    packages = [package[3] for package in PACKAGES if package[0] == platform]
    wanted = f"install {packages[0]}, or " if packages else ""
    found = "; ".join(problems) or "none is installed"
    return f"{found}; {wanted}set CYXLA_PLUGIN to the path of its library"


def find_default_plugin():
    """The plugin that is used where no platform is asked for: that of CYXLA_PLUGIN,
    else the first of CPU, CUDA, ROCm and TPU that is installed."""
    return find_plugin(default_platform())


def default_platform():
    """The platform that is used where none is asked for."""
    given = [plugin.platform for plugin in from_environment() if plugin.platform]
    return next(iter(given or installed_platforms()), "cpu")


def installed_platforms():
    """The platforms for which a plugin is installed: CPU, CUDA, ROCm and TPU in this
    order, then those that only packages with an entry point know."""
    found = [plugin.platform for plugin in find_plugins() if plugin.problem is None]
    known = dict.fromkeys(platform for platform in found if platform is not None)
    return sorted(known, key=rank)


def rank(platform):
    """The place of a platform in the order of preference."""
    return PLATFORMS.index(platform) if platform in PLATFORMS else len(PLATFORMS)
