"""Contacts, callbacks and their order, moving shapes, and words about what is wrong."""

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spheresim import (
    CappedCylinder,
    CollisionWorld,
    Cuboid,
    Cylinder,
    Mesh,
    Plane,
    Sphere,
)
from spheresim.collision_world import StaleHandle
from spheresim.convex import box, polygon, rotation_about, sphere


def heard(world: CollisionWorld) -> list[tuple[str, int, int]]:
    told: list[tuple[str, int, int]] = []
    for kind in ("begin", "stay", "end"):
        setattr(world, f"on_{kind}", lambda c, kind=kind: told.append((kind, c.a, c.b)))
    return told


def row_of_balls(count: int) -> tuple[CollisionWorld, list[int]]:
    world = CollisionWorld()
    return world, [world.add(Sphere((1.9 * k, 0, 0), 1)) for k in range(count)]


def test_begin_stay_and_end_come_once_and_in_order() -> None:
    world, balls = row_of_balls(4)
    told = heard(world)
    world.cycle()
    assert told == [("begin", 0, 1), ("begin", 1, 2), ("begin", 2, 3)]
    told.clear()
    world.move(balls[0], (1.9 * 3, 1, 0))
    world.cycle()
    assert told == [
        ("end", 0, 1),
        ("begin", 0, 3),
        ("stay", 1, 2),
        ("stay", 2, 3),
    ]
    world.remove(balls[2])
    told.clear()
    world.cycle()
    assert told == [("end", 1, 2), ("end", 2, 3), ("stay", 0, 3)]


def test_of_a_shape_removed_in_a_callback_nothing_but_ends_is_told() -> None:
    world, balls = row_of_balls(4)
    told = heard(world)
    remember = world.on_begin

    def remove_second(contact: Any) -> None:
        assert remember is not None
        remember(contact)
        if balls[1] in world:
            world.remove(balls[1])
            assert world.add(Sphere((99, 0, 0), 1)) not in balls

    world.on_begin = remove_second
    world.cycle()
    assert told == [("begin", 0, 1), ("begin", 2, 3)]
    world.cycle()
    assert told[2:] == [("end", 0, 1), ("stay", 2, 3)]


def test_an_exception_in_a_callback_loses_no_event() -> None:
    world, _ = row_of_balls(3)
    told = heard(world)
    remember = world.on_begin

    def fail(_: Any) -> None:
        raise KeyError("no more")

    world.on_begin = fail
    with pytest.raises(KeyError):
        world.cycle()
    world.on_begin = remember
    world.cycle()
    assert told == [("stay", 0, 1), ("begin", 1, 2)]


def test_a_callback_must_not_call_cycle() -> None:
    world, _ = row_of_balls(2)
    world.on_begin = lambda _: world.cycle()
    with pytest.raises(RuntimeError, match="callback"):
        world.cycle()


def test_handles_are_never_used_again() -> None:
    world = CollisionWorld()
    first = world.add(Sphere((0, 0, 0), 1))
    world.remove(first)
    second = world.add(Sphere((0, 0, 0), 1))
    assert first != second
    assert first not in world
    assert second in world
    for use in (world.remove, world.position, world.shape, lambda h: world.move(h, (0, 0, 0))):
        with pytest.raises(StaleHandle, match="has been removed"):
            use(first)
    with pytest.raises(StaleHandle, match="never had"):
        world.position(17)
    with pytest.raises(TypeError, match="whole number"):
        world.position("first")  # type: ignore[arg-type]
    with pytest.raises(StaleHandle):
        world.move([second, first], (0, 0, 0))


def test_groups_and_masks_keep_shapes_apart() -> None:
    world = CollisionWorld()
    one = world.add(Sphere((0, 0, 0), 1), group=1, mask=2)
    world.add(Sphere((0, 0, 0), 1), group=1)
    three = world.add(Sphere((0, 0, 0), 1), group=2, mask=1)
    assert world.cycle().contacts.pairs.tolist() == [[0, 2], [1, 2]]
    assert [contact.a for contact in world.contacts.of(three)] == [one, 1]
    assert world.overlap(sphere(0.1), mask=2) == [three]


