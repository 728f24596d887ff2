# Declarations of the C library (cyxla.h), of the types that wrap it, and of what other
# extension modules cimport: Input, ProgramSpec, execute and the functions beside them.
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from cyxla._pjrt cimport PJRT_Buffer_Type


cdef extern from "cyxla.h" nogil:
    enum: CYXLA_ERROR_MESSAGE_SIZE

    ctypedef enum cyxla_status:
        CYXLA_OK
        CYXLA_OUT_OF_MEMORY
        CYXLA_FILE_UNREADABLE
        CYXLA_FILE_UNWRITABLE

    ctypedef struct cyxla_error:
        cyxla_status status
        char message[CYXLA_ERROR_MESSAGE_SIZE]

    const char *cyxla_version()
    const char *cyxla_status_name(cyxla_status status)

    ctypedef enum cyxla_dtype:
        pass

    const char *cyxla_dtype_name(cyxla_dtype dtype)
    cyxla_dtype cyxla_dtype_from_name(const char *name)

    ctypedef struct cyxla_array_spec:
        const char *name
        cyxla_dtype dtype
        size_t rank
        const int64_t *shape
        size_t bytes
        int64_t aliased_output

    ctypedef struct cyxla_program:
        pass

    ctypedef struct cyxla_program_options:
        size_t struct_size
        const char *platform
        const void *code
        size_t code_bytes
        const void *compile_options
        size_t compile_options_bytes
        const cyxla_array_spec *inputs
        size_t num_inputs
        const cyxla_array_spec *outputs
        size_t num_outputs
        const char *metadata

    cyxla_status cyxla_program_create(
        const cyxla_program_options *options, cyxla_program **program, cyxla_error *error)
    void cyxla_program_destroy(cyxla_program *program)
    cyxla_status cyxla_program_load(
        const char *path, cyxla_program **program, cyxla_error *error)
    cyxla_status cyxla_program_save(
        const cyxla_program *program, const char *path, cyxla_error *error)
    size_t cyxla_program_num_inputs(const cyxla_program *program)
    size_t cyxla_program_num_outputs(const cyxla_program *program)
    const cyxla_array_spec *cyxla_program_input(const cyxla_program *program, size_t index)
    const cyxla_array_spec *cyxla_program_output(
        const cyxla_program *program, size_t index)
    const char *cyxla_program_platform(const cyxla_program *program)
    const char *cyxla_program_metadata(const cyxla_program *program)
    const void *cyxla_program_code(const cyxla_program *program, size_t *bytes)
    const void *cyxla_program_compile_options(const cyxla_program *program, size_t *bytes)

    cyxla_status cyxla_program_join(
        const cyxla_program *const *programs, size_t num_programs,
        cyxla_program **joined, cyxla_error *error)
    size_t cyxla_program_num_sizes(const cyxla_program *program)
    cyxla_program *cyxla_program_size(const cyxla_program *program, size_t index)
    cyxla_status cyxla_program_pick(
        const cyxla_program *program, const cyxla_array_spec *inputs, size_t num_inputs,
        cyxla_program **size, cyxla_error *error)

    ctypedef struct cyxla_executable_info:
        size_t struct_size
        const char *plugin_identity
        int pjrt_api_major
        int pjrt_api_minor
        const char *platform
        const char *device_kind
        const char *cpu_features
        size_t bytes
        bint is_direct

    size_t cyxla_program_num_executables(const cyxla_program *program)
    cyxla_status cyxla_program_executable_info(
        const cyxla_program *program, size_t index, cyxla_executable_info *info,
        cyxla_error *error)

    enum: CYXLA_EXTENSIONS_MAXIMUM

    ctypedef struct cyxla_plugin_info:
        size_t struct_size
        int pjrt_api_major
        int pjrt_api_minor
        int64_t stablehlo_version[3]
        int64_t stablehlo_minimum_version[3]
        int extensions[CYXLA_EXTENSIONS_MAXIMUM]
        size_t num_extensions

    cyxla_status cyxla_plugin_inspect(
        const char *path, cyxla_plugin_info *info, cyxla_error *error)
    const char *cyxla_extension_name(int extension)

    ctypedef struct cyxla_runtime:
        pass

    ctypedef enum cyxla_option_type:
        CYXLA_OPTION_STRING
        CYXLA_OPTION_INT64
        CYXLA_OPTION_INT64_LIST
        CYXLA_OPTION_FLOAT
        CYXLA_OPTION_BOOL

    ctypedef union cyxla_option_value:
        const char *string
        int64_t int64
        const int64_t *int64_list
        float float32
        bint boolean

    ctypedef struct cyxla_option:
        const char *name
        cyxla_option_type type
        cyxla_option_value value
        size_t num_elements

    ctypedef struct cyxla_runtime_options:
        size_t struct_size
        const char *plugin
        const char *platform
        const cyxla_option *options
        size_t num_options
        size_t num_threads
        bint without_lapack

    ctypedef struct cyxla_runtime_info:
        size_t struct_size
        const char *platform
        const char *platform_version
        const char *plugin_path
        int pjrt_api_major
        int pjrt_api_minor
        int64_t stablehlo_version[3]
        size_t num_devices
        bint zero_copy

    cyxla_status cyxla_runtime_create(
        const cyxla_runtime_options *options, cyxla_runtime **runtime, cyxla_error *error)
    void cyxla_runtime_destroy(cyxla_runtime *runtime)
    cyxla_status cyxla_runtime_get_info(
        const cyxla_runtime *runtime, cyxla_runtime_info *info, cyxla_error *error)
    const char *cyxla_runtime_device_kind(const cyxla_runtime *runtime, size_t index)

    cyxla_status cyxla_runtime_plugin_identity(
        const cyxla_runtime *runtime, const char **identity, cyxla_error *error)
    const char *cyxla_cpu_features()

    ctypedef void cyxla_ffi_function()

    ctypedef struct cyxla_ffi_handler:
        size_t struct_size
        const char *name
        const char *platform
        cyxla_ffi_function *instantiate
        cyxla_ffi_function *prepare
        cyxla_ffi_function *initialize
        cyxla_ffi_function *execute
        uint64_t traits

    cyxla_status cyxla_ffi_register(
        cyxla_runtime *runtime, const cyxla_ffi_handler *handler, cyxla_error *error)
    cyxla_status cyxla_ffi_register_type(
        cyxla_runtime *runtime, const char *name, int64_t *type_id,
        void (*deleter)(void *) noexcept, cyxla_error *error)

    ctypedef struct cyxla_executable:
        pass

    cyxla_status cyxla_executable_compile(
        cyxla_runtime *runtime, cyxla_program *program, cyxla_executable **executable,
        cyxla_error *error)
    cyxla_status cyxla_executable_create(
        cyxla_runtime *runtime, cyxla_program *program, cyxla_executable **executable,
        cyxla_error *error)
    ctypedef enum cyxla_tier:
        CYXLA_TIER_DEFAULT
        CYXLA_TIER_AUTO
        CYXLA_TIER_PJRT
        CYXLA_TIER_DIRECT

    ctypedef struct cyxla_executable_options:
        size_t struct_size
        const void *serialized
        size_t serialized_bytes
        cyxla_tier tier
        bint without_comparison
        const void *const *examples

    cyxla_status cyxla_executable_create_with(
        cyxla_runtime *runtime, cyxla_program *program,
        const cyxla_executable_options *options, cyxla_executable **executable,
        cyxla_error *error)
    const char *cyxla_executable_tier_reason(const cyxla_executable *executable)
    cyxla_status cyxla_executable_deserialize(
        cyxla_runtime *runtime, cyxla_program *program, const void *data, size_t bytes,
        cyxla_executable **executable, cyxla_error *error)
    void cyxla_executable_destroy(cyxla_executable *executable)
    cyxla_status cyxla_executable_save(
        const cyxla_executable *executable, const char *path, cyxla_error *error)
    cyxla_status cyxla_executable_save_all(
        const cyxla_executable *const *executables, size_t num_executables,
        const char *path, cyxla_error *error)
    cyxla_status cyxla_executable_serialize(
        const cyxla_executable *executable, void **data, size_t *bytes,
        cyxla_error *error)
    const char *cyxla_executable_tier(const cyxla_executable *executable)
    double cyxla_executable_compile_seconds(const cyxla_executable *executable)
    bint cyxla_executable_is_deserialized(const cyxla_executable *executable)
    int64_t cyxla_executable_code_bytes(const cyxla_executable *executable)

    ctypedef struct cyxla_call:
        pass

    cyxla_status cyxla_call_create(
        cyxla_executable *executable, cyxla_call **call, cyxla_error *error)
    void cyxla_call_destroy(cyxla_call *call)
    void *cyxla_call_input(cyxla_call *call, size_t index)
    const void *cyxla_call_output(const cyxla_call *call, size_t index)
    cyxla_status cyxla_call_run(cyxla_call *call, cyxla_error *error)
    cyxla_status cyxla_call_bind_input(
        cyxla_call *call, size_t index, const void *memory, cyxla_error *error)
    cyxla_status cyxla_call_bind_output(
        cyxla_call *call, size_t index, void *memory, cyxla_error *error)
    bint cyxla_call_input_is_copied(const cyxla_call *call, size_t index)
    bint cyxla_call_output_is_copied(const cyxla_call *call, size_t index)

    void *cyxla_aligned_alloc(size_t bytes)
    void cyxla_aligned_free(void *memory)


