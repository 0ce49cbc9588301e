"""Features that a path passes at a distance, told by the nearest points of segments."""

import numpy as np
import pytest

from spheresim import Capsule, Cuboid, Disc, Mesh, Ring, Sphere, TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.features.index import around, swept_bounds
from spheresim.obstacles.features.rows import FACE, leaf_by_leaf
from spheresim.obstacles.table import gap, pack

SHAPES = [
    Sphere((0, 0, 0), 0.7),
    Capsule((0, -1, 0), (0.5, 1, 0), 0.2),
    Cuboid((0, 0, 0), (1, 2, 0.5)),
    Disc((0, 0, 0), (1, 1, 0), 0.8),
    Ring((0, 0, 0), (0, 1, 0), 1.0, 0.2),
]


@pytest.mark.cases(2)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_said_to_be_clear_is_nowhere_near_a_path_and_much_is(shape):
    random = np.random.default_rng(2)
    obstacles = pack([shape], [1.0])
    features, clear, far = obstacles.features, 0, 0
    for _ in range(150):
        x, v, g = random.normal(size=3), 2.0 * random.normal(size=3), random.normal(size=3)
        reach, end = random.uniform(0.05, 0.5), random.uniform(0.1, 0.8)
        corners = swept_bounds(BallPath(TVector(x), TVector(v), TVector(g)), reach, 0.0, end)
        path = [TVector(x + v * t + 0.5 * g * t * t) for t in np.linspace(0.0, end, 40)]
        for k in range(len(obstacles.kind)):
            nearest = min(gap(obstacles, k, at) for at in path)
            far += nearest > corners.reach + 0.05
            if features.is_clear(obstacles, k, corners):
                clear += 1
                assert nearest > reach
    # Of a face only its plane is looked at, of a ring nothing.
    assert clear > 0.3 * far or isinstance(shape, Ring)


def test_paths_along_an_edge_and_balls_that_stand_still_are_told_right():
    rod = pack([Capsule((0, 0, 0), (0, 4, 0), 0.1)], [1.0])
    path = BallPath(TVector(0.3, 1, 0), TVector(0, 1, 0), TVector(0, 0, 0))
    along = swept_bounds(path, 0.25, 0.0, 1.0)
    lines = [k for k in range(len(rod.kind)) if not rod.features.is_clear(rod, k, along)]
    assert lines  # nearly parallel: not told, but the rod's side is 0.2 away, in reach
    for height, off, clear in ((2.0, 0.5, True), (2.0, 0.3, False), (4.3, 0.0, False)):
        still = around(TVector(off, height, 0), 0.35)
        told = [rod.features.is_clear(rod, k, still) for k in range(len(rod.kind))]
        assert all(told) is clear


def test_a_large_mesh_lies_in_memory_as_it_does_in_space_and_has_the_same_features():
    across = np.linspace(0.0, 1.0, 25)
    u, w = np.meshgrid(across, across, indexing="ij")
    vertices = np.stack([u, 0.1 * np.sin(9.0 * u) * np.cos(7.0 * w), w], axis=-1).reshape(-1, 3)
    a = (np.arange(24)[:, None] * 25 + np.arange(24)).reshape(-1)
    b, c, d = a + 1, a + 25, a + 26
    triangles = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    rows = Mesh(vertices, triangles).features()
    sorted_rows = leaf_by_leaf(rows)

    def described(found):
        sides = [
            found.outline[int(row[8]) : int(row[9])].tobytes() if kind == FACE else b""
            for kind, row in zip(found.kind, found.numbers, strict=True)
        ]
        boxes = np.hstack([found.numbers[:, :8], found.low, found.high])
        return sorted(
            (int(kind), box.tobytes(), side)
            for kind, box, side in zip(found.kind, boxes, sides, strict=True)
        )

    assert described(rows) == described(sorted_rows)

    leaps = np.linalg.norm(np.diff(sorted_rows.low, axis=0), axis=1)
    assert np.median(leaps) < 1.0 / 24.0
