"""The examples of the sources: the swept-SAT article, the SAT series, the lecture slides."""

from fractions import Fraction

import numpy as np
import pytest

from spheresim.convex import (
    axis_intervals,
    box,
    gjk,
    gjk_steps,
    polygon,
    projections,
    resolve,
    sat,
    sphere,
    swept_sat,
)

# Both triangles of the article, in its screen axes.
RED = polygon([(0, -60), (60, 40), (-60, 40)], position=(300, 300))
BLUE = polygon([(60, 0), (-40, 60), (-40, -60)], position=(450, 250))

FIRST = {  # normal (either way round): enter, leave
    (-0.86, -0.51): ("-20/43", "108/43"),
    (0.86, -0.51): ("34/67", "162/67"),
    (0.0, 1.0): ("-7/4", "15/4"),
    (-1.0, 0.0): ("5/11", "27/11"),
    (0.51, -0.86): ("-2/53", "126/53"),
    (0.51, 0.86): ("-60/13", "68/13"),
}


def along(found, normal):
    """Which of the axes has a normal, up to its sign, as the article rounds it."""
    return int(np.argmax(np.abs(found.axis[:, :2] @ normal)))


def test_the_first_example_to_1e_15():
    meeting = swept_sat(RED, BLUE, velocity_a=(110, -40))
    assert abs(meeting.enter - 34 / 67) <= 1e-15
    assert abs(meeting.leave - 126 / 53) <= 1e-15
    assert meeting.meets
    assert meeting.contact == pytest.approx([410, 310, 0], abs=1e-12)
    assert meeting.normal == pytest.approx([-100, 60, 0] / np.hypot(100, 60), abs=1e-15)
    assert meeting.tested == 6


@pytest.mark.parametrize(("normal", "times"), FIRST.items())
def test_the_six_intervals_of_the_first_example(normal, times):
    found = axis_intervals(RED, BLUE, velocity_a=(110, -40))
    axis = along(found, normal)
    assert abs(found.enter[axis] - float(Fraction(times[0]))) <= 1e-15
    assert abs(found.leave[axis] - float(Fraction(times[1]))) <= 1e-15


def test_the_second_example_never_hits():
    found = axis_intervals(RED, BLUE, velocity_a=(20, 50))
    first, second = along(found, (-0.86, -0.51)), along(found, (0.86, -0.51))
    assert found.enter[[first, second]] == pytest.approx([-4 / 5, -162 / 5], abs=1e-14)
    assert found.leave[[first, second]] == pytest.approx([108 / 25, -34 / 5], abs=1e-14)
    assert found.enter[first] > found.leave[second]
    meeting = swept_sat(RED, BLUE, velocity_a=(20, 50))
    assert not meeting.meets
    assert (meeting.enter, meeting.leave) == (np.inf, -np.inf)
    assert not meeting.contact.any()


def test_who_of_the_two_moves_makes_no_difference_but_to_the_place():
    other_way = swept_sat(RED, BLUE, velocity_a=(10, 10), velocity_b=(-100, 50))
    assert other_way.enter == 34 / 67
    assert other_way.contact == pytest.approx([410 - 100 * 34 / 67, 310 + 50 * 34 / 67, 0])
    swapped = swept_sat(BLUE, RED, velocity_a=(-110, 40))
    assert swapped.enter == 34 / 67
    assert swapped.normal == pytest.approx(-other_way.normal)


def test_the_articles_projections():
    """minA −60, maxA 40, minB 90, maxB 210 on (−1, 0), from the blue triangle's centre."""
    found = projections(BLUE, RED)
    axis = along(found, (-1, 0))
    from_blue = found.axis[axis] @ [450, 250, 0]
    assert sorted(found.a[axis] - from_blue) == pytest.approx([-60, 40])
    assert sorted(found.b[axis] - from_blue) == pytest.approx([90, 210])


def test_two_rectangles_of_the_series_take_four_axes_and_part_by_half_the_overlap_each():
    a, b = box((2, 1)), box((2, 1), position=(3, 1), rotation=0.4)
    answer = sat(a, b)
    assert answer.overlapping
    assert answer.tested == 4
    apart = resolve(a, b)
    assert gjk(*apart).gap == pytest.approx(0.0, abs=1e-15)
    moved = [after.position - before.position for after, before in zip(apart, (a, b), strict=True)]
    assert np.linalg.norm(moved[0]) == pytest.approx(0.5 * answer.overlap)
    assert moved[0] == pytest.approx(-moved[1])


def test_the_early_exit_is_counted():
    assert sat(box((1, 1, 1)), box((1, 1, 1), position=(3, 0, 0))).tested == 1
    assert sat(box((1, 1, 1)), box((1, 1, 1), position=(0, 0, 3))).tested == 3


def test_two_turned_boxes_have_fifteen_axes():
    rotation = ((0.6, -0.8, 0), (0.48, 0.36, -0.8), (0.64, 0.48, 0.6))
    answer = sat(box((1, 1, 1)), box((1, 1, 1), (1, 0, 0), rotation))
    assert answer.overlapping
    assert answer.tested == 15


def test_the_separation_vector_of_two_spheres_is_r1_plus_r2_minus_d():
    answer = sat(sphere(2.0, (1, 1, 1)), sphere(1.5, (1, 1, 3.5)))
    assert answer.overlap == 2.0 + 1.5 - 2.5
    assert answer.mtv.tolist() == [0, 0, -1.0]


def test_the_slides_steps_of_gjk():
    """One corner, then an edge or more; each step is nearer; the last is the distance."""
    a, b = box((1, 1)), polygon([(3, 2), (6, 3), (4, 6)])
    steps = gjk_steps(a, b)
    lengths = [step.nearest.mag() for step in steps]
    assert lengths == sorted(lengths, reverse=True)
    assert [step.finished for step in steps] == [False] * (len(steps) - 1) + [True]
    assert lengths[-1] == pytest.approx(gjk(a, b).gap)
    corner, pair = steps[-1].corners[0], steps[-1].pairs[0]
    assert corner == pytest.approx(a.world_points[pair[0]] - b.world_points[pair[1]])
