"""Checks that the source distribution holds all files of the checkout, and that the
Python package can be built from it.

Meson packs what is committed to Git, so the checkout's files, as they are and without
what Git ignores, are committed to a repository of its own first.

usage: check_sdist.py
"""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from check_wheel import SOURCE, complaints

# What a package cannot be built against without.
NEEDED = [
    "include/cyxla.h",
    "src/abi/pjrt.h",
    "src/abi/pjrt_args.h",
    "src/abi/pjrt_types.h",
    "python/cyxla/_runtime.pxd",
    "python/cyxla/_pjrt.pxd",
    "python/cyxla/_runtime.pyi",
    "pyproject.toml",
    "meson.build",
    "README.md",
    "LICENSE",
]


def git(*arguments, folder):
    command = ["git", "-c", "user.name=cyxla", "-c", "user.email=cyxla@localhost"]
    command += ["-c", "core.hooksPath=/dev/null", *map(str, arguments)]
    subprocess.run(command, cwd=folder, check=True)


def copy_checkout(folder):
    """Copies the files that Git does not ignore, and returns the copy's folder."""
    index = ["--git-dir", folder / "index.git", "--work-tree", SOURCE]
    git("init", "--quiet", "--bare", folder / "index.git", folder=folder)
    git(*index, "add", "--all", folder=SOURCE)
    copy = folder / "copy"
    git(*index, "checkout-index", "--all", f"--prefix={copy}/", folder=SOURCE)
    git("init", "--quiet", folder=copy)
    git("add", "--all", folder=copy)
    git("commit", "--quiet", "--message=all files", folder=copy)
    return copy


def build_sdist(copy, folder):
    build = "import mesonpy, sys; mesonpy.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, folder], cwd=copy, check=True)
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


def missing(sdist, copy):
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    files = {
        path.relative_to(copy).as_posix()
        for path in copy.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(copy).parts
    }
    for name in sorted(files.union(NEEDED) - held):
        yield f"{sdist.name} lacks {name}"


def build_wheel(sdist, folder):
    command = [sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check"]
    command += ["--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder, sdist], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = copy_checkout(folder)
        (folder / "sdist").mkdir()
        sdist = build_sdist(copy, folder / "sdist")
        found = list(missing(sdist, copy))
        if not found:
            found = list(complaints(build_wheel(sdist, folder / "wheel")))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
