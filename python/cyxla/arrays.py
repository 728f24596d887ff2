"""Arrays and dtypes: what a program can take, and how arguments become that."""

import ml_dtypes
import numpy as np

DTYPES = {
    name: np.dtype(name)
    for name in (
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
        "float16 float32 float64 complex64 complex128"
    ).split()
}
DTYPES["bfloat16"] = np.dtype(ml_dtypes.bfloat16)


def dtype_of(name):
    """The NumPy dtype that cyxla.h calls by this name."""
    return DTYPES[name]


def is_supported(dtype):
    """Whether programs can take and return arrays of this dtype."""
    return getattr(dtype, "name", None) in DTYPES


def convert(argument, spec):
    """The argument as a C-contiguous array of exactly the spec's shape and dtype.

    Raises TypeError where NumPy would not convert without being told to, and ValueError
    for a wrong shape and for integers that do not fit. Floats that are too large become
    infinite, as in NumPy.
    """
    try:
        array = np.asarray(argument)
    except (TypeError, ValueError) as error:
        raise TypeError(f"argument {spec.name} is no array: {error}") from error
    if array.shape != spec.shape:
        raise ValueError(
            f"argument {spec.name} has shape {array.shape}, expected {spec.shape}"
        )
    if array.dtype == spec.dtype:
        return np.ascontiguousarray(array, spec.dtype).reshape(spec.shape)
    if not is_convertible(array.dtype, spec.dtype):
        raise TypeError(
            f"argument {spec.name} has dtype {array.dtype}, expected {spec.dtype} or "
            "one that converts to it without loss of meaning"
        )
    return converted(array, spec)


def kind(dtype):
    """NumPy's kind of a dtype, where bfloat16 counts as a float."""
    return "f" if dtype == DTYPES["bfloat16"] else dtype.kind


def is_convertible(source, target):
    """Whether values keep their meaning: booleans become numbers, integers floats and
    floats complex numbers, but nothing the other way round."""
    order = "biufc" if kind(target) != "b" else "b"
    if kind(source) not in order:
        return False
    if kind(target) in "iu":
        return kind(source) in "biu"
    return order.index(kind(source)) <= order.index(kind(target))


def converted(array, spec):
    """The array in the spec's dtype; integers have to fit."""
    is_integer = kind(array.dtype) in "iu" and array.size > 0
    if is_integer and kind(spec.dtype) != "b":
        smallest, largest = array.min(), array.max()
        minimum, maximum = limits_of(spec.dtype)
        if int(smallest) < minimum or int(largest) > maximum:
            raise ValueError(
                f"argument {spec.name} has values from {smallest} to {largest}, "
                f"and {spec.dtype} holds {minimum} to {maximum}"
            )
    return np.ascontiguousarray(array.astype(spec.dtype)).reshape(spec.shape)


def limits_of(dtype):
    """The smallest and the largest number of a dtype, as Python's."""
    if kind(dtype) in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    limits = ml_dtypes.finfo(dtype)
    return float(limits.min), float(limits.max)
