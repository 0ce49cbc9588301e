"""The main loop of a run: from frame to frame, with stops at checkpoints, until the end."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from spheresim.analysis.energy import Drift
from spheresim.collision.impacts import Impacts
from spheresim.commands.interrupt import Interrupt
from spheresim.commands.run_info import Clock
from spheresim.engines.whole_steps import WHOLE
from spheresim.record.origin import origin_of
from spheresim.record.write import RunWriter
from spheresim.scene import Scene
from spheresim.simulation import Simulation


@dataclass
class RunLoop:
    """Simulates a scene and writes its frames, impacts and checkpoints as they come.

    clock: times the simulating alone; interrupt: whether somebody asked for an end; drift:
    kept in checkpoints; until_impacts: end after so many impacts, if that is earlier than the
    scene's duration; events: whether impacts are written; checkpoint_every: the time between
    checkpoints, None for none.
    """

    simulation: Simulation
    scene: Scene
    writer: RunWriter
    clock: Clock
    interrupt: Interrupt
    drift: Drift
    until_impacts: int | None
    events: bool
    checkpoint_every: float | None

    def simulate(self, stderr: Console) -> bool:
        """Go from frame to frame; whether the end was reached."""
        # Write what there is at the start, unless the run goes on from a checkpoint.
        done = self.writer.frames_written
        if not done:
            if self.checkpoint_every is not None:
                self._checkpoint()
            self.writer.frame(self.simulation.state)
            done = 1

        # Go from frame to frame.
        scene = self.scene
        with _progress(stderr) as progress:
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
        """Go on to a frame's time, or to the last impact wanted; False if it got to neither.

        A checkpoint at the time of a frame is made before the frame is written: a run that is
        resumed there writes the frame itself.
        """
        every = self.checkpoint_every
        for stop, is_checkpoint in _stops(self.simulation.time, until, every):
            # Simulate up to the stop, and write the impacts as they come.
            batches = self.simulation.batches(stop, self._impacts_left(), self.interrupt)
            while (batch := self._simulated(batches)) is not None:
                self.writer.impacts(batch)
            # Where the engine cannot go on, keep the state that it got to.
            if self.simulation.fault is not None:
                self.writer.frame(self.simulation.state)
                return False
            # At a checkpoint, or if the user asked for an end, save all that it takes to resume.
            if is_checkpoint or (every is not None and self.interrupt()):
                self._checkpoint()
            if self.interrupt():
                return False
            if self._impacts_left() == 0:
                return True
        return True

    def _simulated(self, batches: Iterator[Impacts]) -> Impacts | None:
        """The next batch of impacts, simulated while the clock runs; None after the last."""
        with self.clock:
            return next(batches, None)

    def _impacts_left(self) -> float:
        if self.until_impacts is None:
            return math.inf
        tally = self.simulation.tally
        done = tally.ball_impacts + tally.obstacle_impacts
        return max(0, self.until_impacts - done)

    def _checkpoint(self) -> None:
        arrays = {**self.simulation.save(), "drift": np.array(self.drift.save())}
        self.writer.checkpoint(arrays, self._origin)

    @cached_property
    def _origin(self) -> dict[str, Any]:
        return origin_of(self.scene, self.events)


def _progress(stderr: Console) -> Progress:
    """A progress bar, shown where somebody looks at a terminal, and gone at the end."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("t = {task.completed:.6g} of {task.total:.6g}"),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal or stderr.quiet,
    )


def _stops(now: float, until: float, every: float | None) -> Iterator[tuple[float, bool]]:
    """Where to stop on the way to a time: at each checkpoint after now, and at that time.

    Checkpoints are at whole multiples of `every`; a time that differs from one by no more than
    rounding counts as one. With each stop: whether it is a checkpoint.
    """
    if every is None:
        yield until, False
        return
    k = math.floor(now / every * (1.0 + WHOLE)) + 1
    while k * every < until * (1.0 - WHOLE):
        yield k * every, True
        k += 1
    yield until, k * every <= until * (1.0 + WHOLE)


def frame_times(duration: float, every: float) -> Iterator[float]:
    """The times of all frames after the one at 0: multiples of `every`, and the end."""
    whole = int(duration / every * (1.0 + WHOLE))
    for k in range(1, whole + 1):
        yield k * every
    if duration - whole * every > WHOLE * duration:
        yield duration
