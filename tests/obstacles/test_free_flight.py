"""For how long a ball surely touches no feature: never for longer than it does not, with kicks."""

import numpy as np
import pytest

from spheresim import CappedCylinder, Capsule, Cuboid, Disc, Mesh, Plane, Ring, Sphere
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.features.free_flight import KickedBall
from spheresim.obstacles.table import gap, pack

STEP = 0.05
ROOF = [(0, 0, 0), (2, 0, 0), (2, 0.3, 2), (0, 0.3, 2), (1, 0.9, 1)]
SHAPES = [
    Sphere((-2, 0, 0), 0.6),
    Capsule((0, 1, -1), (0.5, 1.5, 1), 0.3),
    Cuboid((2, -1.5, 0), (1, 0.8, 1.5), ((1, 1, 0), 30)),
    CappedCylinder((-1, 0.5, 1.5), (-1, 2, 1.5), 0.4),
    Disc((2, 1, -1.5), (0.2, 1, 0), 0.8),
    Ring((0, -1, -1.5), (1, 0.3, 0), 0.7, 0.2),
    Mesh(ROOF, [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]),
]


def kicked_path(x, v, g, until):
    """Places along a path with a kick at the start of each step, the first of which is past."""
    places, part = [], np.linspace(0.0, 1.0, 6)[1:, None]
    for _ in range(int(until / STEP) + 1):
        places.append(x + v * (STEP * part))
        x, v = x + v * STEP, v + g * STEP
    times = STEP * np.concatenate([n + part[:, 0] for n in range(len(places))])
    places = np.concatenate(places)
    return places[times < until]


@pytest.mark.cases(2)
@pytest.mark.parametrize("gravity", [(0, 0, 0), (0.3, -2, 0.5)])
@pytest.mark.parametrize("place", range(len(SHAPES)))
def test_before_that_time_nothing_is_touched_and_it_is_not_long_before_something_is(place, gravity):
    random, g = np.random.default_rng(place), np.array(gravity, dtype=float)
    obstacles = pack([SHAPES[place]], [1.0])
    middle = np.mean([obstacles.features.tree.box[0], obstacles.features.tree.box[1]], axis=0)
    wasted = []
    for _ in range(8):
        x = middle + 4.0 * random.normal(size=3)
        v = (middle + random.normal(size=3) - x) * random.uniform(0.3, 2.0)
        radius = random.uniform(0.05, 0.3)

        def nearest(at):
            return min(gap(obstacles, k, TVector(at)) for k in range(len(obstacles.kind)))

        if nearest(x) < radius + 0.2:
            continue
        path = BallPath(TVector(x), TVector(v), TVector(g))
        free = obstacles.features.free_time(obstacles, KickedBall(path, radius, STEP), 2.0)
        gaps = np.array([nearest(at) for at in kicked_path(x, v, g, 2.0 + STEP)]) - radius
        touched = STEP * 0.2 * (1 + np.argmax(gaps <= 0.0)) if (gaps <= 0.0).any() else 2.0
        assert free <= touched
        wasted.append(touched - free)
    assert np.median(wasted) < 0.1


def falls_from(x):
    return KickedBall(BallPath(x, TVector(0, 0, 0), TVector(0, -1, 0)), 0.5, STEP)


def test_who_touches_a_feature_is_not_free_and_a_world_without_them_lets_go_for_long():
    ball = pack([SHAPES[0]], [1.0])
    assert ball.features.free_time(ball, falls_from(TVector(-2, 1.1, 0)), 9.0) == 0.0
    floor = pack([Plane((0, 0, 0), (0, 1, 0))], [1.0])
    assert floor.features.free_time(floor, falls_from(TVector(0, 2, 0)), 9.0) == 9.0
