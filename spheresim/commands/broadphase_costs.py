"""Pairs and times of broad phases, measured over numbers of objects, densities and cell sizes."""

import sys
from collections.abc import Iterable, Iterator
from itertools import product
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from spheresim.broadphase.boxes import box_rows
from spheresim.broadphase.catalogue import BROAD_PHASES, broad_phase
from spheresim.broadphase.example_sets import EXAMPLE_SETS, Boxes
from spheresim.broadphase.sampling import estimated_overlaps
from spheresim.commands.exit_codes import DONE
from spheresim.record.files_and_columns import RunError

MOST_COMPARED = 2e9
"""Most comparisons of pairs in a case; a case that would need more is left out."""

MOVE = 0.05
"""Displacement of each object between two updates, in mean widths of the objects."""

_LONG_ENOUGH = 0.1
"""Least CPU seconds of a measurement, which has at least three rounds."""

_MOST_OBJECTS = 10_000_000

_WIDTH = 130
"""Least width of the table, so that no figure is cut off."""


class Plan(NamedTuple):
    """The cases to measure; for a cell size of None the grid chooses."""

    sets: list[str]
    counts: list[int]
    densities: list[float]
    cell_sizes: list[float | None]
    methods: list[str]
    seed: int


class Cost(NamedTuple):
    """A row: pairs, and CPU microseconds of a first update and of one after objects have moved."""

    set: str
    objects: int
    density: float
    method: str
    cell_size: float | None
    possible: int
    proposed: int
    overlapping: int
    first_us: float
    moved_us: float


def checked_plan(
    counts: str, densities: str, cell_sizes: str, methods: str, sets: str, seed: int
) -> Plan:
    """The plan from the words of the options; RunError for a wrong word."""
    return Plan(
        [_known(word, EXAMPLE_SETS, "--set") for word in _words(sets)],
        [int(_number(word, "--count", 0, _MOST_OBJECTS, whole=True)) for word in _words(counts)],
        [_number(word, "--density", 1e-9, 1e3) for word in _words(densities)],
        [
            None if word == "auto" else _number(word, "--cell-size", 1e-3, 1e6)
            for word in _words(cell_sizes)
        ],
        [_known(word, BROAD_PHASES, "--method") for word in _words(methods) or BROAD_PHASES],
        seed,
    )


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _known(word: str, table: Iterable[str], option: str) -> str:
    if word not in table:
        raise RunError(f"{option}: one of {', '.join(table)} is expected, not {word!r}")
    return word


def _number(word: str, option: str, low: float, high: float, whole: bool = False) -> float:
    kind = "a whole number" if whole else "a number"
    try:
        value = float(word)
    except ValueError:
        value = np.nan
    if not low <= value <= high or (whole and value != int(value)):
        raise RunError(f"{option}: {kind} from {low:g} to {high:g} is expected, not {word!r}")
    return value


def measured_costs(plan: Plan) -> Iterator[Cost]:
    """Yield the row of each case when it is measured; cases that are left out go to stderr."""
    for kind, count, density in product(plan.sets, plan.counts, plan.densities):
        boxes = EXAMPLE_SETS[kind](count, density, np.random.default_rng(plan.seed))
        for method in plan.methods:
            sizes = plan.cell_sizes if method == "uniform_grid" else [None]
            for size in sizes:
                case = f"{method} of {count} objects ({kind}, density {density:g})"
                if compared_at_least(method, boxes) > MOST_COMPARED:
                    print(f"left out, because it would take long: {case}", file=sys.stderr)
                    continue
                options = {} if size is None else {"cell_size": size}
                try:
                    yield _cost(kind, density, boxes, method, options)
                except ValueError as fault:  # cells so small that the lists have no room
                    print(f"left out: {case}: {fault}", file=sys.stderr)


def compared_at_least(method: str, boxes: Boxes) -> float:
    """A lower bound of the number of pairs that a broad phase compares."""
    n = len(boxes.low)
    if method == "all_pairs":
        return 0.5 * n * n
    if method == "sweep_and_prune":
        return float(min(estimated_overlaps(box_rows(*boxes)).along))
    return 0.0


def _cost(kind: str, density: float, boxes: Boxes, method: str, options: dict[str, float]) -> Cost:
    phase = broad_phase(method, **options)
    phase.update(*boxes)
    counts, side = phase.counts, getattr(phase, "side", None)
    first, moved = update_times(method, boxes, options)
    return Cost(
        set=kind,
        objects=counts.objects,
        density=density,
        method=method,
        cell_size=None if side is None else round(side, 4),
        possible=counts.possible,
        proposed=counts.proposed,
        overlapping=counts.overlapping,
        first_us=round(1e6 * first, 1),
        moved_us=round(1e6 * moved, 1),
    )


def update_times(
    method: str, boxes: Boxes, options: dict[str, float] | None = None
) -> tuple[float, float]:
    """CPU seconds of an update with its pairs, a first and a later one: medians of several.

    The median and not the least: on a shared machine the clock of CPU time sometimes stops.
    """
    rng = np.random.default_rng(0)
    given: Any = options or {}
    kept = broad_phase(method, **given)
    kept.update(*boxes)
    kept.pairs()
    times: list[list[float]] = []
    spent = 0.0
    while len(times) < 3 or spent < _LONG_ENOUGH:
        boxes = boxes.moved(MOVE, rng)
        taken = []
        for phase in (broad_phase(method, **given), kept):
            start = process_time()
            phase.update(*boxes)
            phase.pairs()
            taken.append(process_time() - start)
        times.append(taken)
        spent += sum(taken)
    first, moved = np.median(times, axis=0)
    return float(first), float(moved)


def print_costs(plan: Plan, as_csv: bool) -> int:
    """Measure, and print the rows as a table or as CSV; the exit code."""
    if as_csv:
        print(",".join(Cost._fields))
        for cost in measured_costs(plan):
            print(",".join("" if value is None else str(value) for value in cost), flush=True)
        return DONE
    table = Table(box=None, pad_edge=False)
    for name in Cost._fields:
        justify: Any = "left" if name in {"set", "method"} else "right"
        head = name.replace("_us", " µs").replace("_", " ")
        table.add_column(head, justify=justify, no_wrap=True)
    for cost in measured_costs(plan):
        table.add_row(*(_shown(value) for value in cost))
    Console(width=max(Console().width, _WIDTH)).print(table)
    return DONE


def _shown(value: object) -> str:
    """A cell of the table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.4g}" if value < 1000.0 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
