"""Tells whether the Python that runs this file can build and test cyxla.

Prints "fits VERSION EXECUTABLE" and exits with 0, or prints the reason why not and
exits with 1. Old Pythons run it too, so it uses nothing new.
"""

import os
import sys

OLDEST = (3, 11)
# The first version that the pinned JAX has no wheels for.
TOO_NEW = (3, 15)


def reason_against():
    version = sys.version_info[:2]
    if not OLDEST <= version < TOO_NEW:
        return "is Python {}.{}, and {}.{} to {}.{} are supported".format(
            *version, *OLDEST, TOO_NEW[0], TOO_NEW[1] - 1
        )
    import sysconfig

    if sys.implementation.name != "cpython":
        return "is {}, and CPython is needed".format(sys.implementation.name)
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "is a free-threaded build, which JAX has no wheels for"
    for module in ("venv", "ensurepip", "ssl", "ctypes"):
        try:
            __import__(module)
        except ImportError:
            return "lacks the module {} (Debian: python3-venv)".format(module)
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.exists(header):
        return "lacks {} (Debian: python3-dev)".format(header)
    return None


if __name__ == "__main__":
    reason = reason_against()
    if reason:
        print(reason)
        sys.exit(1)
    print("fits {}.{}.{} {}".format(*sys.version_info[:3], sys.executable))
