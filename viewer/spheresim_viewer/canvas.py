"""The canvas: a picture of the scene and the overlay on it, with or without a visible window."""

from collections.abc import Callable
from typing import Any

from pyglet.math import Mat4

from spheresim_viewer.draw.renderer import Renderer
from spheresim_viewer.hud.numbers import MARGIN, draw_numbers, draw_scale
from spheresim_viewer.hud.numbers import WIDTH as NUMBERS_WIDTH
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.panel import WIDTH as PANEL_WIDTH
from spheresim_viewer.hud.panel import draw_panel, is_shown
from spheresim_viewer.hud.plots import WIDTH as PLOT_WIDTH
from spheresim_viewer.hud.plots import draw_plots
from spheresim_viewer.hud.transport import draw_caption
from spheresim_viewer.scene_view import SceneView


class Canvas:
    """Draws scene views with the OpenGL context of a window, which may be hidden."""

    def __init__(self, window: Any, width: int, height: int, pixel_ratio: float = 1.0) -> None:
        self._window = window
        self.renderer = Renderer(width, height)
        self.overlay = Overlay()
        self.pixel_ratio = pixel_ratio
        self._stage: Any = None
        self._ghost_radius = 0.0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.renderer.frame.size

    def resize(self, width: int, height: int) -> None:
        """Change the size, in pixels."""
        if (width, height) != self.size:
            self.renderer.resize(width, height)

    def draw(
        self, scene_view: SceneView, draw_over: Callable[[Overlay], object], share: float = 1.0
    ) -> Any:
        """Draw a scene view, then call `draw_over`; the framebuffer that holds both.

        share: of all pixels, with which the scene is drawn; what is over it always has all.
        """
        width, height = self.size
        if self._stage is not scene_view.stage or self._ghost_radius != scene_view.ghost_radius:
            self._stage, self._ghost_radius = scene_view.stage, scene_view.ghost_radius
            self.renderer.set_stage(scene_view.stage, scene_view.ghost_radius)
        picture = scene_view.picture(width, height, self.pixel_ratio)
        frame = self.renderer.draw(picture, share=share)
        return self._drawn_over(frame, draw_over)

    def _drawn_over(self, frame: Any, draw_over: Callable[[Overlay], object]) -> Any:
        width, height = self.size
        self._window.projection = Mat4.orthogonal_projection(0, width, 0, height, -255, 255)
        self.overlay.begin(width, height, self.pixel_ratio)
        draw_over(self.overlay)
        self.overlay.end()
        return frame

    def draw_nothing(self, draw_over: Callable[[Overlay], object]) -> Any:
        """Draw the background, then call `draw_over`: for when there is no scene yet."""
        frame = self.renderer.draw_background()
        return self._drawn_over(frame, draw_over)

    def capture(self, scene_view: SceneView) -> Any:
        """The pixels, shape (height, width, 3), without buttons and wall-clock figures.

        So the same time of the same scene always gives the same picture.
        """
        return self.draw(scene_view, lambda overlay: draw_figures(overlay, scene_view, {})).read()


def draw_figures(
    overlay: Overlay, scene_view: SceneView, wall: dict[str, str], viewer: Any = None
) -> None:
    """Draw numbers, plots and, in a viewer's window, the panel, as far as they are switched on."""
    options, right = scene_view.options, overlay.width - MARGIN
    draw_caption(overlay, scene_view, viewer is not None)
    if viewer is not None and is_shown(overlay, options):
        draw_panel(overlay, scene_view, viewer.actions)
        right -= PANEL_WIDTH + 8.0
    has_room = right - PLOT_WIDTH > NUMBERS_WIDTH + 2.0 * MARGIN
    if options.numbers and (has_room or not options.plots):  # in small windows one of the two
        draw_numbers(overlay, scene_view, wall)
        draw_scale(overlay, scene_view)
    if options.plots:
        draw_plots(overlay, scene_view, right, None if viewer is None else viewer.seek)
