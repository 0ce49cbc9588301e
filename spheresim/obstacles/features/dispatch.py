"""The questions of `obstacles.table` to one feature: compiled once, for many callers.

shapes: the world's features, of which row k is one.
"""

import math

from spheresim.compiler.decorators import routine
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.features.rows import FACE, LINE, POINT, RING_PLUG
from spheresim.obstacles.features.shapes import FeatureShapes
from spheresim.obstacles.plane import Plane


@routine
def toi_of(shapes: FeatureShapes, k: int, ray: TRay, radius: float) -> float:
    """The ray parameter at which a ball on the ray is stopped by feature k; inf if never."""
    kind = shapes.kind[k]
    if kind == FACE:
        return shapes.as_face(k).toi(ray, radius)
    if kind == LINE:
        return shapes.as_line(k).toi(ray, radius)
    if kind == POINT:
        return shapes.as_point(k).toi(ray, radius)
    if kind == RING_PLUG:
        return shapes.as_ring_plug(k).toi(ray, radius)
    return shapes.as_circle(k).toi(ray, radius)


@routine
def opposite_toi_of(shapes: FeatureShapes, k: int, ray: TRay, radius: float) -> float:
    """When a ball that slides along feature k is stopped by what is opposite of the same feature.

    Only a ring has such a thing: the other side of its mouth.
    """
    if shapes.kind[k] in (FACE, RING_PLUG, LINE, POINT):
        return math.inf
    return shapes.as_circle(k).opposite_toi(ray, radius)


@routine
def falling_toi_of(
    shapes: FeatureShapes, k: int, path: BallPath, radius: float, until: float
) -> float:
    """When a ball on a path is stopped by feature k; inf if not until then."""
    x, v, g = path
    kind = shapes.kind[k]
    if kind == FACE:
        return shapes.as_face(k).falling_toi(x, v, g, radius, until)
    if kind == LINE:
        return shapes.as_line(k).falling_toi(x, v, g, radius, until)
    if kind == POINT:
        return shapes.as_point(k).falling_toi(x, v, g, radius, until)
    if kind == RING_PLUG:
        return shapes.as_ring_plug(k).falling_toi(x, v, g, radius, until)
    return shapes.as_circle(k).falling_toi(x, v, g, radius, until)


@routine
def gap_of(shapes: FeatureShapes, k: int, point: TVector) -> float:
    """The distance of a point from feature k."""
    kind = shapes.kind[k]
    if kind == FACE:
        return shapes.as_face(k).gap(point)
    if kind == LINE:
        return shapes.as_line(k).gap(point)
    if kind == POINT:
        return shapes.as_point(k).gap(point)
    if kind == RING_PLUG:
        return shapes.as_ring_plug(k).gap(point)
    return shapes.as_circle(k).gap(point)


@routine
def normal_of(shapes: FeatureShapes, k: int, point: TVector) -> TVector:
    """The normal of feature k towards a point."""
    kind = shapes.kind[k]
    if kind == FACE:
        return shapes.as_face(k).normal_at(point, point)
    if kind == LINE:
        return shapes.as_line(k).normal_at(point, point)
    if kind == POINT:
        return shapes.as_point(k).normal_at(point, point)
    if kind == RING_PLUG:
        return shapes.as_ring_plug(k).normal_at(point, point)
    return shapes.as_circle(k).normal_at(point, point)


@routine
def bend_of(shapes: FeatureShapes, k: int, point: TVector, velocity: TVector) -> float:
    """The second time derivative of the distance of a point that goes straight on."""
    kind = shapes.kind[k]
    if kind in (FACE, RING_PLUG):
        return 0.0
    if kind == LINE:
        return shapes.as_line(k).bend(point, velocity)
    if kind == POINT:
        return shapes.as_point(k).bend(point, velocity)
    return shapes.as_circle(k).bend(point, velocity)


@routine
def curvature_radius_of(shapes: FeatureShapes, k: int, point: TVector) -> float:
    """The radius of the path of a point that goes around feature k; inf for what is flat."""
    kind = shapes.kind[k]
    if kind in (FACE, RING_PLUG):
        return math.inf
    if kind == LINE:
        return shapes.as_line(k).curvature_radius(point)
    if kind == POINT:
        return shapes.as_point(k).curvature_radius(point)
    return shapes.as_circle(k).curvature_radius(point)


@routine
def holds_of(shapes: FeatureShapes, k: int, point: TVector) -> bool:
    """Whether feature k is hollow, with a point inside."""
    kind = shapes.kind[k]
    if kind in (FACE, RING_PLUG):
        return False
    if kind == LINE:
        return shapes.as_line(k).holds(point)
    if kind == POINT:
        return shapes.as_point(k).holds(point)
    return shapes.as_circle(k).holds(point)


@routine
def axis_of(shapes: FeatureShapes, k: int, point: TVector, velocity: TVector) -> TVector:
    """About which a ball turns that slides along the inside of feature k."""
    if shapes.kind[k] == LINE:
        return shapes.as_line(k).axis
    n = normal_of(shapes, k, point)
    axis = n.cross(velocity)
    return axis.unit() if axis.mag_sqr() > 0.0 else n.perpendicular()


@routine
def plane_of(shapes: FeatureShapes, k: int, point: TVector) -> Plane:
    """The plane that face or ring plug k is to a ball at a point."""
    if shapes.kind[k] == RING_PLUG:
        return shapes.as_ring_plug(k).side_towards(point)
    return shapes.as_face(k).side_towards(point)


@routine
def end_of(shapes: FeatureShapes, k: int, x: TVector, v: TVector, g: TVector) -> float:
    """When a ball on a path is no more over feature k, if that is a face; else inf."""
    if shapes.kind[k] == FACE:
        return shapes.as_face(k).end_time(x, v, g)
    return math.inf


@routine
def has_ended_of(shapes: FeatureShapes, k: int, x: TVector) -> bool:
    """Whether a ball is beyond the ends of feature k."""
    if shapes.kind[k] == FACE:
        return not shapes.as_face(k).covers(x)
    if shapes.kind[k] == LINE:
        return not shapes.as_line(k).is_beside(x)
    return False
