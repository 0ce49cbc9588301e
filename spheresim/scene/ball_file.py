"""Balls in a CSV file: states from elsewhere, or those of a scene whose fills were made."""

import csv
import io
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from spheresim.model.balls import Ball, Balls
from spheresim.model.labels import Labels
from spheresim.model.materials import INERTIA_BOUNDS, SOLID_SPHERE
from spheresim.numerics.arguments import LARGEST_INPUT, SMALLEST_INPUT
from spheresim.numerics.arrays import Floats
from spheresim.scene.faults import SHOWN, Faults, shown
from spheresim.scene.schema.fields import color_as_numbers

REQUIRED = ("x", "y", "z", "vx", "vy", "vz", "radius")
OPTIONAL = ("mass", "restitution", "name", "color")
_SPIN = ("wx", "wy", "wz")
SURFACE = (*_SPIN, "material", "inertia_factor")
ACCELERATION = ("ax", "ay", "az")
"""Optional columns too, which are written only where they say something."""
_KNOWN = (*REQUIRED, *OPTIONAL, *SURFACE, *ACCELERATION)
_NUMBERS = (*REQUIRED, "mass", "restitution", *_SPIN, "inertia_factor", *ACCELERATION)
_TEXTS = ("name", "material")
_BOUNDS = {"restitution": (0.0, 1.0), "inertia_factor": INERTIA_BOUNDS}
_HEADER = f"{','.join(REQUIRED)}[,{'][,'.join(_KNOWN[len(REQUIRED) :])}]"


def read_ball_file(path: Path, restitution: float, faults: Faults, field: str) -> Balls:
    """The balls of a file, unnamed where it gives no name; what is wrong goes to `faults`."""

    def fault(what: str) -> None:
        faults.add(field, f"{path}{what}")

    try:
        if not path.is_file():
            fault(": must be a file" if path.exists() else ": there is no such file")
            return Balls.of([])
        with path.open(encoding="utf-8-sig", newline="") as file:
            # Check the header.
            rows = csv.reader(file, strict=True)
            header = [name.strip() for name in next(rows, [])]
            if what := _header_fault(header):
                fault(f", line 1: {what}")
                return Balls.of([])
            # Read a table without faults in one go, any other row by row.
            plain = _read_plain(file, header, restitution)
            if plain is not None:
                return plain
            file.seek(0)
            rows = csv.reader(file, strict=True)
            next(rows)
            return Balls.of(_balls(rows, header, restitution, fault))
    except OSError as failure:
        fault(f": cannot be read: {failure.strerror}")
    except UnicodeDecodeError as failure:
        fault(f": must be text in UTF-8, not bytes such as 0x{failure.object[failure.start]:02x}")
    except csv.Error as failure:
        fault(f": is no table of comma-separated values: {failure}")
    except ValueError as failure:  # a path that cannot be one
        fault(f": cannot be read: {failure}")
    return Balls.of([])


def _header_fault(header: Sequence[str]) -> str:
    if missing := [name for name in REQUIRED if name not in header]:
        return (
            f"the header has no {', '.join(missing)}, it is {shown(','.join(header))}; "
            f"expected is {_HEADER}"
        )
    for index, name in enumerate(header):
        if name not in _KNOWN:
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
    """The balls of rows without faults; the faults of the others are reported, up to `SHOWN`."""
    balls = []
    found = 0
    for line, row in _lines(rows):
        # Find what is wrong with the row.
        cells = dict(zip(header, row, strict=False))
        if len(row) != len(header):
            wrong = [f"must have {len(header)} fields, not {len(row)}"]
        else:
            wrong = [f"{name}: {what}" for name, what in _cell_faults(cells)]
        # Report it, or make a ball.
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
    """The rows that are not empty, each with the number of its line in the file."""
    return ((rows.line_num, row) for row in rows if row)  # type: ignore[attr-defined]


