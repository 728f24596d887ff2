"""The C library, wrapped: programs, runtimes and executables as Python objects."""

import os

cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.string cimport memcmp, memcpy, memset

from cyxla.arrays import convert, dtype_of
from cyxla.errors import Error, FileError
from cyxla.specs import ArraySpec, RuntimeInfo

cnp.import_array()


cdef int check(cyxla_status status, const cyxla_error *error) except -1:
    """Raises the exception for a status; every call of the C library goes through."""
    if status == CYXLA_OK:
        return 0
    message = error.message.decode("utf-8", "replace")
    if status == CYXLA_OUT_OF_MEMORY:
        raise MemoryError(message)
    name = cyxla_status_name(status).decode()
    if status == CYXLA_FILE_UNREADABLE or status == CYXLA_FILE_UNWRITABLE:
        raise FileError(message, name)
    raise Error(message, name)


def version():
    """The version of the C library."""
    return cyxla_version().decode()


cdef extern from "environment.h" nogil:
    const char *cyxla_environment_plugin()


def environment_plugin():
    """The value of CYXLA_PLUGIN, None if it is unset or empty."""
    cdef const char *path = cyxla_environment_plugin()
    return None if path == NULL else os.fsdecode(<bytes>path)


cdef bytes zero_terminated(encoded):
    """What C reads as one string; ValueError if it would read a part only."""
    if b"\0" in encoded:
        raise ValueError(f"{encoded!r} holds a zero byte, where strings end")
    return encoded


def inspect_plugin(path):
    """What a plugin's library says about itself, a dict.

    ``problem`` is None, or why the plugin cannot be loaded or initialized; what is not
    known then is None.
    """
    cdef cyxla_plugin_info info
    cdef cyxla_error error
    cdef cyxla_status status
    cdef size_t i
    path_bytes = zero_terminated(os.fsencode(path))
    cdef const char *path_text = path_bytes
    memset(&info, 0, sizeof(info))
    info.struct_size = sizeof(info)
    with nogil:
        status = cyxla_plugin_inspect(path_text, &info, &error)
    is_known = info.pjrt_api_minor > 0
    has_stablehlo = info.stablehlo_version[0] + info.stablehlo_version[1] > 0
    return {
        "problem": None if status == CYXLA_OK else error.message.decode(
            "utf-8", "replace"),
        "pjrt_api_version": [info.pjrt_api_major, info.pjrt_api_minor]
        if is_known else None,
        "stablehlo_version": [info.stablehlo_version[i] for i in range(3)]
        if has_stablehlo else None,
        "extensions": [cyxla_extension_name(info.extensions[i]).decode()
                       for i in range(info.num_extensions)] if is_known else None,
    }


cdef list read_specs(cyxla_program *program, bint is_output):
    cdef const cyxla_array_spec *spec
    cdef size_t count = (cyxla_program_num_outputs(program) if is_output
                         else cyxla_program_num_inputs(program))
    cdef size_t i, k
    specs = []
    for i in range(count):
        spec = (cyxla_program_output(program, i) if is_output
                else cyxla_program_input(program, i))
        shape = tuple([spec.shape[k] for k in range(spec.rank)])
        dtype = dtype_of(cyxla_dtype_name(spec.dtype).decode())
        specs.append(ArraySpec(spec.name.decode(), shape, dtype, spec.aliased_output))
    return specs


cdef class SpecList:
    """C's view of a list of ArraySpec, which it keeps alive."""

    cdef cyxla_array_spec *specs
    cdef int64_t *shapes
    cdef list names

    def __cinit__(self, specs):
        cdef size_t i = 0, position = 0
        self.names = [zero_terminated(spec.name.encode()) for spec in specs]
        self.specs = <cyxla_array_spec *>PyMem_Calloc(
            len(specs) + 1, sizeof(cyxla_array_spec))
        self.shapes = <int64_t *>PyMem_Calloc(
            sum(len(spec.shape) for spec in specs) + 1, sizeof(int64_t))
        if self.specs == NULL or self.shapes == NULL:
            raise MemoryError
        for i, spec in enumerate(specs):
            self.specs[i].name = <bytes>self.names[i]
            self.specs[i].dtype = cyxla_dtype_from_name(spec.dtype.name.encode())
            self.specs[i].rank = len(spec.shape)
            self.specs[i].shape = self.shapes + position
            self.specs[i].aliased_output = spec.aliased_output
            for size in spec.shape:
                self.shapes[position] = size
                position += 1

    def __dealloc__(self):
        PyMem_Free(self.specs)
        PyMem_Free(self.shapes)


