"""The platform that a function is lowered for, where none is asked for."""

from types import SimpleNamespace

import cyxla as cx
import jax
import numpy as np
import pytest
from cyxla import platforms, plugins, runtime
from distributions import python_path, write_plugin
from scripts import output_of


class CommittedArray:
    """What counts of an array of JAX."""

    def __init__(self, *devices, committed=True):
        self._devices = set(devices)
        self.committed = committed

    def devices(self):
        return self._devices


def device(platform, version=""):
    """What counts of a device of JAX."""
    client = SimpleNamespace(platform_version=version)
    # Devices are told apart by what they are, as those of JAX.
    return Device(platform, client)


class Device(SimpleNamespace):
    def __init__(self, platform, client):
        super().__init__(platform=platform, client=client)

    def __hash__(self):
        return id(self)


@pytest.fixture
def set_up(monkeypatch):
    """Sets what a choice depends on; by default nothing is set."""

    def set_up(default_device=None, loaded=None, jax_platforms=None, installed=()):
        config = SimpleNamespace(
            jax_default_device=default_device, jax_platforms=jax_platforms
        )
        stand_in = SimpleNamespace(config=config, Array=CommittedArray)
        monkeypatch.setattr(platforms, "jax", stand_in)
        monkeypatch.setattr(runtime, "loaded_platform", lambda: loaded)
        monkeypatch.setattr(plugins, "installed_platforms", lambda: list(installed))

    set_up()
    return set_up


EVERYTHING = {
    "default_device": device("rocm"),
    "loaded": "tpu",
    "jax_platforms": "cuda,cpu",
    "installed": ["cpu"],
}


@pytest.mark.parametrize(
    ("unset", "expected"),
    [
        ([], "rocm"),
        (["default_device"], "tpu"),
        (["default_device", "loaded"], "cuda"),
        (["default_device", "loaded", "jax_platforms"], "cpu"),
    ],
)
def test_the_first_that_is_known_counts(set_up, unset, expected):
    set_up(**{name: EVERYTHING[name] for name in EVERYTHING if name not in unset})
    assert platforms.choose([1.0]) == expected


def test_committed_arguments_count_before_all_others(set_up):
    set_up(**EVERYTHING)
    leaves = [1.0, np.ones(3), CommittedArray(device("cuda"))]
    assert platforms.choose(leaves) == "cuda"


def test_arguments_that_are_not_committed_do_not_count(set_up):
    set_up(installed=["cpu"])
    leaves = [CommittedArray(device("cuda"), committed=False), object()]
    assert platforms.choose(leaves) == "cpu"


def test_arguments_on_several_devices_of_a_platform_are_for_it(set_up):
    leaves = [
        CommittedArray(device("tpu"), device("tpu")),
        CommittedArray(device("tpu")),
    ]
    assert platforms.choose(leaves) == "tpu"


def test_arguments_on_several_platforms_are_refused(set_up):
    leaves = [CommittedArray(device("tpu")), CommittedArray(device("cpu"))]
    message = "arguments are committed to devices of cpu and tpu; a program runs on one"
    with pytest.raises(ValueError, match=message):
        platforms.choose(leaves)


@pytest.mark.parametrize(
    ("version", "expected"),
    [("cuda 13000", "cuda"), ("ROCM 70000", "rocm"), ("", "cuda")],
)
def test_a_gpu_is_of_the_platform_that_its_client_tells(set_up, version, expected):
    assert platforms.choose([CommittedArray(device("gpu", version))]) == expected
    set_up(default_device=device("gpu", version))
    assert platforms.choose([]) == expected


@pytest.mark.parametrize(
    ("name", "installed", "expected"),
    [
        ("tpu", [], "tpu"),
        ("CPU", [], "cpu"),
        ("gpu", [], "cuda"),
        ("gpu", ["cpu", "rocm"], "rocm"),
        ("gpu", ["cpu", "cuda", "rocm"], "cuda"),
    ],
)
def test_platforms_may_be_named_as_in_jax(set_up, name, installed, expected):
    set_up(default_device=name, installed=installed)
    assert platforms.choose([]) == expected
    set_up(jax_platforms=f"{name},abacus", installed=installed)
    assert platforms.choose([]) == expected


