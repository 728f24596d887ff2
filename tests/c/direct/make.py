"""Makes the serialized executables that the tests of src/direct read, beside this file.

The CPU plugin compiles them for SSE4.2, so that their code runs on any x86-64 machine.
What is not code or data of theirs, such as options and where in a source an instruction
comes from, is left out. The package is needed, with the plugins of the tests, of which
a process loads one:

    export PYTHONPATH=build/python:tests/python
    .venv/bin/python tests/c/direct/make.py
    .venv/bin/python tests/c/direct/make.py old
"""

import os
import sys
from pathlib import Path

# Before the plugin is loaded.
os.environ["XLA_FLAGS"] = "--xla_cpu_max_isa=SSE4_2"
os.environ["CYXLA_CACHE_DIR"] = "none"

import cyxla
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.interpreters import mlir as jax_mlir
from jax.extend import mlir
from jaxlib.mlir import ir
from plugins_for_tests import CPU_PLUGIN, OLD_CPU_PLUGIN

FOLDER = Path(__file__).parent
LENGTH = 300  # above what XLA makes one kernel of, loops and branches included
OLD = ["several", "sorts", "turns"]  # what the old plugin compiles too
TYPES = [
    *[bool, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"],
    *["float16", "bfloat16", "float32", "float64", "complex64", "complex128"],
]

# JAX limits the number of a branch itself, and has no branches on a bool.
BRANCHES = f"""
func.func public @main(%choice: tensor<i1>, %number: tensor<i32>,
                       %x: tensor<{LENGTH}xf32>)
    -> (tensor<{LENGTH}xf32>, tensor<{LENGTH}xf32>) {{
  %first = "stablehlo.if"(%choice) ({{
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add
        across dimensions = [0] : (tensor<{LENGTH}xf32>, tensor<f32>) -> tensor<f32>
    %a = stablehlo.broadcast_in_dim %sum, dims = [] :
        (tensor<f32>) -> tensor<{LENGTH}xf32>
    stablehlo.return %a : tensor<{LENGTH}xf32>
  }}, {{
    %a = stablehlo.multiply %x, %x : tensor<{LENGTH}xf32>
    stablehlo.return %a : tensor<{LENGTH}xf32>
  }}) : (tensor<i1>) -> tensor<{LENGTH}xf32>
  %second = "stablehlo.case"(%number) ({{
    %a = stablehlo.abs %x : tensor<{LENGTH}xf32>
    stablehlo.return %a : tensor<{LENGTH}xf32>
  }}, {{
    %a = stablehlo.negate %x : tensor<{LENGTH}xf32>
    stablehlo.return %a : tensor<{LENGTH}xf32>
  }}, {{
    %a = stablehlo.floor %x : tensor<{LENGTH}xf32>
    stablehlo.return %a : tensor<{LENGTH}xf32>
  }}) : (tensor<i32>) -> tensor<{LENGTH}xf32>
  return %first, %second : tensor<{LENGTH}xf32>, tensor<{LENGTH}xf32>
}}
"""
NUMBERS = """
func.func public @main() -> (tensor<ui32>, tensor<ui32>) {
  %replica = stablehlo.replica_id : tensor<ui32>
  %partition = stablehlo.partition_id : tensor<ui32>
  return %replica, %partition : tensor<ui32>, tensor<ui32>
}
"""


def twice_sine(x):
    return 2 * jnp.sin(x)


def several(x):
    return x + 1, 2 * x, x, x.sum()


def constants():
    pattern = np.array([[1, 0, 2], [0, 3, 4]])
    return tuple(jnp.asarray(pattern.astype(jnp.dtype(name))) for name in TYPES)


def table(x):
    return x * np.arange(1, 9, dtype=np.float32)


def halve_until_small(x):
    return lax.while_loop(lambda x: x.sum() > 1, lambda x: x * 0.5, x)


def add_five_times(x):
    return lax.fori_loop(0, 5, lambda i, x: 2 * x + i, x)


def empty(x, nothing):
    return x[:0], x + 1, nothing, nothing.sum()


def groups(x):
    return jnp.sqrt(x)


def next_of(x):
    return x + 1


def sum_of(x, y):
    return x + y


def difference(x, y):
    return x - y


def sorts(x, numbers):
    """By comparators of one and of two keys, and by the numbers themselves."""
    return (
        jnp.sort(x, axis=0),
        lax.sort((numbers % 3, -numbers, x), num_keys=2),
        jnp.argsort(numbers[:, 0]),
        lax.top_k(x, 2),
    )


def turns(is_turned, x):
    """Branches whose layouts differ, which older plugins copy from one to the other."""
    return lax.cond(is_turned, lambda x: x.transpose(2, 0, 1), lambda x: 2 * x, x)


def single(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


FUNCTIONS = [
    ("twice_sine", twice_sine, [single(3)]),
    ("several", several, [single(4)]),
    ("constants", constants, []),
    ("table", table, [single(8)]),
    ("while", halve_until_small, [single(LENGTH)]),
    ("counted", add_five_times, [single(LENGTH)]),
    ("empty", empty, [single(3), single(0, 2)]),
    ("groups", groups, [single(1 << 20)]),
    ("sum", sum_of, [single(3), single(3)]),
    ("difference", difference, [single(3), single(3)]),
    ("sorts", sorts, [single(5, 4), jax.ShapeDtypeStruct((5, 4), jnp.int32)]),
    ("turns", turns, [jax.ShapeDtypeStruct((), bool), single(7, 7, 7)]),
]


def with_code(text, example, arguments):
    """A program whose code is a text, with the arrays of an example's."""
    program = cyxla.lower(example, arguments)
    with jax_mlir.make_ir_context():
        code = mlir.serialize_portable_artifact(ir.Module.parse(text), "1.0.0")
    return cyxla.Program.from_parts(
        platform=program.platform,
        code=code,
        compile_options=program.compile_options,
        inputs=program.inputs,
        outputs=program.outputs,
    )


def programs():
    for name, function, arguments in FUNCTIONS:
        yield name, cyxla.lower(function, arguments)
    yield "donated", cyxla.lower(next_of, [single(3)], donate_argnums=(0,))
    yield (
        "branches",
        with_code(
            BRANCHES,
            lambda choice, number, x: (x, x),
            [
                jax.ShapeDtypeStruct((), bool),
                jax.ShapeDtypeStruct((), jnp.int32),
                single(LENGTH),
            ],
        ),
    )
    yield "numbers", with_code(NUMBERS, lambda: (np.uint32(1), np.uint32(2)), [])


def take_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def varint(value):
    data = b""
    while value >= 0x80:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])


