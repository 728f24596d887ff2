"""StableHLO artifacts, opened to be edited: the code of programs, as JAX exports it."""

import contextlib
import io
import operator
import re

import jax
from jax._src.interpreters import mlir as jax_mlir
from jax.extend import mlir
from jaxlib.mlir import ir


@contextlib.contextmanager
def opened(code):
    """The module that an artifact holds, within its context of MLIR."""
    with jax_mlir.make_ir_context() as context, ir.Location.unknown():
        yield mlir.deserialize_portable_artifact(code, context)


def closed(module, code):
    """The module as an artifact for the version of StableHLO that ``code`` is for."""
    module.operation.verify()
    return mlir.serialize_portable_artifact(
        module, stablehlo_version(code), b"sdy." in code
    )


def at_version(code, version):
    """An artifact for a version of StableHLO, ``"1.13.3"`` or ``(1, 13, 3)``: the same
    one if it is for that or an earlier one. ValueError where it needs a later one."""
    wanted = parsed_version(version)
    found = stablehlo_version(code)
    if parsed_version(found) <= wanted:
        return code
    text = ".".join(map(str, wanted))
    try:
        with opened(code) as module:
            return mlir.serialize_portable_artifact(module, text, b"sdy." in code)
    except jax.errors.JaxRuntimeError as error:
        raise ValueError(
            f"the program is written for StableHLO {found} and cannot be written "
            f"for {text}: {first_reason(str(error))}"
        ) from error


def first_reason(message):
    """What MLIR says first, without the operation itself, which takes pages."""
    reason = re.search(
        r"\berror: ([^\n]*?)(?: that was explicitly marked|\n|$)", message
    )
    return reason[1] if reason else message


def parsed_version(version):
    """A version of StableHLO as three numbers."""
    parts = version
    if isinstance(version, str) and re.fullmatch(r"\d+\.\d+\.\d+", version, re.ASCII):
        parts = map(int, version.split("."))
    try:
        numbers = tuple(map(operator.index, parts))
    except TypeError:
        numbers = ()
    if len(numbers) != 3 or min(numbers) < 0:
        raise ValueError(
            f"the version of StableHLO is {version!r}, expected three numbers as in "
            "'1.13.3'"
        )
    return numbers


def refined(code):
    """An artifact whose symbolic dimensions are gone, where the arguments of main have
    numbers in their place: XLA compiles no others."""
    try:
        with opened(code) as module:
            bytecode = io.BytesIO()
            module.operation.write_bytecode(bytecode)
            refined_code = mlir.refine_polymorphic_shapes(
                mlir_module=bytecode.getvalue(),
                enable_shape_assertions=True,
                validate_static_shapes=True,
                enable_shardy=True,
            )
            return closed(ir.Module.parse(refined_code), code)
    except jax.errors.JaxRuntimeError as error:
        raise ValueError(
            "the symbolic dimensions of the function cannot be settled: "
            f"{first_reason(str(error))}"
        ) from error


def stablehlo_version(code):
    """The version of StableHLO that an artifact is written for, from its beginning."""
    found = re.search(rb"StableHLO_v(\d+\.\d+\.\d+)", code[:64])
    if found is None:
        raise ValueError("the code is no StableHLO artifact: it names no version")
    return found[1].decode()


def main_of(module):
    """The function that the plugin runs."""
    return ir.SymbolTable(module.operation)["main"]
