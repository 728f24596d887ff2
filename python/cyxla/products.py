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
    exchanged = exchange(product)
    product = exchanged or product
    left, right = sides_of(product)
    orders = [
        left.common + left.own + left.summed,
        right.common + right.summed + right.own,
    ]
    if orders == [sorted(order) for order in orders]:
        return exchanged is not None
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


def transposed(product, operand, order):
    """An operand with its dimensions in another order; itself if it has that."""
    if order == sorted(order):
        return operand
    with ir.InsertionPoint(product), product.location:
        return stablehlo.transpose(operand, ir.DenseI64ArrayAttr.get(order))


def exchange(product):
    """Where a product is only transposed, as JAX does in derivatives, the product of
    the operands in the other order takes the place of both: XLA would exchange them
    too, but transpose neither. Returns that product, None where nothing was done.
    """
    uses = list(product.results[0].uses)
    if len(uses) != 1 or uses[0].owner.name != TRANSPOSE:
        return None
    transpose = uses[0].owner
    left, right = sides_of(product)
    first, second = len(left.common), len(left.common) + len(left.own)
    last = second + len(right.own)
    wanted = [*range(first), *range(second, last), *range(first, second)]
    order = list(ir.DenseI64ArrayAttr(transpose.attributes["permutation"]))
    attributes = dict(product.attributes.items())
    # The algorithm of a product may be named for each of its operands.
    if order != wanted or "algorithm" in attributes:
        return None
    attributes[NUMBERS] = stablehlo.DotDimensionNumbers.get(
        right.common, left.common, right.summed, left.summed
    )
    if PRECISION in attributes:
        precisions = list(ir.ArrayAttr(attributes[PRECISION]))
        attributes[PRECISION] = ir.ArrayAttr.get(precisions[::-1])
    result = transpose.results[0]
    with ir.InsertionPoint(product), product.location:
        exchanged = ir.Operation.create(
            PRODUCT,
            results=[result.type],
            operands=list(product.operands)[::-1],
            attributes=attributes,
        )
    result.replace_all_uses_with(exchanged.results[0])
    transpose.erase()
    product.erase()
    return exchanged
