"""`spheresim run`: from a scene to CSV files."""

import math
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from spheresim import __version__
from spheresim.analysis.energy import Drift
from spheresim.collision.impacts import Impacts
from spheresim.commands.exit_codes import DONE, INTERRUPTED, STUCK
from spheresim.commands.interrupt import Interrupt, interruptible
from spheresim.commands.resume import check_resumed, resume
from spheresim.commands.summary import gas_info, print_summary
from spheresim.compiler.decorators import COMPILER_VERSION, watch_compilation
from spheresim.engines.options import ENGINE_KINDS
from spheresim.engines.whole_steps import WHOLE
from spheresim.record.checkpoint import read_checkpoint
from spheresim.record.directory import check_directory, prepare_directory
from spheresim.record.layout import RunError
from spheresim.record.origin import origin_of
from spheresim.record.write import RunWriter
from spheresim.scene import Scene, load_scene
from spheresim.simulation import Simulation


@dataclass(frozen=True)
class Options:
    """What the command line says beyond the scene."""

    out: Path | None
    force: bool
    quiet: bool
    until_impacts: int | None = None
    events: bool = True
    checkpoint_every: float | None = None
    resume: bool = False

    def check(self, engine: str) -> None:
        """Refuse checkpoints where the engine has none; RunError says so."""
        if self.checkpoint_every is not None and not self.checkpoint_every > 0.0:
            raise RunError(
                f"--checkpoint-every must be greater than 0, not {self.checkpoint_every}"
            )
        if ENGINE_KINDS[engine].has_checkpoints:
            return
        able = [name for name, kind in ENGINE_KINDS.items() if kind.has_checkpoints]
        for name in ("checkpoint_every", "resume"):
            if getattr(self, name):
                raise RunError(f"--{name.replace('_', '-')} needs --engine {' or '.join(able)}")

    def check_against(self, scene: Scene) -> None:
        """Refuse more checkpoints than can be counted."""
        least = scene.duration * WHOLE
        if self.checkpoint_every is not None and self.checkpoint_every < least:
            raise RunError(
                f"--checkpoint-every must be at least {least:g}, a 1e9th of the duration, "
                f"not {self.checkpoint_every}"
            )


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
    options.check(overrides.get("engine") or "events")  # the rest when the scene's is known
    stderr = Console(stderr=True, highlight=False, quiet=options.quiet)
    with watch_compilation(lambda: stderr.print("compiling, this once …")) as compiling:
        scene = load_scene(source, **overrides)
        options.check(scene.engine)
        for warning in scene.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        options.check_against(scene)
        directory = options.out if options.out is not None else Path("runs") / scene.name
        saved = None
        if options.resume:
            saved = read_checkpoint(directory)
            check_resumed(saved, scene, options.events)
        else:
            check_directory(directory, options.force, scene)
        simulation = Simulation.from_scene(scene)
        simulation.log_impacts(options.events)
        simulation.compile()
    drift = Drift(simulation.world, simulation.state)
    if saved is not None:
        resume(simulation, drift, saved, scene, options.until_impacts)
    else:
        prepare_directory(directory, options.force, scene)
    clock = Clock()

    def info(finished: bool) -> dict[str, Any]:
        return {
            **_setting(scene, source),
            "finished": finished,
            "time": simulation.time,
            **_counts(simulation),
            **drift.figures(simulation.state, simulation.tally.dissipated),
            "deepest_overlap": simulation.tally.deepest_overlap,
            **gas_info(simulation, clock.cpu),
            "wall_seconds": clock.wall,
            "cpu_seconds": clock.cpu,
            "compile_seconds": compiling.seconds,
        }

    finished = False
    with (
        RunWriter(
            directory,
            scene,
            simulation.obstacle_names,
            saved,
            checkpoints=options.checkpoint_every is not None,
        ) as writer,
        interruptible() as interrupt,
    ):
        writer.info(info(finished))
        try:
            run = _Run(simulation, scene, writer, clock, interrupt, drift, options)
            finished = run.simulate(stderr)
        finally:
            writer.info(info(finished))
    if not options.quiet:
        account = drift.account(simulation.state, simulation.tally.dissipated)
        print_summary(info(finished), account, directory, scene)
    if simulation.fault is not None:
        print(f"the run cannot go on: {simulation.fault}", file=sys.stderr)
        return STUCK
    return DONE if finished else INTERRUPTED


