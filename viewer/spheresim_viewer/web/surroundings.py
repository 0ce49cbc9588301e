"""What stands around the balls, as meshes: the same stage as in the viewer's window."""

import numpy as np

from spheresim.numerics.arrays import Floats
from spheresim.scene import Scene
from spheresim_viewer.stage import Stage
from spheresim_viewer.stage.images import wrapped
from spheresim_viewer.stage.surface import Surface
from spheresim_viewer.stage.surface_attributes import CASTING, WIDTHS, vertex_values

Arrays = dict[str, tuple[str, np.ndarray]]

_FINENESS = 2.0**15
"""Meshes are rounded to one part in so many of the stage, which no screen shows: the last bits of
numbers are noise that no compression makes shorter."""

_SHADES = 2.0**10
"""The same for opacities and colors."""


def stage_of(scene: Scene) -> Stage:
    """The part of the world that is shown; all of a periodic box."""
    box = scene.box if scene.box is not None and scene.box.is_periodic else None
    position = wrapped(scene.balls.position, box)
    return Stage.of(scene.obstacles, position, scene.balls.radius, scene.gravity, box)


def surroundings(stage: Stage, ghost_radius: float) -> Arrays:
    """The meshes by group (surfaces, panes, ghosts), and outlines; in stage units, float32."""
    surfaces = stage.surfaces()
    members = [s for s in surfaces + stage.cuts() if s.kind != "pane"]
    arrays = _mesh(stage, "panes", [s for s in surfaces if s.kind == "pane"])
    arrays |= _mesh(stage, "surfaces", members)
    arrays |= _mesh(stage, "ghosts", stage.surfaces(ghost_radius))
    casting = [s.kind in CASTING for s in members]
    triangles = [len(s.triangles) for s in members]
    arrays["surfaces.casting"] = "u1", np.repeat(np.array(casting, np.bool_), triangles)
    encloses = [s.encloses for s in members]
    arrays["surfaces.enclosing"] = "u1", np.repeat(np.array(encloses, np.bool_), triangles)
    edges = np.concatenate([np.empty((0, 2, 3)), *(s.outline for s in surfaces)])
    arrays["outline.ends"] = "f4", _rounded(stage.to_units(edges.reshape(-1, 3)))
    fade = np.concatenate([np.empty((0, 2)), *(s.outline_fade for s in surfaces)])
    arrays["outline.fade"] = "f4", fade
    enclosing = [s.encloses for s in surfaces for _ in s.outline]
    arrays["outline.enclosing"] = "u1", np.array(enclosing, np.bool_)
    if stage.moving:
        owners = [s.index for s in surfaces for _ in s.outline for _ in range(2)]
        arrays["outline.owner"] = "i4", np.array(owners, np.int64)
    return arrays


def _mesh(stage: Stage, group: str, surfaces: list[Surface]) -> Arrays:
    """Surfaces as one indexed mesh: the attributes of the viewer's surface shader.

    They are stored coordinate by coordinate, for numbers that are alike are packed best together.
    """
    parts = [vertex_values(stage, surface) for surface in surfaces]
    arrays: Arrays = {}
    for name, width in WIDTHS.items():
        whole = np.concatenate([np.empty((0, width)), *(part[name] for part in parts)])
        fineness = _SHADES if name in ("fade", "look") else _FINENESS
        arrays[f"{group}.{name}"] = "f4", _rounded(whole, fineness).T
    first = np.cumsum([0, *(len(s.vertices) for s in surfaces)])
    triangles = [s.triangles + k for s, k in zip(surfaces, first[:-1], strict=True)]
    whole = np.concatenate([np.empty((0, 3), np.int64), *triangles])
    arrays[f"{group}.triangles"] = "u4", whole
    if stage.moving:
        vertices = [len(s.vertices) for s in surfaces]
        arrays[f"{group}.owner"] = "i4", np.repeat([s.index for s in surfaces], vertices)
    return arrays


def _rounded(values: Floats, fineness: float = _FINENESS) -> Floats:
    return np.rint(values * fineness) / fineness
