"""The room without its balls, kept as long as the camera stands still.

Where the processor draws, walls and pillars take most of a frame's time, and they seldom change.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pyglet import gl

from spheresim_viewer.draw.surfaces import Surfaces
from spheresim_viewer.draw.target import Framebuffer, Relief


class Room:
    """Kept pictures of what stands still: its colors and depths, and its relief."""

    def __init__(self) -> None:
        self._kept: Framebuffer | None = None
        self._relief: Relief | None = None
        self._seen: tuple[object, ...] | None = None
        self._kept_view: Any = None
        self._relief_view: Any = None

    @property
    def relief(self) -> Relief:
        """The relief that was drawn last."""
        assert self._relief is not None
        return self._relief

    def forget(self) -> None:
        """Drop all: the room or the size of the picture has changed."""
        for buffer in (self._kept, self._relief):
            if buffer is not None:
                buffer.delete()
        self._kept = self._relief = None
        self._seen = self._kept_view = self._relief_view = None

    def copy_to(
        self,
        target: Framebuffer,
        view: tuple[object, ...],
        samples: int,
        draw: Callable[[], object],
    ) -> bool:
        """Copy the room as seen in a view; False if it is not kept, and has to be drawn.

        It is drawn by `draw`, and kept, when the same view comes a second time. Leaves the
        target bound.
        """
        is_still, self._seen = view == self._seen, view
        if is_still and self._kept_view != view:
            if self._kept is None:
                self._kept = Framebuffer(*target.size, samples)
            self._kept.bind()
            draw()
            self._kept_view = view
        target.bind()
        if not is_still or self._kept is None:
            return False
        self._kept.copy_to(target, with_depth=True)
        target.bind()
        return True

    def draw_relief(
        self, size: tuple[int, int], view: tuple[object, ...], surfaces: Sequence[Surfaces]
    ) -> None:
        """Draw the relief of a view, unless it is the last one."""
        if view == self._relief_view:
            return
        if self._relief is None:
            self._relief = Relief(*size)
        self._relief.bind()
        gl.glDisable(gl.GL_BLEND)
        for part in surfaces:
            part.draw_relief()
        self._relief_view = view
