"""Distributions that tests put into a folder, as an installer would."""

import os


def python_path(folder):
    """PYTHONPATH with a folder before what it holds already."""
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


def write_distribution(folder, name, entry_points, modules=()):
    """Writes a distribution: its metadata with entry points, a dict of names and
    modules, and its modules, a dict of names and sources."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    )
    lines = [f"{entry} = {module}\n" for entry, module in entry_points.items()]
    (metadata / "entry_points.txt").write_text("[cyxla.plugins]\n" + "".join(lines))
    for module, source in dict(modules).items():
        (folder / f"{module}.py").write_text(source)


def write_plugin(folder, platform, path, options=None, name=None):
    """Writes a distribution that offers a plugin for a platform."""
    name = name or f"plugin-for-{platform}"
    module = name.replace("-", "_")
    source = (
        f"PLATFORM = {platform!r}\n"
        f"CREATE_OPTIONS = {options or {}!r}\n"
        "def library_path():\n"
        f"    return {str(path)!r}\n"
    )
    write_distribution(folder, name, {platform: module}, {module: source})
    return name


def write_package(folder, module, file):
    """Writes a package that holds a file; those around it are namespaces."""
    directory = folder.joinpath(*module.split("."))
    directory.mkdir(parents=True)
    (directory / "__init__.py").touch()
    path = directory / file
    path.touch()
    return path
