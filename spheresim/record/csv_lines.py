"""Lines of CSV: floats by shortest repr, names quoted where necessary, LF at the end."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def header(columns: Sequence[tuple[str, str]]) -> str:
    """The first line of a table, with the names of its columns."""
    return ",".join(name for name, _ in columns) + "\n"


def numeric_lines(leading: Sequence[str], numbers: Any) -> str:
    """A line per row: its leading fields, which are text already, then its numbers (n, m)."""
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
    """A line per row of any fields, quoted where necessary."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
