"""A plugin under the name of each platform, which tells what it is given."""

import json

import cyxla as cx
import pytest
from distributions import python_path, write_plugin
from plugins_for_tests import OLD_CPU_PLUGIN, fake_knob
from scripts import output_of

# The beginning of a script: the fake plugin says that it is for a platform, and tell()
# prints the options of its client.
FAKE = """
import ctypes
import json
import sys

import cyxla as cx

path, platform, requests = sys.argv[1:]
fake = ctypes.CDLL(path)
fake.fake_plugin_set_text(0, platform.encode())
fake.fake_plugin_client_option.restype = ctypes.c_char_p

def client_options():
    i, options = 0, []
    while (option := fake.fake_plugin_client_option(ctypes.c_size_t(i))) is not None:
        options.append(option.decode())
        i += 1
    return options

def initialize(**arguments):
    try:
        info = cx.initialize(**arguments)
    except (cx.Error, LookupError, TypeError, ValueError) as error:
        return f"{getattr(error, 'status', type(error).__name__)} {error}"
    assert info == cx.runtime_info()
    return f"{info.platform} {info.plugin}"

for request in json.loads(requests):
    print(json.dumps([initialize(**request), sorted(client_options())]))
"""


@pytest.fixture
def initialize(fake_plugins, tmp_path):
    """Offers the fake plugin for a platform with an entry point, and calls initialize
    with each of a list of arguments. Returns what came back and the client's options.
    """

    def initialize(platform, *requests, create_options=None, path=None, **environment):
        path = path or fake_plugins.fake
        write_plugin(tmp_path, platform, path, create_options)
        output = output_of(
            FAKE,
            fake_plugins.fake,
            platform,
            json.dumps(requests),
            PYTHONPATH=python_path(tmp_path),
            **environment,
        )
        return [tuple(json.loads(line)) for line in output.splitlines()]

    return initialize


CPU = ["asynchronous=bool false", "cpu_device_count=int64 1"]
GPU = ["preallocate=bool false"]


@pytest.mark.parametrize(
    ("platform", "defaults"), [("cpu", CPU), ("cuda", GPU), ("rocm", GPU), ("tpu", [])]
)
def test_a_platform_s_plugin_gets_the_options_of_its_platform(
    initialize, fake_plugins, platform, defaults
):
    found = initialize(platform, {"platform": platform}, {"platform": "cpu"})
    # The second call returns the details of the first.
    assert found == [(f"{platform} {fake_plugins.fake}", defaults)] * 2


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_a_gpu_s_plugin_is_found_under_jax_s_name(initialize, fake_plugins, platform):
    assert initialize(platform, {"platform": "GPU"}) == [
        (f"{platform} {fake_plugins.fake}", GPU)
    ]


@pytest.mark.parametrize("given", [{"preallocate": True}, {"memory_fraction": 0.5}])
def test_options_add_to_or_replace_those_of_cyxla(initialize, given):
    ((_, options),) = initialize("cuda", {"platform": "cuda", "options": given})
    expected = {
        "preallocate": ["preallocate=bool true"],
        "memory_fraction": ["memory_fraction=float 0.5", *GPU],
    }
    assert options == expected[next(iter(given))]


def test_options_go_before_those_of_the_package_and_these_before_cyxla_s(initialize):
    options = {"cpu_device_count": 3, "process_id": 7}
    ((_, found),) = initialize(
        "cpu", {"options": {"cpu_device_count": 2}}, create_options=options
    )
    assert found == [
        "asynchronous=bool false",
        "cpu_device_count=int64 2",
        "process_id=int64 7",
    ]


@pytest.mark.parametrize(
    ("platform", "options", "error"),
    [
        (
            "cpu",
            {"cpu_device_count": "2"},
            "the option cpu_device_count of the plugin {} is a string, expected an "
            "integer",
        ),
        (
            "cpu",
            {"cpu_device_count": -1},
            "the option cpu_device_count of the plugin {} is -1, expected 1 or more",
        ),
        (
            "cuda",
            {"memory_fraction": 1},
            "the option memory_fraction of the plugin {} is an integer, expected a "
            "float",
        ),
        (
            "rocm",
            {"visible_devices": 0},
            "the option visible_devices of the plugin {} is an integer, expected a "
            "list of integers",
        ),
        # The fake plugin is of version 0.114, and cyxla cannot know that it checks.
        (
            "cpu",
            {"num_nodes": 2},
            "the plugin {} would ignore the option num_nodes; the options of CPU "
            "plugins are asynchronous, cpu_device_count and process_id",
        ),
        (
            "cuda",
            {"nonsense": True},
            "the plugin {} cannot create a client: Unexpected option name passed to "
            "PJRT_Client_Create: nonsense",
        ),
        (
            "tpu",
            {"nonsense": True},
            "the plugin {} cannot create a client: Unexpected option name passed to "
            "PJRT_Client_Create: nonsense",
        ),
    ],
)
def test_an_option_that_is_wrong_is_named_and_may_be_corrected(
    initialize, fake_plugins, platform, options, error
):
    (message, _), (right, _) = initialize(
        platform, {"platform": platform, "options": options}, {"platform": platform}
    )
    assert message == f"INVALID_ARGUMENT {error.format(fake_plugins.fake)}"
    assert right == f"{platform} {fake_plugins.fake}"


