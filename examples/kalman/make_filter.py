"""Saves one step of a Kalman filter, written in JAX, as filter.cyxla.

usage: python make_filter.py FOLDER

The target moves in a plane with a nearly constant velocity, and its position is
measured. Prints what the filter gives for two measurements, to compare with C.
"""

import sys
from pathlib import Path

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np

TIME_STEP = 0.1
ACCELERATION = 0.5  # standard deviation of the accelerations that it does not know of
POSITION_ERROR = 0.5  # standard deviation of a measured coordinate

MOTION = np.kron([[1.0, TIME_STEP], [0.0, 1.0]], np.eye(2))
IMPULSE = np.kron([[TIME_STEP**2 / 2], [TIME_STEP]], np.eye(2))
MOTION_NOISE = ACCELERATION**2 * IMPULSE @ IMPULSE.T
MEASUREMENT = np.eye(2, 4)
MEASUREMENT_NOISE = POSITION_ERROR**2 * np.eye(2)


def step(state, covariance, measured):
    """The state (position and velocity) and its covariance after a measurement, and
    the logarithm of the measurement's likelihood."""
    state = MOTION @ state
    covariance = MOTION @ covariance @ MOTION.T + MOTION_NOISE
    surprise = measured - MEASUREMENT @ state
    spread = MEASUREMENT @ covariance @ MEASUREMENT.T + MEASUREMENT_NOISE
    factor = jax.scipy.linalg.cho_factor(spread)
    gain = jax.scipy.linalg.cho_solve(factor, MEASUREMENT @ covariance).T
    likelihood = -0.5 * surprise @ jax.scipy.linalg.cho_solve(factor, surprise)
    likelihood -= 0.5 * jnp.linalg.slogdet(2 * jnp.pi * spread)[1]
    return {
        "state": state + gain @ surprise,
        "covariance": (jnp.eye(4) - gain @ MEASUREMENT) @ covariance,
        "log_likelihood": likelihood,
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)
    state, covariance = jnp.zeros(4), 10 * jnp.eye(4)
    cx.save(
        Path(sys.argv[1]) / "filter.cyxla",
        cx.lower(step, [state, covariance, state[:2]]),
    )
    total = 0.0
    for measured in ([1.0, 2.0], [1.5, 2.5]):
        result = jax.jit(step)(state, covariance, jnp.asarray(measured))
        state, covariance = result["state"], result["covariance"]
        total += result["log_likelihood"]
    print(f"two steps in JAX  {total:.9f}")


if __name__ == "__main__":
    main()
