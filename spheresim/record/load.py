"""Reading a finished run back."""

import csv
import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.collision.contact_table import COLUMNS as CONTACT_COLUMNS
from spheresim.collision.impacts import COLUMNS
from spheresim.numerics.arguments import whole_number
from spheresim.record.csv_lines import header
from spheresim.record.layout import (
    BALL_COLUMNS,
    BALLS,
    CONTACTS,
    EVENTS,
    FRAME_COLUMNS,
    FRAMES,
    INFO,
    RunError,
)
from spheresim.scene import Scene, load_scene
from spheresim.scene.faults import shown


class Run:
    """A run on disk. The tables are record arrays: `run.frames.x`, `run.impacts["t"]`.

    scene: the scene as it was run; frames: a row per frame and ball; impacts: a row per
    impact, `j` being -1 and `obstacle` empty where they do not apply; contacts: a row for each
    that lasted at the end of the run, likewise; balls: a row per ball; info: what `run.json`
    says. Each is read at its first use, which raises RunError if the file is missing or damaged.
    """

    def __init__(self, directory: str | Path) -> None:
        if not isinstance(directory, str | os.PathLike):
            raise TypeError(f"a run's directory must be a path, not {directory!r}")
        self.directory = Path(directory)
        try:
            found = (self.directory / INFO).is_file()
        except OSError as fault:
            raise RunError(f"{self.directory}: {fault.strerror}") from None
        if not found:
            raise RunError(f"{self.directory}: holds no run, for it has no {INFO}")

    @classmethod
    def load(cls, directory: str | Path) -> "Run":
        """Open a run's directory."""
        return cls(directory)

    @cached_property
    def info(self) -> dict[str, Any]:
        """The contents of `run.json`."""
        try:
            info = json.loads(self._read(INFO))
        except (ValueError, RecursionError) as fault:
            raise RunError(f"{self.directory / INFO}: is no JSON object: {fault}") from None
        if not isinstance(info, dict):
            raise RunError(f"{self.directory / INFO}: is no JSON object")
        return info

    @cached_property
    def scene(self) -> Scene:
        """The scene as it was run."""
        return load_scene(self.directory)

    @cached_property
    def frames(self) -> Any:
        """Columns frame, t, ball, x, y, z, vx, vy, vz."""
        return self._table(FRAMES, FRAME_COLUMNS)

    @cached_property
    def impacts(self) -> Any:
        """Columns as `events.csv`."""
        return self._table(EVENTS, COLUMNS)

    @cached_property
    def contacts(self) -> Any:
        """Columns as `simulation.contacts`; without rows if no contact lasted at the end."""
        if CONTACTS not in self.info.get("files", ()):
            return np.zeros(0, dtype=CONTACT_COLUMNS).view(np.recarray)
        return self._table(CONTACTS, CONTACT_COLUMNS)

    @cached_property
    def balls(self) -> Any:
        """Columns ball, name, radius, mass, restitution."""
        return self._table(BALLS, BALL_COLUMNS)

    def position(self, frame: int) -> Any:
        """Centres at a frame, counted from 0, shape (n, 3); IndexError if there is none such."""
        index, n = whole_number(frame, "frame", low=0), len(self.balls)
        frames = len(self.frames) // n if n else 0
        if index >= frames:
            raise IndexError(f"there are {frames} frames, so none has the index {index}")
        rows = self.frames[index * n : (index + 1) * n]
        return np.stack([rows.x, rows.y, rows.z], axis=1)

    def _read(self, name: str) -> str:
        try:
            return (self.directory / name).read_text(encoding="utf-8")
        except OSError as fault:
            raise RunError(f"{self.directory / name}: {fault.strerror}") from None
        except UnicodeDecodeError:
            raise RunError(f"{self.directory / name}: is no UTF-8 text") from None

    def _table(self, name: str, columns: list[tuple[str, str]]) -> Any:
        text = self._read(name)
        if not text.startswith(header(columns)):
            raise RunError(f"{self.directory / name}: does not begin with {header(columns)[:-1]}")
        lines = text.splitlines()[1:]
        table = _numeric_table(lines, columns)
        if table is None:
            try:
                table = np.array(list(_fields(lines, columns)), dtype=columns)
            except (ValueError, csv.Error) as fault:
                raise RunError(f"{self.directory / name}: {fault}") from None
        return table.view(np.recarray)


def _numeric_table(lines: list[str], columns: list[tuple[str, str]]) -> Any:
    """A table of numbers, read fast; None if a column is text or a field is no number."""
    if not lines or any(kind not in _CONVERT for _, kind in columns):
        return None
    try:
        return np.loadtxt(lines, delimiter=",", dtype=columns, ndmin=1, comments=None)
    except ValueError:
        return None


def _whole(text: str) -> int:
    """A whole number of 64 bits; -1 for an empty field."""
    number = int(text) if text else -1
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


_CONVERT: dict[str, Any] = {"i8": _whole, "f8": float}
_EXPECTED = {"i8": "a whole number", "f8": "a number"}


def _fields(lines: list[str], columns: list[tuple[str, str]]) -> Iterator[tuple[Any, ...]]:
    """The rows of any table, field by field; ValueError says what is wrong with which line."""
    for line, row in enumerate(csv.reader(lines), start=2):
        if len(row) != len(columns):
            raise ValueError(f"line {line} has {len(row)} fields, not {len(columns)}")
        fields = []
        for (name, kind), text in zip(columns, row, strict=True):
            try:
                fields.append(_CONVERT.get(kind, str)(text))
            except ValueError:
                expected = _EXPECTED[kind]
                raise ValueError(
                    f"line {line}: {name} must be {expected}, not {shown(text)}"
                ) from None
        yield tuple(fields)
