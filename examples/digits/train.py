"""Trains a network that reads handwritten digits, and saves it for C.

usage: python train.py FOLDER

Writes FOLDER/digits.cyxla, the classifier of one image, and FOLDER/held-out.bin, the
images that it was not trained on: 65 bytes an image, its digit and then its 8 x 8
pixels row by row, from 0 (paper) to 16 (ink).
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
from sklearn.datasets import load_digits

SEED = 0
HELD_OUT = 360  # of 1797 images
HIDDEN = 64
STEPS = 600
BATCH = 128
LEARNING_RATE = 3e-3


def load_images():
    """The images in random order, as uint8 of shape (n, 8, 8), and their digits."""
    data = load_digits()
    order = np.random.default_rng(SEED).permutation(len(data.images))
    return data.images[order].astype(np.uint8), data.target[order].astype(np.uint8)


def initial_weights():
    """The weights of a network with one hidden layer."""
    first, second = jax.random.split(jax.random.key(SEED))
    initializer = jax.nn.initializers.he_normal()
    return {
        "hidden": initializer(first, (64, HIDDEN)),
        "hidden_bias": jnp.zeros(HIDDEN),
        "scores": initializer(second, (HIDDEN, 10)),
        "scores_bias": jnp.zeros(10),
    }


def scores(weights, images):
    """For each image the scores of the digits; softmax makes them probabilities."""
    pixels = images.reshape(-1, 64) / 16.0 - 0.5
    hidden = jax.nn.relu(pixels @ weights["hidden"] + weights["hidden_bias"])
    return hidden @ weights["scores"] + weights["scores_bias"]


def loss(weights, images, digits):
    """The mean cross entropy."""
    log_probabilities = jax.nn.log_softmax(scores(weights, images))
    return -jnp.take_along_axis(log_probabilities, digits[:, None], axis=1).mean()


@jax.jit
def train(weights, images, digits):
    """The weights after STEPS steps of Adam."""

    def update(state, step):
        weights, mean, square = state
        chosen = jax.random.choice(
            jax.random.fold_in(jax.random.key(SEED), step), len(images), (BATCH,)
        )
        gradient = jax.grad(loss)(weights, images[chosen], digits[chosen])
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, gradient)
        rate = LEARNING_RATE * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        weights = jax.tree.map(
            lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), weights, mean, square
        )
        return (weights, mean, square), None

    zeros = jax.tree.map(jnp.zeros_like, weights)
    steps = jnp.arange(1, STEPS + 1)
    (weights, _, _), _ = jax.lax.scan(update, (weights, zeros, zeros), steps)
    return weights


def save_classifier(path, weights):
    """Saves the function that C calls: of one image, its weights being constants."""

    def classify(image):
        image_scores = scores(weights, image)[0]
        return {
            "digit": jnp.argmax(image_scores).astype(jnp.int32),
            "probabilities": jax.nn.softmax(image_scores),
        }

    example = jax.ShapeDtypeStruct((8, 8), jnp.uint8)
    cx.save(path, cx.compile(classify, example))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    images, digits = load_images()
    weights = train(initial_weights(), images[HELD_OUT:], digits[HELD_OUT:])

    save_classifier(folder / "digits.cyxla", weights)
    records = np.column_stack([digits, images.reshape(-1, 64)])[:HELD_OUT]
    (folder / "held-out.bin").write_bytes(records.tobytes())
    print(f"trained on {len(images) - HELD_OUT} images, {HELD_OUT} held out")


if __name__ == "__main__":
    main()
