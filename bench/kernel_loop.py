"""The kernels of a program in a bare loop, kernel_loop.c."""

import ctypes
import os

import numpy as np

LIBRARY = "kernel_loop.so"


class OtherStepsError(Exception):
    """A program is not only kernels that follow one another."""


def load(folder):
    """The library in that folder, with the types of its functions."""
    library = ctypes.CDLL(os.fspath(folder / LIBRARY))
    for name, result, arguments in [
        ("create", ctypes.c_void_p, [ctypes.c_char_p]),
        ("destroy", None, [ctypes.c_void_p]),
        ("num_kernels", ctypes.c_size_t, [ctypes.c_void_p]),
        ("input", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t]),
        ("output", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t]),
        ("time", ctypes.c_double, [ctypes.c_void_p, ctypes.c_long]),
    ]:
        function = library[f"kernel_loop_{name}"]
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


class KernelLoop:
    """The kernels of a file's program, as an object with a method time(count)."""

    def __init__(self, folder, file, function):
        self.handle = None
        self.library = load(folder)
        self.function = function
        self.handle = self.library.create(os.fsencode(file))
        if not self.handle:
            raise OtherStepsError("it is more than kernels that follow one another")
        self.num_kernels = self.library.num_kernels(self.handle)
        for i, argument in enumerate(function.arguments):
            data = argument.tobytes()
            ctypes.memmove(self.library.input(self.handle, i), data, len(data))

    def __del__(self):
        if self.handle:
            self.library.destroy(self.handle)

    def outputs(self):
        self.time(1)
        return [
            np.frombuffer(
                ctypes.string_at(self.library.output(self.handle, i), expected.nbytes),
                expected.dtype,
            ).reshape(expected.shape)
            for i, expected in enumerate(self.function.outputs)
        ]

    def time(self, count):
        nanoseconds = self.library.time(self.handle, count)
        if nanoseconds < 0:
            raise RuntimeError("a kernel failed")
        return nanoseconds
