"""Exact positions and velocities of balls between two keyframes, from the impacts between them.

The path of a ball is known at nodes: at the keyframe before, at each of its impacts, where it
comes to rest, begins to slide and is woken, and at the keyframe after. From one node to the next
it flies straight or falls in a parabola. With the nodes at times a and b the position is the
linear interpolation between the two minus ½·g·(t − a)·(b − t). Of a ball that rests or slides g
is replaced by the acceleration that follows from its velocity at a keyframe: on planes that is
exact as well.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.collision.impacts import BALL, KINDS, OBSTACLE, WAKE, Impacts
from spheresim.model.periodic_wrap import to_nearest_images
from spheresim.model.state import Box, World
from spheresim.numerics.arrays import Booleans, Floats, Integers, Records
from spheresim_viewer.timeline.rest import FLYING

_SHORT = 1e-3
"""In shorter parts of the time between two keyframes, what is held goes straight: its acceleration
would be a quotient of rounding errors."""


class Keyframe(NamedTuple):
    """The state between two steps of a simulation, or at a frame of a finished run.

    number: counted from 0 at the start of the playback; time; position, velocity: shape
    (n, 3), read-only; impacts: how many there were until then; dissipated: the energy that
    they took, None if that is not known.
    """

    number: int
    time: float
    position: Floats
    velocity: Floats
    impacts: int
    saved: dict[str, np.ndarray] | None = None
    """All that the exact engine needs beyond the state to continue with the same bits, or None."""
    dissipated: float | None = 0.0
    states: npt.NDArray[np.int8] | None = None
    """Who flies, slides and rests (see `rest`), (n,); None if all fly."""
    angular_velocity: Floats | None = None
    """(n, 3), read-only; None where spins are not followed."""
    orientation: Floats | None = None
    """How balls are turned, (n, 4), see `orientation`; None where spins are not followed."""
    walls: Records | None = None
    """The records of obstacles that move or are warm, (w,); None if there are none."""
    given: float | None = 0.0
    """The energy that obstacles that move or are warm, and heat baths, have given; None if that is
    not known."""

    @property
    def held(self) -> Booleans:
        """Which balls rest or slide, (n,) bool."""
        if self.states is None:
            return np.zeros(len(self.position), dtype=bool)
        return self.states != FLYING


class _Visits(NamedTuple):
    """One row for each ball of each impact, in order of time.

    t, ball: shape (m,); center: the ball's position then, shape (m, 3); image: shape (m,),
    whether in a periodic box `center` may be that of a periodic image of the ball; held: shape
    (m,), 1 if it rests or slides from then on, 0 if it flies, -1 if it goes on as before.
    """

    t: Floats
    ball: Integers
    center: Floats
    image: Booleans
    held: Integers


def interpolate(
    t: float,
    start: Keyframe,
    end: Keyframe,
    impacts: Impacts,
    world: World,
    falling: bool,
    pull: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Positions and velocities, shape (n, 3) each, at a time t between two keyframes.

    impacts: those between the keyframes; falling: True if balls fall in parabolas, False if
    gravity changed all velocities at once at `start` and balls then fly straight; pull: the
    acceleration of each ball at `start`, (n, 3), or of all, (3,), by default that of gravity. At
    the time of an impact the velocity is the one after it.
    """
    if t == start.time:
        return start.position, start.velocity
    if t == end.time:
        return end.position, end.velocity
    # All balls as if none had an impact
    gravity = np.broadcast_to(world.gravity if pull is None else pull, start.position.shape)
    span = end.time - start.time
    position = start.position + (end.position - start.position) * ((t - start.time) / span)
    velocity = end.velocity - (gravity * (end.time - t) if falling else 0.0)
    if falling:
        position -= 0.5 * gravity * ((t - start.time) * (end.time - t))
        if (held := start.held).any():
            change = (end.velocity[held] - start.velocity[held]) / span
            off = (gravity[held] - change) * (end.time - t)
            position[held] += 0.5 * off * (t - start.time)
            velocity[held] += off
    # Those that had impacts, from one of their nodes to the next
    visits = _visits(impacts, world.radius, start.time, end.time)
    visits = _nearest_images(visits, start, end, world.box)
    if len(visits.t):
        balls, places, speeds = _through(visits, t, (start, end), gravity, falling)
        position[balls] = places
        velocity[balls] = speeds
    return position, velocity


