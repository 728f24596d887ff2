# Executables as Python objects, and running them.


cdef class Call:
    """One seat at an executable."""

    def __cinit__(self, Executable executable not None):
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


def save_all(executables, path):
    """Writes a ``.cyxla`` file that holds a program and what was compiled of it at
    several sizes.
    """
    cdef cyxla_error error
    cdef cyxla_status status
    # A copy, which no other thread changes.
    cdef tuple kept = tuple(executables)
    cdef size_t i
    cdef size_t count = len(kept)
    path_bytes = zero_terminated(os.fsencode(path))
    cdef const char *path_text = path_bytes
    cdef const cyxla_executable **handles = <const cyxla_executable **>allocate(
        count, sizeof(void *))
    try:
        for i in range(count):
            handles[i] = (<Executable?>kept[i]).handle
        with nogil:
            status = cyxla_executable_save_all(handles, count, path_text, &error)
    finally:
        PyMem_Free(handles)
    check(status, &error)


TIERS = dict(auto=CYXLA_TIER_AUTO, pjrt=CYXLA_TIER_PJRT, direct=CYXLA_TIER_DIRECT)
TIERS[None] = CYXLA_TIER_DEFAULT


cdef class Executable:
    """A program that was compiled for a runtime. Any number of threads may run it."""

    def __cinit__(self, token=None):
        if token is not maker:
            raise TypeError("executables are made by cyxla.compile_program")

    @classmethod
    def compile(cls, Runtime runtime not None, Program program not None):
        """Compiles a program for the first device of a runtime."""
        cdef Executable self = cls.__new__(cls, maker)
        cdef cyxla_error error
        cdef cyxla_status status
        with nogil:
            status = cyxla_executable_compile(
                runtime.handle, program.handle, &self.handle, &error)
        check(status, &error)
        return self.describe(program)

    @classmethod
    def create(cls, Runtime runtime not None, Program program not None, tier=None,
               bytes data=None, compare=True):
        """Makes a program ready to run: loads ``data``, or else one of its
        ``executables`` that fits the runtime and this machine, else compiles.

        ``data`` is what :meth:`serialize` gave for the same program. It has to come from
        this very build of the plugin (``plugin_identity``) and from a machine whose
        ``cpu_features`` this one all has, and to be unchanged: nothing here checks
        that, and a plugin may crash or compute wrong numbers. ``tier`` is ``"auto"``,
        ``"pjrt"``, ``"direct"`` or None. ``compare`` is False, or a list of arrays as
        :meth:`run` takes, to compare direct code with the plugin on.
        """
        cdef Executable self = cls.__new__(cls, maker)
        cdef cyxla_executable_options options
        cdef const char *content = NULL
        if not isinstance(tier, str | None) or tier not in TIERS:
            raise ValueError(f"tier is {tier!r}, expected 'auto', 'pjrt' or 'direct'")
        memset(&options, 0, sizeof(options))
        options.struct_size = sizeof(options)
        options.tier = <cyxla_tier><int>TIERS[tier]
        options.without_comparison = compare is False
        if data is not None:
            content = data
            options.serialized = content
            options.serialized_bytes = len(data)
        self.describe(program)
        if isinstance(compare, bool):
            return self.create_with(runtime, &options)
        return self.create_compared(runtime, &options, compare)

    cdef Executable create_compared(self, Runtime runtime,
                                    cyxla_executable_options *options, compare):
        cdef size_t i
        cdef list arrays
        cdef const void **examples
        try:
            arrays = [self.exact(argument, i)
                      for i, argument in enumerate(self.counted(compare))]
        except (TypeError, ValueError) as error:
            raise type(error)(f"compare: {error}") from None
        examples = <const void **>allocate(len(arrays), sizeof(void *))
        try:
            for i in range(<size_t>len(arrays)):
                examples[i] = cnp.PyArray_DATA(arrays[i])
            options.examples = examples
            self.create_with(runtime, options)
        finally:
            PyMem_Free(examples)
        return self

    cdef Executable create_with(self, Runtime runtime,
                                const cyxla_executable_options *options):
        cdef cyxla_error error
        cdef cyxla_status status
        with nogil:
            status = cyxla_executable_create_with(
                runtime.handle, self.program.handle, options, &self.handle, &error)
        check(status, &error)
        return self

    @classmethod
    def deserialize(cls, Runtime runtime not None, Program program not None,
                    bytes data not None):
        """:meth:`create` of data."""
        return cls.create(runtime, program, data=data)

    cdef Executable describe(self, Program program):
        self.program = program
        self.idle_calls = []
        self.input_dtypes = tuple([spec.dtype for spec in program.inputs])
        self.output_dtypes = tuple([spec.dtype for spec in program.outputs])
        return self

    def __dealloc__(self):
        cyxla_executable_destroy(self.handle)

    def save(self, path):
        """Writes a ``.cyxla`` file that holds the program and what was compiled."""
        cdef cyxla_error error
        cdef cyxla_status status
        path_bytes = zero_terminated(os.fsencode(path))
        cdef const char *path_text = path_bytes
        with nogil:
            status = cyxla_executable_save(self.handle, path_text, &error)
        check(status, &error)

    def serialize(self):
        """The plugin's own bytes, as PJRT gives them: machine code for this very build of
        the plugin and a processor like this one. Any other plugin that loads them may
        crash or compute wrong numbers; for all of them there is :meth:`save`. Of an
        executable that was loaded they are what that was loaded from.
        """
        cdef cyxla_error error
        cdef cyxla_status status
        cdef void *data
        cdef size_t size
        with nogil:
            status = cyxla_executable_serialize(self.handle, &data, &size, &error)
        check(status, &error)
        try:
            serialized = (<const char *>data)[:size]
        finally:
            cyxla_aligned_free(data)
        return serialized

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
        """How runs happen: ``"pjrt"``, through the plugin, or ``"direct"``."""
        return cyxla_executable_tier(self.handle).decode()

    @property
    def tier_reason(self):
        """Why runs go through the plugin where the tier ``"auto"`` was asked for, as
        text; empty where they do not, or nothing else was asked for.
        """
        return cyxla_executable_tier_reason(self.handle).decode("utf-8", "replace")

    @property
    def compile_seconds(self):
        """The seconds that the plugin took to compile, or to load what was compiled."""
        return cyxla_executable_compile_seconds(self.handle)

    @property
    def is_deserialized(self):
        """Whether the executable was loaded and not compiled."""
        return bool(cyxla_executable_is_deserialized(self.handle))

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
        arguments = self.counted(arguments)
        try:
            call = self.idle_calls.pop()
        except IndexError:
            call = Call(self)
        try:
            self.fill_inputs(call, arguments)
            self.execute(call)
            outputs = self.read_outputs(call)
        finally:
            self.idle_calls.append(call)
        return outputs

    cdef str wrong_number(self, found):
        names = ", ".join([spec.name for spec in self.program.inputs])
        count = len(self.input_dtypes)
        return (f"the program takes {count} argument{'s' if count != 1 else ''} "
                f"({names}), found {found}")

    cdef tuple counted(self, arguments):
        arguments = tuple(arguments)
        if len(arguments) != len(self.input_dtypes):
            raise TypeError(self.wrong_number(len(arguments)))
        return arguments

    cdef object exact(self, argument, size_t i):
        """An argument as an array that is copied as it is."""
        dtype = <cnp.dtype>self.input_dtypes[i]
        if is_exact(argument, cyxla_program_input(self.program.handle, i), dtype.num):
            return argument
        return convert(argument, self.program.inputs[i])

    cdef int fill_inputs(self, Call call, arguments) except -1:
        cdef size_t i = 0
        for argument in arguments:
            argument = self.exact(argument, i)
            memcpy(cyxla_call_input(call.handle, i), cnp.PyArray_DATA(argument),
                   cyxla_program_input(self.program.handle, i).bytes)
            i += 1
        return 0

    cdef int execute(self, Call call) except -1:
        cdef cyxla_error error
        cdef cyxla_status status
        with nogil:
            status = cyxla_call_run(call.handle, &error)
        if status == CYXLA_OK:
            return 0
        try:
            return check(status, &error)
        except Error as failure:
            cause = callbacks.take_failure(self.program, str(failure))
            if cause is None:
                raise
            # An interrupt or exit is not for those who handle errors.
            if not isinstance(cause, Exception):
                raise cause
            raise failure from cause

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
