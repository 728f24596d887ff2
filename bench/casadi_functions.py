"""The functions in CasADi, whose generated C is compiled and called from C."""

import ctypes
import subprocess

import casadi
import numpy as np
from functions import mlp_weights


def sine():
    x = casadi.SX.sym("x", 3)
    return [x], [2 * casadi.sin(x)]


def rosenbrock():
    x = casadi.SX.sym("x", 10)
    value = casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    return [x], [value, casadi.gradient(value, x)]


def mlp():
    """With matrices, since SX would write a statement for each multiplication."""
    *hidden, last = [casadi.DM(matrix.T.astype(float)) for matrix in mlp_weights()]
    x = casadi.MX.sym("x", hidden[0].shape[1])
    y = x
    for matrix in hidden:
        y = casadi.tanh(matrix @ y)
    return [x], [last @ y]


EXPRESSIONS = {"sine": sine, "rosenbrock": rosenbrock, "mlp": mlp}
REALS = {"float32": "float", "float64": "double"}


def compile_function(function, folder, compiler, sources):
    """Generates and compiles a function. Returns the path of a shared library."""
    real = REALS[function.dtype.name]
    generator = casadi.CodeGenerator(
        function.name, {"casadi_real": real, "with_header": False}
    )
    generator.add(casadi.Function(function.name, *EXPRESSIONS[function.name]()))
    source = generator.generate(f"{folder}/")
    library = folder / f"casadi_{function.name}.so"
    subprocess.run(
        [
            *[*compiler, "-O3", "-fPIC", "-shared", "-o", library, f"-I{sources}"],
            *[f"-DFUNCTION={function.name}", f"-DREAL={real}"],
            *[source, sources / "casadi_loop.c", "-lm"],
        ],
        check=True,
    )
    return library


class CasadiLoop:
    """A compiled function with its arrays, as an object with a method time(count)."""

    def __init__(self, library, function):
        self.library = ctypes.CDLL(str(library))
        sizes = [ctypes.c_longlong() for _ in range(4)]
        self.library[f"{function.name}_work"](*map(ctypes.byref, sizes))
        num_arguments, num_results, num_integers, num_reals = [s.value for s in sizes]
        self.argument = function.argument.copy()
        self.results = [np.zeros_like(output) for output in function.outputs]
        self.integers = np.zeros(num_integers + 1, np.int64)
        self.reals = np.zeros(num_reals + 1, function.dtype)
        self.argument_list = pointers([self.argument], num_arguments)
        self.result_list = pointers(self.results, num_results)
        self.loop = self.library.casadi_loop_time
        self.loop.restype = ctypes.c_double

    def outputs(self):
        self.time(1)
        return self.results

    def time(self, count):
        nanoseconds = self.loop(
            self.argument_list,
            self.result_list,
            ctypes.c_void_p(self.integers.ctypes.data),
            ctypes.c_void_p(self.reals.ctypes.data),
            ctypes.c_long(count),
        )
        if nanoseconds < 0:
            raise RuntimeError("the function that CasADi generated failed")
        return nanoseconds


def pointers(arrays, length):
    """A C array of so many pointers, those that are left over NULL."""
    return (ctypes.c_void_p * (length + 1))(*[array.ctypes.data for array in arrays])
