"""The lesson of swept SAT, played: the article's example, and what its demo lets one do."""

import numpy as np
import pytest
from viewer_pupil import turned_by

from spheresim.convex import gjk

pytestmark = pytest.mark.compiled_only

FIRST_EXAMPLE = {"-0.47 … 2.51", "0.51 … 2.42", "-1.75 … 3.75", "0.45 … 2.45", "-0.04 … 2.38"}


@pytest.fixture
def swept(open_lesson):
    return open_lesson("swept-sat")


def gap_at(lesson, time):
    return float(gjk(lesson.a.body_at(time), lesson.b.body_at(time)).gap)


def enter_and_leave(pupil):
    return [
        float(pupil.figures[name].split(" = ")[-1]) for name in ("largest enter", "smallest leave")
    ]


def test_it_begins_with_the_numbers_that_the_article_prints(swept):
    assert swept.figures["largest enter"] == "34/67 = 0.5075"
    assert swept.figures["smallest leave"] == "126/53 = 2.3774"
    assert swept.figures["the bodies"] == "meet in this frame"
    assert swept.figures["on axis 1: A from"] == "-72.03 … 30.87"
    assert swept.figures["and B from"] == "89.18 … 205.80"
    assert FIRST_EXAMPLE | {"-4.62 … 5.23"} <= set(swept.words)


def test_the_second_example_never_hits(swept):
    swept.press("2")
    assert swept.figures["the bodies"] == "never touch"
    assert {"-32.40 … -6.80", "-3.00 … 1.40"} <= set(swept.words)
    swept.press("1")
    assert swept.figures["largest enter"] == "34/67 = 0.5075"


def test_dragged_out_of_the_way_they_never_touch(swept):
    swept.drag(swept.lesson.b.place + np.array((30, 10)), (620, 360))
    enter, leave = enter_and_leave(swept)
    assert enter > leave
    assert swept.figures["the bodies"] == "never touch"
    assert min(gap_at(swept.lesson, time) for time in np.linspace(-5, 5, 2001)) > 0


def test_a_velocity_is_dragged_by_its_tip_and_the_bodies_touch_at_enter(swept):
    swept.drag(swept.lesson.a.tip, (560, 250))
    assert swept.lesson.a.velocity == pytest.approx([260, -50], abs=1.5)
    enter, leave = enter_and_leave(swept)
    assert 0 < enter < 34 / 67
    assert gap_at(swept.lesson, enter) == pytest.approx(0, abs=0.05)
    assert gap_at(swept.lesson, leave) == pytest.approx(0, abs=0.05)
    assert gap_at(swept.lesson, 0.5 * (enter + leave)) < 0


def test_of_a_body_at_rest_the_velocity_is_dragged_out_of_its_middle(swept):
    swept.drag(swept.lesson.b.place, swept.lesson.b.place + np.array((-60, 20)))
    assert swept.lesson.b.velocity == pytest.approx([-60, 20], abs=1.5)
    enter, _ = enter_and_leave(swept)
    assert 0 < enter < 34 / 67
    assert gap_at(swept.lesson, enter) == pytest.approx(0, abs=0.05)


def test_a_body_turns_with_its_knob(swept):
    b = swept.lesson.b
    start = b.handles()[1].place
    end = b.place + np.array((90, -20))
    swept.drag(start, end)
    assert b.angle == pytest.approx(turned_by(start, end, b.place), abs=0.03)
    enter, _ = enter_and_leave(swept)
    assert gap_at(swept.lesson, enter) == pytest.approx(0, abs=0.05)


def test_without_velocity_every_axis_says_always_or_never(swept):
    swept.lesson.a.velocity *= 0.0
    assert swept.figures["the bodies"] == "never touch"
    assert "never" in swept.words
    swept.lesson.a.move(swept.lesson.b.place)
    assert swept.figures["the bodies"] == "overlap already"
    assert swept.words.count("always") == 6 + 1  # in the chart, and of the axis looked at


def test_the_clock_is_dragged_along_the_bars(swept):
    clock = swept.lesson.handles()[-1].place
    swept.drag(clock, clock + np.array((70, 0)))
    assert swept.lesson.time > 1
    assert f"time {swept.lesson.time:.2f}" in swept.words
    swept.drag(swept.lesson.handles()[-1].place, (165, 468))
    assert swept.lesson.time == -5


def test_arrows_and_bodies_stay_on_the_board(swept):
    region = swept.lesson.region
    swept.drag(swept.lesson.a.tip, (677, 133))
    swept.drag(swept.lesson.a.place - (30, -20), (677, 133))
    assert np.allclose(region.nearest(swept.lesson.a.tip), swept.lesson.a.tip)
    assert swept.lesson.a.velocity[0] > 200
