"""Which balls touch what: against all pairs one by one, in open and periodic space."""

import math

import numpy as np
import pytest

from spheresim import Ball, Cuboid, Cylinder, Obstacle, PiecewiseMotion, Plane, Sphere, TVector
from spheresim.contact.touching import Boundaries, measured, touching_contacts
from spheresim.model.state import build
from spheresim.obstacles.driven_walls.moving_walls import stopped_rows
from spheresim.obstacles.table import pack

NOTHING = pack([], [])


@pytest.mark.parametrize("box", [None, (5.0, math.inf, 5.0), (5.0, 5.0, 5.0)])
@pytest.mark.parametrize("ratio", [1.0, 100.0])
def test_pairs_are_those_of_all_pairs_one_by_one(box, ratio):
    rng = np.random.default_rng(3)
    x, r = rng.uniform(-5, 10, (150, 3)), 1.2 * ratio ** -rng.random(150)
    sides = None if box is None else np.array(box)
    found = touching_contacts(x, r, Boundaries(NOTHING, sides), np.arange(150), 0.3)
    expected = []
    for i in range(150):
        for j in range(i + 1, 150):
            away = x[i] - x[j]
            if sides is not None:
                away -= np.where(np.isfinite(sides), np.round(away / sides) * 5.0, 0.0)
            gap = np.linalg.norm(away) - r[i] - r[j]
            if gap < 0.3 * (r[i] + r[j]):
                expected.append((i, j, gap, *away / np.linalg.norm(away)))
    rows = np.column_stack([found.first, found.second, found.gap, found.normal])
    assert rows == pytest.approx(np.array(expected), abs=1e-12)


def test_obstacles_are_touched_from_the_side_on_which_the_ball_is():
    obstacles = pack([Plane((0, 0, 0), (0, 0, 1)), Cylinder((0, 0, 0), (0, 0, 1), 3.0)], [1.0, 1.0])
    x = np.array([(0, 0, 0.5), (1, 1, -0.5), (2.5, 0, 9), (0, 3.5, 9), (0, 1, 9)], dtype=float)
    found = touching_contacts(x, np.full(5, 0.5), Boundaries(obstacles), np.arange(5), 1e-9)
    assert found.first.tolist() == [0, 2, 3]
    assert found.second.tolist() == [-1, -2, -2]
    assert found.normal == pytest.approx(np.array([(0, 0, 1), (-1, 0, 0), (0, 1, 0)]))
    assert found.gap == pytest.approx(np.zeros(3), abs=1e-15)


def test_a_tube_without_play_holds_from_all_around():
    tube = pack([Cylinder((1, 2, 3), (1, 1, 1), 0.5)], [1.0])
    x = np.array([(2.0, 3.0, 4.0)])
    found = touching_contacts(x, np.array([0.5]), Boundaries(tube), [0], 1e-6)
    assert found.normal.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
    assert found.normal @ np.ones(3) == pytest.approx(np.zeros(3), abs=1e-15)
    aside = measured(found, x + 1e-3 * found.normal[0], np.array([0.5]), tube)
    assert aside.gap == pytest.approx([1e-3, -5e-4, -5e-4], abs=1e-15)


@pytest.mark.parametrize(
    "shape_at",
    [
        lambda way: Plane(way, (0.2, 1.0, 0.0)),
        lambda way: Cylinder(way, (0.0, 0.3, 1.0), 1.5),
        lambda way: Sphere(way, 1.5),
        lambda way: Cuboid(way, (2.0, 1.0, 2.0)),
    ],
)
def test_an_obstacle_whose_motion_has_ended_is_touched_where_it_then_stands(shape_at):
    rng, way = np.random.default_rng(4), np.array((3.0, -2.0, 5.0))
    x, r, everyone = way + rng.normal(size=(40, 3)), np.full(40, 0.3), np.arange(40)
    motion = PiecewiseMotion((0.0, 2.0), ((0.0, 0.0, 0.0), way))
    balls, gravity = [Ball((50, 50, 50), radius=0.1)], TVector(0.0, -1.0, 0.0)
    moves, _ = build(balls, [Obstacle(shape_at((0, 0, 0)), motion=motion)], gravity)
    stands, _ = build(balls, [Obstacle(shape_at(way))], gravity)
    stopped = [stopped_rows(moves.walls, time) for time in (1.9, 2.0)]
    before, found = (
        touching_contacts(x, r, Boundaries(moves.obstacles, None, rows), everyone, 0.5)
        for rows in stopped
    )
    expected = touching_contacts(x, r, Boundaries(stands.obstacles), everyone, 0.5)
    assert np.sum(before.second < 0) == 0
    assert np.sum(found.second < 0) > 5
    for name in ("first", "second", "normal", "gap"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-14)


def test_a_ball_between_two_images_of_a_pillar_touches_both():
    pillar = pack([Cylinder((0.5, 0, 0), (0, 1, 0), 1.0)], [1.0])
    x = np.array([(10.5, 0.0, 0.0)])
    box = np.array([4.0, math.inf, math.inf])
    found = touching_contacts(x, np.array([1.0]), Boundaries(pillar, box), [0], 1e-6)
    assert sorted(found.normal[:, 0].tolist()) == [-1.0, 1.0]
    assert found.gap == pytest.approx([0.0, 0.0], abs=1e-14)


def test_only_the_balls_asked_about_are_looked_at_and_the_order_is_fixed():
    x = np.array([(k, 0.0, 0.5) for k in range(6)])
    floor = pack([Plane((0, 0, 0), (0, 0, 1))], [1.0])
    found = touching_contacts(x, np.full(6, 0.5), Boundaries(floor), [5, 3, 2], 1e-6)
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert pairs == [(2, -1), (2, 3), (3, -1), (5, -1)]
