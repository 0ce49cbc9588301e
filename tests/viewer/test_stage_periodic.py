"""The stage in a periodic box: obstacles that cross a face are there on the other side too."""

import numpy as np
import pytest
from spheresim_viewer.stage import Stage

from spheresim import Cylinder, Plane, TVector
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box

CUBE = Box(TVector(0, 0, 0), TVector(20, 20, 20))


def surfaces(shapes, box=CUBE, offset=0.0, position=((5.5, 5, 10),)):
    position = np.array(position, dtype=float)
    obstacles = [Obstacle(shape) for shape in shapes]
    stage = Stage.of(obstacles, position, np.full(len(position), 0.5), box=box)
    assert (stage.low.tolist(), stage.high.tolist()) == ([*box.low], [*(box.low + box.size)])
    found = stage.surfaces(offset)
    for surface in found:
        assert (surface.vertices > stage.low - 1e-9 * stage.size).all()
        assert (surface.vertices < stage.high + 1e-9 * stage.size).all()
    return found


def angles_seen(found, radius, box=CUBE):
    """How much of the way round a cylinder along z its parts are, all in all."""
    total = 0.0
    for surface in found:
        a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
        total += np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    return total / (radius * box.size.z)


@pytest.mark.parametrize(
    ("point", "parts"),
    [((10, 10, 3), 1), ((0, 10, 3), 2), ((10, 40, 3), 2), ((0, 20, 3), 4), ((19, 1, 3), 4)],
)
def test_the_parts_of_a_pillar_make_a_whole_one(point, parts):
    found = surfaces([Cylinder(point, (0, 0, 1), 3)])
    assert [surface.index for surface in found] == [0] * parts
    assert {surface.kind for surface in found} == {"pillar"}
    assert angles_seen(found, 3.0) == pytest.approx(2 * np.pi, rel=0.01)
    grown = surfaces([Cylinder(point, (0, 0, 1), 3)], offset=0.5)
    assert angles_seen(grown, 3.5) == pytest.approx(2 * np.pi, rel=0.01)


def test_a_pillar_that_only_its_offset_brings_into_the_box_is_a_ghost_there():
    pillar = Cylinder((3.2, 10, 0), (0, 0, 1), 3)
    assert len(surfaces([pillar])) == 1
    assert len(surfaces([pillar], offset=0.5)) == 2


@pytest.mark.parametrize("along_is_periodic", [True, False])
def test_it_fades_only_where_no_next_period_follows(along_is_periodic):
    box = Box(*CUBE[:2], (True, True, along_is_periodic))
    (pillar,) = surfaces([Cylinder((3, 10, 0), (0, 0, 1), 2.9)], box)
    middle = np.abs(pillar.vertices[:, 2] - 10.0) < 4.0
    assert (pillar.fade[middle] == 0.0).all()
    assert pillar.fade.max() == pytest.approx(0.0 if along_is_periodic else 1.0)


def test_balls_in_any_image_make_a_tube():
    tube = Cylinder((0, 0, 0), (0, 0, 1), 8)
    inside = [(19, 1, 3), (1, 1, 5), (18, 17, 9), (10, 10, 10)]
    assert {surface.kind for surface in surfaces([tube], position=inside)} == {"tube"}
    assert {surface.kind for surface in surfaces([tube], position=inside[3:])} == {"pillar"}


def test_walls_and_pillars_between_them():
    slab = Box(TVector(-3, 0, 1), TVector(20, 12, 14), (True, False, True))
    shapes = [Plane((0, 0, 0), (0, 1, 0)), Plane((0, 12, 0), (0, -1, 0))]
    shapes += [Cylinder((-3, 0, 1), (0, 1, 0), 4), Cylinder((7, 4, 15), (1, 0, 0), 2)]
    found = surfaces(shapes, slab, position=((5, 5, 5),))
    assert [surface.index for surface in found] == [0, 1, 2, 2, 2, 2, 3, 3]
