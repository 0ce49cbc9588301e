"""The numbers of the lessons on convex bodies, without a window."""

import numpy as np
import pytest
from lesson_player import figures_of, press, texts_of
from polygon_distance import distance_of_polygons

from spheresim.convex import gjk

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

FIRST_EXAMPLE = {"-0.47 … 2.51", "0.51 … 2.42", "-1.75 … 3.75", "0.45 … 2.45", "-0.04 … 2.38"}


@pytest.fixture
def lesson(screen, request):
    from spheresim_viewer.lessons.catalogue import lesson_class

    return lesson_class(request.param)()


def of(name):
    return pytest.mark.parametrize("lesson", [name], indirect=True)


def outline(movable):
    from spheresim_viewer.lessons.bodies import outline

    return outline(movable.body)


def distance(lesson):
    return distance_of_polygons(outline(lesson.a), outline(lesson.b))


def first_number(lesson, name):
    return float(figures_of(lesson)[name].split()[0])


# --- SAT ---


@of("sat")
def test_at_first_all_axes_are_tested_and_the_least_overlap_is_the_way_out(lesson):
    assert figures_of(lesson)["axes tested"] == "7 of 7"  # of a box two, of a pentagon five
    shown = figures_of(lesson)["way out"].replace("−", "-")[1:-1]
    way = np.array([float(part) for part in shown.split(",")])
    assert np.hypot(*way) == pytest.approx(first_number(lesson, "overlap"), abs=2e-3)
    lesson.a.move(lesson.a.place + way)
    assert abs(gjk(lesson.a.body, lesson.b.body).gap) < 2e-3


@of("sat")
def test_apart_an_axis_with_a_gap_ends_the_test(lesson):
    lesson.a.move((-4.0, 1.0))
    gap, axis = figures_of(lesson)["gap"].split(" on axis ")
    tests, of_all = figures_of(lesson)["axes tested"].split(" of ")
    assert tests == axis
    assert int(tests) < int(of_all)
    assert texts_of(lesson).count("not tested") == int(of_all) - int(tests)
    assert 0 < float(gap) <= distance(lesson) + 1e-3


@of("sat")
def test_resolved_they_touch_each_moved_by_half(lesson):
    a, b = lesson.a, lesson.b
    before, depth = (a.place, b.place), first_number(lesson, "overlap")
    press(lesson, "R")
    moved = a.place - before[0], b.place - before[1]
    assert moved[0] == pytest.approx(-moved[1])
    assert np.hypot(*moved[0]) == pytest.approx(0.5 * depth, abs=1e-3)
    assert "touch" in figures_of(lesson)["the bodies"]
    assert distance(lesson) < 1e-9


@of("sat")
def test_resolved_at_the_edge_of_the_board_they_still_part(lesson):
    lesson.a.move((-6.4, 0.0))
    lesson.b.move(lesson.a.place + 0.4)
    press(lesson, "R")
    assert "touch" in figures_of(lesson)["the bodies"]


@of("sat")
def test_a_chosen_axis_that_is_no_longer_tested_gives_way_to_the_gap(lesson):
    press(lesson, "down", "down")
    assert lesson.chart().chosen == 2
    lesson.a.move((-4.0, 1.0))
    lesson.changed()
    assert lesson.chart().rows[lesson.chart().chosen].value.startswith("gap")
    lesson.chart().rows[4].action()
    assert lesson.chart().chosen == 4  # but any row can be looked at


@of("sat")
def test_of_a_disc_the_axis_of_the_nearest_points_is_tested_too(lesson):
    press(lesson, "B")  # after the pentagon comes the disc
    lesson.b.move((3.0, 1.0))
    lesson.a.move((-0.05, 2.8))
    point = min(outline(lesson.a), key=lambda corner: np.hypot(*(corner - lesson.b.place)))
    gap = float(gjk(lesson.a.body, lesson.b.body).gap)
    assert gap == pytest.approx(np.hypot(*(point - lesson.b.place)) - lesson.b.body.radius)
    assert figures_of(lesson)["axes tested"] in {"3 of 3", "1 of 2", "2 of 2"}


# --- Swept SAT ---


def gap_at(lesson, time):
    return float(gjk(lesson.a.body_at(time), lesson.b.body_at(time)).gap)


def enter_and_leave(lesson):
    found = figures_of(lesson)
    return [float(found[name].split(" = ")[-1]) for name in ("largest tEnter", "smallest tLeave")]


@of("swept-sat")
def test_it_begins_with_the_numbers_that_the_article_prints(lesson):
    found = figures_of(lesson)
    assert found["largest tEnter"] == "34/67 = 0.5075"
    assert found["smallest tLeave"] == "126/53 = 2.3774"
    assert found["they"] == "meet in the step"
    assert found["A on axis 1"] == "-72.03 … 30.87"
    assert found["B on axis 1"] == "89.18 … 205.80"
    assert FIRST_EXAMPLE | {"-4.62 … 5.23"} <= set(texts_of(lesson))


@of("swept-sat")
def test_the_second_example_never_hits(lesson):
    press(lesson, "2")
    assert figures_of(lesson)["they"] == "never touch"
    assert {"-32.40 … -6.80", "-3.00 … 1.40"} <= set(texts_of(lesson))


@of("swept-sat")
@pytest.mark.parametrize("which", "ab")
def test_both_velocities_can_be_dragged_and_the_bodies_touch_at_enter(lesson, which):
    body = getattr(lesson, which)
    target = {"a": (560, 250), "b": (390, 270)}[which]
    body.handles()[0].drag(np.array(target, float))
    assert body.velocity == pytest.approx(target - body.place)
    enter, leave = enter_and_leave(lesson)
    assert 0 < enter < 34 / 67
    assert gap_at(lesson, enter) == pytest.approx(0, abs=0.05)
    assert gap_at(lesson, leave) == pytest.approx(0, abs=0.05)
    assert gap_at(lesson, 0.5 * (enter + leave)) < 0


