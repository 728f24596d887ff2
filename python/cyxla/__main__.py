"""``python -m cyxla``: lists the plugins that are found."""

from cyxla import __version__
from cyxla.plugins import find_plugins


def main():
    """Prints one line for each plugin: platform, where it came from, path."""
    print(f"cyxla {__version__}")
    plugins = find_plugins()
    for plugin in plugins:
        print(f"{plugin.platform}  {plugin.source}  {plugin.path}")
    if not plugins:
        print("no plugin was found; for the CPU, install lammps-jax-pjrt-cpu")


if __name__ == "__main__":
    main()
