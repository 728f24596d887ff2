"""Arithmetic in types other than single and double precision."""

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from corpus.record import integers, normal, single


def integer_arithmetic(a, b):
    return (
        a * b + (a >> 1),
        a // jnp.maximum(b, 1),
        a % 7,
        jnp.bitwise_xor(a, b),
    )


def logic(a, b):
    return jnp.logical_and(a > 0, b > 0), jnp.any(a > 1), jnp.where(a > b, a, b)


def complex_arithmetic(a):
    return (jnp.exp(1j * a) * jnp.conj(a + 2j)).sum()


def tanh_and_sum(a, b):
    return jnp.tanh(a) * b + jnp.sum(a)


def product(a, b):
    return a @ b


def product_in_int32(a, b):
    return lax.dot(a, b, preferred_element_type=jnp.int32)


INT8_MATRIX = integers(-9, 9, 16, 16, dtype=np.int8)

PROGRAMS = [
    single("int_ops", integer_arithmetic, integers(0, 100, 20), integers(1, 100, 20)),
    single("bool_ops", logic, normal(20), normal(20)),
    single("complex", complex_arithmetic, normal(10)),
    single("f16", tanh_and_sum, normal(33), normal(33), dtype=np.float16),
    single("bf16", tanh_and_sum, normal(33), normal(33), dtype=ml_dtypes.bfloat16),
    single(
        "bf16_mm", product, normal(16, 16), normal(16, 16), dtype=ml_dtypes.bfloat16
    ),
    single("int8_mm", product_in_int32, INT8_MATRIX, INT8_MATRIX),
]
