"""The format `parquet`: frames.parquet and events.parquet, of the same columns as the CSV.

Each is a folder of parts, as readers of Parquet take it for one table. A part appears under its
name when it is whole, for a Parquet file without its end cannot be read. The last one may be
replaced by a longer one; all others hold the same number of rows, so that the bytes do not depend
on when a run was interrupted.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from spheresim.collision.impacts import BALL, COLUMNS, KINDS, Impacts
from spheresim.model.state import State
from spheresim.record.atomic import atomic_write
from spheresim.record.formats.table_writer import Kept, Place
from spheresim.record.layout import (
    EVENTS_PARQUET,
    FRAME_COLUMNS,
    FRAMES_PARQUET,
    PART,
    PART_NAME,
    RunError,
)

ROWS = 1 << 18
"""Rows of each part but the last."""

_SECONDS = 2.0
"""After so long the rows that wait for more are written, so that a killed run has them too."""


class ParquetTables:
    """See `TableWriter`."""

    files: ClassVar[tuple[str, ...]] = (FRAMES_PARQUET, EVENTS_PARQUET)
    sizes_kept: ClassVar[int] = 0

    def __init__(self, place: Place) -> None:
        import pyarrow

        self._frames = _PartTable(
            place.directory / FRAMES_PARQUET, FRAME_COLUMNS, few=("frame", "t")
        )
        self._events = _PartTable(
            place.directory / EVENTS_PARQUET, COLUMNS, few=("kind", "obstacle")
        )
        self._balls = np.arange(len(place.scene.balls))
        self._kinds = pyarrow.array(KINDS)
        self._obstacles = pyarrow.array([*place.obstacles, ""], pyarrow.string())

    def begin(self) -> None:
        self._frames.begin()
        self._events.begin()

    def check(self, kept: Kept) -> None:
        self._frames.check(kept.frames * len(self._balls))
        self._events.check(kept.events)

    def go_on(self, kept: Kept) -> None:
        self._frames.go_on(kept.frames * len(self._balls))
        self._events.go_on(kept.events)

    def frame(self, number: int, state: State) -> None:
        n = len(self._balls)
        columns = [np.full(n, number), np.full(n, float(state.time[0])), self._balls]
        for array in (state.position, state.velocity):
            columns += [array[:, axis] + 0.0 for axis in range(3)]  # no -0.0, and a copy
        self._frames.add(columns)

    def impacts(self, first: int, batch: Impacts) -> None:
        if len(batch.names) == 0:
            return
        is_ball = batch.kind == BALL
        on_obstacle = ~is_ball & (batch.other >= 0)
        self._events.add(
            [
                np.arange(first, first + len(batch.names)),
                batch.t + 0.0,
                self._kinds.take(_as_arrow(batch.kind)),
                np.array(batch.i),
                _as_arrow(batch.other, is_ball),
                self._obstacles.take(_as_arrow(batch.other, on_obstacle)),
                *(column + 0.0 for column in batch.numbers[:, 1:].T),
            ]
        )

    def sizes(self) -> list[int]:
        return []

    def sync(self) -> None:
        self._frames.flush()
        self._events.flush()

    def close(self) -> None:
        self.sync()


class _PartTable:
    """A table as a folder of parts; few: the columns in which the same comes again and again."""

    def __init__(
        self, folder: Path, columns: Sequence[tuple[str, str]], few: Sequence[str]
    ) -> None:
        import pyarrow

        self._folder, self._few = folder, list(few)
        types = {"i8": pyarrow.int64(), "f8": pyarrow.float64()}
        self._schema = pyarrow.schema(
            [(name, types.get(kind, pyarrow.string())) for name, kind in columns]
        )
        self._begun: list[Any] = []
        self._rows = self._part = 0
        self._is_written, self._written_at = True, time.monotonic()

    def begin(self) -> None:
        self._folder.mkdir()
        self._is_written = False
        self.flush()  # a table without rows, if none come

    def check(self, rows: int) -> None:
        """RunError unless there are so many rows."""
        from pyarrow import ArrowException, parquet

        for part in range(rows // ROWS + 1):
            least = min(ROWS, rows - part * ROWS)
            try:
                found = parquet.read_metadata(self._path(part)).num_rows
            except (OSError, ArrowException):
                found = -1
            if found < least:
                raise RunError(
                    f"{self._path(part)}: is not what it was when the checkpoint was made"
                )

    def go_on(self, rows: int) -> None:
        from pyarrow import parquet

        self._part, self._rows = divmod(rows, ROWS)
        for path in self._folder.glob(PART_NAME.format("*")):
            if path.stem.isdecimal() and int(path.stem) > self._part:
                path.unlink()
        table = parquet.ParquetFile(self._path(self._part)).read().slice(0, self._rows)
        self._begun = table.cast(self._schema).to_batches()
        self._is_written = False

    def add(self, columns: Sequence[Any]) -> None:
        """Add rows; a part is written when it is full."""
        import pyarrow

        arrays = [_as_arrow(column) for column in columns]
        batch = pyarrow.RecordBatch.from_arrays(arrays, schema=self._schema)
        while self._rows + len(batch) >= ROWS:
            room = ROWS - self._rows
            self._take(batch.slice(0, room))
            batch = batch.slice(room)
            self.flush()
            self._begun, self._rows, self._part = [], 0, self._part + 1
            self._is_written = False
        self._take(batch)
        if time.monotonic() > self._written_at + _SECONDS:
            self.flush()

    def _take(self, batch: Any) -> None:
        if len(batch):
            self._begun.append(batch)
            self._rows += len(batch)
            self._is_written = False

    def flush(self) -> None:
        """Write the part that has begun, in place of what there is of it."""
        if self._is_written:
            return
        import pyarrow
        from pyarrow import parquet

        table = pyarrow.Table.from_batches(self._begun, self._schema).combine_chunks()
        draft = self._folder.with_name(self._folder.name + PART)
        with atomic_write(self._path(self._part), draft) as file:
            parquet.write_table(
                *(table, file), use_dictionary=self._few, compression=_compression(table.schema)
            )
        self._is_written, self._written_at = True, time.monotonic()

    def _path(self, part: int) -> Path:
        return self._folder / PART_NAME.format(f"{part:06d}")


def _as_arrow(column: Any, valid: Any = None) -> Any:
    """A column of numbers of 64 bits for Arrow, null where it is not valid; Arrow's own as it is.

    `pyarrow.array` would import pandas where that is installed, only to ask what it was given.
    """
    import pyarrow

    if isinstance(column, pyarrow.Array):
        return column
    kind = pyarrow.float64() if column.dtype == np.float64 else pyarrow.int64()
    there = None if valid is None else pyarrow.py_buffer(np.packbits(valid, bitorder="little"))
    buffer = pyarrow.py_buffer(np.ascontiguousarray(column))
    return pyarrow.Array.from_buffers(kind, len(column), [there, buffer])


def _compression(schema: Any) -> dict[str, str]:
    """The digits of coordinates are as good as random: nothing but the other columns gets less."""
    first_axis = schema.get_field_index("x")
    return {
        name: "lz4" if index < first_axis else "none" for index, name in enumerate(schema.names)
    }
