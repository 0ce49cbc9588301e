"""A plane, which is solid behind, and a disc, ring or capped cylinder, which are hulls of circles.

The lowest point of a rim is downhill from its middle, so the lowest of all is a formula.
"""

from functools import lru_cache

import numpy as np

from spheresim.collision_world.pairs.planes import planes_of, touching_times
from spheresim.collision_world.pairs.side import (
    Impact,
    Nearest,
    Points,
    Side,
    answers_by_nearest,
    impacts,
)
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.vector import TVector
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.features.circle import Circle
from spheresim.obstacles.features.rows import CIRCLE
from spheresim.obstacles.features.shapes import circle_at


@lru_cache(1024)
def _rims(shape: Bounded) -> list[Circle]:
    """The circles among the features of a shape."""
    rows = shape.features()
    return [circle_at(rows, int(k)) for k in np.flatnonzero(rows.kind == CIRCLE)]


def _quarters(shape: Bounded, down: TVector) -> list[TVector]:
    """Of each rim four points a quarter apart, the first of them the lowest: furthest along
    `down`."""
    points = []
    for middle, axis, thick, wide, _ in _rims(shape):
        downhill = down - axis * down.dot(axis)
        first = downhill.unit() if downhill.mag_sqr() > 0.0 else axis.perpendicular()
        for way in (first, axis.cross(first), -first, -axis.cross(first)):
            points.append(middle + way * wide + down * thick)
    return points


def _heights(a: Side, b: Side) -> tuple[Integers, Floats, Floats, Floats]:
    """Of the quarters of all rims: which pair, height over the plane, place; and all normals."""
    points, normals = planes_of(a)
    pair: list[int] = []
    places: list[TVector] = []
    downs = b.to_own(-normals)
    for k, shape in enumerate(b.solids):
        found = _quarters(shape, TVector(downs[k]))
        pair += [k] * len(found)
        places += found
    which = np.array(pair, dtype=np.int64)
    some = b.taken(which)
    there = some.positions + some.to_world(np.array(places).reshape(-1, 3))
    height = np.einsum("ki,ki->k", there - points[which], normals[which])
    return which, height, there, normals


def nearest(a: Side, b: Side) -> Nearest:
    """The gap of a surface in front of a plane, negative if it reaches behind."""
    which, height, place, normals = _heights(a, b)
    order = np.lexsort((height, which))
    lowest = order[np.unique(which[order], return_index=True)[1]]
    gap, on_b = height[lowest], place[lowest]
    return Nearest(gap, -normals, on_b - gap[:, None] * normals, on_b)


def manifold(a: Side, b: Side) -> Points:
    """The points behind the plane among each rim's lowest, and those 90, 180 and 270° further."""
    which, height, place, normals = _heights(a, b)
    deep = np.flatnonzero(height <= 0.0)
    normal = normals[which[deep]]
    middle = place[deep] - 0.5 * height[deep, None] * normal
    return Points(which[deep], middle, -normal, 0.0 - height[deep])


def sweep(a: Side, b: Side, dt: float, tolerance: float) -> Impact:
    """When a surface first reaches a plane, exactly; neither may turn."""
    del tolerance  # the lowest point stays the same one
    now, answer = nearest(a, b), impacts(len(a.row))
    time = touching_times(now, a, b)
    hits = time <= dt
    answer.toi[hits], answer.normal[hits] = time[hits], now.normal[hits]
    answer.point[hits] = now.point_b[hits] + b.velocities[hits] * time[hits, None]
    return answer


RIM_ANSWERS = answers_by_nearest(nearest, sweep)._replace(manifold=manifold)
