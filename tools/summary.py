"""Adds up what the parts of the test suite left in the folder of results.

Prints a line for each part and closes with one line for all: "N passed, N failed",
with the skipped ones where there are some. Exits with 1 unless something passed and
nothing failed.

usage: summary.py RESULTS
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

OUTCOMES = ("passed", "failed", "skipped")


def count_junit(path):
    """The tests of pytest."""
    counts = dict.fromkeys(OUTCOMES, 0)
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            counts["failed"] += 1
        elif case.find("skipped") is not None:
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    return counts


def count_meson(path):
    """The test functions in the programs that Meson ran, a line of JSON a program.

    Each program closes with its own counts; one that fails without a failed test has
    crashed, and counts as a failed test itself.
    """
    counts = dict.fromkeys(OUTCOMES, 0)
    for line in path.read_text().splitlines():
        program = json.loads(line)
        closing = re.findall(
            r"^(\d+) passed, (\d+) failed$", program.get("stdout", ""), re.M
        )
        passed, failed = map(int, closing[-1]) if closing else (0, 0)
        if program["result"] == "SKIP":
            counts["skipped"] += 1
        elif program["result"] != "OK":
            failed = max(failed, 1)
        elif not closing:
            passed = 1
        counts["passed"] += passed
        counts["failed"] += failed
    return counts


def collect(results):
    parts = {}
    for path in sorted(results.glob("*.check")):
        counts = parts.setdefault("checks", dict.fromkeys(OUTCOMES, 0))
        counts[path.read_text().strip()] += 1
    for path in sorted(results.glob("*.tests.json")):
        parts[path.name.removesuffix(".tests.json")] = count_meson(path)
    for path in sorted(results.glob("*.xml")):
        parts[path.stem] = count_junit(path)
    return parts


def describe(counts):
    text = f"{counts['passed']} passed, {counts['failed']} failed"
    return text + (f", {counts['skipped']} skipped" if counts["skipped"] else "")


def main(results):
    parts = collect(Path(results))
    total = dict.fromkeys(OUTCOMES, 0)
    for name, counts in parts.items():
        print(f"{name + ':':18} {describe(counts)}")
        for outcome, number in counts.items():
            total[outcome] += number
    for path in sorted(Path(results).glob("*.coverage")):
        print(f"{path.stem + ':':18} {path.read_text().strip()}")
    print(describe(total))
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
