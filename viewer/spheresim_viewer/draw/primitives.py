"""Lines and discs in space: outlines, trails, arrows, contact points, explosions."""

from typing import Any, NamedTuple

import numpy as np
from pyglet import gl

from spheresim_viewer.draw.buffers import Attributes
from spheresim_viewer.draw.programs import load_program


class LineSegments(NamedTuple):
    """Lines: start, end (n, 3) in stage units; width (n, 2) in points at start and end;
    start_color, end_color (n, 4) from 0 to 1."""

    start: Any
    end: Any
    width: Any
    start_color: Any
    end_color: Any


class Discs(NamedTuple):
    """Discs: centre, normal (n, 3), a normal of 0 faces the eye; radius (n, 2), outer and
    inner, in stage units; color (n, 4) from 0 to 1."""

    centre: Any
    normal: Any
    radius: Any
    color: Any


def merged(kind: Any, parts: list[Any]) -> Any:
    """Several groups of Segments, or of Discs, as one."""
    widths = {"start_color": 4, "end_color": 4, "color": 4, "width": 2, "radius": 2}
    return kind(
        *(
            np.concatenate([np.empty((0, widths.get(name, 3))), *(getattr(p, name) for p in parts)])
            for name in kind._fields
        )
    )


class Primitives:
    """Draws one kind of marks with the program of that name."""

    def __init__(self, name: str) -> None:
        self._program = load_program(name)
        self._attributes = Attributes(self._program, per_instance=True)

    def draw(self, marks: Any) -> None:
        """Upload and draw, blended over what is there, without hiding each other."""
        if len(marks[0]) == 0:
            return
        self._attributes.upload(**{name: _as_bytes(name, a) for name, a in marks._asdict().items()})
        self._program.use()
        self._attributes.draw()


def _as_bytes(name: str, array: Any) -> Any:
    if name.endswith("color"):
        return np.ascontiguousarray(np.clip(array, 0.0, 1.0) * 255.0 + 0.5, dtype=np.uint8)
    return np.ascontiguousarray(array, dtype=np.float32)


class FlatTriangles:
    """Colored triangles on the screen, in pixels."""

    def __init__(self) -> None:
        self._program = load_program("flat")
        self._attributes = Attributes(self._program)

    def draw(self, position: Any, color: Any) -> None:
        """position (3k, 2) in pixels, color (3k, 4) from 0 to 1."""
        if len(position) == 0:
            return
        self._attributes.upload(
            position=_as_bytes("position", position), color=_as_bytes("color", color)
        )
        self._program.use()
        self._attributes.draw(gl.GL_TRIANGLES)
