from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

from numpy.typing import ArrayLike, NDArray

from cyxla.specs import ArraySpec, RuntimeInfo

OptionValue = bool | int | float | str | list[int]

_ABI_VERSION: int

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
        num_threads: int = 0,
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
