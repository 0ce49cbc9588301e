"""Lines and discs in space, of which glyphs are made, and flat triangles on the screen."""

from typing import Any, NamedTuple

import numpy as np
from pyglet import gl

from spheresim.numerics.arrays import Floats
from spheresim_viewer.draw.buffers import Attributes
from spheresim_viewer.draw.programs import load_program


class LineSegments(NamedTuple):
    """Straight lines.

    start, end: shape (n, 3), stage units; width: shape (n, 2), in points at start and end;
    start_color, end_color: shape (n, 4), from 0 to 1.
    """

    start: Floats
    end: Floats
    width: Floats
    start_color: Floats
    end_color: Floats


class Discs(NamedTuple):
    """Discs and rings.

    centre: shape (n, 3), stage units; normal: shape (n, 3), where 0 faces the eye; radius:
    shape (n, 2), outer and inner, stage units; color: shape (n, 4), from 0 to 1.
    """

    centre: Floats
    normal: Floats
    radius: Floats
    color: Floats


def merged(kind: Any, parts: list[Any]) -> Any:
    """Several groups of LineSegments, or of Discs, as one."""
    widths = {"start_color": 4, "end_color": 4, "color": 4, "width": 2, "radius": 2}
    return kind(
        *(
            np.concatenate([np.empty((0, widths.get(name, 3))), *(getattr(p, name) for p in parts)])
            for name in kind._fields
        )
    )


class Primitives:
    """Draws LineSegments or Discs, with the shader program of that name."""

    def __init__(self, name: str) -> None:
        self._program = load_program(name)
        self._attributes = Attributes(self._program, per_instance=True)

    def draw(self, group: Discs | LineSegments) -> None:
        """Upload and draw, blended over the picture; they do not hide each other."""
        if len(group[0]) == 0:
            return
        self._attributes.upload(**{name: _as_bytes(name, a) for name, a in group._asdict().items()})
        self._program.use()
        self._attributes.draw()


def _as_bytes(name: str, array: Floats) -> np.ndarray:
    if name.endswith("color"):
        return np.ascontiguousarray(np.clip(array, 0.0, 1.0) * 255.0 + 0.5, dtype=np.uint8)
    return np.ascontiguousarray(array, dtype=np.float32)


class FlatTriangles:
    """Colored triangles on the screen, in pixels."""

    def __init__(self) -> None:
        self._program = load_program("flat")
        self._attributes = Attributes(self._program)

    def draw(self, position: Floats, color: Floats) -> None:
        """Draw triangles: position (3k, 2) in pixels, color (3k, 4) from 0 to 1."""
        if len(position) == 0:
            return
        self._attributes.upload(
            position=_as_bytes("position", position), color=_as_bytes("color", color)
        )
        self._program.use()
        self._attributes.draw(gl.GL_TRIANGLES)
