"""What round obstacles have in common: spheres, cylinders, discs, capsules, drums, rings.

The wall of a sphere, and that of a cylinder seen along its axis, stops the centre of a ball at one
distance s from the middle. d: the way of the centre from there; v, g: its velocity and
acceleration; inside: whether the wall is around the ball.
"""

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arguments import place, places
from spheresim.numerics.arrays import Floats
from spheresim.numerics.roots import Polynomial, contact_quadratic, contact_quartic
from spheresim.numerics.vector import TVector, VectorLike


@inlined
def stop_radius(wall: float, radius: float, inside: bool) -> float:
    """The distance s at which a wall of a radius stops the centre of a ball of another."""
    return max(0.0, wall + (-radius if inside else radius))


@inlined
def straight_toi(d: TVector, v: TVector, s: float, inside: bool) -> float:
    """When a ball in straight flight is stopped; inf if never."""
    quadratic = contact_quadratic(d, v, s)
    return quadratic.last_root() if inside else quadratic.first_root()


@inlined
def falling_quartic(d: TVector, v: TVector, g: TVector, s: float, inside: bool) -> Polynomial:
    """The polynomial of time that falls to 0 where a falling ball is stopped."""
    distance = d.mag()
    quartic = contact_quartic(d, v, g, (distance - s) * (distance + s))
    return -quartic if inside else quartic


@inlined
def bend_around(d: TVector, v: TVector, inside: bool) -> float:
    """The second time derivative of the distance from the wall, without an acceleration.

    A point at the distance D with the speed u around the middle gets away from it with u²/D.
    """
    distance = d.mag()
    if distance == 0.0:
        return 0.0
    around = d.cross(v).mag_sqr() / (distance * distance * distance)
    return -around if inside else around


def units_of(ways: Floats) -> tuple[Floats, Floats]:
    """The directions of ways (n, 3), 0 of those of length 0, and their lengths, (n,)."""
    size = np.linalg.norm(ways, axis=1)
    return ways / np.where(size > 0.0, size, 1.0)[:, None], size


def seen_along(points: Floats, origin: VectorLike, axis: VectorLike) -> tuple[Floats, Floats]:
    """Of points (n, 3): how far from the axis, and how far along it, (n,) each."""
    d, direction = points - np.array(origin), np.array(axis)
    along = d @ direction
    return np.linalg.norm(d - along[:, None] * direction, axis=1), along


def circle_distances(points: Floats, center: VectorLike, axis: VectorLike, radius: float) -> Floats:
    """The distances of points (n, 3) from a circle, (n,)."""
    width, along = seen_along(points, center, axis)
    return np.asarray(np.hypot(width - radius, along))


def two_ends(a: VectorLike, b: VectorLike, what: str) -> tuple[TVector, TVector]:
    """Two different points; ValueError if they are none."""
    ends = place(a, f"{what}'s a"), place(b, f"{what}'s b")
    first, last = places(ends, f"{what}'s end")
    if first == last:
        raise ValueError(f"{what}'s a and b must not be the same point, {tuple(first)}")
    return first, last
