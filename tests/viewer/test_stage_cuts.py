"""Where the border of the stage cuts pillars, closed faces are drawn."""

import numpy as np
import pytest
from spheresim_viewer.stage import Stage
from worlds import box

from spheresim.model.obstacle import Obstacle
from spheresim.obstacles.cylinder import Cylinder


def area(surface) -> float:
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2.0


def pillar_in_a_cube(axis, point=(0.0, 0.0, 0.0), radius=1.0) -> Stage:
    """A cube of side 10, and a pillar in it."""
    obstacles = [
        *box(10.0, low=(-5, -5, -5)),
        Obstacle(Cylinder(point, axis, radius), 1.0, "pillar"),
    ]
    balls = np.array([(4.0, y, 4.0) for y in (-4.0, 0.0, 4.0)])
    return Stage.of(obstacles, balls, np.full(3, 0.3))


@pytest.mark.parametrize("slope", [0.0, 0.3, 0.6])
def test_a_pillar_is_closed_at_both_ends_by_the_ellipse_of_the_section(slope):
    stage = pillar_in_a_cube((slope, 1.0, 0.0))
    cuts = stage.cuts()
    assert len(cuts) == 2
    for cut in cuts:
        assert abs(cut.normals[0] @ (0.0, 1.0, 0.0)) == pytest.approx(1.0)
        # π R² over the cosine between axis and normal, less the corners of 96 chords
        assert area(cut) == pytest.approx(np.pi * np.hypot(1.0, slope), rel=2e-3)


def test_a_pillar_half_in_the_floor_is_closed_at_the_front_and_below():
    stage = pillar_in_a_cube((0.0, 0.0, 1.0), point=(0.0, -5.0, 0.0))
    areas = sorted(area(cut) for cut in stage.cuts())
    assert areas == pytest.approx([np.pi / 2, np.pi / 2, 2.0 * 10.0], rel=2e-3)


def test_cuts_lie_on_the_pillar_and_look_out_of_the_stage():
    stage = pillar_in_a_cube((1.0, 0.8, 0.3))
    assert stage.cuts()
    for cut in stage.cuts():
        off = np.linalg.norm(
            np.cross(cut.vertices, np.array(stage.obstacles[-1].shape.axis)), axis=1
        )
        assert np.all(off <= 1.0 + 1e-9)
        a, b, c = cut.vertices[cut.triangles[0]]
        assert np.cross(b - a, c - a) @ cut.normals[0] > 0.0
        assert (a - stage.centre) @ cut.normals[0] > 0.0


def test_a_tube_is_not_cut():
    balls = np.array([(0.0, 0.0, float(z)) for z in range(3)])
    tube = Obstacle(Cylinder((0, 0, 0), (0, 0, 1), 4.0), 1.0, "tube")
    assert Stage.of([tube], balls, np.full(3, 0.3)).cuts() == []
