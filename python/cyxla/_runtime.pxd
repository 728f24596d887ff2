# Declarations of the C library (cyxla.h) and of the types that wrap it.
from libc.stdint cimport int64_t


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

    ctypedef struct cyxla_executable:
        pass

    cyxla_status cyxla_executable_compile(
        cyxla_runtime *runtime, cyxla_program *program, cyxla_executable **executable,
        cyxla_error *error)
    void cyxla_executable_destroy(cyxla_executable *executable)
    cyxla_status cyxla_executable_save(
        const cyxla_executable *executable, const char *path, cyxla_error *error)
    const char *cyxla_executable_tier(const cyxla_executable *executable)
    double cyxla_executable_compile_seconds(const cyxla_executable *executable)
    int64_t cyxla_executable_code_bytes(const cyxla_executable *executable)

    ctypedef struct cyxla_call:
        pass

    cyxla_status cyxla_call_create(
        cyxla_executable *executable, cyxla_call **call, cyxla_error *error)
    void cyxla_call_destroy(cyxla_call *call)
    void *cyxla_call_input(cyxla_call *call, size_t index)
    const void *cyxla_call_output(const cyxla_call *call, size_t index)
    cyxla_status cyxla_call_run(cyxla_call *call, cyxla_error *error)


# Not public: the one place that reads environment variables.
cdef extern from "environment.h" nogil:
    const char *cyxla_environment_plugin()


cdef class Program:
    cdef cyxla_program *handle
    cdef readonly list inputs
    cdef readonly list outputs

    cdef Program describe(self)


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
    cdef int fill_inputs(self, Call call, arguments) except -1
    cdef int execute(self, Call call) except -1
    cdef list read_outputs(self, Call call)
