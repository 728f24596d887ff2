"""The functions in CasADi, whose generated C is compiled and called from C."""

import ctypes
import subprocess
from pathlib import Path

import casadi
import numpy as np
from functions import mlp_weights

# As a user compiles it for the machine at hand. In a shared library, functions that may
# be replaced from outside are not inlined, such as CasADi's square; with the last flag
# they are, as in a program.
FLAGS = ["-O3", "-march=native", "-fPIC", "-shared"]
INLINED = [*FLAGS, "-fno-semantic-interposition"]


def sine():
    x = casadi.SX.sym("x", 3)
    return [x], [2 * casadi.sin(x)]


def rosenbrock_of(x):
    return casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock():
    x = casadi.SX.sym("x", 10)
    value = rosenbrock_of(x)
    return [x], [value, casadi.gradient(value, x)]


def rosenbrock_hessian():
    """The Hessian as CasADi makes it, with its 28 entries that are not always zero."""
    x = casadi.SX.sym("x", 10)
    value = rosenbrock_of(x)
    hessian, gradient = casadi.hessian(value, x)
    return [x], [value, gradient, hessian]


def rosenbrock_dense_hessian():
    arguments, (value, gradient, hessian) = rosenbrock_hessian()
    return arguments, [value, gradient, casadi.densify(hessian)]


def mlp():
    """With matrices, since SX would write a statement for each multiplication."""
    *hidden, last = [casadi.DM(matrix.T.astype(float)) for matrix in mlp_weights()]
    x = casadi.MX.sym("x", hidden[0].shape[1])
    y = x
    for matrix in hidden:
        y = casadi.tanh(matrix @ y)
    return [x], [last @ y]


EXPRESSIONS = {
    "sine": sine,
    "rosenbrock": rosenbrock,
    "hessian_10": rosenbrock_dense_hessian,
    "hessian_10_sparse": rosenbrock_hessian,
    "mlp": mlp,
}
REALS = {"float32": "float", "float64": "double"}


def compile_function(function, real, folder, compiler, flags):
    """Generates and compiles a function of CasADi's. Returns the library's path."""
    name = function.name()
    generator = casadi.CodeGenerator(name, {"casadi_real": real, "with_header": False})
    generator.add(function)
    source = generator.generate(f"{folder}/")
    library = folder / f"casadi_{name}_{len(flags)}.so"
    sources = Path(__file__).parent
    subprocess.run(
        [
            *[*compiler, *flags, "-o", library, f"-I{sources}"],
            *[f"-DFUNCTION={name}", f"-DREAL={real}"],
            *[source, sources / "casadi_loop.c", "-lm"],
        ],
        check=True,
    )
    return library


class CasadiLoop:
    """A compiled function with its arrays, as an object with a method time(count)."""

    def __init__(self, expressions, function, folder, compiler, flags):
        self.casadi = casadi.Function(expressions.__name__, *expressions())
        library = compile_function(
            self.casadi, REALS[function.dtype.name], folder, compiler, flags
        )
        self.library = ctypes.CDLL(str(library))
        self.function = function
        self.argument = function.argument.copy()
        self.results = [
            np.zeros(self.casadi.nnz_out(i), function.dtype)
            for i in range(self.casadi.n_out())
        ]
        self.integers = np.zeros(self.casadi.sz_iw() + 1, np.int64)
        self.reals = np.zeros(self.casadi.sz_w() + 1, function.dtype)
        self.argument_list = pointers([self.argument], self.casadi.sz_arg())
        self.result_list = pointers(self.results, self.casadi.sz_res())
        self.loop = self.library.casadi_loop_time
        self.loop.restype = ctypes.c_double

    def outputs(self):
        """With the zeros that CasADi leaves out."""
        self.time(1)
        return [
            np.array(casadi.DM(self.casadi.sparsity_out(i), result.astype(float)))
            .astype(expected.dtype)
            .reshape(expected.shape)
            for i, (result, expected) in enumerate(
                zip(self.results, self.function.outputs, strict=True)
            )
        ]

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
