"""SAT, GJK and an independent quadratic program agree, on all kinds of pairs."""

import numpy as np
import pytest
from convex_pairs import differences, nearest_to_origin, random_pairs
from hypothesis import given, settings
from hypothesis import strategies as st

from spheresim.convex import (
    Bodies,
    bodies_overlap,
    box,
    capsule,
    gjk,
    gjk_batch,
    hull,
    rotation_about,
    sat,
    sat_batch,
    sphere,
)

TOLERANCE = 1e-10
dimensions = st.sampled_from([2, 3])
seeds = st.integers(0, 2**32 - 1)


def check(pairs):
    """Every answer about every pair, against the quadratic program and by what it claims."""
    a, b = Bodies.of([pair.a for pair in pairs]), Bodies.of([pair.b for pair in pairs])
    near, apart = gjk_batch(a, b), sat_batch(a, b)
    assert near.finished.all()
    for k, pair in enumerate(pairs):
        radii = pair.a.radius + pair.b.radius
        between_cores = np.linalg.norm(nearest_to_origin(differences(pair.a, pair.b)))
        gap, normal = near.gap[k], near.normal[k]
        if between_cores > TOLERANCE:
            assert abs(between_cores - radii - gap) <= TOLERANCE, pair
        else:
            assert gap <= between_cores + TOLERANCE - radii, pair
        # The normal separates by as much, or leads out of the overlap.
        lowest, highest = pair.a.world_points @ normal, pair.b.world_points @ normal
        assert abs(lowest.min() - highest.max() - radii - gap) <= TOLERANCE, pair
        between = near.point_a[k] - near.point_b[k]
        assert np.abs(between - normal * gap).max() <= TOLERANCE, pair
        if gap < -TOLERANCE:
            assert apart.overlap[k] == pytest.approx(-gap, abs=TOLERANCE), pair
        elif gap > TOLERANCE:
            assert -gap - TOLERANCE <= apart.overlap[k] < 0.0, pair


@pytest.mark.parametrize("dimension", [2, 3])
def test_sat_gjk_and_a_quadratic_program_agree(dimension):
    check(list(random_pairs(70, 1, dimension)))


@given(seeds, dimensions)
@settings(max_examples=60)
def test_the_order_of_two_bodies_changes_only_the_sign(seed, dimension):
    (pair,) = random_pairs(1, seed, dimension)
    one, other = gjk(pair.a, pair.b), gjk(pair.b, pair.a)
    assert one.gap == pytest.approx(other.gap, abs=TOLERANCE)
    assert bool(sat(pair.a, pair.b).overlapping) == bool(sat(pair.b, pair.a).overlapping) or (
        abs(one.gap) < TOLERANCE
    )


@given(seeds, dimensions)
@settings(max_examples=60)
def test_turning_and_moving_both_changes_nothing(seed, dimension):
    (pair,) = random_pairs(1, seed, dimension)
    random = np.random.default_rng(seed)
    move, angle = random.normal(size=3) * 10, random.uniform(-3, 3)
    turn = rotation_about((0, 0, 1) if dimension == 2 else random.normal(size=3), angle)
    moved = []
    for body in pair.a, pair.b:
        position = (turn @ body.position + move)[:dimension]
        matrix = turn @ body.rotation
        heading = np.arctan2(matrix[1, 0], matrix[0, 0]) if dimension == 2 else matrix
        moved.append(body.at(position, heading))
    before, after = gjk(pair.a, pair.b), gjk(*moved)
    assert after.gap == pytest.approx(before.gap, abs=TOLERANCE)


@given(seeds, dimensions)
@settings(max_examples=60)
def test_the_minimum_translation_separates(seed, dimension):
    (pair,) = random_pairs(1, seed, dimension)
    for answer in sat(pair.a, pair.b), gjk(pair.a, pair.b):
        moved = pair.a.at((pair.a.position + answer.mtv)[:dimension])
        assert gjk(moved, pair.b).gap >= -TOLERANCE


def test_a_warm_start_gives_the_same_answer_in_fewer_steps():
    pairs = [pair for pair in random_pairs(60, 5, 3) if gjk(pair.a, pair.b).gap > 0.01]
    a, b = Bodies.of([pair.a for pair in pairs]), Bodies.of([pair.b for pair in pairs])
    cold = gjk_batch(a, b)
    a.positions[:] += 1e-4
    again, warm = gjk_batch(a, b), gjk_batch(a, b, start=cold)
    assert warm.gap == pytest.approx(again.gap, abs=TOLERANCE)
    assert warm.steps.mean() < 0.7 * again.steps.mean()


@pytest.mark.parametrize("distance", [0.0, 1e-15, 1e-9, 1.0])
def test_two_points_two_segments_and_two_flat_faces_in_one_line_or_plane(distance):
    point, segment = hull([(0, 0, 0)]), hull([(0, 0, 0), (1, 0, 0)])
    face = hull([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    assert gjk(point, point.at((distance, 0, 0))).gap == distance
    for flat in segment, face:
        beside = flat.at((1.0 + distance, 0, 0))
        assert gjk(flat, beside).gap == pytest.approx(distance, abs=1e-15)
        assert bool(sat(flat, beside).overlapping) == bool(gjk(flat, beside).overlapping)
        assert gjk(flat, flat.at((0, 0, distance))).gap == distance
    assert np.linalg.norm(gjk(segment, segment).normal) == pytest.approx(1.0)


def test_far_from_the_origin_nothing_is_lost():
    a, b = box((1, 1, 1), (2.0**40, 0, 0)), box((1, 1, 1), (2.0**40 + 2.125, 0, 0))
    assert gjk(a, b).gap == 0.125
    assert sat(a, b).overlap == -0.125


def test_rounded_bodies():
    pill = capsule((-1, 0, 0), (1, 0, 0), 0.5)
    assert gjk(pill, sphere(0.25, (0, 2, 0))).gap == pytest.approx(1.25)
    assert sat(pill, sphere(0.25, (2, 1, 0))).overlap == pytest.approx(0.75 - 2**0.5)
    corner = sat(box((1, 1), radius=0.5), sphere(0.5, (2, 2)))
    assert not corner.overlapping
    assert corner.overlap == pytest.approx(1.0 - 2**0.5)


def test_answers_say_what_they_hold():
    assert repr(sat(sphere(1), sphere(1, (3, 0, 0)))).startswith("Separation(overlapping=False")
    assert len(sat_batch(Bodies.of([sphere(1)]), Bodies.of([sphere(1)]))) == 1
    with pytest.raises(TypeError, match="one answer has no length"):
        len(sat(sphere(1), sphere(1)))


def test_bodies_that_touch_overlap_by_nothing():
    one, other = box((1, 1)), box((1, 1), position=(2, 0))
    assert sat(one, other).overlapping
    assert sat(one, other).overlap == gjk(one, other).gap == 0.0
    assert gjk(one, other).overlapping
    assert bodies_overlap(one, other)
    assert not sat(one, other).mtv.any()
