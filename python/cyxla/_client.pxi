# Plugins and runtimes as Python objects.
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer


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


def cpu_features():
    """The processor's architecture and instruction sets, as in ``x86-64 aes avx``."""
    return cyxla_cpu_features().decode()


def plugin_identity(Runtime runtime not None):
    """Which build of a plugin a runtime uses: the hash and the size of its library."""
    cdef const char *identity
    cdef cyxla_error error
    cdef cyxla_status status
    with nogil:
        status = cyxla_runtime_plugin_identity(runtime.handle, &identity, &error)
    check(status, &error)
    return identity.decode()


cdef class OptionList:
    """C's view of a dict of client options, which it keeps alive."""

    cdef cyxla_option *options
    cdef list kept

    def __cinit__(self, dict options):
        self.kept = []
        self.options = <cyxla_option *>allocate(len(options), sizeof(cyxla_option))
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
        self.numbers = <int64_t *>allocate(len(values), sizeof(int64_t))
        for i, value in enumerate(values):
            self.numbers[i] = value

    def __dealloc__(self):
        PyMem_Free(self.numbers)


cdef extern from *:
    """
    #include "ffi.h"
    #include "runtime.h"

    static cyxla_status get_state_type(const cyxla_runtime *runtime, size_t handler,
                                       int64_t *type_id, cyxla_error *error) {
      const XLA_FFI_Api *api;
      XLA_FFI_Metadata metadata;
      cyxla_status status = cyxla_ffi_get_api(runtime->plugin, &api, error);

      if (status == CYXLA_OK) {
        status = cyxla_ffi_inspect(api, (XLA_FFI_Handler *)handler, &metadata, error);
      }
      if (status == CYXLA_OK) *type_id = metadata.state_type_id.type_id;
      return status;
    }
    """
    cyxla_status get_state_type(const cyxla_runtime *runtime, size_t handler,
                                int64_t *type_id, cyxla_error *error)


cdef class Runtime:
    """A loaded plugin with its client."""

    def __cinit__(self, plugin, platform, dict options, size_t num_threads=0):
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
        # jaxlib's handlers serve where there is Python, or none if so wanted.
        runtime_options.without_lapack = True
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

    def register_handler(self, str name, str platform, dict stages, uint64_t traits):
        """Registers a handler: ``stages`` has the address of each stage's function."""
        cdef cyxla_ffi_handler handler
        cdef cyxla_error error
        name_bytes = zero_terminated(name.encode())
        platform_bytes = zero_terminated(platform.encode())
        memset(&handler, 0, sizeof(handler))
        handler.struct_size = sizeof(handler)
        handler.name = name_bytes
        handler.platform = platform_bytes
        handler.instantiate = address_of(stages, "instantiate")
        handler.prepare = address_of(stages, "prepare")
        handler.initialize = address_of(stages, "initialize")
        handler.execute = address_of(stages, "execute")
        handler.traits = traits
        check(cyxla_ffi_register(self.handle, &handler, &error), &error)

    def register_type(self, str name, int64_t type_id, size_t deleter):
        """Registers the type of handlers' states and returns its number."""
        cdef cyxla_error error
        name_bytes = zero_terminated(name.encode())
        check(cyxla_ffi_register_type(
            self.handle, name_bytes, &type_id, <void (*)(void *) noexcept nogil>deleter,
            &error), &error)
        return type_id

    def state_type(self, size_t handler):
        """The number of the type of the state that a handler's function makes, 0 if it
        makes none."""
        cdef int64_t type_id = 0
        cdef cyxla_error error
        check(get_state_type(self.handle, handler, &type_id, &error), &error)
        return type_id


cdef cyxla_ffi_function *address_of(dict stages, str stage) except? NULL:
    """The function of a stage, NULL where there is none."""
    return <cyxla_ffi_function *><size_t>stages.get(stage, 0)


def address_of_capsule(capsule):
    """The pointer that a capsule of any name holds."""
    return <size_t>PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))
