"""What the C sources read of XLA's messages is what the CPU plugins write: the numbers
and types of the fields, against the descriptors that each plugin embeds."""

import pytest
from descriptors import Descriptors, find_file
from wire_fields import (
    ELEMENTS,
    FIELDS,
    FILES,
    MISSING,
    PASSED,
    PLUGINS,
    VALUES,
    constants,
    elements,
    numbers_read,
    sources_that_read,
)


@pytest.fixture(scope="module", params=PLUGINS)
def version(request):
    return request.param


@pytest.fixture(scope="module")
def descriptors(version):
    return Descriptors(PLUGINS[version], FILES)


def as_text(field):
    """A field as the tables say it; None for none."""
    return field and f"{field.name}: {'repeated ' * field.is_repeated}{field.type}"


def uses():
    """Each field that a source reads."""
    for source, messages in FIELDS.items():
        for message, names in messages.items():
            for constant, field in names.items():
                yield source, message, constant, field


def test_the_fields_are_those_of_the_plugin(version, descriptors):
    for source, message, constant, field in uses():
        expected = field[version] if isinstance(field, dict) else field
        found = descriptors.messages.get(message, {}).get(constants(source)[constant])
        assert as_text(found) == expected, f"{constant} of {source}, {message}"


def test_plugins_differ_where_that_is_said_alone():
    tables = [Descriptors(PLUGINS[version], FILES).messages for version in PLUGINS]
    for source, message, constant, field in uses():
        number = constants(source)[constant]
        texts = {as_text(table.get(message, {}).get(number)) for table in tables}
        assert (len(texts) > 1) == isinstance(field, dict), f"{constant} of {source}"


def test_the_types_of_arrays_are_those_of_the_plugin(descriptors):
    literal = descriptors.messages["xla.LiteralProto"]
    types = descriptors.enums["xla.PrimitiveType"]
    seen = {}
    for number, (dtype, field) in elements().items():
        if dtype:
            seen[dtype] = types[number], as_text(literal[field])
    assert seen == ELEMENTS


def test_the_values_are_those_of_the_plugin(descriptors):
    for source, names in VALUES.items():
        for constant, (enum, value) in names.items():
            assert descriptors.enums[enum][constants(source)[constant]] == value


def test_each_constant_of_the_sources_is_compared():
    assert sources_that_read() == {*FIELDS, *VALUES}
    for source in FIELDS:
        listed = {constant for found, _, constant, _ in uses() if found == source}
        assert set(constants(source)) == listed | {*VALUES.get(source, {})}


def test_the_sources_read_fields_by_these_constants_alone():
    for source in sources_that_read():
        assert set(numbers_read(source)) - PASSED <= set(constants(source)), source


def test_the_files_are_those_of_the_plugin(version, descriptors):
    assert descriptors.missing == MISSING.get(version, set())


def test_a_text_that_is_no_description_is_passed_over():
    name = "xla/service/hlo.proto"
    text = bytes([1 << 3 | 2, len(name)]) + name.encode()
    library = text + b"...." + text + b"\x12\x03xla\x00\x00"
    assert find_file(library, name) == [(1, name.encode()), (2, b"xla")]
    assert find_file(text + b"....", name) is None
