"""Playing: forwards, backwards, step by step, from impact to impact, to any time."""

import math
from collections.abc import Iterator
from time import perf_counter

from spheresim.collision.impacts import Impacts
from spheresim.numerics.arrays import Floats, Integers
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
"""Seconds of wall-clock time that count in one update. After a longer pause time does not jump."""

MAX_IMPACTS = 2000
"""The most impacts in one answer: the newest ones."""


class Player:
    """Plays a simulation or a run. Its states are those that `spheresim run` writes.

    `running`, `direction` (1 or −1) and `speed` (simulated time per second) determine how
    time advances at each `update`. `begins`: the time at which the playback starts. `lagging`:
    the simulation could not keep up with `speed`. `seeking`: a time that was asked for has not
    been reached yet. `in_vain`: the time up to which an impact was searched for and none found,
    until somebody takes note of it.
    """

    budget = 0.02
    """Seconds of computing that one update may take."""

    def __init__(self, playback: Playback, limits: Limits = LIMITS) -> None:
        """At the start of a playback."""
        self.segments = Segments(playback, limits)
        self.natural_speed = natural_speed(playback)
        self.speed = self.natural_speed
        self.time = self.begins = self.segments.start
        self.running = False
        self.direction = 1
        self.lagging = False
        self.in_vain: float | None = None
        self._searched = (-math.inf, -math.inf)
        self._task: Iterator[float | None] | None = None
        self._snapshot: Snapshot | None = None

    @property
    def seeking(self) -> bool:
        """Whether a time that was asked for has not been reached yet."""
        return self._task is not None

    @property
    def snapshot(self) -> Snapshot:
        """The state at the present time."""
        if self._snapshot is None or self._snapshot.time != self.time:
            self._snapshot = self.segments.snapshot(self.time)
        return self._snapshot

    @property
    def furthest(self) -> float:
        """The last time that was computed so far."""
        return max(self.time, self.segments.furthest)

    @property
    def end(self) -> float:
        """The time at which the scene ends, or the furthest computed time without a scene."""
        scene = self.snapshot.scene
        return self.begins + scene.duration if scene else self.furthest

    @property
    def duration(self) -> float:
        """The time from the start of the playback to its end."""
        return self.end - self.begins

    @property
    def settings(self) -> Settings:
        """The settings at the present time."""
        return self.segments.segment_at(self.time).playback.settings

    def update(self, dt: float) -> None:
        """Let dt seconds of wall-clock time pass."""
        self.lagging = False
        if self._task is not None:
            self._continue_seeking()
        elif self.running:
            self._advance(min(max(dt, 0.0), MAX_UPDATE_SECONDS) * self.speed)

    def _advance(self, span: float) -> None:
        segments = self.segments
        target = self.time + self.direction * span
        requested = min(max(target, segments.start), segments.last)
        reached = segments.reach(requested, self.budget)
        self.lagging = reached < requested
        if self.direction > 0:
            self.time = max(self.time, reached)
            self.running = self.time < segments.last
        elif not self.lagging:
            self.time = requested
            self.running = self.time > segments.start

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
        """Pause or continue."""
        self.cancel()
        self.running = not self.running

    def pause(self) -> None:
        """Pause, and stop seeking."""
        self.cancel()
        self.running = False

    def cancel(self) -> None:
        """Stop seeking, and stay at the present time."""
        self._task = None

    def step(self, count: int = 1) -> None:
        """Pause at the next boundary of steps, or at an earlier one if `count` is negative."""
        self.running = False
        border = self.segments.border_after if count > 0 else self.segments.border_before
        time = self.time
        for _ in range(abs(count)):
            time = border(time)
        self.seek(time)

    def next_impact(self) -> None:
        """Pause exactly at the next impact: until the scene's end; asked again, as long again."""
        self.running = False
        beyond = self._searched[1] if self._searched[0] == self.time else self.time
        until = self.end if beyond < self.end else beyond + self.duration
        self._seek_impact(self.time, until)

    def impact_after(self, time: float) -> None:
        """Pause exactly at the first impact after a time."""
        self.running = False
        self._seek_impact(time, math.inf)

    def _seek_impact(self, after: float, until: float) -> None:
        search = next_impact(self.segments, after, until)
        self._start_seeking(self._seek_task(search, until))

    def previous_impact(self) -> None:
        """Pause exactly at the previous impact."""
        self.running = False
        search = previous_impact(self.segments, self.time)
        self._start_seeking(self._seek_task(search, self.segments.start))

    def seek(self, time: float) -> None:
        """Go to a time, as soon as it is computed."""
        time = min(max(time, self.segments.start), self.segments.last)
        self._start_seeking(self._seek_task(iter([self.segments.at_border(time)]), time))

    def restart(self) -> None:
        """Go to the start."""
        self.seek(self.segments.start)

    def _seek_task(self, search: Iterator[float | None], end: float) -> Iterator[float | None]:
        """Find a time, then compute until it can be shown; yields None after each piece of work.

        end: where the search ends, if it finds nothing.
        """
        for found in search:
            yield None
            if found is not None:
                while self.segments.reach(found, 0.0) < found:
                    yield None
                yield found
                return
        self.in_vain = end if end < math.inf else self.segments.last
        self._searched = self.time, self.in_vain

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
        """The impacts at exactly the present time."""
        before = math.nextafter(self.time, -math.inf)
        return self.segments.impacts(before, self.time, MAX_IMPACTS, self.budget / 2)

    def change(self, change: Change, joins_last: bool = False) -> None:
        """Apply a change at the present time; whatever was computed beyond it is discarded.

        joins_last: whether it is undone together with the change before it.
        """
        self.cancel()
        self.segments.branch(self.time, change, joins_last)
        self.time = self.segments.current.start
        self._snapshot = None

    def undo(self) -> bool:
        """Take back the last change; False if there is none. Time stays, as far as it can."""
        self.cancel()
        if not self.segments.undo():
            return False
        self._snapshot = None
        self.seek(self.time)
        return True

    def series(self) -> Floats:
        """Time, kinetic and potential energy and impacts, so far: shape (4, m), for plots."""
        return self.segments.series()

    def impact_counts(self, start: float, end: float, columns: int) -> Integers:
        """The number of impacts in each of `columns` equal intervals from start to end."""
        return self.segments.impact_counts(start, end, columns)


def play_scene(
    scene: Scene,
    engine: str | None = None,
    toi: str | None = None,
    slices: int | None = None,
    limits: Limits = LIMITS,
) -> Player:
    """A player of a scene, which is simulated as far as it is watched."""
    return Player(Live.of_scene(scene, engine, toi, slices, limits), limits)


def play_run(run: Run) -> Player:
    """A player of a finished run."""
    return Player(Replay(run))
