"""Where balls are between two known states: exact, for the impacts in between are known.

A ball's knots are the state at the start, its impacts, and the state at the end. From knot
to knot it flies straight, or falls in a parabola: along x(t), linear between the knots at
times a and b, minus ½·g·(t − a)·(b − t).
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.model.state import Box, World


class Keyframe(NamedTuple):
    """A state at the border of two steps, or of two frames.

    number: counted from the start of its course; time; position, velocity: (n, 3), not to
    be written into; impacts: how many there have been till then, dissipated: what energy they
    took, None if that is not known.
    """

    number: int
    time: float
    position: Any
    velocity: Any
    impacts: int
    saved: Any = None
    """What the engine needs beside, to go on from here to the last bit; or None."""
    dissipated: float | None = 0.0


class _Visits(NamedTuple):
    """Balls at their impacts, in order of time: t (m,), ball (m,), center (m, 3); image (m,),
    whether that is perhaps the center of an image, as seen by the ball that it met."""

    t: Any
    ball: Any
    center: Any
    image: Any


def interpolate(
    t: float, start: Keyframe, end: Keyframe, impacts: Impacts, world: World, falling: bool
) -> tuple[Any, Any]:
    """Positions and velocities, (n, 3) each, at a time from start to end.

    `impacts` are those in between; `falling` says whether gravity bends the flight, or has
    kicked all balls at the start. At an impact the velocity is the one after it.
    """
    if t == start.time:
        return start.position, start.velocity
    if t == end.time:
        return end.position, end.velocity
    gravity = np.array(world.gravity)
    span = end.time - start.time
    position = start.position + (end.position - start.position) * ((t - start.time) / span)
    velocity = end.velocity - (gravity * (end.time - t) if falling else 0.0)
    if falling:
        position -= 0.5 * gravity * ((t - start.time) * (end.time - t))
    visits = _visits(impacts, world.radius, start.time, end.time)
    visits = _nearest_images(visits, start, end, world.box)
    if len(visits.t):
        balls, places, speeds = _through(visits, t, start, end, gravity, falling)
        position[balls] = places
        velocity[balls] = speeds
    return position, velocity


def _visits(impacts: Impacts, radius: Any, earliest: float, latest: float) -> _Visits:
    """Who was where at an impact; kinds that are not known here move nobody."""
    met_a_ball = impacts.kind == BALL
    other = np.where(met_a_ball, impacts.other, 0)
    # The point of contact lies on the path of the second ball, or of the only one.
    center = impacts.point + impacts.normal * radius[impacts.i][:, None]
    first = _Visits(impacts.t, impacts.i, center, met_a_ball)
    center = impacts.point - impacts.normal * radius[other][:, None]
    second = _Visits(impacts.t, other, center, np.zeros_like(met_a_ball))
    there = np.stack([met_a_ball | (impacts.kind == OBSTACLE), met_a_ball], axis=1).ravel()
    t, ball, center, image = (
        np.stack(columns, axis=1).reshape(-1, *columns[0].shape[1:])[there]
        for columns in zip(first, second, strict=True)
    )
    # An impact at the very end of a step can be a rounding beyond it.
    return _Visits(np.clip(t, earliest, latest), ball, center, image)


def _nearest_images(visits: _Visits, start: Keyframe, end: Keyframe, box: Box | None) -> _Visits:
    """In a periodic box a ball may have met another's image: take it back to its own path."""
    if box is None or not any(box.periodic):
        return visits
    size = np.where(box.periodic, box.size, np.inf)
    part = ((visits.t - start.time) / (end.time - start.time))[:, None]
    path = start.position[visits.ball] * (1.0 - part) + end.position[visits.ball] * part
    turns = np.where(visits.image[:, None], np.round((visits.center - path) / size), 0.0)
    return visits._replace(center=visits.center - turns * np.where(box.periodic, box.size, 0.0))


def _through(
    visits: _Visits, t: float, start: Keyframe, end: Keyframe, gravity: Any, falling: bool
) -> tuple[Any, Any, Any]:
    """The balls that had an impact, where they are at a time, and their velocities."""
    balls, row = np.unique(visits.ball, return_inverse=True)
    a, x_a = np.full(len(balls), start.time), start.position[balls]
    b, x_b = np.full(len(balls), end.time), end.position[balls]
    was_hit, will_be_hit = np.zeros(len(balls), dtype=bool), np.zeros(len(balls), dtype=bool)
    # Where a ball is written to several times, the last one holds: the latest impact till
    # now, and, the other way round, the earliest from now on.
    past, future = np.nonzero(visits.t <= t)[0], np.nonzero(visits.t > t)[0][::-1]
    for rows, time, center, is_hit in (
        (past, a, x_a, was_hit),
        (future, b, x_b, will_be_hit),
    ):
        time[row[rows]] = visits.t[rows]
        center[row[rows]] = visits.center[rows]
        is_hit[row[rows]] = True
    since, left = (t - a)[:, None], (b - t)[:, None]
    place = x_a + (x_b - x_a) * (since / (since + left))
    speed = (x_b - x_a) / (b - a)[:, None]
    if falling:
        place -= 0.5 * gravity * (since * left)
        speed += 0.5 * gravity * (since - left)
    # The two ends are known better than by a quotient of what may both be small.
    first, last = ~was_hit, ~will_be_hit
    kick = gravity * (since[first] if falling else end.time - start.time)
    speed[first] = start.velocity[balls][first] + kick
    speed[last] = end.velocity[balls][last] - (gravity * left[last] if falling else 0.0)
    return balls, place, speed
