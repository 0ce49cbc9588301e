"""What all obstacles that are made of features answer alike.

A new one is a file with a class of this kind that says its features, what is inside it, and how
it is drawn; and a line in the table of shapes (`table`).
"""

import math
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.numerics.arguments import finite_vector, length, place
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.bounds import Bounds
from spheresim.numerics.ray import TRay, checked_ray
from spheresim.numerics.rounding import ROUNDING
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.drawing import Drawing
from spheresim.obstacles.features.index import NO_INDEX
from spheresim.obstacles.features.ray_batch import featured_hits, featured_tois
from spheresim.obstacles.features.rows import CIRCLE, FACE, LINE, RING_PLUG, FeatureRows
from spheresim.obstacles.features.shapes import circle_at, face_at, line_at
from spheresim.obstacles.features.table import Features
from spheresim.obstacles.fields import ShapeField
from spheresim.obstacles.identity import Itself
from spheresim.obstacles.ray_hit import Hit, Hits
from spheresim.obstacles.shape import Shape

_KEPT = 64
"""Obstacles whose features are kept, so that they are not made for each question."""

_KEPT_LARGE = 4
"""Large obstacles whose features are kept likewise."""


class Bounded(Shape):
    """An obstacle of finite size, with the fields of its table in a scene file.

    Its surface is a thin shell: a ball outside stays outside, one inside stays inside. Where
    `is_solid` there is no inside for balls.
    """

    __slots__ = ()

    @property
    def is_solid(self) -> bool:
        """Whether no ball can be inside it."""
        return False

    @property
    def pieces(self) -> "tuple[Bounded, ...]":
        """The shapes that it is put together from, each with an inside of its own: itself."""
        return (self,)

    @property
    def is_large(self) -> bool:
        """Whether its features may take much memory: those of only few such shapes are kept."""
        return False

    def features(self) -> FeatureRows:
        """The faces, lines, points, circles and ring plugs that a ball can touch."""
        raise NotImplementedError

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """Its surface as triangles, grown by an offset; seen from inside, as shrunk by it."""
        raise NotImplementedError

    def offset(self, radius: float) -> "Bounded":
        """The shape grown by a radius: what it is to the centre of a ball outside it.

        A ball is stopped where its centre hits that. ValueError for a radius less than 0.
        """
        return Grown(self, length(radius, "an offset", may_be_0=True))

    def clearance(self, point: VectorLike) -> float:
        """The distance of a point from the surface, on whichever side it is."""
        rows, features = _alone(self)
        x = finite_vector(point, "a point")
        return float(min(features.feature_gap(rows, k, x) for k in _near_point(rows, features, x)))

    def gap(self, point: VectorLike) -> float:
        """The signed distance of a point from the surface, negative inside."""
        inside = bool(self.encloses(np.array([finite_vector(point, "a point")]))[0])
        return -self.clearance(point) if inside else self.clearance(point)

    def gaps(self, points: Floats) -> Floats:
        """The gap of many points (n, 3), shape (n,)."""
        return np.array([self.gap(point) for point in points])

    def normal_at(self, point: VectorLike, seen_from: VectorLike) -> TVector:
        """The normal of the surface at the point of it nearest to one, towards `seen_from`.

        Seen from the point itself, that nearest point is point − clearance · normal. Where several
        are equally near, as all of a ring's are to its axis, it is one of them.
        """
        rows, features = _alone(self)
        x, eye = finite_vector(point, "a point"), finite_vector(seen_from, "a point")
        k = _nearest_feature(rows, features, x)
        if rows.kind[k] in {CIRCLE, RING_PLUG}:
            return _against(circle_at(rows, k).normal_of_nearest(x), x - eye)
        return _against(features.feature_normal(rows, k, x), x - eye)

    def toi(self, ray: TRay, radius: float) -> float:
        """The ray parameter at which a ball with its centre on the ray is stopped; inf if never."""
        rows, features = _alone(self)
        near = _near_ray(rows, ray, radius)
        with np.errstate(all="ignore"):  # as in kernels
            times = [float(features.feature_toi(rows, k, ray, radius)) for k in near]
        return min(times, default=math.inf)

    def falling_toi(self, x: TVector, v: TVector, g: TVector, radius: float, until: float) -> float:
        """The time of impact of a ball with acceleration g; inf if not until then."""
        rows, features = _alone(self)
        times = (
            float(features.feature_falling_toi(rows, k, BallPath(x, v, g), radius, until))
            for k in range(len(rows.kind))
        )
        return min(times, default=math.inf)

    def hit(self, ray: TRay) -> Hit | None:
        """Where a ray first meets the surface, or None."""
        ray = checked_ray(ray)
        place(ray.origin, "a ray's start")
        rows, features = _alone(self)
        near = _near_ray(rows, ray, 0.0)
        with np.errstate(all="ignore"):  # as in kernels
            times = {k: features.feature_toi(rows, k, ray, 0.0) for k in near}
        first = min(times, key=lambda k: times[k], default=-1)
        if first < 0 or times[first] == math.inf:
            return None
        point = ray.at_parameter(times[first])
        normal = _against(features.feature_normal(rows, first, point), ray.direction)
        return Hit(float(times[first] * ray.direction.mag()), point, normal)

    def hit_batch(self, origin: npt.ArrayLike, direction: npt.ArrayLike) -> Hits:
        """`hit` of many rays, to the bit: starts and directions (n, 3), or one for all.

        ValueError for other shapes, what is not finite, and a direction of length 0.
        """
        return featured_hits(*_alone(self), origin, direction)

    def toi_batch(
        self, position: npt.ArrayLike, velocity: npt.ArrayLike, radius: npt.ArrayLike
    ) -> Floats:
        """`toi` of many balls, to the bit, shape (n,): vectors (n, 3), radii (n,), or one for all.

        inf for a ball that does not move.
        """
        return featured_tois(*_alone(self), position, velocity, radius)

    def bounds(self) -> Bounds:
        """The axis-aligned box around it."""
        rows = self.features()
        return Bounds(TVector(rows.low.min(axis=0)), TVector(rows.high.max(axis=0)))


