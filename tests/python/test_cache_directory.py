"""The directory of the disk cache: where it is, what is in it, and what is removed."""

import os
import time

import cyxla as cx
import pytest
from caching import is_from_cache, use_of
from cyxla import cache_directory

NAMES = [f"{digit * 64}.executable" for digit in "0123456789"]


@pytest.fixture
def directory(cache):
    return cache_directory.opened(is_made=True)


def used_in_order(directory, names):
    """Makes it look as if entries were used long ago, in this order."""
    for i, name in enumerate(names):
        use_of(directory / name, 1000 + i)


def present(directory):
    return [entry.path.name for entry in cache_directory.entries(directory)]


@pytest.mark.parametrize(
    ("named", "user_caches", "home", "expected"),
    [
        ("/named", "/caches", "/home/user", "/named"),
        ("none", "/caches", "/home/user", None),
        ("", "/caches", "/home/user", "/caches/cyxla"),
        (None, "relative", "/home/user", "/home/user/.cache/cyxla"),
        (None, "", "/home/user", "/home/user/.cache/cyxla"),
        (None, None, "/home/user", "/home/user/.cache/cyxla"),
        (None, None, "", None),
        (None, None, None, None),
    ],
)
def test_the_place_is_the_named_one_or_the_user_s(
    named, user_caches, home, expected, monkeypatch
):
    values = {"CYXLA_CACHE_DIR": named, "XDG_CACHE_HOME": user_caches, "HOME": home}
    for name, value in values.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    found = cache_directory.place()
    assert found == (None if expected is None else cache_directory.Path(expected))


def test_a_relative_name_is_one_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CYXLA_CACHE_DIR", "some/cache")
    assert cache_directory.place() == tmp_path / "some/cache"


def test_without_a_home_programs_compile_and_nobody_is_warned(monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "CYXLA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    program = cx.lower(lambda x: x + 1, [1.0])
    assert [is_from_cache(program) for _ in range(2)] == [False, False]
    key = cx.cache_key("name")
    assert not cx.store_lowered(key, program)
    assert cx.load_lowered(key) is None


def test_the_directory_is_private_to_its_user(cache, monkeypatch):
    monkeypatch.setenv("CYXLA_CACHE_DIR", str(cache / "more" / "folders"))
    old = os.umask(0)
    try:
        made = cache_directory.opened(is_made=True)
        cache_directory.write(made, NAMES[0], b"content")
    finally:
        os.umask(old)
    assert made.stat().st_mode & 0o777 == 0o700
    assert (made / NAMES[0]).stat().st_mode & 0o777 == 0o600


def test_looking_into_it_makes_no_directory(cache):
    assert cache_directory.opened() is None
    assert not cache.exists()


def test_a_file_in_its_place_is_refused(cache):
    cache.write_text("a file")
    with pytest.raises(NotADirectoryError, match=f"{cache} is no directory"):
        cache_directory.opened()


def test_a_link_to_a_directory_is_followed(cache, tmp_path):
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    cache.symlink_to(real)
    cache_directory.write(cache_directory.opened(), NAMES[0], b"content")
    assert (real / NAMES[0]).exists()


@pytest.mark.parametrize("content", [b"", b"x", bytes(range(256)) * 100])
def test_what_is_written_is_read(content, directory):
    cache_directory.write(directory, NAMES[0], content)
    assert cache_directory.read(directory, NAMES[0]) == content
    assert cache_directory.read(directory, NAMES[1]) is None
    assert present(directory) == NAMES[:1]


def test_the_least_recently_used_entries_are_removed_first(directory):
    for name in NAMES[:4]:
        cache_directory.write(directory, name, bytes(1000))
    used_in_order(directory, NAMES[:4])
    size = (directory / NAMES[0]).stat().st_size
    cache_directory.read(directory, NAMES[0])
    cache_directory.set_limit(directory, 3 * size)
    assert present(directory) == [NAMES[2], NAMES[3], NAMES[0]]
    cache_directory.write(directory, NAMES[4], bytes(1000))
    assert present(directory) == [NAMES[3], NAMES[0], NAMES[4]]


def test_an_entry_that_is_larger_than_the_cache_is_not_stored(directory):
    cache_directory.set_limit(directory, 500)
    cache_directory.write(directory, NAMES[0], bytes(100))
    cache_directory.write(directory, NAMES[1], bytes(500))
    assert present(directory) == NAMES[:1]


def test_a_limit_that_cannot_be_read_is_the_default(directory):
    assert cache_directory.limit(directory) == 2**30
    cache_directory.set_limit(directory, 5)
    assert cache_directory.limit(directory) == 5
    (directory / "limit").write_bytes(b"many\xff")
    assert cache_directory.limit(directory) == 2**30


def test_only_entries_are_removed(directory):
    others = [".hidden", "notes.txt", f"{'g' * 64}.executable", f"{'0' * 64}.txt"]
    for name in others:
        (directory / name).write_text("somebody's")
    for name in NAMES[:2]:
        cache_directory.write(directory, name, b"content")
    cache_directory.set_limit(directory, 0)
    assert present(directory) == []
    cache_directory.set_limit(directory, 1000)
    cache_directory.write(directory, NAMES[0], b"content")
    removed = cache_directory.clear(directory)
    assert [entry.path.name for entry in removed] == NAMES[:1]
    assert sorted(os.listdir(directory)) == sorted([*others, "limit"])


def test_what_a_process_that_was_killed_left_is_removed(directory):
    old, new = directory / ".cyxla-1-0.tmp", directory / ".cyxla-2-0.tmp"
    for path in (old, new):
        path.write_bytes(b"half an entry")
    use_of(old, time.time() - 2 * 24 * 60 * 60)
    cache_directory.write(directory, NAMES[0], b"content")
    assert sorted(os.listdir(directory)) == sorted([NAMES[0], new.name])


def test_entries_that_vanish_meanwhile_are_no_error(directory, monkeypatch):
    for name in NAMES[:3]:
        cache_directory.write(directory, name, b"content")
    present_before = cache_directory.entries(directory)
    monkeypatch.setattr(cache_directory, "entries", lambda _: present_before)
    (directory / NAMES[1]).unlink()
    cache_directory.clear(directory)
    assert os.listdir(directory) == []


def test_an_entry_is_there_wholly_or_not_at_all(directory, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        cache_directory.write(directory, NAMES[0], b"content")
    assert os.listdir(directory) == []


def test_entries_are_read_where_their_use_cannot_be_noted(directory, monkeypatch):
    def fail(*_):
        raise PermissionError("read-only")

    cache_directory.write(directory, NAMES[0], b"content")
    monkeypatch.setattr(os, "utime", fail)
    assert cache_directory.read(directory, NAMES[0]) == b"content"
