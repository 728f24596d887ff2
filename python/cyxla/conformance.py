"""Trying what a plugin offers, for people who write one: ``python -m cyxla check``.

A process loads one plugin, so each check of a plugin needs a process of its own.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from cyxla import _runtime
from cyxla.arrays import DTYPES
from cyxla.errors import Error
from cyxla.executable import compile_program
from cyxla.lowering import lower
from cyxla.runtime import initialize, loaded_platform, runtime_for


class Row(NamedTuple):
    """One check: "passed", "failed", or "absent" where cyxla can do without."""

    check: str
    status: str
    detail: str


class Mismatch(Exception):
    """What a plugin did is not what it should have done."""


def expect(condition, message):
    """Raises Mismatch unless the condition holds, also under ``python -O``."""
    if not condition:
        raise Mismatch(message)


def attempt(check, function, *arguments):
    """The row of a check: what the function returns, or the error that it raises."""
    try:
        # Values of 64 bits are part of what is checked, whatever the process has set.
        with jax.enable_x64(True):
            return Row(check, "passed", function(*arguments))
    except (Error, Mismatch, MemoryError) as error:
        return Row(check, "failed", str(error) or type(error).__name__)


def optional(row):
    """The row of a check of what cyxla can do without."""
    return row._replace(status="absent") if row.status == "failed" else row


def check_plugin(path, platform=None):
    """Yields a row for each thing that a plugin should be able to do, on this machine.

    A row comes as soon as it is known: a plugin may end the process in the next check.
    """
    known = _runtime.inspect_plugin(path)
    yield row_of_library(known)
    if known["problem"] is not None:
        return
    client = attempt("client and devices", describe_client, path, platform)
    yield client
    if client.status == "failed":
        return
    for name in DTYPES:
        yield attempt(f"buffers of {name}", echo, name)
    yield attempt("scalars and empty arrays", echo_shapes)
    yield attempt("compile and execute", compute)
    yield attempt("donated inputs", donate)
    yield attempt("compile errors", provoke_compile_error)
    yield optional(attempt("serialize", serialize))
    yield row_of_extension("FFI", known, "no custom calls, such as LAPACK")
    if "FFI" in known["extensions"] and loaded_platform() == "cpu":
        yield optional(attempt("custom calls", call_lapack))


def row_of_library(known):
    """Whether the library loads, and what it says about itself."""
    if known["problem"] is not None:
        return Row("library", "failed", known["problem"])
    api = ".".join(map(str, known["pjrt_api_version"]))
    stablehlo = ".".join(map(str, known["stablehlo_version"] or ["unknown"]))
    return Row("library", "passed", f"PJRT API {api}, StableHLO {stablehlo}")


def row_of_extension(name, known, without):
    """Whether the plugin has an extension, and what is missing without."""
    if name in known["extensions"]:
        return Row(f"extension {name}", "passed", "present")
    return Row(f"extension {name}", "absent", without)


def describe_client(path, platform):
    """Creates the client."""
    info = initialize(path, platform=platform)
    copies = "without copies" if info.zero_copy else "with copies"
    return f"{info.platform}, {len(info.devices)} x {info.devices[0]}, runs {copies}"


def run(function, *arguments):
    """Lowers, compiles and runs a function on the plugin."""
    return compile_program(lower(function, arguments))[0].run(arguments)


def expect_equal(found, expected):
    """Compares arrays byte by byte."""
    found, expected = np.asarray(found), np.asarray(expected)
    expect(found.dtype == expected.dtype, f"found {found.dtype}, not {expected.dtype}")
    expect(found.shape == expected.shape, f"found {found.shape}, not {expected.shape}")
    expect(found.tobytes() == expected.tobytes(), f"found {found}, not {expected}")


def echo(name):
    """Sends an array of a dtype there and back."""
    array = np.arange(6).reshape(2, 3).astype(DTYPES[name])
    expect_equal(run(lambda x: x, array)[0], array)
    expect_equal(run(lambda x: x.T, array)[0], array.T)
    return "as sent, and transposed"


def echo_shapes():
    """Sends a scalar and arrays without elements."""
    for shape in [(), (0,), (3, 0, 2)]:
        array = np.ones(shape, np.float32)
        expect_equal(run(lambda x: x + 1, array)[0], array + np.float32(1))
    return "as computed by NumPy"


def compute():
    """Runs one executable several times."""
    x = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
    program = lower(lambda x, y: (jnp.sin(x) @ y, x.sum()), [x, x.T])
    executable, _ = compile_program(program)
    for scale in (1, 2, 3):
        a = x * np.float32(scale)
        product, total = executable.run([a, a.T])
        expect(np.allclose(product, np.sin(a) @ a.T, rtol=1e-3), "a product is wrong")
        expect(np.allclose(total, a.sum(), rtol=1e-3), "a sum is wrong")
    return "sums and products to 0.1 %"


def donate():
    """Runs a program whose input is donated, and looks whether it was spoiled."""
    x = np.arange(5, dtype=np.float32)
    program = lower(lambda x: x + 1, [x], donate_argnums=0)
    executable, _ = compile_program(program)
    for _ in range(2):
        expect_equal(executable.run([x])[0], x + 1)
    return "keep their values where they are not bound to an output"


def provoke_compile_error():
    """Compiles what is no program."""
    program = lower(lambda x: x, [1.0])
    broken = _runtime.Program.from_parts(
        platform=program.platform,
        code=b"not a program",
        compile_options=program.compile_options,
        inputs=program.inputs,
        outputs=program.outputs,
    )
    message = None
    try:
        _runtime.Executable.compile(runtime_for(program.platform), broken)
    except Error as error:
        message = str(error)
    expect(message is not None, "bytes that are no program were compiled")
    expect(message, "the error has no message")
    return "give a message"


def serialize():
    """Serializes an executable."""
    executable, _ = compile_program(lower(lambda x: x * 2, [np.float32(1)]))
    return f"{len(executable.serialize())} bytes"


def call_lapack():
    """Runs a function of jaxlib's, which the plugin is told of when it is loaded."""
    matrix = np.array([[4, 2], [2, 3]], np.float32)
    (factor,) = run(jnp.linalg.cholesky, matrix)
    expect(np.allclose(factor @ factor.T, matrix, rtol=1e-3), "a factor is wrong")
    return "LAPACK's Cholesky factor to 0.1 %"


def format_row(row):
    """A row as a line of the table, without what XLA tells beyond the first line."""
    return f"{row.status:7} {row.check:24}  {row.detail.splitlines()[0]}"
