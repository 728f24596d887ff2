"""Types of the states that handlers keep.

A handler with a state names the type of the state by a number, which its library keeps
and which the plugin has to know before the handler. Where JAX has given the number, the
plugin is told the same one, so that the library works with both.
"""

import ctypes
import itertools
import warnings

from jaxlib import xla_client

from cyxla import _runtime, process
from cyxla.errors import Error
from cyxla.registrations import (
    ADDRESS_MAXIMUM,
    check_integer,
    check_name,
    platform_of,
)

# JAX and plugins count from 1, each for itself, and take one number for two types.
_numbers = itertools.count(2**32)

_known = {}  # name: (number, deleter) of what the plugin of the process has to know
_seen = []  # (name, registration, platform) of what went through the mirror
_platform = None  # of the plugin, once it takes types
_original_register = None


class TypeInfo(ctypes.Structure):
    """XLA_FFI_TypeInfo, the beginning of what a library tells of a type."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("deleter", ctypes.c_size_t),
    )


def register_ffi_type(name, type_id=0, deleter=0):
    """Registers the type of the state that a handler keeps. Returns its number, which
    the handler has to use.

    ``type_id`` is a number of the caller's choice; 0 asks for a new one, or for the one
    that a type of that name has. ``deleter`` is the address of the C function that
    frees a state; plugins keep no state of a type without one. A type comes before the
    handlers that use it; the plugin may be loaded before or after. One that is
    registered with ``jax.ffi.register_ffi_type`` need not be registered here.
    """
    check_name("a type", name)
    check_integer(f"type_id of {name}", type_id, 0, 2**63 - 1)
    check_integer(f"deleter of {name}", deleter, 0, ADDRESS_MAXIMUM)
    with process.lock:
        number, known_deleter = _known.get(name, (next(_numbers), deleter))
        number = type_id or number
        add(name, number, deleter or known_deleter)
        return number


def add(name, number, deleter):
    """Registers a type if the plugin is loaded, and keeps it for one that is."""
    if name in _known and _known[name] != (number, deleter):
        raise ValueError(
            f"the type {name} is registered with the number {_known[name][0]} and the "
            f"deleter {_known[name][1]:#x} already, found {number} and {deleter:#x}"
        )
    for other, (taken, _) in _known.items():
        if taken == number and other != name:
            raise ValueError(
                f"the type {name} has the number {number}, which the type {other} has "
                "already, and numbers tell types apart"
            )
    if process.runtime is not None:
        process.runtime.register_type(name, number, deleter)
    _known[name] = (number, deleter)


def knows(number):
    """Whether the plugin was told of the type with a number."""
    return any(number == known for known, _ in _known.values())


def mirror_jax_registrations():
    """Passes every later registration of a type with JAX on to the plugin as well."""
    global _original_register
    _original_register = xla_client.register_custom_type
    xla_client.register_custom_type = _register_and_mirror
    # JAX's backend takes them out of the queue when it starts.
    _seen.extend(queued_types())
    synchronize()


def _register_and_mirror(type_name, type_id, platform="cpu"):
    """In the place of jaxlib's function, with the names of its arguments."""
    # JAX's own error comes first, and its own registration stands whatever we do.
    _original_register(type_name, type_id, platform)
    with process.lock:
        _seen.append((type_name, type_id, platform))
        mirror(type_name, type_id, platform)


def mirror(name, registration, platform):
    """Passes one registration of JAX's on; what cannot be is left with a warning."""
    try:
        number, deleter = read(name, registration, platform_of(platform))
        if number != 0 and platform_of(platform) == _platform:
            add(name, number, deleter)
    except (Error, RuntimeError, LookupError, TypeError, ValueError) as error:
        warnings.warn(
            f"the type {name} of JAX's was not mirrored: {error}", stacklevel=4
        )


def read(name, registration, platform):
    """The number that JAX gave to a type, 0 if none yet, and its deleter."""
    address = _runtime.address_of_capsule(registration["type_id"])
    number = ctypes.c_int64.from_address(address)
    if number.value == 0 and platform == "cpu":
        # JAX does this when its backend starts, and only then. A plugin that is loaded
        # first needs the number, and so do handlers, which JAX registers before.
        xla_client._xla.register_custom_type(name, registration)
    deleter = 0
    if "type_info" in registration:
        address = _runtime.address_of_capsule(registration["type_info"])
        deleter = TypeInfo.from_address(address).deleter
    return number.value, deleter


def queued_types():
    """What waits for JAX's backend: ``(name, registration, platform)`` of each."""
    with xla_client._custom_type_id_lock:
        return [
            (name, registration, platform)
            for platform, queue in xla_client._custom_type_id.items()
            for name, registration in queue
        ]


def synchronize():
    """Passes on what was registered with JAX and the plugin was not told of, as far as
    it was seen or still waits: JAX's registry does not tell what is in it."""
    with process.lock:
        for name, registration, platform in [*_seen, *queued_types()]:
            if name not in _known:
                mirror(name, registration, platform)


def attach(runtime):
    """Registers everything that is known with a plugin that was just loaded; what it
    does not take is left out with a warning."""
    global _platform
    _platform = runtime.info.platform
    synchronize()
    for name, (number, deleter) in list(_known.items()):
        try:
            runtime.register_type(name, number, deleter)
        except Error as error:
            del _known[name]
            warnings.warn(f"a type is left out: {error}", stacklevel=2)
