"""Predicting a ball's next event: the earliest of what it could meet.

Only the earliest is kept. If the partner is hit before, its stamp tells, and the ball is
asked anew when the event would have been: about 1.5 predictions per impact at packing
fraction .49, where keeping all pairs takes 3.7.
"""

import math
from typing import Any

import numpy as np

from spheresim.compiled import inlined, routine
from spheresim.events.calendar import enter
from spheresim.events.flight import BALL, LEAVE, NEIGHBOURS, OBSTACLE, Around, Flight, size
from spheresim.events.neighbours import candidates, leaves, move_on
from spheresim.events.space import NOWHERE
from spheresim.impact import pair_toi
from spheresim.processor import lowest_bit
from spheresim.ray import TRay
from spheresim.roots import first_descent
from spheresim.shapes.obstacles import PLANE, contact, cylinder_at, plane_at
from spheresim.vector import TVector

ROUNDING = 4.0 * 2.0**-52
"""Some units in the last place: what is smaller than this, relatively, is not there."""

_NEVER = 1e150
"""A time beyond all others, which can be multiplied."""

_FAR = 400.0
"""Of the radii's sum, squared: from there on plain floats see a pair too badly."""


@inlined
def plan(around: Around, flight: Flight, i: int, now: float, early: float) -> None:
    """Find ball i's next event and enter it into the calendar.

    A ball with less than the part `early` of its margin to go gets a new neighbourhood at
    once: it would soon be due, and all is asked anew anyway (5 % faster at packing fraction
    .3). `early` is inf for one that is leaving its own.
    """
    ball, event = flight.ball[i], flight.event[i]
    x, v = around.motion.position_of(ball, now), around.motion.velocity_of(ball, now)
    stay = leaves(around, flight, i, x, v)
    if stay * v.mag() < early * event.margin or early == math.inf:
        move_on(around, flight, i, now)
        stay = leaves(around, flight, i, x, v)
    event.time, event.kind, event.other = now + stay, LEAVE, 0
    if flight.body[i].near != 0:
        _plan_obstacles(around, flight, i, now, x, v)
    _plan_balls(around, flight, i, now, x, v)
    enter(flight.calendar, flight.event, flight.body, i)


@inlined
def _plan_balls(around: Around, flight: Flight, i: int, now: float, x: TVector, v: TVector) -> None:
    """Let a ball be ball i's event if it is met before that which it has.

    In two rounds: the first asks all in a loop without branches, which the compiler makes
    into vector instructions (the whole engine 1.1 times as fast), the second asks the few
    that passed for a time.
    """
    array, first, beyond = candidates(flight, i)
    for begin in range(first, beyond, NEIGHBOURS):
        many = min(NEIGHBOURS, beyond - begin)
        chosen = _who_may_meet(around, flight, i, now, x, v, array, begin, many)
        while chosen != 0:
            j = array[begin + lowest_bit(chosen)]
            chosen &= chosen - np.uint64(1)
            _plan_ball(around, flight, i, j, now, x, v)


@inlined
def _who_may_meet(
    around: Around,
    flight: Flight,
    i: int,
    now: float,
    x: TVector,
    v: TVector,
    array: Any,
    begin: int,
    many: int,
) -> Any:
    """Bits of those among `many` neighbours that may be met before ball i's event."""
    ball, left = flight.ball[i], min(flight.event[i].time - now, _NEVER)
    radius = ball.radius
    start = np.uint64(begin)
    chosen = np.uint64(0)
    for k in range(many):
        other = flight.ball[array[start + np.uint64(k)]]
        d = around.space.between(x, around.motion.position_of(other, now))
        w = v - around.motion.velocity_of(other, now)
        s = radius + other.radius
        b, a, c = d.dot(w), w.mag_sqr(), d.mag_sqr() - s * s
        # As t ≥ c / −2b, the last part sees what is late.
        meets = (b < 0.0) & (b * b - a * c >= 0.0) & (c <= -2.0 * b * left)
        other_way = (c > _FAR * s * s) | (not around.motion.pulled_alike(ball, other))
        chosen |= np.uint64(meets | other_way) << np.uint64(k)
    return chosen


@inlined
def _plan_ball(
    around: Around, flight: Flight, i: int, j: Any, now: float, x: TVector, v: TVector
) -> None:
    ball, event, other = flight.ball[i], flight.event[i], flight.ball[j]
    left = event.time - now
    d = around.space.between(x, around.motion.position_of(other, now))
    w = v - around.motion.velocity_of(other, now)
    s = ball.radius + other.radius
    b, a, c = d.dot(w), w.mag_sqr(), d.mag_sqr() - s * s
    if not around.motion.pulled_alike(ball, other):
        pull = around.motion.pull_of(ball) - around.motion.pull_of(other)
        t = _bent_meeting(d, w, pull, s, left)
    elif c > _FAR * s * s:
        t = pair_toi(d, w, s, NOWHERE, NOWHERE, 0.0)
    else:
        t = _meeting(x, v, w, a, b, c, s)
    if now + t < event.time or (now + t == event.time and _precedes(flight, BALL, int(j), i)):
        event.time, event.kind, event.other = now + t, BALL, j
        event.other_stamp = flight.event[j].stamp


