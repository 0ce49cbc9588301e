"""What all lessons have in common, whatever is dragged where; and the lesson of slices."""

import numpy as np
import pytest
from spheresim_viewer.command import LessonName

pytestmark = pytest.mark.compiled_only

WITH_BODIES = ("sat", "swept-sat", "gjk")


def test_every_lesson_can_be_asked_for(screen):
    from spheresim_viewer.lessons.catalogue import LESSONS

    assert list(LESSONS) == [name.value for name in LessonName]


@pytest.mark.parametrize("drags", [40, pytest.param(1000, marks=pytest.mark.study)])
@pytest.mark.parametrize("name", WITH_BODIES)
def test_no_drag_breaks_a_lesson(open_lesson, name, drags, monkeypatch):
    """To random and extreme places, exactly onto each other, with keys between."""
    room = open_lesson(name).room
    monkeypatch.setattr(room._renderer, "draw_flat", lambda _end: None)  # slow, no more
    random = np.random.default_rng(0)
    for _ in range(drags):
        drag_somewhere(room, random)
        if random.random() < 0.2:
            controls = room.lesson.controls()
            controls[random.integers(len(controls))].action()
        look(room)


def drag_somewhere(room, random):
    handles = room.lesson.handles()
    number = int(random.integers(len(handles)))
    onto = handles[random.integers(len(handles))].place
    left, low, right, high = room.lesson.region
    match int(random.integers(4)):
        case 0:
            place = random.uniform((left, low), (right, high))
        case 1:
            place = random.choice((left, right, -1e5)), random.choice((low, high, 1e5))
        case 2:
            place = onto
        case _:
            place = np.rint(onto)
    room.drag(number, *room.diagram.to_points(place))


def look(room):
    """Draw, and see that all is written and drawn inside of the window."""
    room.draw()
    overlay, region = room.diagram.overlay, room.lesson.region
    for handle in room.lesson.handles():
        assert np.allclose(region.nearest(handle.place), handle.place, rtol=0, atol=1e-6)
    for name, value in room.lesson.figures():
        assert "nan" not in value, name
    for said in overlay._texts:
        assert 0 < said.x < overlay.width
        assert 0 < said.y < overlay.height
    overlay.begin(round(overlay.width), round(overlay.height), 1.0)
    room.lesson.draw(room.diagram)
    x, y, width, height = room.diagram.room(region)
    corners = np.concatenate(overlay._corners) - (x, y)
    assert np.isfinite(corners).all()
    assert (corners > -10).all()
    assert (corners < (width + 10, height + 10)).all()


@pytest.mark.parametrize("name", WITH_BODIES)
def test_a_body_is_grabbed_anywhere_and_does_not_jump(open_lesson, name):
    pupil = open_lesson(name)
    before = pupil.lesson.a.place
    aside = 0.3 * pupil.lesson.a.reach * np.array((-1.0, -0.5))
    by = 0.2 * pupil.lesson.a.reach * np.array((1.0, 0.5))
    pupil.drag(before + aside, before + aside + by)
    tolerance = 1.5 / pupil.room.diagram.scale
    assert pupil.lesson.a.place == pytest.approx(before + by, abs=tolerance)


def test_the_pointer_tells_what_can_be_dragged(open_lesson):
    pupil = open_lesson("sat")
    nowhere = (-6.0, -2.4)
    for place, over in ((nowhere, False), (pupil.lesson.a.place - 0.5, True), (nowhere, False)):
        pupil.point(place)
        pupil.until(lambda over=over: pupil.window._over is over)


@pytest.mark.parametrize("name", WITH_BODIES)
def test_backspace_begins_anew(open_lesson, name):
    pupil = open_lesson(name)
    before = pupil.lesson.figures()
    pupil.drag(pupil.lesson.b.place - 0.3 * pupil.lesson.b.reach, pupil.lesson.b.place)
    assert pupil.lesson.figures() != before
    pupil.press("BackSpace")
    assert pupil.lesson.figures() == before


@pytest.fixture
def slices(open_lesson):
    return open_lesson("slices")


def test_both_answers_and_the_error_between_them(slices):
    """At the beginning: 8 slices; the analytic time solves |d + v·t| = r1 + r2."""
    a, b = slices.lesson.places
    va, vb = slices.lesson.velocities
    time_of_impact = float(slices.figures["analytic"])
    assert np.hypot(*(a - b + (va - vb) * time_of_impact)) == pytest.approx(1.6, abs=1e-3)
    sliced = float(slices.figures["sliced time of impact"])
    assert sliced * 8 == int(sliced * 8)
    assert 0 <= time_of_impact - sliced <= 1 / 8


def test_a_ball_is_dragged_out_of_the_way(slices):
    slices.drag(slices.lesson.places[1], (2.0, -2.6))
    assert slices.figures["analytic"] == "never"


def test_a_velocity_is_dragged_by_its_tip(slices):
    before = slices.lesson.velocities[0]
    tip = slices.lesson.places[0] + 0.25 * before
    slices.drag(tip, tip + np.array((0.5, 0.0)))
    assert slices.lesson.velocities[0] == pytest.approx(before + np.array((2.0, 0.0)), abs=0.2)


def test_the_slider_and_the_keys_change_the_slices(slices):
    slices.press("Right")
    assert slices.lesson.slices == 9
    slices.drag(slices.lesson.handles()[0].place, (5.05, -4.6))
    assert slices.lesson.slices == 150
    error = float(slices.figures["too early by"].split()[0])
    assert error <= 1 / 150 + 1e-4
    slices.press("BackSpace")
    assert slices.lesson.slices == 8


def test_fast_balls_and_few_slices_miss_each_other(slices):
    slices.lesson._cut(1)
    assert slices.figures["the impact is"] == "missed by the slices"
