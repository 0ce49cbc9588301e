"""How time runs in the window: forwards, backwards, step by step, from impact to impact."""

import math
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from spheresim.collision.impacts import Impacts
from spheresim.record.load import Run
from spheresim.scene import Scene
from spheresim_viewer.timeline.history import LIMITS, Limits
from spheresim_viewer.timeline.live import Live
from spheresim_viewer.timeline.playback import Playback
from spheresim_viewer.timeline.population import Settings
from spheresim_viewer.timeline.replay import Replay
from spheresim_viewer.timeline.search import next_impact, previous_impact
from spheresim_viewer.timeline.segments import Change, Segments
from spheresim_viewer.timeline.snapshot import Snapshot
from spheresim_viewer.timeline.speeds import natural_speed, next_speed

MAX_UPDATE_SECONDS = 0.1
"""Wall seconds: if the window was away for longer, time did not go on meanwhile."""

MAX_IMPACTS = 2000
"""Impacts that are handed out at once, the newest."""


class Player:
    """Runs through time. Whatever it shows lies on the course that `spheresim run` writes.

    `running`, `direction` (1 or −1) and `speed` (simulated time per second) say how time
    goes on at each `update`; `lagging`, that the simulation could not keep up with it;
    `seeking`, that a place in time is being looked for and is not found yet.
    """

    def __init__(
        self,
        playback: Playback,
        speed: float | None = None,
        budget: float = 0.02,
        limits: Limits = LIMITS,
    ) -> None:
        """At the start of a course; `budget` are seconds of work that an update may take."""
        self.segments = Segments(playback, limits)
        self.natural_speed = natural_speed(playback)
        self.speed = self.natural_speed if speed is None else speed
        self.budget = budget
        self.time = self.segments.start
        self.running = False
        self.direction = 1
        self.lagging = False
        self._task: Iterator[float | None] | None = None
        self._snapshot: Snapshot | None = None

    @property
    def seeking(self) -> bool:
        """Whether a place in time is being looked for."""
        return self._task is not None

    @property
    def snapshot(self) -> Snapshot:
        """What there is to see now."""
        if self._snapshot is None or self._snapshot.time != self.time:
            self._snapshot = self.segments.snapshot(self.time)
        return self._snapshot

    @property
    def furthest(self) -> float:
        """The last time that was computed so far."""
        return max(self.time, self.segments.furthest)

    @property
    def duration(self) -> float:
        """How long the scene lasts, or what there is of it."""
        scene = self.snapshot.scene
        return scene.duration if scene else self.furthest

    @property
    def settings(self) -> Settings:
        """Gravity, restitution, engine and method that hold now."""
        return self.segments.segment_at(self.time).playback.settings

    def update(self, dt: float) -> None:
        """Let so many seconds pass."""
        self.lagging = False
        if self._task is not None:
            self._continue_seeking()
        elif self.running:
            self._advance(min(max(dt, 0.0), MAX_UPDATE_SECONDS) * self.speed)

    def _advance(self, span: float) -> None:
        segments = self.segments
        target = self.time + self.direction * span
        wanted = min(max(target, segments.start), segments.last)
        reached = segments.reach(wanted, self.budget)
        self.lagging = reached < wanted
        if self.direction > 0:
            self.time = max(self.time, reached)
            self.running = self.time < segments.last
        elif not self.lagging:
            self.time = wanted

    def _continue_seeking(self) -> None:
        assert self._task is not None
        until = perf_counter() + self.budget
        for found in self._task:
            if found is not None:
                self.time = found
            if perf_counter() >= until:
                return
        self._task = None

    def _start_seeking(self, task: Iterator[float | None]) -> None:
        self._task = task
        self._continue_seeking()

    def toggle(self) -> None:
        """Stop, or go on."""
        self.cancel()
        self.running = not self.running

    def pause(self) -> None:
        """Stop, and stop looking."""
        self.cancel()
        self.running = False

    def cancel(self) -> None:
        """Stop looking for a place in time; it stays where it is."""
        self._task = None

    def step(self, count: int = 1) -> None:
        """Stop at the next border of two steps, or with −1 at the one before."""
        self.running = False
        border = self.segments.border_after if count > 0 else self.segments.border_before
        time = self.time
        for _ in range(abs(count)):
            time = border(time)
        self.seek(time)

    def next_impact(self) -> None:
        """Stop exactly at the next impact."""
        self.running = False
        self._start_seeking(self._seek_task(next_impact(self.segments, self.time)))

    def previous_impact(self) -> None:
        """Stop exactly at the impact before."""
        self.running = False
        self._start_seeking(self._seek_task(previous_impact(self.segments, self.time)))

    def seek(self, time: float) -> None:
        """Be at a time, as soon as it is computed."""
        time = min(max(time, self.segments.start), self.segments.last)
        self._start_seeking(self._seek_task(iter([self.segments.at_border(time)])))

    def restart(self) -> None:
        """Be at the beginning."""
        self.seek(self.segments.start)

    def _seek_task(self, search: Iterator[float | None]) -> Iterator[float | None]:
        """A search, and then the work till what was found can be shown."""
        for found in search:
            yield None
            if found is not None:
                while self.segments.reach(found, 0.0) < found:
                    yield None
                yield found
                return

    def faster(self) -> None:
        """The next speed on the ladder 1, 2, 5, 10, … times the natural one."""
        self.speed = next_speed(self.speed, self.natural_speed, 1)

    def slower(self) -> None:
        """The speed before on the ladder."""
        self.speed = next_speed(self.speed, self.natural_speed, -1)

    def impacts_at(self, time: float, back: float, at_most: int = MAX_IMPACTS) -> Impacts:
        """The newest impacts of times in (time − back, time]."""
        return self.segments.impacts(time - back, time, at_most, self.budget / 2)

    def impacts_now(self) -> Impacts:
        """The impacts of exactly this instant."""
        before = math.nextafter(self.time, -math.inf)
        return self.segments.impacts(before, self.time, MAX_IMPACTS, self.budget / 2)

    def change(self, change: Change) -> None:
        """Go on otherwise from now on; what was to come is forgotten."""
        self.cancel()
        self.segments.branch(self.time, change)
        self.time = self.segments.current.start
        self._snapshot = None

    def series(self) -> Any:
        """Columns time, kinetic, potential, impacts of states so far, (4, m), for plots."""
        return self.segments.series()

    def impact_counts(self, start: float, end: float, columns: int) -> Any:
        """How many impacts there were in each of so many equal parts of a time, (columns,)."""
        return self.segments.impact_counts(start, end, columns)


def play_scene(
    scene: Scene,
    engine: str | None = None,
    toi: str | None = None,
    slices: int | None = None,
    limits: Limits = LIMITS,
) -> Player:
    """A scene, simulated as far as it is looked at."""
    return Player(Live.of_scene(scene, engine, toi, slices, limits), limits=limits)


def play_run(run: Run) -> Player:
    """A finished run."""
    return Player(Replay(run))
