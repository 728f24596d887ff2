"""What programs and runtimes are, as plain values."""

from typing import NamedTuple


class ArraySpec(NamedTuple):
    """One input or output of a program.

    ``name`` comes from the path in the function's arguments or result, ``shape`` is a
    tuple of int and ``dtype`` a NumPy dtype. ``aliased_output`` is, for a donated
    input, the index of the output that may take over its memory, and -1 otherwise.
    """

    name: str
    shape: tuple
    dtype: object
    aliased_output: int = -1


class ExecutableInfo(NamedTuple):
    """What a file says of an executable that it holds.

    ``plugin_identity`` is the hash and the size of the library of the plugin that
    compiled it, and ``pjrt_api_version`` the ``(major, minor)`` that it implements.
    ``platform`` and ``device_kind`` are those of the device that it was compiled for,
    and ``cpu_features`` what the processor of that machine has, as in
    ``"x86-64 aes avx"``.
    ``bytes`` is the size of the machine code, as the plugin serialized it, and
    ``is_direct`` tells whether it needs no plugin to run in C.
    """

    plugin_identity: str
    pjrt_api_version: tuple
    platform: str
    device_kind: str
    cpu_features: str
    bytes: int
    is_direct: bool


class RuntimeInfo(NamedTuple):
    """A plugin that is loaded, and its client.

    ``platform`` is its name in lower case, such as ``"cpu"``, and ``platform_version``
    the plugin's own text. ``plugin`` is the absolute path of its library.
    ``pjrt_api_version`` is the ``(major, minor)`` that it implements, and
    ``stablehlo_version`` the latest that it reads, ``(0, 0, 0)`` where it does not
    tell. ``devices`` are the kinds of the devices that this process can use; programs
    run on the first. ``zero_copy`` tells whether C programs run without copies of their
    arrays.
    """

    platform: str
    platform_version: str
    plugin: str
    pjrt_api_version: tuple
    stablehlo_version: tuple
    devices: tuple
    zero_copy: bool
