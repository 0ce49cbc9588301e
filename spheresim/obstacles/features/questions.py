"""The questions of `obstacles.table`, asked of one feature: compiled once, for many callers.

features: a `Features`; obstacles: the world's table, of which row k is a feature.
"""

import math
from typing import TYPE_CHECKING, Any

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.rows import FACE, LID, LINE, POINT
from spheresim.obstacles.plane import Plane

if TYPE_CHECKING:
    from spheresim.obstacles.features.table import Features

_CLEARLY = 1e-9
"""A relative difference that exceeds all rounding."""


@routine
def toi_of(features: "Features", obstacles: Any, k: int, ray: TRay, radius: float) -> float:
    """The ray parameter at which a ball on the ray is stopped by feature k; inf if never."""
    kind = obstacles.kind[k]
    if kind == FACE:
        return features.as_face(obstacles, k).toi(ray, radius)
    if kind == LINE:
        return features.as_line(obstacles, k).toi(ray, radius)
    if kind == POINT:
        return features.as_point(obstacles, k).toi(ray, radius)
    if kind == LID:
        return features.as_lid(obstacles, k).toi(ray, radius)
    return features.as_circle(obstacles, k).toi(ray, radius)


@routine
def falling_toi_of(
    features: "Features",
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
        return features.as_face(obstacles, k).falling_toi(x, v, g, radius, until)
    if kind == LINE:
        return features.as_line(obstacles, k).falling_toi(x, v, g, radius, until)
    if kind == POINT:
        return features.as_point(obstacles, k).falling_toi(x, v, g, radius, until)
    if kind == LID:
        return features.as_lid(obstacles, k).falling_toi(x, v, g, radius, until)
    return features.as_circle(obstacles, k).falling_toi(x, v, g, radius, until)


@inlined
def is_clear_of(obstacles: Any, k: int, point: TVector, reach: float) -> bool:
    """Whether row k is a feature, and surely further than `reach` from a point, quickly seen."""
    kind, row = obstacles.kind[k], obstacles.numbers
    d = point - TVector(row[k, 0], row[k, 1], row[k, 2])
    far = (row[k, 6] + reach) * (1.0 + _CLEARLY)
    if kind == POINT:
        return bool(row[k, 10] == 0.0 and d.mag_sqr() > far * far)
    along = d.dot(TVector(row[k, 3], row[k, 4], row[k, 5]))
    if kind == FACE:
        return bool(abs(along) > far)
    # Past its ends a line is further away than to its side.
    across = d.mag_sqr() * (1.0 - _CLEARLY) - along * along
    return bool(kind == LINE and row[k, 10] == 0.0 and across > far * far)


@routine
def gap_of(features: "Features", obstacles: Any, k: int, point: TVector) -> float:
    """The distance of a point from feature k."""
    kind = obstacles.kind[k]
    if kind == FACE:
        return features.as_face(obstacles, k).gap(point)
    if kind == LINE:
        return features.as_line(obstacles, k).gap(point)
    if kind == POINT:
        return features.as_point(obstacles, k).gap(point)
    if kind == LID:
        return features.as_lid(obstacles, k).gap(point)
    return features.as_circle(obstacles, k).gap(point)


@routine
def normal_of(features: "Features", obstacles: Any, k: int, point: TVector) -> TVector:
    """The normal of feature k towards a point."""
    kind = obstacles.kind[k]
    if kind == FACE:
        return features.as_face(obstacles, k).normal_at(point, point)
    if kind == LINE:
        return features.as_line(obstacles, k).normal_at(point, point)
    if kind == POINT:
        return features.as_point(obstacles, k).normal_at(point, point)
    if kind == LID:
        return features.as_lid(obstacles, k).normal_at(point, point)
    return features.as_circle(obstacles, k).normal_at(point, point)


@routine
def bend_of(
    features: "Features", obstacles: Any, k: int, point: TVector, velocity: TVector
) -> float:
    """The second time derivative of the distance of a point that goes straight on."""
    kind = obstacles.kind[k]
    if kind in (FACE, LID):
        return 0.0
    if kind == LINE:
        return features.as_line(obstacles, k).bend(point, velocity)
    if kind == POINT:
        return features.as_point(obstacles, k).bend(point, velocity)
    return features.as_circle(obstacles, k).bend(point, velocity)


@routine
def curvature_radius_of(features: "Features", obstacles: Any, k: int, point: TVector) -> float:
    """The radius of the path of a point that goes around feature k; inf for what is flat."""
    kind = obstacles.kind[k]
    if kind in (FACE, LID):
        return math.inf
    if kind == LINE:
        return features.as_line(obstacles, k).curvature_radius(point)
    if kind == POINT:
        return features.as_point(obstacles, k).curvature_radius(point)
    return features.as_circle(obstacles, k).curvature_radius(point)


@routine
def holds_of(features: "Features", obstacles: Any, k: int, point: TVector) -> bool:
    """Whether feature k is hollow, with a point inside."""
    kind = obstacles.kind[k]
    if kind in (FACE, LID):
        return False
    if kind == LINE:
        return features.as_line(obstacles, k).holds(point)
    if kind == POINT:
        return features.as_point(obstacles, k).holds(point)
    return features.as_circle(obstacles, k).holds(point)


@routine
def axis_of(
    features: "Features", obstacles: Any, k: int, point: TVector, velocity: TVector
) -> TVector:
    """About which a ball turns that slides along the inside of feature k."""
    if obstacles.kind[k] == LINE:
        return features.as_line(obstacles, k).axis
    n = features.feature_normal(obstacles, k, point)
    axis = n.cross(velocity)
    return axis.unit() if axis.mag_sqr() > 0.0 else n.perpendicular()


@routine
def plane_of(features: "Features", obstacles: Any, k: int, point: TVector) -> Plane:
    """The plane that face or lid k is to a ball at a point."""
    if obstacles.kind[k] == LID:
        return features.as_lid(obstacles, k).side_towards(point)
    return features.as_face(obstacles, k).side_towards(point)


@routine
def end_of(
    features: "Features", obstacles: Any, k: int, x: TVector, v: TVector, g: TVector
) -> float:
    """When a ball on a path is no more over feature k, if that is a face; else inf."""
    if obstacles.kind[k] == FACE:
        return features.as_face(obstacles, k).end_time(x, v, g)
    return math.inf


@routine
def has_ended_of(features: "Features", obstacles: Any, k: int, x: TVector) -> bool:
    """Whether a ball is beyond the ends of feature k."""
    if obstacles.kind[k] == FACE:
        return not features.as_face(obstacles, k).covers(x)
    if obstacles.kind[k] == LINE:
        return not features.as_line(obstacles, k).is_beside(x)
    return False
