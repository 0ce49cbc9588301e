"""The lesson of GJK, played."""

import numpy as np
import pytest
from viewer_pupil import distance_of_polygons, turned_by

pytestmark = pytest.mark.compiled_only


@pytest.fixture
def gjk(open_lesson):
    return open_lesson("gjk")


def distance(lesson):
    from spheresim_viewer.lessons.bodies import outline

    return distance_of_polygons(outline(lesson.a.body), outline(lesson.b.body))


def to_the_end(pupil):
    """Step on while there is a next corner; the distances on the way."""
    found = [float(pupil.figures["its distance from the origin"])]
    while "next corner" in pupil.figures:
        pupil.press("Right")
        found.append(float(pupil.figures["its distance from the origin"]))
    return found


def test_the_simplex_closes_in_on_the_distance_of_the_bodies(gjk):
    assert gjk.figures["step"] == "1 of 3"
    found = to_the_end(gjk)
    assert len(found) == 3
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(distance(gjk.lesson), abs=6e-4)
    assert float(gjk.figures["no corner is nearer: gap"]) == found[-1]


def test_each_next_corner_is_the_last_of_the_simplex_that_follows(gjk):
    while "next corner" in gjk.figures:
        coming = gjk.figures["next corner"]
        gjk.press("Right")
        assert gjk.figures["simplex"].split()[-1] == coming


def test_the_keys_step_there_and_back_and_not_beyond(gjk):
    gjk.press("Left")
    assert gjk.figures["step"] == "1 of 3"
    gjk.press("Right", "Right", "Right", "Right")
    assert gjk.figures["step"] == "3 of 3"
    gjk.press("Left")
    assert gjk.figures["step"] == "2 of 3"


def test_dragged_together_the_origin_is_inside(gjk):
    gjk.drag(gjk.lesson.a.place, gjk.lesson.b.place + np.array((-0.3, 0.4)))
    assert to_the_end(gjk)[-1] == 0.0
    depth = float(gjk.figures["the origin is inside: overlap"])
    assert 0 < depth < gjk.lesson.a.reach + gjk.lesson.b.reach


def test_dragged_further_the_distance_is_that_of_the_polygons(gjk):
    gjk.drag(gjk.lesson.b.place, (1.4, 4.9))
    assert to_the_end(gjk)[-1] == pytest.approx(distance(gjk.lesson), abs=6e-4)


def test_a_body_turns_with_its_knob_and_the_answer_with_it(gjk):
    b = gjk.lesson.b
    start, angle = b.handles()[0].place, b.angle
    end = b.place + np.array((-1.2, 0.3))
    gjk.drag(start, end)
    assert b.angle - angle == pytest.approx(turned_by(start, end, b.place), abs=0.05)
    assert to_the_end(gjk)[-1] == pytest.approx(distance(gjk.lesson), abs=6e-4)


@pytest.mark.parametrize("presses", [("a",), ("b",), ("a", "a", "b"), ("b", "b")])
def test_other_shapes(gjk, presses):
    before = len(gjk.lesson.a.body.points), len(gjk.lesson.b.body.points)
    gjk.press(*presses)
    assert (len(gjk.lesson.a.body.points), len(gjk.lesson.b.body.points)) != before
    assert to_the_end(gjk)[-1] == pytest.approx(distance(gjk.lesson), abs=6e-4)


def test_one_exactly_on_the_other(gjk):
    gjk.lesson.a.move(gjk.lesson.b.place)
    assert to_the_end(gjk)[-1] == 0.0
    assert np.isfinite(float(gjk.figures["the origin is inside: overlap"]))
