"""The lesson of the separating axis theorem, played."""

import numpy as np
import pytest
from viewer_pupil import distance_of_polygons, turned_by

from spheresim.convex import gjk

pytestmark = pytest.mark.compiled_only


@pytest.fixture
def sat(open_lesson):
    return open_lesson("sat")


def corners(movable):
    from spheresim_viewer.lessons.bodies import outline

    return outline(movable.body)


def first_number(pupil, name):
    return float(pupil.figures[name].split()[0])


def shown(pupil):
    """The name that is written on the axis."""
    return next(word for word in pupil.words if word.startswith("axis "))


def test_at_first_all_axes_are_asked_and_the_least_overlap_is_the_way_out(sat):
    a, b = sat.lesson.a, sat.lesson.b
    assert sat.figures["axes asked"] == "7 of 7"  # of a box two, of a pentagon five
    way = np.array([float(part) for part in sat.figures["minimum translation"][1:-1].split(",")])
    assert np.hypot(*way) == pytest.approx(first_number(sat, "least overlap"), abs=2e-3)
    a.move(a.place + way)
    assert abs(gjk(a.body, b.body).gap) < 2e-3


def test_dragged_apart_an_axis_with_a_gap_is_found(sat):
    sat.drag(sat.lesson.a.place, (-4.0, 1.0))
    gap, axis = sat.figures["gap"].split(" on axis ")
    tests, of = sat.figures["axes asked"].split(" of ")
    assert tests == axis
    assert int(tests) < int(of)
    distance = distance_of_polygons(corners(sat.lesson.a), corners(sat.lesson.b))
    assert 0 < float(gap) <= distance + 1e-3


def test_resolved_they_touch_each_moved_by_half(sat):
    a, b = sat.lesson.a, sat.lesson.b
    before = a.place, b.place
    depth = first_number(sat, "least overlap")
    sat.press("r")
    moved = a.place - before[0], b.place - before[1]
    assert moved[0] == pytest.approx(-moved[1])
    assert np.hypot(*moved[0]) == pytest.approx(0.5 * depth, abs=1e-3)
    assert "touching" in sat.figures["the bodies are"]
    assert distance_of_polygons(corners(a), corners(b)) < 1e-9
    sat.press("r")
    assert a.place == pytest.approx(before[0] + moved[0], abs=1e-9)


def test_resolved_at_the_edge_of_the_board_they_still_part(sat):
    sat.drag(sat.lesson.a.place, (-6.4, 0.0))
    sat.drag(sat.lesson.b.place, sat.lesson.a.place + 0.4)
    assert "least overlap" in sat.figures
    sat.press("r")
    assert "touching" in sat.figures["the bodies are"]


def test_a_body_turns_with_its_knob(sat):
    a = sat.lesson.a
    start, angle = a.handles()[0].place, a.angle
    end = a.place + 2.0 * np.array((-0.9, 0.3))
    sat.drag(start, end)
    assert a.angle - angle == pytest.approx(turned_by(start, end, a.place), abs=0.03)


def test_the_keys_choose_an_axis_and_the_drag_leaves_it_chosen(sat):
    assert shown(sat) == "axis 1"
    sat.press("Down", "Down")
    assert shown(sat) == "axis 3"
    sat.drag(sat.lesson.b.place, sat.lesson.b.place + 0.5)
    assert shown(sat) == "axis 3"
    sat.press("Up", "Up", "Up")
    assert shown(sat) == "axis 7"


def test_of_a_disc_the_axis_of_the_nearest_points_is_asked_too(sat):
    sat.press("b")  # after the pentagon comes the disc
    sat.drag(sat.lesson.b.place, (3.0, 1.0))
    sat.drag(sat.lesson.a.place, (-0.05, 2.8))
    a, b = sat.lesson.a, sat.lesson.b
    assert b.body.radius > 0
    point = min(corners(a), key=lambda corner: np.hypot(*(corner - b.place)))
    assert sat.figures["axes asked"] in {"3 of 3", "1 of 2", "2 of 2"}
    gap = float(gjk(a.body, b.body).gap)
    assert gap == pytest.approx(np.hypot(*(point - b.place)) - b.body.radius)


def test_one_exactly_on_the_other(sat):
    sat.press("b", "b", "b")  # disc, triangle, box
    sat.lesson.a.angle = 0.0
    sat.lesson.a.move(sat.lesson.b.place)
    least = first_number(sat, "least overlap")
    assert least == pytest.approx(np.ptp(corners(sat.lesson.a), axis=0).min(), abs=1e-3)
    sat.press("r")
    assert "touching" in sat.figures["the bodies are"]
