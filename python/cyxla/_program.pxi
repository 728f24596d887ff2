# Programs as Python objects.

cdef extern from "program.h" nogil:
    cyxla_program *cyxla_program_retain(cyxla_program *program)


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
        self.specs = <cyxla_array_spec *>allocate(len(specs), sizeof(cyxla_array_spec))
        self.shapes = <int64_t *>allocate(
            sum([len(spec.shape) for spec in specs]), sizeof(int64_t))
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


cdef class RequestList:
    """C's view of the names and shapes of inputs by which a size is picked."""

    cdef cyxla_array_spec *specs
    cdef int64_t *shapes
    cdef list names

    def __cinit__(self, list requests):
        cdef size_t i = 0, position = 0
        self.names = []
        self.specs = <cyxla_array_spec *>allocate(
            len(requests), sizeof(cyxla_array_spec))
        self.shapes = <int64_t *>allocate(
            sum([len(shape) for _, shape in requests]), sizeof(int64_t))
        for i, (name, shape) in enumerate(requests):
            if name is not None:
                self.names.append(zero_terminated(name.encode()))
                self.specs[i].name = <bytes>self.names[-1]
            self.specs[i].rank = len(shape)
            self.specs[i].shape = self.shapes + position
            for size in shape:
                self.shapes[position] = size
                position += 1

    def __dealloc__(self):
        PyMem_Free(self.specs)
        PyMem_Free(self.shapes)


cdef class Program:
    """A lowered function: StableHLO with its signature. Immutable.

    ``inputs`` and ``outputs`` are lists of :class:`ArraySpec`.
    """

    def __cinit__(self, token=None):
        if token is not maker:
            raise TypeError("programs are made by cyxla.lower")

    @classmethod
    def from_parts(cls, *, str platform, bytes code, bytes compile_options, list inputs,
                   list outputs, str metadata=""):
        """Makes a program from StableHLO (a portable artifact) and its signature."""
        cdef Program self = cls.__new__(cls, maker)
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
        cdef Program self = cls.__new__(cls, maker)
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

    @classmethod
    def join(cls, list programs):
        """Makes one program of several, which are sizes of one function."""
        cdef Program self = cls.__new__(cls, maker)
        cdef cyxla_error error
        cdef size_t i
        cdef const cyxla_program **handles = <const cyxla_program **>allocate(
            len(programs), sizeof(void *))
        try:
            for i in range(len(programs)):
                handles[i] = (<Program?>programs[i]).handle
            check(cyxla_program_join(handles, len(programs), &self.handle, &error),
                  &error)
        finally:
            PyMem_Free(handles)
        return self.describe()

    cdef Program size(self, cyxla_program *handle):
        cdef Program found
        if handle == self.handle:
            return self
        found = type(self).__new__(type(self), maker)
        found.handle = cyxla_program_retain(handle)
        return found.describe()

    @property
    def address(self):
        """A number that is the same for all objects of one program in C."""
        return <size_t>self.handle

    @property
    def sizes(self):
        """The function at all its sizes, a list of programs, in the order in which they
        were saved. Most programs have one size.
        """
        cdef size_t i
        return [self.size(cyxla_program_size(self.handle, i))
                for i in range(cyxla_program_num_sizes(self.handle))]

    def pick(self, list requests):
        """The size whose inputs have certain shapes, a list of pairs of a name, or None
        for the input in that place, and a shape.
        """
        cdef RequestList wanted = RequestList(requests)
        cdef cyxla_program *found = NULL
        cdef cyxla_error error
        check(cyxla_program_pick(self.handle, wanted.specs, len(requests), &found,
                                 &error), &error)
        return self.size(found)

    def save(self, path):
        """Writes a ``.cyxla`` file that holds the program at all its sizes."""
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

    @property
    def executables(self):
        """What the file held beside the program that this one was loaded from, a list of
        :class:`ExecutableInfo`. One that fits is loaded and not compiled.
        """
        cdef cyxla_executable_info info
        cdef cyxla_error error
        cdef size_t i
        executables = []
        info.struct_size = sizeof(info)
        for i in range(cyxla_program_num_executables(self.handle)):
            check(cyxla_program_executable_info(self.handle, i, &info, &error), &error)
            executables.append(ExecutableInfo(
                plugin_identity=info.plugin_identity.decode(),
                pjrt_api_version=(info.pjrt_api_major, info.pjrt_api_minor),
                platform=info.platform.decode("utf-8", "replace"),
                device_kind=info.device_kind.decode("utf-8", "replace"),
                cpu_features=info.cpu_features.decode("utf-8", "replace"),
                bytes=info.bytes,
                is_direct=info.is_direct,
            ))
        return executables
