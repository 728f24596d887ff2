"""A pendulum's energy along a path, a JAX function, in Cython's pure Python mode."""

import cython
import cyxla
from cython.cimports.cyxla._pjrt import PJRT_Buffer_Type_F32
from cython.cimports.cyxla._runtime import (
    ABI_VERSION,
    Executable,
    Input,
    ProgramSpec,
    aligned_memory,
    create_program_spec,
    destroy_program_spec,
    execute,
    free_aligned,
)
from cython.cimports.libc.stdint import int64_t

cyxla.check_abi(ABI_VERSION)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def run(spec: cython.pointer[ProgramSpec]) -> cython.int:
    """One execution; the function that native callers would use."""
    return execute(spec)


def total(energy: Executable, angles: list[float]) -> float:
    """The sum of energy(angle), an executable of one float32 scalar, over angles."""
    spec: ProgramSpec
    argument: Input
    shape: int64_t = 0
    result: cython.double = 0.0
    memory: cython.p_float = cython.cast(cython.p_float, aligned_memory(4))
    if memory == cython.NULL:
        raise MemoryError
    argument.data = memory
    argument.type = PJRT_Buffer_Type_F32
    argument.dims = cython.address(shape)
    argument.num_dims = 0
    create_program_spec(cython.address(spec), energy, cython.address(argument), 1)
    try:
        for angle in angles:
            memory[0] = angle
            with cython.nogil:
                run(cython.address(spec))
            result += cython.cast(cython.p_float, spec.outputs[0])[0]
    finally:
        destroy_program_spec(cython.address(spec))
        free_aligned(memory)
    return result
