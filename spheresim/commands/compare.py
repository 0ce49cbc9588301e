"""`spheresim compare`: sliced against analytic time of impact."""

import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from spheresim.commands.exit_codes import DONE
from spheresim.compiled import watch_compilation
from spheresim.encounters import Comparison, collect, compare
from spheresim.record.layout import RunError
from spheresim.record.rows import lines
from spheresim.scene import Scene, load_scene
from spheresim.scene.faults import one_line
from spheresim.simulation import Simulation

SLICE_COUNTS = (3, 10, 30, 75, 150, 300, 1000)
SPEEDS = (1.0, 10.0, 100.0)
_TIMED_STEPS = 200
_HEADER = b"speed,slices,"
"""What a table of this command begins with."""


def compare_scene(source: str, out: Path | None, duration: float | None) -> int:
    """Collect the scene's encounters, slice them, print and write the table; the exit code."""
    stderr = Console(stderr=True, highlight=False)
    with watch_compilation(lambda: stderr.print("compiling, this once …")):
        scene = load_scene(source, duration=duration)
        path = out if out is not None else Path("runs") / f"{scene.name}-compare.csv"
        _check_table(path)
        simulation = Simulation.from_scene(scene)
        encounters = collect(simulation, steps=int(scene.duration / scene.step + 1e-9))
        if len(encounters.reach) == 0:
            stderr.print(
                f"{scene.name}: no two balls meet within {scene.duration:g}, "
                "so there is nothing to compare"
            )
            return DONE
        rows = [compare(encounters, speed, slices) for speed in SPEEDS for slices in SLICE_COUNTS]
    _print_table(scene, rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        lines([Comparison._fields, *([repr(field) for field in row] for row in rows)]),
        encoding="utf-8",
        newline="\n",
    )
    analytic, sliced = _cpu_seconds(scene, "analytic"), _cpu_seconds(scene, "sliced")
    print(
        f"\nThe whole engine, {min(_TIMED_STEPS, simulation.tally.steps)} steps: "
        f"sliced takes {sliced / analytic:.3g} times the analytic time.\n"
        f"Written to {one_line(path)}"
    )
    return DONE


def _check_table(path: Path) -> None:
    """Refuse to replace anything but a table of this command's, which its header tells.

    An empty file is nobody's work, and a pipe or a device keeps nothing.
    """
    if path.is_dir():
        raise RunError(f"{path}: is a directory; --out names a file")
    if not path.is_file():
        return
    with path.open("rb") as file:
        begins = file.read(len(_HEADER))
    if begins not in (b"", _HEADER):
        raise RunError(
            f"{path}: is no table of compare, and would be replaced; --out names another"
        )


def _print_table(scene: Scene, rows: list[Comparison]) -> None:
    print(
        f"{scene.name}: {rows[0].encounters} meetings of two balls, "
        f"sliced against analytic, step {scene.step:g}\n"
    )
    table = Table(box=None, pad_edge=False)
    for name in (
        "speed",
        "slices",
        "missed",
        "share",
        "mean error",
        "largest",
        "of a slice",
        "looks",
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


def _cpu_seconds(scene: Scene, toi: str) -> float:
    simulation = Simulation.from_scene(scene, toi=toi)
    simulation.compile()
    start = time.process_time()
    simulation.advance(min(scene.duration, _TIMED_STEPS * scene.step))
    return max(time.process_time() - start, 1e-9)
