"""What registrations of handlers and of types have in common."""

import sys

ADDRESS_MAXIMUM = 2 * sys.maxsize + 1

# JAX's names of platforms, in its registry and in calls, and ours.
PLATFORMS = {"host": "cpu", "cpu": "cpu", "cuda": "cuda", "gpu": "cuda", "rocm": "rocm"}


def platform_of(name):
    """Our name of a platform of JAX's."""
    return PLATFORMS.get(name.lower(), name.lower())


def check_name(what, name):
    """Refuses a name that C would not read as it is."""
    if not isinstance(name, str):
        raise TypeError(f"{what} is called {name!r}, expected a str")
    if not name or "\0" in name:
        raise ValueError(
            f"{what} is called {name!r}, expected characters other than zero"
        )


def check_integer(what, value, minimum, maximum):
    """Refuses what a C integer does not hold."""
    if not isinstance(value, int):
        raise TypeError(f"{what} is {value!r}, expected an int")
    if not minimum <= value <= maximum:
        raise ValueError(f"{what} is {value}, expected {minimum} to {maximum}")
