"""Faults of a file, collected so that one exception reports them all."""

import math
import re
from collections.abc import Iterable
from datetime import date, time

SHOWN = 20
"""Faults that a message lists; of more it says how many."""

MOST_DESCRIBED = 100
"""Faults of the tables that are put into sentences; further ones are only counted."""

_LONGEST = 60


class SceneError(ValueError):
    """Raised if a scene is wrong or cannot be found.

    faults: the reasons, each a sentence on one line; unsaid: how many more there are.
    """

    def __init__(self, faults: Iterable[str], unsaid: int = 0) -> None:
        self.faults = list(map(one_line, faults))
        self.unsaid = unsaid
        super().__init__("\n".join(self.faults))

    def __str__(self) -> str:
        more = len(self.faults) + self.unsaid - SHOWN
        lines = self.faults[:SHOWN]
        if more > 0:
            lines.append(f"… and {more} more fault{'s' if more > 1 else ''}")
        return "\n".join(lines)


class Faults:
    """The faults found in one file so far, and the warnings."""

    def __init__(self, file: object) -> None:
        self.file = file
        self.lines: list[str] = []
        self.unsaid = 0
        self.warnings: list[str] = []

    def add(self, field: str, what: str) -> None:
        """Note a fault of a field, such as `ball[2].radius`; "" is the file itself."""
        line = self._line(field, what)
        if line not in self.lines[-SHOWN:]:
            self.lines.append(line)

    def warn(self, field: str, what: str) -> None:
        """Note what is probably a mistake, but can be run."""
        self.warnings.append(one_line(self._line(field, what)))

    def _line(self, field: str, what: str) -> str:
        return f"{self.file}: {field}: {what}" if field else f"{self.file}: {what}"

    def raise_any(self) -> None:
        """SceneError if there is any fault."""
        if self.lines:
            raise SceneError(self.lines, self.unsaid)


def shown(value: object) -> str:
    """A value as a user would write it in TOML, cut if it is long."""
    text = _written(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _written(value: object) -> str:
    if isinstance(value, bool | str):
        return toml(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 200 else "a huge whole number"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return "[" + ", ".join(shown(item) for item in value[:8]) + (", …]" if value[8:] else "]")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{shown_key(k)} = {shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, date | time):
        return value.isoformat()
    return repr(value)


def shown_key(key: str) -> str:
    """A key as it stands in a path, quoted where TOML would quote it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", key) else shown(key)


def toml(value: object) -> str:
    """A bool, number, text, list, or inline table as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text: str) -> str:
    """A TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{one_line(escaped)}"'


def one_line(text: object) -> str:
    """A text or a path for a message of one line: what does not print is escaped."""
    return "".join(c if c.isprintable() else _escape(c) for c in str(text))


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 65536 else f"\\U{ord(character):08x}"
