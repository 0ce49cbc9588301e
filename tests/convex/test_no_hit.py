"""What questions answer where there is no hit, no axis or nothing to move: zeros, never NaN."""

from math import inf

import numpy as np
import pytest
from one_sentence import told

from spheresim.convex import (
    VoronoiRegions,
    axis_intervals,
    box,
    capsule,
    gjk,
    kdops_overlap,
    manifold,
    polygon,
    ray_cast,
    rotation_about,
    safe_step,
    sat,
    sphere,
    swept_sat,
    swept_sphere,
    time_of_impact,
    time_of_impact_batch,
)

CUBE, BALL = box((1, 1, 1)), sphere(1.0)
FAR = CUBE.at((5, 0, 0))


@pytest.mark.parametrize(
    "answer",
    [
        lambda: swept_sat(CUBE, FAR, (0, 1, 0)),
        lambda: swept_sat(CUBE, CUBE, (0, 0, 0)),
        lambda: swept_sat(BALL, BALL.at((5, 0, 0)), (0, 1, 0)),
        lambda: swept_sphere(BALL, FAR, (0, 1, 0)),
        lambda: swept_sphere(BALL, CUBE, (0, 0, 0)),
    ],
)
def test_a_sweep_without_a_first_touch_has_zeros(answer):
    found = answer()
    assert abs(found.enter) == inf
    assert found.normal.tolist() == found.contact.tolist() == [0, 0, 0]


def test_a_time_of_impact_and_a_ray_without_a_hit_have_zeros():
    assert time_of_impact(CUBE, FAR, (0, 1, 0)).contact.tolist() == [0, 0, 0]
    miss = ray_cast(CUBE, (5, 0, 0), (0, 1, 0))
    assert miss.point.tolist() == miss.normal.tolist() == [0, 0, 0]


@pytest.mark.parametrize("speed", [5e-324, 1e-310])
def test_what_is_too_slow_to_arrive_never_meets(speed):
    found = swept_sat(CUBE, FAR, (speed, 0, 0))
    assert not found.meets
    assert (found.enter, found.leave) == (inf, -inf)
    assert swept_sat(CUBE, FAR, (1e-300, 0, 0)).enter == 3e300


def test_there_are_no_minus_zeros():
    touching = CUBE.at((2, 0, 0))
    for found in (gjk(CUBE, FAR).mtv, sat(CUBE, FAR).mtv, sat(CUBE, touching).mtv):
        assert not np.signbit(found).any()
    assert not np.signbit(gjk(CUBE, touching).gap)
    assert not np.signbit(gjk(sphere(0.0), sphere(0.0)).gap)


@pytest.mark.parametrize(("shift", "ends"), [(0.0, (-1, 1)), (0.5, (-0.5, 1)), (-1.5, (-1, -0.5))])
@pytest.mark.parametrize("turn", [None, rotation_about((1, 2, 3), 0.7)])
def test_capsules_on_one_line_touch_at_both_ends_of_their_stretch(shift, ends, turn):
    one = capsule((-1, 0, 0), (1, 0, 0), 0.5, rotation=turn)
    along = one.rotation[:, 0]
    found = manifold(one, one.at(shift * along))
    assert found.count == 2
    assert sorted((found.points @ along).tolist()) == pytest.approx(list(ends), abs=1e-12)
    assert found.depth == pytest.approx([1.0, 1.0])


def test_a_body_cannot_be_written_to():
    moved = CUBE.at((1, 2, 3))
    for body in (CUBE, moved):
        arrays = body.position, body.rotation, body.points, body.positions, body.rotations
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5.0
    assert moved.position.tolist() == [1, 2, 3]


NONE_GIVEN = r"velocit(y_a|ies_a|ies) must be given, zeros for what is at rest"


def test_a_velocity_must_be_given():
    told(lambda: time_of_impact(CUBE, FAR, None), NONE_GIVEN)
    told(lambda: time_of_impact_batch([CUBE], [FAR], None), NONE_GIVEN)
    told(lambda: swept_sat(CUBE, FAR, None), NONE_GIVEN)
    told(lambda: swept_sphere(BALL, FAR, None), NONE_GIVEN)
    told(lambda: axis_intervals(CUBE, FAR, None), NONE_GIVEN)
    told(lambda: safe_step([CUBE, FAR], None), NONE_GIVEN)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: box((1, 1, 1), (0, 0)), r"a position needs 3 numbers, not \(0, 0\)"),
        (lambda: ray_cast(CUBE, (0, 0), (1, 0)), r"a ray's start needs 3 numbers, not \(0, 0\)"),
        (lambda: ray_cast(CUBE, (0, 0, 0), 1), "a ray's direction needs 3 numbers, not 1"),
        (lambda: time_of_impact(CUBE, FAR, 5), "velocity_a needs 3 numbers, not 5"),
        (lambda: time_of_impact(CUBE, FAR, (1, 0, 0), 5), "velocity_b needs 3 numbers, not 5"),
        (lambda: time_of_impact(CUBE, FAR, (1, 0, 0), spin_a=2), "spin_a needs 3 numbers, not 2"),
        (lambda: CUBE.at((0, 0, 0), ((0, 0, 1), 30)), r"not \(\(0, 0, 1\), 30\): .* of obstacles"),
        (lambda: kdops_overlap(CUBE, CUBE), "expected a k-DOP"),
        (lambda: VoronoiRegions(CUBE).kind("x"), "named by its index, not by 'x'"),
        (lambda: VoronoiRegions(CUBE).kind(1.7), "named by its index, not by 1.7"),
        (lambda: sphere((0, 0, 0), 1), r"a radius must be a number, not \(0, 0, 0\)"),
        (lambda: polygon([(0, 0), (1, 0), (2, 0)]), "the polygon has no area"),
    ],
)
def test_messages(ask, sentence):
    told(ask, sentence)


def test_a_sphere_without_a_position_is_at_the_origin():
    assert sphere(1, None).position.tolist() == [0, 0, 0]


def test_capsules_on_one_line_have_no_axis_to_test():
    one = capsule((-1, 0, 0), (1, 0, 0), 0.5)
    found = sat(one, one)
    assert (found.overlap, found.tested) == (1.0, 0)
