"""Balls: for each a quad, on which the fragment shader traces the ray from the eye."""

from typing import Any

import numpy as np
from pyglet import gl

from viewer.draw.buffers import Attributes
from viewer.draw.programs import load_program


class Spheres:
    """All balls of a picture."""

    def __init__(self) -> None:
        self._program = load_program("sphere")
        self._shadow_program = load_program("sphere_shadow")
        self._attributes = Attributes(self._program, per_instance=True)
        self._shadow = Attributes(self._shadow_program, per_instance=True)
        self._casts_shadows = False

    def upload(self, centre: Any, radius: Any, color: Any, with_shadows: bool) -> None:
        """centre (n, 3) and radius (n, 1) in stage units, float32; color (n, 4), uint8."""
        self._attributes.upload(centre=centre, radius=radius, color=color)
        self._casts_shadows = with_shadows
        if with_shadows:
            self._shadow.upload(centre=centre, radius=radius)

    def draw(self, opacity: float = 1.0, scale: float = 1.0) -> None:
        """Draw; what is less than opaque lets some of a pixel's samples through."""
        self._program.use()
        self._program["opacity"] = opacity
        self._program["scale"] = scale
        gl.glEnable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)
        self._attributes.draw()
        gl.glDisable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)

    def draw_shadows(self) -> None:
        """Draw into the shadow map."""
        if self._casts_shadows:
            self._shadow_program.use()
            self._shadow.draw()


def sphere_colors(rgb: Any) -> Any:
    """Colors of shape (n, 3) from 0 to 1 as bytes with full opacity."""
    color = np.full((len(rgb), 4), 255, np.uint8)
    color[:, :3] = np.rint(np.asarray(rgb) * 255.0)
    return color
