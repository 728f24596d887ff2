"""The loops that run without Python, as objects with a method time(count).

Each holds a program, whose inputs set_inputs fills in, runs it `count` times without the
GIL and returns the nanoseconds that all runs together took.
"""

import os

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from cyxla._pjrt cimport PJRT_Buffer_Type_F32, PJRT_Buffer_Type_F64
from cyxla._runtime cimport (
    ABI_VERSION,
    CYXLA_OK,
    CYXLA_TIER_DIRECT,
    CYXLA_TIER_PJRT,
    Executable,
    Input,
    ProgramSpec,
    aligned_memory,
    create_program_spec,
    cyxla_error,
    cyxla_program,
    cyxla_program_input,
    cyxla_program_output,
    cyxla_status,
    cyxla_tier,
    destroy_program_spec,
    execute,
    free_aligned,
)

import cyxla

cyxla.check_abi(ABI_VERSION)


cdef extern from "clock.h" nogil:
    double clock_nanoseconds()


cdef extern from "bare_pjrt.h" nogil:
    ctypedef struct bare_pjrt:
        pass

    cyxla_status bare_pjrt_create(const char *plugin, const cyxla_program *program,
                                  bare_pjrt **bare, cyxla_error *error)
    void bare_pjrt_destroy(bare_pjrt *bare)
    void *bare_pjrt_input(bare_pjrt *bare, size_t index)
    const void *bare_pjrt_output(const bare_pjrt *bare, size_t index)
    cyxla_status bare_pjrt_time(bare_pjrt *bare, long count, double *nanoseconds,
                                cyxla_error *error)


cdef extern from "call_loop.h" nogil:
    ctypedef struct call_loop:
        pass

    cyxla_status call_loop_create(const char *file, const char *plugin, cyxla_tier tier,
                                  call_loop **loop, cyxla_error *error)
    void call_loop_destroy(call_loop *loop)
    const cyxla_program *call_loop_program(const call_loop *loop)
    void *call_loop_input(call_loop *loop, size_t index)
    const void *call_loop_output(const call_loop *loop, size_t index)
    cyxla_status call_loop_time(call_loop *loop, long count, double *nanoseconds,
                                cyxla_error *error)
    cyxla_status call_loop_threads(call_loop *loop, size_t num_threads, double seconds,
                                   double *runs_per_second, cyxla_error *error)
    cyxla_status call_loop_bare_threads(size_t num_threads, double seconds,
                                        double *runs_per_second, cyxla_error *error)


cdef int check(cyxla_status status, cyxla_error *error) except -1:
    if status != CYXLA_OK:
        raise RuntimeError(error.message.decode("utf-8", "replace"))
    return 0


cdef int fill(void *array, size_t bytes_of_array, bytes data) except -1:
    if <size_t>len(data) != bytes_of_array:
        raise ValueError(f"the input has {bytes_of_array} bytes, found {len(data)}")
    memcpy(array, <const char *>data, bytes_of_array)
    return 0


cdef bytes read(const void *array, size_t bytes_of_array):
    return (<const char *>array)[:bytes_of_array]


TIERS = dict(pjrt=CYXLA_TIER_PJRT, direct=CYXLA_TIER_DIRECT)


cdef class CallLoop:
    """cyxla_call_run, on the program of a .cyxla file, with a plugin or None."""

    cdef call_loop *loop

    def __cinit__(self, file, plugin, tier):
        cdef cyxla_error error
        cdef const char *path = NULL
        if plugin is not None:
            plugin_bytes = os.fsencode(plugin)
            path = plugin_bytes
        check(call_loop_create(os.fsencode(file), path, <cyxla_tier><int>TIERS[tier],
                               &self.loop, &error), &error)

    def __dealloc__(self):
        call_loop_destroy(self.loop)

    def set_inputs(self, list arrays):
        for i, data in enumerate(arrays):
            fill(call_loop_input(self.loop, i),
                 cyxla_program_input(call_loop_program(self.loop), i).bytes, data)

    def output(self, size_t index):
        return read(call_loop_output(self.loop, index),
                    cyxla_program_output(call_loop_program(self.loop), index).bytes)

    def time(self, long count):
        cdef cyxla_error error
        cdef cyxla_status status
        cdef double nanoseconds
        with nogil:
            status = call_loop_time(self.loop, count, &nanoseconds, &error)
        check(status, &error)
        return nanoseconds

    def runs_per_second(self, size_t num_threads, double seconds):
        """How often threads with a call each run the program in a second, together."""
        cdef cyxla_error error
        cdef cyxla_status status
        cdef double runs_per_second
        with nogil:
            status = call_loop_threads(self.loop, num_threads, seconds, &runs_per_second,
                                       &error)
        check(status, &error)
        return runs_per_second


def bare_runs_per_second(size_t num_threads, double seconds):
    """What threads reach that only compute."""
    cdef cyxla_error error
    cdef cyxla_status status
    cdef double runs_per_second
    with nogil:
        status = call_loop_bare_threads(num_threads, seconds, &runs_per_second, &error)
    check(status, &error)
    return runs_per_second


cdef class BareLoop:
    """The PJRT C API alone, on the program of another loop."""

    cdef bare_pjrt *bare
    cdef CallLoop origin

    def __cinit__(self, CallLoop origin, plugin):
        cdef cyxla_error error
        self.origin = origin
        check(bare_pjrt_create(os.fsencode(plugin), call_loop_program(origin.loop),
                               &self.bare, &error), &error)

    def __dealloc__(self):
        bare_pjrt_destroy(self.bare)

    def set_inputs(self, list arrays):
        for i, data in enumerate(arrays):
            fill(bare_pjrt_input(self.bare, i),
                 cyxla_program_input(call_loop_program(self.origin.loop), i).bytes, data)

    def output(self, size_t index):
        return read(
            bare_pjrt_output(self.bare, index),
            cyxla_program_output(call_loop_program(self.origin.loop), index).bytes)

    def time(self, long count):
        cdef cyxla_error error
        cdef cyxla_status status
        cdef double nanoseconds
        with nogil:
            status = bare_pjrt_time(self.bare, count, &nanoseconds, &error)
        check(status, &error)
        return nanoseconds


cdef class ExecuteLoop:
    """Cython's execute, as other extension modules use it."""

    cdef ProgramSpec spec
    cdef Input argument
    cdef int64_t size
    cdef size_t input_bytes

    def __cinit__(self, Executable executable):
        (argument,) = executable.inputs
        (self.size,) = argument.shape
        self.input_bytes = self.size * argument.dtype.itemsize
        self.argument.data = aligned_memory(self.input_bytes)
        if self.argument.data == NULL:
            raise MemoryError
        self.argument.type = {
            "float32": PJRT_Buffer_Type_F32, "float64": PJRT_Buffer_Type_F64
        }[argument.dtype.name]
        self.argument.dims = &self.size
        self.argument.num_dims = 1
        create_program_spec(&self.spec, executable, &self.argument, 1)

    def __dealloc__(self):
        destroy_program_spec(&self.spec)
        free_aligned(self.argument.data)

    def set_inputs(self, list arrays):
        (data,) = arrays
        fill(self.argument.data, self.input_bytes, data)

    def output(self, size_t index):
        return read(self.spec.outputs[index], self.spec.output_bytes[index])

    def time(self, long count):
        cdef long i
        cdef double start, end
        with nogil:
            start = clock_nanoseconds()
            for i in range(count):
                execute(&self.spec)
            end = clock_nanoseconds()
        return end - start