class _ShapeAndRadius(NamedTuple):
    shape: Bounded
    radius: float


class Grown(Bounded, _ShapeAndRadius):
    """All within `radius` of a shape; solid. `Bounded.offset` makes it.

    Each feature is grown by itself: the offset of the whole is the union of theirs. It has no
    table in scene files.
    """

    __slots__ = ()

    kind: ClassVar[str] = "grown shape"
    title: ClassVar[str] = "Shapes grown by a radius"
    fields: ClassVar[dict[str, ShapeField]] = {}

    @property
    def is_solid(self) -> bool:
        """No ball can be inside it."""
        return True

    @property
    def is_large(self) -> bool:
        """Whether the shape is."""
        return self.shape.is_large

    def features(self) -> FeatureRows:
        """Those of the shape, with larger radii."""
        rows = self.shape.features()
        numbers = rows.numbers.copy()
        numbers[:, 6] += self.radius
        numbers[:, 10] = 0.0
        return rows._replace(
            numbers=numbers, low=rows.low - self.radius, high=rows.high + self.radius
        )

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are in it, (n,) bool."""
        near = [self.shape.clearance(point) < self.radius for point in points]
        return self.shape.encloses(points) | near

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """The shape's own, further out."""
        return self.shape.drawing(self.radius + offset)


def _alone(shape: Bounded) -> tuple[FeatureRows, Features]:
    """A shape's features, as if there were nothing else."""
    return _kept_same(Itself(shape)) if shape.is_large else _kept(shape)


@lru_cache(_KEPT)
def _kept(shape: Any) -> tuple[FeatureRows, Features]:
    return _table_of(shape)


@lru_cache(_KEPT_LARGE)
def _kept_same(same: Itself) -> tuple[FeatureRows, Features]:
    return _table_of(same.shape)


def _table_of(shape: Bounded) -> tuple[FeatureRows, Features]:
    rows = shape.features()
    return rows, Features(rows.outline, NO_INDEX)


def _against(normal: TVector, way: TVector) -> TVector:
    """A normal of a surface on the side from which a way comes."""
    return normal * -1.0 if normal.dot(way) > 0.0 else normal


def _near_point(rows: FeatureRows, features: Features, x: TVector) -> list[int]:
    """The features that may be nearest to a point: the boxes of all others are further away than
    the feature in the nearest box."""
    aside = np.maximum(0.0, np.maximum(rows.low - np.array(x), np.array(x) - rows.high))
    least = np.sqrt(np.einsum("ij,ij->i", aside, aside))
    some = features.feature_gap(rows, int(np.argmin(least)), x)
    reach = some * (1.0 + 1e-9) + 1e-9 * float(np.abs([rows.low, rows.high]).max(initial=1.0))
    return [int(k) for k in np.flatnonzero(least <= reach)]


def _nearest_feature(rows: FeatureRows, features: Features, x: TVector) -> int:
    """The feature on which the point of the surface lies that is nearest to x.

    Past the end of a face or line, its nearest point is one of its rim, edge or corner, which is
    a feature too, equally near. The normal there is that of the rim: so of equally near features
    the one counts whose end x is least past.
    """
    near = _near_point(rows, features, x)
    gaps = {k: features.feature_gap(rows, k, x) for k in near}
    size = float(np.abs([rows.low[near], rows.high[near]]).max()) + max(map(abs, x))
    least = min(gaps.values()) + 16.0 * ROUNDING * size
    return min((k for k in near if gaps[k] <= least), key=lambda k: _past_end(rows, k, x))


def _past_end(rows: FeatureRows, k: int, x: TVector) -> float:
    """How far a point is past the end of feature k, seen along its normal or across it; 0 if not.

    Only faces and lines have ends.
    """
    if rows.kind[k] == FACE:
        return max(0.0, face_at(rows, rows.outline, k).beyond(x))
    if rows.kind[k] == LINE:
        line = line_at(rows, k)
        along = line.place_along(x)
        return max(0.0, -along, along - line.length)
    return 0.0


def _near_ray(rows: FeatureRows, ray: TRay, radius: float) -> list[int]:
    """The features whose boxes, grown by a radius, a ray meets (the slab test)."""
    grown = radius * (1.0 + 1e-9) + 1e-9 * float(np.abs([rows.low, rows.high]).max(initial=1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        one = (rows.low - grown - np.array(ray.origin)) / np.array(ray.direction)
        two = (rows.high + grown - np.array(ray.origin)) / np.array(ray.direction)
    enter = np.fmax(np.fmin(one, two), -np.inf).max(axis=1)
    leave = np.fmin(np.fmax(one, two), np.inf).min(axis=1)
    return [int(k) for k in np.flatnonzero((enter <= leave) & (leave >= 0.0))]
