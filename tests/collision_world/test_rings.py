"""Convex bodies and meshes against rings: by formulas, and by distances from many balls."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from spheresim import CollisionWorld, Ring
from spheresim.convex import Body, box, capsule, hull

RADIUS, THICKNESS = 2.0, 0.4
RING = Ring((0, 0, 0), (0, 0, 1), RADIUS, THICKNESS)
ANGLES = 2.0 * np.pi * np.arange(360) / 360


def on_circle(angle: Any) -> Any:
    return RADIUS * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)


def from_segment(points: Any, start: Any, end: Any) -> Any:
    """Distances of points, (n, 3), from a segment."""
    way = end - start
    part = np.clip((points - start) @ way / (way @ way), 0.0, 1.0)
    return np.linalg.norm(points - start - part[:, None] * way, axis=1)


def from_core(points: Any, corners: Any) -> Any:
    """Distances of points, (n, 3), from a solid with these corners, negative inside; or from a
    triangle or a segment."""
    if len(corners) == 2:
        return from_segment(points, *corners)
    triangles, height = [(0, 1, 2)], np.full(len(points), np.inf)
    if len(corners) > 3:
        solid = ConvexHull(corners)
        triangles = solid.simplices.tolist()
        height = (points @ solid.equations[:, :3].T + solid.equations[:, 3]).max(axis=1)
    least = np.full(len(points), np.inf)
    for i, j, k in triangles:
        p, q, r = corners[i], corners[j], corners[k]
        for one, two in ((p, q), (q, r), (r, p)):
            least = np.minimum(least, from_segment(points, one, two))
        normal = np.cross(q - p, r - p)
        normal /= np.linalg.norm(normal)
        up = (points - p) @ normal
        foot = points - up[:, None] * normal
        sides = [np.cross(two - one, foot - one) @ normal for one, two in ((p, q), (q, r), (r, p))]
        within = np.min(sides, axis=0) >= 0.0
        least = np.where(within, np.minimum(least, np.abs(up)), least)
    return np.where(height <= 0.0, height, least)


def gap_of(corners: Any, rounding: float) -> float:
    """How far a body is from the nearest ball of the ring: of many, then of many near the best."""
    values, wide = from_core(on_circle(ANGLES), corners), ANGLES[1]
    lowest = (values <= np.roll(values, 1)) & (values <= np.roll(values, -1))
    angles = ANGLES[lowest & (values <= values.min() + 1e-3)]
    for _ in range(7):
        near = angles[:, None] + wide * np.linspace(-1.0, 1.0, 41)
        values = from_core(on_circle(near).reshape(-1, 3), corners).reshape(near.shape)
        angles = near[np.arange(len(near)), values.argmin(axis=1)]
        wide /= 20.0
    return float(values.min()) - rounding - THICKNESS


def bodies() -> list[Body]:
    random = np.random.default_rng(7)
    cloud, triangle = random.normal(size=(15, 3)) * 0.5, random.normal(size=(3, 3))
    return [
        box((0.3, 0.6, 0.2)),
        box((0.5, 0.4, 0.9), radius=0.1),
        capsule((-0.8, 0, 0), (0.8, 0, 0), 0.15),
        hull(cloud),
        hull(triangle),
    ]


def poses(count: int, seed: int) -> list[tuple[Any, Any]]:
    random = np.random.default_rng(seed)
    places = random.uniform(-3, 3, (count, 3)) * (1.0, 1.0, 0.6)
    return list(zip(places, Rotation.random(count, rng=random).as_matrix(), strict=True))


def is_within(body: Body) -> bool:
    return bool(RING.encloses(body.world_points.mean(axis=0)[None])[0])


@pytest.mark.compiled_only
@pytest.mark.cases(3)
@pytest.mark.parametrize("kind", range(5))
def test_the_gap_is_that_of_the_nearest_of_all_balls(kind: int) -> None:
    world, deep, body = CollisionWorld(), 0, bodies()[kind]
    turn, place = Rotation.from_rotvec((1, 2, 0.5)).as_matrix(), np.array([1.0, 2.0, 3.0])
    world.add(RING, place, turn)
    for position, rotation in poses(40, kind):
        here = body.at(position, rotation)
        if is_within(here):
            continue
        found = world.nearest(here.at(turn @ position + place, turn @ rotation))
        assert found is not None
        assert found.gap == pytest.approx(gap_of(here.world_points, body.radius), abs=1e-9)
        if found.gap > 1e-9 - THICKNESS - body.radius:  # else the circle is in the core
            assert np.allclose(found.point - found.gap * found.normal, found.other, atol=1e-12)
        # The points lie on the surfaces.
        point, other = turn.T @ (found.point - place), turn.T @ (found.other - place)
        assert from_core(point[None], here.world_points)[0] == pytest.approx(body.radius, abs=1e-9)
        assert RING.clearance(tuple(other)) < 1e-12
        assert bool(world.overlap(here.at(turn @ position + place, turn @ rotation))) == (
            found.gap <= 0.0
        )
        deep += found.gap < 0.0
    assert deep >= 3


@pytest.mark.compiled_only
@pytest.mark.cases(3)
@pytest.mark.parametrize("kind", range(5))
def test_a_moving_body_is_apart_until_it_touches(kind: int) -> None:
    world, random, hits, body = CollisionWorld(), np.random.default_rng(kind), 0, bodies()[kind]
    world.add(RING)
    for position, rotation in poses(10, 20 + kind):
        start = 4.0 * position / np.linalg.norm(position)
        velocity = on_circle(random.uniform(0, 6.3)) + random.normal(size=3) * 0.6 - start
        here = body.at(start, rotation)
        met = world.shape_cast(here, velocity, until=2.0)
        hits += met is not None
        if gap_of(here.world_points, body.radius) <= 0.0:
            assert met is not None
            assert met.time == 0.0
            continue
        end = 2.0 if met is None else met.time
        for time in np.linspace(0.0, end * (1.0 - 1e-6), 6):
            assert gap_of(here.world_points + velocity * time, body.radius) > -1e-9
        if met is not None:
            touching = here.world_points + velocity * met.time
            assert gap_of(touching, body.radius) == pytest.approx(0.0, abs=1e-8)
            assert RING.clearance(tuple(met.point)) < 1e-12
            assert from_core(met.point[None], touching)[0] == pytest.approx(body.radius, abs=1e-7)
            assert met.normal @ velocity < 0.0
            alone = CollisionWorld()
            alone.add(RING, velocity=-velocity)
            alone.add(here)
            (contact,) = alone.cycle(2.0).contacts
            assert contact.time == pytest.approx(met.time, rel=1e-10)
            assert np.allclose(contact.normal, -met.normal, atol=1e-6)
    assert 3 <= hits <= 10


def test_corners_edges_and_faces_meet_a_ring_where_formulas_say() -> None:
    world = CollisionWorld()
    ring = world.add(RING, (5, 0, 0))
    cases: list[tuple[Body, float, Any]] = [
        (box((0.5, 0.5, 0.5), (9, 0, 0)), 3.5 - 2.4, (1, 0, 0)),
        (box((0.5, 0.5, 0.5), (7, 0, 1.2)), 0.3, (0, 0, 1)),
        (box((0.5, 0.5, 0.5), (7, 0, 0.6)), -0.3, (0, 0, 1)),
        (hull([(10, 0, 4), (11, 0, 4), (10, 1, 6)]), 5.0 - 0.4, (0.6, 0, 0.8)),
        (capsule((8, -3, 0), (8, 3, 0), 0.25), 1.0 - 0.65, (1, 0, 0)),
        (hull([(5, 0, -1), (5, 0, 1)]), 1.6, None),
        (hull([(5, 0, 1.5), (5, 0, 4)]), 2.5 - 0.4, None),
        (box((9, 9, 0.5), (5, 0, 1.5)), 0.6, (0, 0, 1)),
    ]
    for body, gap, normal in cases:
        found = world.nearest(body)
        assert found is not None
        assert (found.handle, found.gap) == (ring, pytest.approx(gap, abs=1e-12))
        assert normal is None or np.allclose(found.normal, normal, atol=1e-6)
        assert world.overlap(body) == ([ring] if gap <= 0.0 else [])


def test_a_rod_falls_through_the_hole_and_a_cap_is_stopped_by_its_rim() -> None:
    world = CollisionWorld()
    world.add(RING)
    rod, plug = capsule((0, 0, 4), (0, 0, 9), 1.5), capsule((0, 0, 5), (0, 0, 9), 2.1)
    assert world.shape_cast(rod, (0, 0, -1), until=1e6) is None
    met = world.shape_cast(plug, (0, 0, -1), until=1e6)
    assert met is not None
    assert met.time == pytest.approx(5.0 - np.sqrt(2.5**2 - RADIUS**2), abs=1e-12)
    assert world.shape_cast(plug, (0, 0, 1), until=1e6) is None
    assert world.shape_cast(plug, (0, 0, -1), until=3.4) is None


def test_what_is_in_a_ring_is_stopped_by_its_walls() -> None:
    world = CollisionWorld()
    world.add(RING)
    bar = box((0.05, 0.3, 0.05), (1.8, 0, 0))
    found = world.nearest(bar)
    assert found is not None
    # Its side towards the axis is furthest from the circle in the middle of an edge.
    assert found.gap == pytest.approx(THICKNESS - np.hypot(0.25, 0.05), abs=1e-12)
    assert np.allclose(found.point, (1.75, 0, found.point[2]), atol=1e-7)
    assert RING.clearance(tuple(found.other)) < 1e-12
    assert world.overlap(bar) == []
    inwards = world.shape_cast(bar, (-1, 0, 0), until=9.0)
    outwards = world.shape_cast(bar, (2, 0, 0), until=9.0)
    assert inwards is not None
    assert outwards is not None
    reach = np.sqrt(THICKNESS**2 - 0.05**2)
    assert inwards.time == pytest.approx(1.75 - (RADIUS - reach), abs=1e-10)
    assert outwards.time == pytest.approx(
        0.5 * (np.sqrt((RADIUS + reach) ** 2 - 0.09) - 1.85), abs=1e-10
    )
    stuck = world.nearest(bar.at((1.6, 0, 0)))
    assert stuck is not None
    assert stuck.gap == pytest.approx(THICKNESS - np.hypot(0.45, 0.05))


@pytest.mark.compiled_only
def test_the_furthest_point_from_the_circle_is_that_of_many_on_all_edges() -> None:
    world, random, seen = CollisionWorld(), np.random.default_rng(5), 0
    world.add(RING)
    part = np.linspace(0.0, 1.0, 2001)[:, None]
    for _ in range(60):
        body = hull(random.normal(size=(8, 3)) * (0.05, 0.25, 0.05), radius=0.02)
        angle = random.uniform(0, 6.3)
        turn = Rotation.from_rotvec((0, 0, angle)).as_matrix()
        here = body.at(on_circle(angle) + random.normal(size=3) * 0.1, turn)
        if not is_within(here):
            continue
        points = here.world_points
        ends = [(points[i], points[j]) for i, j in here.edges]
        every = np.concatenate([one + part * (two - one) for one, two in ends])
        away = np.hypot(np.hypot(every[:, 0], every[:, 1]) - RADIUS, every[:, 2]).max()
        found = world.nearest(here)
        assert found is not None
        assert found.gap == pytest.approx(THICKNESS - 0.02 - away, abs=1e-7)
        seen += 1
    assert seen > 30
