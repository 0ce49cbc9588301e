"""Rings where impacts have just been: they are seen whole, and none covers the picture."""

import numpy as np
import pytest
from spheresim_viewer.stage import Stage
from spheresim_viewer.timeline.history import concatenated

from spheresim import Ball, Plane, Simulation
from spheresim.collision.impacts import OBSTACLE

pytestmark = pytest.mark.compiled_only

FLOOR = Plane(point=(0, 0, 0), normal=(0, 1, 0))


@pytest.fixture(scope="module")
def explosions(screen):
    """Where rings are drawn: its module opens the display as soon as it is imported."""
    from spheresim_viewer.glyphs import explosions

    return explosions


@pytest.mark.parametrize("radius", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("elevation", [25, 45, 90])
@pytest.mark.parametrize("age", [0.0, 0.3, 0.8])
def test_of_a_ball_that_bounces_there_is_one_ring_that_nothing_cuts(
    explosions, radius, elevation, age
):
    ball = Ball((0, radius + 0.2, 0), radius=radius, restitution=0.5)
    simulation = Simulation([ball], [FLOOR], gravity=(0, -10, 0), engine="events")
    impacts = concatenated(simulation.advance(1.0))
    impacts = impacts.taken(impacts.kind <= OBSTACLE)
    assert len(impacts.t) > 5
    shown = np.array([[-2.0, 4.0, -2.0], [2.0, 0.0, 2.0]])
    stage = Stage.of(simulation.obstacles, shown, np.ones(2))
    angle = np.radians(elevation)
    eye = 4.0 * np.array([np.cos(angle), np.sin(angle), 0.0])
    rings = explosions(stage, impacts, np.array([radius]), np.full(len(impacts.t), age), eye)
    assert len(rings.centre) == 1
    outer = rings.radius[0, 0]
    assert 0.0 < outer < 0.15
    # Its edge, as much nearer to the eye as discs are drawn
    away = eye - rings.centre[0]
    facing = away / np.linalg.norm(away)
    side = np.cross(facing, (0.0, 0.0, 1.0))
    turn = np.linspace(0.0, 2.0 * np.pi, 50)[:, None]
    edge = rings.centre[0] + outer * (np.cos(turn) * side + np.sin(turn) * np.cross(facing, side))
    edge += outer * (eye - edge) / np.linalg.norm(eye - edge, axis=1)[:, None]
    world = stage.to_world(edge)
    assert world[:, 1].min() > -1e-6
    # In front of the ball: at least as near to the eye as the nearest point of the ball behind it
    centre, look = np.array([0.0, radius, 0.0]), world - stage.to_world(eye)
    far = np.linalg.norm(look, axis=1)
    along = look / far[:, None]
    reach = along @ (centre - stage.to_world(eye))
    off = np.sum((centre - stage.to_world(eye)) ** 2) - reach**2
    hits = off < radius**2
    assert (far[hits] < reach[hits] - np.sqrt(radius**2 - off[hits]) + 1e-6).all()
