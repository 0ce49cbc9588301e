"""`spheresim.sweep`: one scene run many times with other values, a row for each run."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor
from pathlib import Path
from typing import Any

from spheresim.compiler.processors import processors
from spheresim.engines.engine_protocol import Interrupt, never
from spheresim.numerics.arguments import whole_number
from spheresim.parameter_sweeps.collect import Collector
from spheresim.parameter_sweeps.executors import process_pool
from spheresim.parameter_sweeps.parameter_grid import Grid
from spheresim.parameter_sweeps.plan import Plan, typed_row
from spheresim.parameter_sweeps.rows import RowFile, RowTable
from spheresim.record.files_and_columns import RunError
from spheresim.simulation import Simulation

Report = Callable[[int, int], None]
"""Called with how many rows are there, and how many there will be."""


def no_report(_there: int, _all: int) -> None:
    """Where nobody wants to know."""


_FOREIGN = 64
"""Workers that an executor of somebody else's is taken to have, if it does not say."""

_BREAKDOWNS = 3
"""Process pools that may break down in turn without any row, before the sweep gives up."""


def sweep(
    scene: str | Path,
    vary: Mapping[str, Iterable[object]],
    executor: Executor | None = None,
    *,
    out: str | Path | None = None,
    seed: int = 0,
    until_impacts: int | None = None,
) -> list[dict[str, Any]]:
    """Run a scene once for each combination of values; returns one row of figures for each run.

    >>> from spheresim import sweep
    >>> rows = sweep("bouncing_ball", {"restitution": (0.5, 0.9)})
    >>> [row["restitution"] for row in rows]
    [0.5, 0.9]
    >>> rows[0]["impacts"] < rows[1]["impacts"]
    True

    scene: a scene file, a shipped scene's name or a run's directory. vary: a list of values for
    each field, such as `restitution`, `gravity[1]`, `fill[0].count`, `fill.count` (all fills),
    `seed`. executor: any executor of `concurrent.futures`, such as that of a dask client; by
    default a pool with one process per processor. The rows have the same bits with every executor.
    out: a directory for `rows.csv`; an interrupted sweep there is continued if it is the same.
    seed: if `seed` is not varied, each run gets its own seed, which is computed from this number.
    until_impacts: a run ends after this number of impacts, or after the scene's duration.

    The rows are in the order of the combinations. A row has `run`, the varied fields, `seed`, the
    figures of `run.json` (None if unknown), and `fault`: None, or the reason why the run failed.
    SceneError if the values do not fit the scene, RunError if `out` holds another sweep.
    """
    seed = whole_number(seed, "seed", low=0)
    if until_impacts is not None:
        until_impacts = whole_number(until_impacts, "until_impacts", low=1)
    plan = Plan(scene, Grid.of(vary), seed, until_impacts)
    with open_rows(plan, None if out is None else Path(out)) as table:
        compile_for(plan, table)
        fill_table(plan, table, executor, processors())
    return [typed_row(table.columns, row, plan.grid.point(run)) for run, row in table.rows.items()]


@contextlib.contextmanager
def open_rows(plan: Plan, directory: Path | None, force: bool = False) -> Iterator[RowTable]:
    """The rows of a plan that are there already, in a directory or nowhere."""
    if directory is None:
        yield RowTable(plan.columns)
        return
    table = RowFile(directory, plan.columns, plan.info(), force)
    try:
        yield table
    finally:
        table.close()


def compile_for(plan: Plan, table: RowTable) -> None:
    """Compile what runs need, once, before all processes want it; if any are still to be made."""
    if len(table.rows) < len(plan):
        Simulation.from_scene(plan.scene).compile()


def fill_table(
    plan: Plan,
    table: RowTable,
    executor: Executor | None,
    workers: int,
    report: Report = no_report,
    is_interrupted: Interrupt = never,
) -> bool:
    """Make the runs whose rows are not there yet; False if it was interrupted before the end."""

    def add(rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        table.add({"run": run, **plan.settings(run), **figures} for run, figures in rows)
        report(len(table.rows), len(plan))

    missing = [run for run in range(len(plan)) if run not in table.rows]
    if executor is None:
        _go_on_in_pools(Collector(plan, missing, add, workers), workers, is_interrupted)
    else:
        Collector(plan, missing, add, _FOREIGN).go_on(executor, is_interrupted)
    is_whole = len(table.rows) == len(plan)
    if is_whole:
        table.finish()
    return is_whole


def _go_on_in_pools(collector: Collector, workers: int, is_interrupted: Interrupt) -> None:
    """Use a pool of processes, and another one where a worker was killed, which breaks a pool."""
    breakdowns = 0
    while not collector.is_done and not is_interrupted():
        before = collector.runs_left
        try:
            with process_pool(workers, lambda: collector.is_done) as pool:
                collector.go_on(pool, is_interrupted)
        except BrokenExecutor:
            breakdowns = 0 if collector.runs_left < before else breakdowns + 1
            if breakdowns == _BREAKDOWNS:
                raise RunError(
                    f"the sweep cannot go on: {_BREAKDOWNS} times in turn a worker was killed "
                    "before it had made a run; rows that are written are kept"
                ) from None
