"""The benchmark, run with hardly any measurements so that it cannot rot."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
FUNCTIONS = ["sine", "rosenbrock", "mlp"]
OURS = ["bare PJRT loop", "cyxla_call_run", "cyxla execute", "cyxla Executable.run"]
ALTERNATIVES = {  # and the package that each needs
    "np.asarray(jax.jit(f)(x))": None,
    "the same, AOT compiled": None,
    "pypjrt, from and to NumPy": None,
    "CasADi's generated C": "casadi",
    "ONNX Runtime run": "onnx",
    "ONNX Runtime iobinding": "onnx",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """What the benchmark printed and the results that it wrote."""
    prefix = os.environ.get("CYXLA_TEST_PREFIX")
    if not prefix:
        pytest.fail("CYXLA_TEST_PREFIX is not set, expected where the C library is")
    output = tmp_path_factory.mktemp("bench")
    process = subprocess.run(
        [
            *[sys.executable, BENCH / "run.py", "--quick"],
            *["--prefix", prefix, "--output", output],
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout, json.loads((output / "results.json").read_text())


def test_all_of_cyxla_is_measured_on_all_functions(bench):
    _, results = bench
    assert list(results["nanoseconds"]) == FUNCTIONS
    for times in results["nanoseconds"].values():
        for name in OURS:
            assert len(times[name]) == results["effort"]["rounds"]
            assert all(time > 0 for time in times[name])


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_an_alternative_is_measured_or_the_table_says_what_is_missing(bench, name):
    printed, results = bench
    lines = [line for line in printed.splitlines() if line.strip().startswith(name)]
    assert len(lines) >= len(FUNCTIONS)
    for function, line in zip(FUNCTIONS, lines, strict=False):
        if name in results["nanoseconds"][function]:
            assert "µs" in line
        else:
            assert ALTERNATIVES[name] is not None
            assert line.endswith(f"{ALTERNATIVES[name]} is not installed")


def test_all_targets_are_judged(bench):
    printed, results = bench
    titles = [target["title"] for target in results["targets"]]
    for function in FUNCTIONS:
        assert f"cyxla_call_run ÷ bare PJRT loop, {function}" in titles
        assert f"cyxla execute ÷ bare PJRT loop, {function}" in titles
        jit = "np.asarray(jax.jit(f)(x))"
        assert f"cyxla Executable.run ÷ {jit}, {function}" in titles
        start = "start to first result in C, deserialized ÷ compiled"
        assert f"{start}, {function}" in titles
    assert any(title.startswith("two threads ÷ one") for title in titles)
    assert any(title.startswith("cache hit ÷ compile") for title in titles)
    assert sum(title.startswith("memory after") for title in titles) == 3
    assert any(title.startswith("size of libcyxla.so, stripped") for title in titles)
    for target in results["targets"]:
        (line,) = [line for line in printed.splitlines() if target["title"] in line]
        assert line.endswith(" met" if target["is_met"] else " NOT MET")


@pytest.mark.parametrize("kind", ["loaded", "compiled"])
def test_starts_and_the_opening_of_files_are_told_for_both_kinds(kind, bench):
    printed, results = bench
    units = {
        **{f"start to first result in C, {name}, {kind}": "ms" for name in FUNCTIONS},
        f"cyxla_open, mlp, a file of 2, {kind}": "ms",
        f"memory, mlp, a file of 2, {kind}": "KiB",
    }
    found = {quantity["title"]: quantity for quantity in results["quantities"]}
    for title, unit in units.items():
        assert found[title]["unit"] == unit
        (line,) = [line for line in printed.splitlines() if f"  {title} " in line]
        assert line.endswith(f" {unit}")
        # The memory of two files may lie in pages that are there already.
        assert found[title]["minimum"] > 0 or unit == "KiB"
    assert len(results["quantities"]) == 2 * len(units) + 1


def test_the_machine_and_the_versions_are_named(bench):
    printed, results = bench
    machine = results["machine"]
    assert machine["cpu"] in printed
    assert f"{machine['cores']} cores" in printed
    assert f"jax {machine['packages']['jax']}" in printed
    assert machine["pjrt_api"] == "0.115"
