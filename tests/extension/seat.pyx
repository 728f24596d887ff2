"""What extension modules cimport from cyxla, as Python objects: all of it, so that tests
in Python reach it. Addresses are integers."""

from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset

from cyxla._pjrt cimport (
    PJRT_Buffer_Type,
    PJRT_Buffer_Type_F32,
    PJRT_Buffer_Type_F64,
    PJRT_Buffer_Type_S32,
)
from cyxla._runtime cimport (
    ABI_VERSION,
    CYXLA_OK,
    Executable,
    Input,
    ProgramSpec,
    aligned_memory,
    bind_output,
    create_program_spec,
    cyxla_error,
    cyxla_status,
    destroy_program_spec,
    execute,
    free_aligned,
    input_is_copied,
    raise_error,
    try_execute,
)

import cyxla

cyxla.check_abi(ABI_VERSION)

F32 = PJRT_Buffer_Type_F32
F64 = PJRT_Buffer_Type_F64
S32 = PJRT_Buffer_Type_S32

cdef enum:
    RANK_MAXIMUM = 4
    INPUTS_MAXIMUM = 4


cdef class Memory:
    """Memory from aligned_memory."""

    cdef void *start

    def __cinit__(self, size_t size):
        self.start = aligned_memory(size)
        if self.start == NULL:
            raise MemoryError

    def __dealloc__(self):
        free_aligned(self.start)

    @property
    def address(self):
        return <uintptr_t>self.start


cdef class Seat:
    """A ProgramSpec. Each input is (address, type, shape)."""

    cdef ProgramSpec spec
    cdef cyxla_error error

    def __cinit__(self, Executable executable, *inputs):
        cdef Input given[INPUTS_MAXIMUM]
        cdef int64_t dims[INPUTS_MAXIMUM][RANK_MAXIMUM]
        for i, (address, element_type, shape) in enumerate(inputs):
            for k, size in enumerate(shape):
                dims[i][k] = size
            given[i].data = <void *><uintptr_t>address
            given[i].type = <PJRT_Buffer_Type><int>element_type
            given[i].dims = dims[i]
            given[i].num_dims = len(shape)
        create_program_spec(&self.spec, executable, given, len(inputs))
        # Nothing may still point to what the inputs were described with.
        memset(given, 0xff, sizeof(given))
        memset(dims, 0xff, sizeof(dims))

    def __dealloc__(self):
        destroy_program_spec(&self.spec)

    def destroy(self):
        """Leaves a spec of zeros, which may be destroyed again."""
        destroy_program_spec(&self.spec)
        assert self.spec.call == NULL
        assert self.spec.executable == NULL
        assert self.spec.outputs == NULL

    @property
    def num_inputs(self):
        return self.spec.num_inputs

    @property
    def output_bytes(self):
        return [self.spec.output_bytes[i] for i in range(self.spec.num_outputs)]

    @property
    def outputs(self):
        """Addresses, 0 for NULL."""
        return [<uintptr_t>self.spec.outputs[i] for i in range(self.spec.num_outputs)]

    def is_copied(self, size_t index):
        return bool(input_is_copied(&self.spec, index))

    def bind_output(self, size_t index, uintptr_t address):
        bind_output(&self.spec, index, <void *>address)

    def execute(self, int times=1):
        """Runs without the GIL, which only an exception takes."""
        cdef int i
        with nogil:
            for i in range(times):
                execute(&self.spec)

    def try_execute(self):
        """Whether it worked."""
        cdef cyxla_status status
        with nogil:
            status = try_execute(&self.spec, &self.error)
        return status == CYXLA_OK

    def raise_error(self):
        """Raises what the last try_execute failed with."""
        raise_error(&self.error)
