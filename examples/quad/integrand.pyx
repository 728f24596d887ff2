"""A compiled JAX function as an integrand that SciPy calls without Python."""

from cpython.pycapsule cimport PyCapsule_GetContext, PyCapsule_New, PyCapsule_SetContext
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.math cimport NAN
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from cyxla._pjrt cimport PJRT_Buffer_Type_F64
from cyxla._runtime cimport (
    ABI_VERSION,
    CYXLA_OK,
    Executable,
    Input,
    ProgramSpec,
    aligned_memory,
    create_program_spec,
    cyxla_error,
    destroy_program_spec,
    free_aligned,
    raise_error,
    try_execute,
)

import numpy as np
from scipy import LowLevelCallable

import cyxla
import integrand

cyxla.check_abi(ABI_VERSION)


# What SciPy hands to each call as user_data.
ctypedef struct Seat:
    ProgramSpec spec
    double *arguments  # the program's input, used where it lies
    int num_arguments
    int wrong_number  # of arguments that a call was given; 0: all calls were right
    cyxla_error error  # of the first execution that failed


# The signature that scipy.integrate.quad asks for. It is called without the GIL and has
# no way to raise, so a failure is kept in the seat and the result is NaN from then on.
cdef api double evaluate(int num_arguments, double *arguments, void *user_data
                         ) noexcept nogil:
    cdef Seat *seat = <Seat *>user_data
    if num_arguments != seat.num_arguments:
        seat.wrong_number = num_arguments
        return NAN
    if seat.error.status != CYXLA_OK:
        return NAN
    memcpy(seat.arguments, arguments, num_arguments * sizeof(double))
    if try_execute(&seat.spec, &seat.error) != CYXLA_OK:
        return NAN
    return (<const double *>seat.spec.outputs[0])[0]


# The capsule that holds the seat keeps the object that the seat is part of.
cdef void release_owner(object capsule) noexcept:
    Py_DECREF(<object>PyCapsule_GetContext(capsule))


cdef class Integrand:
    """One seat at an executable that takes a float64 array and returns one float64.

    ``callable`` goes to SciPy, in one thread at a time. Call ``check`` after SciPy is
    done, since SciPy is told of no error.
    """

    cdef Seat seat

    def __cinit__(self, Executable executable):
        cdef Input values
        cdef int64_t size
        if [output[1:3] for output in executable.outputs] != [((), np.float64)]:
            raise TypeError(
                f"the outputs are {executable.outputs}, expected one float64 number")
        if [len(argument.shape) for argument in executable.inputs] != [1]:
            raise TypeError(
                f"the inputs are {executable.inputs}, expected one array of numbers")
        size = executable.inputs[0].shape[0]
        self.seat.num_arguments = <int>size
        self.seat.arguments = <double *>aligned_memory(size * sizeof(double))
        if self.seat.arguments == NULL:
            raise MemoryError
        values.data = self.seat.arguments
        values.type = PJRT_Buffer_Type_F64
        values.dims = &size
        values.num_dims = 1
        create_program_spec(&self.seat.spec, executable, &values, 1)

    def __dealloc__(self):
        destroy_program_spec(&self.seat.spec)
        free_aligned(self.seat.arguments)

    @property
    def callable(self):
        """The integrand as a ``scipy.LowLevelCallable``."""
        user_data = PyCapsule_New(&self.seat, NULL, release_owner)
        PyCapsule_SetContext(user_data, <void *>self)
        Py_INCREF(self)
        return LowLevelCallable.from_cython(integrand, "evaluate", user_data)

    def check(self):
        """Raises the error that made the integrand return NaN, if there was one."""
        cdef cyxla_error error = self.seat.error
        cdef int wrong_number = self.seat.wrong_number
        self.seat.error.status = CYXLA_OK
        self.seat.wrong_number = 0
        if wrong_number != 0:
            raise TypeError(
                f"the integrand was called with {wrong_number} arguments, "
                f"expected {self.seat.num_arguments}")
        raise_error(&error)
