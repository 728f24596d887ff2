"""StableHLO artifacts, opened to be edited: the code of programs, as JAX exports it."""

import contextlib
import re

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


def stablehlo_version(code):
    """The version of StableHLO that an artifact is written for, from its beginning."""
    return re.search(rb"StableHLO_v(\d+\.\d+\.\d+)", code[:64])[1].decode()


def main_of(module):
    """The function that the plugin runs."""
    return ir.SymbolTable(module.operation)["main"]
