"""The canvas of lessons: a page of any size, in a window or in a picture."""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
from pyglet.math import Mat4

from spheresim_viewer.draw.renderer import Renderer
from spheresim_viewer.draw.target import Framebuffer
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.lessons.writing import Writing

if TYPE_CHECKING:
    from pyglet.window import BaseWindow

_SMALLEST, _USUAL = (640.0, 480.0), (1100.0, 700.0)
"""In points: a page is never laid out smaller; pixels of larger windows enlarge everything."""


class Page(Protocol):
    """What can be shown: a lesson, or the table of contents."""

    def draw(self, writing: Writing) -> None:
        """Draw the page."""


class LessonCanvas:
    """Draws pages."""

    def __init__(self, window: "BaseWindow", width: int, height: int) -> None:
        self._window = window
        self._renderer = Renderer(width, height)
        self.overlay = Overlay()
        self.writing = Writing(self.overlay)
        self.pixel_ratio = 1.0

    def resize(self, width: int, height: int) -> None:
        """Change the size, in pixels."""
        if (width, height) != self._renderer.frame.size:
            self._renderer.resize(width, height)

    @property
    def unit(self) -> float:
        """Pixels a point."""
        return pixels_a_point(*self._renderer.frame.size, self.pixel_ratio)

    def lay_out(self, page: Page) -> None:
        """Collect all that a page shows, without drawing it."""
        width, height = self._renderer.frame.size
        self.overlay.begin(width, height, self.unit)
        self.writing.begin()
        page.draw(self.writing)

    def draw(self, page: Page) -> Framebuffer:
        """Draw a page; the framebuffer that holds it."""
        width, height = self._renderer.frame.size
        self._window.projection = Mat4.orthogonal_projection(0, width, 0, height, -255, 255)
        self.lay_out(page)
        return self._renderer.draw_flat(self.overlay.end)

    def picture(self, page: Page) -> npt.NDArray[np.uint8]:
        """The pixels of a page, shape (height, width, 3)."""
        return self.draw(page).read()


def pixels_a_point(width: float, height: float, pixel_ratio: float = 1.0) -> float:
    """How many pixels a point is on a page of a size in pixels."""
    enlarged = max(pixel_ratio, min(width / _USUAL[0], height / _USUAL[1]))
    return min(enlarged, width / _SMALLEST[0], height / _SMALLEST[1])
