"""What all Python tests share."""

import os

import pytest

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


@pytest.fixture
def x64():
    """JAX with 64-bit types."""
    import jax

    with jax.enable_x64(True):
        yield
