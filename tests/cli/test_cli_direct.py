"""Files of direct code, which the C library opens without a plugin."""

import json
import re

import cyxla as cx
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from corpus import PROGRAMS
from plugins_for_tests import CPU_PLUGIN

NOWHERE = "/nowhere/plugin.so"
VECTOR = np.array([1.0, 2.0, 3.0], np.float32)


def results(cyxla, path, folder, **environment):
    """The outputs for random inputs, by the names of their files."""
    process = cyxla("run", path, "--random", 7, "-o", folder, **environment)
    assert (process.returncode, process.stderr) == (0, "")
    return {file.name: np.load(file) for file in sorted(folder.iterdir())}


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_results_without_a_plugin_are_the_same_bit_for_bit(cyxla, program, tmp_path):
    path = tmp_path / "file.cyxla"
    executable = cx.compile(program.function, *program.arguments)
    cx.save(path, executable)
    if executable.tier == "pjrt":
        process = cyxla("run", path, "--zeros", CYXLA_PLUGIN=NOWHERE)
        assert process.returncode == 1
        assert NOWHERE in process.stderr
        assert "without a plugin it cannot run: " in process.stderr
        return
    found = results(cyxla, path, tmp_path / "found", CYXLA_PLUGIN=NOWHERE)
    expected = results(
        cyxla, path, tmp_path / "expected", CYXLA_PLUGIN=CPU_PLUGIN, CYXLA_TIER="pjrt"
    )
    assert len(found) == len(executable.outputs)
    assert found.keys() == expected.keys()
    for name, array in found.items():
        assert_same_bits(array, expected[name])


def test_a_command_tells_what_needs_no_plugin(cyxla, tmp_path):
    path = tmp_path / "sine.cyxla"
    cx.save(path, cx.compile(lambda x: 2 * jnp.sin(x), VECTOR))
    assert ", needs no plugin\n" in cyxla("info", path).stdout
    told = json.loads(cyxla("info", path, "--json").stdout)
    assert [found["is_direct"] for found in told["executables"]] == [True]
    process = cyxla("bench", path, "--seconds", 0.1, "--json", CYXLA_PLUGIN=NOWHERE)
    told = json.loads(process.stdout)
    assert (told["tier"], told["is_deserialized"]) == ("direct", True)
    # Many short runs are timed together.
    assert told["runs_per_time"] == 100
    assert told["runs"] % 100 == 0
    printed = cyxla("bench", path, "--seconds", 0.1, CYXLA_PLUGIN=NOWHERE).stdout
    assert re.search(r"\n  timed together   100 runs\n  minimum +\d+\.\d ns\n", printed)


def test_compiling_a_file_asks_for_the_plugin(cyxla, tmp_path):
    path = tmp_path / "sine.cyxla"
    cx.save(path, cx.compile(lambda x: 2 * jnp.sin(x), VECTOR))
    process = cyxla("compile", path, CYXLA_PLUGIN=NOWHERE)
    assert process.returncode == 1
    assert NOWHERE in process.stderr
    process = cyxla("compile", path, CYXLA_PLUGIN=CPU_PLUGIN)
    assert "has been compiled before, by this plugin" in process.stdout


def test_a_file_that_only_holds_a_program_gets_direct_code(cyxla, tmp_path):
    path = tmp_path / "sine.cyxla"
    cx.save(path, cx.lower(lambda x: 2 * jnp.sin(x), [VECTOR]))
    assert cyxla("run", path, "--zeros", CYXLA_PLUGIN=NOWHERE).returncode == 1
    assert cyxla("compile", path, CYXLA_PLUGIN=CPU_PLUGIN).returncode == 0
    assert cyxla("run", path, "--zeros", CYXLA_PLUGIN=NOWHERE).returncode == 0
