"""Reading a finished run back."""

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.collision.flights import NO_FLIGHTS, Flights
from spheresim.collision.impacts import OBSTACLE, Impacts, impact_columns
from spheresim.contact.contact_table import COLUMNS as CONTACT_COLUMNS
from spheresim.numerics.arguments import whole_number
from spheresim.record.flights_file import read_flights
from spheresim.record.impact_rows import impact_rows, rows_of_batches
from spheresim.record.layout import (
    BALLS,
    CONTACTS,
    EVENTS,
    FLIGHTS,
    FRAMES,
    FRAMES_GSD,
    FRAMES_XYZ,
    INFO,
    PARQUET_OF,
    RunError,
    ball_columns,
    frame_columns,
)
from spheresim.record.read_csv import csv_batches, read_csv
from spheresim.record.read_parquet import parquet_batches, read_parquet
from spheresim.record.replay import Replay
from spheresim.record.replayed import Replayed
from spheresim.scene import Scene, load_scene
from spheresim.scene.notebook import ShownInNotebooks


class Run(ShownInNotebooks):
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
        if self.directory.is_file():
            raise RunError(f"{self.directory}: is a file, and no directory that a run made")
        if not found:
            raise RunError(f"{self.directory}: holds no run, for it has no {INFO}")

    @classmethod
    def load(cls, directory: str | Path) -> "Run":
        """Open a run's directory."""
        return cls(directory)

    def __repr__(self) -> str:
        return f"Run({str(self.directory)!r})"

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
        """Columns frame, t, ball, x, y, z, vx, vy, vz; with spins also wx, wy, wz.

        Of a killed run in Parquet, of which frames may be on the disk but impacts before them not,
        those up to where both are known.
        """
        frames = self._table(FRAMES, frame_columns(self.scene.has_spin))
        if FRAMES in self.info.get("files", (FRAMES,)) or self.info.get("finished") is True:
            return frames
        return frames if self._is_silent else frames[frames.t <= self._known_until()]

    @cached_property
    def impacts(self) -> Any:
        """Columns as `events.csv`."""
        return self._table(EVENTS, impact_columns(self.scene.has_spin))

    @cached_property
    def contacts(self) -> Any:
        """Columns as `simulation.contacts`; without rows if no contact lasted at the end."""
        if CONTACTS not in self.info.get("files", ()):
            return np.zeros(0, dtype=CONTACT_COLUMNS).view(np.recarray)
        return self._table(CONTACTS, CONTACT_COLUMNS)

    @cached_property
    def balls(self) -> Any:
        """Columns ball, name, radius, mass, restitution; with spins also inertia."""
        return self._table(BALLS, ball_columns(self.scene.has_spin))

    def at(self, t: float) -> Replayed:
        """Positions and velocities, (n, 3) each, at any time from the first to the last frame.

        They are exact, to rounding, between frames too: from the frame before, by the impacts
        since then, and by the logged flights. With the fixed step they are approximate for
        balls that lie on something: the contact forces are not logged, and such a ball goes
        straight to the next frame, from the last impact that its flight leads to.
        ValueError for a time outside, RunError if impacts were not written.
        """
        return self.replay.at(t)

    @cached_property
    def replay(self) -> Replay:
        """The run as a trajectory: see `at`."""
        counted, happened = self._counted(), self.info.get("impacts", 0)
        is_short = counted < happened and (self.info.get("finished") is True or counted == 0)
        if is_short or self._is_silent:
            raise RunError(
                f"{self.directory}: holds {counted} of {happened or 'its'} impacts, so the "
                "ways between its frames are not known; run it with --events all"
            )
        duration = self.info.get("duration", self.scene.duration)
        return Replay(
            *(self.scene, self.frames, self.rows, self.flights, float(duration), self.directory)
        )

    @cached_property
    def flights(self) -> Flights:
        """The flights that no impact implies, see `Flights`; none where the run wrote none."""
        path = self.directory / FLIGHTS
        return read_flights(path, len(self.scene.balls)) if path.is_file() else NO_FLIGHTS

    @cached_property
    def rows(self) -> Impacts:
        """The impacts as a batch of the journal, with kinds and obstacles as numbers.

        It is made without the table of `impacts`, which takes three times as long.
        """
        names = [str(obstacle.name) for obstacle in self.scene.obstacles]
        n, path = len(self.scene.balls), self.directory / EVENTS
        parts, columns = self._parts(EVENTS), impact_columns(self.scene.has_spin)
        if "impacts" in vars(self):
            batches = None
        elif parts is not None:
            batches = parquet_batches(parts, columns)
        else:
            batches = csv_batches(path, columns, self._is_finished) if path.exists() else None
        if batches is None:
            return impact_rows(self.impacts, names, n, self.directory)
        return rows_of_batches(batches, names, n, self.directory)

    @property
    def _is_silent(self) -> bool:
        """Whether impacts were not written."""
        return bool(self.info.get("events") == "none")

    def _counted(self) -> int:
        return int((self.rows.kind <= OBSTACLE).sum())

    def _known_until(self) -> float:
        """The time up to which all impacts are there: of the last one, or that of `run.json`."""
        last = float(self.rows.t[-1]) if len(self.rows.t) else 0.0
        is_whole = self._counted() >= self.info.get("impacts", 0)
        return max(last, float(self.info.get("time", 0.0)) if is_whole else 0.0)

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
        parts = self._parts(name)
        if parts is not None:
            return read_parquet(parts, columns)
        files = self.info.get("files", (name,))
        others = " and ".join(other for other in files if other in (FRAMES_XYZ, FRAMES_GSD))
        if name in PARQUET_OF and name not in files and others:
            raise RunError(
                f"{self.directory}: was written as {others} alone, which is for other programs; "
                "run it with --format csv or parquet, too"
            )
        return read_csv(self.directory / name, columns, self._is_finished)

    def _parts(self, name: str) -> Path | None:
        """The folder of a table that was written in Parquet and not as CSV; else None."""
        files, parts = self.info.get("files", (name,)), PARQUET_OF.get(name)
        return self.directory / parts if parts in files and name not in files and parts else None

    @property
    def _is_finished(self) -> bool:
        return self.info.get("finished") is True
