"""Where plugins are looked for, and which one is taken."""

import subprocess
import sys
from pathlib import Path

import pytest
from cyxla import plugins
from cyxla.plugins import Plugin, find_plugin, find_plugins
from distributions import (
    python_path,
    write_distribution,
    write_package,
    write_plugin,
)
from plugins_for_tests import CPU_PLUGIN, MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN, ROOT
from scripts import output_of

INSTALLED = [
    Plugin("cpu", CPU_PLUGIN, "lammps-jax-pjrt-cpu"),
    Plugin("cpu", MIDDLE_CPU_PLUGIN, "fastatomstruct-xla-cpu"),
    Plugin("cpu", OLD_CPU_PLUGIN, "xla-cpu-pjrt"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder whose distributions and packages are installed."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


@pytest.fixture
def library(tmp_path):
    """A file that stands for a library."""
    path = tmp_path / "plugin.so"
    path.touch()
    return path


@pytest.fixture
def no_packages(monkeypatch):
    """Known packages of which none is installed."""
    packages = [
        ("cpu", "no_such_package", "plugin.so", "no-such-package"),
        ("cpu", "no_such_package.module", "plugin.so", "no-such-package-2"),
        ("cpu", "xla_plugins", "plugin.so", "a-folder-of-other-packages"),
    ]
    monkeypatch.setattr(plugins, "PACKAGES", packages)


# ---- Known packages


def test_installed_packages_are_found_the_preferred_first():
    assert find_plugins() == INSTALLED
    assert find_plugin("cpu") == INSTALLED[0]
    assert plugins.find_default_plugin() == INSTALLED[0]


@pytest.mark.usefixtures("no_packages")
def test_packages_that_are_not_installed_are_not_found():
    assert find_plugins() == []


def test_every_known_package_is_found_without_an_entry_point(tmp_path):
    paths = {
        distribution: write_package(tmp_path, module, file)
        for _, module, file, distribution in plugins.PACKAGES
    }
    output = output_of(
        """
        import sys
        from cyxla.plugins import find_plugins
        sys.path.insert(0, sys.argv[1])
        for plugin in find_plugins():
            print(plugin.platform, plugin.source, plugin.path, plugin.problem)
        """,
        tmp_path,
    )
    expected = [
        "cpu lammps-jax-pjrt-cpu",
        "cpu fastatomstruct-xla-cpu",
        "cpu xla-cpu-pjrt",
        "cuda jax-cuda13-pjrt",
        "cuda jax-cuda12-pjrt",
        "rocm jax-rocm7-pjrt",
        "tpu libtpu",
    ]
    assert output.splitlines() == [
        f"{line} {paths[line.split()[1]]} None" for line in expected
    ]


def test_a_package_that_lost_its_library_is_told(folder):
    path = write_package(folder, "libtpu", "libtpu.so")
    path.unlink()
    with pytest.raises(
        LookupError,
        match=r"^no plugin for the platform tpu: libtpu cannot be used \(.*"
        r"libtpu.so is not there\); install libtpu, or set CYXLA_PLUGIN to the path of "
        "its library$",
    ):
        find_plugin("tpu")


# ---- Entry points


def test_an_entry_point_stands_before_the_known_packages(folder, library):
    write_plugin(folder, "cpu", library, {"asynchronous": True})
    mine = Plugin(
        "cpu", library, "entry point cpu of plugin-for-cpu", {"asynchronous": True}
    )
    assert find_plugins() == [mine, *INSTALLED]
    assert find_plugin("cpu") == mine


def test_a_library_that_was_found_twice_is_listed_once(folder):
    (folder / "link.so").symlink_to(CPU_PLUGIN)
    write_plugin(folder, "cpu", folder / "link.so")
    assert [plugin.source for plugin in find_plugins()] == [
        "entry point cpu of plugin-for-cpu",
        "fastatomstruct-xla-cpu",
        "xla-cpu-pjrt",
    ]


def test_several_entry_points_are_all_found(folder, library):
    for platform in ("rocm", "cuda"):
        write_plugin(folder, platform, library.with_suffix(f".{platform}"))
        library.with_suffix(f".{platform}").touch()
    assert find_plugin("rocm").path == library.with_suffix(".rocm")
    assert find_plugin("cuda").path == library.with_suffix(".cuda")


def test_a_platform_is_named_in_any_case(folder, library):
    write_plugin(folder, "ROCM", library)
    assert find_plugin("rocm").path == library


WHOLE = """
PLATFORM = "cpu"
CREATE_OPTIONS = {}
def library_path():
    return "/missing.so"
"""


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (None, "ModuleNotFoundError: No module named 'broken'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        (
            WHOLE.replace("PLATFORM", "PLATFROM"),
            "AttributeError: module 'broken' has no attribute 'PLATFORM'",
        ),
        (WHOLE.replace('"cpu"', "None"), "TypeError: PLATFORM is None, expected a str"),
        (WHOLE.replace('"cpu"', '""'), "TypeError: PLATFORM is '', expected a str"),
        (
            WHOLE.replace("CREATE_OPTIONS", "OPTIONS"),
            "AttributeError: module 'broken' has no attribute 'CREATE_OPTIONS'",
        ),
        (
            WHOLE.replace("{}", "{'a': object}"),
            "TypeError: option a is <class 'object'>, expected a bool, int, float, str "
            "or list of int",
        ),
        (WHOLE.replace("{}", "[1]"), "TypeError: options is [1], expected a dict"),
        (
            WHOLE.replace("library_path", "path"),
            "AttributeError: module 'broken' has no attribute 'library_path'",
        ),
        (
            WHOLE.replace('return "/missing.so"', 'raise OSError("no library here")'),
            "OSError: no library here",
        ),
    ],
)
def test_an_entry_point_that_fails_is_told_and_passed_over(folder, source, problem):
    modules = {} if source is None else {"broken": source}
    write_distribution(folder, "broken-plugin", {"x": "broken"}, modules)
    found = find_plugins()
    assert found[0] == Plugin(
        None,
        None,
        "entry point x of broken-plugin",
        problem=f"its entry point failed: {problem}",
    )
    assert found[1:] == INSTALLED
    assert find_plugin("cpu") == INSTALLED[0]


