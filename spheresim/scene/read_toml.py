"""From a file's bytes to its TOML tables; each way in which that can fail is one sentence."""

import re
import tomllib
from pathlib import Path
from typing import Any

from spheresim.scene.faults import SceneError, shown

LARGEST_SCENE = 8_000_000
"""Bytes; a scene with more balls than fit keeps them in a ball file."""

MOST_TABLES, MOST_KEYS, MOST_VALUES = 50_000, 150_000, 400_000
"""Bounds on a scene file: any file within them is read, or refused, within seconds."""

DEEPEST = 8
"""Bound on lists in lists and tables in tables: parsers recurse once for each level."""

# A string (up to the end of the file if it never ends) or a comment: brackets, dots and equals
# signs in it are not structure.
_NO_STRUCTURE = re.compile(
    r'"""(?:\\.|(?!""").)*+(?:""")?'
    r"|'''(?:(?!''').)*+(?:''')?"
    r'|"(?:\\[^\n]|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_NO_DIGIT = re.compile(r"[=,\[\s][+-]?\.[0-9]")
_BESIDE_BRACKETS = bytes(code for code in range(256) if chr(code) not in "[]{}")
_DOTTED = re.compile(rf"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){{{DEEPEST}}}")


def read_bytes(path: Path) -> bytes:
    """A scene file's bytes; SceneError if it cannot be read or is too large."""
    try:
        size = path.stat().st_size
        if size > LARGEST_SCENE:
            raise SceneError(
                [
                    f"{path}: must be a scene of at most {LARGEST_SCENE // 1_000_000} MB, not "
                    f"{size / 1e6:.1f} MB; many balls are better kept in a [[ball_file]], large "
                    "meshes in STL or OBJ files"
                ]
            )
        return path.read_bytes()
    except OSError as fault:
        raise SceneError([f"{path}: cannot be read: {fault.strerror}"]) from None


def parse(data: bytes, path: Path) -> tuple[str, dict[str, Any]]:
    """A scene file's text, and its tables; SceneError if it is no TOML."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        what = f"line {line}: must be text in UTF-8, not the byte 0x{data[fault.start]:02x}"
        raise SceneError([f"{path}: {what}"]) from None
    if what := _out_of_bounds(text):
        raise SceneError([f"{path}: {what}"])
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        what = _with_line(str(fault), text)
    except ValueError:
        what = "is no TOML: it has a number of thousands of digits"
    raise SceneError([f"{path}: {what}"])


def _out_of_bounds(text: str) -> str:
    """Why a text is too deep or too large for a parser, or ""; found without parsing it."""
    structure = _NO_STRUCTURE.sub("s", text)  # a string may be a key
    if _is_deep(structure) or _DOTTED.search(structure):
        return f"must be a scene, not lists or tables nested more than {DEEPEST} deep"
    tables = structure.count("{") + sum(1 for _ in _HEADER.finditer(structure))
    for many, most, of in (
        (tables, MOST_TABLES, "tables"),
        (structure.count("="), MOST_KEYS, "keys"),
        (structure.count(","), MOST_VALUES, "values in lists"),
    ):
        if many > most:
            return (
                f"must be a scene of at most {most:,} {of}, not {many:,}; "
                "many balls are better kept in a [[ball_file]]"
            )
    return ""


def _is_deep(structure: str) -> bool:
    """Whether brackets nest deeper than `DEEPEST`: whether some are left after removing innermost
    pairs that many times."""
    brackets = structure.encode().translate(None, _BESIDE_BRACKETS)
    brackets = brackets.replace(b"{", b"[").replace(b"}", b"]")
    for _ in range(DEEPEST):
        brackets = brackets.replace(b"[]", b"")
    return b"[]" in brackets or brackets.count(b"[") > DEEPEST


def _with_line(fault: str, text: str) -> str:
    """A parser's fault with the number and the text of the line where it is."""
    lines = text.rstrip().split("\n")
    found = re.search(r" \(at line (\d+), column (\d+)\)", fault)
    number = int(found[1]) if found else len(lines)
    column = f", column {found[2]}" if found else ""
    reason = re.sub(r" \(at [^()]*\)$", "", fault)
    reason = reason[:1].lower() + reason[1:]
    line = lines[min(number, len(lines)) - 1].strip()
    hint = "; a number needs a digit before its point" if _NO_DIGIT.search(line) else ""
    return f"line {number}{column}: is no TOML: {reason}, in {shown(line)}{hint}"


def leading_comment(text: str) -> str:
    """The comment that a scene file opens with, without its number signs."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line[1:].removeprefix(" ").rstrip())
    return "\n".join(lines)
