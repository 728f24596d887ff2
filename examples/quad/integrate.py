"""Integrates a JAX function with SciPy, called from C and called from Python.

usage: python integrate.py

The function is the integrand of a Fourier transform: the density of a mixture of normal
distributions times cos(k x). Its integral is known, so the results can be checked.
"""

import sys
import time
from statistics import median

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
from integrand import Integrand
from scipy.integrate import quad

FREQUENCIES = np.linspace(0.0, 3.0, 13)
ROUNDS = 30
# Of results that differ in the order of rounding only; quad itself asks for 1.5e-8.
TOLERANCE = 1e-14

WEIGHTS = np.array([0.3, 0.1, 0.25, 0.15, 0.2])
MEANS = np.array([-2.0, -0.5, 0.0, 1.0, 2.5])
WIDTHS = np.array([0.7, 0.4, 1.1, 0.5, 0.9])


def transform(arguments):
    """The integrand at ``[x, k]``: the variable of integration and the frequency."""
    x, k = arguments
    densities = jnp.exp(-0.5 * ((x - MEANS) / WIDTHS) ** 2) / WIDTHS
    return jnp.sum(WEIGHTS * densities) / jnp.sqrt(2 * jnp.pi) * jnp.cos(k * x)


def exact_transform(k):
    """The integral of ``transform`` over all x."""
    return np.sum(WEIGHTS * np.cos(k * MEANS) * np.exp(-0.5 * (k * WIDTHS) ** 2))


def integrate(function):
    """The integral for each frequency, and how often the function was called."""
    integrals = []
    evaluations = 0
    for k in FREQUENCIES:
        integral, _, details = quad(
            function, -np.inf, np.inf, args=(k,), full_output=True
        )[:3]
        integrals.append(integral)
        evaluations += details["neval"]
    return np.array(integrals), evaluations


def measure(function, check):
    """Integrates repeatedly. Returns the results and the median time of a round."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        integrals, evaluations = integrate(function)
        seconds.append(time.perf_counter() - start)
        check()
    return integrals, evaluations, median(seconds)


def print_time(name, seconds, evaluations):
    print(
        f"{name:28}{1e3 * seconds:10.2f} ms{1e6 * seconds / evaluations:10.2f} "
        "microseconds a call of the integrand"
    )


def main():
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    compiled = Integrand(cx.compile(transform, jax.ShapeDtypeStruct((2,), float)))
    from_c, evaluations, c_seconds = measure(compiled.callable, compiled.check)

    jitted = jax.jit(transform)
    from_python, python_evaluations, python_seconds = measure(
        lambda x, k: float(jitted(np.array([x, k]))), lambda: None
    )
    difference = np.max(np.abs(from_c - from_python))
    error = np.max(np.abs(from_c - [exact_transform(k) for k in FREQUENCIES]))

    print(f"{len(FREQUENCIES)} integrals, {evaluations} calls of the integrand")
    print_time("cyxla, called from C", c_seconds, evaluations)
    print_time("jax.jit, called from Python", python_seconds, python_evaluations)
    print(f"{python_seconds / c_seconds:.1f} times as fast")
    print(f"largest difference between the two  {difference:.1e}")
    print(f"largest difference from the truth   {error:.1e}")
    if evaluations != python_evaluations or difference > TOLERANCE:
        sys.exit(f"the results differ by more than {TOLERANCE}")


if __name__ == "__main__":
    main()
