"""Courses one after another: what was, and what goes on from where somebody took hold."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.engines.whole_steps import WHOLE
from spheresim.model.balls import Ball
from spheresim.model.state import State
from spheresim.numerics.arguments import finite_vector
from spheresim.numerics.vector import VectorLike
from spheresim_viewer.timeline.course import Course, Settings
from spheresim_viewer.timeline.history import LIMITS, Limits
from spheresim_viewer.timeline.impact_rows import chosen, joined
from spheresim_viewer.timeline.live import Live
from spheresim_viewer.timeline.moment import Moment, moment_at

_MOST = 100
"""Segments; of more, the oldest are forgotten."""

_BACK_AT_MOST = 500
"""Batches of impacts that are looked through for what is to be shown."""


@dataclass(frozen=True)
class Change:
    """What somebody does to a moment: new places and velocities of balls, by index; balls
    that come in; other settings."""

    position: Mapping[int, VectorLike] = field(default_factory=dict)
    velocity: Mapping[int, VectorLike] = field(default_factory=dict)
    balls: Sequence[Ball] = ()
    settings: Settings | None = None


@dataclass(eq=False)
class Segment:
    """A course, and the time from which and till which it holds."""

    course: Course
    start: float
    end: float = math.inf
    impacts_before: int = 0


class Segments:
    """The whole of time: the course that holds at each."""

    def __init__(self, course: Course, limits: Limits = LIMITS) -> None:
        self.all = [Segment(course, course.time_of(0))]
        self._limits = limits
        self._reopened: Segment | None = None

    @property
    def start(self) -> float:
        """The earliest time that there is."""
        return self.all[0].start

    @property
    def last(self) -> float:
        """The time at which all ends; infinite where it goes on by simulation."""
        course = self.all[-1].course
        return course.time_of(int(course.last)) if course.last < math.inf else math.inf

    @property
    def furthest(self) -> float:
        """The last time that was computed so far."""
        course = self.all[-1].course
        return course.time_of(course.furthest)

    @property
    def current(self) -> Segment:
        """The one that is not over."""
        return self.all[-1]

    def segment_at(self, time: float) -> Segment:
        """The segment that holds at a time; where one was branched off, the new one."""
        for segment in reversed(self.all):
            if segment.start <= time:
                return segment
        return self.all[0]

    def reach(self, time: float, seconds: float) -> float:
        """Work towards a time for about so long; the time till which all is there now."""
        segment = self.segment_at(time)
        course = segment.course
        self._only_one_of_the_past_is_simulated(segment)
        k = course.number_at(time)
        needed = k if course.time_of(k) == time or k >= course.last else k + 1
        reached = course.reach(needed, seconds)
        return time if reached >= needed else max(segment.start, course.time_of(reached))

    def _only_one_of_the_past_is_simulated(self, segment: Segment) -> None:
        if segment in (self.current, self._reopened):
            return
        if self._reopened is not None and isinstance(self._reopened.course, Live):
            self._reopened.course.land()
        self._reopened = segment

    def moment(self, time: float) -> Moment:
        """What there is to see at a time, computed if need be."""
        segment = self.segment_at(time)
        moment = moment_at(segment.course, time)
        return replace(moment, impacts=segment.impacts_before + moment.impacts)

    def border_after(self, time: float) -> float:
        """The next border of two steps, frames or segments after a time."""
        segment = self.segment_at(time)
        course = segment.course
        k = min(course.number_at(time) + 1, course.last)
        return max(time, min(course.time_of(int(k)), segment.end))

    def border_before(self, time: float) -> float:
        """The last border of two steps, frames or segments before a time."""
        segment = self.segment_at(time)
        if time <= segment.start:
            at = self.all.index(segment)
            if at == 0:
                return segment.start
            segment = self.all[at - 1]
        course = segment.course
        k = course.number_at(time)
        if course.time_of(k) >= time:
            k -= 1
        return course.time_of(max(0, k))

    def at_border(self, time: float) -> float:
        """A time, or the border of two steps or frames that it is but for rounding."""
        course = self.segment_at(time).course
        k = course.number_at(time)
        for border in (course.time_of(i) for i in (k, k + 1) if i <= course.last):
            if abs(border - time) <= WHOLE * max(course.step, abs(time)):
                return border
        return time

    def impacts(self, after: float, till: float, at_most: int, seconds: float) -> Impacts:
        """The newest impacts of times in (after, till], as far as so much work brings back."""
        batches: list[Impacts] = []
        count = 0
        for segment in reversed(self.all):
            if segment.end <= after:
                break
            until = min(till, segment.end)
            if segment.start > until:
                continue
            for batch in _newest_first(segment.course, after, until, seconds):
                wanted = _inside(batch, after, until)
                batches.append(wanted)
                count += len(wanted.t)
                if count >= at_most:
                    return chosen(joined(batches[::-1]), slice(count - at_most, None))
        return joined(batches[::-1])

    def branch(self, time: float, change: Change) -> None:
        """Let another course begin at a time, in place of all that came after."""
        moment = self.moment(time)
        settings = change.settings or moment.course.settings
        position, velocity = _changed(moment, change)
        cast = moment.course.cast.joined_by(change.balls)
        start = State(np.array([time]), position, velocity)
        live = Live(cast, settings, start, moment.course.engine_step, self._share(2))
        time = live.time_of(0)
        self.all = [segment for segment in self.all if segment.start < time][-_MOST + 1 :]
        for segment in self.all:
            segment.end = min(segment.end, time)
            if isinstance(segment.course, Live):
                segment.course.land(self._share(2 * len(self.all)))
        self._reopened = None
        self.all.append(Segment(live, time, impacts_before=moment.impacts))

    def _share(self, parts: int) -> Limits:
        return Limits(self._limits.bytes // parts, self._limits.kept)

    def series(self) -> Any:
        """Columns time, kinetic, potential, impacts of states evenly apart, (4, m)."""
        rows = [
            entry
            for segment in self.all
            for entry in segment.course.figures
            if entry.time <= segment.end
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 4).T

    def ticks(self, start: float, end: float, columns: int) -> Any:
        """How many impacts there were in each of so many equal parts of a time, (columns,)."""
        edges = np.linspace(start, end, columns + 1)
        edges[0] = np.nextafter(edges[0], -math.inf)
        total = np.zeros(columns)
        for segment in self.all:
            inside = np.clip(edges, segment.start, segment.end)
            total += np.diff(np.round(segment.course.impacts_till(inside)))
        return total.astype(np.int64)


def _inside(batch: Impacts, after: float, till: float) -> Impacts:
    """Those of a batch whose times are in (after, till]."""
    t = batch.t
    if len(t) == 0 or (t[0] > after and t[-1] <= till):
        return batch
    return chosen(batch, (t > after) & (t <= till))


def _newest_first(course: Course, after: float, till: float, seconds: float) -> Iterator[Impacts]:
    """Batches that hold all impacts of times in (after, till] that are had without more work."""
    until = perf_counter() + seconds
    k = course.number_at(till)
    # Even at a knot: what touches there and approaches is answered right then.
    if k < course.last and course.reach(k + 1, seconds) > k:
        yield course.impacts_in(k)
    for _ in range(_BACK_AT_MOST):
        if k == 0 or course.time_of(k) < after:
            return
        stretch = course.stretch_before(k, until - perf_counter())
        if stretch is None:
            return
        yield stretch.impacts
        k = stretch.first


def _changed(moment: Moment, change: Change) -> tuple[Any, Any]:
    """Positions and velocities for a course that begins at a moment."""
    position, velocity = moment.position.copy(), moment.velocity.copy()
    course, knot = moment.course, moment.knot
    if not course.falling and moment.time > knot.time:
        # Inside a step all were kicked for the whole of it; the next kick comes right now.
        left = course.time_of(knot.number + 1) - moment.time
        velocity -= np.array(course.world.gravity) * left
    for i, place in change.position.items():
        position[i] = finite_vector(place, "a ball's position")
    for i, speed in change.velocity.items():
        velocity[i] = finite_vector(speed, "a ball's velocity")
    for ball in change.balls:
        position = np.concatenate([position, [ball.position]])
        velocity = np.concatenate([velocity, [ball.velocity]])
    return position, velocity
