"""When a ball meets an obstacle that moves, as closely as rounding allows, and first.

In the obstacle's frame the third time derivative of a falling ball's place is bounded, by J. So
over a time h its path leaves a parabola by J·h³/6 at most, and a ball that is larger by this
touches no later on the parabola, for which there is a formula (`table.falling_toi`). The search
goes on from that time, or from the end of h, where h is such that J·h³/6 is a part of the
clearance. It cannot jump over an impact, and near one the error falls with the third power of the
clearance. Where J is 0 one step is exact.

A feature is cut off at its ends. A larger ball may come over a cut without touching, and the ball
itself then touches within the same step. So a step at the end of which the ball overlaps is halved.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.arrays import Records
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.table import (
    Obstacles,
    clearance,
    falling_toi,
    has_ended,
    is_behind,
    normal_at,
)

_MOST_PIECES = 200
"""Steps of one search; more are made later, from where it has come to."""

_PART = 0.25
"""Of the clearance: the largest deviation from a parabola within a step."""

_BEYOND = 2.0
"""A step goes as many times further than the ball needs to the obstacle, at its present speed."""


LATEST = 1e100
"""A time after which nothing is awaited."""


class Flight(NamedTuple):
    """A ball of a radius on a path, which begins at the time `begin`, and for how long it flies."""

    path: BallPath
    radius: float
    begin: float
    duration: float


class Meeting(NamedTuple):
    """time: from now, of the impact, inf if there is none; or, if not `is_sure`, one before which
    there is none."""

    time: float
    is_sure: bool


@inlined
def _time_to_cover(speed: float, pull: float, length: float) -> float:
    """A time in which a ball goes no further than a length."""
    if length <= 0.0:
        return 0.0
    root = math.sqrt(speed * speed + 2.0 * pull * length)
    return 2.0 * length / (speed + root) if root > 0.0 else math.inf


@routine
def first_meeting(
    walls: Any, places: Records, obstacles: Obstacles, k: int, flight: Flight
) -> Meeting:
    """When a ball meets row k, which moves.

    walls: `DrivenWalls`; places: of pistons.
    """
    x, v, g = flight.path
    radius, time, until = flight.radius, flight.begin, flight.duration
    t, longest = 0.0, math.inf
    for _ in range(_MOST_PIECES):
        frame = walls.frame_at(places, k, time + t)
        here, speed = x + (v + g * (0.5 * t)) * t, v + g * t
        path = frame.path(here, speed, g)
        left = until - t
        piece, larger, overlaps = min(left, frame.lasts, longest), 0.0, False
        if not frame.is_uniform():
            # How far it may go at all before it comes near.
            far = clearance(obstacles, k, path.x) - radius
            free = _time_to_cover(speed.mag(), g.mag(), far - frame.span)
            if free >= left:
                return Meeting(math.inf, True)
            tolerance = ROUNDING * (manhattan_norm(path.x) + radius)
            vn = path.v.dot(normal_at(obstacles, k, path.x))
            jerk, piece = frame.jerk(here, speed, g), min(piece, frame.longest())
            piece, larger = _piece(jerk, piece, far, tolerance, vn)
            if free >= piece:
                t += free
                continue
            end = here + (speed + g * (0.5 * piece)) * piece
            overlaps = far > tolerance and _overlaps(
                obstacles, k, walls.frame_at(places, k, time + t + piece).seen(end), radius
            )
        found = falling_toi(obstacles, k, path, radius + larger, piece)
        if found <= piece:
            t += found
            if larger == 0.0:
                return Meeting(t, True)
        elif overlaps:
            if speed.mag() * piece <= ROUNDING * (manhattan_norm(path.x) + radius):
                return Meeting(t + piece, True)
            longest = 0.5 * piece
        elif piece >= left:
            return Meeting(math.inf, True)
        else:
            t += piece
    return Meeting(t, False)


@routine
def _overlaps(obstacles: Obstacles, k: int, there: TVector, radius: float) -> bool:
    """Whether a ball, which row k sees at a place, overlaps it, beyond rounding."""
    if is_behind(obstacles, k, there) or has_ended(obstacles, k, there):
        return False
    tolerance = ROUNDING * (manhattan_norm(there) + radius)
    return bool(clearance(obstacles, k, there) - radius < -tolerance)


@inlined
def _piece(
    jerk: float, piece: float, far: float, tolerance: float, vn: float
) -> tuple[float, float]:
    """The length of the next step, at most `piece`, and by how much the ball is to be larger in it.

    jerk: J; far: the clearance; vn: the normal velocity.
    """
    if jerk == 0.0:
        return piece, 0.0
    most = max(_PART * abs(far), tolerance)
    piece = min(piece, (6.0 * most / jerk) ** (1.0 / 3.0))
    if vn < 0.0 and far > tolerance:
        piece = min(piece, max(_BEYOND * far / -vn, (6.0 * tolerance / jerk) ** (1.0 / 3.0)))
    larger = jerk * piece * piece * piece / 6.0
    # A ball that overlaps is stopped where it approaches, however large it is.
    return piece, larger if larger > tolerance * (1.0 + 1e-6) and far > 0.0 else 0.0
