"""The declarations of XLA's FFI in src/abi are those of the header in jaxlib."""

import re
from pathlib import Path

import jaxlib
import pytest
from c_declarations import Declarations, measure, read_declarations
from plugins_for_tests import ROOT

HEADER = ROOT / "src" / "abi" / "ffi.h"
OFFICIAL_HEADER = Path(jaxlib.__file__).parent / "include/xla/ffi/api/c_api.h"

OURS = read_declarations(HEADER.read_text())
OFFICIAL = read_declarations(OFFICIAL_HEADER.read_text())


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """The layout of our declarations."""
    folder = tmp_path_factory.mktemp("ours")
    return measure("abi/ffi.h", OURS, folder, f"-I{ROOT}/src", "-std=c99")


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    """The layout of the same names in the official header."""
    common = Declarations(OURS.structs, OURS.enums)
    folder = tmp_path_factory.mktemp("official")
    return measure(OFFICIAL_HEADER, common, folder)


def test_every_declaration_is_read():
    """What the test's own reader would miss, it would not compare."""
    defined = re.findall(
        r"^(?:typedef )?(?:struct|enum)\b.*\{", HEADER.read_text(), re.MULTILINE
    )
    assert len(OURS.structs) + len(OURS.enums) == len(defined) > 30
    assert OURS.structs["XLA_FFI_RunId_Get_Args"] == [
        "struct_size",
        "extension_start",
        "ctx",
        "run_id",
    ]


@pytest.mark.parametrize("struct", OURS.structs)
def test_a_struct_is_that_of_the_official_header(struct, ours, official):
    fields = OURS.structs[struct]
    assert {field: ours[struct, field] for field in fields} == {
        field: official[struct, field] for field in fields
    }
    # Ours may end earlier, which its struct_size tells.
    assert fields == OFFICIAL.structs[struct][: len(fields)]


@pytest.mark.parametrize("enum", OURS.enums)
def test_an_enumeration_is_that_of_the_official_header(enum, ours, official):
    for member in OURS.enums[enum]:
        assert ours[enum, member] == official[enum, member]
