"""What the tests of the cyxla program share."""

import os
import subprocess

import pytest


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