def _cell_faults(cells: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name in _NUMBERS:
        if what := _number_fault(name, cells.get(name, "")):
            yield name, what
    for column in _TEXTS:
        text = cells.get(column, "")
        if text and not _is_visible(text):
            yield column, f"must be one line of visible text, not {shown(text)}"
    try:
        color_as_numbers(cells.get("color") or "#ffffff")
    except ValueError as failure:
        yield "color", str(failure)


def _is_visible(name: str) -> bool:
    return bool(name.isprintable() and name.strip() and len(name) <= 300)


def _number_fault(name: str, cell: str) -> str:
    if not cell and name not in REQUIRED:
        return ""
    value = _number(cell)
    if math.isnan(value):
        return f"must be a finite number, not {shown(cell)}"
    if name in ("radius", "mass") and value < SMALLEST_INPUT:
        bound = f"at least {SMALLEST_INPUT:g}" if value > 0.0 else "greater than 0"
        return f"must be {bound}, not {cell.strip()}"
    low, high = _BOUNDS.get(name, (-math.inf, math.inf))
    if not low <= value <= high:
        return f"must be from {low:g} to {high:g}, not {cell.strip()}"
    if not -LARGEST_INPUT <= value <= LARGEST_INPUT:
        return f"must be from {-LARGEST_INPUT:g} to {LARGEST_INPUT:g}, not {cell.strip()}"
    return ""


def _number(cell: str) -> float:
    """The number in a cell; NaN if it holds no finite number."""
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
        tuple(float(cells.get(name) or 0.0) for name in _SPIN),
        cells.get("material") or None,
        float(cells.get("inertia_factor") or SOLID_SPHERE),
        tuple(float(cells.get(name) or 0.0) for name in ACCELERATION),
    )


def _read_plain(file: TextIO, header: Sequence[str], restitution: float) -> Balls | None:
    """The balls of a table without faults, empty cells or quotes: a million take seconds.

    None for any other table, which is then to be read cell by cell.
    """
    kinds = [(name, "f8" if name in _NUMBERS else "O") for name in header]
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # an empty table
            table = np.loadtxt(file, dtype=kinds, delimiter=",", comments=None, ndmin=1)
    except ValueError:
        return None
    # Make columns, with the defaults for those that are missing.
    n = len(table)
    columns = {name: np.ascontiguousarray(table[name]) for name in header if name in _NUMBERS}
    columns.setdefault("mass", np.ones(n))
    columns.setdefault("restitution", np.full(n, restitution))
    name, material = (
        Labels.of(table[column].tolist()) if column in header else None for column in _TEXTS
    )
    color = _plain_colors(table["color"].tolist()) if "color" in header else None
    # Give up on what is not sound, so that the slow reader can say why.
    sound = n > 0 and all(_are_sound(name, column) for name, column in columns.items())
    texts = [text for labels in (name, material) if labels is not None for text in labels.table]
    named = all(_is_visible(text) and '"' not in text for text in texts)
    if not sound or not named or (color is None and "color" in header):
        return None
    x, y, z, vx, vy, vz, radius = (columns[name] for name in REQUIRED)
    position, velocity = np.stack([x, y, z], axis=1), np.stack([vx, vy, vz], axis=1)
    turning, own = (_vectors(columns, names, n) for names in (_SPIN, ACCELERATION))
    return Balls(
        *(position, velocity, radius, columns["mass"], columns["restitution"], name, color),
        *(turning, material, columns.get("inertia_factor"), own),
    )


def _vectors(columns: dict[str, np.ndarray], names: Sequence[str], n: int) -> Floats | None:
    """Vectors, (n, 3), of the columns of their components; None if there is none of these."""
    if not any(name in columns for name in names):
        return None
    return np.stack([columns.get(name, np.zeros(n)) for name in names], axis=1)


def _are_sound(name: str, column: Floats) -> bool:
    """Whether `_number_fault` would find no fault in any number of a column."""
    low, high = _BOUNDS.get(name, (-LARGEST_INPUT, LARGEST_INPUT))
    if name in ("radius", "mass"):
        low = SMALLEST_INPUT
    return bool(((column >= low) & (column <= high)).all())  # which NaN is not


def _plain_colors(texts: list[str]) -> Labels | None:
    """The colors as `#rrggbb`; None if one is not a color."""
    try:
        numbers = {text: color_as_numbers(text) if text else None for text in set(texts)}
    except ValueError:
        return None
    return Labels.of(map(numbers.__getitem__, texts))


def ball_file_text(balls: Balls) -> str:
    """A CSV that reads back as the same balls, bit for bit."""
    numbers = balls.radius, balls.mass, balls.restitution
    columns = [*balls.position.T.tolist(), *balls.velocity.T.tolist()]
    columns += [column.tolist() for column in numbers]
    columns += [balls.name, balls.color]
    names: tuple[str, ...] = (*REQUIRED, *OPTIONAL)
    if balls.has_surface:
        columns += [*balls.angular_velocity.T.tolist(), balls.material]
        columns.append(balls.inertia_factor.tolist())
        names += SURFACE
    if balls.acceleration.any():
        columns += balls.acceleration.T.tolist()
        names += ACCELERATION
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")  # writes floats by shortest repr
    rows.writerow(names)
    rows.writerows(zip(*columns, strict=True))
    return text.getvalue()
