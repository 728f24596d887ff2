"""The C library, wrapped: programs, runtimes and executables as Python objects."""

import os

cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.string cimport memcmp, memcpy, memset

from cyxla import callbacks
from cyxla.arrays import convert, dtype_of
from cyxla.errors import Error, FileError
from cyxla.specs import ArraySpec, ExecutableInfo, RuntimeInfo

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
    const char *cyxla_environment_cache_directory()
    const char *cyxla_environment_user_caches()
    const char *cyxla_environment_home()
    const char *cyxla_environment_xla_flags()
    const char *cyxla_environment_num_threads()
    bint cyxla_environment_mirror_jax()


cdef object value_of(const char *variable):
    """The value of an environment variable, None if it is unset or empty."""
    return None if variable == NULL else os.fsdecode(<bytes>variable)


def environment_plugin():
    """The value of CYXLA_PLUGIN, None if it is unset or empty."""
    return value_of(cyxla_environment_plugin())


def environment_cache():
    """The values of CYXLA_CACHE_DIR, XDG_CACHE_HOME and HOME, each None if it is unset
    or empty."""
    return (value_of(cyxla_environment_cache_directory()),
            value_of(cyxla_environment_user_caches()),
            value_of(cyxla_environment_home()))


def environment_xla_flags():
    """The value of XLA_FLAGS, "" if it is unset."""
    return os.fsdecode(<bytes>cyxla_environment_xla_flags())


def environment_num_threads():
    """The number of threads that XLA's variables ask for, as text, or None."""
    return value_of(cyxla_environment_num_threads())


def environment_mirror_jax():
    """False if CYXLA_MIRROR_JAX is 0."""
    return bool(cyxla_environment_mirror_jax())


cdef void *allocate(size_t count, size_t bytes) except NULL:
    """Zeroed memory for elements of some bytes, to be freed with PyMem_Free."""
    memory = PyMem_Calloc(count + 1, bytes)
    if memory == NULL:
        raise MemoryError(f"no memory left for {count} elements")
    return memory


cdef bytes zero_terminated(encoded):
    """What C reads as one string; ValueError if it would read a part only."""
    if b"\0" in encoded:
        raise ValueError(f"{encoded!r} holds a zero byte, where strings end")
    return encoded


# What Program and Executable are made with: without a handle they would be of no use.
cdef object maker = object()

include "_program.pxi"
include "_client.pxi"
include "_executable.pxi"
include "_program_spec.pxi"
include "_callback.pxi"
