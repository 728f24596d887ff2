"""XLA's compile options, as programs keep them: a serialized CompileOptionsProto."""

from jax._src import compiler

# Fields of messages of xla/pjrt/proto/compile_options.proto and xla/xla.proto. Fields
# of a message keep their numbers for ever, and plugins pass over those that came later
# than they, where a name that a plugin does not know is an error.
EXECUTABLE_BUILD_OPTIONS = 3
DEBUG_OPTIONS = 3
DISABLED_PASS = 30  # repeated
MULTI_THREAD_EIGEN = 60
YNN_FUSION_TYPE = 422  # repeated
EXTRA_OPTION = 500  # a map, whose entries have the fields 1, the key, and 2, the value

# How fields are written, and how long those of a fixed length are.
VARINT, COUNTED = 0, 2
FIXED_BYTES = {1: 8, 5: 4}

NO_MESSAGE = "the program's compile options are no serialized xla.CompileOptionsProto"


def compile_options(overrides):
    """JAX's own compile options as bytes, so that results are those of ``jax.jit``."""
    try:
        options = compiler.get_compile_options(
            num_replicas=1, num_partitions=1, env_options_overrides=dict(overrides)
        )
        return options.SerializeAsString()
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"compiler_options are {overrides!r}, expected a dict of XLA's names and "
            "values of the types bool, int, float or str"
        ) from error


def with_debug_options(options, *, removed, added):
    """Compile options whose debug options lack the fields of the numbers ``removed``,
    and have ``added``, a list of the bytes of whole fields, at their end.

    Options without debug options leave those to the plugin. They get JAX's own, since
    an option that a message does not hold is 0.
    """
    if not holds(options, EXECUTABLE_BUILD_OPTIONS, DEBUG_OPTIONS):
        options = compile_options({})

    def change(debug_options):
        kept = [
            raw
            for number, _, raw in fields(debug_options)
            if number not in removed and raw not in added
        ]
        return b"".join(kept + added)

    return replaced(
        options,
        EXECUTABLE_BUILD_OPTIONS,
        lambda build_options: replaced(build_options, DEBUG_OPTIONS, change),
    )


def extra_option(name, value):
    """The field of an option that only XLA's CPU compiler looks for."""
    return counted(EXTRA_OPTION, counted(1, name.encode()) + counted(2, value.encode()))


def flag(number, value):
    """A field that is true or false."""
    return varint(number << 3 | VARINT) + varint(int(value))


def counted(number, content):
    """A field that is a text or a message."""
    return varint(number << 3 | COUNTED) + varint(len(content)) + content


def varint(value):
    """A number in groups of seven bits, the lowest first."""
    groups = bytearray()
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])


def holds(message, number, *inner):
    """Whether a message has a field, and that one, as a message, the inner ones."""
    return any(
        found == number and (not inner or holds(content, *inner))
        for found, content, _ in fields(message)
    )


def replaced(message, number, change):
    """A message each of whose fields of one number has another content."""
    return b"".join(
        counted(number, change(content)) if found == number else raw
        for found, content, raw in fields(message)
    )


def fields(message):
    """The fields of a message: number, content if that is counted, and all bytes."""
    found = []
    start = 0
    while start < len(message):
        key, position = read_varint(message, start)
        content = b""
        if key & 7 == VARINT:
            _, position = read_varint(message, position)
        elif key & 7 == COUNTED:
            size, position = read_varint(message, position)
            content = message[position : position + size]
            position += size
        elif key & 7 in FIXED_BYTES:
            position += FIXED_BYTES[key & 7]
        else:
            position = len(message) + 1
        if position > len(message):
            raise ValueError(NO_MESSAGE)
        found.append((key >> 3, content, message[start:position]))
        start = position
    return found


def read_varint(message, position):
    """A number, and where it ends."""
    value = 0
    for shift, byte in enumerate(message[position:]):
        value |= (byte & 127) << 7 * shift
        if byte < 128:
            return value, position + shift + 1
    raise ValueError(NO_MESSAGE)
