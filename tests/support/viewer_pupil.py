"""Somebody in front of a lesson, with a real mouse and real keys."""

import time

import numpy as np
from viewer_window import DEADLINE, take_focus, xdotool


class Pupil:
    """A lesson in its window, of 800 by 600 pixels."""

    def __init__(self, name):
        from spheresim_viewer.lessons.window import LessonWindow

        self.name = name
        self.window = LessonWindow(name, (800, 600))
        self.room = self.window.lesson_canvas
        self.room.draw()
        self._heard = []
        for event in ("on_mouse_press", "on_mouse_drag", "on_mouse_release", "on_key_press"):
            self._listen(event)

    def restart(self):
        """Have the lesson as it is at the start, by the program's own way, and sit before it."""
        from pyglet.window import key

        # Another window may have been opened since: it would hide this one, and have the keys.
        xdotool("windowraise", self.window._window)
        self.until(lambda: take_focus(self.window))
        self.window.on_key_press(key.BACKSPACE, 0)
        self._heard.clear()

    @property
    def lesson(self):
        return self.room.lesson

    @property
    def figures(self):
        return dict(self.lesson.figures())

    @property
    def words(self):
        """All that is written in the window."""
        self.room.draw()
        return [said.text for said in self.room.diagram.overlay._texts]

    def press(self, *keys):
        for key in keys:
            self._do("on_key_press", "key", key)

    def point(self, place):
        """Move the mouse to a place on the board."""
        xdotool("mousemove", *self._pixel(place))

    def drag(self, start, end):
        """From a place on the board to another."""
        there = self._pixel(end)
        assert min(there) >= 0, "that is not on the screen"
        self.point(start)
        self._do("on_mouse_press", "mousedown", 1)
        self._do("on_mouse_drag", "mousemove", *there)
        self._do("on_mouse_release", "mouseup", 1)

    def close(self):
        self.window.close()

    def _listen(self, name):
        own = getattr(self.window, name)

        def listener(*arguments):
            answer = own(*arguments)
            self._heard.append(name)
            return answer

        setattr(self.window, name, listener)

    def _do(self, event, *arguments):
        before = self._heard.count(event)
        xdotool(*arguments)
        self.until(lambda: self._heard.count(event) > before)

    def until(self, happened):
        end = time.monotonic() + DEADLINE
        while not happened():
            assert time.monotonic() < end, "it never happened"
            self.window.dispatch_events()
            time.sleep(0.001)

    def _pixel(self, place):
        """The place on the screen of one on the board."""
        x, y = self.room.diagram.to_points(place)
        left, top = self.window.get_location()
        return round(left + x), round(top + self.window.height - y)


def turned_by(start, end, centre):
    """The angle between two places, seen from a third."""
    (x0, y0), (x1, y1) = start - centre, end - centre
    return float(np.arctan2(x0 * y1 - y0 * x1, x0 * x1 + y0 * y1))


def distance_of_polygons(p, q):
    """Of two that are apart: the least of all distances of a corner from an edge."""
    return min(
        _distance(corner, start, end)
        for corners, others in ((p, q), (q, p))
        for corner in corners
        for start, end in zip(others, np.roll(others, -1, axis=0), strict=True)
    )


def _distance(point, start, end):
    along = end - start
    part = np.clip((point - start) @ along / (along @ along), 0.0, 1.0)
    return float(np.hypot(*(point - start - part * along)))
