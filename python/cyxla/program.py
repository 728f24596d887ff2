"""Programs: lowered functions with the pytrees of their arguments and results."""

import base64
import json

import jax

from cyxla import _runtime


class Program(_runtime.Program):
    """A lowered function: StableHLO, its signature and its pytrees. Immutable.

    ``inputs`` and ``outputs`` are lists of :class:`ArraySpec`, one for each leaf.
    """

    # The pytrees as live objects where the program was lowered in this process. They
    # may hold types that a file cannot.
    _trees = None

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
        """The same program with more details."""
        return self.with_compile_options(self.compile_options, details)

    def with_compile_options(self, compile_options, details):
        """The same program with other compile options."""
        program = type(self).from_parts(
            platform=self.platform,
            code=self.code,
            compile_options=compile_options,
            inputs=self.inputs,
            outputs=self.outputs,
            metadata=json.dumps({**self.details, **details}),
        )
        program._trees = self._trees
        program._callbacks = self._callbacks
        return program


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
