"""The plugin of the process: which one is loaded, when, and what is said if none is."""

import json

import cyxla as cx
import pytest
from cyxla import runtime
from plugins_for_tests import (
    CPU_PLUGIN,
    OLD_CPU_PLUGIN,
    fake_knob,
)
from scripts import output_of

# The beginning of a script: tell() says which plugin is loaded, use() also runs a
# program.
USE = """
import sys
import numpy as np
import cyxla as cx

def tell():
    print(cx.runtime_info().plugin)

def use():
    executable = cx.compile(lambda x: x * 2, np.ones(2, np.float32))
    assert executable(np.ones(2)).tolist() == [2, 2]
    tell()
"""


def test_the_first_use_loads_the_preferred_plugin():
    assert output_of(USE + "use()") == f"{CPU_PLUGIN}\n"


def test_a_path_chooses_the_plugin():
    script = "print(cx.initialize(sys.argv[1]).pjrt_api_version); tell()"
    assert output_of(USE + script, OLD_CPU_PLUGIN) == f"(0, 81)\n{OLD_CPU_PLUGIN}\n"


def test_a_path_object_and_a_platform_choose_the_plugin():
    script = """
from pathlib import Path
cx.initialize(Path(sys.argv[1]), platform="cpu")
tell()
"""
    assert output_of(USE + script, OLD_CPU_PLUGIN) == f"{OLD_CPU_PLUGIN}\n"


def test_a_platform_chooses_the_plugin():
    script = 'print(cx.initialize(platform="cpu").platform); use()'
    assert output_of(USE + script) == f"cpu\n{CPU_PLUGIN}\n"


def test_the_environment_chooses_the_plugin():
    output = output_of(USE + "tell()", CYXLA_PLUGIN=str(OLD_CPU_PLUGIN))
    assert output == f"{OLD_CPU_PLUGIN}\n"


def test_a_path_stands_before_the_environment():
    script = "cx.initialize(sys.argv[1]); use()"
    output = output_of(USE + script, CPU_PLUGIN, CYXLA_PLUGIN="/missing.so")
    assert output == f"{CPU_PLUGIN}\n"


def test_an_environment_that_is_wrong_is_an_error():
    script = """
try:
    use()
except cx.Error as error:
    print(error.status, error)
"""
    expected = (
        "PLUGIN_UNLOADABLE the plugin /missing.so cannot be read: "
        "No such file or directory\n"
    )
    assert output_of(USE + script, CYXLA_PLUGIN="/missing.so") == expected
    script = script.replace("use()", 'cx.initialize(platform="cpu")')
    assert output_of(USE + script, CYXLA_PLUGIN="/missing.so") == expected


def test_a_later_choice_returns_what_is_loaded():
    script = """
first = cx.initialize()
assert cx.initialize(sys.argv[1], platform="cuda", options={"a": 1}) == first
assert cx.initialize("/missing.so") == first
assert cx.runtime_info() == first
use()
"""
    assert output_of(USE + script, OLD_CPU_PLUGIN) == f"{CPU_PLUGIN}\n"


def test_the_details_are_told():
    info = cx.runtime_info()
    assert info == cx.RuntimeInfo(
        platform="cpu",
        platform_version="cpu",
        plugin=str(CPU_PLUGIN),
        pjrt_api_version=(0, 115),
        stablehlo_version=(1, 20, 0),
        devices=("cpu",),
        zero_copy=True,
    )


def test_failures_are_told_and_may_be_repeated(fake_plugins):
    """What fails leaves nothing behind: at the end the right plugin is loaded."""
    script = """
import json
failures = []
for arguments in json.loads(sys.argv[1]):
    try:
        cx.initialize(**arguments)
    except Exception as error:
        status = getattr(error, "status", "")
        failures.append([type(error).__name__, status, str(error)])
use()
print(json.dumps(failures))
"""
    without_symbol, without_table = fake_plugins[1:]
    unloadable = "Error PLUGIN_UNLOADABLE the plugin"
    cases = [
        (
            {"plugin": "/missing.so"},
            f"{unloadable} /missing.so cannot be read: No such file or directory",
        ),
        ({"plugin": ""}, f"{unloadable}  cannot be read: No such file or directory"),
        ({"plugin": "/tmp"}, f"{unloadable} /tmp is a directory, expected a file"),
        (
            {"plugin": __file__},
            f"{unloadable} {__file__} is not a library that can be loaded here: "
            f"{__file__}: invalid ELF header",
        ),
        (
            {"plugin": str(without_symbol)},
            f"Error PLUGIN_UNLOADABLE the library {without_symbol} is no PJRT plugin: "
            "it has no function GetPjrtApi",
        ),
        (
            {"plugin": str(without_table)},
            f"Error PLUGIN_INVALID the plugin {without_table} returned no function "
            "table from GetPjrtApi",
        ),
        (
            {"plugin": str(CPU_PLUGIN), "platform": "tpu"},
            f"Error PLATFORM_MISMATCH the plugin {CPU_PLUGIN} implements the platform "
            "cpu, expected tpu",
        ),
        (
            {"platform": "abacus"},
            "LookupError  no plugin for the platform abacus: none is installed; set "
            "CYXLA_PLUGIN to the path of its library",
        ),
        (
            {"options": {"no_such_option": 1}},
            f"Error INVALID_ARGUMENT the plugin {CPU_PLUGIN} cannot create a client: "
            "Unexpected option name passed to PJRT_Client_Create: no_such_option",
        ),
    ]
    output = output_of(USE + script, json.dumps([arguments for arguments, _ in cases]))
    plugin, failures = output.splitlines()
    assert plugin == str(CPU_PLUGIN)
    for failure, (_, expected) in zip(json.loads(failures), cases, strict=True):
        assert " ".join(failure).startswith(expected)


