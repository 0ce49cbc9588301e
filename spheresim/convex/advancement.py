"""Conservative advancement: the time of impact of bodies that turn as well as move.

B. Mirtich, Impulse-based dynamic simulation, 1996, section 2.3: at their distance d along
the normal n, the bodies cannot close in on each other along n faster than

    μ = −n·(v_a − v_b) + |n × ω_a| R_a + |n × ω_b| R_b,

R the furthest point of a core from the point about which it turns. So nothing is met within
d / μ, and one may advance by it; and again, until d is within the tolerance. The time found
is never late. If μ is not positive, the normal separates the two for ever.

Nothing is met either while the balls around the two bodies are apart. So the search begins
when these meet, and it ends when they part: that is what makes it end without an `until`.
Bodies that turn without moving past each other stay within reach; if one of them alone turns,
or both in whole multiples of one speed, all has been seen after one turn. Else nothing says
when all has been seen: where the limit on steps ends the search, `finished` says so.

Bodies that touch at the start are hit at 0, unless they surely part or slide: a moment later
they are no deeper in each other, and the normal there separates them for ever.

Signs: `normal` is a unit vector from b towards a.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.arguments import positive
from spheresim.compiled import inlined, kernel, routine
from spheresim.convex.answers import Answers
from spheresim.convex.body import Bodies, Body, Placing, asked
from spheresim.convex.closest import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.form import Placed, balls_of, placed
from spheresim.convex.gjk import contact_of
from spheresim.convex.motion import (
    Motion,
    closing_bound,
    furthest,
    motion_at,
    moved,
    put_motion,
    put_motions,
)
from spheresim.convex.passing import passing_of_balls
from spheresim.convex.polytope import scratch as polytope_scratch
from spheresim.convex.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.vector import TVector

_MOST_STEPS = 10_000

_MOMENT = 1e-9
"""Of the bodies' size: how far bodies that touch are moved to see whether they part."""

_SLIDING = 1e-9
"""Of the speed: closing in more slowly than this is sliding, and rounding."""

_TOI, _GAP, _NORMAL, _CONTACT, _STEPS, _FINISHED, _WIDTH = 0, 1, 2, 5, 8, 9, 10


class Pair(NamedTuple):
    """Two bodies and their motions; offset and velocity: b's position from a's, a's from b's.

    `reach_a`, `reach_b`: of the cores from the points about which they turn; 0 if they do not.
    """

    a: Placed
    b: Placed
    motion_a: Motion
    motion_b: Motion
    offset: TVector
    velocity: TVector
    reach_a: float
    reach_b: float


class Advance(NamedTuple):
    """toi: inf if none; gap, normal and contact there; steps; whether they led to an answer."""

    toi: float
    separation: float
    normal: TVector
    contact: TVector
    steps: int
    finished: bool


@inlined
def _pair_of(a: Placed, b: Placed, motion_a: Motion, motion_b: Motion) -> Pair:
    return Pair(
        a,
        b,
        motion_a,
        motion_b,
        b.position - a.position,
        motion_a.velocity - motion_b.velocity,
        furthest(a) if motion_a.spin.mag_sqr() > 0.0 else 0.0,
        furthest(b) if motion_b.spin.mag_sqr() > 0.0 else 0.0,
    )


@inlined
def _bound(pair: Pair, normal: TVector) -> float:
    return closing_bound(normal, pair.motion_a, pair.motion_b, pair.reach_a, pair.reach_b)


# --- When to look ----------------------------------------------------------------------


class Span(NamedTuple):
    """From when to when a thing may happen; never, if it ends before it begins."""

    begin: float
    end: float


@routine
def _within_reach(pair: Pair, tolerance: float) -> Span:
    """When the balls around two bodies are within the tolerance of each other."""
    between, reach = pair.offset, pair.a.radius + pair.b.radius + tolerance
    # A body that turns is in a ball about its position, one that does not about its middle.
    if pair.reach_a > 0.0:
        reach += pair.reach_a
    else:
        ball = balls_of(pair.a)
        between, reach = between - ball.centre, reach + ball.outer
    if pair.reach_b > 0.0:
        reach += pair.reach_b
    else:
        ball = balls_of(pair.b)
        between, reach = between + ball.centre, reach + ball.outer
    found = passing_of_balls(between, pair.velocity, reach)
    return Span(max(0.0, found.enter), found.leave)


