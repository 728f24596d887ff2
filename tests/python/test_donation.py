"""Which output takes over the memory of a donated input."""

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_equal_to_jax
from cyxla import donation

X = np.ones(3, np.float32)


def aliases(program):
    """For each input the name of the output that takes over its memory."""
    names = [spec.name for spec in program.outputs]
    return {
        spec.name: names[spec.aliased_output] if spec.aliased_output >= 0 else None
        for spec in program.inputs
    }


def test_outputs_go_to_the_inputs_of_their_name():
    def step(velocity, position):
        return {"velocity": velocity - position, "position": position + velocity}

    program = cx.lower(step, [X, X], donate_argnums=(0, 1))
    assert aliases(program) == {"velocity": "velocity", "position": "position"}


def test_a_state_that_is_returned_takes_over_its_own_memory():
    def step(dt, state):
        return {"b": state["b"] * dt, "a": state["a"] + dt, "n": state["n"] + 1}

    state = {"b": X, "a": X, "n": np.int32(1)}
    program = cx.lower(step, [np.float32(2), state], donate_argnums=1)
    assert aliases(program) == {
        "dt": None,
        "state.a": "a",
        "state.b": "b",
        "state.n": "n",
    }


def test_exchanged_aliases_give_what_jit_gives():
    def step(velocity, position, rest):
        return {"velocity": velocity - position, "position": position + velocity}, rest

    program = cx.lower(step, [X, X * 2, X * 3], donate_argnums=(0, 1))
    executable, _ = cx.compile_program(program)
    found = executable(X, X * 2, X * 3)
    assert_equal_to_jax(found, jax.jit(step)(X, X * 2, X * 3))


def test_without_names_arrays_are_paired_in_their_order():
    program = cx.lower(lambda x, y: (y + 1, x + 1), [X, X], donate_argnums=(0, 1))
    assert aliases(program) == {"x": "result.0", "y": "result.1"}


def test_arrays_of_another_shape_keep_their_partner():
    inputs = [
        cx.ArraySpec("x", (3,), np.dtype("float32")),
        cx.ArraySpec("y", (2,), np.dtype("float32")),
    ]
    outputs = [inputs[1], inputs[0]]
    assert donation.paired_by_name(inputs, outputs, [0, 1]) == [0, 1]


@pytest.mark.filterwarnings("ignore:Some donated buffers")
def test_a_donated_input_that_nothing_can_use_has_no_output():
    program = cx.lower(lambda x: jnp.sum(x), [X], donate_argnums=0)
    assert aliases(program) == {"x": None}


def test_an_exchange_leaves_other_arguments_as_they_are():
    program = cx.lower(
        lambda b, scale, a: {"b": b * scale, "a": a * scale},
        [X, np.float32(2), X],
        donate_argnums=(0, 2),
    )
    assert aliases(program) == {"b": "b", "scale": None, "a": "a"}
    found = cx.compile_program(program)[0](X + 1, 3, X + 2)
    assert_equal_to_jax(found, {"a": (X + 2) * 3, "b": (X + 1) * 3})


@pytest.mark.filterwarnings("ignore:Some donated buffers")
def test_a_donated_input_of_another_shape_than_any_output_is_called_directly():
    """Its memory is as large as that of the output, which XLA would put there."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    program = cx.lower(lambda x: 2 * x.reshape(-1), [x], donate_argnums=0)
    assert aliases(program) == {"x": None}
    for tier in ["direct", "pjrt"]:
        executable, _ = cx.compile_program(program, tier=tier)
        for _ in range(2):
            np.testing.assert_array_equal(executable(x), 2 * x.reshape(-1))
