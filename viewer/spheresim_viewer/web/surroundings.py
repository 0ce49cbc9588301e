"""What stands around the balls, as meshes: the same stage as in the viewer's window."""

from typing import Any

import numpy as np

from spheresim.scene import Scene
from spheresim_viewer.stage import Stage
from spheresim_viewer.stage.images import wrapped
from spheresim_viewer.stage.surface import Surface, grid_places

Arrays = dict[str, tuple[str, Any]]

_FINENESS = 2.0**17
"""Meshes are rounded to one part in so many of the stage, which no screen shows: the last bits of
numbers are noise that no compression makes shorter."""


def stage_of(scene: Scene) -> Stage:
    """The part of the world that is shown; all of a periodic box."""
    box = scene.box if scene.box is not None and scene.box.is_periodic else None
    position = wrapped(scene.balls.position, box)
    return Stage.of(scene.obstacles, position, scene.balls.radius, scene.gravity, box)


def surroundings(stage: Stage, ghost_radius: float) -> Arrays:
    """The meshes by group (planes, bodies, ghosts), and outlines; in stage units, float32."""
    surfaces = stage.surfaces()
    groups = {
        "planes": [s for s in surfaces if s.kind == "plane"],
        "bodies": [s for s in surfaces if s.kind != "plane"],
        "ghosts": stage.surfaces(ghost_radius),
    }
    arrays: Arrays = {}
    for group, members in groups.items():
        arrays |= {f"{group}.{name}": array for name, array in _mesh(stage, members).items()}
    casting = [len(s.triangles) if s.kind == "pillar" else 0 for s in groups["bodies"]]
    arrays["bodies.casting"] = (
        "u1",
        np.repeat(np.array(casting) > 0, [len(s.triangles) for s in groups["bodies"]]),
    )
    edges = np.concatenate([np.empty((0, 2, 3)), *(s.outline for s in surfaces)])
    arrays["outline.ends"] = "f4", _rounded(stage.to_units(edges.reshape(-1, 3)))
    fade = np.concatenate([np.empty((0, 2)), *(s.outline_fade for s in surfaces)])
    arrays["outline.fade"] = "f4", fade
    return arrays


def _mesh(stage: Stage, surfaces: list[Surface]) -> Arrays:
    """Surfaces as one indexed mesh: the attributes of the viewer's surface shader."""
    first = np.cumsum([0, *(len(s.vertices) for s in surfaces)])
    lined = [np.full(len(s.vertices), s.u is not None) for s in surfaces]
    triangles = [s.triangles + k for s, k in zip(surfaces, first[:-1], strict=True)]

    def joined(parts: list[Any], width: int) -> Any:
        whole = [np.empty((0, width)), *(p.reshape(-1, width) for p in parts)]
        return _rounded(np.concatenate(whole))

    return {
        "position": ("f4", joined([stage.to_units(s.vertices) for s in surfaces], 3)),
        "normal": ("f4", joined([s.normals for s in surfaces], 3)),
        "place": ("f4", joined([grid_places(s, stage.grid) for s in surfaces], 2)),
        "fade": ("f4", joined([s.fade for s in surfaces], 1)),
        "lined": ("f4", joined(lined, 1)),
        "triangles": ("u4", joined(triangles, 3)),
    }


def _rounded(values: Any) -> Any:
    return np.rint(values * _FINENESS) / _FINENESS
