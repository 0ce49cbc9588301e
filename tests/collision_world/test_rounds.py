"""Convex bodies and meshes against discs and capped cylinders: by formulas, and by polygons."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spheresim import CappedCylinder, CollisionWorld, Disc, Mesh, Ring
from spheresim.convex import Body, box, capsule, gjk, hull, swept_sat

DISC = Disc((0, 0, 0), (0, 0, 1), 1.0)
DRUM = CappedCylinder((0, 0, -0.7), (0, 0, 0.7), 1.0)
SIDES = 300


def polygons(shape: Any) -> tuple[Body, Body]:
    """The shape with a polygon for each rim, inside of it and around it."""
    turn = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rim = np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    ends = [0.0] if isinstance(shape, Disc) else [-0.7, 0.7]
    points = np.vstack([rim + np.array([0, 0, end]) for end in ends])
    return hull(points), hull(points * (1 / np.cos(np.pi / SIDES), 1 / np.cos(np.pi / SIDES), 1))


def bodies() -> list[Body]:
    random = np.random.default_rng(7)
    cloud, triangle = random.normal(size=(15, 3)) * 0.4, random.normal(size=(3, 3))
    return [
        box((0.3, 0.4, 0.2)),
        capsule((-0.5, 0, 0), (0.5, 0, 0), 0.1),
        hull(cloud),
        hull(triangle),
    ]


def poses(count: int, seed: int) -> list[tuple[Any, Any]]:
    random = np.random.default_rng(seed)
    places = random.uniform(-2, 2, (count, 3))
    return list(zip(places, Rotation.random(count, rng=random).as_matrix(), strict=True))


def is_within(shape: Any, body: Body) -> bool:
    return bool(shape.encloses(body.world_points.mean(axis=0)[None])[0])


@pytest.mark.compiled_only
@pytest.mark.parametrize("shape", [DISC, DRUM], ids=["disc", "drum"])
def test_the_gap_lies_between_those_of_polygons_inside_and_around(shape: Any) -> None:
    world, (inner, outer), deep = CollisionWorld(), polygons(shape), 0
    turn = Rotation.from_rotvec((1, 2, 0.5)).as_matrix()
    handle = world.add(shape)
    world.turn(handle, turn)
    world.move(handle, (1, 2, 3))
    for body in bodies():
        for place, rotation in poses(25, 1):
            here = body.at(place, rotation)
            if is_within(shape, here):
                continue
            found = world.nearest(here.at(turn @ place + (1, 2, 3), turn @ rotation))
            assert found is not None
            assert gjk(here, outer).gap - 1e-12 <= found.gap <= gjk(here, inner).gap + 1e-12
            assert np.allclose(found.point - found.gap * found.normal, found.other, atol=1e-12)
            own = turn.T @ (found.other - (1, 2, 3))
            if found.gap > 0.0:
                assert shape.clearance(tuple(own)) < 1e-9
            deep += found.gap < 0.0
    assert deep >= 3


@pytest.mark.compiled_only
@pytest.mark.parametrize("shape", [DISC, DRUM], ids=["disc", "drum"])
def test_the_time_lies_between_those_of_polygons_inside_and_around(shape: Any) -> None:
    (inner, outer), random = polygons(shape), np.random.default_rng(3)
    world = CollisionWorld()
    world.add(shape)
    for body in (bodies()[0], bodies()[2]):
        for place, rotation in poses(20, 2):
            start = 3.0 * place / np.linalg.norm(place)
            velocity = random.normal(size=3) * 0.4 - start
            here = body.at(start, rotation)
            met = world.shape_cast(here, velocity, until=2.0)
            least, most = (swept_sat(here, other, velocity).enter for other in (outer, inner))
            time = np.inf if met is None else met.time
            assert least - 1e-11 <= time <= most + 1e-11
            if met is not None:
                assert shape.clearance(tuple(met.point)) < 1e-10
                alone = CollisionWorld()
                alone.add(shape, velocity=-velocity)
                alone.add(here)
                (contact,) = alone.cycle(2.0).contacts
                assert contact.time == pytest.approx(met.time, rel=1e-10)
                assert np.allclose(contact.normal, -met.normal, atol=1e-6)


def test_corners_edges_and_faces_meet_discs_and_drums_where_formulas_say() -> None:
    world = CollisionWorld()
    disc, drum = world.add(DISC, (5, 0, 0)), world.add(DRUM, (-5, 0, 0))
    cases: list[tuple[Body, int, float, Any]] = [
        (box((0.5, 0.5, 0.5), (5, 0.2, 2)), disc, 1.5, (0, 0, 1)),
        (box((0.5, 0.5, 0.5), (8, 0, 0)), disc, 1.5, (1, 0, 0)),
        (hull([(9, 0, 4), (10, 0, 4), (10, 1, 4)]), disc, 5.0, (0.6, 0, 0.8)),
        (capsule((7, -3, 0), (7, 3, 0), 0.25), disc, 0.75, (1, 0, 0)),
        (box((0.5, 0.5, 0.5), (5, 0, 0.3)), disc, -0.2, (0, 0, 1)),
        (box((0.5, 3, 3), (-7, 0, 0)), drum, 0.5, (-1, 0, 0)),
        (box((0.5, 0.5, 0.5), (-5, 0, 1.1)), drum, -0.1, (0, 0, 1)),
        (hull([(-9, 0, 4.7), (-10, 0, 4.7), (-10, 1, 4.7)]), drum, 5.0, (-0.6, 0, 0.8)),
    ]
    for body, handle, gap, normal in cases:
        found = world.nearest(body)
        assert found is not None
        assert (found.handle, found.gap) == (handle, pytest.approx(gap, abs=1e-12))
        assert np.allclose(found.normal, normal, atol=1e-6)
        assert world.overlap(body) == ([handle] if gap <= 0.0 else [])


def test_what_is_in_a_drum_is_stopped_by_its_walls() -> None:
    world = CollisionWorld()
    world.add(CappedCylinder((0, 0, -2), (0, 0, 2), 2.0))
    crate = box((0.5, 0.5, 0.5))
    found = world.nearest(crate)
    assert found is not None
    assert found.gap == pytest.approx(2.0 - 0.5 * 2**0.5)
    assert world.overlap(crate) == []
    side = world.shape_cast(crate, (1, 0, 0), until=9.0)
    end = world.shape_cast(crate, (0, 0, -1), until=9.0)
    assert side is not None
    assert end is not None
    assert side.time == pytest.approx(np.sqrt(4.0 - 0.25) - 0.5)
    assert np.hypot(*side.point[:2]) == pytest.approx(2.0)
    assert (end.time, end.normal.tolist()) == (pytest.approx(1.5), [0, 0, 1])
    stuck = world.nearest(box((0.5, 0.5, 0.5), (0, 0, 1.7)))
    assert stuck is not None
    assert stuck.gap == pytest.approx(-0.2)
    assert stuck.normal.tolist() == [0, 0, -1]


@pytest.mark.parametrize(
    ("shape", "height"), [(DRUM, 1.7), (Ring((0, 0, 0), (0, 0, 1), 2.0, 0.4), 1.4)]
)
def test_meshes_meet_drums_and_rings_too_and_none_may_turn(shape: Any, height: float) -> None:
    corners = [(-4, -4, 0), (4, -4, 0), (4, 4, 0), (-4, 4, 0)]
    world = CollisionWorld()
    floor = world.add(Mesh(corners, [(0, 1, 2), (0, 2, 3)]))
    handle = world.add(shape, (0, 0, height), velocity=(0, 0, -1))
    (contact,) = world.cycle(2.0).contacts
    assert (contact.a, contact.b) == (floor, handle)
    assert contact.time == pytest.approx(1.0, abs=1e-11)
    assert contact.normal.tolist() == pytest.approx([0, 0, -1], abs=1e-9)
    world.set_velocity(handle, (0, 0, 0), (1, 0, 0))
    with pytest.raises(NotImplementedError, match="turning"):
        world.cycle(0.5)


def test_where_all_ways_out_are_as_short_the_depth_is_still_right() -> None:
    world = CollisionWorld()
    world.add(DISC)
    found = world.nearest(capsule((0, 0, -1.5), (0, 0, 1.5), 0.0))
    assert found is not None
    assert found.gap == pytest.approx(-1.0, abs=1e-9)
