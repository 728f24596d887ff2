# The handler of programs' Python callbacks.
from cpython.bytes cimport PyBytes_AsString


cdef extern from "cyxla_ffi.h" nogil:
    ctypedef struct XLA_FFI_Error:
        pass

    ctypedef enum XLA_FFI_DataType:
        XLA_FFI_DataType_U64
        XLA_FFI_DataType_C64
        XLA_FFI_DataType_BF16
        XLA_FFI_DataType_C128

    ctypedef struct XLA_FFI_Buffer:
        XLA_FFI_DataType dtype
        void *data
        int64_t rank
        int64_t *dims

    ctypedef struct XLA_FFI_Scalar:
        XLA_FFI_DataType dtype
        void *value

    ctypedef struct XLA_FFI_Args:
        int64_t size
        void **args

    ctypedef struct XLA_FFI_Rets:
        int64_t size
        void **rets

    ctypedef struct XLA_FFI_CallFrame:
        XLA_FFI_Args args
        XLA_FFI_Rets rets

    ctypedef enum XLA_FFI_AttrType:
        XLA_FFI_AttrType_SCALAR

    bint cyxla_ffi_describe(XLA_FFI_CallFrame *frame)
    const void *cyxla_ffi_attribute(
        const XLA_FFI_CallFrame *frame, const char *name, XLA_FFI_AttrType type)
    int64_t cyxla_ffi_num_elements(const XLA_FFI_Buffer *buffer)
    XLA_FFI_Error *cyxla_ffi_fail(XLA_FFI_CallFrame *frame, const char *format, ...)


cdef cyxla_dtype dtype_of_ffi(XLA_FFI_DataType dtype) noexcept nogil:
    """The library's number of an FFI data type, which differ for the last three."""
    if dtype == XLA_FFI_DataType_BF16:
        return <cyxla_dtype>13
    if dtype == XLA_FFI_DataType_C64:
        return <cyxla_dtype>14
    if dtype == XLA_FFI_DataType_C128:
        return <cyxla_dtype>15
    return <cyxla_dtype><int>dtype


cdef cnp.dtype dtype_of_buffer(const XLA_FFI_Buffer *buffer):
    return dtype_of(cyxla_dtype_name(dtype_of_ffi(buffer.dtype)).decode())


cdef object copy_buffer(const XLA_FFI_Buffer *buffer):
    """A new array of what an argument holds, which the callback may keep."""
    cdef cnp.dtype dtype = dtype_of_buffer(buffer)
    array = cnp.PyArray_EMPTY(
        <int>buffer.rank, <cnp.npy_intp *>buffer.dims, dtype.num, 0)
    memcpy(cnp.PyArray_DATA(array), buffer.data, cnp.PyArray_NBYTES(array))
    return array


cdef object number_of(const XLA_FFI_CallFrame *frame):
    """The number of the callback. Not every program that calls was made by lower."""
    cdef const XLA_FFI_Scalar *index = <const XLA_FFI_Scalar *>cyxla_ffi_attribute(
        frame, b"index", XLA_FFI_AttrType_SCALAR)
    if index == NULL or index.dtype != XLA_FFI_DataType_U64:
        raise TypeError("the custom call does not say which callback it calls")
    return (<const uint64_t *>index.value)[0]


cdef int copy_result(array, const XLA_FFI_Buffer *buffer) except -1:
    if (array.size, array.dtype) != (
            cyxla_ffi_num_elements(buffer), dtype_of_buffer(buffer)):
        raise TypeError("the custom call has other results than its callback")
    memcpy(buffer.data, cnp.PyArray_DATA(array), cnp.PyArray_NBYTES(array))
    return 0


cdef int run_callback(XLA_FFI_CallFrame *frame) except -1:
    cdef int64_t i
    arguments = []
    for i in range(frame.args.size):
        arguments.append(copy_buffer(<const XLA_FFI_Buffer *>frame.args.args[i]))
    results = callbacks.call(number_of(frame), arguments)
    if len(results) != frame.rets.size:
        raise TypeError("the custom call has other results than its callback")
    for i in range(frame.rets.size):
        copy_result(results[i], <const XLA_FFI_Buffer *>frame.rets.rets[i])
    return 0


cdef XLA_FFI_Error *call_python(XLA_FFI_CallFrame *frame) noexcept with gil:
    """Runs a callback; an exception becomes an error of the program."""
    if cyxla_ffi_describe(frame):
        return NULL
    try:
        run_callback(frame)
        return NULL
    except BaseException as error:
        try:
            text_bytes = callbacks.text_of(error).encode()
            return cyxla_ffi_fail(frame, b"%s", PyBytes_AsString(text_bytes))
        except BaseException:
            # Whatever happens, a run that failed must not count as a success.
            return cyxla_ffi_fail(frame, b"a Python callback failed without a text")


def callback_handler():
    """The address of the handler of callbacks."""
    return <size_t>&call_python
