"""Reading a table of a run that was written in Parquet."""

from pathlib import Path
from typing import Any

import numpy as np

from spheresim.record.layout import PART_NAME, RunError
from spheresim.record.missing import needs
from spheresim.record.read_csv import Columns, table_of_batches


def read_parquet(folder: Path, columns: Columns) -> Any:
    """A table of parts as a record array, as from its CSV; RunError says what is wrong."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise needs(f"{folder}: to be read it", "pyarrow") from None
    parts = sorted(folder.glob(PART_NAME.format("*")))
    if not parts:
        raise RunError(f"{folder}: holds no part of a table")
    words = [name for name, kind in columns if kind not in ("i8", "f8")]
    tables = []
    for part in parts:
        try:
            batches = parquet.ParquetFile(part, read_dictionary=words).read().to_batches()
            tables.append(table_of_batches(batches, columns))
        except (OSError, KeyError, AttributeError, pyarrow.ArrowException) as fault:
            raise RunError(f"{part}: is no part of a table of a run: {fault}") from None
    return np.concatenate(tables).view(np.recarray)
