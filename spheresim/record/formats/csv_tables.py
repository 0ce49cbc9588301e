"""The format `csv`: frames.csv and events.csv, which any program reads."""

import operator
from io import FileIO
from pathlib import Path
from typing import ClassVar

import numpy as np

from spheresim.collision.impacts import BALL, KINDS, Impacts, impact_columns
from spheresim.model.state import State
from spheresim.record.csv_lines import header, numeric_rows, quoted
from spheresim.record.files_and_columns import EVENTS, FRAMES, RunError, frame_columns
from spheresim.record.formats.table_writer import Kept, Place
from spheresim.record.line_file import LineFile

_KINDS = [kind.encode() for kind in KINDS]


class CsvTables:
    """See `TableWriter`. Both tables grow by whole lines, even when the disk is full."""

    files: ClassVar[tuple[str, ...]] = (FRAMES, EVENTS)
    package: ClassVar[str | None] = None
    sizes_kept: ClassVar[int] = 2

    def __init__(self, place: Place) -> None:
        self._directory = place.directory
        self._locked = place.frames
        # What stands for j and obstacle; the last, number -1, is neither.
        self._obstacles = [b",%b" % quoted(name).encode() for name in place.obstacles] + [b","]
        self._balls = [b"%d," % ball for ball in range(len(place.scene.balls))]
        self._frame_header = header(frame_columns(place.scene.has_spin))
        self._event_header = header(impact_columns(place.scene.has_spin))

    def begin(self) -> None:
        events = (self._directory / EVENTS).open("xb", buffering=0)
        self._frames = LineFile(self._locked, self._frame_header)
        self._events = LineFile(events, self._event_header)

    def check(self, kept: Kept) -> None:
        events = (self._directory / EVENTS).open("r+b", buffering=0)
        frame_bytes, event_bytes = kept.sizes
        _check_lines(self._directory / FRAMES, self._locked, self._frame_header, frame_bytes)
        _check_lines(self._directory / EVENTS, events, self._event_header, event_bytes)
        self._old_events = events

    def go_on(self, kept: Kept) -> None:
        frame_bytes, event_bytes = kept.sizes
        self._frames = LineFile(self._locked, keep=frame_bytes)
        self._events = LineFile(self._old_events, keep=event_bytes)

    def frame(self, number: int, state: State) -> None:
        moving = (state.position, state.velocity, state.angular_velocity)
        numbers = np.hstack([column for column in moving if column is not None])
        start = f"{number},{float(state.time[0])!r},".encode()
        rows = map(operator.add, self._balls, numeric_rows(numbers))
        self._frames.append(start + (b"\n" + start).join(rows) + b"\n")

    def impacts(self, first: int, batch: Impacts) -> None:
        if len(batch.names) == 0:
            return
        kinds, balls, others = batch.names.T.tolist()
        times = numeric_rows(batch.t[:, None])
        rows = numeric_rows(batch.numbers[:, 1:])
        lines = [
            b"%d,%b,%b,%d,%b,%b\n"
            % (
                *(event, t, _KINDS[kind], i),
                b"%d," % other if kind == BALL else self._obstacles[other],
                row,
            )
            for event, (t, kind, i, other, row) in enumerate(
                zip(times, kinds, balls, others, rows, strict=True), first
            )
        ]
        self._events.append(b"".join(lines))

    def sizes(self) -> list[int]:
        return [self._frames.size(), self._events.size()]

    def sync(self) -> None:
        self._frames.sync()
        self._events.sync()

    def close(self) -> None:
        self._events.close()


def _check_lines(path: Path, file: FileIO, first_line: str, keep: int) -> None:
    """RunError unless a table has its header, and a line ends where it did at the checkpoint."""
    file.seek(0)
    begins = file.read(len(first_line)) == first_line.encode()
    file.seek(max(0, keep - 1))
    if not begins or keep < len(first_line) or file.read(1) != b"\n":
        raise RunError(f"{path}: is not what it was when the checkpoint was made")
