"""`spheresim resample`: frames of a finished run at another rate, without the physics."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from spheresim.commands.exit_codes import DONE
from spheresim.engines.options import ENGINE_KINDS
from spheresim.engines.whole_steps import is_whole
from spheresim.model.state import State
from spheresim.record.directory import prepare_directory
from spheresim.record.layout import RunError
from spheresim.record.load import Run
from spheresim.record.run_loop import frame_times
from spheresim.record.write import RunWriter
from spheresim.scene import Scene
from spheresim.scene.faults import one_line

_AT_ONCE = 4096
"""Impacts that are written at once."""


@dataclass(frozen=True)
class Options:
    """What the command line says beyond the run."""

    every: float
    out: Path
    force: bool
    quiet: bool
    formats: tuple[str, ...]


def resample_run(source: str, options: Options) -> int:
    """Write a run once more, with other frames; the exit code."""
    run = Run.load(source)
    if not options.every > 0.0:
        raise RunError(f"--every must be greater than 0, not {options.every!r}")
    if options.out.resolve() == run.directory.resolve():
        raise RunError(f"{options.out}: is the run itself; --out names another directory")
    scene, replay = _with_frames(run.scene, options.every), run.replay
    end = float(replay.times[-1])
    prepare_directory(options.out, options.force, scene)
    names = [str(obstacle.name) for obstacle in scene.obstacles]
    with RunWriter(options.out, scene, names, formats=options.formats) as writer:
        for start in range(0, len(replay.rows.names), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            writer.impacts(type(replay.rows)(*(column[part] for column in replay.rows)))
        for state in _states(run, end, options.every):
            writer.frame(state)
        info = {**run.info, "frame_every": options.every, "resampled_from": source}
        writer.end(info, run.contacts)
        frames = writer.frames_written
    if not options.quiet:
        print(f"{frames} frames until t = {end:.10g}; written to {one_line(options.out)}")
    if replay.simulated:
        print(
            f"note: between {replay.simulated} pairs of frames balls slide or are pushed where "
            "there is no formula; there the engine ran once more from the frame before, and came "
            f"within {replay.deviation:.2g} of the next one",
            file=sys.stderr,
        )
    return DONE


def _states(run: Run, end: float, every: float) -> Iterator[State]:
    times = [0.0, *frame_times(end, every)]
    if times[-1] != end and abs(times[-1] - end) <= 1e-9 * end:
        times[-1] = end  # by rounding it may be just after it
    for time in times:
        yield State(np.array([time]), *run.at(time))


def _with_frames(scene: Scene, every: float) -> Scene:
    """The scene with these frames, unless they would fall between its steps."""
    between = ENGINE_KINDS[scene.engine].has_fixed_step and not is_whole(every / scene.step)
    return scene if between else replace(scene, frame_every=every)