@pytest.mark.parametrize("value", [None, "", " ", ",cuda"])
def test_no_first_platform_of_jax_is_none(set_up, value):
    set_up(jax_platforms=value, installed=["tpu"])
    assert platforms.choose([]) == "tpu"


def test_the_installed_plugin_of_the_first_platform_counts(set_up):
    set_up(installed=["cuda", "rocm"])
    assert platforms.choose([]) == "cuda"


def test_without_anything_it_is_the_cpu(set_up):
    assert platforms.choose([]) == "cpu"


# ---- With JAX itself


def test_a_committed_array_of_jax_is_for_its_device():
    cpu = jax.devices("cpu")[0]
    committed, free = jax.device_put(np.ones(3), cpu), jax.numpy.ones(3)
    assert platforms.of_committed([committed, free, 1.0]) == "cpu"
    assert platforms.of_committed([free]) is None


def test_the_default_device_of_jax_counts_where_it_is_set():
    assert platforms.of_default_device() is None
    with jax.default_device(jax.devices("cpu")[0]):
        assert platforms.of_default_device() == "cpu"
    with jax.default_device("tpu"):
        assert platforms.of_default_device() == "tpu"
        assert platforms.choose([1.0]) == "tpu"


def test_the_platform_that_is_asked_for_counts_before_all():
    committed = jax.device_put(np.ones(3), jax.devices("cpu")[0])
    assert cx.lower(lambda x: x, [committed], platform="CUDA").platform == "cuda"
    assert cx.lower(lambda x: x, [committed], platform="gpu").platform == "cuda"


@pytest.mark.parametrize("platform", [3, b"cpu"])
def test_a_platform_that_is_no_text_is_refused(platform):
    with pytest.raises(TypeError, match=r"platform is .*, expected a str"):
        cx.lower(lambda x: x, [1.0], platform=platform)
    with pytest.raises(TypeError, match=r"platform is .*, expected a str"):
        cx.initialize(platform=platform)


def test_the_platforms_of_jax_count_where_nothing_is_loaded(tmp_path):
    script = """
        import jax
        import cyxla as cx
        from cyxla import platforms
        jax.config.update("jax_platforms", "tpu,cpu")
        print(platforms.choose([1.0]))
        cx.initialize(platform="cpu")
        print(platforms.choose([1.0]))
        """
    assert output_of(script).split() == ["tpu", "cpu"]
    script = """
        import cyxla as cx
        from cyxla import plugins
        plugins.PACKAGES.clear()
        print(cx.lower(lambda x: x * 2, [1.0]).platform)
        """
    (tmp_path / "tpu.so").touch()
    write_plugin(tmp_path, "tpu", tmp_path / "tpu.so")
    found = {"PYTHONPATH": python_path(tmp_path)}
    assert output_of(script, **found) == "tpu\n"
    assert output_of(script, JAX_PLATFORMS="cpu", **found) == "cpu\n"


def test_what_is_installed_counts_where_nothing_else_is_known(tmp_path):
    (tmp_path / "tpu.so").touch()
    write_plugin(tmp_path, "tpu", tmp_path / "tpu.so")
    script = """
        import cyxla as cx
        from cyxla import plugins
        print(cx.lower(lambda x: x * 2, [1.0]).platform)
        plugins.PACKAGES.clear()
        print(cx.lower(lambda x: x * 2, [1.0]).platform)
        """
    assert output_of(script, PYTHONPATH=python_path(tmp_path)).split() == ["cpu", "tpu"]


def test_the_library_of_the_environment_counts_before_what_is_installed():
    script = "import cyxla as cx; print(cx.lower(lambda x: x * 2, [1.0]).platform)"
    output = output_of(script, CYXLA_PLUGIN="/somewhere/xla_cuda_plugin.so")
    assert output == "cuda\n"
