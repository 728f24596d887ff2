"""Programs: lowered functions with the pytrees of their arguments and results."""

import base64
import json
import operator
from types import MappingProxyType

import jax

from cyxla import _runtime, artifacts


class Program(_runtime.Program):
    """A lowered function: StableHLO, its signature and its pytrees. Immutable.

    ``inputs`` and ``outputs`` are lists of :class:`ArraySpec`, one for each leaf.
    """

    # The pytrees as live objects where the program was lowered in this process. They
    # may hold types that a file cannot.
    _trees = None

    # Those of all sizes, by the addresses of their programs in C.
    _trees_of_sizes = MappingProxyType({})

    # The Python functions that the program calls, which live as long as it does.
    _callbacks = ()

    @classmethod
    def make(cls, *, trees, details, callbacks=(), **parts):
        """Makes a program; ``details`` is what a file keeps beside the pytrees."""
        metadata = {**details, "trees": [encode_tree(tree) for tree in trees]}
        self = cls.from_parts(metadata=json.dumps(metadata), **parts)
        self._trees = tuple(trees)
        self._callbacks = tuple(callbacks)
        return self

    @classmethod
    def join(cls, programs):
        """Makes one program of several that are sizes of one function.

        They have to be for one platform and to take and return arrays of the same names
        and dtypes. The result is the first, and its ``sizes`` are all of them. Each
        program is one size: to add one to a file's, join ``[*loaded.sizes, program]``.
        """
        programs = list(programs)
        for program in programs:
            if not isinstance(program, Program):
                raise TypeError(f"found {program!r} to join, expected programs")
            program.check_saved()
        joined = super().join(programs)
        trees = [program._live_trees() for program in programs]
        addresses = [size.address for size in _runtime.Program.sizes.__get__(joined)]
        joined._trees_of_sizes = dict(zip(addresses, trees, strict=True))
        return joined

    @property
    def sizes(self):
        """The function at all its sizes, a list of programs, in the order in which they
        were saved. Most programs have one size.
        """
        return [self._known(size) for size in super().sizes]

    def _known(self, size):
        """One of the sizes, which knows what this one knows of all."""
        size._trees_of_sizes = self._trees_of_sizes
        return size

    def pick(self, shapes=()):
        """The one of ``sizes`` whose inputs have certain shapes.

        ``shapes`` is a list in the order of ``inputs``, or a dict by their names, of
        tuples of sizes, or of arrays. As many are needed as tell one size from all
        others, none where there is only one; None passes over an input of the list. An
        :class:`Error` with the status ``SIZE_NOT_FOUND`` lists the sizes that there
        are.
        """
        if isinstance(shapes, dict):
            requests = list(shapes.items())
            for name in shapes:
                if not isinstance(name, str):
                    raise TypeError(f"found {name!r} as the name of an input")
        else:
            shapes = list(shapes)
            if len(shapes) > len(self.inputs):
                raise ValueError(
                    f"{len(shapes)} shapes are given, and the program has "
                    f"{len(self.inputs)} inputs"
                )
            names = [spec.name for spec in self.inputs]
            requests = [
                (name, shape)
                for name, shape in zip(names, shapes, strict=False)
                if shape is not None
            ]
        requests = [(name, sizes_of(name, each)) for name, each in requests]
        return self._known(super().pick(requests))

    def for_stablehlo(self, version):
        """The same program at all its sizes, written for a version of StableHLO.

        The version is a text such as ``"1.13.3"``, or three numbers. Later plugins read
        what is written for it as well. Itself, if it is for that or an earlier version.

        ValueError where it needs something that came later.
        """
        return self.rebuilt(lambda size: size.at_stablehlo(version))

    def at_stablehlo(self, version):
        """This size only, written for a version of StableHLO; itself where it is for
        that or an earlier one."""
        code = artifacts.at_version(self.code, version)
        return self if code == self.code else self.with_parts(code=code)

    def rebuilt(self, rebuild):
        """The same size of the program, each of whose sizes a function has rebuilt;
        itself where that changed none."""
        sizes = self.sizes
        built = [rebuild(size) for size in sizes]
        if built == sizes:
            return self
        if len(built) == 1:
            return built[0]
        return type(self).join(built).sizes[sizes.index(self)]

    def check_saved(self):
        """Refuses to save a program that calls Python functions of this process."""
        if self._callbacks:
            names = ", ".join(callback.name for callback in self._callbacks)
            raise ValueError(
                f"the program calls the Python function {names}, and a file cannot "
                "hold it; leave callbacks out of functions that are saved"
            )

    def save(self, path):
        """Writes a ``.cyxla`` file that holds the program."""
        self.check_saved()
        super().save(path)

    def _live_trees(self):
        """The pytrees, if this process knows them already."""
        return self._trees or self._trees_of_sizes.get(self.address)

    @property
    def details(self):
        """What is kept with the program: the function's name, versions and options."""
        # Other writers of files may keep any text there.
        try:
            details = json.loads(self.metadata)
        except (ValueError, RecursionError):
            return {}
        return details if isinstance(details, dict) else {}

    @property
    def trees(self):
        """The pytrees of ``(arguments, keyword arguments)`` and of the result."""
        self._trees = self._live_trees()
        if self._trees is None:
            try:
                arguments, result = self.details["trees"]
                self._trees = (decode_tree(arguments), decode_tree(result))
            except (KeyError, TypeError, ValueError, jax.errors.JaxRuntimeError):
                raise TypeError(
                    "the program was loaded from a file, which cannot hold the types "
                    "of its pytrees; use run with a flat list of arrays"
                ) from None
        return self._trees

    def with_details(self, details):
        """The same program at all its sizes, with more details."""
        return self.rebuilt(lambda size: size.with_parts(details=details))

    def with_parts(self, *, details=None, **parts):
        """The same program, this size only, with other parts or more details."""
        kept = {
            "platform": self.platform,
            "code": self.code,
            "compile_options": self.compile_options,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "metadata": self.metadata,
        }
        if details:
            kept["metadata"] = json.dumps({**self.details, **details})
        program = type(self).from_parts(**{**kept, **parts})
        program._trees = self._live_trees()
        program._callbacks = self._callbacks
        return program


def sizes_of(name, shape):
    """The sizes of an input's shape, which may be an array."""
    shape = getattr(shape, "shape", shape)
    try:
        sizes = [operator.index(size) for size in shape]
    except TypeError:
        sizes = [-1]
    if not all(0 <= size < 2**63 for size in sizes):
        raise TypeError(
            f"the shape of input {name} is {shape!r}, expected a tuple of sizes, or an "
            "array"
        )
    return sizes


def encode_tree(tree):
    """A pytree's structure as text, None if it has types that a file cannot hold."""
    try:
        return base64.b64encode(tree.serialize_using_proto()).decode()
    except ValueError:
        return None


def decode_tree(text):
    """The inverse of encode_tree."""
    registry = jax.tree_util.default_registry
    return jax.tree_util.PyTreeDef.deserialize_using_proto(
        registry, base64.b64decode(text)
    )
