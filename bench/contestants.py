"""The contestants: each prepares a function and gives an object to time it with.

Such an object has a method time(count), the nanoseconds of `count` runs together, and
outputs(), the arrays that a run returned. A package that is not installed leaves its
contestant out, which the table then says.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from pathlib import Path
from time import perf_counter_ns
from types import ModuleType

import cyxla as cx
import jax
import kernel_loop
import numpy as np

CLIENT_OPTIONS = {"cpu_device_count": 1, "asynchronous": False}


class Absent(Exception):
    """Why a contestant cannot run a function."""


class Setting:
    """What contestants need to prepare a function.

    Each says by which tier it runs: ``executable`` and ``file`` go through the plugin,
    ``directly`` and ``direct_file`` do not.
    """

    def __init__(self, function, native, folder, compiler):
        self.function = function
        self.native: ModuleType = native
        self.folder: Path = folder
        self.compiler: list[str] = compiler
        self.program = cx.lower(function.function, function.arguments)
        self.executable, _ = cx.compile_program(self.program, tier="pjrt")
        self.file = folder / f"{function.name}.cyxla"
        self.plugin = cx.runtime_info().plugin
        cx.save(self.file, self.executable)

    @cached_property
    def directly(self):
        executable, _ = cx.compile_program(self.program, tier="direct")
        return executable

    @cached_property
    def direct_file(self):
        path = self.folder / f"{self.function.name}-direct.cyxla"
        cx.save(path, self.directly)
        return path


@dataclass(frozen=True)
class Contestant:
    name: str
    language: str  # that the loop is written in
    prepare: Callable
    functions: tuple = ()  # the names of those that it is for; empty: all


class NativeLoop:
    """A loop of the extension module native_loops."""

    def __init__(self, loop, function):
        self.loop = loop
        self.time = loop.time
        self.function = function
        loop.set_inputs([argument.tobytes() for argument in function.arguments])

    def outputs(self):
        self.loop.time(1)
        return [
            np.frombuffer(self.loop.output(i), output.dtype).reshape(output.shape)
            for i, output in enumerate(self.function.outputs)
        ]


class PythonLoop:
    """A loop in Python around a call that returns its outputs, a list of arrays."""

    def __init__(self, call):
        self.call = call

    def outputs(self):
        return self.call()

    def time(self, count):
        call = self.call
        start = perf_counter_ns()
        for _ in repeat(None, count):
            call()
        return perf_counter_ns() - start


def bare_pjrt(setting):
    origin = setting.native.CallLoop(setting.file, setting.plugin, "pjrt")
    return NativeLoop(setting.native.BareLoop(origin, setting.plugin), setting.function)


def call_run(setting):
    loop = setting.native.CallLoop(setting.file, setting.plugin, "pjrt")
    return NativeLoop(loop, setting.function)


def call_run_directly(setting):
    loop = setting.native.CallLoop(setting.direct_file, None, "direct")
    return NativeLoop(loop, setting.function)


def kernels(setting):
    try:
        return kernel_loop.KernelLoop(
            setting.folder, setting.direct_file, setting.function
        )
    except kernel_loop.OtherStepsError as error:
        raise Absent(str(error)) from None


def cython_execute(setting):
    return NativeLoop(setting.native.ExecuteLoop(setting.executable), setting.function)


def casadi_c(setting, suffix="", is_inlined=False):
    import casadi_functions

    return casadi_functions.CasadiLoop(
        casadi_functions.EXPRESSIONS[setting.function.name + suffix],
        setting.function,
        setting.folder,
        setting.compiler,
        casadi_functions.INLINED if is_inlined else casadi_functions.FLAGS,
    )


def casadi_inlined(setting):
    return casadi_c(setting, is_inlined=True)


def casadi_sparse(setting):
    return casadi_c(setting, "_sparse", is_inlined=True)


def executable_run(setting):
    run, arguments = setting.executable.run, list(setting.function.arguments)
    return PythonLoop(lambda: run(arguments))


def executable_run_directly(setting):
    run, arguments = setting.directly.run, list(setting.function.arguments)
    return PythonLoop(lambda: run(arguments))


def jax_call(compiled, function):
    """A loop that calls a function of JAX and makes NumPy arrays of what it returns."""
    x = function.argument
    if len(function.outputs) == 1:
        return PythonLoop(lambda: [np.asarray(compiled(x))])
    return PythonLoop(lambda: [np.asarray(y) for y in compiled(x)])


def jax_jit(setting):
    return jax_call(jax.jit(setting.function.function), setting.function)


def jax_compiled(setting):
    function = setting.function
    lowered = jax.jit(function.function).lower(function.argument)
    return jax_call(lowered.compile(), function)


def pypjrt_round_trip(setting):
    """From and to NumPy arrays, as Executable.run does it."""
    import pypjrt
    from pypjrt.typing import F32, F64

    client = pypjrt.Client.create(setting.plugin, options=CLIENT_OPTIONS)
    borrowed = ExitStack()  # a device ends with the block that borrowed it
    device = borrowed.enter_context(client.device(0))
    executable = client.compile(setting.program.code)
    x, expected = setting.function.argument, setting.function.outputs
    dtype = {"float32": F32, "float64": F64}[x.dtype.name].code

    def call():
        buffer = client.buffer_from_host(x, dtype, x.shape, device)
        return [
            result.to_host(np.empty_like(output))
            for result, output in zip(executable(buffer), expected, strict=True)
        ]

    loop = PythonLoop(call)
    loop.borrowed = borrowed
    return loop


def ort_session(setting):
    """A session with one thread: more only slow such small models down."""
    import onnx_models
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        onnx_models.serialized(setting.function),
        options,
        providers=["CPUExecutionProvider"],
    )


def ort_run(setting):
    session, arguments = ort_session(setting), {"x": setting.function.argument}
    return PythonLoop(lambda: session.run(None, arguments))


class OrtBinding(PythonLoop):
    """Inputs and outputs that stay where they are from run to run."""

    def __init__(self, session, function):
        import onnxruntime

        self.arrays = [np.zeros_like(output) for output in function.outputs]
        self.values = [
            onnxruntime.OrtValue.ortvalue_from_numpy(array)
            for array in [function.argument, *self.arrays]
        ]
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", self.values[0])
        for i, value in enumerate(self.values[1:]):
            binding.bind_ortvalue_output(f"y{i}", value)
        super().__init__(lambda: session.run_with_iobinding(binding))

    def outputs(self):
        self.call()
        return [value.numpy() for value in self.values[1:]]


def ort_iobinding(setting):
    return OrtBinding(ort_session(setting), setting.function)


BARE_PJRT = "bare PJRT loop"
CALL_RUN = "cyxla_call_run, pjrt"
EXECUTE = "cyxla execute, pjrt"
DIRECT = "cyxla_call_run, direct"
KERNELS = "bare loop of its kernels"
CASADI = "CasADi's generated C"
CASADI_INLINED = "CasADi's generated C, inlined"
CASADI_SPARSE = "CasADi's generated C, inlined, sparse Hessian"
RUN = "cyxla Executable.run, pjrt"
DIRECT_RUN = "cyxla Executable.run, direct"
JIT = "np.asarray(jax.jit(f)(x))"

CONTESTANTS = [
    Contestant(BARE_PJRT, "C", bare_pjrt),
    Contestant(CALL_RUN, "C", call_run),
    Contestant(EXECUTE, "Cython", cython_execute),
    Contestant(DIRECT, "C", call_run_directly),
    Contestant(KERNELS, "C", kernels),
    Contestant(CASADI, "C", casadi_c, ("sine", "rosenbrock", "mlp", "hessian_10")),
    Contestant(CASADI_INLINED, "C", casadi_inlined, ("rosenbrock", "hessian_10")),
    Contestant(CASADI_SPARSE, "C", casadi_sparse, ("hessian_10",)),
    Contestant(RUN, "Python", executable_run),
    Contestant(DIRECT_RUN, "Python", executable_run_directly),
    Contestant(JIT, "Python", jax_jit),
    Contestant("the same, AOT compiled", "Python", jax_compiled),
    Contestant("pypjrt, from and to NumPy", "Python", pypjrt_round_trip),
    Contestant("ONNX Runtime run", "Python", ort_run),
    Contestant("ONNX Runtime iobinding", "Python", ort_iobinding),
]

IN_C = [contestant for contestant in CONTESTANTS if contestant.language == "C"]
