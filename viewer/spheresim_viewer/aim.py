"""Where the camera goes so that something can be seen."""

from typing import Any

import numpy as np

from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.plane import Plane
from spheresim_viewer.camera import Camera
from spheresim_viewer.picking import hit_parameters
from spheresim_viewer.pose import HALF
from spheresim_viewer.stage import Stage

_TURNS = (0.0, 25.0, -25.0, 50.0, -50.0, 80.0, -80.0, 110.0, -110.0, 145.0, -145.0, 180.0)
_RISES = (0.0, 20.0, 45.0)
"""Degrees by which the eye may go around and up: the first that leaves it a free sight is taken."""


def look_at(camera: Camera, points: Any, room: float, direction: Any = None) -> None:
    """Look at points (m, 3) of the world, with room around them.

    direction: from them to the eye, (3,); as it is now if not given.
    """
    low, high = points.min(axis=0) - room, points.max(axis=0) + room
    target = camera.stage.to_units(0.5 * (low + high))
    extent = float(np.linalg.norm(high - low)) / camera.stage.size
    away = 0.5 * extent / (HALF * min(1.0, camera.aspect)) * 1.1 + 0.5 * extent
    towards = camera.direction if direction is None else direction
    camera.place(target + away * towards, target)


def look_at_balls(camera: Camera, position: Any, radius: Any, chosen: Any) -> None:
    """Look at the chosen balls from where they can be seen; position (n, 3), radius (n,)."""
    direction = open_direction(camera, position, radius, chosen)
    look_at(camera, position[chosen], 4.0 * float(radius[chosen].max()), direction)


def open_direction(camera: Camera, position: Any, radius: Any, chosen: Any) -> Any:
    """The direction, (3,), near that of the camera, from which least hides the chosen balls.

    position (n, 3), radius (n,): of all balls.
    """
    now, up = camera.direction, camera.stage.up
    best, fewest = now, np.inf
    for rise in _RISES:
        for turn in _TURNS:
            direction = _turned(now, up, np.radians(turn), np.radians(rise))
            hidden = _hidden(camera.stage, position, radius, chosen, direction)
            if hidden < fewest:
                best, fewest = direction, hidden
            if fewest == 0:
                return best
    return best


def any_in_sight(camera: Camera, position: Any, radius: Any) -> bool:
    """Whether any of some balls, position (n, 3) and radius (n,), is inside the picture."""
    view, projection = camera.matrices()
    units = camera.stage.to_units(position)
    rows = (projection @ view)[[0, 1, 3]]
    x, y, w = (np.einsum("nj,j->n", units, row[:3]) + row[3] for row in rows)
    reach = w + 2.0 * radius / camera.stage.size
    return bool(np.any((w > 0.0) & (np.abs(x) < reach) & (np.abs(y) < reach)))


def _turned(direction: Any, up: Any, turn: float, rise: float) -> Any:
    """Turned about the upright axis, then lifted, but not over the top."""
    level = direction - (direction @ up) * up
    length = float(np.linalg.norm(level))
    if length < 1e-6:
        return direction
    level = level / length
    around = np.cos(turn) * level + np.sin(turn) * np.cross(up, level)
    height = min(np.arctan2(direction @ up, length) + rise, np.radians(85.0))
    return np.cos(height) * around + np.sin(height) * up


def _hidden(stage: Stage, position: Any, radius: Any, chosen: Any, direction: Any) -> int:
    """How many things stand between the chosen balls and an eye in a direction.

    Walls between the eye and the scene are not drawn, and tubes are seen from inside.
    """
    count = 0
    for ball in chosen:
        ray = TRay(TVector(position[ball]), TVector(direction))
        others = hit_parameters(ray, position, radius)
        others[chosen] = np.inf
        count += int(np.count_nonzero(others < 2.0 * stage.size))
        for index, obstacle in enumerate(stage.obstacles):
            shape = obstacle.shape
            if index in stage.tubes or (isinstance(shape, Plane) and index in stage.walls):
                continue
            hit = shape.hit(ray)
            count += hit is not None and hit.distance < 2.0 * stage.size
    return count
