"""``python -m cyxla``: what is installed, and whether a plugin does what it should."""

import argparse
import json
import sys

from cyxla import __version__, conformance, listing


def main(arguments=None):
    """Runs a command and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m cyxla", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("plugins", help="list the plugins that are found (the default)")
    check = commands.add_parser(
        "check", help="try what a plugin offers, on this machine"
    )
    check.add_argument("path", help="the plugin's library")
    check.add_argument("--platform", help="the platform that it implements")
    options = parser.parse_args(arguments)
    if options.command == "check":
        rows = conformance.check_plugin(options.path, options.platform)
        text = conformance.format_rows(rows)
        code = 1 if any(row.status == "failed" for row in rows) else 0
    else:
        rows = listing.list_plugins()
        text = listing.format_rows(rows)
        code = 0
    if options.json:
        text = json.dumps([row._asdict() for row in rows], indent=2)
    print(text)
    return code


if __name__ == "__main__":
    sys.exit(main())
