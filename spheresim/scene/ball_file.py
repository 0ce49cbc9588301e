"""Balls in a CSV file: states from elsewhere, or a scene's own after its fills."""

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from spheresim.scene.faults import SHOWN, Faults, shown
from spheresim.scene.model import LARGEST, SMALLEST, color_as_numbers
from spheresim.state import Ball

REQUIRED = ("x", "y", "z", "vx", "vy", "vz", "radius")
OPTIONAL = ("mass", "restitution", "name", "color")
_NUMBERS = (*REQUIRED, "mass", "restitution")
_HEADER = f"{','.join(REQUIRED)}[,{'][,'.join(OPTIONAL)}]"


def read_ball_file(path: Path, restitution: float, faults: Faults, field: str) -> list[Ball]:
    """The balls of a file, without a name where it gives none; what is wrong goes to `faults`."""

    def fault(what: str) -> None:
        faults.add(field, f"{path}{what}")

    try:
        if not path.is_file():
            fault(": must be a file" if path.exists() else ": there is no such file")
            return []
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = [name.strip() for name in next(rows, [])]
            if what := _header_fault(header):
                fault(f", line 1: {what}")
                return []
            return _balls(rows, header, restitution, fault)
    except OSError as failure:
        fault(f": cannot be read: {failure.strerror}")
    except UnicodeDecodeError as failure:
        fault(f": must be text in UTF-8, not bytes such as 0x{failure.object[failure.start]:02x}")
    except csv.Error as failure:
        fault(f": is no table of comma-separated values: {failure}")
    except ValueError as failure:  # a path that cannot be one
        fault(f": cannot be read: {failure}")
    return []


def _header_fault(header: Sequence[str]) -> str:
    if missing := [name for name in REQUIRED if name not in header]:
        return (
            f"the header has no {', '.join(missing)}, it is {shown(','.join(header))}; "
            f"expected is {_HEADER}"
        )
    for index, name in enumerate(header):
        if name not in (*REQUIRED, *OPTIONAL):
            return f"the header's {shown(name)} is unknown; expected is {_HEADER}"
        if name in header[:index]:
            return f"the header has {name} twice; expected is {_HEADER}"
    return ""


def _balls(
    rows: Iterator[list[str]],
    header: Sequence[str],
    restitution: float,
    fault: Callable[[str], None],
) -> list[Ball]:
    balls = []
    found = 0
    for line, row in _lines(rows):
        cells = dict(zip(header, row, strict=False))
        if len(row) != len(header):
            wrong = [f"must have {len(header)} fields, not {len(row)}"]
        else:
            wrong = [f"{name}: {what}" for name, what in _cell_faults(cells)]
        for what in wrong:
            fault(f", line {line}: {what}")
        found += len(wrong)
        if found >= SHOWN:
            fault(f", line {line}: the lines after it were not read, for so many faults")
            break
        if not wrong:
            balls.append(_ball(cells, restitution))
    if not balls and not found:
        fault(": holds no balls, expected is at least one line below the header")
    return balls


def _lines(rows: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, and their lines in the file."""
    return ((rows.line_num, row) for row in rows if row)  # type: ignore[attr-defined]


def _cell_faults(cells: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name in _NUMBERS:
        if what := _number_fault(name, cells.get(name, "")):
            yield name, what
    name = cells.get("name", "")
    if name and not (name.isprintable() and name.strip() and len(name) <= 300):
        yield "name", f"must be one line of visible text, not {shown(name)}"
    try:
        color_as_numbers(cells.get("color") or "#ffffff")
    except ValueError as failure:
        yield "color", str(failure)


def _number_fault(name: str, cell: str) -> str:
    if not cell and name not in REQUIRED:
        return ""
    value = _number(cell)
    if math.isnan(value):
        return f"must be a finite number, not {shown(cell)}"
    if name in ("radius", "mass") and value < SMALLEST:
        return f"must be greater than 0, not {cell.strip()}"
    if name == "restitution" and not 0.0 <= value <= 1.0:
        return f"must be from 0 to 1, not {cell.strip()}"
    if not -LARGEST <= value <= LARGEST:
        return f"must be from {-LARGEST:g} to {LARGEST:g}, not {cell.strip()}"
    return ""


def _number(cell: str) -> float:
    """The number in a cell; NaN if there is no finite one."""
    try:
        value = float(cell) if "_" not in cell else math.nan
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _ball(cells: dict[str, str], restitution: float) -> Ball:
    x, y, z, vx, vy, vz, radius = (float(cells[name]) for name in REQUIRED)
    color = cells.get("color")
    return Ball(
        (x, y, z),
        (vx, vy, vz),
        radius,
        float(cells.get("mass") or 1.0),
        float(cells.get("restitution") or restitution),
        cells.get("name") or None,
        color_as_numbers(color) if color else None,
    )


def write_ball_file(path: Path, balls: Iterable[Ball]) -> None:
    """A CSV that reads back as the same balls, bit for bit."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow((*REQUIRED, *OPTIONAL))
        for ball in balls:
            numbers = (*ball.position, *ball.velocity, ball.radius, ball.mass, ball.restitution)
            rows.writerow((*map(repr, numbers), ball.name or "", ball.color or ""))
