"""The window: turns keys, mouse and dropped files into actions, and has frames drawn."""

from time import perf_counter
from typing import Any

import pyglet
from pyglet.window import key, mouse

from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim_viewer.camera.projection import ndc_of
from spheresim_viewer.hud.overlay import fitting_scale
from spheresim_viewer.keys import HELD, action_of
from spheresim_viewer.picking import drag_plane, dragged, pick, pixel_slope, ray_through

_CLICK = 4.0
"""Pixels that the mouse may move while a button is down, to count as a click."""
_ORBIT = 0.006
"""Radians for each pixel of a drag."""
_HELD_ORBIT = 1.4
_HELD_ZOOM = 2.5
_WHEEL = 1.15
_AXES = (key.X, key.Y, key.Z)
"""Keys that, held down, keep a dragged ball on a line along an axis."""


class Window(pyglet.window.Window):  # type: ignore[misc]
    """The window of a viewer."""

    def __init__(self, viewer: Any, width: int, height: int, fullscreen: bool) -> None:
        # Before it opens: in a process that has shown a window before, events come at once
        self._viewer = viewer
        self._held: set[int] = set()
        self._pressed = (0.0, 0.0)
        self._moved = 0.0
        self._drag = ""
        self._plane: Any = None
        self._area: Any = None
        size = {} if fullscreen else {"width": width, "height": height}
        super().__init__(
            **size,
            caption="spheresim",
            resizable=True,
            fullscreen=fullscreen,
            vsync=True,
            file_drops=True,
        )
        self.set_minimum_size(320, 240)

    # --- Pixels ---

    @property
    def pixels_per_unit(self) -> float:
        """Framebuffer pixels per unit of mouse coordinates."""
        return float(self.get_framebuffer_size()[0] / max(self.get_size()[0], 1))

    @property
    def pixel_ratio(self) -> float:
        """Pixels per point of text."""
        scale = max(float(self.scale), 1.0)
        width, height = self.get_framebuffer_size()
        return scale * fitting_scale(width / scale, height / scale)

    def on_resize(self, width: int, height: int) -> None:
        self._viewer.resize(*self.get_framebuffer_size())

    def draw(self, dt: float) -> None:
        """Called by the event loop for each frame. It draws only if the picture has changed."""
        if self._viewer.advance_clock():
            started = perf_counter()
            super().draw(dt)
            if not self._viewer.is_waiting:
                self._viewer.resolution.drawn(perf_counter() - started)

    def on_draw(self) -> None:
        self._viewer.draw()

    def on_expose(self) -> None:
        self._viewer.request_redraw()

    on_show = on_expose

    def on_close(self) -> None:
        self._viewer.close()

    # --- Keys ---

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        if self._viewer.sliders.typed is not None and self._edit_number(symbol):
            return pyglet.event.EVENT_HANDLED
        self._held.add(symbol)
        accelerated = modifiers & key.MOD_ACCEL
        action = action_of(symbol, modifiers)
        if (symbol in HELD and not accelerated) or (self._drag == "ball" and symbol in _AXES):
            return pyglet.event.EVENT_HANDLED
        if action is not None:
            self._viewer.perform(action)
        return (
            pyglet.event.EVENT_HANDLED
        )  # else pyglet's own handler would close the window at escape

    def _edit_number(self, symbol: int) -> bool:
        """What a key does while a number is typed in; whether it does anything."""
        sliders = self._viewer.sliders
        if symbol in (key.RETURN, key.NUM_ENTER):
            sliders.end(self._viewer.actions)
        elif symbol == key.ESCAPE:
            sliders.end()
        elif symbol == key.BACKSPACE:
            sliders.erase()
        return True

    def on_text(self, text: str) -> None:
        if self._viewer.sliders.typed is not None:
            self._viewer.sliders.type(text)

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        self._held.discard(symbol)
        if symbol not in getattr(self, "pressed_keys", {symbol}):
            self._forget_keys()  # shift was released first: with it, this was another key

    def _forget_keys(self) -> None:
        """Take all keys for released: a window without the focus gets no events of keys."""
        self._held.clear()
        getattr(self, "pressed_keys", self._held).clear()

    on_activate = on_deactivate = _forget_keys

    def move_camera(self, seconds: float) -> None:
        """Move the camera as long as keys are held."""
        # Which way, by all keys together
        camera = self._viewer.scene_view.camera
        right, up, nearer = (
            sum(HELD[symbol][k] for symbol in self._held if symbol in HELD) for k in range(3)
        )
        if self._held & {key.LCTRL, key.RCTRL, key.LCOMMAND, key.RCOMMAND}:
            return
        if self._held & {key.LSHIFT, key.RSHIFT}:
            if right or up:
                distance = 0.6 * seconds * self.height
                camera.pan(-right * distance, -up * distance, self.height)
        elif right or up:
            camera.orbit(-right * _HELD_ORBIT * seconds, -up * _HELD_ORBIT * seconds)
        if nearer:
            camera.zoom(_HELD_ZOOM ** (nearer * seconds))

    # --- Mouse ---

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        if not self._viewer.is_waiting:
            self._viewer.point_at(self._points(x, y))

    def on_mouse_leave(self, x: float, y: float) -> None:
        if not self._viewer.is_waiting:
            self._viewer.point_at(None)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._pressed, self._moved, self._drag = (x, y), 0.0, "orbit"
        viewer = self._viewer
        if viewer.is_waiting:
            return
        points = self._points(x, y)
        viewer.point_at(points)
        viewer.sliders.end(viewer.actions)
        if button != mouse.LEFT or modifiers & key.MOD_SHIFT:
            self._drag = "pan"
        elif viewer.transport.holds(*points) and not viewer.scene_view.options.help:
            self._drag = "time"
            mark = viewer.transport.mark_at(*points)
            if mark is None:
                viewer.seek(viewer.transport.time_at(points[0]))
            else:
                viewer.go_to_impact_after(mark[0])
        elif (area := viewer.overlay.area_at(*points)) is not None:
            self._drag, self._area = "", area
            if area.drag is not None:
                self._drag = "slider"
                area.drag(points[0], False)
            area.action()
        elif viewer.scene_view.throw is not None:
            self._drag = "throw" if viewer.actions.aim_at(self._ray(x, y)) else "orbit"
        elif self._is_on_picked(x, y):
            self._drag = "ball"

    def _is_on_picked(self, x: float, y: float) -> bool:
        """Whether the picked ball is under the cursor and can be dragged, since time is paused."""
        scene_view = self._viewer.scene_view
        if (
            scene_view.picked is None
            or scene_view.player.running
            or self._ball_at(x, y) != scene_view.picked
        ):
            return False
        self._plane = drag_plane(scene_view.camera, scene_view.position[scene_view.picked])
        return True

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> None:
        self._moved += abs(dx) + abs(dy)
        viewer = self._viewer
        if viewer.is_waiting:
            return
        camera = viewer.scene_view.camera
        points = self._points(x, y)
        viewer.point_at(points)
        if self._drag == "time":
            viewer.seek(viewer.transport.time_at(points[0]))
        elif self._drag == "slider":
            self._area.drag(points[0], False)
        elif self._moved < _CLICK:
            return
        elif self._drag == "throw" and viewer.scene_view.throw is not None:
            viewer.actions.aim_towards(self._ray(x, y))
        elif self._drag == "orbit":
            camera.orbit(dx * _ORBIT, dy * _ORBIT)
        elif self._drag == "pan":
            camera.pan(dx, dy, self.height)
        elif self._drag == "ball":
            place = dragged(self._ray(x, y), *self._plane)
            start = self._plane.point
            axes = [self._held & {symbol} for symbol in _AXES]
            if any(axes):
                place = TVector(
                    *(p if on else s for p, s, on in zip(place, start, axes, strict=True))
                )
            viewer.scene_view.dragged = place

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        viewer, drag, self._drag = self._viewer, self._drag, ""
        if viewer.is_waiting:
            return
        if drag == "slider":
            self._area.drag(self._points(x, y)[0], True)
        elif drag == "ball" and viewer.scene_view.dragged is not None:
            place, viewer.scene_view.dragged = viewer.scene_view.dragged, None
            viewer.actions.move_ball(viewer.scene_view.picked, place)
        elif drag == "throw" and viewer.scene_view.throw is not None:
            if self._moved >= _CLICK:
                viewer.actions.let_fly()
        elif drag in ("orbit", "ball") and self._moved < _CLICK and viewer.scene_view.throw is None:
            viewer.scene_view.pick_along(self._ray(x, y), pixel_slope(self.height))

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> None:
        if self._viewer.is_waiting:
            return
        if self._viewer.scene_view.throw is not None:
            self._viewer.actions.aim_deeper(2.0 * scroll_y)
        else:
            cursor = ndc_of(x, y, self.width, self.height)
            self._viewer.scene_view.camera.zoom(_WHEEL**scroll_y, cursor)

    def on_file_drop(self, x: int, y: int, paths: list[str]) -> None:
        self._viewer.open(paths[0])

    def _points(self, x: float, y: float) -> tuple[float, float]:
        """A cursor position in points of the overlay."""
        factor = self.pixels_per_unit / self.pixel_ratio
        return x * factor, y * factor

    def _ray(self, x: float, y: float) -> TRay:
        return ray_through(self._viewer.scene_view.camera, x, y, self.width, self.height)

    def _ball_at(self, x: float, y: float) -> int | None:
        snapshot = self._viewer.scene_view.player.snapshot
        slope = pixel_slope(self.height)
        return pick(self._ray(x, y), self._viewer.scene_view.position, snapshot.world.radius, slope)
