"""Obstacles as meshes. Faces seen from behind are culled, so that one can look into rooms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyglet import gl

from spheresim_viewer.draw.buffers import Attributes
from spheresim_viewer.draw.programs import load_program
from spheresim_viewer.stage.hidden import hidden_from
from spheresim_viewer.stage.surface import grid_places

GHOST = (0.0, 0.36, 0.62, 0.16)
"""Color and opacity of the offset primitives."""


FADED = {"plane": 1.0, "pillar": 0.85, "tube": 0.8, "cut": 0.0}
"""How far what goes on without an end fades into the paper, by kind: pillars never vanish."""

PLAIN, GRID, HATCH = 0.0, 1.0, 2.0
FINISH = {
    "plane": (0.74, 0.72, 0.69, GRID),
    "pillar": (0.40, 0.46, 0.54, PLAIN),
    "tube": (0.60, 0.62, 0.64, PLAIN),
    "cut": (0.93, 0.94, 0.95, HATCH),
}
"""Color in linear light, and what is drawn on it; of a cut, the color of its paper."""

_HATCH = 0.024
"""Distance of the lines on a cut, in stage units."""


class Surfaces:
    """The meshes of some obstacles; `as_ghosts` draws them translucent."""

    def __init__(self, as_ghosts: bool = False) -> None:
        self._program = load_program("surface", define="GHOST" if as_ghosts else "")
        self._shaded: Any = None if as_ghosts else load_program("surface", define="SHADOWS")
        self._relief = load_program("surface", "relief")
        self._shadow_program = load_program("surface_shadow")
        self._attributes = Attributes(self._program)
        self._shadow = Attributes(self._shadow_program)
        self._as_ghosts = as_ghosts

    def upload(self, stage: Any, surfaces: Sequence[Any]) -> None:
        """Upload the surfaces of a stage as triangles."""
        parts = [_corners(stage, surface) for surface in surfaces]
        widths = {"position": 3, "normal": 3, "place": 2, "fade": 2, "look": 4}
        arrays = {
            name: np.concatenate([np.empty((0, width)), *(part[name] for part in parts)])
            for name, width in widths.items()
        }
        self._attributes.upload(**{k: np.ascontiguousarray(a, "f4") for k, a in arrays.items()})
        casting = [
            part["position"]
            for part, surface in zip(parts, surfaces, strict=True)
            if surface.kind in ("pillar", "cut")
        ]
        self._shadow.upload(
            position=np.ascontiguousarray(np.concatenate([np.empty((0, 3)), *casting]), "f4")
        )

    def draw(self, shadows: bool = False) -> None:
        """Draw into the picture."""
        program = self._shaded if shadows else self._program
        program.use()
        if self._as_ghosts:
            program["ghost"] = GHOST
        self._draw_front()

    def draw_relief(self) -> None:
        """Draw what a `Relief` keeps."""
        self._relief.use()
        self._draw_front()

    def _draw_front(self) -> None:
        gl.glEnable(gl.GL_CULL_FACE)
        self._attributes.draw()
        gl.glDisable(gl.GL_CULL_FACE)

    def draw_shadows(self) -> None:
        """Draw the pillars into the shadow map."""
        self._shadow_program.use()
        self._shadow.draw()


def _corners(stage: Any, surface: Any) -> dict[str, Any]:
    """A surface's triangles, corner by corner, in stage units."""
    order = surface.triangles.reshape(-1)
    spacing = _HATCH * stage.size if surface.kind == "cut" else stage.grid
    hidden = np.zeros(len(surface.vertices))
    if surface.kind != "cut":
        hidden = hidden_from(stage, surface.index, surface.vertices, surface.normals)
    fade = np.stack([FADED[surface.kind] * surface.fade, hidden], axis=1)
    return {
        "position": stage.to_units(surface.vertices)[order],
        "normal": surface.normals[order],
        "place": grid_places(surface, spacing)[order],
        "fade": fade[order],
        "look": np.broadcast_to(FINISH[surface.kind], (len(order), 4)),
    }
