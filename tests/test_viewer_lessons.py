"""Lessons played with a real mouse and real keys."""

import time

import numpy as np
import pytest
from viewer_window import DEADLINE, xdotool

pytestmark = pytest.mark.compiled_only


class Pupil:
    """Somebody in front of a lesson."""

    def __init__(self, name):
        from viewer.lessons.window import LessonWindow

        self.window = LessonWindow(name, (800, 600))
        self.room = self.window.classroom
        self.room.draw()
        self.until(self._has_focus)

    @property
    def lesson(self):
        return self.room.lesson

    def _has_focus(self):
        found = xdotool("search", "--onlyvisible", "--name", "spheresim lesson").split()
        if not found:
            return False
        xdotool("windowfocus", found[-1])
        return xdotool("getwindowfocus") == found[-1]

    def until(self, happened):
        end = time.monotonic() + DEADLINE
        while not happened():
            assert time.monotonic() < end, "it never happened"
            self.window.dispatch_events()
            time.sleep(0.01)

    def pixel(self, place):
        """The place on the screen of one on the board."""
        x, y = self.room.board.to_points(place)
        left, top = self.window.get_location()
        return round(left + x), round(top + self.window.height - y)

    def drag(self, start, end):
        xdotool("mousemove", *self.pixel(start), "mousedown", 1)
        self.until(lambda: self.window._dragged is not None)
        xdotool("mousemove", *self.pixel(end))
        self.until(lambda: min(np.hypot(*(h.place - end)) for h in self.lesson.handles()) < 0.1)
        xdotool("mouseup", 1)
        self.until(lambda: self.window._dragged is None)


@pytest.fixture
def slices(screen):
    pupil = Pupil("slices")
    yield pupil
    pupil.window.close()


def figure(pupil, name):
    return dict(pupil.lesson.figures())[name]


def test_both_answers_and_the_error_between_them(slices):
    """At the beginning: 8 slices; the analytic time solves |d + v·t| = r1 + r2."""
    a, b = slices.lesson.places
    va, vb = slices.lesson.velocities
    time_of_impact = float(figure(slices, "analytic"))
    assert np.hypot(*(a - b + (va - vb) * time_of_impact)) == pytest.approx(1.6, abs=1e-3)
    sliced = float(figure(slices, "sliced time of impact"))
    assert sliced * 8 == int(sliced * 8)
    assert 0 <= time_of_impact - sliced <= 1 / 8


def test_a_ball_is_dragged_out_of_the_way(slices):
    slices.drag(slices.lesson.places[1], (2.0, -2.6))
    assert figure(slices, "analytic") == "never"


def test_a_velocity_is_dragged_by_its_tip(slices):
    before = slices.lesson.velocities[0]
    tip = slices.lesson.places[0] + 0.25 * before
    slices.drag(tip, tip + np.array((0.5, 0.0)))
    assert slices.lesson.velocities[0] == pytest.approx(before + np.array((2.0, 0.0)), abs=0.2)


def test_the_slider_and_the_keys_change_the_slices(slices):
    xdotool("key", "Right")
    slices.until(lambda: slices.lesson.slices == 9)
    slices.drag(slices.lesson.handles()[0].place, (5.05, -4.6))
    assert slices.lesson.slices == 150
    error = float(figure(slices, "too early by").split()[0])
    assert error <= 1 / 150 + 1e-4
    xdotool("key", "BackSpace")
    slices.until(lambda: slices.lesson.slices == 8)


def test_fast_balls_and_few_slices_miss_each_other(slices):
    slices.lesson._cut(1)
    assert figure(slices, "the impact is") == "missed by the slices"
