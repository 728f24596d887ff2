from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Error(RuntimeError):
    status: str
    def __init__(self, message: str, status: str) -> None: ...

class FileError(Error, OSError): ...

class ArraySpec(NamedTuple):
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    aliased_output: int = -1

class RuntimeInfo(NamedTuple):
    platform: str
    platform_version: str
    plugin: str
    pjrt_api_version: tuple[int, int]
    stablehlo_version: tuple[int, int, int]
    devices: tuple[str, ...]
    zero_copy: bool

OptionValue = bool | int | float | str | list[int]

def version() -> str: ...
def environment_plugin() -> str | None: ...

class Program:
    inputs: list[ArraySpec]
    outputs: list[ArraySpec]
    @classmethod
    def from_parts(
        cls,
        *,
        platform: str,
        code: bytes,
        compile_options: bytes,
        inputs: list[ArraySpec],
        outputs: list[ArraySpec],
        metadata: str = "",
    ) -> Self: ...
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def platform(self) -> str: ...
    @property
    def code(self) -> bytes: ...
    @property
    def compile_options(self) -> bytes: ...
    @property
    def metadata(self) -> str: ...

class Runtime:
    def __init__(
        self,
        plugin: str | PathLike[str],
        platform: str | None,
        options: dict[str, OptionValue],
    ) -> None: ...
    @property
    def info(self) -> RuntimeInfo: ...

class Executable:
    program: Program
    @classmethod
    def compile(cls, runtime: Runtime, program: Program) -> Self: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def inputs(self) -> list[ArraySpec]: ...
    @property
    def outputs(self) -> list[ArraySpec]: ...
    @property
    def output_bytes(self) -> list[int]: ...
    @property
    def tier(self) -> str: ...
    @property
    def compile_seconds(self) -> float: ...
    @property
    def code_bytes(self) -> int: ...
    def run(self, arguments: Sequence[ArrayLike]) -> list[NDArray[Any]]: ...
