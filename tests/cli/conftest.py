"""What the tests of the cyxla program share."""

import os
import subprocess
from pathlib import Path

import pytest
from plugins_for_tests import build_library


@pytest.fixture
def cyxla(prefix):
    """Runs the installed program."""

    def run(*arguments, **environment):
        return subprocess.run(
            [f"{prefix}/bin/cyxla", *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def on_fake(cyxla, fake_plugins):
    """Runs the installed program with the fake plugin."""

    def run(*arguments):
        return cyxla(*arguments, CYXLA_PLUGIN=str(fake_plugins.fake))

    return run


@pytest.fixture(scope="session")
def slow_plugin(tmp_path_factory):
    """A plugin whose compiler waits for a file, see slow_plugin.c."""
    path = tmp_path_factory.mktemp("slow") / "slow.so"
    return build_library(path, [Path(__file__).with_name("slow_plugin.c")])
