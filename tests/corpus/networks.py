"""Neural networks: inference, training and derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from corpus.record import both, normal, single

WEIGHT_SHAPES = [(16, 64), (64, 64), (64, 1)]
WEIGHTS = [normal(*shape, scale=0.3) for shape in WEIGHT_SHAPES]
CONSTANT_WEIGHTS = [
    0.3 * np.random.default_rng(seed).standard_normal(shape)
    for seed, shape in enumerate(WEIGHT_SHAPES)
]

HEADS = 4
HEAD_SIZE = 8
SEQUENCE_LENGTH = 16
MODEL_SIZE = HEADS * HEAD_SIZE

LSTM_SIZE = 8


def perceptron(x, w1, w2, w3):
    hidden = jnp.tanh(x @ w1)
    hidden = jnp.tanh(hidden @ w2)
    return hidden @ w3


def energy_and_forces(x):
    """The network with weights that are constants, and its gradient."""
    weights = [weight.astype(x.dtype) for weight in CONSTANT_WEIGHTS]
    return jax.value_and_grad(lambda x: perceptron(x, *weights)[0, 0])(x)


def training_step(x, y, *weights):
    def loss(weights):
        return jnp.mean((perceptron(x, *weights) - y) ** 2)

    return jax.tree.map(
        lambda weight, gradient: weight - 0.01 * gradient,
        weights,
        jax.grad(loss)(weights),
    )


def attention(x, wq, wk, wv, wo):
    def heads(w):
        return (x @ w).reshape(SEQUENCE_LENGTH, HEADS, HEAD_SIZE).transpose(1, 0, 2)

    scores = jnp.einsum("hqd,hkd->hqk", heads(wq), heads(wk)) / HEAD_SIZE**0.5
    mixed = jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores), heads(wv))
    return mixed.transpose(1, 0, 2).reshape(SEQUENCE_LENGTH, MODEL_SIZE) @ wo


def lstm(inputs, hidden, cell, weights):
    def step(state, x):
        hidden, cell = state
        gates = jnp.concatenate([x, hidden]) @ weights
        forget, candidate, take, show = jnp.split(gates, 4)
        cell = cell * jax.nn.sigmoid(forget) + jnp.tanh(candidate) * jax.nn.sigmoid(
            take
        )
        return (jnp.tanh(cell) * jax.nn.sigmoid(show), cell), gates[0]

    return lax.scan(step, (hidden, cell), inputs)


PROGRAMS = [
    *both("mlp", perceptron, normal(1, 16), *WEIGHTS),
    *both("mlpb32", perceptron, normal(32, 16), *WEIGHTS),
    *both("mlpc_vg", energy_and_forces, normal(1, 16)),
    *both("mlp_train", training_step, normal(32, 16), normal(32, 1), *WEIGHTS),
    *both(
        "attn",
        attention,
        normal(SEQUENCE_LENGTH, MODEL_SIZE),
        *[normal(MODEL_SIZE, MODEL_SIZE)] * 4,
    ),
    single(
        "lstm_scan",
        lstm,
        normal(10, 4),
        normal(LSTM_SIZE),
        normal(LSTM_SIZE),
        normal(4 + LSTM_SIZE, 4 * LSTM_SIZE),
    ),
]