cdef class Program:
    cdef cyxla_program *handle
    cdef readonly list inputs
    cdef readonly list outputs

    cdef Program describe(self)
    cdef Program size(self, cyxla_program *handle)


cdef class Runtime:
    cdef cyxla_runtime *handle


cdef class Call:
    cdef cyxla_call *handle


cdef class Executable:
    cdef cyxla_executable *handle
    cdef readonly Program program
    cdef list idle_calls
    cdef tuple input_dtypes
    cdef tuple output_dtypes

    cdef str wrong_number(self, found)
    cdef tuple counted(self, arguments)
    cdef object exact(self, argument, size_t i)
    cdef Executable create_with(self, Runtime runtime,
                                const cyxla_executable_options *options)
    cdef Executable create_compared(self, Runtime runtime,
                                    cyxla_executable_options *options, compare)
    cdef int fill_inputs(self, Call call, arguments) except -1
    cdef int execute(self, Call call) except -1
    cdef list read_outputs(self, Call call)
    cdef Executable describe(self, Program program)


cdef enum:
    # Raised with every change of what an extension module compiles into itself: the
    # structs below and the meaning of their fields. cyxla.check_abi compares it.
    ABI_VERSION = 1


# One input: an array that the module owns and fills in before it executes. Memory from
# aligned_memory is used as it lies, other memory is copied by each execution.
ctypedef struct Input:
    void *data
    PJRT_Buffer_Type type
    const int64_t *dims
    size_t num_dims


