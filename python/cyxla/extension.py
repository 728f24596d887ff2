"""What extension modules need to be built against cyxla and to be sure of it."""

from pathlib import Path

from cyxla import _runtime


def get_include():
    """The directories that building an extension module needs, a list of two.

    The first holds the C headers (``cyxla.h``, ``abi/pjrt.h``), for the C compiler. The
    second holds the ``.pxd`` files, for Cython's ``-I``.
    """
    package = Path(__file__).parent
    return [str(package / "include"), str(package.parent)]


def check_abi(version):
    """Raises ImportError unless an extension module was built for this cyxla.

    ``version`` is the ``ABI_VERSION`` that the module cimports from ``cyxla._runtime``.
    Cython compares the signatures of functions itself, but not the layout of structs.
    """
    expected = _runtime._ABI_VERSION
    if version != expected:
        raise ImportError(
            f"the extension module was built against version {version} of cyxla's "
            f"declarations, and the installed cyxla {_runtime.version()} has version "
            f"{expected}; build the module again"
        )
