"""Balls as impostors: a square for each, in which the fragment shader intersects ray and sphere."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pyglet import gl

from spheresim.numerics.arrays import Booleans, Floats
from spheresim_viewer.draw.buffers import Attributes
from spheresim_viewer.draw.programs import load_program

_CROWD = 2_000
"""With fewer balls, all are drawn as quads."""

_SMALL = 12.0
"""Radius, in pixels, up to which one of many balls is drawn as a point."""


class DrawnBalls(NamedTuple):
    """centre (n, 3), radius (n, 1): stage units; color: (n, 4); neighbours: (n, 4), see
    `nearness.Nearness`."""

    centre: npt.NDArray[np.float32]
    radius: npt.NDArray[np.float32]
    color: npt.NDArray[np.uint8]
    neighbours: npt.NDArray[np.float32]


class Spheres:
    """All balls of a picture."""

    def __init__(self) -> None:
        self._programs, self._shaded = (
            (
                load_program("sphere", define=word),
                load_program("small_sphere", "sphere", define=word),
            )
            for word in ("", "SHADOWS")
        )
        self._quads = Attributes(self._programs[0], per_instance=True)
        self._points = Attributes(self._programs[1])
        self._shadow_program = load_program("sphere_shadow")
        self._shadow = Attributes(self._shadow_program, per_instance=True)

    def upload(self, balls: DrawnBalls, is_small: Booleans, with_shadows: bool) -> None:
        """Upload balls; is_small (n,): which of them are drawn as points."""
        if with_shadows:
            self._shadow.upload(centre=balls.centre, radius=balls.radius)
        for attributes, chosen in ((self._quads, ~is_small), (self._points, is_small)):
            arrays: dict[str, np.ndarray] = balls._asdict()
            if not chosen.all():
                part = np.flatnonzero(chosen)
                arrays = {name: array.take(part, axis=0) for name, array in arrays.items()}
            attributes.upload(**arrays)

    def draw(self, opacity: float = 1.0, scale: float = 1.0, shadows: bool = False) -> None:
        """Draw all; an opacity below 1 leaves out some of the samples of each pixel."""
        programs = self._shaded if shadows else self._programs
        gl.glEnable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)
        gl.glEnable(gl.GL_PROGRAM_POINT_SIZE)
        for program, attributes in zip(programs, (self._quads, self._points), strict=True):
            program.use()
            program["opacity"] = opacity
            program["scale"] = scale
            attributes.draw(gl.GL_POINTS)
        gl.glDisable(gl.GL_SAMPLE_ALPHA_TO_COVERAGE)

    def draw_shadows(self) -> None:
        """Draw into the shadow map."""
        self._shadow_program.use()
        self._shadow.draw()


def small_on_screen(picture: Any, size: tuple[int, int]) -> Booleans:
    """Whether each ball (n,) can be drawn as a point: small, one of many, well inside the screen.

    Drawn by the processor a point costs less than a quad (100,000 balls on two cores: 250
    instead of 340 ms). But OpenGL drops a point as soon as its middle is outside the screen.
    """
    if len(picture.centre) < _CROWD:
        return np.zeros(len(picture.centre), np.bool_)
    clip = (picture.projection @ picture.view).astype(np.float32)
    # Not by @: starting the threads of the linear algebra library takes longer than this.
    x, y, w = (np.einsum("nj,j->n", picture.centre, row[:3]) + row[3] for row in clip[[0, 1, 3]])
    half_height = 0.5 * size[1] * np.float32(picture.projection[1, 1])
    pixels = picture.radius[:, 0] * half_height
    margin = w * np.float32(1.0 - 2.0 * (_SMALL + 2.0) / min(size))
    return (w > 0.0) & (pixels < _SMALL * w) & (abs(x) < margin) & (abs(y) < margin)


def sphere_colors(rgb: Floats) -> npt.NDArray[np.uint8]:
    """Colors of shape (n, 3) from 0 to 1 as bytes with full opacity."""
    color = np.full((len(rgb), 4), 255, np.uint8)
    color[:, :3] = np.rint(np.asarray(rgb) * 255.0)
    return color
