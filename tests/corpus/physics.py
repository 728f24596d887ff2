"""Steps of simulations and filters."""

import jax
import jax.numpy as jnp
from jax import lax

from corpus.record import both, identity, normal, number, single


def lorenz(y):
    return jnp.stack(
        [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]
    )


def runge_kutta_step(y, h):
    k1 = lorenz(y)
    k2 = lorenz(y + h / 2 * k1)
    k3 = lorenz(y + h / 2 * k2)
    k4 = lorenz(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def runge_kutta_100_steps(y, h):
    return lax.fori_loop(0, 100, lambda i, y: runge_kutta_step(y, h), y)


def kalman_step(x, p, z, f, h, q, r):
    """One step of a Kalman filter with four states and two measurements."""
    x = f @ x
    p = f @ p @ f.T + q
    s = h @ p @ h.T + r
    determinant = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
    inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / determinant
    gain = p @ h.T @ inverse
    return x + gain @ (z - h @ x), (jnp.eye(4, dtype=p.dtype) - gain @ h) @ p


def lennard_jones_energy(positions):
    count = len(positions)
    squares = jnp.sum((positions[:, None] - positions[None]) ** 2, -1)
    squares += jnp.eye(count, dtype=positions.dtype)
    pairs = 4 * (squares**-6 - squares**-3)
    return jnp.sum(jnp.where(jnp.eye(count, dtype=bool), 0.0, pairs)) / 2


def lennard_jones_forces(positions):
    return jax.value_and_grad(lennard_jones_energy)(positions)


def gaussian_process(query, points, coefficients):
    squares = jnp.sum((query[None] - points) ** 2, -1)
    return jnp.exp(-0.5 * squares) @ coefficients


PROGRAMS = [
    *both("rk4", runge_kutta_step, normal(3), number(0.01)),
    *both("rk4_100", runge_kutta_100_steps, normal(3), number(0.01)),
    *both(
        "kalman",
        kalman_step,
        normal(4),
        identity(4),
        normal(2),
        normal(4, 4),
        normal(2, 4),
        identity(4),
        identity(2),
    ),
    *both("lj_force", lennard_jones_forces, normal(8, 3, scale=3)),
    single("gp_predict", gaussian_process, normal(3), normal(100, 3), normal(100)),
]