@inlined
def _one_turn(pair: Pair) -> float:
    """After which time bodies that turn in their places are as they were; inf if never."""
    first, second = pair.motion_a.spin.mag(), pair.motion_b.spin.mag()
    slow, fast = min(first, second), max(first, second)
    if slow == 0.0:
        slow = fast
    if slow == 0.0 or fast % slow != 0.0:
        return math.inf
    return 2.0 * math.pi / slow


# --- Advancing -------------------------------------------------------------------------


@routine
def _meeting(
    pair: Pair, time: float, steps: int, finished: bool, simplex: Any, polytope: Any
) -> Advance:
    """The two as they are at a time that is the answer."""
    a, b = moved(pair.a, pair.motion_a, time), moved(pair.b, pair.motion_b, time)
    offset = pair.offset - pair.velocity * time
    found = contact_of(a, b, offset, simplex, 0, 1, polytope, LIMIT)
    middle = a.position + (found.point_a + found.point_b) * 0.5
    return Advance(time, found.separation, found.normal, middle, steps, finished)


@inlined
def _never(separation: float, normal: TVector, steps: int) -> Advance:
    nowhere = TVector(math.inf, math.inf, math.inf)
    return Advance(math.inf, separation, normal, nowhere, steps, True)


@routine
def _touching_at_start(
    pair: Pair, tolerance: float, steps: int, simplex: Any, polytope: Any
) -> Advance:
    """Hit at 0, unless they only touch and surely part, or slide along each other."""
    now = _meeting(pair, 0.0, steps, True, simplex, polytope)
    if now.separation < -tolerance:
        return now
    turning = pair.motion_a.spin.mag() * pair.reach_a + pair.motion_b.spin.mag() * pair.reach_b
    speed = pair.velocity.mag() + turning
    if speed == 0.0:
        return _never(now.separation, now.normal, steps)
    size = balls_of(pair.a).outer + balls_of(pair.b).outer + pair.a.radius + pair.b.radius
    moment = 2.0 * (max(0.0, -now.separation) + _MOMENT * size) / speed
    later = _meeting(pair, moment, steps, True, simplex, polytope)
    if later.separation >= -tolerance and _bound(pair, later.normal) <= _SLIDING * speed:
        return _never(now.separation, later.normal, steps)
    return Advance(0.0, now.separation, later.normal, now.contact, steps, True)


@routine
def advance(pair: Pair, span: Span, tolerance: float, simplex: Any, polytope: Any) -> Advance:
    """Advance two bodies until they are within the tolerance, or surely do not meet."""
    simplex[0, 0, INDEX_A] = -1.0
    time, last = span.begin, 0.0
    for step in range(1, _MOST_STEPS + 1):
        a, b = moved(pair.a, pair.motion_a, time), moved(pair.b, pair.motion_b, time)
        offset = pair.offset - pair.velocity * time
        found = closest(a, b, offset, simplex, 0, LIMIT, NEVER_ENOUGH)
        distance = found.point.mag()
        gap, normal, bound = distance - (a.radius + b.radius), found.point, math.inf
        if not found.overlapping:
            normal = normal / distance
            bound = _bound(pair, normal)
        if gap >= -tolerance and bound <= 0.0:
            return _never(gap, normal, step)
        if found.overlapping or gap <= tolerance:
            if time == 0.0:
                return _touching_at_start(pair, tolerance, step, simplex, polytope)
            return _meeting(pair, time, step, True, simplex, polytope)
        # Not quite all of it: half the tolerance stays between them whatever the rounding.
        last, time = time, time + (gap - 0.5 * tolerance) / bound
        if time > span.end or time == math.inf:
            return _never(gap, normal, step)
        if time == last:
            return _meeting(pair, time, step, True, simplex, polytope)
    return _meeting(pair, time, _MOST_STEPS, False, simplex, polytope)


@routine
def first_meeting(
    pair: Pair, until: float, tolerance: float, simplex: Any, polytope: Any
) -> Advance:
    """When two bodies are first within the tolerance, up to a time that may be inf."""
    span = _within_reach(pair, tolerance)
    end = min(until, span.end)
    if span.end == math.inf:
        end = min(until, _one_turn(pair))
    if span.begin > end:
        simplex[0, 0, INDEX_A] = -1.0
        now = _meeting(pair, 0.0, 0, True, simplex, polytope)
        return _never(now.separation, now.normal, 0)
    return advance(pair, Span(span.begin, end), tolerance, simplex, polytope)


