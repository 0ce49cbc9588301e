"""What balls hide of the sky: from planes and pillars, and from each other."""

import numpy as np
import pytest
from spheresim_viewer.nearness import nearness
from spheresim_viewer.stage import Stage

from spheresim.model.obstacle import Obstacle
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane

FLOOR = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 1.0, "floor")
PILLAR = Obstacle(Cylinder((0, 0, 0), (0, 1, 0), 1.0), 1.0, "pillar")


def near(position, obstacles=(), radius=0.5):
    position = np.array(position, dtype=float)
    radii = np.full(len(position), radius)
    stage = Stage.of(obstacles, position, radii, (0, -1, 0))
    return stage, nearness(stage, position, radii)


def test_a_ball_is_darker_the_nearer_it_is_to_the_floor():
    _, found = near([(0, 0.5, 0), (5, 0.8, 0), (10, 1.5, 0), (15, 9, 0)], [FLOOR])
    down = -found.neighbours[:, 1]
    assert np.all(np.diff(down) < 0.0)
    assert down[3] == 0.0
    assert np.all(found.neighbours[:, [0, 2]] == 0.0)
    assert np.all(found.neighbours[:, 3] == 1.0)


def test_the_floor_is_darkened_straight_below_each_ball():
    stage, found = near([(0, 0.5, 0), (7, 4, 2)], [FLOOR])
    assert found.normal.tolist() == [[0, 1, 0]] * 2
    assert stage.to_world(found.reach[:, :3]) == pytest.approx(
        np.array([(0, 0, 0), (7, 0, 2)]), abs=1e-5
    )


def test_what_is_behind_a_plane_does_not_darken_it():
    _, found = near([(0, 2, 0), (3, 2, 0), (1, -0.4, 0)], [FLOOR])
    assert len(found.shadowing) == 2


def test_two_balls_darken_each_other_alike_and_only_when_near():
    _, found = near([(0, 0, 0), (1, 0, 0), (50, 0, 0), (60, 0, 0)])
    assert found.neighbours[0, 0] > 0.5
    assert found.neighbours[0, :3] == pytest.approx(-found.neighbours[1, :3])
    assert found.neighbours[2:].tolist() == [[0, 0, 0, 1]] * 2


def test_a_ball_beside_a_pillar_is_darker_on_that_side():
    _, found = near([(1.5, 0, 0), (0, 0, 30)], [PILLAR])
    assert found.neighbours[0, 0] < -0.5
    assert len(found.shadowing) == 1
    assert np.all(found.normal == 0.0)
