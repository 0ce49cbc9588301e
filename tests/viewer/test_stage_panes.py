"""Which plates are drawn as glass: those with balls on both sides, and upright ones."""

import numpy as np
import pytest
from spheresim_viewer.stage import Stage

from spheresim import Polygon
from spheresim.model.obstacle import Obstacle

PLATE = Polygon([(-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)])


@pytest.mark.parametrize(
    ("places", "is_pane"),
    [
        ([(0, 1, 0), (0.5, -1, 0.5)], True),
        ([(0, 1, 0), (0.5, 2, 0.5)], False),
        ([(0, 1, 0), (3, -1, 0)], False),  # beside it, not under it
    ],
)
def test_a_plate_between_balls_is_glass(places, is_pane):
    obstacles = [Obstacle(PLATE, 1.0, "plate")]
    stage = Stage.of(obstacles, np.array(places, dtype=float), np.full(len(places), 0.2))
    assert [surface.kind for surface in stage.surfaces()] == ["pane" if is_pane else "pillar"]


@pytest.mark.parametrize(
    ("gravity", "is_pane"),
    [((0, 0, -9.81), True), ((3, 0, 0), True), ((0, -9.81, 0), False), ((0, 0, 0), False)],
)
def test_an_upright_plate_on_which_nothing_can_lie_is_glass(gravity, is_pane):
    obstacles = [Obstacle(PLATE, 1.0, "plate")]
    stage = Stage.of(obstacles, np.array([(0.0, 1.0, 0.0)]), np.array([0.2]), gravity)
    assert [surface.kind for surface in stage.surfaces()] == ["pane" if is_pane else "pillar"]
