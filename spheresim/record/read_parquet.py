"""Reading a table of a run that was written in Parquet."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spheresim.numerics.arrays import Records
from spheresim.record.files_and_columns import PART_NAME, RunError
from spheresim.record.missing_packages import needs
from spheresim.record.read_csv import Columns, table_of

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema


def read_parquet(folder: Path, columns: Columns) -> Records:
    """A table of parts as a record array, as from its CSV; RunError says what is wrong."""
    return table_of(parquet_batches(folder, columns), columns).view(np.recarray)


def parquet_batches(folder: Path, columns: Columns) -> Sequence["RecordBatch"]:
    """The same table as batches of Arrow records; RunError says what is wrong."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise needs(f"{folder}: to be read it", "pyarrow") from None
    parts = sorted(folder.glob(PART_NAME.format("*")))
    if not parts:
        raise RunError(f"{folder}: holds no part of a table")
    words = [name for name, kind in columns if kind not in ("i8", "f8")]
    batches: list[RecordBatch] = []
    for part in parts:
        try:
            found = parquet.ParquetFile(part, read_dictionary=words).read()
            found = found.select([name for name, _ in columns])
            _check_types(found.schema, columns)
            batches += found.to_batches()
        except (OSError, KeyError, TypeError, pyarrow.ArrowException) as fault:
            raise RunError(f"{part}: is no part of a table of a run: {fault}") from None
    return batches


def _check_types(schema: "Schema", columns: Columns) -> None:
    """TypeError unless columns hold numbers, or words of which each is kept once."""
    for name, kind in columns:
        found = str(schema.field(name).type)
        if not found.startswith(_TYPES.get(kind, "dictionary<values=string")):
            raise TypeError(f"{name} is of the type {found}")


_TYPES = {"i8": "int64", "f8": "double"}
"""What Arrow calls the kinds of numbers."""
