"""Obstacles seen from many points at once, as arrays, for questions that are rare."""

from typing import Any

from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around
from spheresim.obstacles.features.rows import FACE
from spheresim.obstacles.features.surface import FeatureSurface
from spheresim.obstacles.features.table import Features
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.table import SHAPES, Obstacles, cylinder_at, plane_at


def surface_at(obstacles: Obstacles, k: int) -> Any:
    """Row k as an object that answers for many points at once, `gaps` and `normals`."""
    if obstacles.kind[k] >= FACE:
        return FeatureSurface(obstacles, obstacles.features.outline, k)
    return (plane_at if SHAPES[obstacles.kind[k]] is Plane else cylinder_at)(obstacles, k)


def rows_near(obstacles: Obstacles, points: Floats, reach: Floats) -> list[int]:
    """The rows that may come within reach (n,) of any of the points (n, 3), in rising order."""
    found = set(obstacles.unbounded.tolist())
    if isinstance(obstacles.features, Features):
        for x, far in zip(points.tolist(), reach.tolist(), strict=True):
            leaf, bounds = -1, around(TVector(x), far)
            while (leaf := obstacles.features.leaf_after(max(leaf, 0), bounds)) > 0:
                found.add(obstacles.features.feature_at(leaf))
    return sorted(found)
