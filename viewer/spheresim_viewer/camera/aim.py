"""Where the camera goes so that something can be seen."""

import math

import numpy as np

from spheresim.numerics.arrays import Floats, Integers
from spheresim_viewer.camera.camera import Camera
from spheresim_viewer.camera.framing import WHOLE, Area
from spheresim_viewer.camera.visibility import Scenery, Watched, hidden_points
from spheresim_viewer.stage import box_corners

_ROOM = 5.0
"""Radii around the balls that are looked at."""
_TURNS = (0.0, 25.0, -25.0, 50.0, -50.0, 80.0, -80.0, 110.0, -110.0, 145.0, -145.0, 180.0)
_RISES = (0.0, 20.0, 45.0)
"""Degrees by which the eye may go around and up: the first that leaves it a free sight is taken."""
_HIGHEST = math.radians(85.0)


def look_at_all(camera: Camera, position: Floats, radius: Floats) -> None:
    """Show the whole stage, and all balls that have left it, from the side of the present view."""
    around = np.vstack([camera.stage.subject, corners_around(position, radius)])
    camera.frame_points(camera.stage.to_units(around), *camera.angles)


def look_at_balls(
    camera: Camera, scenery: Scenery, position: Floats, radius: Floats, chosen: Integers
) -> None:
    """Look at the chosen balls from near the present side, where least hides them.

    position (n, 3), radius (n,): of all balls.
    """
    watched = Watched(scenery, position, radius, chosen)
    room = np.full(len(chosen), _ROOM * float(radius[chosen].max()))
    around = corners_around(position[chosen], room)
    around = camera.stage.to_units(around)
    best, fewest = camera.angles, math.inf
    for rise in _RISES:
        for turn in _TURNS:
            yaw, pitch = camera.angles
            yaw, pitch = yaw + math.radians(turn), min(pitch + math.radians(rise), _HIGHEST)
            axes, eye = camera.seen_from(around, yaw, pitch)
            eye = camera.stage.to_world(eye)
            hidden = hidden_points(watched, eye, axes)
            if hidden < fewest:
                best, fewest = (yaw, pitch), hidden
            if fewest == 0:
                break
    camera.frame_points(around, *best)


def corners_around(position: Floats, radius: Floats) -> Floats:
    """The corners (8, 3) of the box around balls, position (n, 3) and radius (n,)."""
    low = np.min(position - radius[:, None], axis=0)
    high = np.max(position + radius[:, None], axis=0)
    return box_corners(low, high)


def any_in_sight(camera: Camera, position: Floats, radius: Floats, area: Area = WHOLE) -> bool:
    """Whether any of some balls, position (n, 3) and radius (n,), is inside an area."""
    view, projection = camera.matrices()
    units = camera.stage.to_units(position)
    rows = (projection @ view)[[0, 1, 3]]
    x, y, w = (np.einsum("nj,j->n", units, row[:3]) + row[3] for row in rows)
    (across, upwards), (wide, tall) = area.centre, area.half
    reach = 2.0 * radius / camera.stage.size
    inside = np.abs(x - across * w) < wide * w + reach
    inside &= np.abs(y - upwards * w) < tall * w + reach
    return bool(np.any((w > 0.0) & inside))
