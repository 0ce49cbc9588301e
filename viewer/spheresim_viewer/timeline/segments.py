"""The whole of time: one playback after another, a new one from each change by the user."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.model.balls import Ball
from spheresim.model.state import State
from spheresim.numerics.arguments import finite_vector
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import VectorLike
from spheresim.numerics.whole_steps import WHOLE, is_whole
from spheresim_viewer.timeline.energies import state_of
from spheresim_viewer.timeline.forecast import Forecast
from spheresim_viewer.timeline.history import LIMITS, Limits, concatenated
from spheresim_viewer.timeline.live import Live
from spheresim_viewer.timeline.orientation import unturned
from spheresim_viewer.timeline.playback import Playback
from spheresim_viewer.timeline.population import Settings
from spheresim_viewer.timeline.snapshot import Snapshot, snapshot_at

_MOST = 100
"""Segments that are kept; older ones are dropped."""

_UNDONE = 20
"""Changes that can be undone."""

_BACK_AT_MOST = 500
"""Batches of impacts that are searched for those to be shown."""


@dataclass(frozen=True)
class Change:
    """What a user changes at a time: positions and velocities of balls, by index; new balls;
    new settings."""

    position: Mapping[int, VectorLike] = field(default_factory=dict)
    velocity: Mapping[int, VectorLike] = field(default_factory=dict)
    balls: Sequence[Ball] = ()
    settings: Settings | None = None


@dataclass(eq=False)
class Segment:
    """A playback, and the times from which and until which it is valid."""

    playback: Playback
    start: float
    end: float = math.inf
    impacts_before: int = 0


class Segments:
    """All segments in order of time; the last one has no end."""

    def __init__(self, playback: Playback, limits: Limits = LIMITS) -> None:
        self.all = [Segment(playback, playback.time_of(0))]
        self._begins = self.all[0].start
        self._limits = limits
        self._reopened: Segment | None = None
        self._before: list[list[tuple[Segment, float]]] = []

    @property
    def start(self) -> float:
        """The earliest time."""
        return self.all[0].start

    @property
    def last(self) -> float:
        """The end of time; infinite where a simulation can go on."""
        playback = self.all[-1].playback
        return playback.time_of(int(playback.last)) if playback.last < math.inf else math.inf

    @property
    def furthest(self) -> float:
        """The last time computed so far."""
        playback = self.all[-1].playback
        return playback.time_of(playback.furthest)

    @property
    def current(self) -> Segment:
        """The last segment."""
        return self.all[-1]

    @property
    def has_all_impacts(self) -> bool:
        """Whether no impact of any segment is missing."""
        return all(segment.playback.has_all_impacts for segment in self.all)

    def segment_at(self, time: float) -> Segment:
        """The segment that is valid at a time; at a branching time, the new one."""
        for segment in reversed(self.all):
            if segment.start <= time:
                return segment
        return self.all[0]

    def is_changed_before(self, time: float) -> bool:
        """Whether the user has changed something between the start and a time."""
        return self.segment_at(time).start > self._begins

    def reach(self, time: float, seconds: float) -> float:
        """Compute towards a time for about so many seconds; the time that was reached."""
        segment = self.segment_at(time)
        playback = segment.playback
        self._release_earlier_simulation(segment)
        k = playback.number_at(time)
        needed = k if playback.time_of(k) == time or k >= playback.last else k + 1
        reached = playback.reach(needed, seconds)
        return time if reached >= needed else max(segment.start, playback.time_of(reached))

    def _release_earlier_simulation(self, segment: Segment) -> None:
        """Allow one past segment at a time to have a simulation, to bound the memory."""
        if segment in (self.current, self._reopened):
            return
        if self._reopened is not None and isinstance(self._reopened.playback, Live):
            self._reopened.playback.release_simulation()
        self._reopened = segment

    def snapshot(self, time: float) -> Snapshot:
        """The state at a time, computed if necessary."""
        segment = self.segment_at(time)
        snapshot = snapshot_at(segment.playback, time)
        return replace(snapshot, impacts=segment.impacts_before + snapshot.impacts)

    def border_after(self, time: float) -> float:
        """The next boundary of steps, frames or segments after a time."""
        segment = self.segment_at(time)
        playback = segment.playback
        k = min(playback.number_at(time) + 1, playback.last)
        return max(time, min(playback.time_of(int(k)), segment.end))

    def border_before(self, time: float) -> float:
        """The last boundary of steps, frames or segments before a time."""
        segment = self.segment_at(time)
        if time <= segment.start:
            at = self.all.index(segment)
            if at == 0:
                return segment.start
            segment = self.all[at - 1]
        playback = segment.playback
        k = playback.number_at(time)
        if playback.time_of(k) >= time:
            k -= 1
        return playback.time_of(max(0, k))

    def at_border(self, time: float) -> float:
        """A time; if it is that of a step or frame but for rounding, exactly that one."""
        playback = self.segment_at(time).playback
        k = playback.number_at(time)
        for border in (playback.time_of(i) for i in (k, k + 1) if i <= playback.last):
            if abs(border - time) <= WHOLE * max(playback.step, abs(time)):
                return border
        return time

    def impacts(self, after: float, till: float, at_most: int, seconds: float) -> Impacts:
        """The newest impacts at times in (after, till], as far back as `seconds` of work allow."""
        batches: list[Impacts] = []
        count = 0
        for segment in reversed(self.all):
            if segment.end <= after:
                break
            until = min(till, segment.end)
            if segment.start > until:
                continue
            for batch in _newest_first(segment.playback, after, until, seconds):
                requested = _inside(batch, after, until)
                batches.append(requested)
                count += len(requested.t)
                if count >= at_most:
                    return concatenated(batches[::-1]).taken(slice(count - at_most, None))
        return concatenated(batches[::-1])

    def branch(self, time: float, change: Change, joins_last: bool = False) -> None:
        """Start a new playback at a time, which replaces everything after it.

        joins_last: whether it is undone together with the change before it.
        """
        if not joins_last:
            self._remember_for_undo(time)
        snapshot = self.snapshot(time)
        live = _changed_playback(snapshot, change, self._share(2))
        # End the others there, and let them keep less
        time = live.time_of(0)
        self.all = [segment for segment in self.all if segment.start < time][-_MOST + 1 :]
        for segment in self.all:
            segment.end = min(segment.end, time)
            if isinstance(segment.playback, Live):
                segment.playback.release_simulation(self._share(2 * len(self.all)))
        self._reopened = None
        self.all.append(Segment(live, time, impacts_before=snapshot.impacts))

    def forecast(self, time: float, ball: Ball, span: float) -> Forecast:
        """Where a ball would fly that joined at a time. span: the time of flight asked for."""
        change = Change(balls=[ball])
        return Forecast(_changed_playback(self.snapshot(time), change, self._share(20)), span)

    def _remember_for_undo(self, time: float) -> None:
        """Keep what is valid now; what a change at this time ends altogether keeps less."""
        self._before = [*self._before, [(part, part.end) for part in self.all]][-_UNDONE:]
        for segment in self.all:
            if segment.start >= time and isinstance(segment.playback, Live):
                segment.playback.release_simulation(self._share(2 * _UNDONE))

    def undo(self) -> bool:
        """Take back the last change: what it replaced is valid again. False if there is none."""
        if not self._before:
            return False
        self.all = []
        for segment, end in self._before.pop():
            segment.end = end
            self.all.append(segment)
        self._reopened = None
        return True

    def _share(self, parts: int) -> Limits:
        return Limits(self._limits.bytes // parts, self._limits.kept)

    def series(self) -> Floats:
        """Time, kinetic and potential energy and impacts at evenly spaced times, shape (4, m)."""
        rows = [
            entry._replace(impacts=segment.impacts_before + entry.impacts)
            for segment in self.all
            for entry in segment.playback.figures
            if entry.time <= segment.end
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 4).T

    def impact_counts(self, start: float, end: float, columns: int) -> Integers:
        """The number of impacts in each of `columns` equal intervals from start to end."""
        edges = np.linspace(start, end, columns + 1)
        edges[0] = np.nextafter(edges[0], -math.inf)
        total = np.zeros(columns)
        for segment in self.all:
            inside = np.clip(edges, segment.start, segment.end)
            total += np.diff(np.round(segment.playback.impacts_until(inside)))
        return total.astype(np.int64)


def _inside(batch: Impacts, after: float, till: float) -> Impacts:
    """The impacts of a batch at times in (after, till]."""
    t = batch.t
    if len(t) == 0 or (t[0] > after and t[-1] <= till):
        return batch
    return batch.taken((t > after) & (t <= till))


def _newest_first(
    playback: Playback, after: float, till: float, seconds: float
) -> Iterator[Impacts]:
    """Batches, newest first, with the impacts in (after, till] that so much work can reach."""
    until = perf_counter() + seconds
    k = playback.number_at(till)
    # Even exactly at a keyframe: balls that touch and approach have their impact at that time.
    if k < playback.last and playback.reach(k + 1, seconds) > k:
        yield playback.impacts_in(k)
    for _ in range(_BACK_AT_MOST):
        if k == 0 or playback.time_of(k) < after:
            return
        batch = playback.batch_before(k, until - perf_counter())
        if batch is None:
            return
        yield batch.impacts
        k = batch.first


def _changed_playback(snapshot: Snapshot, change: Change, limits: Limits) -> Live:
    """The playback that begins with a changed state."""
    settings = change.settings or snapshot.playback.settings
    position, velocity = _changed(snapshot, change)
    turning, orientation = snapshot.angular_velocity, snapshot.orientation
    if turning is not None:
        new = [ball.angular_velocity for ball in change.balls]
        turning = np.concatenate([turning, np.reshape(new, (-1, 3))])
        orientation = np.concatenate([orientation, unturned(len(new))])
    population = snapshot.playback.population.joined_by(change.balls)
    start = State(np.array([snapshot.time]), position, velocity, turning)
    step = snapshot.playback.engine_step
    return Live(population, settings, start, step, limits, orientation, snapshot.walls)


def _changed(snapshot: Snapshot, change: Change) -> tuple[Floats, Floats]:
    """Positions and velocities with which the playback after a change begins."""
    position, velocity = snapshot.position.copy(), snapshot.velocity.copy()
    playback, keyframe = snapshot.playback, snapshot.keyframe
    steps = (snapshot.time - keyframe.time) / playback.engine_step
    if not playback.falling and not is_whole(steps):
        # Gravity has changed velocities for the whole step. The new playback begins with a step,
        # which changes them again: take out what belongs to the rest of this one.
        left = (math.ceil(steps) - steps) * playback.engine_step
        start = state_of(keyframe)
        velocity -= playback.population.accelerations(playback.world, start) * left
    for i, place in change.position.items():
        position[i] = finite_vector(place, "a ball's position")
    for i, speed in change.velocity.items():
        velocity[i] = finite_vector(speed, "a ball's velocity")
    for ball in change.balls:
        position = np.concatenate([position, [ball.position]])
        velocity = np.concatenate([velocity, [ball.velocity]])
    return position, velocity