def test_an_entry_point_without_its_library_is_told_and_passed_over(folder):
    write_plugin(folder, "cpu", "/missing.so")
    assert find_plugins()[0].problem == "/missing.so is not there"
    assert find_plugin("cpu") == INSTALLED[0]


def test_what_failed_is_told_where_nothing_else_is_found(folder):
    write_distribution(folder, "broken-plugin", {"x": "no_such_module"})
    write_plugin(folder, "abacus", "/missing.so")
    with pytest.raises(LookupError) as caught:
        find_plugin("abacus")
    message = str(caught.value)
    assert message.startswith("no plugin for the platform abacus: ")
    for part in (
        "entry point x of broken-plugin cannot be used (its entry point failed: "
        "ModuleNotFoundError: No module named 'no_such_module')",
        "entry point abacus of plugin-for-abacus cannot be used (/missing.so is not "
        "there)",
    ):
        assert part in message
    assert message.endswith("; set CYXLA_PLUGIN to the path of its library")


def test_an_entry_point_may_belong_to_no_distribution(library):
    from importlib.metadata import EntryPoint

    point = EntryPoint("x", "no_such_module", plugins.ENTRY_POINTS)
    assert plugins.from_entry_point(point).source == "entry point x"


def test_the_package_for_the_cpu_offers_the_plugin(tmp_path):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--no-build-isolation"]
    command += ["--target", str(tmp_path), str(ROOT / "plugins/cyxla-pjrt-cpu")]
    subprocess.run(command, check=True)
    output = output_of(
        """
        import cyxla as cx
        from cyxla.plugins import find_plugins
        first = find_plugins()[0]
        print(first.platform, first.source, first.options)
        print(cx.runtime_info().plugin)
        """,
        PYTHONPATH=python_path(tmp_path),
    )
    assert output.splitlines() == [
        "cpu entry point cpu of cyxla-pjrt-cpu "
        "{'asynchronous': False, 'cpu_device_count': 1}",
        str(CPU_PLUGIN),
    ]


