"""Directives that write reference from the program itself, so that the two cannot differ.

`command-help NAME`: what `spheresim NAME --help` prints; `scene-fields`: the fields of scene
files, from the schema by which they are checked; `python-names MODULE`: signatures and docstrings.
"""

import inspect
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class CommandHelp(SphinxDirective):
    """The help of one command, as the terminal shows it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        from typer.main import get_command
        from typer.testing import CliRunner

        from spheresim.cli import app

        assert get_command(app)
        words = [self.arguments[0], "--help"]
        shown = CliRunner().invoke(app, words, env={"COLUMNS": "92", "TERM": "dumb"})
        if shown.exit_code != 0:
            raise self.error(f"spheresim {' '.join(words)}: {shown.output}")
        return [nodes.literal_block(shown.output, shown.output.strip("\n"), language="text")]


class SceneFields(SphinxDirective):
    """One table of fields for each table of a scene file."""

    def run(self) -> list[nodes.Node]:
        from spheresim.scene.schema.scene import SceneTable

        schema = SceneTable.model_json_schema()
        made: list[nodes.Node] = [_fields("The file itself", schema)]
        for word, described in schema["properties"].items():
            kind = _reference(described)
            if kind:
                several = "items" in str(described)
                title = f"[[{word}]]" if several else f"[{word}]"
                made.append(_fields(title, schema["$defs"][kind]))
        return made


def _reference(described: Any) -> str:
    """The name of the table that a property is, or is a list of; empty for a plain value."""
    if isinstance(described, dict):
        if "$ref" in described:
            return str(described["$ref"]).rsplit("/", 1)[1]
        return next(filter(None, map(_reference, described.values())), "")
    if isinstance(described, list):
        return next(filter(None, map(_reference, described)), "")
    return ""


def _fields(title: str, table: dict[str, Any]) -> nodes.Node:
    section = nodes.section(ids=[nodes.make_id(title)])
    section += nodes.title(title, title)
    words = table.get("description", "").split("\n\n")[0]
    section += nodes.paragraph(words, words)
    required = set(table.get("required", ()))
    rows = [("field", "default", "what it is")]
    for name, described in table["properties"].items():
        default = "required" if name in required else _plain(described.get("default"))
        rows.append((name, default, described.get("description", "")))
    section += _table(rows)
    return section


def _plain(default: object) -> str:
    return "" if default is None or default == [] or isinstance(default, dict) else str(default)


def _table(rows: list[tuple[str, ...]]) -> nodes.table:
    wide = len(rows[0])
    group = nodes.tgroup(cols=wide)
    group += [nodes.colspec(colwidth=width) for width in (2, 2, 8)[:wide]]
    made = []
    for row in rows:
        line = nodes.row()
        for k, words in enumerate(row):
            text: nodes.Node = nodes.paragraph(words, words)
            if k == 0 and row is not rows[0]:
                text = nodes.paragraph("", "", nodes.literal(words, words))
            line += nodes.entry("", text)
        made.append(line)
    group += nodes.thead("", made[0])
    group += nodes.tbody("", *made[1:])
    return nodes.table("", group)


class PythonNames(SphinxDirective):
    """What a module offers: signatures, and docstrings as they are written."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module = import_module(self.arguments[0])
        made: list[nodes.Node] = []
        for name in sorted(module.__all__):
            value = getattr(module, name)
            if not (inspect.isclass(value) or callable(value)):
                continue
            section = nodes.section(ids=[nodes.make_id(f"{module.__name__}-{name}")])
            section += nodes.title(name, name)
            section += _described(name, value)
            if inspect.isclass(value):
                for member, method in sorted(_members(value).items()):
                    section += _described(f"{name}.{member}", method)
            made.append(section)
        return made


def _members(value: type) -> dict[str, object]:
    """The public members of a class that have docstrings, those of its own base classes too."""
    package = value.__module__.partition(".")[0]
    own = [base for base in reversed(value.__mro__) if base.__module__.startswith(package)]
    members = {name: member for base in own for name, member in vars(base).items()}
    return {k: member for k, member in members.items() if not k.startswith("_") and _words(member)}


def _words(value: object) -> str:
    """The docstring of a function, class or property; empty for a plain value such as a default."""
    own = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    words = getattr(own, "__doc__", None) or ""
    is_plain = words == type(own).__doc__ or words.startswith("Alias for field number")
    return "" if is_plain else inspect.cleandoc(words)


def _described(name: str, value: object) -> nodes.Node:
    own = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    try:
        signature = str(inspect.signature(own)) if callable(own) else ""
    except ValueError:
        signature = ""
    text = f"{name}{signature}\n\n{_words(value)}".strip()
    return nodes.literal_block(text, text, language="text")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("command-help", CommandHelp)
    app.add_directive("scene-fields", SceneFields)
    app.add_directive("python-names", PythonNames)
    return {"parallel_read_safe": True}
