"""One question is answered as a batch of one is, whatever has come, moved and gone before."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from spheresim import (
    Capsule,
    CollisionWorld,
    Compound,
    Cuboid,
    Cylinder,
    Disc,
    Mesh,
    Plane,
    Ring,
    Sphere,
)
from spheresim.collision_world import StaleHandle
from spheresim.convex import box, capsule, hull, sphere

TENT = Mesh([(-2, -2, 0), (2, -2, 0), (0, 2, 0), (0, 0, 2)], [(0, 1, 3), (1, 2, 3), (2, 0, 3)])
SHAPES: list[Any] = [
    Sphere((0, 0, 0), 0.7),
    Cuboid((0, 0, 0), (1, 1, 2)),
    Cuboid((0, 0, 0), (1, 1, 1), rounding=0.2),
    Capsule((-1, 0, 0), (1, 0, 0), 0.4),
    hull(np.random.default_rng(4).normal(size=(20, 3))),
    [sphere(0.5, (1, 0, 0)), box((0.3, 0.3, 0.3), (-1, 0, 0))],
    Plane((0, 0, 0), (1, 2, 2)),
    Disc((0, 0, 0), (0, 0, 1), 1.0),
    Compound([Ring((0, 0, 0), (0, 0, 1), 1.0, 0.3), Sphere((0, 0, 0), 0.3)]),
    Cylinder((0, 0, 0), (0, 1, 0), 1.0),
    TENT,
]
PROBES = [sphere(0.0), sphere(0.6), box((0.4, 0.5, 0.3)), capsule((0, 0, -1), (0, 0, 1), 0.2)]


def world_of(count: int, seed: int, kinds: int) -> tuple[CollisionWorld, list[int], Any]:
    """A world of the first kinds of shapes, of which some have moved and some are gone."""
    random, world, handles = np.random.default_rng(seed), CollisionWorld(), []
    for k in range(count):
        handles.append(world.add(SHAPES[k % kinds], group=1 + k % 3))
        world.move(handles[-1], random.uniform(-4, 4, 3), Rotation.random(rng=random).as_matrix())
        if k % 4 == 3:
            world.nearest((0, 0, 0))
            world.move(handles[k // 2], random.uniform(-4, 4, 3))
    for k in range(0, count, 5):
        world.remove(handles[k])
    return world, [handle for handle in handles if handle in world], random


def rows(of_many: Any) -> Any:
    return [column[0] for column in of_many]


@pytest.mark.compiled_only
@pytest.mark.parametrize("kinds", [6, 7, 9, 11])
@pytest.mark.parametrize("mask", [1, 7])
def test_one_answer_is_that_of_a_batch(kinds: int, mask: int) -> None:
    world, _, random = world_of(40, kinds, kinds)
    probes = PROBES if kinds < 9 else PROBES[:2]
    for probe in probes:
        places, ways = random.uniform(-5, 5, (12, 3)), random.normal(size=(12, 3)) * 3
        query, handles = world.overlap_batch(probe, places, None, mask)
        near = world.nearest_batch(probe, places, None, mask)
        met = world.shape_cast_batch(probe, ways, None, 1.0, mask, places)
        for k, place in enumerate(places):
            assert world.overlap(probe, place, None, mask) == sorted(handles[query == k].tolist())
            one = world.nearest(probe.at(place), mask)
            assert one is not None
            assert (one.handle, one.gap) == (near.handle[k], pytest.approx(near.gap[k], abs=1e-12))
            assert np.allclose(one.point, near.point[k], atol=1e-9)
            assert np.allclose(one.other, near.other[k], atol=1e-9)
            assert np.allclose(one.normal, near.normal[k], atol=1e-9)
            cast = world.shape_cast(probe, ways[k], None, 1.0, mask, place)
            assert (cast is None) == (met.handle[k] < 0)
            if cast is not None:
                assert (cast.handle, cast.time) == (met.handle[k], pytest.approx(met.time[k]))
                assert np.allclose(cast.point, met.point[k], atol=1e-9)
                assert np.allclose(cast.normal, met.normal[k], atol=1e-9)
    query, handles = world.inside_batch(places, mask)
    for k, place in enumerate(places):
        assert world.inside(place, mask) == sorted(handles[query == k].tolist())


@pytest.mark.compiled_only
@pytest.mark.thorough
def test_few_rays_and_many_hit_the_same() -> None:
    world, _, random = world_of(200, 3, 11)
    starts, ways = random.uniform(-6, 6, (300, 3)), random.normal(size=(300, 3))
    ways[:60, random.integers(3)] = 0.0
    one = [world.ray_cast(*ray, 7, 9.0) for ray in zip(starts, ways, strict=True)]
    many = world.ray_cast_batch(starts, ways, 7, 9.0)
    assert 50 < np.count_nonzero(many.hits) < 300
    for k, hit in enumerate(one):
        assert (hit is None) == (not many.hits[k])
        if hit is not None:
            assert hit.handle == many.handle[k]
            assert hit.distance == pytest.approx(many.distance[k], rel=1e-14)
            assert np.allclose(hit.point, many.point[k], rtol=0, atol=1e-13)
            assert np.allclose(hit.normal, many.normal[k], rtol=0, atol=1e-13)


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "move", "remove", "cycle"]), st.integers(0, 30)), max_size=30
)


@pytest.mark.compiled_only
@settings(max_examples=40)
@given(steps=STEPS, seed=st.integers(0, 99))
def test_whatever_changes_the_next_answer_is_of_what_is_there(steps: Any, seed: int) -> None:
    random, world, balls = np.random.default_rng(seed), CollisionWorld(), {}
    for step, which in steps:
        handles = list(balls)
        if step == "add":
            place = random.uniform(-3, 3, 3)
            balls[world.add(sphere(0.2, place), velocity=(0, 0, float(which % 2)))] = place
        elif step == "cycle":
            world.cycle(0.25)
            balls = {handle: world.position(handle) for handle in balls}
        elif handles:
            handle = handles[which % len(handles)]
            del balls[handle]
            if step == "remove":
                world.remove(handle)
            else:
                balls[handle] = random.uniform(-3, 3, 3)
                world.move(handle, balls[handle])
        away = {handle: np.linalg.norm(place) - 0.2 for handle, place in balls.items()}
        found = world.nearest((0, 0, 0))
        assert (found is None) == (not away)
        if found is not None:
            assert found.gap == pytest.approx(min(away.values()), abs=1e-12)
        touched = sorted(handle for handle, gap in away.items() if gap <= 1.5)
        assert world.overlap(sphere(1.5)) == touched


def test_many_added_at_once_are_those_that_are_added_one_by_one() -> None:
    random, one, many = np.random.default_rng(0), CollisionWorld(), CollisionWorld()
    places, ways = random.uniform(-5, 5, (11, 3)), random.normal(size=(11, 3))
    turns = Rotation.random(11, rng=random).as_matrix()
    handles = [one.add(shape, places[k], turns[k], 2, 6, ways[k]) for k, shape in enumerate(SHAPES)]
    assert many.add_many(SHAPES, places, turns, 2, 6, ways).tolist() == handles
    for handle in handles:
        assert np.array_equal(one.position(handle), many.position(handle))
        assert np.array_equal(one.rotation(handle), many.rotation(handle))
    starts, along = random.uniform(-6, 6, (50, 3)), random.normal(size=(50, 3))
    found, expected = (world.ray_cast_batch(starts, along) for world in (many, one))
    assert np.array_equal(found.handle, expected.handle)
    copies = CollisionWorld()
    assert copies.add_many([SHAPES[5]] * 11, places).tolist() == handles
    copies.remove(3)
    assert copies.overlap(sphere(0.1), places[4]) == []
    assert copies.overlap(sphere(0.1), places[4] + (1, 0, 0)) == [4]
    assert copies.add_many(SHAPES[0], np.zeros((0, 3))).tolist() == []
    assert copies.add_many([]).tolist() == []
    again = copies.add_many([SHAPES[5]])
    assert again.tolist() == [3 + 2**32]
    with pytest.raises(StaleHandle):
        copies.move(3, (0, 0, 0))


def test_of_many_with_a_fault_none_is_added() -> None:
    world = CollisionWorld()
    with pytest.raises(TypeError, match="a world's shapes"):
        world.add_many([sphere(1.0), "ball"])
    with pytest.raises(ValueError, match="2 positions are needed"):
        world.add_many([sphere(1.0)] * 2, np.zeros((3, 3)))
    with pytest.raises(ValueError, match="2 spins are needed"):
        world.add_many([sphere(1.0)] * 2, spins=np.zeros((3, 3)))
    assert len(world) == 0
