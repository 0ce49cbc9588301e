"""The window of lessons: the table of contents, or a lesson, by mouse and keys."""

import threading
from typing import Any

import pyglet
from pyglet.window import key

from spheresim_viewer.lessons.canvas import LessonCanvas
from spheresim_viewer.lessons.catalogue import following, lesson_class
from spheresim_viewer.lessons.compile_ahead import compile_ahead, draw_lesson
from spheresim_viewer.lessons.contents import ContentsPage, WaitPage
from spheresim_viewer.lessons.page import LessonPage
from spheresim_viewer.loading import Compiling, end_process
from spheresim_viewer.saving import unused_path, write_png

_NAMED = {
    key.LEFT: "left",
    key.RIGHT: "right",
    key.UP: "up",
    key.DOWN: "down",
    key.SPACE: "space",
    key.ENTER: "enter",
    key.NUM_ENTER: "enter",
}
_DRAWING = ("on_draw", "on_refresh")
_SOON = 0.3
"""Seconds in which what is compiled already is ready; no word is said of that."""


class LessonWindow(pyglet.window.Window):  # type: ignore[misc]
    """Shows a lesson, or without a name the table of contents, until it is closed."""

    _is_stale = True
    """Whether something may have changed since the last picture."""

    def __init__(self, name: str, size: tuple[int, int]) -> None:
        super().__init__(*size, caption="spheresim lesson", resizable=True)
        self.set_minimum_size(640, 480)
        self.canvas = LessonCanvas(self, *self.get_framebuffer_size())
        self.canvas.pixel_ratio = self._pixel_ratio
        self._over = False
        self.name = ""
        self.page: Any = None
        self._compiling: dict[str, Compiling] = {}
        self._home = name
        self.show(name)

    def show(self, name: str) -> None:
        """Show a lesson from its beginning, or the table of contents."""
        before, self.name = self.name, name
        if name:
            if name not in self._compiling:
                self._compiling[name] = compile_ahead(draw_lesson(name))
            self.page = WaitPage(lesson_class(name).title, self._compiling[name])
            self._compiling[name].join(_SOON)
            self._end_wait()
        else:
            self.page = ContentsPage(self.show, before, at_once=False)
        self.set_caption(f"spheresim lesson {name}".strip())

    @property
    def is_waiting(self) -> bool:
        """Whether what a lesson asks of spheresim is compiled first; only keys to leave count."""
        return isinstance(self.page, WaitPage)

    def _end_wait(self) -> None:
        """Show the lesson that was waited for, if all that it asks of spheresim is compiled."""
        if self.is_waiting and not self._compiling[self.name].is_alive():
            after = following(self.name)
            self.page = LessonPage(lesson_class(self.name)(), lambda: self.show(after), after)
            self._is_stale = True

    @property
    def _pixel_ratio(self) -> float:
        return max(float(self.scale), 1.0)

    def on_resize(self, width: int, height: int) -> None:
        if hasattr(self, "canvas"):
            self.canvas.pixel_ratio = self._pixel_ratio
            self.canvas.resize(*self.get_framebuffer_size())

    def dispatch_event(self, *event: Any) -> Any:
        """Hear of an event; any but drawing itself may change the picture."""
        if event[0] not in _DRAWING:
            self._is_stale = True
        return super().dispatch_event(*event)

    def draw(self, dt: float) -> None:
        """Draw if anything may have changed, so that a window left alone costs nothing."""
        if self._is_stale:
            self._is_stale = False
            super().draw(dt)

    def on_draw(self) -> None:
        self.canvas.draw(self.page).copy_to(None)

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        if symbol == key.Q and modifiers & key.MOD_ACCEL:
            self.close()
        elif symbol == key.ESCAPE:
            self._escape()
        elif symbol == key.F12:
            self._save_picture()
        elif self.is_waiting:
            pass
        elif isinstance(self.page, ContentsPage):
            self.page.key(_NAMED.get(symbol, ""))
        elif symbol == key.BACKSPACE:
            self.show(self.name)
        elif symbol in (key.ENTER, key.NUM_ENTER, key.PAGEDOWN):
            self.page.go(self.page.guide.number + 1)
        elif symbol == key.PAGEUP:
            self.page.go(self.page.guide.number - 1)
        else:
            shown = _NAMED.get(symbol) or (chr(symbol).upper() if symbol < 128 else "")
            self.page.key(shown)
        return pyglet.event.EVENT_HANDLED

    def _escape(self) -> None:
        """Back to where one came from: the table of contents, or what was before the program."""
        if self.name == self._home:
            self.close()
        else:
            self.show("")
            self._home = ""

    def _save_picture(self) -> None:
        """Write a picture into the present folder, and say so in the title bar."""
        path = unused_path(f"lesson-{self.name or 'contents'}", ".png")
        try:
            write_png(path, self.canvas.picture(self.page))
        except OSError as fault:
            self.set_caption(f"no picture was written: {path.absolute()}: {fault.strerror}")
        else:
            self.set_caption(f"written: {path.absolute()}")

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        if self.is_waiting:
            return
        place = self._points(x, y)
        spot = self.page.spot_at(self.canvas.writing, *place)
        self.page.point(spot)
        over = spot is not None and spot.action is not None
        if isinstance(self.page, LessonPage):
            over = over or self.page.handle_at(*place) is not None
        if over is not self._over:
            self._over = over
            kind = self.CURSOR_HAND if over else self.CURSOR_DEFAULT
            self.set_mouse_cursor(self.get_system_mouse_cursor(kind))

    def on_mouse_leave(self, x: float, y: float) -> None:
        if not self.is_waiting:
            self.page.point(None)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        if not self.is_waiting:
            self.page.press(self.canvas.writing, *self._points(x, y))

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> None:
        if not self.is_waiting:
            self.page.drag(*self._points(x, y))

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        if not self.is_waiting:
            self.page.release()

    def tick(self, seconds: float) -> None:
        """Let time go on in the lesson, or show it once it is ready."""
        self._end_wait()
        if self.page.tick(seconds):
            self._is_stale = True

    def _points(self, x: float, y: float) -> tuple[float, float]:
        factor = self.get_framebuffer_size()[0] / max(self.width, 1) / self.canvas.unit
        return x * factor, y * factor


def play(window: LessonWindow) -> None:
    """Run until the window is closed."""
    pyglet.clock.schedule_interval(window.tick, 1.0 / 60.0)
    pyglet.app.run(1.0 / 60.0)
    if any(isinstance(thread, Compiling) for thread in threading.enumerate()):
        end_process()
