"""Reads the structs and enumerations that a C header declares, by their names.

The headers of a binary interface are plain: no conditions inside of declarations, one
field a line, unions inside of structs only.
"""

import re
import subprocess
from typing import NamedTuple

from plugins_for_tests import compiler


class Declarations(NamedTuple):
    """What a header declares: fields of each struct, members of each enumeration.

    A field of a union is written as C reaches it, ``value.name`` or, where the union
    has no name, ``name``.
    """

    structs: dict
    enums: dict


BLOCK = re.compile(
    r"(?:typedef\s+)?(struct|enum)\s*(\w*)\s*"
    r"\{((?:[^{}]|\{[^{}]*\})*)\}\s*(\w*)\s*;"
)
UNION = re.compile(r"union\s*\{([^{}]*)\}\s*(\w*)\s*;")
FIELD = re.compile(
    r"\(\s*\*\s*(\w+)\s*\)\s*\([^;]*\)\s*;"  # a pointer to a function
    r"|_\w+_API_STRUCT_FIELD\((\w+)\)\s*;"  # the same in the official headers
    r"|(\w+)\s*(?:\[\w+\])?\s*;"
)
MEMBER = re.compile(r"(\w+)\s*(?:=[^,]*)?(?:,|$)")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def field_names(body):
    return ["".join(match.groups("")) for match in FIELD.finditer(body)]


def struct_fields(body):
    """The fields in their order, those of unions in the union's place."""
    fields = []
    end = 0
    for union in UNION.finditer(body):
        fields += field_names(body[end : union.start()])
        prefix = f"{union[2]}." if union[2] else ""
        fields += [prefix + name for name in field_names(union[1])]
        end = union.end()
    return fields + field_names(body[end:])


def read_declarations(text):
    """The declarations of a header's text."""
    declarations = Declarations({}, {})
    for kind, tag, body, name in BLOCK.findall(without_comments(text)):
        if kind == "struct":
            declarations.structs[name or tag] = struct_fields(body)
        else:
            members = MEMBER.findall(" ".join(body.split()).rstrip(", "))
            declarations.enums[name or tag] = members
    return declarations


def compile_and_run(source, folder, *flags):
    """The lines that a C program prints, each split into words."""
    (folder / "program.c").write_text(source)
    program = folder / "program"
    command = [*compiler(), *flags, str(folder / "program.c"), "-o", str(program)]
    subprocess.run(command, check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True)
    return [line.split() for line in lines.stdout.splitlines()]


def measure(header, declarations, folder, *flags):
    """Offset and size of each field of each struct, and the value of each member of an
    enumeration, as the C compiler sees them."""
    prints = [
        f'printf("{struct} {field} %zu %zu\\n", offsetof({struct}, {field}), '
        f"sizeof((({struct} *)0)->{field}));"
        for struct, fields in declarations.structs.items()
        for field in fields
    ] + [
        f'printf("{enum} {member} %lld %zu\\n", (long long){member}, sizeof({enum}));'
        for enum, members in declarations.enums.items()
        for member in members
    ]
    source = "\n".join(
        [
            "#include <stddef.h>",
            "#include <stdio.h>",
            f'#include "{header}"',
            "int main(void) {",
            *prints,
            "  return 0;",
            "}",
        ]
    )
    return {
        (owner, name): (int(value), int(size))
        for owner, name, value, size in compile_and_run(source, folder, *flags)
    }
