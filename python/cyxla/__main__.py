"""``python -m cyxla``: what is installed, whether a plugin does what it should, and
what the disk cache holds."""

import argparse
import json
import sys

from cyxla import __version__, cache_report, conformance, listing
from cyxla.plugins import find_default_plugin

# Commands of the program of the same name, which is written in C.
OF_THE_PROGRAM = ("info", "compile", "run", "bench")
HINT = (
    "command of the program cyxla, which is installed with the C library: make library "
    "in a checkout installs build/prefix/bin/cyxla"
)


def make_parser():
    """The commands and their options."""
    parser = argparse.ArgumentParser(
        prog="python -m cyxla",
        description=__doc__,
        epilog=f"{', '.join(OF_THE_PROGRAM)}: each is a {HINT}.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    # Before or behind the command; its own default would undo what stands before it.
    json_option = argparse.ArgumentParser(add_help=False)
    json_option.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON"
    )
    commands = parser.add_subparsers(dest="command")
    commands.add_parser(
        "plugins",
        parents=[json_option],
        help="list the plugins that are found (the default)",
    )
    check = commands.add_parser(
        "check", parents=[json_option], help="try what a plugin offers, on this machine"
    )
    check.add_argument(
        "path", nargs="?", help="the plugin's library (default: the one that is used)"
    )
    check.add_argument("--platform", help="the platform that it implements")
    cache = commands.add_parser(
        "cache", parents=[json_option], help="tell what the disk cache holds"
    )
    cache.add_argument("--clear", action="store_true", help="remove all of it first")
    cache.add_argument(
        "--limit",
        type=cache_report.parse_size,
        metavar="SIZE",
        help="keep this limit with the directory, such as 500M or 2G",
    )
    return parser


def main(arguments=None):
    """Runs a command and returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = make_parser()
    words = [word for word in arguments if word != "--json"]
    if words and words[0] in OF_THE_PROGRAM:
        parser.error(f"{words[0]} is a {HINT}")
    options = parser.parse_args(arguments)
    if options.command == "cache":
        return show_cache(options)
    if options.command == "check":
        path = options.path or find_default_plugin().path
        return check_plugin(path, options.platform, options.json)
    rows = listing.list_plugins()
    print(rows_as_json(rows) if options.json else listing.format_rows(rows))
    return 0


def check_plugin(path, platform, is_json):
    """Prints what a plugin offers, and returns 1 if a check failed."""
    rows = []
    for row in conformance.check_plugin(path, platform):
        rows.append(row)
        if not is_json:
            print(conformance.format_row(row), flush=True)
    if is_json:
        print(rows_as_json(rows))
    return 1 if any(row.status == "failed" for row in rows) else 0


def show_cache(options):
    """Changes the cache as asked and prints its state; returns 1 if it has none."""
    report = cache_report.make_report()
    if report.problem is None:
        if options.clear:
            cleared = cache_report.clear()
            if not options.json:
                print(cleared)
        if options.limit is not None:
            cache_report.set_limit(options.limit)
        report = cache_report.make_report()
    if options.json:
        print(json.dumps(report._asdict(), indent=2))
    else:
        print(cache_report.format_report(report))
    return 0 if report.problem is None else 1


def rows_as_json(rows):
    """A list of objects with the rows' fields."""
    return json.dumps([row._asdict() for row in rows], indent=2)


if __name__ == "__main__":
    sys.exit(main())
