"""What all Python tests share."""

import os
import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("comparing", "scripts")

# What the caller's environment says must not change what is tested. JAX reads it when
# it is imported, so nothing here imports JAX before.
for name in [
    "CYXLA_PLUGIN",
    "CYXLA_LOG",
    "JAX_ENABLE_X64",
    "JAX_PLATFORMS",
    "XLA_FLAGS",
]:
    os.environ.pop(name, None)

# Tests compile, and leave the user's cache alone. Those of the cache have their own.
os.environ["CYXLA_CACHE_DIR"] = "none"


@pytest.fixture
def x64():
    """JAX with 64-bit types."""
    import jax

    with jax.enable_x64(True):
        yield


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The directory of a disk cache for one test, which is made when it is needed."""
    from cyxla import cache_executables

    path = tmp_path / "cache"
    monkeypatch.setenv("CYXLA_CACHE_DIR", str(path))
    monkeypatch.setattr(cache_executables, "_has_warned", False)
    return path


@pytest.fixture(scope="session")
def prefix():
    """Where the C library is installed."""
    path = os.environ.get("CYXLA_TEST_PREFIX")
    if not path:
        pytest.fail("CYXLA_TEST_PREFIX is not set, expected where the C library is")
    if not (Path(path) / "include/cyxla.h").is_file():
        pytest.fail(f"CYXLA_TEST_PREFIX is {path}, and the C library is not installed")
    return path


@pytest.fixture(scope="session")
def wheel():
    """The Python package as it is published, a file."""
    folder = os.environ.get("CYXLA_TEST_WHEEL")
    if not folder:
        pytest.fail("CYXLA_TEST_WHEEL is not set, expected the folder of the wheel")
    (path,) = Path(folder).glob("*.whl")
    return path


@pytest.fixture(scope="session")
def fake_plugins(tmp_path_factory):
    """The libraries of tests/fake_plugin."""
    from plugins_for_tests import build_fake_plugins

    return build_fake_plugins(tmp_path_factory.mktemp("plugins"))


@pytest.fixture(scope="session")
def seat(tmp_path_factory):
    """The extension module of tests/extension."""
    from example_projects import ROOT
    from extension_modules import build_module

    folder = tmp_path_factory.mktemp("extension")
    build_module(ROOT / "tests" / "extension" / "seat.pyx", folder)
    sys.path.insert(0, str(folder))
    try:
        import seat
    finally:
        sys.path.remove(str(folder))
    return seat
