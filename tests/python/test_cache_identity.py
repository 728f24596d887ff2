"""The identity of the plugin is remembered as long as its file stays the same."""

import os

import cyxla as cx
import pytest
from caching import VECTOR, files_of, is_from_cache
from cyxla import _runtime, cache_directory, cache_identity, runtime

HOUR = 3600 * 10**9


@pytest.fixture
def directory(cache):
    return cache_directory.opened(is_made=True)


@pytest.fixture
def loaded():
    cx.initialize()
    return runtime.runtime_for("cpu")


@pytest.fixture
def asked(monkeypatch):
    """The list of the times that the library was read."""
    times = []

    def ask(loaded):
        times.append(loaded)
        return f"identity {len(times)}"

    monkeypatch.setattr(_runtime, "plugin_identity", ask)
    return times


def test_the_library_is_read_once_for_all_processes(directory, loaded, asked):
    for _ in range(2):
        assert cache_identity.identity_of(loaded, directory) == "identity 1"
    assert len(asked) == len(files_of(directory, "plugin")) == 1


@pytest.mark.parametrize("part", range(6))
def test_another_state_of_the_file_is_another_build(
    part, directory, loaded, asked, monkeypatch
):
    cache_identity.identity_of(loaded, directory)
    state = list(cache_identity._loaded)
    state[part] = "/another" if part == 0 else state[part] - 1
    monkeypatch.setattr(cache_identity, "_loaded", tuple(state))
    assert cache_identity.identity_of(loaded, directory) == "identity 2"


def test_a_file_that_just_changed_is_read_each_time(
    directory, loaded, asked, monkeypatch
):
    state = (*cache_identity._loaded[:-1], cache_identity.time.time_ns() + HOUR)
    monkeypatch.setattr(cache_identity, "_loaded", state)
    for expected in ("identity 1", "identity 2"):
        assert cache_identity.identity_of(loaded, directory) == expected
    assert not files_of(directory, "plugin")


def test_a_damaged_memory_is_made_anew(directory, loaded, asked):
    cache_identity.identity_of(loaded, directory)
    (path,) = files_of(directory, "plugin")
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert cache_identity.identity_of(loaded, directory) == "identity 2"
    assert cache_identity.identity_of(loaded, directory) == "identity 2"


def test_the_state_that_counts_is_that_of_the_file_that_was_loaded(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(cache_identity, "_loaded", None)
    path = tmp_path / "plugin.so"
    assert cache_identity.state_of(path) is None
    path.write_bytes(b"a plugin")
    before = cache_identity.state_of(path)
    cache_identity.note(path, before)
    assert cache_identity._loaded == before
    new = tmp_path / "new.so"
    new.write_bytes(b"a plugin")
    os.replace(new, path)
    cache_identity.note(path, before)
    assert cache_identity._loaded is None


def test_without_a_known_state_the_library_is_read(cache, asked, monkeypatch):
    monkeypatch.setattr(cache_identity, "_loaded", None)
    program = cx.lower(lambda x: x + 1, [VECTOR])
    assert not is_from_cache(program)
    assert not is_from_cache(program)  # asked gives another identity each time
    assert len(asked) == 2
    assert not files_of(cache, "plugin")
