"""Features seen from many points at once answer as each does for one point."""

import numpy as np
import pytest

from spheresim import Capsule, Compound, Cuboid, Disc, Hull, Polygon, Ring, Sphere
from spheresim.numerics.vector import TVector
from spheresim.obstacles.many_points import surface_at
from spheresim.obstacles.table import clearance, has_ended, normal_at, pack

SHAPES = {
    "sphere": Sphere((0.1, 0.2, 0.3), 1.0),
    "capsule": Capsule((0, 0, 0), (0, 0, 2), 0.5),
    "cuboid": Cuboid((0, 0, 0), (2, 1, 3), rounding=0.25),
    "hull": Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    "polygon": Polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], rounding=0.125),
    "disc": Disc((0, 0, 0), (0, 0, 1), 1.0),
    "ring": Ring((0, 0, 0), (0, 0, 1), 1.0, 0.25),
    "compound": Compound([Ring((0, 0, 0), (1, 0, 0), 2.0, 0.5), Disc((0, 0, 1), (0, 0, 1), 1.0)]),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_many_points_see_what_one_point_sees(shape):
    # Also on the axes, where a circle has no single nearest point: a ball above a ring once fell
    # asleep in the air.
    random = np.random.default_rng(1).uniform(-2.0, 2.0, (40, 3))
    on_axes = np.concatenate([height * np.eye(3) for height in (-1.0, 0.3, 1.0)])
    points = np.concatenate([random, on_axes])
    obstacles = pack([shape], [1.0])
    for k in range(len(obstacles.kind)):
        surface = surface_at(obstacles, k)
        one_by_one = [abs(clearance(obstacles, k, TVector(x))) for x in points.tolist()]
        assert surface.gaps(points) == pytest.approx(one_by_one, abs=1e-14)
        one_by_one = np.array([normal_at(obstacles, k, TVector(x)) for x in random.tolist()])
        assert surface.normals(random) == pytest.approx(one_by_one, abs=1e-14)
        over_it = [not has_ended(obstacles, k, TVector(x)) for x in points.tolist()]
        assert surface.covers(points).tolist() == over_it
