"""Digests of Python values: the same for equal values, in every process.

Whatever has no digest that tells it from all others is refused, since a key that two
programs share would give one of them the other's results.
"""

import dataclasses
import enum
import functools
import hashlib
import types

import jax
import numpy as np


def digest(tag, *parts):
    """The digest of a kind of value with what it consists of, text or bytes."""
    result = hashlib.sha256()
    for part in (tag, *parts):
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        # With their lengths, no two lists of parts run together to the same bytes.
        result.update(len(data).to_bytes(8, "little"))
        result.update(data)
    return result.digest()


def name_of(thing):
    """The full name of a class or function."""
    return f"{thing.__module__}.{thing.__qualname__}"


class Digester:
    """Makes digests, and remembers which functions it is in, since functions may hold
    themselves."""

    def __init__(self):
        self.open = []

    def of(self, value):
        """The digest of any value; TypeError for one that has none."""
        for kinds, method in METHODS:
            if isinstance(value, kinds):
                return method(self, value)
        if dataclasses.is_dataclass(value):
            fields = [field.name for field in dataclasses.fields(value)]
            values = [self.of(getattr(value, name)) for name in fields]
            return digest("dataclass", name_of(type(value)), *fields, *values)
        # jax.jit keeps the function, and what else it was given.
        if hasattr(value, "__wrapped__"):
            info = getattr(value, "_jit_info", None)
            options = [str(getattr(info, name, None)) for name in JIT_OPTIONS]
            return digest("wrapped", self.of(value.__wrapped__), *options)
        raise TypeError(
            f"a key cannot be made of {value!r}: nothing is known that tells it from "
            "another value; pass a text or numbers that do"
        )

    def of_plain(self, value):
        return digest(type(value).__name__, repr(value))

    def of_bytes(self, value):
        return digest("bytes", value)

    def of_enum(self, value):
        return digest("enum", name_of(type(value)), value.name)

    def of_class(self, value):
        return digest("class", name_of(value))

    def of_array(self, value):
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError(f"a key cannot be made of an array of {array.dtype}")
        return digest("array", str(array.dtype), str(array.shape), array.tobytes())

    def of_spec(self, value):
        traits = [value.dtype, value.shape, getattr(value, "weak_type", False)]
        return digest("spec", *map(str, traits))

    def of_dtype(self, value):
        return digest("dtype", str(value))

    def of_sequence(self, value):
        kind = type(value)
        name = kind.__name__ if kind in (list, tuple) else name_of(kind)
        return digest("sequence", name, *map(self.of, value))

    def of_set(self, value):
        return digest("set", *sorted(map(self.of, value)))

    def of_dict(self, value):
        items = [self.of(key) + self.of(item) for key, item in value.items()]
        return digest("dict", *sorted(items))

    def of_slice(self, value):
        return digest("slice", *map(self.of, (value.start, value.stop, value.step)))

    def of_partial(self, value):
        parts = (value.func, value.args, value.keywords)
        return digest("partial", *map(self.of, parts))

    def of_method(self, value):
        return digest("method", self.of(value.__func__), self.of(value.__self__))

    def of_builtin(self, value):
        owner = value.__self__
        if owner is not None and not isinstance(owner, types.ModuleType):
            raise TypeError(f"a key cannot be made of {value!r}, which has an object")
        return digest("builtin", f"{value.__module__}.{value.__qualname__}")

    def of_code(self, code):
        names = map(str, (code.co_names, code.co_varnames, code.co_freevars))
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        constants = self.of_sequence(code.co_consts)
        return digest(
            "code", code.co_code, *names, str((*counts, code.co_flags)), constants
        )

    def of_function(self, function):
        """A function with all that it holds. What it finds by a global name is left
        out: that would be the whole of a program and its libraries."""
        if function in self.open:
            return digest("itself", str(self.open.index(function)))
        self.open.append(function)
        try:
            cells = [cell.cell_contents for cell in function.__closure__ or ()]
            held = [cells, function.__defaults__, function.__kwdefaults__]
            parts = [self.of(part) for part in (function.__code__, *held)]
        finally:
            self.open.pop()
        return digest("function", name_of(function), *parts)


# What jax.jit was given, by JAX's names of it.
JIT_OPTIONS = (
    "static_argnums static_argnames donate_argnums donate_argnames keep_unused device "
    "backend inline in_shardings_leaves out_shardings_leaves compiler_options_kvs"
).split()

METHODS = [
    (enum.Enum, Digester.of_enum),
    (np.generic, Digester.of_array),
    ((bool, int, float, complex, str, type(None), type(...)), Digester.of_plain),
    ((bytes, bytearray), Digester.of_bytes),
    (type, Digester.of_class),
    ((np.ndarray, jax.Array), Digester.of_array),
    (jax.ShapeDtypeStruct, Digester.of_spec),
    (np.dtype, Digester.of_dtype),
    ((list, tuple), Digester.of_sequence),
    ((set, frozenset), Digester.of_set),
    (dict, Digester.of_dict),
    (slice, Digester.of_slice),
    (functools.partial, Digester.of_partial),
    (types.MethodType, Digester.of_method),
    (types.BuiltinFunctionType, Digester.of_builtin),
    (types.CodeType, Digester.of_code),
    (types.FunctionType, Digester.of_function),
]