def test_points_of_a_box_on_a_box_and_on_a_plane() -> None:
    world = CollisionWorld()
    world.add(Plane((0, 0, 0), (0, 0, 1)))
    world.add(Cuboid((0, 0, 0.9), (2, 2, 2)))
    world.add(box((1, 1, 1)), (0.5, 0, 2.8))
    found = world.cycle(answer="manifold").contacts
    assert found.pairs.tolist() == [[0, 1], [1, 2]]
    assert found[0].points[:, 2] == pytest.approx([-0.05] * 4)
    assert found[1].points[:, 2] == pytest.approx([1.85] * 4)
    assert found.normal[:4].tolist() == [[0, 0, -1]] * 4
    assert found[1].depth == pytest.approx(0.1)
    deepest = world.cycle(answer="point").contacts
    assert deepest[1].normal.tolist() == [0, 0, -1]
    assert deepest[1].depth == pytest.approx(0.1)


def test_phases_count_pairs() -> None:
    world, _ = row_of_balls(10)
    dumbbell = [Sphere((0, 5, 0), 1), Sphere((0, 10, 0), 1)]
    world.add(dumbbell, group=2)
    cycle = world.cycle()
    names = ["broad", "boxes", "filter", "mid", "narrow", "events"]
    assert [phase.name for phase in cycle.phases] == names
    assert [phase.pairs for phase in cycle.phases[1:]] == [9, 9, 9, 9, 9]
    assert 9 <= cycle.phases[0].pairs <= 11 * 10 // 2
    world.move(world.handles[-1], (0, -7.5, 0))
    assert [phase.pairs for phase in world.cycle().phases[1:5]] == [11, 11, 9, 9]
    assert "narrow" in repr(cycle)


# --- Moving ------------------------------------------------------------------------------


def test_a_bullet_does_not_tunnel_and_meets_at_its_time() -> None:
    world = CollisionWorld()
    plate = world.add(box((0.01, 5, 5)))
    bullet = world.add(Sphere((-10, 0, 0), 0.5), velocity=(100, 0, 0), spin=(3, 0, 0))
    told = heard(world)
    found = world.cycle(1.0).contacts
    assert found[0].time == pytest.approx((10 - 0.51) / 100, rel=1e-14)
    assert found[0].point == pytest.approx([-0.01, 0, 0], abs=1e-13)
    assert found[0].normal.tolist() == [1, 0, 0]  # from the bullet, the later handle, to the plate
    assert world.position(bullet).tolist() == [90, 0, 0]
    world.cycle(1.0)
    assert told == [("begin", plate, bullet), ("end", plate, bullet)]


@pytest.mark.parametrize(
    ("shape", "when"),
    [
        (Plane((0, 0, 0), (0, 0, 1)), 9.0 / 20),
        (Cylinder((0, 0, 0), (1, 0, 0), 2), 7.0 / 20),
        (CappedCylinder((-3, 0, 0), (3, 0, 0), 2), 7.0 / 20),
        (Mesh([(-5, -5, 1), (5, -5, 1), (0, 7, 1)], [(0, 1, 2)]), 8.0 / 20),
        ([Sphere((0, 0, 0), 1), Sphere((0, 0, 3), 0.5)], 5.5 / 20),
    ],
)
def test_a_falling_ball_meets_each_kind_of_shape(shape: Any, when: float) -> None:
    world = CollisionWorld()
    world.add(shape)
    world.add(Sphere((0, 0, 10), 1), velocity=(0, 0, -20))
    found = world.cycle(1.0).contacts
    assert found[0].time == pytest.approx(when, abs=1e-12)
    assert found[0].normal == pytest.approx([0, 0, -1], abs=1e-12)
    world.set_velocity([0, 1], (0, 0, 0))
    assert len(world.cycle(1.0).contacts) == (isinstance(shape, Plane))