cdef class Program:
    """A lowered function: StableHLO with its signature. Immutable.

    ``inputs`` and ``outputs`` are lists of :class:`ArraySpec`.
    """

    def __init__(self):
        raise TypeError("programs are made by cyxla.lower")

    @classmethod
    def from_parts(cls, *, str platform, bytes code, bytes compile_options, list inputs,
                   list outputs, str metadata=""):
        """Makes a program from StableHLO (a portable artifact) and its signature."""
        cdef Program self = cls.__new__(cls)
        cdef SpecList input_specs = SpecList(inputs)
        cdef SpecList output_specs = SpecList(outputs)
        cdef cyxla_program_options options
        cdef cyxla_error error
        platform_bytes = zero_terminated(platform.encode())
        metadata_bytes = zero_terminated(metadata.encode())
        memset(&options, 0, sizeof(options))
        options.struct_size = sizeof(options)
        options.platform = platform_bytes
        options.code = <const char *>code
        options.code_bytes = len(code)
        options.compile_options = <const char *>compile_options
        options.compile_options_bytes = len(compile_options)
        options.inputs = input_specs.specs
        options.num_inputs = len(inputs)
        options.outputs = output_specs.specs
        options.num_outputs = len(outputs)
        options.metadata = metadata_bytes
        check(cyxla_program_create(&options, &self.handle, &error), &error)
        return self.describe()

    @classmethod
    def load(cls, path):
        """Reads the program of a ``.cyxla`` file."""
        cdef Program self = cls.__new__(cls)
        cdef cyxla_error error
        cdef cyxla_status status
        path_bytes = zero_terminated(os.fsencode(path))
        cdef const char *path_text = path_bytes
        with nogil:
            status = cyxla_program_load(path_text, &self.handle, &error)
        check(status, &error)
        return self.describe()

    cdef Program describe(self):
        self.inputs = read_specs(self.handle, False)
        self.outputs = read_specs(self.handle, True)
        return self

    def __dealloc__(self):
        cyxla_program_destroy(self.handle)

    def save(self, path):
        """Writes a ``.cyxla`` file that holds the program."""
        cdef cyxla_error error
        cdef cyxla_status status
        path_bytes = zero_terminated(os.fsencode(path))
        cdef const char *path_text = path_bytes
        with nogil:
            status = cyxla_program_save(self.handle, path_text, &error)
        check(status, &error)

    @property
    def platform(self):
        """The platform that it was lowered for, such as ``"cpu"``."""
        return cyxla_program_platform(self.handle).decode()

    @property
    def code(self):
        """The StableHLO, a portable artifact."""
        cdef size_t size
        cdef const char *data = <const char *>cyxla_program_code(self.handle, &size)
        return data[:size]

    @property
    def compile_options(self):
        """The serialized ``xla.CompileOptionsProto``."""
        cdef size_t size
        cdef const char *data = <const char *>cyxla_program_compile_options(
            self.handle, &size)
        return data[:size]

    @property
    def metadata(self):
        """What Python keeps with the program, as JSON."""
        return cyxla_program_metadata(self.handle).decode()


cdef class OptionList:
    """C's view of a dict of client options, which it keeps alive."""

    cdef cyxla_option *options
    cdef list kept

    def __cinit__(self, dict options):
        self.kept = []
        self.options = <cyxla_option *>PyMem_Calloc(len(options) + 1, sizeof(cyxla_option))
        if self.options == NULL:
            raise MemoryError
        for i, (name, value) in enumerate(options.items()):
            self.fill(&self.options[i], name, value)

    cdef int fill(self, cyxla_option *option, str name, value) except -1:
        name_bytes = zero_terminated(name.encode())
        self.kept.append(name_bytes)
        option.name = name_bytes
        if isinstance(value, bool):
            option.type = CYXLA_OPTION_BOOL
            option.value.boolean = value
        elif isinstance(value, int):
            option.type = CYXLA_OPTION_INT64
            option.value.int64 = value
        elif isinstance(value, float):
            option.type = CYXLA_OPTION_FLOAT
            option.value.float32 = value
        elif isinstance(value, str):
            text = zero_terminated(value.encode())
            self.kept.append(text)
            option.type = CYXLA_OPTION_STRING
            option.value.string = text
        else:
            numbers = Int64List(value)
            self.kept.append(numbers)
            option.type = CYXLA_OPTION_INT64_LIST
            option.value.int64_list = numbers.numbers
            option.num_elements = len(value)
        return 0

    def __dealloc__(self):
        PyMem_Free(self.options)


