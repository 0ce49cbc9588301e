"""Reading a finished run back."""

import csv
import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.impacts import COLUMNS
from spheresim.record.layout import (
    BALL_COLUMNS,
    BALLS,
    EVENTS,
    FRAME_COLUMNS,
    FRAMES,
    INFO,
    RunError,
)
from spheresim.record.rows import header
from spheresim.scene import Scene, load_scene


class Run:
    """A run on disk. The tables are record arrays: `run.frames.x`, `run.impacts["t"]`.

    scene: the scene as it was run; frames: a row per frame and ball; impacts: a row per
    impact, `j` being -1 and `obstacle` empty where they do not apply; balls: a row per
    ball; info: what `run.json` says. Each is read when it is first asked for; what is
    missing or damaged raises RunError.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        if not (self.directory / INFO).is_file():
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
        except ValueError as fault:
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
    def balls(self) -> Any:
        """Columns ball, name, radius, mass, restitution."""
        return self._table(BALLS, BALL_COLUMNS)

    def position(self, frame: int) -> Any:
        """Centres at a frame, shape (n, 3)."""
        n = len(self.balls)
        rows = self.frames[frame * n : (frame + 1) * n]
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
        try:
            if all(kind in ("i8", "f8") for _, kind in columns):
                table = np.loadtxt(lines, delimiter=",", dtype=columns, ndmin=1)
            else:
                table = np.array(list(_fields(lines, columns)), dtype=columns)
        except ValueError as fault:
            raise RunError(f"{self.directory / name}: {fault}") from None
        return table.view(np.recarray)


def _fields(lines: list[str], columns: list[tuple[str, str]]) -> Iterator[tuple[Any, ...]]:
    """Rows of a file with names in it; an empty whole number is -1."""
    read: list[Any] = [
        {"i8": lambda text: int(text) if text else -1, "f8": float}.get(k, str) for _, k in columns
    ]
    for number, row in enumerate(csv.reader(lines), start=2):
        if len(row) != len(columns):
            raise ValueError(f"line {number} has {len(row)} fields, not {len(columns)}")
        yield tuple(convert(text) for convert, text in zip(read, row, strict=True))
