"""Obstacles as meshes. Faces seen from behind are culled, so that one can look into rooms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyglet import gl

from spheresim_viewer.draw.buffers import Attributes
from spheresim_viewer.draw.programs import load_program
from spheresim_viewer.stage.surface import grid_places

GHOST = (0.0, 0.36, 0.62, 0.16)
"""Color and opacity of the offset primitives."""


class Surfaces:
    """The meshes of some obstacles; `as_ghosts` draws them translucent."""

    def __init__(self, as_ghosts: bool = False) -> None:
        self._program = load_program("surface")
        self._shadow_program = load_program("surface_shadow")
        self._attributes = Attributes(self._program)
        self._shadow = Attributes(self._shadow_program)
        self._as_ghosts = as_ghosts

    def upload(self, stage: Any, surfaces: Sequence[Any]) -> None:
        """Upload the surfaces of a stage as triangles."""
        parts = [_corners(stage, surface) for surface in surfaces]
        widths = {"position": 3, "normal": 3, "place": 2, "fade": 1, "lined": 1}
        arrays = {
            name: np.concatenate([np.empty((0, width)), *(part[name] for part in parts)])
            for name, width in widths.items()
        }
        self._attributes.upload(**{k: np.ascontiguousarray(a, "f4") for k, a in arrays.items()})
        casting = [
            part["position"]
            for part, surface in zip(parts, surfaces, strict=True)
            if surface.kind == "pillar"
        ]
        self._shadow.upload(
            position=np.ascontiguousarray(np.concatenate([np.empty((0, 3)), *casting]), "f4")
        )

    def draw(self) -> None:
        """Draw into the picture."""
        self._program.use()
        self._program["ghost"] = GHOST if self._as_ghosts else (0.0, 0.0, 0.0, 0.0)
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
    return {
        "position": stage.to_units(surface.vertices)[order],
        "normal": surface.normals[order],
        "place": grid_places(surface, stage.grid)[order],
        "fade": surface.fade[order, None],
        "lined": np.full((len(order), 1), float(surface.u is not None)),
    }
