"""Builds the documentation: the pages beside this file, and the references of the C and
Python interfaces. Fails where a public name is not documented or a link is broken.

usage: build.py [FOLDER]      default: build/docs
"""

import shutil
import sys
from pathlib import Path

import cyxla
import links
import reference_c
import reference_python

SOURCE = Path(__file__).resolve().parent
ROOT = SOURCE.parent


def build(output):
    """Writes all pages into a folder and returns the list of what is wrong."""
    output.mkdir(parents=True, exist_ok=True)
    for page in output.glob("*.md"):
        page.unlink()
    for page in SOURCE.glob("*.md"):
        shutil.copy(page, output)
    problems = []
    header = (ROOT / "include/cyxla.h").read_text()
    references = {
        "reference-c.md": reference_c.make_reference(header),
        "reference-python.md": reference_python.make_reference(cyxla),
    }
    for name, (text, undocumented) in references.items():
        (output / name).write_text(text)
        problems += [f"{name}: {problem}" for problem in undocumented]
    pages = sorted(output.glob("*.md"))
    for page in (*pages, *ROOT.glob("*.md")):
        problems += links.find_broken_links(page)
    linked = links.links((output / "index.md").read_text())
    problems += [
        f"index.md does not link to {page.name}"
        for page in pages
        if page.name not in ("index.md", *linked)
    ]
    return problems


def main():
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/docs"
    problems = build(output)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"{len(problems)} problems in the documentation")
    print(f"{len(list(output.glob('*.md')))} pages are in {output}")


if __name__ == "__main__":
    main()
