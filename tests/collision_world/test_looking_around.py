"""What lies around a shape, which triangle is met, and what a world says of its shapes."""

import numpy as np
import pytest

from spheresim import CollisionWorld, Compound, Cuboid, Cylinder, Mesh, Plane, Sphere
from spheresim.convex import box, sphere

CORNERS = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)]
SIDES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def spheres(count: int) -> tuple[CollisionWorld, np.ndarray]:
    random, world = np.random.default_rng(2), CollisionWorld()
    places = random.uniform(-9, 9, (count, 3))
    world.add_many(Sphere((0, 0, 0), 0.5), places)
    return world, places


@pytest.mark.parametrize("k", [1, 3, 40, 60, 99])
def test_the_k_nearest_are_the_first_of_all_by_gap(k: int) -> None:
    world, places = spheres(60)
    gaps = np.linalg.norm(places - (1, 2, 3), axis=1) - 0.5
    found = world.k_nearest((1, 2, 3), k)
    assert [each.handle for each in found] == np.argsort(gaps)[:k].tolist()
    assert [each.gap for each in found] == pytest.approx(np.sort(gaps)[:k].tolist())
    few = world.k_nearest((1, 2, 3), k, within=4.0)
    assert len(few) == min(k, np.count_nonzero(gaps <= 4.0))
    assert [each.handle for each in few] == [each.handle for each in found[: len(few)]]


def test_all_within_a_distance_and_the_furthest() -> None:
    world, places = spheres(60)
    gaps = np.linalg.norm(places, axis=1) - 0.5
    found = world.all_within((0, 0, 0), 6.0)
    assert sorted(each.handle for each in found) == np.flatnonzero(gaps <= 6.0).tolist()
    assert np.all(np.diff([each.gap for each in found]) >= 0.0)
    last = world.furthest((0, 0, 0))
    assert last is not None
    assert (last.handle, last.gap) == (gaps.argmax(), pytest.approx(gaps.max()))
    assert CollisionWorld().furthest((0, 0, 0)) is None
    assert CollisionWorld().k_nearest((0, 0, 0), 3) == []
    assert world.all_within((0, 0, 0), 6.0, mask=2) == []


def test_planes_tubes_meshes_and_compounds_are_around_too() -> None:
    world = CollisionWorld()
    handles = world.add_many(
        [
            Plane((0, 0, -5), (0, 0, 1)),
            Cylinder((7, 0, 0), (0, 1, 0), 1),
            Mesh(CORNERS, SIDES),
            Compound([Sphere((0, -3, 0), 1), Sphere((0, -9, 0), 1)]),
        ]
    ).tolist()
    found = world.k_nearest((-1, 1, 1), 4)
    assert {each.handle: each.gap for each in found} == pytest.approx(
        {handles[2]: 1.0, handles[3]: 18**0.5 - 1, handles[0]: 6.0, handles[1]: 65**0.5 - 1}
    )
    assert [each.handle for each in world.k_nearest(sphere(0.5, (-1, 1, 1)), 1)] == [handles[2]]
    assert len(world.all_within(box((1, 1, 1), (-3, 1, 1)), 2.5)) == 1


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_how_many_is_a_whole_number(k: int) -> None:
    with pytest.raises((ValueError, TypeError), match="how many"):
        spheres(3)[0].k_nearest((0, 0, 0), k)


def test_rays_say_which_triangle_they_hit() -> None:
    world = CollisionWorld()
    world.add(Sphere((9, 0.5, 0.5), 0.25))
    mesh = world.add(Mesh(CORNERS, SIDES), (0, 0, 0))
    hit = world.ray_cast((5, 5, 5), (-1, -1, -1))
    assert hit is not None
    assert (hit.handle, hit.triangle) == (mesh, 3)
    starts = [(1, 1, -9), (9.5, 0.5, 0.5), (1, -9, 1)]
    ways = [(0, 0, 1), (-1, 0, 0), (0, 1, 0)]
    found = world.ray_cast_batch(starts, ways)
    assert found.triangle.tolist() == [0, -1, 1]
    every = world.ray_cast_all((20, 0.5, 0.5), (-1, 0, 0))
    assert [each.triangle for each in every] == [-1, 3]


def test_contacts_say_which_triangles_touch() -> None:
    world = CollisionWorld()
    ball = world.add(Sphere((1, 1, -0.4), 0.5))
    mesh = world.add(Mesh(CORNERS, SIDES))
    (contact,) = world.cycle().contacts
    assert (contact.a, contact.b) == (ball, mesh)
    assert contact.triangles.tolist() == [[-1, 0]]
    world.remove(ball)
    world.add(Cuboid((1, 1, -0.4), (1, 1, 1)))
    (contact,) = world.cycle(answer="manifold").contacts
    assert contact.a == mesh
    assert 0 in contact.triangles[:, 0]
    assert set(contact.triangles[:, 1]) == {-1}
    low = world.add(Mesh(CORNERS, SIDES), (0.5, 0.5, -3.9))
    touching = {(c.a, c.b): c.triangles for c in world.cycle().contacts}
    assert set(touching[mesh, low][:, 1]) <= {1, 2, 3}
    assert touching[mesh, low].min() >= 0
    assert world.cycle(answer="touch").contacts[0].triangles.shape == (0, 2)


def test_what_was_set_can_be_read_and_set_anew() -> None:
    world = CollisionWorld()
    ball = world.add(Sphere((0, 0, 0), 1), group=2, mask=5, velocity=(1, 2, 3), spin=(0, 0, 1))
    other = world.add(Sphere((0.5, 0, 0), 1), group=1)
    assert (world.group(ball), world.mask(ball)) == (2, 5)
    assert world.velocity(ball).tolist() == [1, 2, 3]
    assert world.spin(ball).tolist() == [0, 0, 1]
    assert repr(world) == "<CollisionWorld of 2 shapes, 0 contacts in its last cycle>"
    assert len(world.cycle().contacts) == 1
    world.velocity(ball)[:] = 9
    assert world.velocity(ball).tolist() == [1, 2, 3]
    assert world.ray_cast((0, 0, 9), (0, 0, -1), mask=4) is None
    world.set_mask([ball, other], 4)
    assert len(world.cycle().contacts) == 0
    world.set_group([ball, other], 4)
    assert len(world.cycle().contacts) == 1
    assert repr(world) == "<CollisionWorld of 2 shapes, 1 contact in its last cycle>"
    hit = world.ray_cast((0, 0, 9), (0, 0, -1), mask=4)
    assert hit is not None
    assert hit.handle == ball
    with pytest.raises(ValueError, match="a group"):
        world.set_group(ball, -1)
