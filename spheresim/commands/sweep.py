"""`spheresim sweep`: a scene run many times, a row for each run."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from spheresim.commands.exit_codes import DONE, INTERRUPTED, STUCK
from spheresim.compiler.compile_time import watch_compilation
from spheresim.compiler.processors import processors
from spheresim.parameter_sweeps.executors import dask_executor
from spheresim.parameter_sweeps.parameter_grid import grid_from_words
from spheresim.parameter_sweeps.plan import Plan
from spheresim.parameter_sweeps.rows import ROWS, RowTable
from spheresim.parameter_sweeps.sweep import Report, compile_for, fill_table, open_rows
from spheresim.scene.faults import one_line
from spheresim.simulation.interrupt import interruptible

_EVERY = 10.0
"""Seconds between two progress lines if stderr is no terminal."""


@dataclass(frozen=True)
class Options:
    """The options of the command, without the scene and the varied fields."""

    out: Path | None
    force: bool
    quiet: bool
    seed: int
    until_impacts: int | None
    workers: int | None
    cluster: str | None


def sweep_scene(source: str, words: list[str], options: Options) -> int:
    """Make all missing runs; the exit code."""
    stderr = Console(stderr=True, highlight=False, quiet=options.quiet)
    plan = Plan(source, grid_from_words(words), options.seed, options.until_impacts)
    for warning in plan.scene.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    directory = options.out if options.out is not None else Path("sweeps") / plan.scene.name
    executor = nullcontext() if options.cluster is None else dask_executor(options.cluster)
    workers = options.workers or processors()
    with executor as given, open_rows(plan, directory, options.force) as table:
        there = len(table.rows)
        with watch_compilation(stderr.print):
            compile_for(plan, table)
        with interruptible() as interrupt, _reporting(stderr, there) as report:
            is_whole = fill_table(plan, table, given, workers, report, interrupt)
    if not is_whole:
        print(
            f"interrupted: {len(table.rows)} of {len(plan)} rows are written; "
            "the same command continues",
            file=sys.stderr,
        )
        return INTERRUPTED
    return _finish(table, there, directory, options.quiet)


def _finish(table: RowTable, there: int, directory: Path, quiet: bool) -> int:
    faults = [row[-1] for row in table.rows.values() if row[-1]]
    if not quiet:
        known = f", {there} of them from before" if there else ""
        print(f"{len(table.rows)} rows{known}; written to {one_line(directory / ROWS)}")
    if faults:
        print(
            f"{len(faults)} of {len(table.rows)} runs ended with a fault (column fault); "
            f"the first: {one_line(faults[0])}",
            file=sys.stderr,
        )
        return STUCK
    return DONE


@contextmanager
def _reporting(stderr: Console, there: int) -> Iterator[Report]:
    """Report progress and the time left: a bar on a terminal, else a line every few seconds."""
    if stderr.quiet:
        yield lambda _there, _all: None
        return
    if not stderr.is_terminal:
        yield _Lines(stderr, there)
        return
    bar = Progress(
        TextColumn("{task.completed} of {task.total} runs"),
        BarColumn(),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        auto_refresh=False,  # which would be a thread, and processes are to be forked here
    )
    with bar:
        task = bar.add_task("", completed=there)

        def report(done: int, requested: int) -> None:
            bar.update(task, completed=done, total=requested, refresh=True)

        yield report


class _Lines:
    """Progress as lines, for logs."""

    def __init__(self, stderr: Console, there: int) -> None:
        self._stderr = stderr
        self._there = there
        self._started = self._said = time.monotonic()

    def __call__(self, done: int, requested: int) -> None:
        now = time.monotonic()
        if now - self._said < _EVERY or done == self._there:
            return
        self._said = now
        left = (now - self._started) / (done - self._there) * (requested - done)
        self._stderr.print(f"{done} of {requested} runs, {_span(left)} left")


def _span(seconds: float) -> str:
    """A time in words, to about two digits."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
