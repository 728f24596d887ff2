"""examples/handler: a native handler, used from JAX and from C without Python."""

import sys
import textwrap

import pytest
from example_projects import copy_example, make, run


@pytest.fixture(scope="module")
def handler(prefix, tmp_path_factory):
    """A copy of examples/handler with what its run printed."""
    folder = copy_example("handler", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix)


def test_the_handler_gives_the_same_in_jax_and_in_c(handler):
    _, result = handler
    slopes = [
        line.split()[-1] for line in result.stdout.splitlines() if "slope" in line
    ]
    assert len(slopes) == 2
    assert slopes[0] == slopes[1]


def test_the_program_needs_no_python(handler):
    folder, _ = handler
    needed = run("ldd", "build/trend", folder=folder).stdout
    assert "libcyxla" in needed
    assert "not found" not in needed
    assert "python" not in needed


def test_without_the_handler_the_target_is_named(handler):
    folder, _ = handler
    source = """
        import cyxla as cx
        try:
            cx.load("build/trend.cyxla")
        except cx.Error as error:
            print(error)
    """
    result = run(sys.executable, "-c", textwrap.dedent(source), folder=folder)
    assert "No FFI handler registered for smooth" in result.stdout
