"""Draws how balls darken the surfaces near them, from what `nearness` found."""

from typing import Any

from pyglet import gl

from spheresim_viewer.draw.buffers import Attributes
from spheresim_viewer.draw.programs import load_program


class Blobs:
    """Draws how balls darken the surfaces near them, over the picture of these surfaces."""

    def __init__(self) -> None:
        self._program = load_program("blob")
        self._attributes = Attributes(self._program, per_instance=True)

    def draw(self, near: Any, straight_down: float) -> None:
        """Darken what is drawn. The relief of the room must be the texture of unit 0.

        straight_down: how dark the shadow just below a ball is.
        """
        if len(near.shadowing) == 0:
            return
        self._attributes.upload(shadowing=near.shadowing, reach=near.reach, normal=near.normal)
        self._program.use()
        self._program["straight_down"] = straight_down
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ZERO, gl.GL_SRC_COLOR)
        gl.glDisable(gl.GL_DEPTH_TEST)
        self._attributes.draw()
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_BLEND)
