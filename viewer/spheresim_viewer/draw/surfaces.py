"""Obstacles as meshes. Faces seen from behind are culled, so that one can look into rooms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyglet import gl

from spheresim_viewer.draw.buffers import Attributes
from spheresim_viewer.draw.programs import load_program
from spheresim_viewer.stage.stage import Stage
from spheresim_viewer.stage.surface import Surface
from spheresim_viewer.stage.surface_attributes import CASTING, GLASS, SHELL, WIDTHS, vertex_values


class ObstacleMeshes:
    """The meshes of some obstacles: opaque ones, glass, and the outsides of what encloses balls."""

    def __init__(self) -> None:
        self.opaque = Surfaces()
        self.panes, self.shells = map(Surfaces, (GLASS, SHELL))

    def upload(self, stage: Stage, surfaces: Sequence[Surface]) -> None:
        """Upload the surfaces of a stage."""
        self.opaque.upload(stage, [s for s in surfaces if s.kind != "pane"])
        self.panes.upload(stage, [s for s in surfaces if s.kind == "pane"])
        self.shells.upload(stage, [s.turned() for s in surfaces if s.encloses])


class Surfaces:
    """The meshes of some obstacles, translucent if they are given a color and an opacity."""

    def __init__(self, tint: tuple[float, float, float, float] | None = None) -> None:
        self._program = load_program("surface", define="GHOST" if tint else "")
        self._shaded: Any = None if tint else load_program("surface", define="SHADOWS")
        self._relief = load_program("surface", "relief")
        self._shadow_program = load_program("surface_shadow")
        self._attributes = Attributes(self._program)
        self._shadow = Attributes(self._shadow_program)
        self._tint = tint

    def upload(self, stage: Stage, surfaces: Sequence[Surface]) -> None:
        """Upload the surfaces of a stage as triangles."""
        parts = []
        for surface in surfaces:  # corner by corner of its triangles
            order = surface.triangles.reshape(-1)
            values = vertex_values(stage, surface)
            parts.append({name: array[order] for name, array in values.items()})
        arrays = {
            name: np.concatenate([np.empty((0, width)), *(part[name] for part in parts)])
            for name, width in WIDTHS.items()
        }
        self._attributes.upload(**{k: np.ascontiguousarray(a, "f4") for k, a in arrays.items()})
        casting = [
            part["position"]
            for part, surface in zip(parts, surfaces, strict=True)
            if surface.kind in CASTING
        ]
        self._shadow.upload(
            position=np.ascontiguousarray(np.concatenate([np.empty((0, 3)), *casting]), "f4")
        )

    def draw(self, shadows: bool = False) -> None:
        """Draw into the picture."""
        program = self._shaded if shadows else self._program
        program.use()
        if self._tint is not None:
            program["ghost"] = self._tint
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
