"""The first view of a scene: the side from which obstacles and balls hide the fewest balls.

Ten azimuths are tried, each from the usual height and from higher up. The eye is where the whole
stage is framed, and five points of each ball are looked for (see `visibility`): where the ball is
at the start, and at three later moments of its flight, while that is inside the stage. Of the views
that hide the fewest points at the start, up to a twentieth of all, the one is taken that hides the
fewest later; of equal ones the first, which is the usual view. The choice depends on the scene
alone, so every window, picture and page of a scene begins alike.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from spheresim.scene import Scene
from spheresim_viewer.camera.framing import WHOLE, framed
from spheresim_viewer.camera.pose import AZIMUTH, ELEVATION, Array, Pose, Turntable
from spheresim_viewer.camera.visibility import POINTS, Scenery, Watched, hidden_points
from spheresim_viewer.stage import Stage, Surface

_AZIMUTHS = (AZIMUTH, 24.0, 40.0, 16.0, 48.0, -32.0, -24.0, -40.0, -16.0, -48.0)
"""In the order in which they are preferred: from the front, as a scene is written, but not along
an axis, where a room looks flat."""
_ELEVATIONS = (ELEVATION, 36.0)
_LATER = (0.25, 0.5, 0.75)
"""The moments of flight, in parts of the time in which balls usually cross the stage."""
_ASPECT = 1.6
_BALLS = 40
"""The most balls that are looked for: every second, third, … of more."""

_TESTS = 1_000_000
"""About so many triangles are tested in all: among more of them fewer views are tried."""

Angles = tuple[float, float]


def opening_angles(stage: Stage, surfaces: Sequence[Surface], scene: Scene) -> Angles:
    """Yaw and pitch, in radians, of the first view; the angles that a scene names are kept."""
    view = scene.view
    azimuths = _AZIMUTHS if view.azimuth is None else (view.azimuth,)
    elevations = _ELEVATIONS if view.elevation is None else (view.elevation,)
    angles = [
        (math.radians(azimuth), math.radians(elevation))
        for elevation, azimuth in product(elevations, azimuths)
    ]
    if len(angles) == 1:
        return angles[0]
    # What is there at the start and later, and how many views of it can be afforded
    scenery = Scenery(stage, surfaces)
    start, *later = _moments(stage, scenery, scene)
    affordable = _TESTS // max(scenery.triangles, 1)
    if affordable < len(angles) * (1 + len(later)):
        later = []
    hidden: dict[Angles, int] = {}
    for each in angles[: max(affordable, 1)]:
        hidden[each] = start.hidden(each)
        if hidden[each] == 0 and not any(moment.hidden(each) for moment in later):
            return each
    # The best of the good ones
    enough = min(hidden.values()) + 0.05 * POINTS * len(start.chosen)
    good = [each for each, count in hidden.items() if count <= enough]
    return min(good, key=lambda each: sum(moment.hidden(each) for moment in later))


class _Moment:
    """The balls at a moment, and which of them are looked for."""

    def __init__(self, stage: Stage, scenery: Scenery, position: Array, radius: Array) -> None:
        inside = np.flatnonzero(np.all((position > stage.low) & (position < stage.high), axis=1))
        self.chosen = inside[:: 1 + len(inside) // (_BALLS + 1)]
        self._stage, self._turntable = stage, Turntable(stage.up)
        self._balls = Watched(scenery, position, radius, self.chosen)

    def hidden(self, angles: Angles) -> int:
        """How many points of the balls are hidden from a side."""
        if len(self.chosen) == 0:
            return 0
        stage = self._stage
        axes = np.array(self._turntable.axes(Pose(*angles, 1.0, np.zeros(3), np.zeros(2))))
        place = framed(axes @ stage.to_units(stage.subject).T, _ASPECT, WHOLE, 1.0)
        eye = stage.to_world(np.array([place.right, place.up, place.distance]) @ axes)
        return hidden_points(self._balls, eye, axes)


def _moments(stage: Stage, scenery: Scenery, scene: Scene) -> list[_Moment]:
    """The start, and the later moments of flights that meet nothing."""
    position, velocity = np.array(scene.balls.position), np.array(scene.balls.velocity)
    radius, gravity = np.array(scene.balls.radius), np.array(scene.gravity)
    speed = float(np.sqrt(np.mean(np.sum(velocity**2, axis=1))))
    crossing = _crossing(2.0 * stage.size, speed, float(np.linalg.norm(gravity)))
    times = [0.0, *(part * crossing for part in _LATER if crossing > 0.0)]
    flights = [position + time * velocity + 0.5 * time * time * gravity for time in times]
    return [_Moment(stage, scenery, places, radius) for places in flights]


def _crossing(length: float, speed: float, gravity: float) -> float:
    """The time in which a ball with a speed falls so far; 0 if it stays where it is."""
    if speed == 0.0 and gravity == 0.0:
        return 0.0
    return 2.0 * length / (speed + math.sqrt(speed * speed + 2.0 * gravity * length))
