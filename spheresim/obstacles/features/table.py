"""The features of a world as arrays, and what they answer; or that there are none.

`Features` and `NoFeatures` are types, so that the compiler leaves all of this out of the kernels
of a world of planes and cylinders. `obstacles` is the world's table, of which row k is a feature.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.circle import Circle
from spheresim.obstacles.features.face import Face
from spheresim.obstacles.features.index import (
    Corners,
    Index,
    first_stretch,
    next_leaf,
    time_in_reach,
)
from spheresim.obstacles.features.line import Line
from spheresim.obstacles.features.point import Point
from spheresim.obstacles.features.rows import FACE, LINE, POINT
from spheresim.obstacles.plane import Plane


class _None(NamedTuple):
    no_index: float


@value
class NoFeatures(_None):
    """Of a world of planes and cylinders alone."""

    __slots__ = ()

    def feature_toi(self, obstacles: Any, k: int, ray: TRay, radius: float) -> float:
        """Never."""
        return math.inf

    def feature_falling_toi(
        self,
        obstacles: Any,
        k: int,
        x: TVector,
        v: TVector,
        g: TVector,
        radius: float,
        until: float,
    ) -> float:
        """Never."""
        return math.inf

    def feature_gap(self, obstacles: Any, k: int, point: TVector) -> float:
        """Nothing is near."""
        return math.inf

    def feature_normal(self, obstacles: Any, k: int, point: TVector) -> TVector:
        """None."""
        return TVector(0.0, 0.0, 0.0)

    def feature_bend(self, obstacles: Any, k: int, point: TVector, velocity: TVector) -> float:
        """None."""
        return 0.0

    def feature_curvature_radius(self, obstacles: Any, k: int, point: TVector) -> float:
        """It is flat."""
        return math.inf

    def feature_holds(self, obstacles: Any, k: int, point: TVector) -> bool:
        """Nothing does."""
        return False

    def feature_axis(self, obstacles: Any, k: int, point: TVector, velocity: TVector) -> TVector:
        """None."""
        return TVector(0.0, 0.0, 0.0)

    def feature_plane(self, obstacles: Any, k: int, point: TVector) -> Plane:
        """None."""
        return Plane(TVector(0.0, 0.0, 0.0), TVector(0.0, 0.0, 0.0))

    def feature_beyond(self, obstacles: Any, k: int, point: TVector) -> float:
        """Planes and cylinders have no ends."""
        return -math.inf

    def is_face(self, obstacles: Any, k: int) -> bool:
        """None is."""
        return False

    def leaf_after(self, leaf: int, corners: Corners) -> int:
        """No leaf."""
        return 0

    def feature_at(self, leaf: int) -> int:
        """No leaf is ever asked for."""
        return 0

    def reach_time(self, x: TVector, v: TVector, g: TVector, radius: float) -> float:
        """Nothing is ever near."""
        return 0.0

    def far(self, radius: float) -> float:
        """No feature is nearer, however far one looks."""
        return math.inf

    def stretch(self, v: TVector, g: TVector, radius: float) -> float:
        """All at once."""
        return math.inf


class _OutlineAndIndex(NamedTuple):
    outline: Any
    tree: Index


@value
class Features(_OutlineAndIndex):
    """outline: (e, 8), the sides of all faces, see `Face`; tree: over the features' boxes."""

    __slots__ = ()

    def face(self, obstacles: Any, k: int) -> Face:
        """Feature k, known to be a face."""
        row = obstacles.numbers
        extent = row[k, 7]
        return Face(
            TVector(row[k, 0], row[k, 1], row[k, 2]),
            TVector(row[k, 3], row[k, 4], row[k, 5]),
            row[k, 6],
            extent,
            self.outline,
            int(row[k, 8]),
            int(row[k, 9]),
        )

    def line(self, obstacles: Any, k: int) -> Line:
        """Feature k, known to be a line."""
        row = obstacles.numbers
        return Line(
            TVector(row[k, 0], row[k, 1], row[k, 2]),
            TVector(row[k, 3], row[k, 4], row[k, 5]),
            row[k, 6],
            row[k, 7],
            row[k, 10],
        )

    def corner(self, obstacles: Any, k: int) -> Point:
        """Feature k, known to be a point."""
        row = obstacles.numbers
        return Point(TVector(row[k, 0], row[k, 1], row[k, 2]), row[k, 6], row[k, 10])

    def circle(self, obstacles: Any, k: int) -> Circle:
        """Feature k, known to be a circle."""
        row = obstacles.numbers
        return Circle(
            TVector(row[k, 0], row[k, 1], row[k, 2]),
            TVector(row[k, 3], row[k, 4], row[k, 5]),
            row[k, 6],
            row[k, 7],
            row[k, 10],
        )

    def feature_toi(self, obstacles: Any, k: int, ray: TRay, radius: float) -> float:
        """The ray parameter at which a ball on the ray is stopped by feature k; inf if never."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return self.face(obstacles, k).toi(ray, radius)
        if kind == LINE:
            return self.line(obstacles, k).toi(ray, radius)
        if kind == POINT:
            return self.corner(obstacles, k).toi(ray, radius)
        return self.circle(obstacles, k).toi(ray, radius)

    def feature_falling_toi(
        self,
        obstacles: Any,
        k: int,
        x: TVector,
        v: TVector,
        g: TVector,
        radius: float,
        until: float,
    ) -> float:
        """When a ball with the acceleration g is stopped by feature k; inf if not until then."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return self.face(obstacles, k).falling_toi(x, v, g, radius, until)
        if kind == LINE:
            return self.line(obstacles, k).falling_toi(x, v, g, radius, until)
        if kind == POINT:
            return self.corner(obstacles, k).falling_toi(x, v, g, radius, until)
        return self.circle(obstacles, k).falling_toi(x, v, g, radius, until)

    def feature_gap(self, obstacles: Any, k: int, point: TVector) -> float:
        """The distance of a point from feature k."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return self.face(obstacles, k).gap(point)
        if kind == LINE:
            return self.line(obstacles, k).gap(point)
        if kind == POINT:
            return self.corner(obstacles, k).gap(point)
        return self.circle(obstacles, k).gap(point)

    def feature_normal(self, obstacles: Any, k: int, point: TVector) -> TVector:
        """The normal of feature k towards a point."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return self.face(obstacles, k).normal_at(point, point)
        if kind == LINE:
            return self.line(obstacles, k).normal_at(point, point)
        if kind == POINT:
            return self.corner(obstacles, k).normal_at(point, point)
        return self.circle(obstacles, k).normal_at(point, point)

    def feature_bend(self, obstacles: Any, k: int, point: TVector, velocity: TVector) -> float:
        """The second time derivative of the distance of a point that goes straight on."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return 0.0
        if kind == LINE:
            return self.line(obstacles, k).bend(point, velocity)
        if kind == POINT:
            return self.corner(obstacles, k).bend(point, velocity)
        return self.circle(obstacles, k).bend(point, velocity)

    def feature_curvature_radius(self, obstacles: Any, k: int, point: TVector) -> float:
        """The radius of the path of a point that goes around feature k; inf for a face."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return math.inf
        if kind == LINE:
            return self.line(obstacles, k).curvature_radius(point)
        if kind == POINT:
            return self.corner(obstacles, k).curvature_radius(point)
        return self.circle(obstacles, k).curvature_radius(point)

    def feature_holds(self, obstacles: Any, k: int, point: TVector) -> bool:
        """Whether feature k is hollow, with a point inside."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return False
        if kind == LINE:
            return self.line(obstacles, k).holds(point)
        if kind == POINT:
            return self.corner(obstacles, k).holds(point)
        return self.circle(obstacles, k).holds(point)

    def feature_axis(self, obstacles: Any, k: int, point: TVector, velocity: TVector) -> TVector:
        """About which a ball turns that slides along the inside of feature k."""
        if obstacles.kind[k] == LINE:
            return self.line(obstacles, k).axis
        n = self.feature_normal(obstacles, k, point)
        axis = n.cross(velocity)
        return axis.unit() if axis.mag_sqr() > 0.0 else n.perpendicular()

    def feature_plane(self, obstacles: Any, k: int, point: TVector) -> Plane:
        """The plane that face k is to a ball at a point."""
        return self.face(obstacles, k).side_towards(point)

    def feature_beyond(self, obstacles: Any, k: int, point: TVector) -> float:
        """How far a point is beyond the ends of feature k; negative where it is beside it."""
        if obstacles.kind[k] == FACE:
            return self.face(obstacles, k).beyond(point)
        if obstacles.kind[k] == LINE:
            line = self.line(obstacles, k)
            along = line.along(point)
            return max(-along, along - line.length)
        return -math.inf

    def is_face(self, obstacles: Any, k: int) -> bool:
        """Whether feature k is a face."""
        return bool(obstacles.kind[k] == FACE)

    def leaf_after(self, leaf: int, corners: Corners) -> int:
        """The next leaf of the index that meets a box, see `next_leaf`."""
        return next_leaf(self.tree, leaf, corners)

    def feature_at(self, leaf: int) -> int:
        """The feature of a leaf."""
        return int(self.tree.feature[leaf - self.tree.feature.size])

    def reach_time(self, x: TVector, v: TVector, g: TVector, radius: float) -> float:
        """A time after which a ball is past all features for good."""
        return time_in_reach(self.tree, x, v, g, radius)

    def far(self, radius: float) -> float:
        """How far from a ball features are looked for at the least: about the size of one."""
        return float(self.tree.scale[0] + radius)

    def stretch(self, v: TVector, g: TVector, radius: float) -> float:
        """The time after which the features near a path are first looked for again."""
        return first_stretch(self.tree, v, g, radius)
