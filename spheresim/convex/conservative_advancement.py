"""Conservative advancement: the time of impact of bodies that turn as well as move.

B. Mirtich, Impulse-based dynamic simulation, 1996, section 2.3: at their distance d along
the normal n, the bodies cannot close in on each other along n faster than

    μ = −n·(v_a − v_b) + |n × ω_a| R_a + |n × ω_b| R_b,

where R is the bounding radius of a core about the point about which it turns. So there is no
contact within d / μ, and time may advance by it; and again, until d is within the tolerance. The
time found is never late. If μ is not positive, the normal separates the two for ever.

There is no contact either while the balls around the two bodies are apart. So the search begins
when these meet and ends when they part, which is why it needs no `until`. Bodies that turn
without moving past each other stay within reach; if only one of them turns, or one turns a whole
number of times as fast as the other, the motion repeats after one turn of the slower one. Else no
such time is known.

A body that turns fast makes μ large, though it may never reach the other. After some steps the
search also tries the space that a turning core sweeps, whichever way it has turned: along n the
bodies cannot meet before these spaces do, and turning does not bring them nearer. As each step
takes at least half a tolerance / μ, a search until a given time ends; one that would need more
steps than the limit ends with `finished` False: it proves that nothing is met before `time`.

Bodies that touch at the start are hit at 0, unless they surely part or slide: a moment later
they are no deeper in each other, and the normal there separates them for ever.

Signs: `normal` is a unit vector from b towards a.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.distance import contact_of
from spheresim.convex.geometry.motion import Motion, bounding_radius, closing_bound, moved
from spheresim.convex.geometry.posed_body import (
    MinkowskiDifference,
    PosedBody,
    balls_of,
    point_at,
)
from spheresim.convex.geometry.support import support
from spheresim.convex.gjk.search import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.gjk.simplex import INDEX_A
from spheresim.convex.pair_query import Scratch
from spheresim.convex.separating_axes.axis_sweep import sweep_balls
from spheresim.numerics.vector import ZERO, TVector

MOST_STEPS = 100_000
"""A search of so many steps takes about a tenth of a second."""

PATIENCE = 100
"""After so many steps what turning bodies sweep is looked at, too."""

_ROUNDING = 2.0**-51
"""Relative to the way travelled: a gap below this is lost in rounding."""

_MOMENT = 1e-9
"""Relative to the bodies' size: how far bodies that touch are moved to test whether they part."""

_SLIDING = 1e-9
"""Relative to the speed: approaching more slowly than this counts as sliding."""


class MovingPair(NamedTuple):
    """Two bodies and their motions.

    `apart`: from a's position to b's; `velocity`: of a relative to b; `reach_a`, `reach_b`: the
    cores' bounding radii, 0 for a body that does not turn.
    """

    a: PosedBody
    b: PosedBody
    motion_a: Motion
    motion_b: Motion
    apart: TVector
    velocity: TVector
    reach_a: float
    reach_b: float


class FirstContact(NamedTuple):
    """Time of impact, inf if none; gap, normal, contact point, else 0; steps; finished or not."""

    time: float
    separation: float
    normal: TVector
    place: TVector
    steps: int
    finished: bool


@inlined
def moving_pair(a: PosedBody, b: PosedBody, motion_a: Motion, motion_b: Motion) -> MovingPair:
    """A pair of moving bodies, with what each step of the search needs."""
    return MovingPair(
        a,
        b,
        motion_a,
        motion_b,
        b.position - a.position,
        motion_a.velocity - motion_b.velocity,
        bounding_radius(a) if motion_a.spin.mag_sqr() > 0.0 else 0.0,
        bounding_radius(b) if motion_b.spin.mag_sqr() > 0.0 else 0.0,
    )


@inlined
def _bound(pair: MovingPair, normal: TVector) -> float:
    return closing_bound(normal, pair.motion_a, pair.motion_b, pair.reach_a, pair.reach_b)