# ---- The environment


def test_the_environment_stands_first_and_counts_for_any_platform(monkeypatch):
    monkeypatch.setenv("CYXLA_PLUGIN", str(OLD_CPU_PLUGIN))
    mine = Plugin("cpu", OLD_CPU_PLUGIN, "CYXLA_PLUGIN")
    assert find_plugins() == [mine, *INSTALLED[:2]]
    assert find_plugin("cpu") == find_plugin("cuda") == mine
    assert plugins.find_default_plugin() == mine


def test_an_environment_that_names_no_file_is_not_passed_over(monkeypatch):
    monkeypatch.setenv("CYXLA_PLUGIN", "/my/plugin.so")
    assert find_plugin("cpu") == Plugin(None, Path("/my/plugin.so"), "CYXLA_PLUGIN")
    assert find_plugins()[0].problem == "/my/plugin.so is not there"


def test_an_empty_environment_variable_is_none(monkeypatch):
    monkeypatch.setenv("CYXLA_PLUGIN", "")
    assert find_plugins() == INSTALLED


# ---- Which platform


@pytest.mark.parametrize(
    ("platforms", "expected"),
    [
        ([], "cpu"),
        (["tpu"], "tpu"),
        (["tpu", "rocm"], "rocm"),
        (["abacus", "tpu", "rocm", "cuda"], "cuda"),
        (["abacus", "tpu", "rocm", "cuda", "cpu"], "cpu"),
        (["abacus"], "abacus"),
    ],
)
@pytest.mark.usefixtures("no_packages")
def test_the_default_is_the_first_of_cpu_cuda_rocm_and_tpu(
    folder, library, platforms, expected
):
    for platform in platforms:
        path = library.with_name(f"{platform}.so")
        path.touch()
        write_plugin(folder, platform, path)
    assert plugins.default_platform() == expected
    assert plugins.installed_platforms()[:1] == [expected][: len(platforms)]


@pytest.mark.usefixtures("no_packages")
def test_a_plugin_that_cannot_be_used_makes_no_platform(folder):
    write_plugin(folder, "cpu", "/missing.so")
    write_distribution(folder, "broken-plugin", {"x": "no_such_module"})
    assert plugins.installed_platforms() == []


def test_the_default_is_what_the_environment_s_library_is_called_after(monkeypatch):
    monkeypatch.setenv("CYXLA_PLUGIN", "/my/xla_ROCm_plugin.so")
    assert plugins.default_platform() == "rocm"
    monkeypatch.setenv("CYXLA_PLUGIN", "/cuda/plugin.so")
    assert plugins.default_platform() == "cpu"


def test_platforms_are_named_as_jax_does(folder, library):
    assert plugins.canonical_platform("CPU") == "cpu"
    assert plugins.canonical_platform("gpu") == "cuda"
    write_plugin(folder, "rocm", library)
    assert plugins.canonical_platform("gpu") == "rocm"
    (folder / "cuda.so").touch()
    write_plugin(folder, "cuda", folder / "cuda.so")
    assert plugins.canonical_platform("gpu") == "cuda"


def test_a_platform_is_a_text():
    with pytest.raises(TypeError, match="platform is 3, expected a str"):
        plugins.canonical_platform(3)


@pytest.mark.usefixtures("no_packages")
def test_what_to_install_is_said():
    message = (
        "^no plugin for the platform cpu: none is installed; install no-such-package, "
        "or set CYXLA_PLUGIN to the path of its library$"
    )
    with pytest.raises(LookupError, match=message):
        find_plugin("cpu")
    with pytest.raises(LookupError, match=message):
        plugins.find_default_plugin()
