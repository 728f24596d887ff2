"""The declarations of the PJRT C API in src/abi are those of the interface.

They are compared with the official header of API 0.81 and with the independent
declarations of API 0.114 in the package pypjrt.
"""

import re

import pytest
from c_declarations import Declarations, measure, read_declarations
from plugins_for_tests import OFFICIAL_HEADER, ROOT
from pypjrt._abi import pjrt_0_114 as pypjrt

HEADERS = [ROOT / "src" / "abi" / name for name in ("pjrt_types.h", "pjrt_args.h")]
TABLE_HEADER = ROOT / "src" / "abi" / "pjrt.h"

OURS = read_declarations(
    "\n".join(path.read_text() for path in [*HEADERS, TABLE_HEADER])
)
OFFICIAL = read_declarations(OFFICIAL_HEADER.read_text())
TABLE = OURS.structs["PJRT_Api"]


def official_name(field):
    """Unions that have a name in our structs have none in the official ones."""
    return field.rpartition(".")[2]


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """The layout of our declarations."""
    folder = tmp_path_factory.mktemp("ours")
    return measure("abi/pjrt.h", OURS, folder, f"-I{ROOT}/src", "-std=c99")


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    """The layout of the official declarations, as far as ours name them."""
    common = Declarations(
        {
            name: [
                official_name(field)
                for field in fields
                if official_name(field) in OFFICIAL.structs[name]
            ]
            for name, fields in OURS.structs.items()
        },
        {
            name: [member for member in members if member in OFFICIAL.enums[name]]
            for name, members in OURS.enums.items()
        },
    )
    return measure(OFFICIAL_HEADER, common, tmp_path_factory.mktemp("official"))


def test_every_declaration_is_read():
    """What the test's own reader would miss, it would not compare."""
    text = "".join(path.read_text() for path in [*HEADERS, TABLE_HEADER])
    defined = re.findall(r"^typedef (?:struct|enum)\b.*\{$", text, re.MULTILINE)
    assert len(OURS.structs) + len(OURS.enums) == len(defined) > 40
    assert all(len(fields) >= 2 for fields in OURS.structs.values())
    assert OURS.structs["PJRT_NamedValue"] == [
        "struct_size",
        "extension_start",
        "name",
        "name_size",
        "type",
        "value.string_value",
        "value.int64_value",
        "value.int64_array_value",
        "value.float_value",
        "value.bool_value",
        "value_size",
    ]


@pytest.mark.parametrize("struct", OURS.structs)
def test_a_struct_is_that_of_the_official_header(struct, ours, official):
    fields = OURS.structs[struct]
    known = [field for field in fields if (struct, official_name(field)) in official]
    # What is newer than the official header stands at the end.
    assert known == fields[: len(known)]
    assert len(known) >= 2
    assert {field: ours[struct, field] for field in known} == {
        field: official[struct, official_name(field)] for field in known
    }
    # Nothing lies between or behind our fields that we do not declare.
    assert [official_name(field) for field in known] == OFFICIAL.structs[struct]


def fields_of_pypjrt(struct):
    """The names of a ctypes struct's fields, those of unions in the union's place."""
    names = []
    for name, kind in struct._fields_:
        if name in getattr(struct, "_anonymous_", ()):
            names += [member for member, _ in kind._fields_]
        else:
            names.append(name)
    return names


@pytest.mark.parametrize("struct", OURS.structs)
def test_a_struct_is_that_of_pypjrt(struct, ours):
    theirs = getattr(pypjrt, struct)
    fields = OURS.structs[struct]
    names = [official_name(field) for field in fields]
    # Our struct may end earlier, which its struct_size tells.
    assert names == fields_of_pypjrt(theirs)[: len(names)]
    for field, name in zip(fields, names, strict=True):
        descriptor = getattr(theirs, name)
        assert ours[struct, field] == (descriptor.offset, descriptor.size)


@pytest.mark.parametrize("enum", OURS.enums)
def test_an_enumeration_is_that_of_the_official_header(enum, ours, official):
    for member in OURS.enums[enum]:
        if (enum, member) in official:
            assert ours[enum, member] == official[enum, member]


@pytest.mark.parametrize("enum", OURS.enums)
def test_an_enumeration_is_that_of_pypjrt(enum, ours):
    for member in OURS.enums[enum]:
        assert ours[enum, member][0] == getattr(pypjrt, member)


def test_the_functions_stand_in_the_order_of_the_interface():
    functions = TABLE[3:]
    assert TABLE[:3] == ["struct_size", "extension_start", "pjrt_api_version"]
    assert functions == list(pypjrt.SLOT)
    official = OFFICIAL.structs["PJRT_Api"][3:]
    assert functions[: len(official)] == official
    assert len(official) > 100


def test_the_version_is_that_of_the_table():
    text = TABLE_HEADER.read_text()
    assert f"#define PJRT_API_MAJOR {pypjrt.PJRT_API_MAJOR}\n" in text
    assert f"#define PJRT_API_MINOR {pypjrt.PJRT_API_MINOR}\n" in text


def test_every_function_that_is_called_takes_its_own_arguments():
    text = TABLE_HEADER.read_text()
    declared = re.findall(r"\(\*(PJRT_\w+)\)\(\s*(\w+) \*args\)", text)
    assert len(declared) > 30
    for function, arguments in declared:
        assert arguments == f"{function}_Args"
        assert arguments in OURS.structs
    unused = re.findall(r"PJRT_UnusedFunction \*(PJRT_\w+);", text)
    assert sorted([name for name, _ in declared] + unused) == sorted(TABLE[3:])
