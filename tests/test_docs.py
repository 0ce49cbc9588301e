"""The documents say what is so: links, paths, names, commands, snippets and figures."""

import contextlib
import io
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from command_line import typed

import spheresim
from benchmarks import tables
from spheresim.scene import load_scene

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")), key=str)
EACH = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)

LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`([\w./-]+(?:\.(?:py|md|toml|cff|yaml|csv)|/))`")
DEFINED = re.compile(r"`([\w.]+)` in\s+`([\w/]+\.py)`")
COMMANDS = [
    found
    for document in DOCUMENTS
    for found in re.findall(
        r"(?:^ {4}|[`/])spheresim ([a-z]+)\b([^`#\n]*)", document.read_text("utf-8"), re.MULTILINE
    )
]
"""Commands in the documents, with what follows on the line."""

OUTSIDE = {"http://nehe.gamedev.net/tutorial/collision_detection/17005/"}
"""Links that lead out of the project. Tests have no network: who adds one looks where it leads."""

MADE = (
    "frames.csv",
    "events.csv",
    "contacts.csv",
    "balls.csv",
    "rows.csv",
    "scene.toml",
    "runs/",
    "runs/magic_room/",
    ".venv/",
    "build/docs/",
)
"""What commands make: it is not in the project."""


def prose_of(document: Path) -> str:
    """A document without its blocks of code."""
    return re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)


@cache
def project_files() -> list[str]:
    """All files that a document may name, from the root on, and their folders."""
    kept = ("spheresim", "viewer", "tests", "benchmarks", "scenes", "docs")
    found = [path for folder in kept for path in (ROOT / folder).rglob("*")]
    found += [path for path in ROOT.iterdir() if path.is_file()] + [
        ROOT / folder for folder in kept
    ]
    return [
        f"/{path.relative_to(ROOT).as_posix()}{'/' if path.is_dir() else ''}"
        for path in found
        if "__pycache__" not in path.parts
    ]


def is_named(name: str) -> bool:
    """Whether the path of a file or folder ends in the name."""
    return any(path.endswith(f"/{name}") for path in project_files())


def assert_none(wrong: Iterable[str]) -> None:
    """Fail with all that is wrong, and not only the first of it."""
    words = "\n".join(wrong)
    assert not words, words


def anchor_of(heading: str) -> str:
    """The anchor by which a heading is linked to."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@EACH
def test_links_lead_somewhere(document: Path) -> None:
    for link in LINK.findall(prose_of(document)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(anchor_of, headings), link


def test_links_to_the_outside_are_those_that_somebody_has_looked_at() -> None:
    found = {
        link
        for document in DOCUMENTS
        for link in re.findall(r"https?://[^)\s>\"'`]+", prose_of(document))
    }
    assert found == OUTSIDE


def test_the_site_has_every_document() -> None:
    contents = re.findall(r"```\{toctree\}\n(.*?)```", text_of("docs/index.md"), re.DOTALL)
    listed = {line for block in contents for line in block.split("\n") if line}
    written = {path.stem for path in DOCUMENTS if path.parent.name == "docs"} - {"index"}
    assert_none(sorted(written - listed))


def test_the_gallery_has_every_scene() -> None:
    lines = re.findall(
        r"^- \[.+\]\(\.\./scenes/(\w+)\.toml\): (.+)$", text_of("docs/gallery.md"), re.M
    )
    shipped = sorted(path.stem for path in ROOT.glob("scenes/*.toml"))
    assert sorted(name for name, _ in lines) == shipped
    assert dict(lines) == {name: load_scene(name).view.caption for name in shipped}


def text_of(name: str) -> str:
    """A file of the project, from the root on."""
    return (ROOT / name).read_text(encoding="utf-8")


@EACH
def test_named_files_exist(document: Path) -> None:
    if document.name == "CHANGELOG.md":  # also tells of files that are gone
        return
    named = set(PATH.findall(prose_of(document))).difference(MADE)
    assert_none(name for name in sorted(named) if not is_named(name))


@EACH
def test_named_functions_are_in_the_named_files(document: Path) -> None:
    missing = []
    for name, file in DEFINED.findall(prose_of(document)):
        paths = [path for path in project_files() if path.endswith(f"/{file}")]
        sources = [(ROOT / path[1:]).read_text(encoding="utf-8") for path in paths]
        if not all(any(defines(source, part) for source in sources) for part in name.split(".")):
            missing.append(f"{name} in {file}")
    assert_none(missing)


def defines(source: str, name: str) -> bool:
    """Whether a function, a class or a constant of this name is defined in Python source."""
    return bool(re.search(rf"^\s*((def|class) {name}\b|{name}\b[^=\n]* = )", source, re.MULTILINE))


@EACH
def test_make_targets_exist(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = document.read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:^ {4}|`)make ([a-z-]+)\b", text, re.MULTILINE))
    assert_none(targets.difference(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)))


@pytest.mark.parametrize("command", sorted({command for command, _ in COMMANDS}))
def test_commands_have_the_named_options(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    listed = set(re.findall(r"--[a-z-]+", typed(command, "--help", cwd=ROOT).stdout))
    named = {word for name, words in COMMANDS if name == command for word in words.split()}
    assert_none(sorted({word for word in named if word.startswith("--")} - listed))


@EACH
def test_tables_of_measurements_are_those_of_the_results(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert tables.renewed(text) == text, "run `make bench-tables`"


SNIPPETS = [
    pytest.param(code, id=f"{document.name}-{number}")
    for document in DOCUMENTS
    for number, code in enumerate(
        re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL), 1
    )
]


@pytest.mark.compiled_only
@pytest.mark.parametrize("code", SNIPPETS)
def test_python_snippets_run_and_print_what_they_say(code: str, folder) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "snippet", "exec"), {})
    said = re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE)
    lines = printed.getvalue().splitlines()
    for line in said:
        if re.match(r"[-\d(\[]|(inf|True|False|None)\b", line):
            assert line in lines


def test_the_citation_names_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([\w-]+): *(.*)$", citation, re.MULTILINE))
    assert fields["version"].strip('"') == spheresim.__version__
    assert {"cff-version", "message", "title", "authors"} <= fields.keys()
