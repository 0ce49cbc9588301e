"""The rows of a sweep on disk: added as they come, in order of the runs when all are there."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from spheresim.record.atomic import atomic_write
from spheresim.record.csv_lines import lines
from spheresim.record.files_and_columns import RunError
from spheresim.record.line_file import LineFile
from spheresim.record.lock import lock

ROWS, PLAN = "rows.csv", "sweep.json"


class RowTable:
    """Rows as text, by the index of their run; columns: their names, of which `run` is one."""

    def __init__(self, columns: list[str]) -> None:
        self.columns = columns
        self.rows: dict[int, list[str]] = {}

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows; what a row does not say is not known."""
        self.rows |= {row["run"]: [text_of(row.get(name)) for name in self.columns] for row in rows}

    def finish(self) -> None:
        """Put the rows in order."""
        self.rows = dict(sorted(self.rows.items()))


class RowFile(RowTable):
    """The same in `rows.csv` of a directory, and what of it was there already; close it.

    plan: what the sweep is made of, as JSON. Where the directory holds rows of the same plan
    they are kept; of another plan they are refused with RunError, or replaced with `force`.
    """

    def __init__(
        self, directory: Path, columns: list[str], plan: Mapping[str, Any], force: bool
    ) -> None:
        super().__init__(columns)
        self.path = directory / ROWS
        is_kept = _is_of_plan(directory, plan, force)
        directory.mkdir(parents=True, exist_ok=True)
        file = self.path.open("a+b", buffering=0)
        if not lock(file):
            file.close()
            raise RunError(f"{directory}: another sweep is being written there")
        if not is_kept:
            file.truncate(0)
        with atomic_write(directory / PLAN) as plan_file:
            plan_file.write((json.dumps(plan, indent=1, ensure_ascii=False) + "\n").encode())
        file.seek(0)
        data = file.read()
        whole = data[: data.rfind(b"\n") + 1]  # what a killed sweep has cut is removed
        self._file = LineFile(file, keep=len(whole))
        self._take_over(whole)

    def _take_over(self, whole: bytes) -> None:
        """Take over the lines that are there."""
        head, *rows = [*csv.reader(whole.decode().split("\n")[:-1])] or [[]]
        if not head:
            self._append([self.columns])
            return
        try:
            self.rows = {int(row[0]): row for row in rows if len(row) == len(head)}
        except ValueError:
            head = []
        if head != self.columns:
            self._file.close()
            raise RunError(f"{self.path}: is not what the sweep wrote; --force begins it anew")

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows, and hand them to the system before this returns."""
        rows = list(rows)
        super().add(rows)
        self._append([self.rows[row["run"]] for row in rows])

    def _append(self, rows: list[list[str]]) -> None:
        self._file.append(lines(rows).encode())

    def finish(self) -> None:
        """Put the rows in order, in the file too."""
        super().finish()
        with atomic_write(self.path) as file:
            file.write(lines([self.columns, *self.rows.values()]).encode())

    def close(self) -> None:
        """Close the file, so that another sweep may go on with it."""
        self._file.close()


def text_of(value: object) -> str:
    """A value as a field: floats by shortest repr, nothing for what is not known."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value + 0.0)  # 0.0 for -0.0
    return str(value)


def _is_of_plan(directory: Path, plan: Mapping[str, Any], force: bool) -> bool:
    """Whether the rows in a directory are of a plan, to be kept; with `force` they are not.

    RunError if they are of another plan, or not of a sweep at all.
    """
    path = directory / PLAN
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory}: is a file; --out names a directory")
    if not path.exists():
        rows = directory / ROWS
        if rows.exists() and rows.stat().st_size > 0:  # empty, of a sweep that ended as it began
            raise RunError(f"{rows}: no sweep wrote it; --out names another directory")
        return True
    try:
        was = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        was = None
    if json.dumps(was) == json.dumps(plan):  # in the same order, too
        return not force
    if not isinstance(was, dict) or "vary" not in was:
        raise RunError(f"{path}: no sweep wrote it; --out names another directory")
    if not force:
        changed = [name for name in plan if json.dumps(was.get(name)) != json.dumps(plan[name])]
        raise RunError(
            f"{directory}: holds another sweep, which has another {' and '.join(changed)}; "
            "--force replaces it, --out names another directory"
        )
    return False
