"""Files with programs in the language of the fake plugin, see fake_plugin.h."""

import cyxla as cx
import ml_dtypes
import numpy as np
from xxhash import xxh64_intdigest

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
    "complex64 complex128"
).split()


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def spec(name, dtype, shape, aliased_output=-1):
    return cx.ArraySpec(name, tuple(shape), dtype_of(dtype), aliased_output)


def array_text(array):
    return f"{array.dtype.name}[{','.join(map(str, array.shape))}]"


def make(inputs, outputs, operations, metadata=""):
    """Makes a program; an operation is such as "argument 0"."""
    lines = ["# made by fake_files.py"]
    lines += [f"input {array_text(array)}" for array in inputs]
    lines += [
        f"output {array_text(array)} {operation}"
        for array, operation in zip(outputs, operations, strict=True)
    ]
    return cx.Program.from_parts(
        platform="cpu",
        code="\n".join(lines).encode(),
        compile_options=b"",
        inputs=inputs,
        outputs=outputs,
        metadata=metadata,
    )


def make_copies(*arrays, metadata=""):
    """Makes a program that returns its inputs: of each a name, a dtype and a shape."""
    specs = [spec(*array) for array in arrays]
    operations = [f"= argument {i}" for i in range(len(specs))]
    return make(specs, specs, operations, metadata)


def save(path, *parts, **more):
    """Saves a program of the parts that make takes."""
    make(*parts, **more).save(path)
    return path


def save_copies(path, *arrays):
    make_copies(*arrays).save(path)
    return path


def save_sizes(path, *sizes):
    """Saves a program that returns its inputs x and y, of float32 and int32, at sizes:
    of each the shapes of both.
    """
    cx.Program.join(
        [
            make_copies(("x", "float32", x), ("y", "int32", y), metadata=f"size {i}")
            for i, (x, y) in enumerate(sizes)
        ]
    ).save(path)
    return path


def replace_in_section(path, kind, old, new, number=0):
    """Replaces bytes by as many in one of the sections of a kind in a file, and puts
    the checksums right.
    """
    data = bytearray(path.read_bytes())
    count = int.from_bytes(data[12:16], "little")
    table = range(32, 32 + 32 * count, 32)
    at = [i for i in table if data[i : i + 4] == kind.to_bytes(4, "little")][number]
    offset, size = (
        int.from_bytes(data[i : i + 8], "little") for i in (at + 8, at + 16)
    )
    section = bytes(data[offset : offset + size]).replace(old, new)
    data[offset : offset + size] = section
    data[at + 24 : at + 32] = xxh64_intdigest(section).to_bytes(8, "little")
    header = bytes(data[:24]) + bytes(data[32 : 32 + 32 * count])
    data[24:32] = xxh64_intdigest(header).to_bytes(8, "little")
    path.write_bytes(data)
