"""A damped oscillator whose step is a JAX function, in Cython's own language."""

from libc.stdint cimport int64_t

from cyxla._pjrt cimport PJRT_Buffer_Type_F64
from cyxla._runtime cimport (
    ABI_VERSION,
    Executable,
    Input,
    ProgramSpec,
    aligned_memory,
    bind_output,
    create_program_spec,
    destroy_program_spec,
    execute,
    free_aligned,
    input_is_copied,
)

import cyxla

cyxla.check_abi(ABI_VERSION)


cdef class Oscillator:
    """Integrates a state of position and velocity with a compiled step.

    The step takes the state, a float64 array of shape (2,) that is donated, and returns
    the next one, so that the state is updated where it lies.
    """

    cdef ProgramSpec spec
    cdef double *state
    cdef int64_t shape

    def __cinit__(self, Executable step, double position, double velocity):
        cdef Input state_input
        self.shape = 2
        self.state = <double *>aligned_memory(2 * sizeof(double))
        if self.state == NULL:
            raise MemoryError
        self.state[0] = position
        self.state[1] = velocity
        state_input.data = self.state
        state_input.type = PJRT_Buffer_Type_F64
        state_input.dims = &self.shape
        state_input.num_dims = 1
        create_program_spec(&self.spec, step, &state_input, 1)
        bind_output(&self.spec, 0, self.state)

    def __dealloc__(self):
        destroy_program_spec(&self.spec)
        free_aligned(self.state)

    @property
    def output_bytes(self):
        """The size of the step's output."""
        return self.spec.output_bytes[0]

    @property
    def is_copied(self):
        """Whether the state is copied by each step."""
        return input_is_copied(&self.spec, 0)

    @property
    def is_updated_in_place(self):
        """Whether the last step left its output where the state lies."""
        return self.spec.outputs[0] == <const void *>self.state

    def advance(self, int steps):
        """Runs so many steps without the GIL and returns position and velocity."""
        cdef int i
        with nogil:
            for i in range(steps):
                execute(&self.spec)
        return self.state[0], self.state[1]
