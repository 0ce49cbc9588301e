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
from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.distance import contact_of
from spheresim.convex.geometry.motion import Motion, closing_bound, furthest, moved
from spheresim.convex.geometry.posed_body import Placed, balls_of
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import INDEX_A
from spheresim.convex.separating_axes.axis_sweep import passing_of_balls
from spheresim.numerics.vector import TVector

_MOST_STEPS = 10_000

_MOMENT = 1e-9
"""Of the bodies' size: how far bodies that touch are moved to see whether they part."""

_SLIDING = 1e-9
"""Of the speed: closing in more slowly than this is sliding, and rounding."""


class Pair(NamedTuple):
    """Two bodies and their motions; apart, velocity: b's position from a's, a's from b's.

    `reach_a`, `reach_b`: of the cores from the points about which they turn; 0 if they do not.
    """

    a: Placed
    b: Placed
    motion_a: Motion
    motion_b: Motion
    apart: TVector
    velocity: TVector
    reach_a: float
    reach_b: float


class Advance(NamedTuple):
    """toi: inf if none; gap, normal and point of it; steps; whether they led to an answer."""

    toi: float
    separation: float
    normal: TVector
    place: TVector
    steps: int
    finished: bool


@inlined
def pair_of(a: Placed, b: Placed, motion_a: Motion, motion_b: Motion) -> Pair:
    """Gather what is asked about."""
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
    between, reach = pair.apart, pair.a.radius + pair.b.radius + tolerance
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
    # Of speeds so high that the quadratic overflows nothing is known.
    end = math.inf if math.isnan(found.leave) else found.leave
    return Span(found.enter if found.enter > 0.0 else 0.0, end)


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
    offset = pair.apart - pair.velocity * time
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
    return Advance(0.0, now.separation, later.normal, now.place, steps, True)


@routine
def advance(pair: Pair, span: Span, tolerance: float, simplex: Any, polytope: Any) -> Advance:
    """Advance two bodies until they are within the tolerance, or surely do not meet."""
    simplex[0, 0, INDEX_A] = -1.0
    time, last = span.begin, 0.0
    for step in range(1, _MOST_STEPS + 1):
        a, b = moved(pair.a, pair.motion_a, time), moved(pair.b, pair.motion_b, time)
        offset = pair.apart - pair.velocity * time
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
