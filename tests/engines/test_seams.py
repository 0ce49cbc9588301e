"""Coplanar triangles are one surface: for the way of a ball, and for the rows that tell it."""

import math

import numpy as np
import pytest

from spheresim import Ball, Mesh, Plane, Simulation


def strip(triangles: int, turn: float) -> Mesh:
    """A level strip from x = 0 to 12 and y = -1 to 1, turned about z."""
    x = np.linspace(0.0, 12.0, triangles // 2 + 1)
    along, across = np.repeat(x, 2), np.tile([-1.0, 1.0], len(x))
    c, s = math.cos(turn), math.sin(turn)
    corners = np.column_stack([c * along - s * across, s * along + c * across, 0.0 * along])
    first = np.arange(0, triangles, 2)[:, None]
    return Mesh(corners, np.concatenate([first + np.array([0, 2, 1]), first + np.array([1, 2, 3])]))


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("turn", [0.0, 0.7])
@pytest.mark.parametrize("triangles", [2, 24, 400])
def test_a_ball_slides_over_coplanar_triangles_as_over_a_plane(engine, slope, turn, triangles):
    c, s = math.cos(turn), math.sin(turn)
    gravity = (10 * c * math.sin(slope), 10 * s * math.sin(slope), -10 * math.cos(slope))
    ball = Ball((0.5 * c, 0.5 * s, 0.2), (3 * c, 3 * s + 0.02, 0), radius=0.2, restitution=0.5)
    found = []
    for floor in (strip(triangles, turn), Plane((0, 0, 0), (0, 0, 1))):
        simulation = Simulation([ball], [floor], gravity, 0.005, engine)
        simulation.run(until=1.5)
        found.append((simulation.impacts.kind.tolist(), simulation.position[0]))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-11)


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("twice", [1, -1])
def test_triangles_that_are_given_twice_stop_a_ball_once(engine, twice):
    # Their seams were edges, on which a sliding ball was pushed aside.
    once = strip(24, 0.0)
    floor = Mesh(once.vertices, np.concatenate([once.triangles, once.triangles[:, ::twice]]))
    ball = Ball((0.5, 0.0, 0.2), (3, 0, 0), radius=0.2, restitution=0.5)
    found = []
    for shape in floor, Plane((0, 0, 0), (0, 0, 1)):
        simulation = Simulation([ball], [shape], (0, 0, -10), 0.005, engine)
        simulation.run(until=1.5)
        found.append((simulation.impacts.kind.tolist(), simulation.position[0]))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-11)