@dataclass
class _Run:
    """What takes part in a run."""

    simulation: Simulation
    scene: Scene
    writer: RunWriter
    clock: Clock
    interrupt: Interrupt
    drift: Drift
    options: Options

    def simulate(self, stderr: Console) -> bool:
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
        scene, done = self.scene, self.writer.frames_written
        if not done:
            if self.options.checkpoint_every is not None:
                self._checkpoint()
            self.writer.frame(self.simulation.state)
            done = 1
        with progress:
            task = progress.add_task(scene.name, total=scene.duration)
            for until in islice(frame_times(scene.duration, scene.frame_every), done - 1, None):
                if not self._go_on(until):
                    return False
                self.writer.frame(self.simulation.state)
                if self._impacts_left() == 0:
                    return True
                progress.update(task, completed=until)
        return True

    def _go_on(self, until: float) -> bool:
        """Go to a frame, with a stop at every checkpoint; False if it did not get there.

        A checkpoint at the time of a frame is one without it: who goes on from there writes it.
        """
        every = self.options.checkpoint_every
        for stop, keep in _stops(self.simulation.time, until, every):
            batches = self.simulation.batches(stop, self._impacts_left(), self.interrupt)
            while (batch := self._simulated(batches)) is not None:
                self.writer.impacts(batch)
            if self.simulation.fault is not None:
                self.writer.frame(self.simulation.state)
                return False
            if keep or (every is not None and self.interrupt()):
                self._checkpoint()
            if self.interrupt():
                return False
            if self._impacts_left() == 0:
                return True
        return True

    def _simulated(self, batches: Iterator[Impacts]) -> Impacts | None:
        """The next batch, and the time that it took; None if it was the last."""
        with self.clock:
            return next(batches, None)

    def _impacts_left(self) -> float:
        if self.options.until_impacts is None:
            return math.inf
        tally = self.simulation.tally
        done = tally.ball_impacts + tally.obstacle_impacts
        return max(0, self.options.until_impacts - done)

    def _checkpoint(self) -> None:
        arrays = {**self.simulation.save(), "drift": np.array(self.drift.save())}
        self.writer.checkpoint(arrays, self._origin)

    @cached_property
    def _origin(self) -> dict[str, Any]:
        return origin_of(self.scene, self.options.events)


def _stops(now: float, until: float, every: float | None) -> Iterator[tuple[float, bool]]:
    """The times of checkpoints, whole multiples of `every`, after now and before a time; and
    that. With each whether it is a checkpoint's: what is next to a multiple is at it."""
    if every is None:
        yield until, False
        return
    k = math.floor(now / every * (1.0 + WHOLE)) + 1
    while k * every < until * (1.0 - WHOLE):
        yield k * every, True
        k += 1
    yield until, k * every <= until * (1.0 + WHOLE)


def frame_times(duration: float, every: float) -> Iterator[float]:
    """The times of all frames but the first, at 0; the last is at the end."""
    whole = int(duration / every * (1.0 + WHOLE))
    for k in range(1, whole + 1):
        yield k * every
    if duration - whole * every > WHOLE * duration:
        yield duration


def _setting(scene: Scene, source: str) -> dict[str, Any]:
    return {
        "spheresim": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": COMPILER_VERSION,
        "scene": source,
        "scene_sha256": scene.sha256,
        "engine": scene.engine,
        "toi": scene.toi,
        "slices": scene.slices,
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
