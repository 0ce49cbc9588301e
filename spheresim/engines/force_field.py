"""Fields of force from Python: accelerations as a function of time, positions and velocities."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spheresim.numerics.arguments import shown

Field = Callable[[float, Any, Any], Any]
"""field(time, position, velocity) is the acceleration of all balls, (n, 3) or one for all, (3,).

position, velocity: (n, 3), read-only."""


def accelerations(field: Field, time: float, position: Any, velocity: Any) -> Any:
    """The accelerations by a field, (n, 3); ValueError if they are no numbers of this shape."""
    seen = position.view(), velocity.view()
    for array in seen:
        array.flags.writeable = False
    found = field(time, *seen)
    try:
        array = np.broadcast_to(np.asarray(found, dtype=float), position.shape)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if not np.isfinite(array).all():
        raise ValueError(
            f"a field must return finite accelerations of the shape {position.shape}, one for each "
            f"ball, or (3,), one for all; at t = {time!r} it returned {shown(found)}"
        )
    return array
