"""The choice of a platform, as JAX makes it."""

import jax

from cyxla import plugins, runtime


def choose(leaves):
    """The platform to lower for, where none is asked for.

    ``leaves`` are the leaves of the example arguments. The first that is known counts:
    the device that an argument is committed to, ``jax.default_device``, the plugin that
    is loaded, ``jax_platforms``, what CYXLA_PLUGIN names, and the first of CPU, CUDA,
    ROCm and TPU for which a plugin is installed.
    """
    return (
        of_committed(leaves)
        or of_default_device()
        or runtime.loaded_platform()
        or of_jax_platforms()
        or plugins.default_platform()
    )


def of_committed(leaves):
    """The platform of the arguments that are bound to a device, None if none is."""
    platforms = {
        of_device(device)
        for leaf in leaves
        if isinstance(leaf, jax.Array) and getattr(leaf, "committed", False)
        for device in leaf.devices()
    }
    if len(platforms) > 1:
        raise ValueError(
            f"arguments are committed to devices of {' and '.join(sorted(platforms))}; "
            "a program runs on one platform"
        )
    return next(iter(platforms), None)


def of_default_device():
    """The platform of ``jax.default_device``, None if it is not set."""
    device = jax.config.jax_default_device
    if device is None:
        return None
    if isinstance(device, str):
        return plugins.canonical_platform(device)
    return of_device(device)


def of_jax_platforms():
    """The first of ``jax_platforms``, None if it is not set."""
    first = (jax.config.jax_platforms or "").split(",")[0].strip()
    return plugins.canonical_platform(first) if first else None


def of_device(device):
    """The platform of a device of JAX, where "gpu" may be CUDA or ROCm."""
    if device.platform != "gpu":
        return device.platform
    return "rocm" if "rocm" in device.client.platform_version.lower() else "cuda"