class TimeOfImpact(Answers):
    """Of one pair, or with a leading axis of many."""

    __slots__ = ()

    @property
    def toi(self) -> Any:
        """When the gap is within the tolerance; inf if it is not by the time given."""
        return self.column(_TOI)

    @property
    def gap(self) -> Any:
        """At `toi`, or where the search ended; if they overlap at the start, minus the depth."""
        return self.column(_GAP)

    @property
    def normal(self) -> np.ndarray:
        """At `toi`, or where the search ended; unit, from b towards a."""
        return self.vector(_NORMAL)

    @property
    def contact(self) -> np.ndarray:
        """Where they meet at `toi`, in the world: between their nearest points; inf if never."""
        return self.vector(_CONTACT)

    @property
    def steps(self) -> Any:
        """How often the distance was asked; 0 if the balls around them never meet."""
        return self.column(_STEPS)

    @property
    def finished(self) -> Any:
        """False if too many steps were needed: then nothing is met before `toi`, no more."""
        return self.column(_FINISHED) == 1.0


@kernel
def _times(
    forms_a: Any,
    places_a: Any,
    forms_b: Any,
    places_b: Any,
    motions: Any,
    until: float,
    tolerance: float,
    simplex: Any,
    polytope: Any,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        a, b = placed(forms_a, places_a, k), placed(forms_b, places_b, k)
        pair = _pair_of(a, b, motion_at(motions, k, 0), motion_at(motions, k, 1))
        found = first_meeting(pair, until, tolerance, simplex, polytope)
        rows[k, _TOI], rows[k, _GAP] = found.toi, found.separation + 0.0
        for i in range(3):
            rows[k, _NORMAL + i] = found.normal[i] + 0.0  # no -0.0
            rows[k, _CONTACT + i] = found.contact[i] + 0.0
        rows[k, _STEPS], rows[k, _FINISHED] = found.steps, found.finished


def _ask(a: Placing, b: Placing, motions: np.ndarray, until: Any, tolerance: Any) -> np.ndarray:
    rows = np.empty((asked(a, b), _WIDTH))
    _times(
        a.forms,
        a.places,
        b.forms,
        b.places,
        motions,
        math.inf if until == math.inf else positive(until, "the time until which to look"),
        positive(tolerance, "a tolerance"),
        np.empty((2, CORNERS, COLUMNS)),
        polytope_scratch(len(a.forms) + len(b.forms)),
        rows,
    )
    return rows


def time_of_impact(
    a: Body,
    b: Body,
    velocity_a: Sequence[float],
    velocity_b: Sequence[float] | None = None,
    spin_a: Any = None,
    spin_b: Any = None,
    until: float = math.inf,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """The first time up to `until` at which two bodies are within `tolerance` [length].

    It is never after their first contact. Bodies that overlap at the start: 0, unless they
    only touch, within the tolerance, and surely part or slide along each other. Without a
    velocity b is at rest. A spin is a number in 2D and a vector in 3D, or None. Two bodies
    that turn at unlike speeds in places within each other's reach need an `until`: else the
    search may end with `finished` False.

    >>> from spheresim.convex import box
    >>> answer = time_of_impact(box((1, 1)), box((1, 1), position=(9, 1)), velocity_a=(2, 0))
    >>> round(float(answer.toi), 6), answer.normal.tolist(), answer.contact.round(6)[0].item()
    (3.5, [-1.0, 0.0, 0.0], 8.0)
    """
    motions = np.zeros((1, 2, 2, 3))
    put_motion(motions[0, 0], a, velocity_a, spin_a)
    put_motion(motions[0, 1], b, velocity_b, spin_b)
    return TimeOfImpact(_ask(a, b, motions, until, tolerance)[0])


def time_of_impact_batch(
    a: Bodies,
    b: Bodies,
    velocities_a: Any,
    velocities_b: Any = None,
    spins_a: Any = None,
    spins_b: Any = None,
    until: float = math.inf,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """`time_of_impact` of a[k] and b[k] for all k."""
    motions = np.zeros((len(a.places), 2, 2, 3))
    put_motions(motions[:, 0], a, velocities_a, spins_a)
    put_motions(motions[:, 1], b, velocities_b, spins_b)
    return TimeOfImpact(_ask(a, b, motions, until, tolerance))
