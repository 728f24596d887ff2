"""The message descriptors that a plugin embeds, read from its library.

What protocol buffers generate holds the description of each .proto file, itself a
serialized message, from which the runtime makes its reflection. A library holds it as
it is, so that it is found by the name of the file at its start.
"""

import mmap
from typing import NamedTuple

# Fields of google/protobuf/descriptor.proto.
FILE_PACKAGE, FILE_MESSAGE, FILE_ENUM = 2, 4, 5
MESSAGE_NAME, MESSAGE_FIELD, MESSAGE_NESTED, MESSAGE_ENUM = 1, 2, 3, 4
FIELD_NAME, FIELD_NUMBER, FIELD_LABEL, FIELD_TYPE, FIELD_TYPE_NAME = 1, 3, 4, 5, 6
ENUM_NAME, ENUM_VALUE = 1, 2
VALUE_NAME, VALUE_NUMBER = 1, 2

REPEATED = 3
TYPES = dict(
    enumerate(
        "double float int64 uint64 int32 fixed64 fixed32 bool string group message "
        "bytes uint32 enum sfixed32 sfixed64 sint32 sint64".split(),
        start=1,
    )
)

# Of a file: no field of a higher number follows in any version.
LAST_FILE_FIELD = 14


class Field(NamedTuple):
    """A field of a message: its name, and a type that names messages and enums."""

    name: str
    type: str
    is_repeated: bool


def take_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields_of(data, at=0, last=None):
    """The numbers and values of a message; one that ends with its bytes or, where the
    last number is given, at the first field that is none of it."""
    while at < len(data):
        tag, at = take_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if last is not None and not (0 < number <= last and kind in (0, 2)):
            return
        if kind == 0:
            value, at = take_varint(data, at)
        else:
            assert kind == 2, f"a descriptor has a field of wire type {kind}"
            size, at = take_varint(data, at)
            value = bytes(data[at : at + size])
            at += size
        yield number, value


def first(message, number, default=None):
    return next(
        (value for found, value in fields_of(message) if found == number), default
    )


def every(message, number):
    return [value for found, value in fields_of(message) if found == number]


def find_file(data, name):
    """The fields of a file's description, where the library has one."""
    start = bytes([1 << 3 | 2, len(name)]) + name.encode()
    at = data.find(start)
    # A text of that name may be elsewhere: a package follows the name of the file.
    while at >= 0 and data[at + len(start)] != FILE_PACKAGE << 3 | 2:
        at = data.find(start, at + 1)
    return None if at < 0 else list(fields_of(data, at, LAST_FILE_FIELD))


class Descriptors:
    """The messages and enums of the files of a library."""

    def __init__(self, library, files):
        self.messages = {}  # fields by number, by the name of the message
        self.enums = {}  # names by number, by the name of the enum
        self.missing = set()  # of the files
        with open(library, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        with data:
            for name in files:
                found = find_file(data, name)
                if found is None:
                    self.missing.add(name)
                else:
                    self._add_file(found)

    def _add_file(self, fields):
        package = dict(fields)[FILE_PACKAGE].decode()
        for number, value in fields:
            if number == FILE_MESSAGE:
                self._add_message(value, package)
            if number == FILE_ENUM:
                self._add_enum(value, package)

    def _add_message(self, message, scope):
        name = f"{scope}.{first(message, MESSAGE_NAME).decode()}"
        self.messages[name] = {
            first(field, FIELD_NUMBER): self._field(field)
            for field in every(message, MESSAGE_FIELD)
        }
        for nested in every(message, MESSAGE_NESTED):
            self._add_message(nested, name)
        for enum in every(message, MESSAGE_ENUM):
            self._add_enum(enum, name)

    def _add_enum(self, enum, scope):
        self.enums[f"{scope}.{first(enum, ENUM_NAME).decode()}"] = {
            first(value, VALUE_NUMBER, 0): first(value, VALUE_NAME).decode()
            for value in every(enum, ENUM_VALUE)
        }

    def _field(self, field):
        type_name = first(field, FIELD_TYPE_NAME, b"").decode().removeprefix(".")
        return Field(
            first(field, FIELD_NAME).decode(),
            type_name or TYPES[first(field, FIELD_TYPE)],
            first(field, FIELD_LABEL) == REPEATED,
        )