# --- When contact is possible -----------------------------------------------------------


class Span(NamedTuple):
    """A time span; empty if it ends before it begins."""

    begin: float
    end: float


@routine
def _within_reach(pair: MovingPair, tolerance: float) -> Span:
    """The time span in which the balls around two bodies are within the tolerance of each other."""
    between, reach = pair.apart, pair.a.radius + pair.b.radius + tolerance
    # The ball around a turning body is about its position, else about its core's middle.
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
    found = sweep_balls(between, pair.velocity, reach)
    # The quadratic overflows at extreme speeds: then the end of the span is unknown.
    end = math.inf if math.isnan(found.leave) else found.leave
    return Span(found.enter if found.enter > 0.0 else 0.0, end)


@inlined
def _one_turn(pair: MovingPair) -> float:
    """The time after which the orientations of two turning bodies repeat; inf if never."""
    first, second = pair.motion_a.spin.mag(), pair.motion_b.spin.mag()
    slow, fast = min(first, second), max(first, second)
    if slow == 0.0:
        slow = fast
    if slow == 0.0 or fast % slow != 0.0:
        return math.inf
    return 2.0 * math.pi / slow


# --- What turning bodies sweep ----------------------------------------------------------


class Extent(NamedTuple):
    """How far a core reaches in a direction: as it is, and however far it has turned.

    `turning`: the largest speed in that direction at which a point of it turns.
    """

    now: float
    swept: float
    turning: float


@routine
def _extent(body: PosedBody, spin: TVector, direction: TVector) -> Extent:
    """From the body's position in a unit direction."""
    now = direction.dot(point_at(body, support(body, direction)))
    speed = spin.mag()
    if speed == 0.0:
        return Extent(now, now, 0.0)
    axis = spin / speed
    # Each point goes around a circle about the axis.
    along, across = direction.dot(axis), direction.cross(axis).mag()
    swept, widest = now, 0.0
    for i in range(body.normals - body.points):
        point = point_at(body, i)
        height, radius = point.dot(axis), point.cross(axis).mag()
        swept, widest = max(swept, along * height + across * radius), max(widest, radius)
    return Extent(now, swept, speed * across * widest)


@inlined
def _stride(room: float, bound: float) -> float:
    """The time in which a room is surely not used up."""
    if room <= 0.0:
        return 0.0
    return room / bound if bound > 0.0 else math.inf


@routine
def _swept_stride(
    pair: MovingPair, now: MinkowskiDifference, normal: TVector, margin: float
) -> float:
    """How long a plane along which they are apart surely separates them, turning as they may."""
    a, b, offset = now
    of_a = _extent(a, pair.motion_a.spin, -normal)
    of_b = _extent(b, pair.motion_b.spin, normal)
    apart = -normal.dot(offset) - (a.radius + b.radius) - margin
    closing = -normal.dot(pair.velocity)
    return max(
        _stride(apart - of_a.now - of_b.now, closing + of_a.turning + of_b.turning),
        _stride(apart - of_a.swept - of_b.now, closing + of_b.turning),
        _stride(apart - of_a.now - of_b.swept, closing + of_a.turning),
        _stride(apart - of_a.swept - of_b.swept, closing),
    )


# --- Advancing -------------------------------------------------------------------------


@routine
def _contact_at(
    pair: MovingPair, time: float, steps: int, finished: bool, scratch: Scratch
) -> FirstContact:
    """Gap, normal and contact point at a given time."""
    a, b = moved(pair.a, pair.motion_a, time), moved(pair.b, pair.motion_b, time)
    offset = pair.apart - pair.velocity * time
    found = contact_of(MinkowskiDifference(a, b, offset), scratch, 0, 1, LIMIT)
    middle = a.position + (found.point_a + found.point_b) * 0.5
    return FirstContact(time, found.separation, found.normal, middle, steps, finished)