def test_a_mesh_that_falls_meets_a_plane_with_its_lowest_corner() -> None:
    world = CollisionWorld()
    roof = Mesh([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)], [(0, 2, 1), (0, 3, 2), (0, 1, 3)])
    world.add(roof, (0, 0, 6), rotation_about((1, 0, 0), math.pi), velocity=(0, 0, -4))
    world.add(Plane((0, 0, 0), (0, 0, 1)), velocity=(0, 0, 1))
    found = world.cycle(1.0).contacts
    assert found[0].time == pytest.approx(2.0 / 5.0, abs=1e-14)
    assert found[0].point == pytest.approx([0, 0, 0.4], abs=1e-14)
    assert found[0].normal == pytest.approx([0, 0, 1])


def test_a_turning_rod_sweeps_what_lies_beside_it() -> None:
    world = CollisionWorld()
    rod = world.add(box((2, 0.1, 0.1)), spin=(0, 0, 1.0))
    world.add(Sphere((0, 1.5, 0), 0.2))
    world.add(Plane((0, -1.9, 0), (0, 1, 0)))
    pairs = {(c.a, c.b): c.time for c in world.cycle(math.pi / 2).contacts}
    assert set(pairs) == {(0, 1), (0, 2)}
    angle = math.asin(1.9 / math.hypot(2, 0.1)) - math.atan2(0.1, 2)
    assert pairs[0, 2] == pytest.approx(angle, abs=1e-5)
    assert pairs[0, 2] <= angle
    assert world.rotation(rod) == pytest.approx(rotation_about((0, 0, 1), math.pi / 2))


def test_what_touches_to_rounding_has_numbers_for_points() -> None:
    random = np.random.default_rng(0)
    for shape, reach in ((box((0.5, 0.5, 0.5)), 1.0), (sphere(0.5), 1.0)):
        world = CollisionWorld()
        for place in random.uniform(0, 1000, 60) * 100:
            y = random.uniform(-9, 9)
            world.add(shape, (place, y, 0.1))
            world.add(shape, (place, y, 0.1 + reach))
        for velocity in ((0, 0, 0), (0.1, 0, 0)):
            world.set_velocity(world.handles, velocity)
            found = world.cycle(1.0).contacts
            assert np.isfinite(found.point).all()
            assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)


@pytest.mark.compiled_only
def test_what_moves_is_found_in_small_steps_at_the_same_time() -> None:
    random = np.random.default_rng(5)
    shapes = [sphere(0.4), box((0.4, 0.3, 0.5)), box((0.3, 0.2, 0.4), radius=0.1)]
    worlds = [CollisionWorld(), CollisionWorld()]
    for k in range(40):
        place, way, spin = random.uniform(-2, 2, 3), random.normal(size=3), random.normal(size=3)
        for world in worlds:
            world.add(shapes[k % 3], place, velocity=way, spin=spin * (k % 2))
    coarse = worlds[0].cycle(1.0).contacts
    times: dict[tuple[int, int], float] = {}
    for step in range(100):
        for contact in worlds[1].cycle(1.0 / 100).contacts:
            times.setdefault((contact.a, contact.b), step / 100 + contact.time)
    assert len(times) > 20
    assert {(c.a, c.b) for c in coarse} == set(times)
    for contact in coarse:
        assert contact.time == pytest.approx(times[contact.a, contact.b], abs=1e-4)


def test_the_same_input_gives_the_same_answers_in_the_same_order() -> None:
    answers = []
    for _ in range(2):
        random = np.random.default_rng(2)
        world = CollisionWorld()
        for k in range(60):
            world.add(box((0.5, 0.4, 0.3)), random.uniform(-2, 2, 3), velocity=(k % 3, 0, 0))
        found = world.cycle(0.1, answer="manifold").contacts
        rays = world.ray_cast_batch(random.normal(size=(90, 3)), random.normal(size=(90, 3)))
        columns = (found.a, found.b, found.time, found.point, found.normal, *rays)
        answers.append(b"".join(np.ascontiguousarray(column).tobytes() for column in columns))
    assert answers[0] == answers[1]


