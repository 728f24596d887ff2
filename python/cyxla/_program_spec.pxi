# What other extension modules cimport: one caller's seat at an executable.
from cpython.ref cimport Py_INCREF, Py_XDECREF

_ABI_VERSION = ABI_VERSION


cdef void *aligned_memory(size_t size) noexcept nogil:
    return cyxla_aligned_alloc(size)


cdef void free_aligned(void *memory) noexcept nogil:
    cyxla_aligned_free(memory)


cdef str describe_array(str dtype, shape):
    return f"{dtype}[{', '.join([str(size) for size in shape])}]"


cdef int check_input(Executable executable, const Input *given, size_t index) except -1:
    cdef const cyxla_array_spec *spec = cyxla_program_input(
        executable.program.handle, index)
    cdef size_t i
    if (<int>given.type == <int>spec.dtype and given.num_dims == spec.rank
            and memcmp(given.dims, spec.shape, spec.rank * sizeof(int64_t)) == 0):
        return 0
    expected = describe_array(cyxla_dtype_name(spec.dtype).decode(),
                              [spec.shape[i] for i in range(spec.rank)])
    found = describe_array(cyxla_dtype_name(<cyxla_dtype><int>given.type).decode(),
                           [given.dims[i] for i in range(given.num_dims)])
    raise TypeError(f"input {spec.name.decode()} is {found}, expected {expected}")


cdef int check_memory(Executable executable, const Input *given, size_t index) except -1:
    cdef const cyxla_array_spec *spec = cyxla_program_input(
        executable.program.handle, index)
    if given.data == NULL and spec.bytes > 0:
        raise TypeError(f"the data of input {spec.name.decode()} is NULL, expected "
                        f"{spec.bytes} bytes")
    return 0


cdef int bind_inputs(ProgramSpec *spec, Executable executable, const Input *inputs
                     ) except -1:
    cdef cyxla_error error
    cdef size_t i
    for i in range(spec.num_inputs):
        check_input(executable, &inputs[i], i)
        check_memory(executable, &inputs[i], i)
        check(cyxla_call_bind_input(spec.call, i, inputs[i].data, &error), &error)
    return 0


cdef int create_program_spec(
    ProgramSpec *spec, Executable executable, const Input *inputs, size_t num_inputs,
) except -1:
    cdef cyxla_error error
    cdef size_t i
    cdef size_t *output_bytes
    memset(spec, 0, sizeof(spec[0]))
    if executable is None:
        raise TypeError("the executable is None")
    if num_inputs != len(executable.input_dtypes):
        raise TypeError(executable.wrong_number(num_inputs))
    try:
        spec.num_inputs = num_inputs
        spec.num_outputs = len(executable.output_dtypes)
        output_bytes = <size_t *>allocate(spec.num_outputs, sizeof(size_t))
        spec.output_bytes = output_bytes
        spec.outputs = <const void **>allocate(spec.num_outputs, sizeof(void *))
        for i in range(spec.num_outputs):
            output_bytes[i] = cyxla_program_output(executable.program.handle, i).bytes
        check(cyxla_call_create(executable.handle, &spec.call, &error), &error)
        Py_INCREF(executable)
        spec.executable = <PyObject *>executable
        bind_inputs(spec, executable, inputs)
    except BaseException:
        destroy_program_spec(spec)
        raise
    return 0


cdef int bind_output(ProgramSpec *spec, size_t index, void *memory) except -1:
    cdef cyxla_error error
    return check(cyxla_call_bind_output(spec.call, index, memory, &error), &error)


cdef bint input_is_copied(const ProgramSpec *spec, size_t index) noexcept nogil:
    return cyxla_call_input_is_copied(spec.call, index)


cdef cyxla_status try_execute(ProgramSpec *spec, cyxla_error *error) noexcept nogil:
    cdef cyxla_status status = cyxla_call_run(spec.call, error)
    cdef size_t i
    for i in range(spec.num_outputs):
        spec.outputs[i] = cyxla_call_output(spec.call, i)
    return status


cdef int raise_error(const cyxla_error *error) except -1:
    return check(error.status, error)


cdef int execute(ProgramSpec *spec) except -1 nogil:
    cdef cyxla_error error
    if try_execute(spec, &error) != CYXLA_OK:
        with gil:
            return raise_error(&error)
    return 0


cdef void destroy_program_spec(ProgramSpec *spec) noexcept:
    cyxla_call_destroy(spec.call)
    Py_XDECREF(spec.executable)
    PyMem_Free(<void *>spec.output_bytes)
    PyMem_Free(<void *>spec.outputs)
    memset(spec, 0, sizeof(spec[0]))
