"""What a world is given: nothing, one for all, other kinds of numbers, and what is wrong."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spheresim import CollisionWorld, Cuboid, Sphere
from spheresim.collision_world import StaleHandle
from spheresim.convex import box, sphere

NONE, ALONG = np.zeros((0, 3)), (1, 0, 0)


def two_shapes() -> CollisionWorld:
    world = CollisionWorld()
    world.add(Sphere((0, 0, 0), 1))
    world.add(Cuboid((3, 0, 0), (1, 1, 1)))
    return world


@pytest.mark.parametrize("world", [CollisionWorld(), two_shapes()])
@pytest.mark.parametrize("nothing", [NONE, []])
def test_no_question_has_no_answer(world: CollisionWorld, nothing: Any) -> None:
    probe = box((1, 1, 1))
    assert len(world.ray_cast_batch(nothing, ALONG).handle) == 0
    assert len(world.ray_cast_all_batch(nothing, ALONG)[0]) == 0
    assert len(world.overlap_batch(probe, nothing)[0]) == 0
    assert len(world.inside_batch(nothing)[0]) == 0
    assert len(world.nearest_batch(probe, nothing).handle) == 0
    assert len(world.shape_cast_batch(probe, nothing).handle) == 0
    world.move([], nothing)


def test_one_rotation_is_for_all_places_and_one_place_for_all_rotations() -> None:
    world, probe, turn = two_shapes(), box((2, 0.1, 0.1)), Rotation.from_rotvec((0, 0, 1.5))
    places = [(0, 2, 0), (3, 2, 0)]
    matrix, quaternion = turn.as_matrix(), turn.as_quat()
    expected = world.overlap_batch(probe, places, [matrix, matrix])
    for given in (turn, matrix, quaternion, [turn], [turn, turn], np.array([quaternion] * 2)):
        found = world.overlap_batch(probe, places, given)
        assert np.array_equal(found, expected)
    _, handles = world.overlap_batch(probe, [places[0]], [np.eye(3), matrix])
    assert handles.tolist() == [0]
    world.turn([0, 1], [turn, turn])
    assert np.array_equal(world.rotation(1), matrix)


@pytest.mark.parametrize("length", [1e-300, 1e-160, 1e-9, 1e9, 1e150, 1e300])
def test_how_long_the_direction_of_a_ray_is_changes_nothing(length: float) -> None:
    hit = two_shapes().ray_cast((-5, 0.1, 0), (length, 0, 0))
    assert hit is not None
    assert hit.handle == 0
    assert hit.distance == pytest.approx(5 - math.sqrt(0.99), rel=1e-15)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e9])
def test_answers_scale_with_the_world(scale: float) -> None:
    world = CollisionWorld(tolerance=1e-6 * scale)
    world.add(Sphere((0, 0, 0), scale))
    world.add(Cuboid((1.75 * scale, 0, 0), (2 * scale,) * 3), velocity=(scale, 0, 0))
    assert world.cycle().contacts[0].depth == pytest.approx(0.25 * scale)
    found = world.nearest((0, 0, 4 * scale))
    assert found is not None
    assert (found.handle, found.gap) == (0, pytest.approx(3 * scale))
    met = world.shape_cast(box((scale, scale, scale), (0, 0, 9 * scale)), (0, 0, -scale), until=20)
    assert met is not None
    assert met.time == pytest.approx(7)


@pytest.mark.parametrize("handle", ["a", None, 1.0, 2**70, -1, 99, True, np.array([0, 1])])
def test_what_is_no_handle_is_not_in_a_world(handle: Any) -> None:
    world = two_shapes()
    assert handle not in world
    if np.ndim(handle) == 0:
        with pytest.raises((TypeError, StaleHandle), match=r"add\(\) gave|never had"):
            world.remove(handle)
    assert np.int32(1) in world


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda w: w.nearest((9, 0)), r"a position needs 3 numbers, not \(9, 0\)"),
        (lambda w: w.k_nearest([9, 0], 2), "3 numbers"),
        (lambda w: w.nearest([]), "at least one"),
        (lambda w: w.add(Sphere((0, 0, 0), 1), velocity=(1, 2)), "a velocity needs 3 numbers"),
        (lambda w: w.turn(0, 45), "a rotation is .* not 45"),
        (lambda w: w.turn([0, 1], [np.eye(3)] * 3), "2 rotations are needed, .* not 3"),
        (lambda w: w.ray_cast_batch(np.zeros((2, 3)), np.ones((3, 3))), "3 starts of rays"),
        (lambda w: w.ray_cast((0, 0, 9), ALONG, until=np.ones(2)), "a distance must be a num"),
        (lambda w: w.cycle(np.ones(1)), "a step must be a number"),
        (lambda w: w.inside_batch([(0, 0, 0), (1, 0)]), "positions: expected 3 numbers each"),
        (lambda w: w.ray_cast_batch([(0, 0, 0), (1, 0)], ALONG), "starts of rays: expected 3"),
        (lambda w: w.turn([0, 1], []), "2 rotations are needed, .* not 0"),
        (lambda w: w.overlap(box((1, 1, 1)), rotation=5), "a rotation is .* not 5"),
        (lambda w: w.move(np.array([2**63], np.uint64), (0, 0, 0)), "handle 9223372036854775808"),
    ],
)
def test_a_sentence_says_what_is_wrong(ask: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError, StaleHandle), match=words):
        ask(two_shapes())


def test_a_step_that_no_number_holds_moves_nothing() -> None:
    world = two_shapes()
    world.set_velocity([0, 1], [(0, 0, 0), (1e9, 0, 0)])
    with pytest.raises(ValueError, match="shape 1 moves further"):
        world.cycle(1e300)
    assert world.position(1).tolist() == [3, 0, 0]
    assert len(world.cycle(1e-3).contacts) == 0


def test_a_misspelt_callback_is_an_error_and_so_is_what_cannot_be_called() -> None:
    world = two_shapes()
    with pytest.raises(AttributeError):
        world.on_beginn = print  # type: ignore[attr-defined]
    world.on_begin = 5  # type: ignore[assignment]
    with pytest.raises(TypeError, match="on_begin must be a function"):
        world.cycle()


def test_arrays_that_are_views_or_of_other_types_are_taken() -> None:
    world = two_shapes()
    wide = np.zeros((4, 6), dtype=np.float32)
    wide[:, 0] = -5
    found = world.ray_cast_batch(wide[::2, ::2], np.array([1, 0, 0], dtype=np.int8))
    assert found.distance.tolist() == [4, 4]
    assert world.nearest_batch(sphere(0), [[np.float32(0), 3, 0]]).gap.tolist() == [2]


def test_many_shapes_may_be_in_whatever_holds_them() -> None:
    crates = box((1, 1, 1)), box((1, 1, 1), (9, 0, 0))
    for given in (list(crates), crates, iter(crates), np.array(crates, dtype=object)):
        world = CollisionWorld()
        assert world.add_many(given).tolist() == [0, 1]
        assert world.position(1).tolist() == [9, 0, 0]
    world = CollisionWorld()
    assert world.add_many(Sphere((0, 0, 0), 1), [(0, 0, 0), (5, 0, 0)]).tolist() == [0, 1]
    assert len(world.add_many([crates, crates[0]])) == 2  # the first is a compound
    for wrong in (5, "ab", (1, 2, 3), {1: crates}):
        with pytest.raises(TypeError, match="a world's shapes are obstacles"):
            world.add_many(wrong)


def test_one_or_many_are_removed() -> None:
    world = CollisionWorld()
    handles = world.add_many([box((1, 1, 1))] * 4)
    with pytest.raises(StaleHandle, match="never had"):
        world.remove([0, 99])
    assert len(world) == 4
    world.remove(handles[1:3])
    world.remove([0, 0])
    world.remove([])
    assert world.handles.tolist() == [3]
    with pytest.raises(StaleHandle, match="removed"):
        world.remove(0)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda w: w.turn(0, ((0, 0, 1), 30)), r"a rotation is .* not \(\(0, 0, 1\), 30\)"),
        (lambda w: w.turn(0, [np.eye(3)] * 2), "one rotation is needed, not 2: a rotation is"),
        (lambda w: w.move(0, (0, 0)), r"a position needs 3 numbers, not \(0, 0\)"),
        (lambda w: w.set_velocity(0, 3), "a velocity needs 3 numbers, not 3"),
    ],
)
def test_one_place_or_rotation_is_refused_by_name(ask: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ask(two_shapes())
