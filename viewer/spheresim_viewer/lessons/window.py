"""The window of a lesson: handles for the mouse, and keys. Nothing moves by itself."""

from typing import Any

import pyglet
from pyglet.window import key

from spheresim_viewer.lessons.catalogue import LESSONS
from spheresim_viewer.lessons.lesson_canvas import LessonCanvas
from spheresim_viewer.saving import unused_path, write_png

_NAMED = {"left": key.LEFT, "right": key.RIGHT, "up": key.UP, "down": key.DOWN, "space": key.SPACE}


class LessonWindow(pyglet.window.Window):  # type: ignore[misc]
    """Shows a lesson until it is closed."""

    def __init__(self, name: str, size: tuple[int, int]) -> None:
        super().__init__(*size, caption=f"spheresim lesson {name}", resizable=True)
        self.set_minimum_size(640, 480)
        self._name, self._make = name, LESSONS[name]
        self.lesson_canvas = LessonCanvas(self, self._make(), *self.get_framebuffer_size())
        self.lesson_canvas.pixel_ratio = self._pixel_ratio
        self._dragged: int | None = None
        self._over = False

    @property
    def _pixel_ratio(self) -> float:
        return max(float(self.scale), 1.0)

    def on_resize(self, width: int, height: int) -> None:
        if hasattr(self, "lesson_canvas"):
            self.lesson_canvas.pixel_ratio = self._pixel_ratio
            self.lesson_canvas.resize(*self.get_framebuffer_size())

    def on_draw(self) -> None:
        self.lesson_canvas.draw().copy_to(None)

    def on_key_press(self, symbol: int, modifiers: int) -> Any:
        if symbol == key.ESCAPE or (symbol == key.Q and modifiers & key.MOD_ACCEL):
            self.close()
        elif symbol == key.BACKSPACE:
            self.lesson_canvas.lesson = self._make()
        elif symbol == key.F12:
            write_png(unused_path(f"lesson-{self._name}", ".png"), self.lesson_canvas.picture())
        else:
            self._play(symbol)
        return pyglet.event.EVENT_HANDLED

    def _play(self, symbol: int) -> None:
        for known in self.lesson_canvas.lesson.controls():
            if symbol == _NAMED.get(known.shown, ord(known.shown[0].lower())):
                known.action()
                return

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        over = self.lesson_canvas.handle_at(*self._points(x, y)) is not None
        if over is not self._over:
            self._over = over
            kind = self.CURSOR_HAND if over else self.CURSOR_DEFAULT
            self.set_mouse_cursor(self.get_system_mouse_cursor(kind))

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._dragged = self.lesson_canvas.grab(*self._points(x, y))

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> None:
        if self._dragged is not None:
            self.lesson_canvas.drag(self._dragged, *self._points(x, y))

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._dragged = None

    def _points(self, x: float, y: float) -> tuple[float, float]:
        factor = self.get_framebuffer_size()[0] / max(self.width, 1) / self._pixel_ratio
        return x * factor, y * factor


def play() -> None:
    """Run until the window is closed."""
    pyglet.app.run(1.0 / 60.0)
