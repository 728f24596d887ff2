"""Programs for latency: XLA's own kernels in the place of the libraries that it calls.

A kernel is called directly, a library through the plugin. Kernels are made for
products, convolutions and reductions where all of a program are so small that they are
as fast. A large one is faster in a library, and the program with it stays as it is.
"""

import math

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from cyxla.artifacts import closed, opened
from cyxla.compile_options import (
    DISABLED_PASS,
    MULTI_THREAD_EIGEN,
    YNN_FUSION_TYPE,
    counted,
    extra_option,
    flag,
    with_debug_options,
)
from cyxla.products import PRODUCT, extents_of, make_plain, shape_of

LATENCY = "latency"
DETAIL = "optimize_for"

# What is small, measured on two cores: a kernel takes about as long as the library or
# less, also in a loop, where the plugin's own cost of a call does not count. These are
# numbers of multiplications, and of elements that are reduced. XLA itself calls no
# library for fewer than 4096 elements.
LARGEST_PRODUCT = 2**18
LARGEST_NARROW_PRODUCT = 2**15
LARGEST_CONVOLUTION = 2**15
LARGEST_REDUCTION = 2**12 - 1

# The rows, depth and columns that a kernel takes as long for as for fewer.
LEAST_SIZES = (32, 8, 32)

# Of 32 and 64 bits. Libraries have instructions of the processor for narrower ones.
WIDE = {"f32", "f64", "i32", "i64", "ui32", "ui64", "complex<f32>", "complex<f64>"}

# Loops over no more bytes become one kernel.
LOOP_BYTES = 2**16

# YNNPACK is turned off. XLA has kernels for products only where Eigen, which it calls
# otherwise, may have one thread, and takes them for all sizes where it is forced to.
# Convolutions are kernels unless they have the form of Eigen's, so that the pass that
# brings them into it is left out.
REMOVED = {YNN_FUSION_TYPE}
ADDED = [
    flag(MULTI_THREAD_EIGEN, False),
    counted(DISABLED_PASS, b"convolution-canonicalization"),
    extra_option("xla_force_enable_experimental_llvm_ir_gemm", ""),
    extra_option("xla_cpu_small_while_loop_byte_threshold", str(LOOP_BYTES)),
]


def check(optimize_for, platform):
    """Refuses what a program cannot be optimized for."""
    if optimize_for not in (None, LATENCY):
        raise ValueError(
            f"optimize_for is {optimize_for!r}, expected {LATENCY!r} or None"
        )
    if optimize_for == LATENCY and platform != "cpu":
        raise ValueError(
            f"optimize_for is {LATENCY!r}, which chooses options of XLA's compiler for "
            f"the CPU, and the program is for {platform}; leave it out"
        )


def optimized(program, optimize_for):
    """The program at all its sizes as it is asked for; itself for None."""
    check(optimize_for, program.platform)
    return program.rebuilt(for_latency) if optimize_for == LATENCY else program


def for_latency(size):
    """One size of a program for latency; itself if it is already."""
    if is_for_latency(size):
        return size
    code, options = applied(size.code, size.compile_options)
    return size.with_parts(
        code=code, compile_options=options, details={DETAIL: LATENCY}
    )


def is_for_latency(program):
    """Whether a program was made for latency, also one from a file."""
    return program.details.get(DETAIL) == LATENCY


def applied(code, options):
    """Code and compile options for latency; the same where a part of it is large."""
    try:
        with opened(code) as module:
            operations = operations_of(module)
            if not all(map(is_small, operations)):
                return code, options
            products = [each for each in operations if each.name == PRODUCT]
            changes = [make_plain(product) for product in products]
            if any(changes):
                code = closed(module, code)
    except RuntimeError as error:
        raise ValueError(
            f"the program cannot be optimized for {LATENCY}, since its StableHLO "
            f"cannot be read: {error}"
        ) from error
    return code, with_debug_options(options, removed=REMOVED, added=ADDED)


def operations_of(module):
    """All operations of a module, also those within others."""
    operations = []

    def visit(operation):
        operations.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return operations


def is_small(operation):
    """Whether a kernel for an operation is as fast as what XLA has without options."""
    judge = JUDGES.get(operation.name)
    return judge is None or judge(operation)


def is_small_product(product):
    extents = extents_of(product)
    if extents.rows == extents.columns == 1:
        return extents.batch * extents.depth <= LARGEST_REDUCTION
    if 1 in (extents.rows, extents.columns):
        return True  # a kernel in any case
    wide = all(element_of(operand) in WIDE for operand in product.operands)
    largest = LARGEST_PRODUCT if wide else LARGEST_NARROW_PRODUCT
    one = math.prod(map(max, extents[1:], LEAST_SIZES))
    return one <= largest and math.prod(extents) <= largest


def is_small_convolution(convolution):
    numbers = stablehlo.ConvDimensionNumbers(
        convolution.attributes["dimension_numbers"]
    )
    result = math.prod(shape_of(convolution.results[0]))
    kernel = shape_of(convolution.operands[1])
    del kernel[numbers.kernel_output_feature_dimension]
    return result * math.prod(kernel) <= LARGEST_CONVOLUTION


def is_small_reduction(reduction):
    # One of several operands, such as argmax, is a kernel in any case.
    if len(reduction.operands) > 2:
        return True
    return math.prod(shape_of(reduction.operands[0])) <= LARGEST_REDUCTION


def element_of(value):
    """The type of an array's elements, as it is written."""
    return str(ir.RankedTensorType(value.type).element_type)


JUDGES = {
    PRODUCT: is_small_product,
    "stablehlo.convolution": is_small_convolution,
    "stablehlo.reduce": is_small_reduction,
    # Never a kernel, and on several threads without the options.
    "stablehlo.fft": lambda operation: False,
}
