"""Sizes: one function lowered for several shapes of its arguments."""

import operator

import jax
import numpy as np
from jax import export
from jax._src.export import shape_poly

from cyxla.lowering import lower
from cyxla.program import Program


def lower_sizes(function, shapes, args=None, kwargs=None, **options):
    """Lowers a function for each of several shapes of its arguments. Returns one
    :class:`Program`, see ``Program.sizes``.

    An element of ``shapes`` is a list of example arguments, as :func:`lower` takes
    them. If ``args`` or ``kwargs`` have symbolic dimensions
    (``jax.export.symbolic_shape``), or ``function`` is a ``jax.export.Exported`` that
    has, it is a dict from their names to numbers instead.
    """
    if not isinstance(shapes, (list, tuple)) or len(shapes) == 0:
        raise TypeError(
            f"shapes is {shapes!r}, expected a list with the example arguments, or the "
            "sizes of symbolic dimensions, of each size"
        )
    if args is not None and not isinstance(args, (list, tuple)):
        raise TypeError(
            f"args is a {type(args).__name__}, expected a list of the function's "
            "positional arguments"
        )
    if isinstance(function, export.Exported):
        if args is not None or kwargs is not None:
            raise TypeError(
                "args and kwargs cannot be given for what jax.export made, which knows "
                "its own"
            )
        # Its own arguments are for sizes of its symbolic dimensions.
        if any(isinstance(at, dict) for at in shapes):
            args, kwargs = exported_arguments(function)
    return Program.join(
        [
            lower(function, *arguments_at(f"shapes[{i}]", at, args, kwargs), **options)
            for i, at in enumerate(shapes)
        ]
    )


def arguments_at(what, at, args, kwargs):
    """The positional and keyword arguments of one size. ``what`` is its name."""
    if isinstance(at, dict):
        if args is None and kwargs is None:
            raise TypeError(
                f"{what} is a dict of sizes; give args with symbolic dimensions, or "
                "lists of example arguments"
            )
        return with_sizes(what, at, (args or (), kwargs or {}))
    if isinstance(at, (list, tuple)):
        if args is not None:
            raise TypeError(
                f"{what} is a {type(at).__name__}, expected a dict of the sizes of the "
                "symbolic dimensions in args"
            )
        return at, kwargs
    raise TypeError(
        f"{what} is {at!r}, expected a list of example arguments, or a dict of sizes"
    )


def exported_arguments(exported):
    """The arguments of what jax.export made, with their symbolic dimensions."""
    leaves = [
        jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in exported.in_avals
    ]
    return jax.tree.unflatten(exported.in_tree, leaves)


def with_sizes(what, sizes, arguments):
    """The arguments with numbers in the place of symbolic dimensions."""
    leaves, tree = jax.tree.flatten(arguments)
    dimensions = [
        dimension
        for leaf in leaves
        for dimension in getattr(leaf, "shape", ())
        if export.is_symbolic_dim(dimension)
    ]
    for name in sizes:
        if not isinstance(name, str):
            raise TypeError(
                f"{what} has a size for {name!r}, expected the names of symbolic "
                "dimensions"
            )
    names = sorted(set().union(*(dimension._get_vars() for dimension in dimensions)))
    if sorted(sizes) != names:
        raise ValueError(
            f"{what} has sizes for {', '.join(sorted(sizes)) or 'nothing'}, and the "
            f"symbolic dimensions are {', '.join(names) or 'none'}"
        )
    numbers = {name: as_size(what, name, size) for name, size in sizes.items()}
    for scope in {id(each.scope): each.scope for each in dimensions}.values():
        check_constraints(what, scope, numbers)
    return tree.unflatten([with_numbers(what, leaf, numbers) for leaf in leaves])


def as_size(what, name, size):
    """A size as a number."""
    try:
        number = operator.index(size)
    except TypeError:
        number = -1
    if not 0 <= number < 2**63 or isinstance(size, bool):
        raise ValueError(
            f"{what} has {size!r} for {name}, expected a number of 0 or more, and less "
            "than 2**63"
        )
    return number


def check_constraints(what, scope, numbers):
    """Refuses numbers that the constraints of symbolic dimensions rule out."""
    for constraint in scope._explicit_constraints:
        difference = constraint.diff
        if not difference._get_vars() <= set(numbers):
            continue
        value = evaluated(what, difference, numbers)
        is_equality = constraint.cmp == shape_poly.Comparator.EQ
        if value < 0 or (is_equality and value != 0):
            raise ValueError(
                f"{what} is {numbers}, and a constraint of the symbolic dimensions is "
                f"{constraint.debug_str}"
            )


def evaluated(what, dimension, numbers):
    """The number that a symbolic dimension is."""
    try:
        # JAX counts in 32 bits otherwise.
        with jax.enable_x64(True), np.errstate(over="raise"):
            return int(dimension._evaluate(numbers))
    except ZeroDivisionError:
        problem = "divides by 0"
    except (FloatingPointError, OverflowError):
        problem = "is too large"
    raise ValueError(f"{what} is {numbers}, and {dimension} {problem} then")


def with_numbers(what, leaf, numbers):
    """An argument with the numbers in the place of its symbolic dimensions."""
    if not any(export.is_symbolic_dim(each) for each in getattr(leaf, "shape", ())):
        return leaf
    shape = tuple(
        evaluated(what, each, numbers) if export.is_symbolic_dim(each) else each
        for each in leaf.shape
    )
    if min(shape) < 0:
        raise ValueError(
            f"{what} is {numbers}, and makes the shape {leaf.shape} of an argument "
            f"{shape}"
        )
    return leaf.update(shape=shape)
