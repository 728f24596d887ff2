"""The list of plugins that ``python -m cyxla`` prints."""

import json
import subprocess
import sys
from typing import NamedTuple

from cyxla import _runtime
from cyxla.plugins import find_plugins

# Loading a plugin takes a second; one that hangs must not keep the list from the user.
INSPECTION_SECONDS = 60


class Row(NamedTuple):
    """One plugin: what is installed and what its library says about itself.

    Versions are None where they are not known. ``problem`` is None for a plugin that
    can be loaded; whether the hardware is there shows when it is initialized.
    """

    platform: str | None
    source: str
    path: str | None
    pjrt_api_version: list | None
    stablehlo_version: list | None
    extensions: list | None
    problem: str | None


def inspect(path):
    """What a plugin's library says about itself, asked in a process of its own, since a
    plugin may crash, hang, or change the process that loads it."""
    script = (
        "import json, sys; from cyxla import _runtime; "
        "print(json.dumps(_runtime.inspect_plugin(sys.argv[1])))"
    )
    try:
        process = subprocess.run(
            [sys.executable, "-c", script, str(path)],
            capture_output=True,
            text=True,
            timeout=INSPECTION_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"problem": f"it did not answer within {INSPECTION_SECONDS} seconds"}
    if process.returncode != 0:
        last = (process.stderr.strip().splitlines() or ["no message"])[-1]
        return {
            "problem": f"loading it ended the process ({process.returncode}): {last}"
        }
    return json.loads(process.stdout.splitlines()[-1])


def list_plugins():
    """A row for each plugin that is found, the preferred first."""
    return [row(plugin) for plugin in find_plugins()]


def row(plugin):
    """The row of one plugin."""
    known = {} if plugin.problem is not None else inspect(plugin.path)
    return Row(
        platform=plugin.platform,
        source=plugin.source,
        path=None if plugin.path is None else str(plugin.path),
        pjrt_api_version=known.get("pjrt_api_version"),
        stablehlo_version=known.get("stablehlo_version"),
        extensions=known.get("extensions"),
        problem=plugin.problem or known.get("problem"),
    )


def version_text(version):
    """A version with dots, or a dash where it is not known."""
    return "-" if version is None else ".".join(str(number) for number in version)


def format_rows(rows):
    """The rows as text, a few lines for each plugin."""
    lines = [f"cyxla {_runtime.version()}"]
    for row in rows:
        lines.append(f"\n{row.platform or 'unknown platform'}: {row.source}")
        lines.append(f"  path        {row.path or '-'}")
        lines.append(f"  PJRT API    {version_text(row.pjrt_api_version)}")
        lines.append(f"  StableHLO   {version_text(row.stablehlo_version)}")
        lines.append(f"  extensions  {', '.join(row.extensions or ['-'])}")
        if row.problem is not None:
            lines.append(f"  cannot be used: {row.problem}")
    if not rows:
        lines.append("no plugin was found; for the CPU, install lammps-jax-pjrt-cpu")
    return "\n".join(lines)
