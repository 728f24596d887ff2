"""The options of a plugin's client, checked before the plugin sees them."""

import numbers


def check_options(options):
    """The options as a dict of plain values; TypeError names the one that is none."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TypeError(f"options is {options!r}, expected a dict")
    return {name: check_option(name, value) for name, value in options.items()}


def check_option(name, value):
    """One option's value as a bool, int, float, str or list of int."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"an option is called {name!r}, expected a str")
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return check_integer(name, value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, (list, tuple)) and all(
        isinstance(item, numbers.Integral) for item in value
    ):
        return [check_integer(name, item) for item in value]
    raise TypeError(
        f"option {name} is {value!r}, expected a bool, int, float, str or list of int"
    )


def check_integer(name, value):
    """An int of 64 bits."""
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"option {name} is {value}, expected an integer of 64 bits")
    return int(value)
