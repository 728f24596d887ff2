"""XLA's CPU plugin, offered through the entry point ``cyxla.plugins``."""

import lammps_jax_pjrt_cpu

PLATFORM = "cpu"

# Executions stay in the calling thread, on one device.
CREATE_OPTIONS = {"asynchronous": False, "cpu_device_count": 1}


def library_path():
    """The path of the plugin's library."""
    return lammps_jax_pjrt_cpu.PLUGIN_PATH