@pytest.mark.parametrize("platform", [None, "cpu"])
def test_an_option_that_an_old_plugin_would_ignore_is_named(initialize, platform):
    request = {"plugin": str(OLD_CPU_PLUGIN), "platform": platform}
    ((message, _),) = initialize("tpu", {**request, "options": {"num_nodes": 1}})
    assert message.startswith(
        f"INVALID_ARGUMENT the plugin {OLD_CPU_PLUGIN} would ignore the option "
        "num_nodes"
    )


def test_a_plugin_that_is_for_another_platform_than_its_package_says_is_refused(
    initialize, fake_plugins, tmp_path
):
    write_plugin(tmp_path, "rocm", fake_plugins.fake, name="wrong-plugin")
    ((message, _),) = initialize("tpu", {"platform": "rocm"})
    assert message == (
        f"PLATFORM_MISMATCH the plugin {fake_plugins.fake} implements the platform "
        "tpu, expected rocm"
    )


def test_the_name_of_a_library_is_only_a_hint_at_its_platform(
    initialize, fake_plugins, tmp_path
):
    link = tmp_path / "tpu_for_the_cpu.so"
    link.symlink_to(fake_plugins.fake)
    ((found, options),) = initialize("tpu", {}, CYXLA_PLUGIN=str(link))
    assert found == f"tpu {fake_plugins.fake}"
    assert options == CPU


def test_a_program_for_another_platform_than_the_plugin_s_is_refused(
    fake_plugins, tmp_path
):
    write_plugin(tmp_path, "tpu", fake_plugins.fake)
    output = output_of(
        FAKE
        + """
program = cx.lower(lambda x: x, [1.0], platform="rocm")
try:
    cx.compile_program(program)
except cx.Error as error:
    print(error.status, error)
""",
        fake_plugins.fake,
        "tpu",
        '[{"platform": "tpu"}]',
        PYTHONPATH=python_path(tmp_path),
    )
    assert output.splitlines()[1] == (
        "PLATFORM_MISMATCH the program was lowered for the platform rocm, and the "
        f"plugin {fake_plugins.fake} implements tpu; lower it again or use another "
        "plugin"
    )


def test_compiling_loads_the_plugin_for_the_program_s_platform(fake_plugins, tmp_path):
    write_plugin(tmp_path, "rocm", fake_plugins.fake)
    output = output_of(
        FAKE
        + """
program = cx.lower(lambda x: x, [1.0], platform="rocm")
try:
    cx.compile_program(program)
except cx.Error as error:
    print(error)
print(cx.runtime_info().platform, cx.lower(lambda x: x, [1.0]).platform)
""",
        fake_plugins.fake,
        "rocm",
        "[]",
        PYTHONPATH=python_path(tmp_path),
    )
    # The fake plugin knows no StableHLO.
    assert output.startswith("the plugin cannot compile the program: line 1: ")
    assert output.splitlines()[-1] == "rocm rocm"


def test_executions_that_copy_are_told(fake_plugins, tmp_path):
    script = """
import ctypes
import sys
import cyxla as cx
ctypes.CDLL(sys.argv[1]).fake_plugin_set(int(sys.argv[2]), ctypes.c_long(0))
info = cx.initialize(sys.argv[1], platform="cpu")
print(info.zero_copy, info.devices, info.platform_version, info.pjrt_api_version)
"""
    output = output_of(script, fake_plugins.fake, fake_knob("FAKE_ON_CPU"))
    assert output == "False ('fake device',) fake 1.0 (0, 114)\n"


def test_the_number_of_threads_reaches_the_plugin_and_no_one_else(fake_plugins):
    script = """
import ctypes
import sys
import numpy as np
import cyxla as cx
fake = ctypes.CDLL(sys.argv[1])
fake.fake_plugin_environment.restype = ctypes.c_char_p
cx.initialize(sys.argv[1], platform="cpu", threads=np.int32(3))
print(fake.fake_plugin_environment().decode())
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
print(libc.getenv(b"NPROC"), libc.getenv(b"PJRT_NPROC"))
"""
    output = output_of(script, fake_plugins.fake, NPROC="7", PJRT_NPROC=None)
    assert output.splitlines() == ["PJRT_NPROC=3 NPROC=3", "b'7' None"]


@pytest.mark.parametrize("threads", [0, -1, 2**31, 1.0, "2"])
def test_a_number_of_threads_that_is_none_is_refused(threads):
    message = f"^threads is {threads!r}, expected a positive integer or None$"
    with pytest.raises(ValueError, match=message):
        cx.initialize(threads=threads)
