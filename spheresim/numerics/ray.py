"""The tutorial's ray: PointOnRay = Raystart + t · Raydirection, t in [0, ∞).

A ray begins at its start: what lies behind the start is no part of it. Its direction
may have any length but zero. Distances are lengths, whatever the direction's length;
a `parameter` t is in units of the direction's length. With a velocity as the direction, t is time.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import checked_in_python, python_only, value
from spheresim.numerics.arguments import finite_vector, number, shown, takes_points
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import TVector, VectorLike

_SMALL, _LARGE = 1e-20, 1e20
"""Largest components of ordinary directions: their eighth powers neither over- nor underflow."""

_MOST_EXPONENT = 1000
"""By so many powers of two a direction is scaled at most; 2 to this number is a float."""


def _check_along(_ray: object, t: float) -> None:
    """A parameter or distance must be a finite number that is not behind the start."""
    number(t, "a place along a ray", low=0.0)


def _check_other(_ray: object, other: object) -> None:
    """TypeError for what is no ray."""
    if not isinstance(other, TRay):
        raise TypeError(
            f"nearest_points needs a second ray, TRay(origin, direction), not {shown(other)}: "
            "nearest_point and dist take a point"
        )


class _Line(NamedTuple):
    origin: TVector
    direction: TVector


@value
class TRay(_Line):
    """A half-line from `origin` along `direction`: the points origin + t·direction with t ≥ 0.

    origin: (3,) [length]; direction: (3,), of any length but 0 (ValueError). With a velocity as the
    direction, t is a time.

    >>> ray = TRay([0, 0, 0], [2, 0, 0])
    >>> ray.at(3)
    TVector(x=3.0, y=0.0, z=0.0)
    >>> ray.dist(TVector(5, 4, 0)), ray.dist(TVector(-3, 4, 0))
    (4.0, 5.0)
    >>> other = TRay([1, 1, 7], [0, 0, -1])
    >>> ray.dist(other)
    1.0
    >>> ray.nearest_points(other)
    (TVector(x=1.0, y=0.0, z=0.0), TVector(x=1.0, y=1.0, z=0.0))
    """

    __slots__ = ()

    def __new__(cls, origin: VectorLike, direction: VectorLike) -> "TRay":
        start = finite_vector(origin, "a ray's start")
        along = finite_vector(direction, "a ray's direction")
        if along == (0.0, 0.0, 0.0):
            raise ValueError("a ray needs a direction: the zero vector has none")
        return super().__new__(cls, start, along)

    @checked_in_python(_check_along)
    def at_parameter(self, parameter: float) -> TVector:
        """The point origin + parameter · direction, for a parameter ≥ 0."""
        return self._point(parameter)

    def _point(self, parameter: float) -> TVector:
        return self.origin + self.direction * parameter

    def _size(self) -> float:
        """The largest component of the direction, without its sign."""
        d = self.direction
        return max(abs(d.x), abs(d.y), abs(d.z))

    def _with_ordinary_direction(self) -> "TRay":
        """The same points, with a very short or long direction scaled by a power of two."""
        size = self._size()
        if _SMALL <= size <= _LARGE:
            return self
        exponent = min(max(-math.frexp(size)[1], -_MOST_EXPONENT), _MOST_EXPONENT)
        return TRay(self.origin, self.direction * math.ldexp(1.0, exponent))

    @checked_in_python(_check_along)
    def at(self, distance: float) -> TVector:
        """The point of the ray at a distance ≥ 0 from its start [length]."""
        ray = self._with_ordinary_direction()
        return ray._point(distance / ray.direction.mag())

    @takes_points
    def nearest_parameter(self, point: TVector) -> float:
        """The t ≥ 0 at which the ray comes nearest to a point; inf if no float is so large."""
        ray = self._with_ordinary_direction()
        t = ray.direction.dot(point - ray.origin) / ray.direction.mag_sqr()
        return t * ray._size() / self._size() if t > 0.0 else 0.0

    @takes_points
    def nearest_point(self, point: TVector) -> TVector:
        """The point of the ray that is nearest to a given one."""
        ray = self._with_ordinary_direction()
        return ray._point(ray.nearest_parameter(point))

    @checked_in_python(_check_other)
    def nearest_points(self, other: "TRay") -> tuple[TVector, TVector]:
        """The two nearest points of two rays: on this ray, then on the other.

        Parallel rays have many nearest pairs; the result is one of them. After C. Ericson,
        Real-Time Collision Detection, section 5.1.9, for half-lines.
        """
        ray, along = self._with_ordinary_direction(), other._with_ordinary_direction()

        # Try both starts, and keep the nearer pair.
        own, opposite = ray._projected(along, 0.0)
        rival, rival_opposite = ray._projected(along, ray.nearest_parameter(along.origin))
        if rival.dist_sqr(rival_opposite) < own.dist_sqr(opposite):
            own, opposite = rival, rival_opposite

        # Try the place where the two lines come nearest. For almost parallel rays it lies far
        # away and is mostly rounding error, so it must win by more than that.
        normal = ray.direction.cross(along.direction)
        if normal.mag_sqr() > 0.0:
            crossing = (along.origin - ray.origin).cross(along.direction).dot(normal)
            rival, rival_opposite = ray._projected(along, max(0.0, crossing / normal.mag_sqr()))
            noise = 4.0 * 2.0**-52 * (rival.mag() + rival_opposite.mag())
            if rival.dist(rival_opposite) + noise < own.dist(opposite):
                own, opposite = rival, rival_opposite
        return own, opposite

    def _projected(self, other: "TRay", parameter: float) -> tuple[TVector, TVector]:
        """A near pair of points: a point of this ray projected on the other, back, and again."""
        opposite = other.nearest_point(self._point(parameter))
        own = self.nearest_point(opposite)
        return own, other.nearest_point(own)

    @python_only
    def dist(self, other: "TRay | VectorLike") -> float:
        """The shortest distance to a point or to another ray [length]."""
        if isinstance(other, TRay):
            own, opposite = self.nearest_points(other)
            return own.dist(opposite)
        point = finite_vector(other, "a point")
        return self.nearest_point(point).dist(point)


def checked_ray(given: object) -> TRay:
    """A ray, its direction scaled by a power of two if it is very short or long.

    Hits and distances are the same. TypeError for what is no ray.
    """
    if not isinstance(given, TRay):
        raise TypeError(f"hit needs a ray, TRay(origin, direction), not {shown(given)}")
    return given._with_ordinary_direction()


def with_ordinary_velocity(path: TRay) -> tuple[TRay, int]:
    """The path of a ball as a ray, its velocity scaled as by `ordinary_velocities`, and e."""
    scaled = path._with_ordinary_direction()
    return scaled, math.frexp(scaled._size())[1] - math.frexp(path._size())[1]


def ordinary_directions(directions: Floats) -> Floats:
    """Directions (n, 3), very short and long ones scaled as by `ordinary_velocities`.

    ValueError for a direction of length 0.
    """
    still = np.flatnonzero(~np.any(directions, axis=1))
    if len(still):
        which = f"row {still[0]} is the zero vector, which" if len(directions) > 1 else ""
        raise ValueError(f"a ray needs a direction: {which or 'the zero vector'} has none")
    return ordinary_velocities(directions)[0]


def ordinary_velocities(velocity: Floats) -> tuple[Floats, Integers | None]:
    """Velocities (n, 3) with very small and large ones scaled by powers of two, which is exact.

    The exponents (n,) come with them, None if none is scaled: a velocity v became v · 2^e.
    """
    x, y, z = np.abs(velocity).T
    size = np.maximum(np.maximum(x, y), z)
    is_extreme = ((size < _SMALL) & (size > 0.0)) | (size > _LARGE)
    if not is_extreme.any():
        return velocity, None
    exponent = np.where(is_extreme, -np.frexp(size)[1], 0)
    return np.ldexp(velocity, exponent[:, None]), exponent
