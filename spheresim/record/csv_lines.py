"""Lines of CSV: floats by shortest repr, names quoted where necessary, LF at the end."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

import numpy as np
import orjson

from spheresim.numerics.arrays import Floats


def header(columns: Sequence[tuple[str, str]]) -> str:
    """The first line of a table, with the names of its columns."""
    return ",".join(name for name, _ in columns) + "\n"


def numeric_rows(numbers: Floats) -> list[bytes]:
    """The numbers (n, m) of each row as CSV: what `repr` gives, thirty times as fast.

    orjson writes the shortest digits that read back to the bit. In what form differs from
    `repr` only for magnitudes from 1e-10 to 1e-4, so the rows that have any are edited.
    """
    # + 0.0 turns -0.0 into 0.0, which is the same number.
    table = np.ascontiguousarray(numbers, dtype=np.float64) + 0.0
    if table.size == 0:
        return [b""] * len(table)
    rows = orjson.dumps(table, option=orjson.OPT_SERIALIZE_NUMPY)[2:-2].split(b"],[")
    magnitude = np.abs(table)
    is_small = (magnitude > 0.9e-10) & (magnitude < 1.1e-4)
    small = np.flatnonzero(is_small.any(axis=1)).tolist()
    if small:
        edited = _as_repr(b"\n".join([rows[row] for row in small])).split(b"\n")
        for row, line in zip(small, edited, strict=True):
            rows[row] = line
    return rows


_BELOW_1E_4 = re.compile(rb"\b0\.0000([1-9])(\d*)")


def _as_repr(text: bytes) -> bytes:
    """Numbers as `repr` writes them: 0.000015 becomes 1.5e-05, and 1.5e-7 becomes 1.5e-07."""
    start, *ends = text.split(b"e-")
    text = b"e-".join([start, *[end if end[1:2].isdigit() else b"0" + end for end in ends]])
    return _BELOW_1E_4.sub(_with_exponent, text)


def _with_exponent(number: re.Match[bytes]) -> bytes:
    first, others = number.groups()
    return first + b"." * bool(others) + others + b"e-05"


def numeric_lines(leading: Sequence[str], numbers: Floats) -> bytes:
    """A line per row: its leading fields, which are text already, then its numbers (n, m)."""
    rows = numeric_rows(numbers)
    return b"".join(
        [b"%b,%b\n" % (start.encode(), row) for start, row in zip(leading, rows, strict=True)]
    )


def quoted(name: str) -> str:
    """A name as a CSV field."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([name])
    return text.getvalue()


def lines(rows: Iterable[Sequence[str]]) -> str:
    """A line per row of any fields, quoted where necessary."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
