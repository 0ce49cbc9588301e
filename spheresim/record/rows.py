"""CSV text: floats by shortest repr, names quoted where they must be, LF at the end."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def header(columns: Sequence[tuple[str, str]]) -> str:
    """The names of the columns as a line."""
    return ",".join(name for name, _ in columns) + "\n"


def numeric_lines(leading: Sequence[str], numbers: Any) -> str:
    """A line per row: a text that is there already, then the row's floats."""
    # + 0.0 turns -0.0 into 0.0, which is the same number.
    rows = (np.asarray(numbers) + 0.0).tolist()
    return "".join(
        f"{start},{','.join(map(repr, row))}\n" for start, row in zip(leading, rows, strict=True)
    )


def quoted(name: str) -> str:
    """A name as a CSV field."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([name])
    return text.getvalue()


def lines(rows: Iterable[Sequence[Any]]) -> str:
    """Rows of mixed fields."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
