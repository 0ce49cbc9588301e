"""`spheresim compare`: sliced against analytic time of impact."""

import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from spheresim.commands.exit_codes import DONE
from spheresim.compiled import watch_compilation
from spheresim.encounters import Comparison, collect, compare
from spheresim.record.rows import lines
from spheresim.scene import Scene, SceneError, load_scene
from spheresim.simulation import Simulation

SLICE_COUNTS = (3, 10, 30, 75, 150, 300, 1000)
SPEEDS = (1.0, 10.0, 100.0)
_TIMED_STEPS = 200


def compare_scene(source: str, out: Path | None, duration: float | None) -> int:
    """Collect the scene's encounters, slice them, print and write the table; the exit code."""
    stderr = Console(stderr=True, highlight=False)
    with watch_compilation(lambda: stderr.print("compiling, this once …")):
        scene = load_scene(source, duration=duration)
        simulation = _fixed_step(scene)
        encounters = collect(simulation, steps=int(scene.duration / scene.step + 1e-9))
        if len(encounters.reach) == 0:
            stderr.print(
                f"{scene.name}: no two balls meet within {scene.duration:g}, "
                "so there is nothing to compare"
            )
            return DONE
        rows = [compare(encounters, speed, slices) for speed in SPEEDS for slices in SLICE_COUNTS]
    _print_table(scene, rows)
    path = out if out is not None else Path("runs") / f"{scene.name}-compare.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        lines([Comparison._fields, *([repr(field) for field in row] for row in rows)]),
        encoding="utf-8",
        newline="\n",
    )
    analytic, sliced = _cpu_seconds(scene, "analytic"), _cpu_seconds(scene, "sliced")
    print(
        f"\nThe whole engine, {min(_TIMED_STEPS, simulation.tally.steps)} steps: "
        f"sliced takes {sliced / analytic:.3g} times the analytic time.\nWritten to {path}"
    )
    return DONE


def _fixed_step(scene: Scene, toi: str = "analytic") -> Simulation:
    """The scene with the engine that has slices, whichever runs it."""
    if scene.box is not None and scene.box.is_periodic:
        raise SceneError(
            [
                f"{scene.path}: box.periodic: must be false to compare, for the slices "
                "are those of the fixed step, which knows open space alone"
            ]
        )
    return Simulation.from_scene(scene, engine="steps", toi=toi)


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
    simulation = _fixed_step(scene, toi)
    simulation.compile()
    start = time.process_time()
    simulation.advance(min(scene.duration, _TIMED_STEPS * scene.step))
    return max(time.process_time() - start, 1e-9)