cdef class Int64List:
    """C's view of a list of integers."""

    cdef int64_t *numbers

    def __cinit__(self, values):
        self.numbers = <int64_t *>PyMem_Calloc(len(values) + 1, sizeof(int64_t))
        if self.numbers == NULL:
            raise MemoryError
        for i, value in enumerate(values):
            self.numbers[i] = value

    def __dealloc__(self):
        PyMem_Free(self.numbers)


cdef class Runtime:
    """A loaded plugin with its client."""

    def __cinit__(self, plugin, platform, dict options, int num_threads=0):
        cdef OptionList option_list = OptionList(options)
        cdef cyxla_runtime_options runtime_options
        cdef cyxla_error error
        cdef cyxla_status status
        plugin_bytes = zero_terminated(os.fsencode(plugin))
        platform_bytes = None if platform is None else zero_terminated(platform.encode())
        memset(&runtime_options, 0, sizeof(runtime_options))
        runtime_options.struct_size = sizeof(runtime_options)
        runtime_options.plugin = plugin_bytes
        runtime_options.platform = NULL if platform is None else <char *>platform_bytes
        runtime_options.options = option_list.options
        runtime_options.num_options = len(options)
        runtime_options.num_threads = num_threads
        with nogil:
            status = cyxla_runtime_create(&runtime_options, &self.handle, &error)
        check(status, &error)

    def __dealloc__(self):
        cyxla_runtime_destroy(self.handle)

    @property
    def info(self):
        """What the runtime is, as a :class:`RuntimeInfo`."""
        cdef cyxla_runtime_info info
        cdef cyxla_error error
        cdef size_t i
        info.struct_size = sizeof(info)
        check(cyxla_runtime_get_info(self.handle, &info, &error), &error)
        return RuntimeInfo(
            platform=info.platform.decode(),
            platform_version=info.platform_version.decode("utf-8", "replace"),
            plugin=os.fsdecode(<bytes>info.plugin_path),
            pjrt_api_version=(info.pjrt_api_major, info.pjrt_api_minor),
            stablehlo_version=tuple([info.stablehlo_version[i] for i in range(3)]),
            devices=tuple([cyxla_runtime_device_kind(self.handle, i).decode()
                           for i in range(info.num_devices)]),
            zero_copy=bool(info.zero_copy),
        )


cdef class Call:
    """One seat at an executable."""

    def __cinit__(self, Executable executable):
        cdef cyxla_error error
        check(cyxla_call_create(executable.handle, &self.handle, &error), &error)

    def __dealloc__(self):
        cyxla_call_destroy(self.handle)


cdef inline bint is_exact(object argument, const cyxla_array_spec *spec, int type_number):
    """Whether an argument's memory can be copied as it is."""
    if not cnp.PyArray_CheckExact(argument):
        return False
    cdef cnp.ndarray array = <cnp.ndarray>argument
    return (cnp.PyArray_TYPE(array) == type_number
            and cnp.PyArray_ISCARRAY_RO(array)
            and <size_t>cnp.PyArray_NDIM(array) == spec.rank
            and memcmp(cnp.PyArray_DIMS(array), spec.shape,
                       spec.rank * sizeof(int64_t)) == 0)


