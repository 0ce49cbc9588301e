"""Questions of a world against the same question asked of every shape."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spheresim import (
    CappedCylinder,
    CollisionWorld,
    Cylinder,
    Disc,
    Mesh,
    Plane,
    Ring,
    Sphere,
    TRay,
)
from spheresim.convex import (
    Bodies,
    Body,
    bodies_overlap_batch,
    box,
    capsule,
    gjk_batch,
    hull,
    ray_cast_batch,
    sphere,
    swept_sphere_batch,
    time_of_impact,
    time_of_impact_batch,
)

INFINITE = float("inf")


class Cluttered:
    """A world of bodies, and what each of them answers on its own."""

    def __init__(self, seed: int, count: int = 60) -> None:
        self.random = np.random.default_rng(seed)
        self.world, self.bodies = CollisionWorld(), {}
        makers: list[Callable[[], Body]] = [
            lambda: sphere(self.size()),
            lambda: box(self.random.uniform(0.2, 1, 3), radius=self.random.choice([0.0, 0.2])),
            lambda: capsule((0, 0, -self.size()), (0, 0, self.size()), self.size()),
            lambda: hull(self.random.normal(size=(12, 3)) * 0.5),
            lambda: hull(self.random.normal(size=(3, 3)) * 0.7),
        ]
        for k in range(count):
            body = makers[k % len(makers)]().at(*self.place())
            handle = self.world.add(body, group=1 + k % 2)
            self.bodies[handle] = body

    def size(self) -> float:
        return float(self.random.uniform(0.1, 0.8))

    def place(self) -> tuple[Any, Any]:
        turn = Rotation.random(rng=self.random).as_matrix()
        return self.random.uniform(-4, 4, 3), turn

    def points(self, n: int) -> Any:
        return self.random.uniform(-6, 6, (n, 3))

    def each(self, answer: Callable[[Body], Any]) -> Iterator[tuple[int, Any]]:
        return ((handle, answer(body)) for handle, body in self.bodies.items())


def bodies_at(body: Body, positions: Any) -> Bodies:
    bodies = Bodies.of([body])[np.zeros(len(positions), dtype=int)]
    bodies.positions[:] = positions
    return bodies


def same(one: Any, other: Any) -> bool:
    """To what rounding makes of lengths of this size."""
    return np.allclose(one, other, rtol=0.0, atol=1e-12)


def check_rays(count: int, seed: int) -> None:
    clutter = Cluttered(seed)
    origins, directions = clutter.points(count), clutter.random.normal(size=(count, 3))
    directions[: count // 10, clutter.random.integers(3)] = 0.0  # along the sides of boxes
    found = clutter.world.ray_cast_batch(origins, directions)
    answers = dict(clutter.each(lambda body: ray_cast_batch(body, origins, directions)))
    distances = np.array([answer.distance for answer in answers.values()])
    assert same(found.distance, distances.min(axis=0))
    assert 0.1 < np.mean(found.hits) < 1.0
    first = np.array(list(answers))[distances.argmin(axis=0)]
    assert np.array_equal(found.handle, np.where(found.hits, first, -1))
    normals = np.array([answer.normal for answer in answers.values()])
    one = normals[distances.argmin(axis=0), np.arange(count)]
    assert np.abs(found.normal - one * found.hits[:, None]).max() < 1e-9
    rays, every = clutter.world.ray_cast_all_batch(origins, directions)
    assert len(rays) == np.count_nonzero(np.isfinite(distances))
    assert same(every.distance, distances.T[np.isfinite(distances.T)][_order(distances)])
    limited = clutter.world.ray_cast_batch(origins, directions, mask=2, until=2.0)
    others = [handle in list(answers)[1::2] for handle in answers]
    nearest = np.where(np.array(others)[:, None] & (distances <= 2.0), distances, INFINITE)
    assert same(limited.distance, nearest.min(axis=0))


def _order(distances: Any) -> Any:
    """The order in which all finite distances, ray by ray, increase."""
    ray, shape = np.nonzero(np.isfinite(distances.T))
    return np.lexsort((shape, distances.T[ray, shape], ray))


def check_overlaps(count: int, seed: int) -> None:
    clutter = Cluttered(seed)
    probe, places = box((0.3, 0.5, 0.2)), clutter.points(count)
    query, handles = clutter.world.overlap_batch(probe, places)
    probes = bodies_at(probe, places)
    for handle, touching in clutter.each(lambda body: bodies_overlap_batch(probes, body)):
        assert np.array_equal(np.flatnonzero(touching), query[handles == handle])
    query, handles = clutter.world.inside_batch(places)
    points = bodies_at(sphere(0), places)
    for handle, touching in clutter.each(lambda body: bodies_overlap_batch(points, body)):
        assert np.array_equal(np.flatnonzero(touching), query[handles == handle])


def check_nearest(count: int, seed: int) -> None:
    clutter = Cluttered(seed)
    for probe in (sphere(0.0), box((0.3, 0.5, 0.2))):
        places = clutter.points(count)
        found, probes = clutter.world.nearest_batch(probe, places), bodies_at(probe, places)
        gaps = np.array([gjk_batch(probes, body).gap for body in clutter.bodies.values()])
        assert np.array_equal(found.gap, gaps.min(axis=0))
        assert np.array_equal(found.handle, np.array(list(clutter.bodies))[gaps.argmin(axis=0)])
        away = np.linalg.norm(found.point - found.other, axis=1)
        assert np.abs(away - np.abs(found.gap)).max() < 1e-6


def check_casts(count: int, seed: int) -> None:
    clutter = Cluttered(seed)
    places, ways = clutter.points(count), 3 * clutter.random.normal(size=(count, 3))
    ball = sphere(0.3)
    found, probes = (
        clutter.world.shape_cast_batch(ball, ways, positions=places),
        bodies_at(ball, places),
    )
    times = []
    for _, swept in clutter.each(lambda body: swept_sphere_batch(probes, body, ways)):
        times.append(np.where(swept.leave >= 0.0, np.maximum(swept.enter, 0.0), INFINITE))
    first = np.array(times).min(axis=0)
    assert np.array_equal(found.time, np.where(first <= 1.0, first, INFINITE))
    rod, spin = box((0.1, 0.1, 0.8)), (0.0, 2.0, 1.0)
    few = slice(0, max(20, count // 50))
    found = clutter.world.shape_cast_batch(rod, ways[few], spin, positions=places[few])
    probes, times = bodies_at(rod, places[few]), []
    for _, swept in clutter.each(
        lambda body: time_of_impact_batch(probes, body, ways[few], spins_a=[spin], until=1.0)
    ):
        times.append(swept.toi)
    for _, touching in clutter.each(lambda body: bodies_overlap_batch(probes, body)):
        times.append(np.where(touching, 0.0, INFINITE))
    assert np.allclose(found.time, np.array(times).min(axis=0), rtol=0, atol=1e-9)


CHECKS = [check_rays, check_overlaps, check_nearest, check_casts]


@pytest.mark.compiled_only
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    ("count", "seeds"), [(1000, 1), pytest.param(10_000, 10, marks=pytest.mark.study)]
)
def test_a_world_answers_as_all_its_shapes_do(
    check: Callable[[int, int], None], count: int, seeds: int
) -> None:
    for seed in range(1, seeds + 1):
        check(count, seed)


def test_rays_meet_planes_tubes_rings_and_meshes_where_these_say() -> None:
    random = np.random.default_rng(3)
    world, turn = CollisionWorld(), Rotation.random(rng=random).as_matrix()
    grid = [(x, y, 0.3 * (x * y % 2)) for x in range(4) for y in range(4)]
    squares = [(k, k + 4, k + 1) for k in range(11) if k % 4 < 3]
    shapes = {
        world.add(shape): shape
        for shape in (
            Plane((0, 0, -3), (0, 0.6, 0.8)),
            Cylinder((5, 0, 0), (0, 1, 1), 1.5),
            Ring((-4, 0, 0), (0, 0, 1), 1.0, 0.4),
            CappedCylinder((0, 4, 0), (0, 6, 1), 0.7),
            Mesh(grid, squares),
        )
    }
    for handle in shapes:
        world.move(handle, world.position(handle) @ turn.T)
        world.turn(handle, turn)
    origins, directions = random.uniform(-6, 6, (400, 3)), random.normal(size=(400, 3))
    found = world.ray_cast_batch(origins, directions)
    for k in range(len(origins)):
        ray = TRay(turn.T @ origins[k], turn.T @ directions[k])
        hits = {handle: shape.hit(ray) for handle, shape in shapes.items()}
        distances = {handle: hit.distance for handle, hit in hits.items() if hit}
        nearest = min(distances.values(), default=INFINITE)
        assert found.distance[k] == pytest.approx(nearest, abs=1e-9)
        if distances:
            handle = min(distances, key=lambda each: distances[each])
            assert found.handle[k] == handle
            assert np.allclose(found.normal[k], turn @ np.array(hits[handle].normal), atol=1e-8)


def test_the_nearest_of_a_mesh_is_a_triangle_and_planes_count_too() -> None:
    world = CollisionWorld()
    heights = [(x, y, np.sin(x) * np.cos(y)) for x in range(8) for y in range(8)]
    triangles = [
        t for k in range(55) if k % 8 < 7 for t in ((k, k + 8, k + 1), (k + 1, k + 8, k + 9))
    ]
    mesh = Mesh(heights, triangles)
    handle, floor = world.add(mesh), world.add(Plane((0, 0, -2), (0, 0, 1)))
    random = np.random.default_rng(0)
    points = random.uniform((-1, -1, -2), (8, 8, 3), (60, 3))
    found = world.nearest_batch(sphere(0), points)
    for k, point in enumerate(points):
        away, height = mesh.clearance(point), point[2] + 2.0
        assert found.gap[k] == pytest.approx(min(away, height), abs=1e-9)
        assert found.handle[k] == (handle if away < height else floor)
    assert world.nearest((3, 3, 9), within=1.0) is None
    for place in ((3, 3, 9), [3, 3, 9], np.array([3, 3, 9]), Sphere((3, 3, 9), 1e-9)):
        there = world.nearest(place)
        assert there is not None
        assert there.gap == pytest.approx(mesh.clearance((3, 3, 9)), abs=1e-8)
    answer = world.nearest(box((0.5, 0.5, 0.5), (3, 3, 9)))
    assert answer is not None
    assert answer.handle == handle


def test_a_cast_meets_what_it_touches_at_the_start_even_if_the_two_part() -> None:
    world = CollisionWorld()
    crate = world.add(box((1, 1, 1)))
    for shape in (box((1, 1, 1), (2, 0, 0)), sphere(1, (2, 0, 0))):
        for velocity in ((-1, 0, 0), (1, 0, 0)):
            met = world.shape_cast(shape, velocity)
            assert met is not None
            assert (met.handle, met.time) == (crate, 0.0)
        assert time_of_impact(shape, box((1, 1, 1)), (1, 0, 0)).toi == INFINITE


def test_a_ray_hits_a_plane_from_its_front_and_a_disc_from_both_sides() -> None:
    for shape, behind in (
        (Plane((0, 0, 0), (0, 0, 1)), False),
        (Disc((0, 0, 0), (0, 0, 1), 2), True),
    ):
        world = CollisionWorld()
        world.add(shape)
        assert world.ray_cast((0.1, 0.1, 3), (0, 0, -1)) is not None
        assert (world.ray_cast((0.1, 0.1, -3), (0, 0, 1)) is not None) == behind
