"""Trying what a plugin offers, as ``python -m cyxla check`` does."""

import json

import pytest
from cyxla import conformance
from cyxla.arrays import DTYPES
from plugins_for_tests import (
    CPU_PLUGIN,
    MIDDLE_CPU_PLUGIN,
    OLD_CPU_PLUGIN,
    fake_knob,
)
from scripts import output_of, run_python

CHECKS = [
    "library",
    "client and devices",
    *(f"buffers of {name}" for name in DTYPES),
    "scalars and empty arrays",
    "compile and execute",
    "donated inputs",
    "compile errors",
    "serialize",
    "extension FFI",
    "custom calls",
]


@pytest.mark.parametrize(
    ("plugin", "versions"),
    [
        (CPU_PLUGIN, "PJRT API 0.115, StableHLO 1.20.0"),
        (MIDDLE_CPU_PLUGIN, "PJRT API 0.106, StableHLO 1.16.1"),
        (OLD_CPU_PLUGIN, "PJRT API 0.81, StableHLO 1.13.3"),
    ],
)
def test_the_plugins_for_the_cpu_pass_every_check(plugin, versions):
    process = run_python("-m", "cyxla", "check", plugin)
    assert (process.returncode, process.stderr) == (0, "")
    lines = process.stdout.splitlines()
    assert [line[8:33].rstrip() for line in lines] == CHECKS
    # Custom calls too, for which StableHLO had another operation.
    assert {line.split()[0] for line in lines} == {"passed"}
    assert lines[0] == f"passed  library                   {versions}"
    assert lines[1].endswith("  cpu, 1 x cpu, runs without copies")


def test_without_a_path_the_plugin_that_is_used_is_tried():
    process = run_python("-m", "cyxla", "check", "--json")
    assert process.returncode == 0
    rows = json.loads(process.stdout)
    assert [row["check"] for row in rows] == CHECKS
    assert "PJRT API 0.115" in rows[0]["detail"]


def test_the_rows_are_printed_as_json():
    process = run_python("-m", "cyxla", "check", CPU_PLUGIN, "--json")
    rows = json.loads(process.stdout)
    assert [row["check"] for row in rows] == CHECKS
    assert rows[0] == {
        "check": "library",
        "status": "passed",
        "detail": "PJRT API 0.115, StableHLO 1.20.0",
    }


def test_what_is_no_plugin_fails_the_first_check(fake_plugins):
    path = fake_plugins.without_table
    process = run_python("-m", "cyxla", "check", path)
    assert process.returncode == 1
    assert process.stdout == (
        f"failed  library                   the plugin {path} returned no function "
        "table from GetPjrtApi\n"
    )


def test_a_plugin_without_its_platform_fails_the_second(fake_plugins):
    path = fake_plugins.fake
    process = run_python("-m", "cyxla", "check", path, "--platform", "tpu", "--json")
    assert process.returncode == 1
    library, client = json.loads(process.stdout)
    assert (library["status"], client["status"]) == ("passed", "failed")
    assert client["detail"] == (
        f"the plugin {path} implements the platform cpu, expected tpu"
    )


def test_a_plugin_that_compiles_nothing_fails_but_for_what_it_has(fake_plugins):
    process = run_python("-m", "cyxla", "check", fake_plugins.fake, "--json")
    assert process.returncode == 1
    rows = {row["check"]: row for row in json.loads(process.stdout)}
    assert list(rows) == CHECKS
    status = {check: row["status"] for check, row in rows.items()}
    assert [check for check in status if status[check] == "passed"] == [
        "library",
        "client and devices",
        "compile errors",
        "extension FFI",
    ]
    assert status["serialize"] == status["custom calls"] == "absent"
    assert (
        "the plugin cannot compile the program: line 1: cannot understand"
        in (rows["buffers of bool"]["detail"])
    )


def test_what_cyxla_can_do_without_is_absent(fake_plugins):
    """The fake plugin tells no version and has no extensions here."""
    script = """
import ctypes
import sys
fake = ctypes.CDLL(sys.argv[1])
fake.fake_plugin_set(int(sys.argv[2]), ctypes.c_long(1))
fake.fake_plugin_set(int(sys.argv[3]), ctypes.c_long(1))
from cyxla import conformance
rows = list(conformance.check_plugin(sys.argv[1]))
print(rows[0].detail)
print(*rows[-1], sep="; ")
"""
    output = output_of(
        script,
        fake_plugins.fake,
        fake_knob("FAKE_ATTRIBUTES"),
        fake_knob("FAKE_EXTENSIONS"),
    )
    assert output.splitlines() == [
        "PJRT API 0.114, StableHLO unknown",
        "extension FFI; absent; no custom calls, such as LAPACK",
    ]


@pytest.mark.parametrize(
    ("found", "expected", "message"),
    [
        ([1, 2], [1.0, 2.0], "found int64, not float64"),
        ([1.0], [[1.0]], r"found \(1,\), not \(1, 1\)"),
        ([1.0, 2.0], [1.0, 3.0], r"found \[1. 2.\], not \[1. 3.\]"),
        ([0.0], [-0.0], r"found \[0.\], not \[-0.\]"),
    ],
)
def test_arrays_that_differ_are_told(found, expected, message):
    with pytest.raises(conformance.Mismatch, match=message):
        conformance.expect_equal(found, expected)


@pytest.mark.parametrize(
    ("error", "detail"),
    [(conformance.Mismatch("a reason"), "a reason"), (MemoryError(), "MemoryError")],
)
def test_a_check_that_fails_tells_why(error, detail):
    def fail():
        raise error

    assert conformance.attempt("a check", fail) == ("a check", "failed", detail)
