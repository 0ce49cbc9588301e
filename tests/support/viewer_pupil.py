"""Somebody in front of a lesson, with a real mouse and real keys."""

import time

from viewer_window import DEADLINE, take_focus, xdotool

KEYSYMS = {"left": "Left", "right": "Right", "up": "Up", "down": "Down", "space": "space"}
EVENTS = ("on_mouse_press", "on_mouse_drag", "on_mouse_release", "on_mouse_motion", "on_key_press")


class Pupil:
    """The window of lessons, of 800 by 600 pixels or another size."""

    def __init__(self, name="", size=(800, 600)):
        from spheresim_viewer.lessons.window import LessonWindow

        self.window = LessonWindow(name, size)
        self.canvas = self.window.canvas
        self._heard = []
        for event in EVENTS:
            self._listen(event)

    def sit_down(self, name=""):
        """Have a lesson, or the table of contents, as it is at the start, and sit before it."""
        # Another window may have been opened since: it would hide this one, and have the keys.
        xdotool("windowraise", self.window._window)
        self.until(lambda: take_focus(self.window))
        self.window.show(name)
        self._wait_for_lesson()
        self.look()
        self._heard.clear()

    def look(self):
        """Lay the page out, as drawing does, without the drawing."""
        self.canvas.lay_out(self.page)

    @property
    def page(self):
        return self.window.page

    @property
    def lesson(self):
        return self.page.lesson

    @property
    def figures(self):
        return {figure.name: figure.value for figure in self.lesson.figures()}

    @property
    def words(self):
        """All that is written in the window."""
        self.look()
        return [written.text for written in self.canvas.writing.written]

    def press(self, *keys):
        for key in keys:
            self._do("on_key_press", "key", KEYSYMS.get(key, key))
        self.look()

    def point(self, x, y):
        """Move the mouse to a point of the page where it is not yet."""
        self._do("on_mouse_motion", "mousemove", *self._pixel(x, y))
        self.look()

    def click(self, name):
        """Click on the spot of a name."""
        self.look()
        box = next(spot.box for spot in self.canvas.writing.spots if spot.name == name)
        self.click_at(box.x + 0.5 * box.width, box.y + 0.5 * box.height)

    def click_at(self, x, y):
        xdotool("mousemove", *self._pixel(x, y))
        self._do("on_mouse_press", "mousedown", 1)
        self._do("on_mouse_release", "mouseup", 1)
        self.look()

    def drag(self, start, end):
        """From a point of the page to another."""
        xdotool("mousemove", *self._pixel(*start))
        self._do("on_mouse_press", "mousedown", 1)
        self._do("on_mouse_drag", "mousemove", *self._pixel(*end))
        self._do("on_mouse_release", "mouseup", 1)
        self.look()

    def drag_on_board(self, start, end):
        """From a place of the lesson's diagram to another."""
        self.look()
        to_points = self.page.diagram.to_points
        self.drag(to_points(start), to_points(end))

    def do(self, move):
        """Do a move of a lesson's step, as a person does it."""
        from spheresim_viewer.lessons.exercise import Click, Drag, Press, Slide

        self.look()
        if isinstance(move, Press):
            self.press(*[move.key.lower()] * move.times)
        elif isinstance(move, Click):
            self.click(move.spot)
        else:
            assert isinstance(move, (Drag, Slide))
            name = move.handle if isinstance(move, Drag) else move.slider
            self.drag(self.page.knob_of(name), self.page.point_of(move))

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
        self._wait_for_lesson()

    def _wait_for_lesson(self):
        """Wait till a lesson that was chosen is there: meanwhile nothing is heard."""
        while self.window.is_waiting:
            self.window.tick(0.0)
            time.sleep(0.001)

    def until(self, happened):
        end = time.monotonic() + DEADLINE
        while not happened():
            assert time.monotonic() < end, "it never happened"
            self.window.dispatch_events()
            time.sleep(0.001)

    def _pixel(self, x, y):
        """The pixel on the screen of a point of the page."""
        left, top = self.window.get_location()
        unit = self.canvas.unit
        return round(left + x * unit), round(top + self.window.height - y * unit)
