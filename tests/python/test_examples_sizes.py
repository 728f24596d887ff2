"""examples/sizes: a C program goes from size to size of a function in one file."""

import re

import pytest
from example_projects import copy_example, make, run


@pytest.fixture(scope="module")
def sizes(prefix, tmp_path_factory):
    """A copy of examples/sizes with what its run printed."""
    folder = copy_example("sizes", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix)


def test_the_result_of_each_size_is_that_of_the_differential_equation(sizes):
    _, result = sizes
    found = re.findall(
        r"^(\d+) x +\d+ points: +\d+ runs, (\S+) in the middle$",
        result.stdout,
        re.MULTILINE,
    )
    assert [int(n) for n, _ in found] == [15, 31, 63]
    # The series for the square: 0.0736713 in the middle. A grid of 15 points each way
    # is off by 2e-4; what a sweep changes is let go at 1e-7.
    for _, height in found:
        assert float(height) == pytest.approx(-0.0736713, abs=3e-4)


def test_the_file_lists_all_sizes(sizes, prefix):
    folder, _ = sizes
    described = run(f"{prefix}/bin/cyxla", "info", "build/relax.cyxla", folder=folder)
    for n in [15, 31, 63]:
        assert f"float64[{n},{n}]" in described.stdout


def test_a_size_that_is_missing_ends_the_program_with_those_there_are(sizes, prefix):
    folder, _ = sizes
    script = folder / "make_sizes.py"
    script.write_text(script.read_text().replace("[15, 31, 63]", "[15, 30]"))
    result = make(folder, prefix)
    assert result.returncode != 0
    assert (
        "refine: SIZE_NOT_FOUND: the program has no size for height[31,31]; pad the "
        "arrays to one that it has, or save it for this one too; it has: "
        "height[15,15]; height[30,30]\n"
    ) in result.stderr
