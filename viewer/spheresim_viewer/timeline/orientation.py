"""How balls that spin are turned: exactly, for nothing but impacts changes an angular velocity.

An orientation is a unit quaternion (w, x, y, z): it turns what is fixed to the ball, as it was at
the start, to where it is now.
"""

from typing import NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats
from spheresim.record.spin_changes import twists


def unturned(count: int) -> Floats:
    """The orientations of balls at the start, (n, 4)."""
    return np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))


class Turning(NamedTuple):
    """Orientations (n, 4), angular velocities (n, 3), and when they are so."""

    orientation: Floats
    angular_velocity: Floats
    time: float


def turned(start: Turning, end: float, rows: Impacts, world: World) -> Floats:
    """Orientations (n, 4) at a time, from those at a start, through the impacts between.

    rows: impacts after the start and until the end.
    """
    orientation, spin = start.orientation.copy(), start.angular_velocity.copy()
    since = np.full(len(spin), start.time)
    # A row for each ball of each impact, ball by ball, in order of time.
    change = twists(rows)
    first, second = rows.kind <= OBSTACLE, rows.kind == BALL
    ball = np.concatenate([rows.i[first], rows.other[second]])
    time = np.clip(np.concatenate([rows.t[first], rows.t[second]]), start.time, end)
    change = np.concatenate([change[first], change[second]])
    change *= (world.radius / world.inertia)[ball, None]
    order = np.lexsort((time, ball))
    ball, time, change = ball[order], time[order], change[order]
    # The first impact of every ball, then the second, and so on.
    number = np.arange(len(ball)) - np.searchsorted(ball, ball)
    for k in range(int(number.max(initial=-1)) + 1):
        now = number == k
        hit = ball[now]
        orientation[hit] = _spun(orientation[hit], spin[hit], time[now] - since[hit])
        spin[hit] += change[now]
        since[hit] = time[now]
    return _spun(orientation, spin, end - since)


def _spun(orientation: Floats, spin: Floats, span: Floats) -> Floats:
    """Orientations after turning with angular velocities for some time."""
    angle = spin * span[:, None]
    size = np.linalg.norm(angle, axis=1)
    w = np.cos(0.5 * size)
    v = angle * (0.5 * np.sinc(size / (2.0 * np.pi)))[:, None]  # sin(size / 2) / size
    other_w, other_v = orientation[:, 0], orientation[:, 1:]
    product = np.empty_like(orientation)
    product[:, 0] = w * other_w - np.einsum("nk,nk->n", v, other_v)
    product[:, 1:] = w[:, None] * other_v + other_w[:, None] * v + np.cross(v, other_v)
    return product / np.linalg.norm(product, axis=1)[:, None]


def axes_of(orientation: Floats) -> Floats:
    """Where the axes x, y and z that are fixed to each ball are now: (n, 3, 3), a row each."""
    w, v = orientation[:, :1], orientation[:, 1:]
    rows = []
    for axis in np.eye(3):
        across = 2.0 * np.cross(v, axis)
        rows.append(axis + w * across + np.cross(v, across))
    return np.stack(rows, axis=1)
