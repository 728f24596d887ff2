"""The reference of the C interface, made from the comments of the public header.

A paragraph of the header, which ends with an empty line, is a comment and the
declarations that it describes. Handles are described by the list of nouns at its top.
"""

import re

SECTION = re.compile(r"/\* ---- (?P<title>.+?) -+ \*/$")
NOUN = re.compile(r"^  (?P<noun>\w+) {2,}(?P<text>\S.*)$")
DECLARED = (
    re.compile(r"^#define (\w+)", re.MULTILINE),
    re.compile(r"^typedef (?:enum|struct|union|void) (\w+)", re.MULTILINE),
    re.compile(r"^CYXLA_API[^;(]*?\b(\w+)\(", re.MULTILINE),
)
# What is no declaration for users: guards, includes and how symbols are exported.
PREPROCESSING = ("#ifndef", "#ifdef", "#if ", "#include", "#endif")
IDENTIFIER = re.compile(r"\*?\b(?:[A-Za-z0-9]*_[A-Za-z0-9_]+|NULL)\b|\*\w+")


def make_reference(header):
    """Returns the page as Markdown and the list of what is not documented."""
    top, *paragraphs = [part for part in re.split(r"\n\s*\n", header) if part.strip()]
    introduction = comment_text(top[: top.index("*/") + 2])
    sections = split_sections(paragraphs)
    groups = [group for _, section in sections for group in section]
    describe_handles(groups, introduction)
    names = {name for group in groups for name in group.names}
    problems = [
        f"{name} has no comment"
        for group in groups
        if not group.text
        for name in group.names
    ]
    problems += [f"{name} was not understood" for name in declared(header) - names]
    lines = ["# C reference", "", *render_introduction(introduction, names)]
    for title, section in sections:
        lines += ["", f"## {title}"]
        for group in section:
            lines += ["", *group.render(names)]
    return "\n".join(lines) + "\n", problems


class Group:
    """Declarations that stand together, and the comment above them."""

    def __init__(self, paragraph):
        comment = re.match(r"/\*.*?\*/\n", paragraph, re.DOTALL)
        self.text = comment_text(comment[0]) if comment else []
        self.code = paragraph[comment.end() :] if comment else paragraph
        self.names = names_in(self.code)

    def render(self, known):
        """The lines of its part of the page."""
        anchors = "".join(f'<a id="{name}"></a>' for name in self.names)
        title = ", ".join(f"`{name}`" for name in self.names)
        lines = [anchors, "", f"### {title}", "", "```c"]
        lines += [without_export(self.code), "```"]
        if self.text:
            lines += ["", *(marked_up(line, known) for line in self.text)]
        return lines


def split_sections(paragraphs):
    """The sections of a header: pairs of a title and its groups."""
    sections = [("Version", [])]
    for paragraph in paragraphs:
        heading = SECTION.match(paragraph)
        if heading:
            sections.append((heading["title"], []))
        elif not paragraph.startswith((*PREPROCESSING, "}")):
            sections[-1][1].append(Group(paragraph))
    return sections


def describe_handles(groups, introduction):
    """Gives the types of handles the text that their nouns have at the top."""
    entries = [match for match in map(NOUN.match, introduction) if match]
    nouns = {f"cyxla_{entry['noun']}": entry["text"] for entry in entries}
    for group in groups:
        if not group.text and len(group.names) == 1 and group.names[0] in nouns:
            text = nouns[group.names[0]]
            group.text = [text[0].upper() + text[1:]]


def without_export(code):
    """Code without the macro that exports a function, aligned as it was with it."""
    macro = "CYXLA_API "
    if macro not in code:
        return code.rstrip()
    return "\n".join(
        line.removeprefix(macro if line.startswith(macro) else " " * len(macro))
        for line in code.splitlines()
    )


def names_in(code):
    """The names that some code declares, in its order."""
    found = [match for pattern in DECLARED for match in pattern.finditer(code)]
    return [match[1] for match in sorted(found, key=lambda match: match.start())]


def declared(header):
    """The public names of a header, found in another way than by its paragraphs."""
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    functions = re.findall(r"\b(cyxla_\w+)\(", code)
    types = re.findall(r"\}\s*(cyxla_\w+);|typedef struct \w+ (\w+);", code)
    macros = set(re.findall(r"#define (CYXLA_\w+)", code)) - {
        "CYXLA_H",
        "CYXLA_API",
    }
    return {*functions, *(name for pair in types for name in pair if name), *macros}


def comment_text(comment):
    """The lines of a comment without its marks."""
    lines = comment.strip().removeprefix("/*").removesuffix("*/").splitlines()
    return [re.sub(r"^ (?:\* ?)?", "", line).rstrip() for line in lines]


def render_introduction(lines, names):
    """The comment at the top, whose indented entries become lists."""
    rendered = []
    for line in lines:
        entry = NOUN.match(line)
        if entry:
            if rendered[-1] != "" and not rendered[-1].startswith(("- ", "  ")):
                rendered.append("")
            rendered.append(f"- **{entry['noun']}** {marked_up(entry['text'], names)}")
        elif line.startswith("   "):
            rendered.append(f"  {marked_up(line.strip(), names)}")
        else:
            rendered.append(marked_up(line.strip(), names))
    return rendered


def marked_up(line, names):
    """A line with its identifiers as code, and as links where they are known."""

    def replace(match):
        name = match[0]
        return f"[`{name}`](#{name})" if name in names else f"`{name}`"

    return IDENTIFIER.sub(replace, line)