def fields(message):
    """The number of each field, its bytes with the tag, and the content if counted."""
    at = 0
    while at < len(message):
        start = at
        tag, at = take_varint(message, at)
        if tag & 7 == 2:
            length, at = take_varint(message, at)
            at += length
            yield tag >> 3, message[start:at], message[at - length : at]
            continue
        if tag & 7 == 0:
            _, at = take_varint(message, at)
        else:
            at += {1: 8, 5: 4}[tag & 7]
        yield tag >> 3, message[start:at], None


def edited(message, edits):
    """A message without the fields whose edit is None, others edited further."""
    result = b""
    for number, data, content in fields(message):
        edit = edits.get(number, {})
        if edit is None:
            continue
        if edit:
            content = edited(content, edit)
            data = varint(number << 3 | 2) + varint(len(content)) + content
        result += data
    return result


INSTRUCTION = {7: None}  # where it comes from
MODULE = {3: {2: INSTRUCTION}, 17: None}  # the files, functions and lines
MACHINE = {3: None}  # all that it has
RESULT = {1: {1: MODULE, 2: None}, 9: MACHINE}
SERIALIZED = {1: RESULT, 2: None}


def main():
    is_old = sys.argv[1:] == ["old"]
    jax.config.update("jax_enable_x64", True)
    cyxla.initialize(OLD_CPU_PLUGIN if is_old else CPU_PLUGIN)
    for name, program in programs():
        if (is_old and name not in OLD) or (name == "turns" and not is_old):
            continue
        # Before the first run, after which the plugin may refuse.
        serialized = cyxla.compile_program(program)[0].serialize()
        data = edited(serialized, SERIALIZED)
        file = f"{name}_old.bin" if is_old else f"{name}.bin"
        (FOLDER / file).write_bytes(data)
        print(f"{file}: {len(data)} bytes")


main()
