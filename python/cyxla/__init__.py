"""cyxla: call JAX functions from native code.

>>> import cyxla as cx
>>> program = cx.lower(function, [jax.ShapeDtypeStruct((3,), jnp.float32)])
>>> executable, statistics = cx.compile_program(program)
>>> (result,) = executable.run([array])
>>> cx.save("function.cyxla", executable)  # for cyxla_open in C
"""

import jax as _jax  # noqa: F401  it sets the log level before jaxlib reads it

from cyxla._runtime import version as _version
from cyxla.cache_lowered import cache_key, load_lowered, store_lowered
from cyxla.custom_calls import (
    is_mirroring_wanted,
    mirror_jax_registrations,
    register_ffi_target,
)
from cyxla.errors import Error, FileError
from cyxla.executable import (
    CompileStatistics,
    Executable,
    compile,
    compile_program,
)
from cyxla.extension import check_abi, get_include
from cyxla.ffi_types import register_ffi_type
from cyxla.files import load, save
from cyxla.lowering import lower
from cyxla.program import Program
from cyxla.runtime import initialize, runtime_info
from cyxla.specs import ArraySpec, ExecutableInfo, RuntimeInfo

__version__ = _version()

if is_mirroring_wanted():
    mirror_jax_registrations()

__all__ = [
    "ArraySpec",
    "CompileStatistics",
    "Error",
    "Executable",
    "ExecutableInfo",
    "FileError",
    "Program",
    "RuntimeInfo",
    "cache_key",
    "check_abi",
    "compile",
    "compile_program",
    "get_include",
    "initialize",
    "load",
    "load_lowered",
    "lower",
    "mirror_jax_registrations",
    "register_ffi_target",
    "register_ffi_type",
    "runtime_info",
    "save",
    "store_lowered",
]
