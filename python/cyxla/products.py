"""Products of matrices in StableHLO: how large they are, and their plain form.

A product is plain if it is one of rows with columns: the dimensions that are summed
over are the last of the left operand and, behind those that both have in common, the
first of the right one. XLA has kernels for these alone, and calls a library for others.
"""

import math
from typing import NamedTuple

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

PRODUCT = "stablehlo.dot_general"
TRANSPOSE = "stablehlo.transpose"
NUMBERS = "dot_dimension_numbers"
PRECISION = "precision_config"


class Extents(NamedTuple):
    """A product's sizes: so many of matrices of rows x depth and depth x columns."""

    batch: int
    rows: int
    depth: int
    columns: int


class Side(NamedTuple):
    """An operand's shape, the dimensions that both operands have in common, those that
    are summed over, and those that are its own."""

    shape: list
    common: list
    summed: list
    own: list

    @classmethod
    def make(cls, operand, common, summed):
        shape = shape_of(operand)
        taken = {*common, *summed}
        own = [i for i in range(len(shape)) if i not in taken]
        return cls(shape, list(common), list(summed), own)

    def count(self, dimensions):
        """How many elements some of the dimensions span."""
        return math.prod(self.shape[i] for i in dimensions)


def shape_of(value):
    """The shape of an array."""
    return list(ir.RankedTensorType(value.type).shape)


def sides_of(product):
    """The left and the right side of a product."""
    numbers = stablehlo.DotDimensionNumbers(product.attributes[NUMBERS])
    left, right = product.operands
    return (
        Side.make(
            left, numbers.lhs_batching_dimensions, numbers.lhs_contracting_dimensions
        ),
        Side.make(
            right, numbers.rhs_batching_dimensions, numbers.rhs_contracting_dimensions
        ),
    )


def extents_of(product):
    """The sizes of a product."""
    left, right = sides_of(product)
    return Extents(
        batch=left.count(left.common),
        rows=left.count(left.own),
        depth=left.count(left.summed),
        columns=right.count(right.own),
    )


def make_plain(product):
    """Makes a product plain. Returns whether anything had to be changed.

    Products with a vector are left alone, since XLA has kernels for all forms of them.
    """
    extents = extents_of(product)
    if 1 in (extents.rows, extents.columns):
        return False
    left, right = sides_of(product)
    orders = [
        left.common + left.own + left.summed,
        right.common + right.summed + right.own,
    ]
    # XLA exchanges operands where that saves it transposes, and leaves the product that
    # comes of that to a library.
    transpose = transpose_of(product, left, right)
    if orders == [sorted(order) for order in orders]:
        if transpose is not None:
            transpose.operands[0] = guarded(transpose, product.results[0])
        return transpose is not None
    are_both = left.own > left.summed and right.summed > right.own
    if can_exchange(product) and (transpose is not None or are_both):
        make_plain(exchange(product, left, right, transpose))
        return True
    for i, order in enumerate(orders):
        product.operands[i] = transposed(product, product.operands[i], order)
    product.attributes[NUMBERS] = stablehlo.DotDimensionNumbers.get(
        *[
            [order.index(i) for i in dimensions]
            for order, dimensions in zip(
                orders * 2,
                [left.common, right.common, left.summed, right.summed],
                strict=True,
            )
        ]
    )
    return True


def transposed(before, value, order):
    """A value with its dimensions in another order, made before an operation; itself if
    they have that order."""
    if order == sorted(order):
        return value
    with ir.InsertionPoint(before), before.location:
        return stablehlo.transpose(value, ir.DenseI64ArrayAttr.get(order))


def guarded(before, value):
    """A value behind a barrier, which XLA exchanges nothing across, made before an
    operation. The barrier costs nothing when the program runs."""
    with ir.InsertionPoint(before), before.location:
        return stablehlo.optimization_barrier([value])


def exchanged_order(left, right):
    """The order of a product's dimensions after rows and columns are exchanged, both in
    numbers of the product of the operands in their order."""
    first, second = len(left.common), len(left.common) + len(left.own)
    last = second + len(right.own)
    return [*range(first), *range(second, last), *range(first, second)]


def transpose_of(product, left, right):
    """The operation that exchanges rows and columns of a product, None where there is
    none, or it is not all that the product is for."""
    uses = list(product.results[0].uses)
    if len(uses) != 1 or uses[0].owner.name != TRANSPOSE:
        return None
    transpose = uses[0].owner
    order = list(ir.DenseI64ArrayAttr(transpose.attributes["permutation"]))
    return transpose if order == exchanged_order(left, right) else None


def can_exchange(product):
    """Whether both operands are computed with alike."""
    if "algorithm" not in product.attributes:
        return True
    algorithm = stablehlo.DotAlgorithm(product.attributes["algorithm"])
    return (algorithm.lhs_precision_type, algorithm.lhs_component_count) == (
        algorithm.rhs_precision_type,
        algorithm.rhs_component_count,
    )


def exchange(product, left, right, transpose):
    """Puts the product of the operands in the other order in the place of a product and
    of what transposes it, or where nothing does, in its place alone. Returns it."""
    attributes = dict(product.attributes.items())
    attributes[NUMBERS] = stablehlo.DotDimensionNumbers.get(
        right.common, left.common, right.summed, left.summed
    )
    if PRECISION in attributes:
        precisions = list(ir.ArrayAttr(attributes[PRECISION]))
        attributes[PRECISION] = ir.ArrayAttr.get(precisions[::-1])
    replaced = (transpose or product).results[0]
    type = ir.RankedTensorType(product.results[0].type)
    order = exchanged_order(left, right)
    shape = [type.shape[i] for i in order]
    with ir.InsertionPoint(product), product.location:
        exchanged = ir.Operation.create(
            PRODUCT,
            results=[ir.RankedTensorType.get(shape, type.element_type)],
            operands=list(product.operands)[::-1],
            attributes=attributes,
        )
    result = exchanged.results[0]
    if transpose is None:
        back = exchanged_order(right, left)
        result = transposed(product, guarded(product, result), back)
    replaced.replace_all_uses_with(result)
    if transpose is not None:
        transpose.erase()
    product.erase()
    return exchanged
