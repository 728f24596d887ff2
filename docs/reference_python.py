"""The reference of the Python package, made from its docstrings."""

import inspect
import re

ROLE = re.compile(r":(?:class|func|meth):`(?P<name>\w+)`")


def make_reference(package):
    """Returns the page as Markdown and the list of what is not documented."""
    problems = []
    lines = ["# Python reference", "", *render_docstring(package.__doc__, package)]
    exported = {name: getattr(package, name) for name in package.__all__}
    functions = {name: value for name, value in exported.items() if callable(value)}
    classes = {
        name: value for name, value in exported.items() if inspect.isclass(value)
    }
    for name in classes:
        del functions[name]
    for name in exported.keys() - functions.keys() - classes.keys():
        problems.append(f"{name} is neither a function nor a class")
    lines += ["", "## Functions"]
    for name, function in functions.items():
        lines += ["", *render(name, name, function, package, problems)]
    lines += ["", "## Classes"]
    for name, class_ in classes.items():
        lines += ["", *render_class(name, class_, package, problems)]
    return "\n".join(lines) + "\n", problems


def render(title, name, member, package, problems):
    """The part of a function, method or property."""
    if not member.__doc__:
        problems.append(f"{title} has no docstring")
    anchor = f'<a id="{title}"></a>'
    heading = f"### `{title}`"
    if callable(member):
        call = ["", "```python", f"{name}{inspect.signature(member)}", "```"]
    else:
        call = []
    return [anchor, "", heading, *call, "", *render_docstring(member.__doc__, package)]


def render_class(name, class_, package, problems):
    """The part of a class and of its public members, also inherited ones."""
    docstring = "\n".join(parent.__doc__ or "" for parent in own_classes(class_))
    if not class_.__doc__:
        problems.append(f"{name} has no docstring")
    fields = getattr(class_, "_fields", ())
    lines = [f'<a id="{name}"></a>', "", f"### `{name}`"]
    if fields:
        lines += [
            "",
            f"A named tuple of {', '.join(f'`{field}`' for field in fields)}.",
        ]
    elif issubclass(class_, Exception):
        bases = ", ".join(base.__name__ for base in class_.__bases__)
        lines += ["", f"An exception, based on {bases}."]
    lines += ["", *render_docstring(class_.__doc__, package)]
    problems += [
        f"{name}.{field} is not described"
        for field in fields
        if f"``{field}``" not in docstring
    ]
    for member_name in public_members(class_):
        if member_name in fields or f"``{member_name}``" in docstring:
            continue
        member = getattr(class_, member_name)
        title = f"{name}.{member_name}"
        lines += ["", *render(title, member_name, member, package, problems)]
    return lines


def own_classes(class_):
    """The class and those that it is based on, as far as they are the package's own."""
    return [
        parent for parent in class_.__mro__ if parent.__module__.startswith("cyxla")
    ]


def public_members(class_):
    """The names of the members that users may use."""
    names = {name: None for parent in own_classes(class_) for name in vars(parent)}
    return [name for name in names if not name.startswith("_") or name == "__call__"]


def render_docstring(docstring, package):
    """A docstring as lines of Markdown."""
    lines = []
    for paragraph in inspect.cleandoc(docstring or "").split("\n\n"):
        if paragraph.startswith(">>> "):
            lines += ["```pycon", paragraph, "```", ""]
        else:
            lines += [marked_up(paragraph, package), ""]
    return lines[:-1]


def marked_up(text, package):
    """Text with Markdown's marks in the place of those of reStructuredText."""

    def link(match):
        name = match["name"]
        target = f"[`{name}`](#{name})"
        return target if name in package.__all__ else f"`{name}`"

    return re.sub(r"``([^`]+)``", r"`\1`", ROLE.sub(link, text))
