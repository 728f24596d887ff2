"""Inputs and outputs are called after the paths in the function's pytrees."""

import collections
import dataclasses
from typing import NamedTuple

import cyxla as cx
import jax
import numpy as np
import pytest
from cyxla.lowering import numbered


class Particle(NamedTuple):
    position: object
    velocity: object


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Box:
    size: object
    particles: list


@jax.tree_util.register_pytree_node_class
class Pair:
    """A node that does not tell the names of its children."""

    def __init__(self, first, second):
        self.children = first, second

    def tree_flatten(self):
        return self.children, None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


def input_names(*arguments, **keywords):
    def function(state, *rest, **options):
        return None

    return [spec.name for spec in cx.lower(function, arguments, keywords).inputs]


def output_names(result):
    return [spec.name for spec in cx.lower(lambda: result).outputs]


@pytest.mark.parametrize(
    ("state", "names"),
    [
        (1, ["state"]),
        ([1, (2, 3)], ["state.0", "state.1.0", "state.1.1"]),
        ({"v": [1], "x": 2}, ["state.v.0", "state.x"]),
        ({"two words": 1, "größe": 2}, ["state.größe", "state.two words"]),
        ({1: 1, 20: 2}, ["state.1", "state.20"]),
        (Particle(1, {"x": 2}), ["state.position", "state.velocity.x"]),
        (Box(1, [Particle(2, [])]), ["state.size", "state.particles.0.position"]),
        ((None, 1), ["state.1"]),
        ([], []),
    ],
)
def test_inputs_are_called_after_arguments(state, names):
    assert input_names(state) == names


def test_further_arguments_are_called_after_the_parameters_that_collect_them():
    assert input_names(1, 2, [3], scale=4) == [
        "state",
        "rest.0",
        "rest.1.0",
        "options.scale",
    ]


@pytest.mark.parametrize(
    ("result", "names"),
    [
        (1, ["result"]),
        ((1, 2), ["result.0", "result.1"]),
        ({"energy": 1, "forces": [2, 3]}, ["energy", "forces.0", "forces.1"]),
        (Particle(1, 2), ["position", "velocity"]),
        ([{"energy": 1}], ["result.0.energy"]),
        ({"0": 1}, ["result.0"]),
        ({"result": 1}, ["result"]),
        ((None, 1), ["result.1"]),
    ],
)
def test_outputs_are_called_after_the_result(result, names):
    assert output_names(result) == names


def test_an_argument_called_result_keeps_its_name():
    program = cx.lower(lambda result, energy: energy, [{"energy": 1}, 2])
    assert [spec.name for spec in program.inputs] == ["result.energy", "energy"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("a.b", "state['a.b']"),
        ("a[0]", "state['a[0]']"),
        ("a['b']", "state[\"a['b']\"]"),
        ("both ' and \"", "state['both \\' and \"']"),
        ("it's", 'state["it\'s"]'),
        ("", "state['']"),
        ("line\nbreak", "state.line\\nbreak"),
        ("zero\0byte", "state.zero\\x00byte"),
        ((1, 2), "state[(1, 2)]"),
        (-1, "state[-1]"),
    ],
)
def test_peculiar_keys_stay_as_jax_writes_them(key, name):
    assert input_names({key: 1}) == [name]


def test_names_that_would_be_equal_stay_as_jax_writes_them():
    state = collections.OrderedDict([(1, 1), ("1", 2), (2, 3)])
    assert input_names(state) == ["state[1]", "state['1']", "state.2"]


def test_children_without_names_are_numbered():
    assert input_names(Pair(1, [2])) == [
        "state.0",
        "state.1.0",
    ]


def test_keys_that_are_written_alike_are_numbered():
    class Key:
        def __repr__(self):
            return "key"

    state = collections.OrderedDict([(Key(), 1), (Key(), 2), (Key(), 3)])
    assert input_names(state) == ["state[key]", "state[key]#2", "state[key]#3"]


def test_a_number_is_no_name_of_another():
    assert numbered(["a", "a", "a#2"]) == ["a", "a#3", "a#2"]


def test_names_reach_the_file(tmp_path):
    program = cx.lower(lambda größe: {"länge": größe}, [np.float32(1)])
    cx.save(tmp_path / "program.cyxla", program)
    loaded = cx.Program.load(tmp_path / "program.cyxla")
    assert [spec.name for spec in loaded.inputs] == ["größe"]
    assert [spec.name for spec in loaded.outputs] == ["länge"]
