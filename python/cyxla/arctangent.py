"""The arc tangent of many numbers, which some builds of XLA compute wrongly on the CPU.

Their code for vectors of 256 bits passes a vector to a function that was compiled for
those of 128, and reads what lies on the stack in the place of half of it
(https://github.com/jax-ml/jax/issues/39352). With vectors of 128 bits all is well.
"""

from cyxla.compile_options import VARINT, varint, with_debug_options

# What StableHLO, which has no other, makes it of.
OPERATION = b"atan2"

# The field xla_cpu_prefer_vector_width of xla.DebugOptions. An override by name, which
# a caller gives, goes before it.
PREFER_VECTOR_WIDTH = 308
BITS = 128


def with_narrow_vectors(platform, code, options):
    """Compile options with which XLA computes the arc tangents of a program rightly."""
    if platform != "cpu" or OPERATION not in code:
        return options
    width = varint(PREFER_VECTOR_WIDTH << 3 | VARINT) + varint(BITS)
    return with_debug_options(options, removed={PREFER_VECTOR_WIDTH}, added=[width])