def _visits(impacts: Impacts, radius: Floats, earliest: float, latest: float) -> _Visits:
    """Which ball was where at each impact, and when it came to rest, to slide, or was woken."""
    met_a_ball = impacts.kind == BALL
    other = np.where(met_a_ball, impacts.other, 0)
    # The point of contact lies on the path of the second ball, or of the only one.
    center = impacts.point + impacts.normal * radius[impacts.i][:, None]
    unchanged = np.full(len(impacts.t), -1)
    held = np.where(impacts.kind <= OBSTACLE, unchanged, impacts.kind != WAKE)
    first = _Visits(impacts.t, impacts.i, center, met_a_ball, held)
    center = impacts.point - impacts.normal * radius[other][:, None]
    second = _Visits(impacts.t, other, center, np.zeros_like(met_a_ball), unchanged)
    there = np.stack([impacts.kind < len(KINDS), met_a_ball], axis=1).ravel()
    t, ball, center, image, held = (
        np.stack(columns, axis=1).reshape(-1, *columns[0].shape[1:])[there]
        for columns in zip(first, second, strict=True)
    )
    # By rounding, an impact at the end of a step may come just after it.
    return _Visits(np.clip(t, earliest, latest), ball, center, image, held)


def _nearest_images(visits: _Visits, start: Keyframe, end: Keyframe, box: Box | None) -> _Visits:
    """Move centers of periodic images back by whole periods, to the path of the ball itself."""
    if box is None or not box.is_periodic:
        return visits
    part = ((visits.t - start.time) / (end.time - start.time))[:, None]
    path = start.position[visits.ball] * (1.0 - part) + end.position[visits.ball] * part
    nearest = path + to_nearest_images(box, visits.t, visits.center - path)
    return visits._replace(center=np.where(visits.image[:, None], nearest, visits.center))


def _through(
    visits: _Visits, t: float, ends: tuple[Keyframe, Keyframe], gravity: Floats, falling: bool
) -> tuple[Integers, Floats, Floats]:
    """The balls that had impacts, shape (m,), and their positions and velocities at time t.

    ends: the keyframes before and after it.
    """
    start, end = ends
    # The nodes before and after t, at times a and b: at first the two keyframes
    balls, row = np.unique(visits.ball, return_inverse=True)
    a, x_a = np.full(len(balls), start.time), start.position[balls]
    b, x_b = np.full(len(balls), end.time), end.position[balls]
    was_hit, will_be_hit = np.zeros(len(balls), dtype=bool), np.zeros(len(balls), dtype=bool)
    # Replaced by the last impact until t and the first after t. Of several values written to
    # one element, numpy keeps the last: hence the later impacts in reverse order.
    past, future = np.nonzero(visits.t <= t)[0], np.nonzero(visits.t > t)[0][::-1]
    for rows, time, center, is_hit in (
        (past, a, x_a, was_hit),
        (future, b, x_b, will_be_hit),
    ):
        time[row[rows]] = visits.t[rows]
        center[row[rows]] = visits.center[rows]
        is_hit[row[rows]] = True
    # What pulls it: gravity, or what is left of that where something holds the ball
    since, left = (t - a)[:, None], (b - t)[:, None]
    speed = (x_b - x_a) / (b - a)[:, None]
    first, last = ~was_hit, ~will_be_hit
    v_a, v_b = start.velocity[balls], end.velocity[balls]
    pull, held = gravity[balls].copy(), start.held[balls]
    told = past[visits.held[past] >= 0]
    held[row[told]] = visits.held[told] == 1
    if held.any():
        change = 2.0 * np.where(first[:, None], speed - v_a, v_b - speed) / (b - a)[:, None]
        is_known = (first | last) & (b - a > _SHORT * (end.time - start.time))
        pull[held] = np.where(is_known[:, None], change, 0.0)[held]
    # The way from one node to the other
    place = x_a + (x_b - x_a) * (since / (since + left))
    if falling:
        place -= 0.5 * pull * (since * left)
        speed += 0.5 * pull * (since - left)
    else:
        first &= ~held  # the kick that it got at the start is in the quotient
    # At the keyframes the velocities are known; the quotient above may be one of two tiny numbers.
    kick = pull[first] * (since[first] if falling else end.time - start.time)
    speed[first] = v_a[first] + kick
    speed[last] = v_b[last] - (pull[last] * left[last] if falling else 0.0)
    return balls, place, speed