@inlined
def _meeting(x: TVector, v: TVector, w: TVector, a: float, b: float, c: float, s: float) -> float:
    """When two approaching balls meet: at once if they touch.

    What touches and approaches by no more than the rounding of velocities does not.
    """
    if c <= 2.0 * s * ROUNDING * (size(x) + s):
        slowest = ROUNDING * (size(v) + size(v - w)) * (s + s)
        return 0.0 if b < -slowest else math.inf
    return c / (-b + math.sqrt(b * b - a * c))


@routine
def _bent_meeting(d: TVector, w: TVector, pull: TVector, s: float, horizon: float) -> float:
    """When two balls meet of which one falls and the other lies: |d + w·t + pull·t²/2| = s."""
    half = pull * 0.5
    return first_descent(
        d.mag_sqr() - s * s,
        2.0 * d.dot(w),
        w.mag_sqr() + 2.0 * d.dot(half),
        2.0 * w.dot(half),
        half.mag_sqr(),
        horizon,
    )


@inlined
def _precedes(flight: Flight, kind: int, other: int, i: int) -> bool:
    """Whether an event at the same time as that of ball i goes before it."""
    event = flight.event[i]
    if event.kind != kind:
        return kind < int(event.kind)
    if kind == BALL:
        return int(flight.body[other].name) < int(flight.body[event.other].name)
    return other < int(event.other)


@routine
def _plan_obstacles(
    around: Around, flight: Flight, i: int, now: float, x: TVector, v: TVector
) -> None:
    """Let an obstacle be ball i's event if it is before that which it has."""
    event, body = flight.event[i], flight.body[i]
    radius, pull = flight.ball[i].radius, around.motion.pull_of(flight.ball[i])
    for k in range(around.obstacles.kind.size):
        if (body.near >> np.uint64(k % 64)) & np.uint64(1) == 0:
            continue
        if _lies_on(around, k, x, v, pull, radius):
            continue
        t = obstacle_time(around, k, x, v, pull, radius, event.time - now)
        if now + t < event.time or (now + t == event.time and _precedes(flight, OBSTACLE, k, i)):
            event.time, event.kind, event.other = now + t, OBSTACLE, k


@inlined
def _lies_on(around: Around, k: int, x: TVector, v: TVector, pull: TVector, radius: float) -> bool:
    """Whether a ball touches plane k and moves and is pulled along it, but for rounding."""
    if around.obstacles.kind[k] != PLANE:
        return False
    plane = plane_at(around.obstacles, k)
    return bool(
        (abs(v.dot(plane.normal)) <= ROUNDING * size(v))
        & (abs(pull.dot(plane.normal)) <= ROUNDING * size(pull))
        & (plane.gap(x) <= radius + ROUNDING * (size(x) + radius))
    )


@routine
def obstacle_time(
    around: Around, k: int, x: TVector, v: TVector, pull: TVector, radius: float, horizon: float
) -> float:
    """When a ball first touches obstacle k and approaches it, up to a horizon; inf if never."""
    if around.obstacles.kind[k] == PLANE:
        plane = plane_at(around.obstacles, k)
        n = plane.normal
        return plane_time(plane.gap(x), v.dot(n), pull.dot(n), radius)
    if pull.mag_sqr() == 0.0:
        return contact(around.obstacles, k, TRay(x, v), radius) if v.mag_sqr() > 0.0 else math.inf
    return _cylinder_time(around, k, x, v, pull, radius, horizon)


@inlined
def plane_time(gap: float, vn: float, pull: float, radius: float) -> float:
    """When gap + vn·t + pull·t²/2 is from 0 to the radius and falling, for the first time.

    So a ball that comes in from behind is stopped where gravity turns it back, if it has
    not got clear of the plane till then.
    """
    if pull < 0.0:
        turn = max(0.0, -vn / pull)
    elif vn < 0.0:
        turn = 0.0
    else:
        return math.inf
    height = gap + (vn + 0.5 * pull * turn) * turn
    if height <= 0.0:
        return math.inf
    if height <= radius:
        return turn
    # From the radius plus `above`, at the speed `down`, to the radius: all terms that
    # do not cancel.
    down = vn if turn == 0.0 else 0.0
    above = height - radius
    discriminant = down * down - 2.0 * pull * above
    if discriminant < 0.0:
        return math.inf
    return turn + 2.0 * above / (-down + math.sqrt(discriminant))


@inlined
def _cylinder_time(
    around: Around, k: int, x: TVector, v: TVector, pull: TVector, radius: float, horizon: float
) -> float:
    """The quartic |D|² = s², seen along the axis: D = d + v·t + pull·t²/2, each × axis.

    From outside |D|² − s² must fall to 0, from inside s² − |D|².
    """
    cylinder = cylinder_at(around.obstacles, k)
    d = (x - cylinder.point).cross(cylinder.axis)
    w, half = v.cross(cylinder.axis), pull.cross(cylinder.axis) * 0.5
    outside = cylinder.is_outside(x)
    sign = 1.0 if outside else -1.0
    s = cylinder.radius + radius if outside else max(0.0, cylinder.radius - radius)
    apart: Any = (d.mag() - s) * (d.mag() + s)
    return first_descent(
        sign * apart,
        sign * 2.0 * d.dot(w),
        sign * (w.mag_sqr() + 2.0 * d.dot(half)),
        sign * 2.0 * w.dot(half),
        sign * half.mag_sqr(),
        horizon,
    )