@inlined
def _never(separation: float, normal: TVector, steps: int) -> FirstContact:
    return FirstContact(math.inf, separation, normal, ZERO, steps, True)


@routine
def _touching_at_start(
    pair: MovingPair, tolerance: float, steps: int, scratch: Scratch
) -> FirstContact:
    """A contact at 0, unless they only touch and surely part, or slide along each other."""
    # Bodies that overlap are in contact.
    now = _contact_at(pair, 0.0, steps, True, scratch)
    if now.separation < -tolerance:
        return now
    turning = pair.motion_a.spin.mag() * pair.reach_a + pair.motion_b.spin.mag() * pair.reach_b
    speed = pair.velocity.mag() + turning
    if speed == 0.0:
        return _never(now.separation, now.normal, steps)
    # A moment later: no deeper, and the normal there does not let them approach?
    size = balls_of(pair.a).outer + balls_of(pair.b).outer + pair.a.radius + pair.b.radius
    moment = 2.0 * (max(0.0, -now.separation) + _MOMENT * size) / speed
    later = _contact_at(pair, moment, steps, True, scratch)
    if later.separation >= -tolerance and _bound(pair, later.normal) <= _SLIDING * speed:
        return _never(now.separation, later.normal, steps)
    return FirstContact(0.0, now.separation, later.normal, now.place, steps, True)


@routine
def advance(pair: MovingPair, span: Span, tolerance: float, scratch: Scratch) -> FirstContact:
    """Advance two bodies until they are within the tolerance, or surely do not meet."""
    simplex = scratch.simplices
    simplex[0, 0, INDEX_A] = -1.0
    time, last = span.begin, 0.0
    for step in range(1, MOST_STEPS + 1):
        # The distance at this time, and how fast it can shrink.
        a, b = moved(pair.a, pair.motion_a, time), moved(pair.b, pair.motion_b, time)
        offset = pair.apart - pair.velocity * time
        now = MinkowskiDifference(a, b, offset)
        found = closest(now, simplex, 0, LIMIT, NEVER_ENOUGH)
        distance = found.point.mag()
        gap, normal, bound = distance - (a.radius + b.radius), found.point, math.inf
        if not found.overlapping:
            normal = normal / distance
            bound = _bound(pair, normal)
        # Separated for ever, or in contact?
        if gap >= -tolerance and bound <= 0.0:
            return _never(gap, normal, step)
        if found.overlapping or gap <= tolerance:
            if time == 0.0:
                return _touching_at_start(pair, tolerance, step, scratch)
            return _contact_at(pair, time, step, True, scratch)
        # Advance, but leave half the tolerance between them as a margin for rounding.
        stride = (gap - 0.5 * tolerance) / bound
        if step > PATIENCE or time + stride == time:
            further = _swept_stride(pair, now, normal, 0.5 * tolerance)
            stride = max(stride, further)
        last, time = time, time + stride
        if time > span.end or time == math.inf:
            return _never(gap, normal, step)
        if time == last:
            # Either the gap is lost in the rounding of the way, or only that of the turn ends it.
            is_met = gap <= tolerance + _ROUNDING * time * pair.velocity.mag()
            return _contact_at(pair, time, step, is_met, scratch)
    return _contact_at(pair, time, MOST_STEPS, False, scratch)


@routine
def first_contact(
    pair: MovingPair, until: float, tolerance: float, scratch: Scratch
) -> FirstContact:
    """When two bodies are first within the tolerance, up to `until`, which may be inf."""
    span = _within_reach(pair, tolerance)
    end = min(until, span.end)
    if span.end == math.inf:
        end = min(until, _one_turn(pair))
    if span.begin > end:
        scratch.simplices[0, 0, INDEX_A] = -1.0
        now = _contact_at(pair, 0.0, 0, True, scratch)
        return _never(now.separation, now.normal, 0)
    return advance(pair, Span(span.begin, end), tolerance, scratch)
