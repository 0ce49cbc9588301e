"""`spheresim compare`: sliced against analytic time of impact."""

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from spheresim.commands.exit_codes import DONE
from spheresim.commands.slicing import (
    Comparison,
    Encounters,
    collect,
    compare,
    joined,
    nanoseconds,
    redirected,
)
from spheresim.compiler.compile_time import watch_compilation
from spheresim.record.csv_lines import lines
from spheresim.record.files_and_columns import RunError
from spheresim.scene import Scene, SceneError, load_scene
from spheresim.scene.faults import one_line
from spheresim.simulation import Simulation

SLICE_COUNTS = (3, 10, 30, 75, 150, 300, 1000)
SPEEDS = (1.0, 10.0, 100.0)
_HEADER = b"speed,slices,"
"""The first bytes of a table that this command wrote."""

_ENOUGH = 1000
"""Number of encounters to collect: enough to know the missed share well."""
_FEW = 100
"""With fewer encounters than this, a note says that shares mean little."""
_MOST_STARTS = 60
"""Most runs with other directions, to collect enough encounters."""
_PARTS = (10, 100, 1000, 10_000)
"""Tolerable errors, as fractions of a step: sliced times are early by up to one slice."""


def compare_scene(source: str, out: Path | None, duration: float | None) -> int:
    """Collect the scene's encounters, slice them, print and write the table; the exit code."""
    # Collect encounters, and slice them in all ways.
    stderr = Console(stderr=True, highlight=False)
    with watch_compilation(stderr.print):
        scene = load_scene(source, duration=duration)
        path = out if out is not None else Path("runs") / f"{scene.name}-compare.csv"
        _check_table(path)
        encounters, starts = _encounters(scene)
        if len(encounters.reach) == 0:
            stderr.print(
                f"{scene.name}: no two balls meet until t = {scene.duration:g}, "
                "so there is nothing to compare"
            )
            return DONE
        rows = [compare(encounters, speed, slices) for speed in SPEEDS for slices in SLICE_COUNTS]

    # Print the tables, and write the first.
    _print_table(scene, rows, starts)
    _print_costs(encounters)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        lines([Comparison._fields, *([repr(field) for field in row] for row in rows)]),
        encoding="utf-8",
        newline="\n",
    )
    print(f"\nWritten to {one_line(path)}")
    return DONE


def _encounters(scene: Scene) -> tuple[Encounters, int]:
    """The encounters of the scene, and from how many starts they are.

    A scene with few encounters is run again and again, from the same positions and with the
    same speeds, but in random directions.
    """
    rng = np.random.default_rng(0)
    parts: list[Encounters] = []
    for start in range(_MOST_STARTS):
        simulation = _fixed_step(scene)
        if start > 0:
            simulation.velocity[:] = redirected(simulation.velocity, rng)
        steps = int(scene.duration / scene.step + 1e-9)
        parts.append(collect(simulation, steps))
        if sum(len(part.reach) for part in parts) >= _ENOUGH:
            break
    return joined(parts), len(parts)


def _fixed_step(scene: Scene) -> Simulation:
    """The scene with the fixed-step engine, the one that has slices, whatever the file says."""
    if scene.box is not None and scene.box.is_periodic:
        raise SceneError(
            [
                f"{scene.path}: box.periodic: must be false to compare, because slices belong "
                "to the fixed timestep, which needs open space"
            ]
        )
    return Simulation.from_scene(scene, engine="steps", toi="analytic")


def _check_table(path: Path) -> None:
    """RunError if the path is a file that is not a table of this command, known by its header.

    An empty file may be replaced; a pipe or a device may be written to.
    """
    if path.is_dir():
        raise RunError(f"{path}: is a directory; --out names a file")
    if not path.is_file():
        return
    with path.open("rb") as file:
        begins = file.read(len(_HEADER))
    if begins not in (b"", _HEADER):
        raise RunError(
            f"{path}: was not written by compare, and would be replaced; --out names another file"
        )


def _print_table(scene: Scene, rows: list[Comparison], starts: int) -> None:
    # Say what was compared.
    impacts = rows[0].encounters
    whence = f" from {starts} starts" if starts > 1 else ""
    print(
        f"{scene.name}: {impacts} impacts of two balls{whence}, "
        f"sliced times compared with analytic times, step {scene.step:g}\n"
    )
    if impacts < _FEW:
        print("too few impacts for reliable shares; gas_in_a_box has thousands\n")

    # A row for each speed and number of slices.
    table = Table(box=None, pad_edge=False)
    for name in (
        "speed",
        "slices",
        "missed",
        "share",
        "mean error",
        "largest",
        "of a slice",
        "slices tested",
    ):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            f"{row.speed:g}×",
            str(row.slices),
            str(row.missed),
            f"{row.missed_share:.2%}",
            f"{row.mean_error:.3g}",
            f"{row.max_error:.3g}",
            f"{row.max_error * row.slices / scene.step:.3f}",
            f"{row.mean_looks:.1f}",
        )
    Console().print(table)


def _print_costs(encounters: Encounters) -> None:
    """Print the costs of sliced and analytic times for several tolerated errors."""
    formula = nanoseconds(encounters, 0)
    print("\nCost of a time of impact whose error is at most\n")
    table = Table(box=None, pad_edge=False)
    for name in ("of a step", "slices", "sliced", "analytic", "ratio"):
        table.add_column(name, justify="right")
    for parts in _PARTS:
        sliced = nanoseconds(encounters, parts)
        table.add_row(
            f"1/{parts}", str(parts), _time(sliced), _time(formula), f"{sliced / formula:.3g}"
        )
    Console().print(table)
    print(
        "\nA sliced time is early by up to one slice, so one more digit takes ten times the slices."
        "\nThe analytic time comes from one formula, and is right to the last digit for every step."
    )


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds:.3g} ns" if nanoseconds < 1000.0 else f"{nanoseconds / 1000.0:.3g} µs"
