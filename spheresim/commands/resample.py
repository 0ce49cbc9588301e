"""`spheresim resample`: frames of a finished run at another rate, without the physics."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
from rich.console import Console

from spheresim.collision.flights import Flights
from spheresim.collision.impacts import nothing
from spheresim.commands.exit_codes import DONE, INTERRUPTED
from spheresim.commands.progress import time_progress
from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.model.state import State
from spheresim.numerics.arguments import SMALLEST_INPUT
from spheresim.numerics.whole_steps import is_whole
from spheresim.record.directory import prepare_directory
from spheresim.record.files_and_columns import RunError
from spheresim.record.load import Run
from spheresim.record.replay import Replay
from spheresim.record.write import RunWriter
from spheresim.scene import Scene
from spheresim.scene.faults import one_line
from spheresim.simulation.frame_times import frame_times
from spheresim.simulation.interrupt import Interrupt, interruptible

_AT_ONCE = 4096
"""Impacts per batch."""


@dataclass(frozen=True)
class Options:
    """The options of the command."""

    every: float
    out: Path
    force: bool
    quiet: bool
    formats: tuple[str, ...]


def resample_run(source: str, options: Options) -> int:
    """Write a run with frames at another rate; the exit code."""
    run = Run.load(source)
    if not options.every >= SMALLEST_INPUT:
        least = "greater than 0" if not options.every > 0.0 else f"at least {SMALLEST_INPUT:g}"
        raise RunError(f"--every must be {least}, not {options.every!r}")
    if options.out.resolve() == run.directory.resolve():
        raise RunError(f"{options.out}: is the run itself; --out names another directory")
    scene, replay = _with_frames(run.scene, options.every), run.replay
    names = [str(obstacle.name) for obstacle in scene.obstacles]
    with interruptible() as interrupt:
        prepare_directory(options.out, options.force, scene)
        with RunWriter(options.out, scene, names, formats=options.formats) as writer:
            info = {**run.info, "frame_every": options.every, "resampled_from": source}
            finished = _write(run, writer, options, interrupt)
            writer.wait()
            info["finished"] = finished and run.info.get("finished") is True
            writer.end(info, run.contacts if finished else ())
    if not options.quiet:
        frames = writer.frames_written
        until = float(replay.times[-1]) if finished else options.every * (frames - 1)
        print(
            f"{'' if finished else 'interrupted: '}{frames} frame{'s' * (frames != 1)} until "
            f"t = {until:.10g}; written to {one_line(options.out)}"
        )
    for note in _notes(replay):
        print(f"note: {note}", file=sys.stderr)
    return DONE if finished else INTERRUPTED


def _write(run: Run, writer: RunWriter, options: Options, interrupt: Interrupt) -> bool:
    """Write impacts and frames; False if a signal ended it before all were written.

    The first frame is written in any case, and before the impacts.
    """
    stderr = Console(stderr=True, highlight=False, quiet=options.quiet)
    end, rows, flights = float(run.replay.times[-1]), run.replay.rows, run.flights
    with time_progress(stderr) as progress:
        task = progress.add_task(one_line(options.out), total=end)
        frames = frames_of(run, end, options.every)
        writer.frame(next(frames))
        for start in range(0, len(flights.names), _AT_ONCE):  # counted with all impacts to come
            part = slice(start, start + _AT_ONCE)
            writer.impacts(
                nothing(), Flights(flights.names[part].copy(), flights.numbers[part].copy())
            )
        for start in range(0, len(rows.names), _AT_ONCE):
            if interrupt():
                return False
            part = slice(start, start + _AT_ONCE)
            writer.impacts(rows.taken(part))
        for state in frames:
            if interrupt():
                return False
            writer.frame(state)
            progress.update(task, completed=float(state.time[0]))
    return True


def _notes(replay: Replay) -> Iterator[str]:
    """Yield a note if some frames are not exact."""
    if strayed := replay.strayed:
        yield (
            f"between {strayed} pair{'s' * (strayed != 1)} of frames, balls that lie on something "
            "have forces that the run does not record; such a ball goes straight to the next frame"
        )


def frames_of(run: Run, end: float, every: float) -> Iterator[State]:
    """The states of a run at 0, at each multiple of `every`, and at the end [time]."""
    for time in chain([0.0], frame_times(end, every)):
        state = run.at(time)
        yield State(np.array([time]), *state, state.angular_velocity)


def _with_frames(scene: Scene, every: float) -> Scene:
    """The scene with this time between frames, if the frames fall on its steps; else unchanged."""
    between = ENGINE_KINDS[scene.engine].has_fixed_step and not is_whole(every / scene.step)
    return scene if between else replace(scene, frame_every=every)
