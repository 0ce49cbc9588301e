"""The rims and near sides of what balls are inside of: bowls, tubes, closed rooms."""

import numpy as np
import pytest
from spheresim_viewer.stage import Stage

from spheresim import CappedCylinder, Cuboid, Sphere
from spheresim.model.obstacle import Obstacle


@pytest.fixture(scope="module")
def glyphs(screen):
    """The module that draws them: it opens the display as soon as it is imported."""
    from spheresim_viewer import glyphs

    return glyphs


def stage_with(shape, place):
    return Stage.of([Obstacle(shape)], np.array([place], dtype=float), np.array([0.2]))


BOWL = stage_with(Sphere((1, 2, 3), 1.5), (1, 2, 3.5))


@pytest.mark.parametrize("eye", [(3, 0, 0), (0, 1.2, 0.1), (-5, 40, 2)])
def test_the_rim_of_a_bowl_is_where_lines_of_sight_touch_it(glyphs, eye):
    eye = np.array(eye, dtype=float)
    found = glyphs.rims(BOWL, eye)
    assert len(found.centre) == 1
    place, facing = found.centre[0], found.normal[0]
    outer, inner = found.radius[0]
    across = np.cross(facing, (0.3, 0.4, 0.5))
    across /= np.linalg.norm(across)
    turn = np.linspace(0.0, 2.0 * np.pi, 7)[:, None]
    ring = np.cos(turn) * across + np.sin(turn) * np.cross(facing, across)
    points = place + 0.5 * (outer + inner) * ring
    centre, radius = BOWL.to_units(np.array([1.0, 2.0, 3.0])), 1.5 / BOWL.size
    assert np.linalg.norm(points - centre, axis=1) == pytest.approx(radius)
    assert np.sum((points - centre) * (points - eye), axis=1) == pytest.approx(0.0, abs=1e-12)
    assert outer > inner > 0.9 * outer


def test_from_inside_there_is_no_rim(glyphs):
    assert len(glyphs.rims(BOWL, BOWL.to_units(np.array([1.0, 2.5, 3.0]))).centre) == 0


def test_a_sphere_that_is_hit_from_outside_has_no_rim(glyphs):
    beside = stage_with(Sphere((0, 0, 0), 1), (3, 0, 0))
    assert len(glyphs.rims(beside, np.full(3, 5.0)).centre) == 0


@pytest.mark.parametrize(
    "shape", [CappedCylinder((0, 0, -1), (0, 0, 1), 1), Cuboid((0, 0, 0), (2, 3, 2))]
)
def test_edges_around_balls_are_drawn_thicker_and_darker(glyphs, shape):
    around, beside = stage_with(shape, (0, 0, 0.1)), stage_with(shape, (9, 0, 0))
    (inner, outer) = (glyphs.outlines(stage, stage.surfaces()) for stage in (around, beside))
    assert inner.width.min() > outer.width.max()
    assert inner.start_color[:, 3].min() > outer.start_color[:, 3].max()


@pytest.mark.parametrize(
    ("shape", "middle"),
    [
        (Sphere((0, 0, 0), 2), (0, 0, 0)),
        (CappedCylinder((0, 0, -1), (0, 0, 1), 1), (0, 0, 0)),
        (Cuboid((1, 0, 0), (2, 3, 2)), (1, 0, 0)),
    ],
)
def test_what_is_turned_is_seen_from_outside(shape, middle):
    (wall,) = stage_with(shape, np.add(middle, (0.1, 0, 0))).surfaces()
    for surface, sign in ((wall, -1.0), (wall.turned(), 1.0)):
        a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
        facing = np.cross(b - a, c - a)
        outward = (a + b + c) / 3.0 - middle
        large = np.linalg.norm(facing, axis=1) > 1e-9
        assert (sign * np.sum(facing * outward, axis=1)[large] > 0.0).all()
        assert (sign * np.sum(surface.normals * (surface.vertices - middle), axis=1) > -1e-9).all()
