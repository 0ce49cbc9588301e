"""Which plates are drawn as glass: those with balls on both sides."""

import numpy as np
import pytest
from spheresim_viewer.stage import Stage

from spheresim import Polygon
from spheresim.model.state import Obstacle

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
