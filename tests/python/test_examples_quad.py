"""examples/quad, built and run as a user does, and what its integrand refuses."""

import re

import pytest
from example_projects import copy_example, make, script_runner

BEGIN = """
import os
import warnings

import jax

jax.config.update("jax_enable_x64", True)
warnings.simplefilter("ignore")  # of SciPy about NaN, of JAX about forks

import cyxla as cx
import jax.numpy as jnp
import numpy as np
from integrand import Integrand
from scipy.integrate import quad

decay = cx.compile(lambda a: jnp.exp(-a[0]), np.zeros(1))
"""


@pytest.fixture(scope="module")
def quad(prefix, tmp_path_factory):
    """A copy of examples/quad with what its run printed."""
    folder = copy_example("quad", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix)


@pytest.fixture(scope="module")
def output_of(quad):
    """What a script prints that uses the integrand of examples/quad."""
    folder, first = quad
    assert first.returncode == 0, first.stderr
    return script_runner(folder, folder / "build", BEGIN)


def test_quad_equals_the_python_callback_and_the_truth(quad):
    _, result = quad
    assert result.returncode == 0, result.stderr
    between = re.search(r"difference between the two +(\S+)", result.stdout)
    from_truth = re.search(r"difference from the truth +(\S+)", result.stdout)
    assert float(between[1]) <= 1e-14
    assert float(from_truth[1]) <= 1e-12


def test_quad_prints_the_times_side_by_side(quad):
    _, result = quad
    for name in ["cyxla, called from C", "jax.jit, called from Python"]:
        assert re.search(rf"^{name} +[\d.]+ ms +[\d.]+ microsec", result.stdout, re.M)
    assert re.search(r"^[\d.]+ times as fast$", result.stdout, re.MULTILINE)


def test_quad_says_what_it_is_missing(prefix, tmp_path):
    folder = copy_example("quad", tmp_path)
    result = make(folder, prefix, "PYTHON=false")
    assert result.returncode != 0
    assert "PYTHON is false, expected a Python that has cyxla and" in result.stderr


def test_the_callable_keeps_what_it_needs(output_of):
    output = output_of("""
        import gc
        import sys

        references = sys.getrefcount(decay)
        function = Integrand(decay).callable
        gc.collect()
        print(sys.getrefcount(decay) - references)
        print(round(quad(function, 0, 1)[0], 12))
        del function
        print(sys.getrefcount(decay) - references)
    """)
    assert output.split() == ["1", "0.632120558829", "0"]


def test_an_execution_that_fails_gives_nan_and_its_error_later(output_of):
    output = output_of("""
        decay = cx.compile(lambda a: jnp.exp(-a[0]), np.zeros(1), tier="pjrt")
        integrand = Integrand(decay)
        if os.fork() == 0:
            print(quad(integrand.callable, 0, 1)[0])
            try:
                integrand.check()
            except cx.Error as error:
                print(error.status, error, flush=True)
            integrand.check()
            os._exit(0)
        os.wait()
    """)
    assert output.startswith("nan\nFORKED the process was forked after the plugin")


def test_a_wrong_number_of_arguments_gives_nan_and_an_error(output_of):
    output = output_of("""
        integrand = Integrand(decay)
        print(quad(integrand.callable, 0, 1, args=(2.0,))[0])
        try:
            integrand.check()
        except TypeError as error:
            print(error)
        print(round(quad(integrand.callable, 0, 1)[0], 12))
        integrand.check()
    """)
    assert output.splitlines() == [
        "nan",
        "the integrand was called with 2 arguments, expected 1",
        "0.632120558829",
    ]


def test_functions_with_another_signature_are_refused(output_of):
    output = output_of("""
        for function, argument in [
            (lambda a: a, np.zeros(1)),
            (lambda a: (a[0], a[0]), np.zeros(1)),
            (lambda a: a[0].astype("f4"), np.zeros(1)),
            (lambda a: a, np.float64(0)),
            (lambda a: a[0].astype("f8"), np.zeros(2, "f4")),
        ]:
            try:
                Integrand(cx.compile(function, argument))
            except TypeError as error:
                print(error)
    """)
    for line, expected in zip(
        output.splitlines(),
        [
            "shape=\\(1,\\).*expected one float64 number",
            "'result.1'.*expected one float64 number",
            "dtype\\('float32'\\).*expected one float64 number",
            "the inputs are .*shape=\\(\\).*expected one array of numbers",
            "input a is float64\\[2\\], expected float32\\[2\\]",
        ],
        strict=True,
    ):
        assert re.search(expected, line)