cdef class Executable:
    """A program that was compiled for a runtime. Any number of threads may run it."""

    def __init__(self):
        raise TypeError("executables are made by cyxla.compile_program")

    @classmethod
    def compile(cls, Runtime runtime, Program program):
        """Compiles a program for the first device of a runtime."""
        cdef Executable self = cls.__new__(cls)
        cdef cyxla_error error
        cdef cyxla_status status
        self.program = program
        self.idle_calls = []
        self.input_dtypes = tuple([spec.dtype for spec in program.inputs])
        self.output_dtypes = tuple([spec.dtype for spec in program.outputs])
        with nogil:
            status = cyxla_executable_compile(
                runtime.handle, program.handle, &self.handle, &error)
        check(status, &error)
        return self

    def __dealloc__(self):
        cyxla_executable_destroy(self.handle)

    def save(self, path):
        """Writes a ``.cyxla`` file that holds the program and names the plugin."""
        cdef cyxla_error error
        cdef cyxla_status status
        path_bytes = zero_terminated(os.fsencode(path))
        cdef const char *path_text = path_bytes
        with nogil:
            status = cyxla_executable_save(self.handle, path_text, &error)
        check(status, &error)

    def serialize(self):
        """The plugin's own bytes: machine code for this very build of the plugin."""
        cdef cyxla_error error
        cdef cyxla_status status
        cdef void *data
        cdef size_t size
        with nogil:
            status = cyxla_executable_serialize(self.handle, &data, &size, &error)
        check(status, &error)
        try:
            return (<const char *>data)[:size]
        finally:
            cyxla_aligned_free(data)

    @property
    def inputs(self):
        """The inputs, a list of :class:`ArraySpec`."""
        return self.program.inputs

    @property
    def outputs(self):
        """The outputs, a list of :class:`ArraySpec`."""
        return self.program.outputs

    @property
    def output_bytes(self):
        """The size of each output in bytes."""
        cdef size_t i
        return [cyxla_program_output(self.program.handle, i).bytes
                for i in range(len(self.program.outputs))]

    @property
    def tier(self):
        """How runs happen: ``"pjrt"``, through the plugin."""
        return cyxla_executable_tier(self.handle).decode()

    @property
    def compile_seconds(self):
        """The seconds that the plugin took to compile."""
        return cyxla_executable_compile_seconds(self.handle)

    @property
    def code_bytes(self):
        """Bytes of machine code as the plugin counts them, -1 if it does not tell."""
        return cyxla_executable_code_bytes(self.handle)

    def run(self, arguments):
        """Runs the program on a flat list of arrays and returns the list of its outputs.

        Arguments that are not arrays of the right dtype are converted as NumPy would,
        where no meaning is lost; a wrong number, shape or kind of argument is an error.
        The outputs are new arrays. Any number of threads may run one executable.
        """
        cdef Call call
        arguments = tuple(arguments)
        if len(arguments) != len(self.input_dtypes):
            raise TypeError(self.wrong_number(len(arguments)))
        try:
            call = self.idle_calls.pop()
        except IndexError:
            call = Call(self)
        try:
            self.fill_inputs(call, arguments)
            self.execute(call)
            return self.read_outputs(call)
        finally:
            self.idle_calls.append(call)

    cdef str wrong_number(self, found):
        names = ", ".join([spec.name for spec in self.program.inputs])
        return (f"the program takes {len(self.input_dtypes)} arguments ({names}), "
                f"found {found}")

    cdef int fill_inputs(self, Call call, arguments) except -1:
        cdef const cyxla_array_spec *spec
        cdef cnp.dtype dtype
        cdef size_t i = 0
        for argument in arguments:
            spec = cyxla_program_input(self.program.handle, i)
            dtype = <cnp.dtype>self.input_dtypes[i]
            if not is_exact(argument, spec, dtype.num):
                argument = convert(argument, self.program.inputs[i])
            memcpy(cyxla_call_input(call.handle, i), cnp.PyArray_DATA(argument),
                   spec.bytes)
            i += 1
        return 0

    cdef int execute(self, Call call) except -1:
        cdef cyxla_error error
        cdef cyxla_status status
        with nogil:
            status = cyxla_call_run(call.handle, &error)
        return check(status, &error)

    cdef list read_outputs(self, Call call):
        cdef const cyxla_array_spec *spec
        cdef cnp.dtype dtype
        cdef size_t i
        outputs = []
        for i in range(len(self.output_dtypes)):
            spec = cyxla_program_output(self.program.handle, i)
            dtype = <cnp.dtype>self.output_dtypes[i]
            array = cnp.PyArray_EMPTY(
                <int>spec.rank, <cnp.npy_intp *>spec.shape, dtype.num, 0)
            memcpy(cnp.PyArray_DATA(array), cyxla_call_output(call.handle, i), spec.bytes)
            outputs.append(array)
        return outputs


include "_program_spec.pxi"
