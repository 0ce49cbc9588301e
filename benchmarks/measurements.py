"""Measurements on disk: tidy CSV tables, one row a measurement.

A table's first columns say what was measured (balls, packing fraction, …) and are different for
each benchmark. The last ones are the same for all: the program and its version, the quantity
(its name says the unit), the value, and where it came from: the date, the commit that was
measured (with a + if the checkout had changes), machine, processor, and versions. What was not
noted at the time is left empty.
"""

import csv
import os
import platform
import subprocess
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).parent / "results"

MEASURED = ("program", "program_version", "quantity", "value")
ORIGIN = ("date", "commit", "machine", "processor", "python", "numpy", "numba")


class Measurement(NamedTuple):
    """What was measured, of which program, and how much it was."""

    case: Mapping[str, object]
    program: str
    quantity: str
    value: float | str
    program_version: str


def version_of(distribution: str) -> str:
    """The version of an installed package, or nothing."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def add_csv_option(parser: ArgumentParser) -> None:
    """The option `--csv FILE` that all benchmarks have."""
    parser.add_argument("--csv", type=Path, help="add the measurements to this table")


def append(path: Path, measurements: Sequence[Measurement]) -> None:
    """Add rows to a table, or begin one. All must be of cases with the table's columns."""
    columns = (*measurements[0].case, *MEASURED, *ORIGIN)
    is_new = not path.exists()
    if not is_new:
        with path.open(encoding="utf-8") as file:
            if tuple(next(csv.reader(file))) != columns:
                raise ValueError(f"{path} has other columns than {', '.join(columns)}")
    origin = _origin()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for row in measurements:
            measured = row._asdict()
            case = measured.pop("case")
            writer.writerow({**case, **measured, **origin})


def latest(name: str) -> list[dict[str, str]]:
    """The rows of `results/NAME.csv` that count: the last of each case, of the last processor."""
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    cases = list(rows[0])[: -len(MEASURED + ORIGIN)]
    kept = {
        tuple(row[column] for column in (*cases, "program", "quantity")): row
        for row in rows
        if row["processor"] == rows[-1]["processor"]
    }
    return list(kept.values())


def _origin() -> dict[str, Any]:
    """What all measurements of a run have in common."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "processor": _processor(),
        "python": platform.python_version(),
        "numpy": version_of("numpy"),
        "numba": version_of("numba"),
    }


def _commit() -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(RESULTS.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    is_changed = bool(git("status", "--porcelain", "--", "../spheresim", "../viewer"))
    return git("rev-parse", "--short=7", "HEAD") + "+" * is_changed


def _processor() -> str:
    """As the system names it: Linux keeps the name in a file of its own."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
