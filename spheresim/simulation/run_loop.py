"""The main loop of a run: from frame to frame, with stops at checkpoints, until the end."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from spheresim.analysis.drift import Drift
from spheresim.collision.impacts import Impacts
from spheresim.engines.engine_protocol import Interrupt, never
from spheresim.numerics.whole_steps import WHOLE
from spheresim.record.checkpoint_compatibility import origin_of
from spheresim.record.write import RunWriter
from spheresim.scene import Scene
from spheresim.simulation.batched import BatchedSimulation
from spheresim.simulation.frame_times import frame_times
from spheresim.simulation.run_info import Clock


def ignored(_time: float) -> None:
    """No report of progress."""


@dataclass
class RunLoop:
    """Simulates a scene and writes its frames, impacts and checkpoints as they come.

    clock: times the simulating alone; drift: kept in checkpoints; interrupt: whether the user
    asked for an end; progress: called with the time of each frame that is written;
    until_impacts: end after this number of impacts, if that is earlier than the scene's duration;
    events: whether impacts are written; checkpoint_every: the time between checkpoints, None
    for none; formats: those of the writer.
    """

    simulation: BatchedSimulation
    scene: Scene
    writer: RunWriter
    clock: Clock
    drift: Drift
    interrupt: Interrupt = never
    progress: Callable[[float], None] = ignored
    until_impacts: int | None = None
    events: bool = True
    checkpoint_every: float | None = None
    formats: Sequence[str] = ("csv",)

    def simulate(self) -> bool:
        """Go from frame to frame; whether the end was reached, and all is written."""
        is_whole = self._simulate()
        self.writer.wait()
        return is_whole

    def _simulate(self) -> bool:
        self.simulation.log_impacts(self.events, flights=True)
        # Write what there is at the start, unless the run goes on from a checkpoint.
        done = self.writer.frames_written
        if not done:
            if self.checkpoint_every is not None:
                self._checkpoint()
            self.writer.frame(self.simulation.current())
            done = 1

        # Go from frame to frame.
        scene = self.scene
        for until in islice(frame_times(scene.duration, scene.frame_every), done - 1, None):
            if not self._go_on(until):
                return False
            self.writer.frame(self.simulation.current())
            if self._impacts_left() == 0:
                return True
            self.progress(until)
        return True

    def _go_on(self, until: float) -> bool:
        """Go on to a frame's time, or to the last impact requested; False if it got to neither.

        A checkpoint at the time of a frame is made before the frame is written: a run that is
        resumed there writes the frame itself.
        """
        every = self.checkpoint_every
        for stop, is_checkpoint in _stops(self.simulation.time, until, every):
            # Simulate up to the stop, and write the impacts as they come.
            batches = self.simulation.batches(stop, self._impacts_left(), self.interrupt)
            while (batch := self._simulated(batches)) is not None:
                flights = self.simulation.take_flights()
                if self.events:
                    self.writer.impacts(batch, flights)
            # Where the engine cannot go on, keep the state that it got to.
            if self.simulation.fault is not None:
                self.writer.frame(self.simulation.current())
                return False
            # At a checkpoint, or if the user ended the run, save all that it takes to resume.
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
        return max(0, self.until_impacts - self.simulation.tally.impacts)

    def _checkpoint(self) -> None:
        arrays = {**self.simulation.checkpoint(), "drift": np.array(self.drift.save())}
        self.writer.checkpoint(arrays, self._origin)

    @cached_property
    def _origin(self) -> dict[str, Any]:
        return origin_of(self.scene, self.events, self.formats)


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