@of("swept-sat")
def test_a_velocity_dragged_onto_its_body_is_none(lesson):
    lesson.a.handles()[0].drag(lesson.a.place + 5.0)
    assert not lesson.a.velocity.any()
    assert np.hypot(*(lesson.a.grip - lesson.a.place)) > 20  # it can be grabbed apart from the body
    assert figures_of(lesson)["they"] == "never touch"
    lesson.a.move(lesson.b.place)
    assert figures_of(lesson)["they"] == "overlap at 0"
    assert texts_of(lesson).count("always") == 6


@of("swept-sat")
def test_time_runs_to_its_end(lesson):
    press(lesson, "space")
    while lesson.tick(0.1):
        pass
    assert lesson.time == 3.0


@of("swept-sat")
def test_arrows_and_bodies_stay_on_the_board(lesson):
    lesson.a.handles()[0].drag(np.array((677.0, 133.0)))
    lesson.a.move((677.0, 133.0))
    assert np.allclose(lesson.region.nearest(lesson.a.tip), lesson.a.tip)
    assert lesson.a.velocity[0] > 200


# --- GJK ---


def to_the_end(lesson):
    """Step on to the end; the distances on the way."""
    found = [float(figures_of(lesson)["|P|"])]
    for _ in range(20):
        press(lesson, "right")
        found.append(float(figures_of(lesson)["|P|"]))
    return found


@of("gjk")
def test_the_simplex_closes_in_on_the_distance_of_the_bodies(lesson):
    found = to_the_end(lesson)
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(distance(lesson), abs=6e-4)
    assert float(figures_of(lesson)["distance"]) == found[-1]


@of("gjk")
def test_each_support_point_is_the_last_corner_of_the_simplex_that_follows(lesson):
    while "distance" not in figures_of(lesson):
        coming = figures_of(lesson).get("V")
        press(lesson, "right")
        if coming:
            assert figures_of(lesson)["Q"].split()[-1] == coming


@of("gjk")
def test_what_is_reduced_is_what_the_nearest_point_does_not_need(lesson):
    """P stays the nearest point of what is kept."""
    from spheresim.convex import hull

    lesson.a.angle, lesson.b.angle = 0.0, 0.5
    for place in ((1.5, 4.2), (3.4, 4.3), (1.4, 1.5), (3.5, 4.0)):
        lesson.a.move(place)
        lesson.changed()
        for _ in range(12):
            a, b = lesson.a.body, lesson.b.body
            kept = [a.world_points[i, :2] - b.world_points[j, :2] for i, j in lesson._kept()]
            nearest = float(figures_of(lesson)["|P|"])
            gap = max(float(gjk(hull(kept), hull([(0.0, 0.0)])).gap), 0.0)
            assert gap == pytest.approx(nearest, abs=6e-4)
            press(lesson, "right")


@of("gjk")
def test_dragged_together_the_origin_is_inside(lesson):
    lesson.a.move(lesson.b.place + np.array((-0.3, 0.4)))
    lesson.changed()
    assert to_the_end(lesson)[-1] == 0.0
    assert 0 < float(figures_of(lesson)["overlap"]) < lesson.a.reach + lesson.b.reach


@of("gjk")
@pytest.mark.parametrize("presses", [("A",), ("B",), ("A", "A", "B"), ("B", "B")])
def test_other_shapes(lesson, presses):
    before = len(lesson.a.body.points), len(lesson.b.body.points)
    press(lesson, *presses)
    assert (len(lesson.a.body.points), len(lesson.b.body.points)) != before
    assert to_the_end(lesson)[-1] == pytest.approx(distance(lesson), abs=6e-4)


# --- Support, bounding volumes, features ---


@of("support")
def test_the_support_of_the_difference_is_the_difference_of_the_supports(lesson):
    from spheresim.convex import minkowski_difference

    for angle in np.linspace(0.0, 6.0, 13):
        lesson.direction = angle
        along = np.array((np.cos(angle), np.sin(angle)))
        corners = minkowski_difference(lesson.a.body, lesson.b.body).body.points[:, :2]
        shown = figures_of(lesson)["S(d)"].replace("−", "-")[1:-1]
        corner = np.array([float(part) for part in shown.split(",")])
        assert corner @ along == pytest.approx((corners @ along).max(), abs=2e-3)
    assert float(figures_of(lesson)["distance"]) == pytest.approx(distance(lesson), abs=6e-4)


@of("bounding")
def test_bounding_volumes_hold_their_bodies_and_the_turned_box_fits_worse(lesson):
    """So there may be false alarms, but none is missed."""
    level = lesson._false_alarms(1)
    lesson.a.angle = 0.75
    assert lesson._false_alarms(1) > level
    random = np.random.default_rng(0)
    for _ in range(40):
        lesson.a.angle = random.uniform(0, 6)
        lesson.b.move(random.uniform(-4, 4, 2))
        if lesson._overlap():
            assert all(lesson._alarm(k) for k in range(4))


@of("features")
def test_remembering_the_last_feature_saves_looking(lesson):
    press(lesson, "space")
    while lesson.tick(0.05):
        pass
    found = figures_of(lesson)
    remembering, anew = float(found["mean, remembering"]), float(found["mean, from anew"])
    assert 1.0 <= remembering < 2.0 < anew
