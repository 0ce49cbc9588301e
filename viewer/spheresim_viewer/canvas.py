"""The canvas: a picture of the scene and the overlay on it, with or without a visible window."""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pyglet.math import Mat4

from spheresim_viewer.camera.framing import free_areas
from spheresim_viewer.draw.renderer import Renderer
from spheresim_viewer.draw.target import Framebuffer
from spheresim_viewer.hud.boxes import Box, Room
from spheresim_viewer.hud.caption import draw_caption
from spheresim_viewer.hud.control_panel import draw_panel
from spheresim_viewer.hud.counts import draw_counts
from spheresim_viewer.hud.covers import columns, covers
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.plots import draw_plots
from spheresim_viewer.hud.readouts import draw_numbers, draw_scale
from spheresim_viewer.scene_view import SceneView
from spheresim_viewer.stage.stage import Stage

if TYPE_CHECKING:
    from pyglet.window import BaseWindow


class Canvas:
    """Draws scene views with the OpenGL context of a window, which may be hidden."""

    def __init__(
        self, window: "BaseWindow", width: int, height: int, pixel_ratio: float = 1.0
    ) -> None:
        self._window = window
        self.renderer = Renderer(width, height)
        self.overlay = Overlay()
        self.pixel_ratio = pixel_ratio
        self._stage: Stage | None = None
        self._ghost_radius = 0.0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.renderer.frame.size

    def resize(self, width: int, height: int) -> None:
        """Change the size, in pixels."""
        if (width, height) != self.size:
            self.renderer.resize(width, height)

    def make_room(self, scene_view: SceneView, in_window: bool) -> None:
        """Let the camera keep what it frames clear of what is drawn over the picture."""
        self.overlay.begin(*self.size, self.pixel_ratio)
        scene_view.camera.aspect = self.size[0] / self.size[1]
        areas = free_areas(covers(self.overlay, scene_view, in_window))
        scene_view.camera.keep_within(areas, at_once=not in_window)

    def draw(
        self,
        scene_view: SceneView,
        draw_over: Callable[[Overlay], object],
        share: float = 1.0,
        in_window: bool = True,
    ) -> Framebuffer:
        """Draw a scene view, then call `draw_over`; the framebuffer that holds both.

        share: of all pixels, with which the scene is drawn; what is over it always has all.
        in_window: whether there are buttons, a time line and the panel over it.
        """
        width, height = self.size
        self.make_room(scene_view, in_window)
        if self._stage is not scene_view.stage or self._ghost_radius != scene_view.ghost_radius:
            self._stage, self._ghost_radius = scene_view.stage, scene_view.ghost_radius
            self.renderer.set_stage(scene_view.stage, scene_view.ghost_radius)
        picture = scene_view.picture(width, height, self.pixel_ratio)
        frame = self.renderer.draw(picture, share=share)
        return self._drawn_over(frame, draw_over)

    def _drawn_over(
        self, frame: Framebuffer, draw_over: Callable[[Overlay], object]
    ) -> Framebuffer:
        width, height = self.size
        self._window.projection = Mat4.orthogonal_projection(0, width, 0, height, -255, 255)
        self.overlay.begin(width, height, self.pixel_ratio)
        draw_over(self.overlay)
        self.overlay.end()
        return frame

    def draw_nothing(self, draw_over: Callable[[Overlay], object]) -> Framebuffer:
        """Draw the background, then call `draw_over`: for when there is no scene yet."""
        frame = self.renderer.draw_background()
        return self._drawn_over(frame, draw_over)

    def capture(self, scene_view: SceneView) -> npt.NDArray[np.uint8]:
        """The pixels, shape (height, width, 3), without buttons and wall-clock figures.

        So the same time of the same scene always gives the same picture.
        """
        over = partial(draw_figures, scene_view=scene_view, wall={})
        camera = scene_view.camera
        scene_view.camera = copy(camera)  # that of the window stays where it is
        try:
            return self.draw(scene_view, over, in_window=False).read()
        finally:
            scene_view.camera = camera


def draw_figures(
    overlay: Overlay, scene_view: SceneView, wall: dict[str, str], viewer: Any = None
) -> list[Box]:
    """Draw numbers, plots and, in a viewer's window, the panel, as far as they are switched on.

    Returns the boxes of what stands at the foot: the caption, and what colors mean.
    """
    in_window = viewer is not None
    shown = columns(overlay, scene_view, in_window)
    draw_counts(overlay, scene_view)
    caption = draw_caption(overlay, scene_view, in_window)
    if shown.panel:
        draw_panel(overlay, scene_view, viewer.actions, viewer.sliders)
    scale = draw_scale(overlay, scene_view, caption) if shown.numbers else None
    below = [box for box in (caption, scale) if box is not None]
    if shown.numbers:
        room = Room(below, shown.numbers_right)
        draw_numbers(overlay, scene_view, wall, room, shown.all_rows)
    if shown.plots:
        seek = viewer.seek if in_window else None
        draw_plots(overlay, scene_view, Room(below, shown.plots_right), seek)
    return below
