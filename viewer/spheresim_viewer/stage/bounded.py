"""The surface of an obstacle of finite size, as it says itself that it is drawn."""

from collections.abc import Callable

import numpy as np

from spheresim.obstacles.bounded import Bounded
from spheresim_viewer.stage.clip import Array
from spheresim_viewer.stage.surface import Owner, Surface


def bounded_surface(
    owner: Owner, shape: Bounded, offset: float, kind: str, to_units: Callable[[Array], Array]
) -> Surface | None:
    """The surface grown by an offset, or shrunk if it is a "tube"; None if none is left.

    kind: as in `Surface`; to_units: as `Stage.to_units`.
    """
    drawing = shape.drawing(offset, kind == "tube")
    if len(drawing.triangles) == 0:
        return None
    return Surface(
        kind,
        *owner,
        to_units(drawing.vertices),
        drawing.normals,
        drawing.triangles,
        np.zeros(len(drawing.vertices)),
        to_units(drawing.outline),
        np.zeros((len(drawing.outline), 2)),
    )
