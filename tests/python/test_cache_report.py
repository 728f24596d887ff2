"""``python -m cyxla cache`` tells what the disk cache holds, and clears it."""

import argparse
import json

import cyxla as cx
import pytest
from caching import VECTOR, without_numbers
from cyxla import __main__, cache_directory, cache_report
from scripts import run_python


@pytest.fixture
def filled(cache):
    """A cache with two executables, one lowered program and a plugin's identity."""
    for program in (cx.lower(lambda x: x + 1, [VECTOR]), cx.lower(abs, [VECTOR])):
        cx.compile_program(program)
    cx.store_lowered(cx.cache_key("name"), program)
    return cache


def printed(capsys, *arguments):
    code = __main__.main(["cache", *arguments])
    return code, capsys.readouterr().out


def test_what_is_in_the_cache_is_told(filled):
    process = run_python("-m", "cyxla", "cache")
    assert (process.returncode, process.stderr) == (0, "")
    size = sum(path.stat().st_size for path in filled.iterdir())
    assert process.stdout == (
        f"directory    {filled}\n"
        f"size         {cache_report.format_size(size)} of at most 1 GiB\n"
        "executables  2\n"
        "programs     1\n"
    )


def test_the_cache_is_cleared(filled, capsys):
    count = len(list(filled.iterdir()))
    code, out = printed(capsys, "--clear")
    assert (code, without_numbers(out.replace(str(filled), "DIRECTORY"))) == (
        0,
        "removed N entries of N KiB\n"
        "directory    DIRECTORY\n"
        "size         N bytes of at most N GiB\n"
        "executables  N\n"
        "programs     N\n",
    )
    assert out.startswith(f"removed {count} entries")
    assert not list(filled.iterdir())


def test_a_limit_is_kept_with_the_directory(cache, capsys):
    code, out = printed(capsys, "--limit", "300M")
    assert (code, out.splitlines()[1]) == (0, "size         0 bytes of at most 300 MiB")
    assert cache_directory.limit(cache) == 300 * 2**20
    assert cache_report.make_report().limit == 300 * 2**20


def test_a_lower_limit_removes_entries_at_once(filled, capsys):
    assert "executables  0" in printed(capsys, "--limit", "0")[1]


def test_the_report_is_printed_as_json(filled, capsys):
    code, out = printed(capsys, "--clear", "--json")
    assert code == 0
    assert json.loads(out) == {
        "directory": str(filled),
        "size": 0,
        "limit": 2**30,
        "executables": 0,
        "programs": 0,
        "problem": None,
    }


def test_nothing_there_is_no_error_and_stays_so(cache, capsys):
    code, out = printed(capsys, "--clear")
    assert code == 0
    assert out.startswith(f"removed 0 entries of 0 bytes\ndirectory    {cache}\n")
    assert not cache.exists()


def test_that_there_is_no_cache_is_told(monkeypatch, capsys):
    monkeypatch.setenv("CYXLA_CACHE_DIR", "none")
    expected = (
        "directory    -\n"
        "there is no disk cache: it is turned off, or there is no place for it\n"
    )
    assert printed(capsys) == (1, expected)
    assert printed(capsys, "--clear", "--limit", "1G") == (1, expected)
    cache_report.set_limit(2**30)
    assert cache_report.clear() == "removed 0 entries of 0 bytes"


def test_why_a_directory_is_not_used_is_told(cache, capsys):
    cache.mkdir()
    cache.chmod(0o777)
    assert printed(capsys) == (
        1,
        f"directory    {cache}\n"
        f"there is no disk cache: others may write to {cache}; chmod go-w changes "
        "that\n",
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("1000", 1000),
        ("5 bytes", 5),
        ("2k", 2048),
        ("500M", 500 * 2**20),
        ("2 GiB", 2**31),
        ("1TB", 2**40),
    ],
)
def test_sizes_are_read(text, size):
    assert cache_report.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "M", "-1", "1.5G", "1Gx", "many"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number of bytes"):
        cache_report.parse_size(text)


def test_a_wrong_limit_is_refused(capsys):
    with pytest.raises(SystemExit):
        __main__.main(["cache", "--limit", "much"])
    assert "'much' is no size" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (2**30, "1 GiB"),
        (5000 * 2**40, "5000 TiB"),
    ],
)
def test_sizes_are_shown(size, text):
    assert cache_report.format_size(size) == text
