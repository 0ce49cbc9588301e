"""The surface of an obstacle of finite size, as it says itself that it is drawn."""

import numpy as np

from spheresim.obstacles.bounded import Bounded
from spheresim_viewer.stage.clip import Array
from spheresim_viewer.stage.surface import Surface


def bounded_surface(
    index: int, name: str, shape: Bounded, offset: float, kind: str, centre: Array, size: float
) -> Surface | None:
    """The surface grown by an offset, or shrunk if it is a "tube"; None if none is left.

    kind: as in `Surface`; centre, size: of the stage, in whose units it is given.
    """
    drawing = shape.drawing(offset, kind == "tube")
    if len(drawing.triangles) == 0:
        return None
    return Surface(
        kind,
        index,
        name,
        (drawing.vertices - centre) / size,
        drawing.normals,
        drawing.triangles,
        np.zeros(len(drawing.vertices)),
        (drawing.outline - centre) / size,
        np.zeros((len(drawing.outline), 2)),
    )
