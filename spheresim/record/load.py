"""Reading a finished run back."""

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from spheresim.collision.flights import NO_FLIGHTS, Flights
from spheresim.collision.impacts import OBSTACLE, Impacts, impact_columns
from spheresim.contact.contact_table import COLUMNS as CONTACT_COLUMNS
from spheresim.model.frame_arrays import frame_arrays
from spheresim.numerics.arguments import whole_number
from spheresim.numerics.arrays import Floats, Records
from spheresim.record.files_and_columns import (
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
from spheresim.record.flights_file import read_flights
from spheresim.record.read_csv import csv_batches, read_csv
from spheresim.record.read_impacts import impact_rows, rows_of_batches
from spheresim.record.read_parquet import parquet_batches, read_parquet
from spheresim.record.replay import Replay
from spheresim.record.replayed import Replayed
from spheresim.scene import Scene, load_scene
from spheresim.scene.notebook import ShownInNotebooks


class Run(ShownInNotebooks):
    """A finished or interrupted run on disk: its tables, and its state at any time.

    directory: of the run. The tables are record arrays: `run.frames.x`, `run.impacts["t"]`. frames:
    a row for each frame and ball; impacts: a row for each impact; contacts: a row for each lasting
    contact at the end; balls: a row for each ball. In impacts and contacts, `j` is -1 for an
    obstacle, and `obstacle` is empty for two balls. scene: the scene as it was run; info: the
    contents of `run.json`. A file is read when it is first used. RunError if the directory holds no
    run, or a file is missing or damaged.
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
            raise RunError(f"{self.directory}: is a file, not the directory of a run")
        if not found:
            raise RunError(f"{self.directory}: holds no run, for it has no {INFO}")

    @classmethod
    def load(cls, directory: str | Path) -> "Run":
        """Open the run in a directory; RunError if there is none."""
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
        """The scene as it was run, with all options of the command line."""
        return load_scene(self.directory)

    @cached_property
    def frames(self) -> Records:
        """The frames: columns frame, t, ball, x, y, z, vx, vy, vz; with spins also wx, wy, wz.

        After a killed run in Parquet, frames whose earlier impacts were not written are left out.
        """
        frames = self._table(FRAMES, frame_columns(self.scene.has_spin))
        if self._parts(FRAMES) is None or self._is_finished:
            return frames
        return frames if self._is_silent else frames[frames.t <= self._known_until()]

    @cached_property
    def whole_frames(self) -> Records:
        """The rows of complete frames; of a killed run the last frame may be cut.

        RunError if there is none, or they are not of the scene's balls, in order of time.
        """
        n, where = len(self.scene.balls), self.directory / FRAMES
        frames = cast(Records, self.frames[: len(self.frames) // n * n])
        if len(frames) == 0:
            raise RunError(f"{where}: holds no frame of {n} balls")
        if (np.reshape(frames.ball, (-1, n)) != np.arange(n)).any():
            raise RunError(f"{where}: is not of the {n} balls of its scene")
        if (np.diff(frames.t[::n]) <= 0.0).any():
            raise RunError(f"{where}: its times do not increase")
        return frames

    @cached_property
    def impacts(self) -> Records:
        """The impacts: the columns of `events.csv`."""
        return self._table(EVENTS, impact_columns(self.scene.has_spin))

    @cached_property
    def contacts(self) -> Records:
        """The lasting contacts at the end: the columns of `simulation.contacts`."""
        if CONTACTS not in self.info.get("files", ()):
            return np.zeros(0, dtype=CONTACT_COLUMNS).view(np.recarray)
        return self._table(CONTACTS, CONTACT_COLUMNS)

    @cached_property
    def balls(self) -> Records:
        """The balls: columns ball, name, radius, mass, restitution; with spins also inertia."""
        return self._table(BALLS, ball_columns(self.scene.has_spin))

    def at(self, t: float) -> Replayed:
        """Positions and velocities, (n, 3) each, at any time from the first to the last frame.

        They are exact to rounding, between frames too, because they are computed from the frame
        before, the impacts since then, and the logged flights. With the fixed step they are
        approximate for balls in lasting contact, whose forces are not logged: such a ball moves on
        a straight line to the next frame. ValueError for a time outside the run, RunError if
        impacts were not written.
        """
        return self.replay.at(t)

    @cached_property
    def replay(self) -> Replay:
        """The run as a trajectory: see `at`."""
        counted, happened = self._counted(), (self.info.get("impacts") or 0)
        is_short = counted < happened and (self.info.get("finished") is True or counted == 0)
        if is_short or self._is_silent:
            raise RunError(
                f"{self.directory}: holds {counted} of {happened or 'its'} impacts, so the "
                "motion between its frames is not known; run it with --events all"
            )
        duration = self.info.get("duration", self.scene.duration)
        return Replay(self.scene, self.whole_frames, self.rows, self.flights, float(duration))

    @cached_property
    def flights(self) -> Flights:
        """The logged flights, which do not follow from impacts, see `Flights`; may be empty."""
        path = self.directory / FLIGHTS
        if not path.is_file():
            return NO_FLIGHTS
        return read_flights(path, len(self.scene.balls), self._is_finished)

    @cached_property
    def rows(self) -> Impacts:
        """The impacts as arrays, with kinds and obstacles as numbers.

        This takes a third of the time of `impacts`.
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
        is_whole = self._counted() >= (self.info.get("impacts") or 0)
        return max(last, float(self.info.get("time") or 0.0) if is_whole else 0.0)

    def position(self, frame: int) -> Floats:
        """The centres of all balls at a frame, (n, 3) [length].

        frame: an index from 0; IndexError if there is no such frame.
        """
        index, n = whole_number(frame, "frame", low=0), len(self.balls)
        frames = len(self.frames) // n if n else 0
        if index >= frames:
            raise IndexError(f"there are {frames} frames, so none has the index {index}")
        return frame_arrays(self.frames[index * n : (index + 1) * n], n).position[0]

    def _read(self, name: str) -> str:
        try:
            return (self.directory / name).read_text(encoding="utf-8")
        except OSError as fault:
            raise RunError(f"{self.directory / name}: {fault.strerror}") from None
        except UnicodeDecodeError:
            raise RunError(f"{self.directory / name}: is no UTF-8 text") from None

    def _table(self, name: str, columns: list[tuple[str, str]]) -> Records:
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
        """The folder of a table that was written in Parquet, unless its CSV is there; else None."""
        files, parts = self.info.get("files", (name,)), PARQUET_OF.get(name)
        has_csv = name in files and (self.directory / name).exists()
        return self.directory / parts if parts and parts in files and not has_csv else None

    @property
    def _is_finished(self) -> bool:
        return self.info.get("finished") is True