def test_a_plugin_that_is_too_old_is_refused(fake_plugins):
    script = """
import ctypes
fake = ctypes.CDLL(sys.argv[1])
fake.fake_plugin_set(int(sys.argv[2]), ctypes.c_long(80))
try:
    cx.initialize(sys.argv[1])
except cx.Error as error:
    print(error.status, error)
"""
    output = output_of(USE + script, fake_plugins.fake, fake_knob("FAKE_API_MINOR"))
    assert output == (
        f"PLUGIN_TOO_OLD the plugin {fake_plugins.fake} implements version 0.80 of the "
        "PJRT API, and cyxla needs 0.81 or later; install a newer build of it\n"
    )


def test_options_reach_the_plugin(fake_plugins):
    script = """
import ctypes
import numpy as np
fake = ctypes.CDLL(sys.argv[1])
fake.fake_plugin_set(int(sys.argv[2]), ctypes.c_long(1))
fake.fake_plugin_client_option.restype = ctypes.c_char_p
options = {
    "text": "größe",
    "number": np.int64(-3),
    "list": [1, np.int32(2)],
    "empty": (),
    "fraction": 0.5,
    "on": True,
    "cpu_device_count": 2,
}
cx.initialize(sys.argv[1], options=options)
i = 0
while (option := fake.fake_plugin_client_option(ctypes.c_size_t(i))) is not None:
    print(option.decode())
    i += 1
"""
    output = output_of(USE + script, fake_plugins.fake, fake_knob("FAKE_ANY_OPTION"))
    assert sorted(output.splitlines()) == sorted(
        [
            "text=string größe",
            "number=int64 -3",
            "list=int64_list 1 2",
            "empty=int64_list",
            "fraction=float 0.5",
            "on=bool true",
            "cpu_device_count=int64 2",
        ]
    )


def test_options_of_the_cpu_plugin_add_to_and_replace_those_of_cyxla():
    script = 'print(cx.initialize(options={"cpu_device_count": 3}).devices); use()'
    assert output_of(USE + script) == f"('cpu', 'cpu', 'cpu')\n{CPU_PLUGIN}\n"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ([("a", 1)], TypeError, r"options is \[\('a', 1\)\], expected a dict"),
        ({3: 1}, TypeError, "an option is called 3, expected a str"),
        ({"": 1}, TypeError, "an option is called '', expected a str"),
        (
            {"a": None},
            TypeError,
            "option a is None, expected a bool, int, float, str or",
        ),
        ({"a": [1, "b"]}, TypeError, r"option a is \[1, 'b'\], expected a bool, int"),
        ({"a": 2**63}, ValueError, f"option a is {2**63}, expected an integer of 64 b"),
        (
            {"a": [-(2**63) - 1]},
            ValueError,
            r"option a is -\d+, expected an integer of",
        ),
    ],
)
def test_options_that_no_plugin_can_take_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        cx.initialize(options=options)


@pytest.mark.parametrize("plugin", [3, b"path", ["path"]])
def test_a_plugin_that_is_no_path_is_refused(plugin):
    with pytest.raises(TypeError, match=r"plugin is .*, expected a path"):
        cx.initialize(plugin)


def test_zero_bytes_in_what_a_plugin_is_given_are_refused():
    script = """
for arguments in [
    {"plugin": "a\\0b"},
    {"plugin": sys.argv[1], "platform": "a\\0b"},
    {"options": {"a\\0b": 1}},
    {"options": {"a": "b\\0c"}},
]:
    try:
        cx.initialize(**arguments)
    except ValueError as error:
        print(error)
"""
    assert output_of(USE + script, CPU_PLUGIN).splitlines() == [
        "b'a\\x00b' holds a zero byte, where strings end",
        "b'a\\x00b' holds a zero byte, where strings end",
        "b'a\\x00b' holds a zero byte, where strings end",
        "b'b\\x00c' holds a zero byte, where strings end",
    ]


def test_threads_that_initialize_at_once_get_one_runtime():
    script = """
import threading
from cyxla import runtime
start = threading.Barrier(8)
runtimes = []
def work():
    start.wait()
    runtimes.append(runtime.runtime_for("cpu"))
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(runtimes), len(set(map(id, runtimes))))
"""
    assert output_of(USE + script) == "8 1\n"


def test_programs_are_lowered_for_the_platform_that_is_loaded():
    assert runtime.loaded_platform() == cx.runtime_info().platform
    script = """
import jax.numpy as jnp
from cyxla import runtime
print(runtime.loaded_platform(), cx.lower(jnp.sin, [1.0]).platform)
"""
    assert output_of(USE + script) == "None cpu\n"


def test_a_program_for_a_platform_without_a_plugin_says_what_is_missing():
    script = """
import jax.numpy as jnp
try:
    cx.compile(jnp.sin, 1.0, platform="abacus")
except LookupError as error:
    print(error)
use()
"""
    error, plugin = output_of(USE + script).splitlines()
    assert error.startswith("no plugin for the platform abacus: none is installed")
    assert plugin == str(CPU_PLUGIN)
