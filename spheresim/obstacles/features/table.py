"""The features of a world as arrays, and what they answer.

`obstacles` is the world's table, of which row k is a feature. A world of planes and cylinders has
`NoFeatures` instead: the compiler leaves all of this out of its kernels. Here alone a question to
a feature branches on its kind.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import routine, value
from spheresim.compiler.null_object import absence_of, if_absent
from spheresim.numerics.arrays import Floats
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.features.below import lies_below_plane
from spheresim.obstacles.features.bounding_box import first_stretch, times_in_reach
from spheresim.obstacles.features.free_flight import KickedBall, free_time_of
from spheresim.obstacles.features.index import (
    Index,
    SweptBounds,
    feature_of,
    next_near_leaf,
)
from spheresim.obstacles.features.rejection_test import is_clear_of
from spheresim.obstacles.features.rows import FACE, LINE, POINT, RING_PLUG, Rows
from spheresim.obstacles.features.shapes import circle_at, face_at, line_at, point_at, ring_plug_at
from spheresim.obstacles.plane import Plane

_ANY_PLANE = Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


class _OutlineAndIndex(NamedTuple):
    outline: Floats
    tree: Index


@by_reference
@value
class Features(_OutlineAndIndex):
    """outline: (e, 8), the sides of all faces, see `Face`; tree: over the features' boxes."""

    __slots__ = ()

    @if_absent(False)
    def has_any(self) -> bool:
        """Whether there are features: yes."""
        return True

    @if_absent(False)
    def has_row(self, obstacles: Rows, k: int) -> bool:
        """Whether row k is a feature."""
        return bool(obstacles.kind[k] >= FACE)

    @if_absent(argument="n")
    def unbounded_at(self, obstacles: Any, n: int) -> int:
        """Row number n of those that are planes or cylinders: without features all rows are."""
        return int(obstacles.unbounded[n])

    @if_absent(math.inf)
    @routine
    def feature_toi(self, obstacles: Rows, k: int, ray: TRay, radius: float) -> float:
        """The ray parameter at which a ball on the ray is stopped by feature k; inf if never."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return face_at(obstacles, self.outline, k).toi(ray, radius)
        if kind == LINE:
            return line_at(obstacles, k).toi(ray, radius)
        if kind == POINT:
            return point_at(obstacles, k).toi(ray, radius)
        if kind == RING_PLUG:
            return ring_plug_at(obstacles, k).toi(ray, radius)
        return circle_at(obstacles, k).toi(ray, radius)

    @if_absent(math.inf)
    @routine
    def feature_opposite_toi(self, obstacles: Rows, k: int, ray: TRay, radius: float) -> float:
        """When a ball that slides along feature k is stopped by what is opposite of the same one.

        Only a ring has such a thing: the other side of its mouth.
        """
        if obstacles.kind[k] in (FACE, RING_PLUG, LINE, POINT):
            return math.inf
        return circle_at(obstacles, k).opposite_toi(ray, radius)

    @if_absent(math.inf)
    @routine
    def feature_falling_toi(
        self, obstacles: Rows, k: int, path: BallPath, radius: float, until: float
    ) -> float:
        """When a ball on a path is stopped by feature k; inf if not until then."""
        x, v, g = path
        kind = obstacles.kind[k]
        if kind == FACE:
            return face_at(obstacles, self.outline, k).falling_toi(x, v, g, radius, until)
        if kind == LINE:
            return line_at(obstacles, k).falling_toi(x, v, g, radius, until)
        if kind == POINT:
            return point_at(obstacles, k).falling_toi(x, v, g, radius, until)
        if kind == RING_PLUG:
            return ring_plug_at(obstacles, k).falling_toi(x, v, g, radius, until)
        return circle_at(obstacles, k).falling_toi(x, v, g, radius, until)

    @if_absent(False)
    def is_clear(self, obstacles: Rows, k: int, bounds: SweptBounds) -> bool:
        """Whether row k is a feature that is surely not near a path, quickly seen."""
        return is_clear_of(obstacles, k, bounds)

    @if_absent(math.inf)
    @routine
    def feature_gap(self, obstacles: Rows, k: int, point: TVector) -> float:
        """The distance of a point from feature k."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return face_at(obstacles, self.outline, k).gap(point)
        if kind == LINE:
            return line_at(obstacles, k).gap(point)
        if kind == POINT:
            return point_at(obstacles, k).gap(point)
        if kind == RING_PLUG:
            return ring_plug_at(obstacles, k).gap(point)
        return circle_at(obstacles, k).gap(point)

    @if_absent(ZERO)
    @routine
    def feature_normal(self, obstacles: Rows, k: int, point: TVector) -> TVector:
        """The normal of feature k towards a point."""
        kind = obstacles.kind[k]
        if kind == FACE:
            return face_at(obstacles, self.outline, k).normal_at(point, point)
        if kind == LINE:
            return line_at(obstacles, k).normal_at(point, point)
        if kind == POINT:
            return point_at(obstacles, k).normal_at(point, point)
        if kind == RING_PLUG:
            return ring_plug_at(obstacles, k).normal_at(point, point)
        return circle_at(obstacles, k).normal_at(point, point)

    @if_absent(0.0)
    @routine
    def feature_bend(self, obstacles: Rows, k: int, point: TVector, velocity: TVector) -> float:
        """The second time derivative of the distance of a point that goes straight on."""
        kind = obstacles.kind[k]
        if kind in (FACE, RING_PLUG):
            return 0.0
        if kind == LINE:
            return line_at(obstacles, k).bend(point, velocity)
        if kind == POINT:
            return point_at(obstacles, k).bend(point, velocity)
        return circle_at(obstacles, k).bend(point, velocity)

    @if_absent(math.inf)
    @routine
    def feature_curvature_radius(self, obstacles: Rows, k: int, point: TVector) -> float:
        """The radius of the path of a point that goes around feature k; inf for what is flat."""
        kind = obstacles.kind[k]
        if kind in (FACE, RING_PLUG):
            return math.inf
        if kind == LINE:
            return line_at(obstacles, k).curvature_radius(point)
        if kind == POINT:
            return point_at(obstacles, k).curvature_radius(point)
        return circle_at(obstacles, k).curvature_radius(point)

    @if_absent(False)
    @routine
    def feature_holds(self, obstacles: Rows, k: int, point: TVector) -> bool:
        """Whether feature k is hollow, with a point inside."""
        kind = obstacles.kind[k]
        if kind in (FACE, RING_PLUG):
            return False
        if kind == LINE:
            return line_at(obstacles, k).holds(point)
        if kind == POINT:
            return point_at(obstacles, k).holds(point)
        return circle_at(obstacles, k).holds(point)

    @if_absent(ZERO)
    @routine
    def feature_axis(self, obstacles: Rows, k: int, point: TVector, velocity: TVector) -> TVector:
        """About which a ball turns that slides along the inside of feature k."""
        if obstacles.kind[k] == LINE:
            return line_at(obstacles, k).axis
        n = self.feature_normal(obstacles, k, point)
        axis = n.cross(velocity)
        return axis.unit() if axis.mag_sqr() > 0.0 else n.perpendicular()

    @if_absent(_ANY_PLANE)
    @routine
    def feature_plane(self, obstacles: Rows, k: int, point: TVector) -> Plane:
        """The plane that face or ring plug k is to a ball at a point."""
        if obstacles.kind[k] == RING_PLUG:
            return ring_plug_at(obstacles, k).side_towards(point)
        return face_at(obstacles, self.outline, k).side_towards(point)

    @if_absent(math.inf)
    @routine
    def feature_end(self, obstacles: Rows, k: int, x: TVector, v: TVector, g: TVector) -> float:
        """When a ball on a path is no more over feature k, if that is a face; else inf."""
        if obstacles.kind[k] == FACE:
            return face_at(obstacles, self.outline, k).end_time(x, v, g)
        return math.inf

    @if_absent(False)
    @routine
    def has_feature_ended(self, obstacles: Rows, k: int, x: TVector) -> bool:
        """Whether a ball is beyond the ends of feature k."""
        if obstacles.kind[k] == FACE:
            return not face_at(obstacles, self.outline, k).covers(x)
        if obstacles.kind[k] == LINE:
            return not line_at(obstacles, k).is_beside(x)
        return False

    @if_absent(False)
    def is_flat_feature(self, obstacles: Rows, k: int) -> bool:
        """Whether feature k is a face or a ring plug."""
        return bool(obstacles.kind[k] in (FACE, RING_PLUG))

    @if_absent(False)
    def is_feature_below(self, obstacles: Rows, k: int, plane: Plane) -> bool:
        """Whether row k is a feature, all of which is below a plane or in it, to rounding."""
        return self.has_row(obstacles, k) and lies_below_plane(obstacles, self.outline, k, plane)

    @if_absent(0)
    def leaf_after(self, leaf: int, bounds: SweptBounds) -> int:
        """The next leaf of the index that meets a box, see `next_near_leaf`."""
        return next_near_leaf(self.tree, leaf, bounds)

    @if_absent(0)
    def feature_at(self, leaf: int) -> int:
        """The feature of a leaf."""
        return feature_of(self.tree, leaf)

    @if_absent((math.inf, 0.0))
    def reach_times(self, x: TVector, v: TVector, g: TVector, radius: float) -> tuple[float, float]:
        """Times before and after which a ball is near no feature."""
        return times_in_reach(self.tree, x, v, g, radius)

    @if_absent(argument="until")
    def free_time(self, obstacles: Rows, ball: KickedBall, until: float) -> float:
        """A time before which a ball surely touches no feature, see `free_time_of`."""
        return free_time_of(self, obstacles, ball, until)

    @if_absent(math.inf)
    def stretch(self, v: TVector, g: TVector, radius: float) -> float:
        """The time after which the features near a path are first looked for again."""
        return first_stretch(self.tree, v, g, radius)


NoFeatures = absence_of(Features, "NoFeatures")
"""In place of `Features` in a world of planes and cylinders."""
