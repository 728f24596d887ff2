"""The examples of the page on the command line are what the program prints."""

import os
import re
import subprocess
import sys

import pytest
from plugins_for_tests import CPU_PLUGIN, ROOT

PAGE = (ROOT / "docs/command-line.md").read_text()
EXAMPLES = re.findall(r"^\$ (cyxla .*)\n((?:(?!```).*\n)*)", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the page's Python."""
    folder = tmp_path_factory.mktemp("page")
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize(("command", "output"), EXAMPLES)
def test_an_example_is_true(command, output, folder, prefix):
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={
            "PATH": f"{prefix}/bin:{os.environ['PATH']}",
            "CYXLA_PLUGIN": str(CPU_PLUGIN),
        },
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    if "bench" in command or "info" in command:  # times, and sizes of what JAX made
        output, done.stdout = map(without_measures, (output, done.stdout))
    elif "compile" in command:  # where the plugin lies
        output, done.stdout = (
            re.sub(r"/\S+", "PLUGIN", t) for t in (output, done.stdout)
        )
    assert done.stdout == output


def without_measures(text):
    text = re.sub(r"[0-9a-f]{16}-\d+", "PLUGIN", text)
    text = re.sub(r"x86-64 [a-z0-9. -]+", "x86-64 FEATURES", text)
    text = re.sub(r"\d+(\.\d+)?(e\+\d+)? (ns|us|ms|s|a second|bytes)\b", "N", text)
    return re.sub(r"^(  runs +)\d+", r"\1N", text, flags=re.MULTILINE)


def test_there_are_examples_of_the_commands():
    assert len(EXAMPLES) == 9


def test_the_page_has_every_command(cyxla):
    names = re.findall(r"^  (\w+) ", cyxla("--help").stdout, re.MULTILINE)
    assert names
    for name in names:
        assert f"`cyxla {name}" in PAGE
