"""The surface of an obstacle of finite size, as it says itself that it is drawn."""

import numpy as np

from spheresim.obstacles.bounded import Bounded
from spheresim_viewer.stage.clip import Array
from spheresim_viewer.stage.surface import Surface


def bounded_surface(
    index: int, name: str, shape: Bounded, offset: float, inside: bool, centre: Array, size: float
) -> Surface | None:
    """The surface grown by an offset, or shrunk if it is seen from inside; None if none is left.

    centre, size: of the stage, in whose units it is given.
    """
    drawing = shape.drawing(offset, inside)
    if len(drawing.triangles) == 0:
        return None
    return Surface(
        "tube" if inside else "pillar",
        index,
        name,
        (drawing.vertices - centre) / size,
        drawing.normals,
        drawing.triangles,
        np.zeros(len(drawing.vertices)),
        (drawing.outline - centre) / size,
        np.zeros((len(drawing.outline), 2)),
    )
