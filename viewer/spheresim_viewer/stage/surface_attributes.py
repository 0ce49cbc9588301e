"""How surfaces look: what the surface shader is told at each vertex of a mesh."""

import numpy as np

from spheresim_viewer.stage.clip import Array
from spheresim_viewer.stage.hidden import hidden_from
from spheresim_viewer.stage.stage import Stage
from spheresim_viewer.stage.surface import Surface, grid_places

GHOST = (0.0, 0.36, 0.62, 0.16)
"""Color and opacity of the offset primitives."""

GLASS = (0.42, 0.50, 0.58, 0.07)
"""Color and opacity of panes."""

SHELL = (0.30, 0.37, 0.46, 0.05)
"""Color and opacity of the near side of what encloses balls, which stands before them."""

CASTING = ("pillar", "cut")
"""The kinds of surfaces that cast shadows."""

_FADED = {"plane": 1.0, "pillar": 0.85, "tube": 0.8, "cut": 0.0, "pane": 0.0}
"""How far what goes on without an end fades into the paper, by kind: pillars never vanish."""

_PLAIN, _GRID, _HATCH = 0.0, 1.0, 2.0
_FINISH = {  # walls and what encloses balls like paper, what balls hit bluer and darker
    "plane": (0.74, 0.72, 0.69, _GRID),
    "pillar": (0.31, 0.40, 0.52, _PLAIN),
    "tube": (0.71, 0.69, 0.66, _PLAIN),
    "cut": (0.93, 0.94, 0.95, _HATCH),
    "pane": (*GLASS[:3], _PLAIN),
}
"""Color in linear light, and what is drawn on it; of a cut, the color of its paper."""

_HATCHING = 0.024
"""Distance of the lines on a cut, in stage units."""

WIDTHS = {"position": 3, "normal": 3, "place": 2, "fade": 2, "look": 4}
"""Numbers at a vertex, by the names that `surface.vert` gives them."""


def vertex_values(stage: Stage, surface: Surface) -> dict[str, Array]:
    """A surface's arrays, (m, width) by the names in `WIDTHS`; positions in stage units."""
    spacing = _HATCHING * stage.size if surface.kind == "cut" else stage.grid
    hidden = np.zeros(len(surface.vertices))
    if surface.kind != "cut":
        hidden = hidden_from(stage, surface.index, surface.vertices, surface.normals)
    return {
        "position": stage.to_units(surface.vertices),
        "normal": surface.normals,
        "place": grid_places(surface, spacing),
        "fade": np.stack([_FADED[surface.kind] * surface.fade, hidden], axis=1),
        "look": np.broadcast_to(_FINISH[surface.kind], (len(surface.vertices), 4)),
    }