# --- What is wrong -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda w: w.add("ball"), "obstacles, bodies of spheresim.convex, or lists"),
        (lambda w: w.add([]), "at least one"),
        (lambda w: w.add(polygon([(0, 0), (1, 0), (0, 1)])), "a body in the plane"),
        (lambda w: w.add(Sphere((0, 0, 0), 1), position=(0, math.nan, 0)), "finite"),
        (lambda w: w.add(Sphere((0, 0, 0), 1), rotation=(1, 2)), "a rotation is"),
        (lambda w: w.add(Sphere((0, 0, 0), 1), group=-1), "a group must be a whole number"),
        (lambda w: w.add(Sphere((0, 0, 0), 1), mask=2**64), "at most 63 bits"),
        (lambda w: w.move([0, 1], [(0, 0, 0), (1, 1, 1), (2, 2, 2)]), "2 positions are needed"),
        (lambda w: w.turn([0, 1], np.ones((2, 3, 3))), "orthonormal"),
        (lambda w: w.cycle(-1.0), "a step must be at least 0"),
        (lambda w: w.cycle(answer="all"), "touch, point, manifold"),
        (lambda w: w.ray_cast((0, 0, 0), (0, 0, 0)), "a ray needs a direction"),
        (lambda w: w.ray_cast((0, 0, 0), (0, 0, 1), until=-2), "a distance must be"),
        (lambda w: w.shape_cast(sphere(1), (0, 0, 1), until=0), "greater than 0"),
        (lambda _: CollisionWorld(broad="magic"), "all_pairs, sweep_and_prune"),
        (lambda _: CollisionWorld(tolerance=0), "a world's tolerance must be greater than 0"),
    ],
)
def test_what_is_wrong_is_said(ask: Any, words: str) -> None:
    world, _ = row_of_balls(2)
    with pytest.raises((TypeError, ValueError), match=words):
        ask(world)
    assert len(world) == 2


def answers(world: CollisionWorld) -> list[Any]:
    """What a world of shapes answers to one question of each kind, as plain lists."""
    ball = sphere(1, (0, 0, 1.2))
    world.cycle()
    found: list[Any] = [
        world.ray_cast((9, 0.1, 0.2), (-1, 0, 0)),
        world.nearest((0, 0, 5)),
        world.shape_cast(ball, (0, 0, -1)),
    ]
    columns = [tuple(map(np.ndarray.tolist, map(np.asarray, each or ()))) for each in found]
    contacts = [world.contacts.a.tolist(), world.contacts.b.tolist(), world.contacts.depth.tolist()]
    return [*columns, world.overlap(ball), world.inside((0, 0, 0.5)), *contacts]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_copy_of_a_world_answers_as_the_world_and_lives_on_its_own(
    again: Callable[[CollisionWorld], CollisionWorld],
) -> None:
    world, balls = row_of_balls(12)
    corners, sides = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)], [(0, 2, 1), (0, 1, 3), (0, 3, 2)]
    tent = Mesh(np.array(corners, float), sides)
    mesh, crate = world.add(tent), world.add(box((1, 1, 1)))
    world.add(Plane((0, 0, -0.9), (0, 0, 1)))
    before = answers(world)
    other = again(world)
    assert answers(other) == before
    for each in (other, world):
        each.move(balls[:2], [(0, 0, 3), (2, 2, 0)])
        each.remove(crate)
        each.remove(mesh)
        each.add_many([tent, box((1, 2, 1))], [(1, 0, 0), (3, 0, 0)])
        assert (answers(world) == before) == (each is other)
    assert answers(other) == answers(world)


def test_contacts_are_chosen_by_whole_numbers_and_slices() -> None:
    world, _ = row_of_balls(4)
    world.cycle()
    found = world.contacts
    assert [(each.a, each.b) for each in found[1:]] == [(1, 2), (2, 3)]
    assert found[-1].a == found[np.int64(2)].a == 2
    with pytest.raises(IndexError, match="there are 3 contacts, so none has the index 3"):
        found[3]
    wrong: Any = "a"
    with pytest.raises(TypeError, match="an index of contacts must be a whole number, not 'a'"):
        found[wrong]
