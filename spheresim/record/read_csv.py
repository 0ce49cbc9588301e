"""Reading a table of a run: fast where pyarrow is installed; what is wrong is said in words."""

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spheresim.numerics.arrays import Records
from spheresim.record.csv_lines import header
from spheresim.record.files_and_columns import RunError
from spheresim.scene.faults import shown

if TYPE_CHECKING:
    from pyarrow import RecordBatch

Columns = Sequence[tuple[str, str]]
"""The names of columns, and the kinds of their values as numpy names them."""

_BLOCK = 1 << 22
"""Bytes that pyarrow reads at once."""

MAY_BE_EMPTY = "j"
"""The one whole number that may be an empty field; then it counts as -1."""


def read_csv(path: Path, columns: Columns, is_finished: bool) -> Records:
    """A table as a record array; RunError says what is wrong with the file.

    A killed run may leave the beginning of a line at the end: where it is not finished, that is
    left out.
    """
    size = _complete(path, columns, is_finished)
    try:
        table = table_of(_batches(path, columns, size), columns)
    except (ImportError, ValueError):
        table = _by_numpy(path, columns, size)
    return table.view(np.recarray)


def csv_batches(path: Path, columns: Columns, is_finished: bool) -> Sequence["RecordBatch"] | None:
    """The same table as batches of Arrow records; None where `read_csv` may know better.

    That is without pyarrow, and if there is a fault.
    """
    size = _complete(path, columns, is_finished)
    try:
        return _batches(path, columns, size)
    except (ImportError, ValueError):
        return None


def _complete(path: Path, columns: Columns, is_finished: bool) -> int:
    """The size of the file, up to the end of the last line that counts."""
    first_line = header(columns)
    try:
        with path.open("rb") as file:
            if file.read(len(first_line)) != first_line.encode():
                raise RunError(f"{path}: does not begin with {first_line[:-1]}")
            size = file.seek(0, 2)
            # Go back from the end, a block after the other, to the last end of a line.
            start = size
            while not is_finished and start > 0:
                end, start = start, max(0, start - _BLOCK)
                file.seek(start)
                found = file.read(end - start).rfind(b"\n")
                if found >= 0:
                    return start + found + 1
            return size
    except OSError as fault:
        raise RunError(f"{path}: {fault.strerror}") from None


def _batches(path: Path, columns: Columns, size: int) -> Sequence["RecordBatch"]:
    """Batches, one for each block, read by all processors.

    ImportError without pyarrow, ValueError if it finds a fault, which it would not say so well.
    """
    import pyarrow
    from pyarrow import csv as reader

    types = {"i8": pyarrow.int64(), "f8": pyarrow.float64()}
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    kinds = {name: types.get(kind, text) for name, kind in columns}
    has_text = text in kinds.values()  # without, there are no quotes to look for
    with pyarrow.memory_map(str(path)) as file:
        found = reader.read_csv(
            pyarrow.BufferReader(file.read_buffer(size)),
            reader.ReadOptions(block_size=_BLOCK),
            reader.ParseOptions(quote_char='"' if has_text else False),
            reader.ConvertOptions(column_types=kinds, null_values=[""]),
        )
    if any(found[name].null_count for name, _ in columns if name != MAY_BE_EMPTY):
        raise ValueError("an empty field")
    return found.to_batches()


def table_of(batches: Sequence["RecordBatch"], columns: Columns) -> np.ndarray:
    """Batches of Arrow records as one structured array."""
    table, start = np.empty(sum(map(len, batches)), dtype=list(columns)), 0
    for batch in batches:
        _copy_rows(batch, columns, table[start : start + len(batch)])
        start += len(batch)
    return table


def _copy_rows(batch: "RecordBatch", columns: Columns, rows: np.ndarray) -> None:
    for name, kind in columns:
        column = batch.column(name)
        if kind in _CONVERT:
            filled = column.fill_null(-1) if column.null_count else column
            rows[name] = filled.to_numpy()
        else:  # text, of which the same occurs again and again
            words = np.array([*column.dictionary.to_pylist(), ""], dtype=kind)
            rows[name] = words[column.indices.fill_null(-1).to_numpy()]


def _by_numpy(path: Path, columns: Columns, size: int) -> np.ndarray:
    with path.open("rb") as file:
        data = file.read(size)
    try:
        lines = data.decode().splitlines()[1:]
    except UnicodeDecodeError:
        raise RunError(f"{path}: is no UTF-8 text") from None
    table = _numeric_table(lines, columns)
    if table is not None:
        return table
    try:
        return np.array(list(_fields(lines, columns)), dtype=list(columns))
    except (ValueError, csv.Error) as fault:
        raise RunError(f"{path}: {fault}") from None


def _numeric_table(lines: list[str], columns: Columns) -> np.ndarray | None:
    """A table of numbers, read fast; None if a column is text or a field is no number."""
    if not lines or any(kind not in _CONVERT for _, kind in columns):
        return None
    try:
        return np.loadtxt(lines, delimiter=",", dtype=list(columns), ndmin=1, comments=None)
    except ValueError:
        return None


def _whole(text: str) -> int:
    """A whole number of 64 bits; -1 for an empty field."""
    number = int(text) if text else -1
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


_CONVERT: dict[str, Callable[[str], int | float]] = {"i8": _whole, "f8": float}
_EXPECTED = {"i8": "a whole number", "f8": "a number"}


def _fields(lines: list[str], columns: Columns) -> Iterator[tuple[object, ...]]:
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
