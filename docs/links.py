"""Links of Markdown pages, and whether what they name is there."""

import re

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="(?P<name>[^"]+)">')


def find_broken_links(page):
    """What is wrong with the links of a page, a list of texts."""
    problems = []
    for target in links(page.read_text()):
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        if not linked.exists():
            problems.append(f"{page.name} links to {path}, which does not exist")
        elif anchor and anchor not in anchors(linked.read_text()):
            problems.append(f"{page.name} links to {target}, which has no such heading")
    return problems


def links(text):
    """The targets of a page's links, but for those to other sites."""
    targets = [match["target"] for match in LINK.finditer(FENCED.sub("", text))]
    return [target for target in targets if not target.startswith("https://")]


def anchors(text):
    """The names that links to a page may have behind a #, as GitHub makes them."""
    text = FENCED.sub("", text)
    titles = [match["title"].lower() for match in HEADING.finditer(text)]
    slugs = {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}
    return slugs | {match["name"] for match in ANCHOR.finditer(text)}