# One caller's seat at an executable, made by create_program_spec. Used by one thread at a
# time; threads with a spec each never wait for one another. The fields are read only.
ctypedef struct ProgramSpec:
    size_t num_inputs
    size_t num_outputs
    const size_t *output_bytes  # [num_outputs] the size of each output
    const void **outputs  # [num_outputs] of the last execution, valid until the next
    cyxla_call *call
    PyObject *executable


# Memory for an array that is used without a copy, zeroed; NULL if there is none left.
cdef void *aligned_memory(size_t size) noexcept nogil

# Frees memory from aligned_memory; NULL is allowed.
cdef void free_aligned(void *memory) noexcept nogil

# Fills in a spec for an executable and its inputs, whose dtypes and shapes have to be
# those of the program. The arrays have to live until the spec is destroyed. The spec
# keeps the executable.
cdef int create_program_spec(
    ProgramSpec *spec, Executable executable, const Input *inputs, size_t num_inputs,
) except -1

# Lets each execution put an output into the caller's memory; NULL ends that. An output
# that takes over a donated input is updated in place if both are bound to the same
# memory. The rules are those of cyxla_call_bind_output.
cdef int bind_output(ProgramSpec *spec, size_t index, void *memory) except -1

# Whether an execution copies the input, because its memory is not aligned.
cdef bint input_is_copied(const ProgramSpec *spec, size_t index) noexcept nogil

# Runs the program on the inputs as they are now and returns when the outputs are there.
# Takes no GIL and allocates nothing; an error takes the GIL to raise its exception.
cdef int execute(ProgramSpec *spec) except -1 nogil

# Does what execute does, but returns the status and fills in the error on failure: for
# callbacks, which can raise nothing. It never takes the GIL.
cdef cyxla_status try_execute(ProgramSpec *spec, cyxla_error *error) noexcept nogil

# Raises the exception for an error that try_execute has filled in.
cdef int raise_error(const cyxla_error *error) except -1

# Gives back what create_program_spec took; a spec of zeros is allowed. Needs the GIL.
cdef void destroy_program_spec(ProgramSpec *spec) noexcept
