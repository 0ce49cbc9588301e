"""The format `parquet`: frames.parquet and events.parquet, of the same columns as the CSV.

Each is a folder of parts, as readers of Parquet take it for one table. A part appears under its
name when it is whole, for a Parquet file without its end cannot be read. The last one may be
replaced by a longer one; all others hold the same number of rows, so that the bytes do not depend
on when a run was interrupted.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from spheresim.collision.impacts import BALL, KINDS, Impacts, impact_columns
from spheresim.model.state import State
from spheresim.numerics.arrays import Booleans
from spheresim.record.atomic import atomic_write
from spheresim.record.files_and_columns import (
    EVENTS_PARQUET,
    FRAMES_PARQUET,
    PART,
    PART_NAME,
    RunError,
    frame_columns,
)
from spheresim.record.formats.table_writer import Kept, Place
from spheresim.record.read_csv import MAY_BE_EMPTY

if TYPE_CHECKING:
    from pyarrow import Array, Schema, StringArray

ROWS = 1 << 18
"""Rows of each part but the last."""

_SECONDS = 2.0
"""After so long the rows that wait for more are written, so that a killed run has them too."""


class ParquetTables:
    """See `TableWriter`."""

    files: ClassVar[tuple[str, ...]] = (FRAMES_PARQUET, EVENTS_PARQUET)
    package: ClassVar[str | None] = "pyarrow"
    sizes_kept: ClassVar[int] = 0

    def __init__(self, place: Place) -> None:
        has_spin = place.scene.has_spin
        self._frames = _PartTable(
            place.directory / FRAMES_PARQUET, frame_columns(has_spin), few=("frame", "t")
        )
        words = {"kind": KINDS, "obstacle": place.obstacles}
        columns = impact_columns(has_spin)
        self._events = _PartTable(place.directory / EVENTS_PARQUET, columns, words=words)
        self._balls = np.arange(len(place.scene.balls))

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
        frame, time = np.broadcast_to(number, n), np.broadcast_to(float(state.time[0]), n)
        turning = () if state.angular_velocity is None else state.angular_velocity.T
        self._frames.add([frame, time, self._balls, *state.position.T, *state.velocity.T, *turning])

    def impacts(self, first: int, batch: Impacts) -> None:
        n = len(batch.names)
        is_ball = batch.kind == BALL
        self._events.add(
            [
                *(np.arange(first, first + n), batch.t, batch.kind, batch.i),
                np.where(is_ball, batch.other, -1),
                np.where(is_ball, -1, batch.other),
                *batch.numbers[:, 1:].T,
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
    """A table as a folder of parts.

    few: the columns of numbers in which the same come again and again; words: those that a column
    of text chooses from, by its name: rows hold their numbers, of which those below 0 stand for
    null.
    """

    def __init__(
        self,
        folder: Path,
        columns: Sequence[tuple[str, str]],
        few: Sequence[str] = (),
        words: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        import pyarrow

        self._folder, self._few = folder, [*few, *words]
        self._words = {name: _as_text(known) for name, known in words.items()}
        types = {"i8": pyarrow.int64(), "f8": pyarrow.float64()}
        text = pyarrow.dictionary(pyarrow.int64(), pyarrow.string())
        self._schema = pyarrow.schema(
            [
                pyarrow.field(name, types.get(kind, text), self._may_be_null(name))
                for name, kind in columns
            ]
        )
        self._columns = [np.empty(ROWS, "f8" if kind == "f8" else "i8") for _, kind in columns]
        self._rows = self._part = 0  # how many rows of which part there are
        self._is_written, self._written_at = True, time.monotonic()

    def begin(self) -> None:
        self._folder.mkdir()
        self._is_written = False
        self.flush()  # a table without rows, if none come

    def check(self, rows: int) -> None:
        """RunError unless there are this many rows."""
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
        from pyarrow import compute, parquet

        self._part, self._rows = divmod(rows, ROWS)
        for path in self._folder.glob(PART_NAME.format("*")):
            if path.stem.isdecimal() and int(path.stem) > self._part:
                path.unlink()
        table = parquet.ParquetFile(self._path(self._part)).read().slice(0, self._rows)
        for name, column in zip(self._schema.names, self._columns, strict=True):
            found = table[name].combine_chunks()
            if name in self._words:
                found = compute.index_in(found, self._words[name])
            column[: self._rows] = found.fill_null(-1) if found.null_count else found
        self._is_written = False

    def add(self, columns: Sequence[np.ndarray]) -> None:
        """Add rows; a part is written when it is full."""
        start, rows = 0, len(columns[0])
        while start < rows:
            end = min(rows, start + ROWS - self._rows)
            place = slice(self._rows, self._rows + end - start)
            for column, new in zip(self._columns, columns, strict=True):
                np.add(new[start:end], 0, out=column[place])  # which turns -0.0 into 0.0
            self._is_written = False
            start, self._rows = end, place.stop
            if self._rows == ROWS:
                self.flush()
                self._rows, self._part, self._is_written = 0, self._part + 1, False
        if time.monotonic() > self._written_at + _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the part that has begun, in place of what there is of it."""
        if self._is_written:
            return
        import pyarrow
        from pyarrow import parquet

        arrays = [
            self._as_arrow(name, column[: self._rows])
            for name, column in zip(self._schema.names, self._columns, strict=True)
        ]
        table = pyarrow.Table.from_arrays(arrays, schema=self._schema)
        draft = self._folder.with_name(self._folder.name + PART)
        with atomic_write(self._path(self._part), draft) as file:
            parquet.write_table(
                *(table, file),
                use_dictionary=self._few,
                compression=_compression(table.schema),
                write_statistics=self._schema.names[:2],  # by which readers find a time
                store_schema=False,  # for readers words are text, not numbers of a list
            )
        self._is_written, self._written_at = True, time.monotonic()

    def _as_arrow(self, name: str, column: np.ndarray) -> "Array":
        """A column for Arrow, null where it is below 0 if it may be.

        `pyarrow.array` would import pandas where that is installed, only to ask what it was given,
        and `take` would import all of pyarrow's functions.
        """
        import pyarrow

        if len(column) == 0:
            return pyarrow.nulls(0, self._schema.field(name).type)

        there = pyarrow.py_buffer(_bits(column >= 0)) if self._may_be_null(name) else None
        kind = pyarrow.float64() if column.dtype == np.float64 else pyarrow.int64()
        buffers = [there, pyarrow.py_buffer(column)]
        array = pyarrow.Array.from_buffers(kind, len(column), buffers)
        if name not in self._words:
            return array
        return pyarrow.DictionaryArray.from_arrays(array, self._words[name])

    def _may_be_null(self, name: str) -> bool:
        """Whether a column may; of others Parquet need not say in which rows something is."""
        return name in (*self._words, MAY_BE_EMPTY)

    def _path(self, part: int) -> Path:
        return self._folder / PART_NAME.format(f"{part:06d}")


def _bits(valid: Booleans) -> npt.NDArray[np.uint8]:
    return np.packbits(valid, bitorder="little")


def _as_text(words: Sequence[str]) -> "StringArray":
    """Words for Arrow, without `pyarrow.array`, see `_as_arrow`."""
    import pyarrow

    encoded = [word.encode() for word in words]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(encoded))]
    return pyarrow.StringArray.from_buffers(len(encoded), *buffers)


def _compression(schema: "Schema") -> dict[str, str]:
    """The digits of coordinates are as good as random: nothing but the other columns gets less."""
    first_axis = schema.get_field_index("x")
    return {
        name: "lz4" if index < first_axis else "none" for index, name in enumerate(schema.names)
    }
