"""Transforms and convolutions."""

import jax.numpy as jnp
from jax import lax

from corpus.record import both, normal


def real_fourier_transform(x):
    return jnp.fft.rfft(x)


def convolution(x, kernel):
    return jnp.convolve(x, kernel, mode="same")


def image_convolution(images, kernels):
    return lax.conv(images, kernels, (1, 1), "SAME")


PROGRAMS = [
    *both("fft", real_fourier_transform, normal(64)),
    *both("conv1d", convolution, normal(64), normal(5)),
    *both("conv2d", image_convolution, normal(1, 3, 16, 16), normal(8, 3, 3, 3)),
]
