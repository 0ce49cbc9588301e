"""`spheresim run`: from a scene to CSV files."""

import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from spheresim import __version__
from spheresim.analysis import Drift
from spheresim.commands.exit_codes import DONE, INTERRUPTED
from spheresim.commands.interrupt import Interrupt, interruptible
from spheresim.compiled import COMPILER_VERSION, watch_compilation
from spheresim.record.write import RunWriter, check_directory, prepare_directory
from spheresim.scene import Scene, load_scene
from spheresim.simulation import Simulation
from spheresim.stepping.engine import WHOLE

WANDER = (
    "with gravity, energy wanders by what the fixed step's integrator (semi-implicit Euler) "
    "leaves out; impacts add nothing to it"
)


@dataclass(frozen=True)
class Options:
    """What the command line says beyond the scene."""

    out: Path | None
    force: bool
    engine: str
    toi: str
    slices: int
    quiet: bool


class Clock:
    """Wall and CPU seconds spent between `start` and `stop`, added up."""

    def __init__(self) -> None:
        self.wall = 0.0
        self.cpu = 0.0

    def __enter__(self) -> None:
        self._started = time.perf_counter(), time.process_time()

    def __exit__(self, *_exception: object) -> None:
        self.wall += time.perf_counter() - self._started[0]
        self.cpu += time.process_time() - self._started[1]


def run_scene(source: str, overrides: dict[str, Any], options: Options) -> int:
    """Load, run and write a scene; the exit code."""
    stderr = Console(stderr=True, highlight=False, quiet=options.quiet)
    with watch_compilation(lambda: stderr.print("compiling, this once …")) as compiling:
        scene = load_scene(source, engine=options.engine, **overrides)
        for warning in scene.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        directory = options.out if options.out is not None else Path("runs") / scene.name
        check_directory(directory, options.force)
        simulation = Simulation.from_scene(
            scene, engine=options.engine, toi=options.toi, slices=options.slices
        )
        simulation.compile()
    prepare_directory(directory, options.force)
    clock = Clock()
    drift = Drift(simulation.world, simulation.state)

    def info(finished: bool) -> dict[str, Any]:
        return {
            **_setting(scene, source, options),
            "finished": finished,
            "time": simulation.time,
            **_counts(simulation),
            **drift.figures(simulation.state),
            "deepest_overlap": simulation.tally.deepest_overlap,
            "wall_seconds": clock.wall,
            "cpu_seconds": clock.cpu,
            "compile_seconds": compiling.seconds,
        }

    finished = False
    with (
        RunWriter(directory, scene, simulation.obstacle_names) as writer,
        interruptible() as interrupt,
    ):
        writer.info(info(finished))
        try:
            finished = _simulate(simulation, scene, writer, clock, interrupt, stderr)
        finally:
            writer.info(info(finished))
    if not options.quiet:
        _print_summary(info(finished), directory, scene)
    return DONE if finished else INTERRUPTED


def _simulate(
    simulation: Simulation,
    scene: Scene,
    writer: RunWriter,
    clock: Clock,
    interrupt: Interrupt,
    stderr: Console,
) -> bool:
    """Go from frame to frame; whether the end was reached."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("t = {task.completed:.6g} of {task.total:.6g}"),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal or stderr.quiet,
    )
    writer.frame(simulation.state)
    with progress:
        task = progress.add_task(scene.name, total=scene.duration)
        for until in frame_times(scene.duration, scene.frame_every):
            with clock:
                batches = simulation.advance(until, interrupt)
            for batch in batches:
                writer.impacts(batch)
            if interrupt():
                return False
            writer.frame(simulation.state)
            progress.update(task, completed=until)
    return True


def frame_times(duration: float, every: float) -> Iterator[float]:
    """The times of all frames but the first, at 0; the last is at the end."""
    whole = int(duration / every * (1.0 + WHOLE))
    for k in range(1, whole + 1):
        yield k * every
    if duration - whole * every > WHOLE * duration:
        yield duration


def _setting(scene: Scene, source: str, options: Options) -> dict[str, Any]:
    return {
        "spheresim": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": COMPILER_VERSION,
        "scene": source,
        "scene_sha256": scene.sha256,
        "engine": options.engine,
        "toi": options.toi,
        "slices": options.slices,
        "step": scene.step,
        "frame_every": scene.frame_every,
        "duration": scene.duration,
        "seed": scene.seed,
    }


def _counts(simulation: Simulation) -> dict[str, int]:
    tally = simulation.tally
    return {
        "steps": tally.steps,
        "impacts": tally.ball_impacts + tally.obstacle_impacts,
        "ball_impacts": tally.ball_impacts,
        "obstacle_impacts": tally.obstacle_impacts,
        "collapse_answers": tally.collapse_answers,
    }


def _print_summary(info: dict[str, Any], directory: Path, scene: Scene) -> None:
    seconds = max(info["cpu_seconds"], 1e-9)
    ball_steps = len(scene.balls) * info["steps"] / seconds
    print(
        f"{'finished' if info['finished'] else 'interrupted'} at t = {info['time']:.10g}, "
        f"after {info['steps']} steps of {len(scene.balls)} balls; written to {directory}\n"
        f"impacts          {info['impacts']} ({info['ball_impacts']} between balls, "
        f"{info['obstacle_impacts']} on obstacles)\n"
        f"energy drift     {info['energy_drift']:.3g} of the kinetic energy\n"
        f"momentum drift   {info['momentum_drift']:.3g} of the sum of all m|v|\n"
        f"deepest overlap  {info['deepest_overlap']:.3g}\n"
        f"speed            {ball_steps:.3g} ball-steps a second, "
        f"{info['impacts'] / seconds:.3g} impacts a second ({seconds:.3g} s)"
    )
    if info["collapse_answers"]:
        print(f"collapse rule    {info['collapse_answers']} answers, so that the step could end")
    if scene.gravity != (0.0, 0.0, 0.0):
        print(f"note: {WANDER}")
