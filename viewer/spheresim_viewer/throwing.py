"""Aiming a throw: where the ball starts, how fast it flies, and which way it will go."""

from dataclasses import dataclass

import numpy as np

from spheresim.model.balls import Ball
from spheresim.numerics.arrays import Booleans, Floats
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.plane import Plane
from spheresim_viewer.picking import drag_plane, dragged
from spheresim_viewer.scene_view import SceneView
from spheresim_viewer.stage import Stage
from spheresim_viewer.timeline.forecast import Forecast

_ACROSS = 1.2
"""How much of half the stage's diagonal a thrown ball flies in a second, unless it is aimed."""
_DRAG = 2.4
"""How far it flies in a second, in units of the way that was dragged."""
_TRIED = 120
"""Places on a line of sight that are tried, half a radius apart, nearer and further."""
_AHEAD = 2.0
"""Seconds of flight that are predicted."""


@dataclass
class Throw:
    """A ball that is about to be thrown, and where it is predicted to fly."""

    ball: Ball
    forecast: Forecast


class Aim:
    """Throws into a scene view, all at its present time."""

    def __init__(self, scene_view: SceneView) -> None:
        self._scene_view = scene_view
        world = scene_view.player.snapshot.world
        self._radius, self._mass = float(np.median(world.radius)), float(np.median(world.mass))

    def ahead(self) -> Throw | None:
        """A ball thrown to where the camera looks, from the nearest free place in the stage."""
        camera, stage = self._scene_view.camera, self._scene_view.stage
        eye, forward = stage.to_world(camera.eye), camera.forward
        nearest = (stage.corners - eye) @ forward
        start = max(float(nearest.min()), 0.05 * stage.size)
        ray = TRay(TVector(eye), TVector(forward))
        speed = _ACROSS * stage.size / self._scene_view.player.natural_speed
        return self._throw(ray, start, TVector(speed * forward))

    def at(self, ray: TRay, velocity: TVector) -> Throw | None:
        """A ball that starts on a line of sight, as deep as the middle of what is looked at."""
        camera = self._scene_view.camera
        middle = camera.stage.to_world(camera.target)
        place = dragged(ray, *drag_plane(camera, TVector(middle)))
        return self._throw(ray, (place - ray.origin).mag(), velocity)

    def deeper(self, throw: Throw, radii: float) -> Throw | None:
        """The same throw from further away along its line of sight."""
        eye = TVector(self._scene_view.stage.to_world(self._scene_view.camera.eye))
        way = throw.ball.position - eye
        ray = TRay(eye, way.unit())
        return self._throw(ray, way.mag() + radii * self._radius, throw.ball.velocity)

    def towards(self, throw: Throw, ray: TRay) -> Throw:
        """The same ball, thrown along the way that the mouse was dragged; faster for a longer way.

        It flies at right angles to the line of sight.
        """
        start = throw.ball.position
        end = dragged(ray, *drag_plane(self._scene_view.camera, start))
        return self._predicted(
            start, (end - start) * (_DRAG / self._scene_view.player.natural_speed)
        )

    def _throw(self, ray: TRay, at: float, velocity: TVector) -> Throw | None:
        """A throw from the free place on a ray that is nearest to a distance, if there is one."""
        steps = 0.5 * self._radius * np.arange(_TRIED // 2)
        distances = at + np.stack([steps, -steps], axis=1).reshape(-1)
        places = np.array(ray.origin) + np.outer(distances[distances > 0.0], ray.direction)
        snapshot = self._scene_view.player.snapshot
        balls = self._scene_view.position, snapshot.world.radius
        found = np.flatnonzero(free_places(self._scene_view.stage, *balls, places, self._radius))
        return self._predicted(TVector(places[found[0]]), velocity) if len(found) else None

    def _predicted(self, position: TVector, velocity: TVector) -> Throw:
        player = self._scene_view.player
        ball = Ball(position, velocity, self._radius, self._mass)
        span = _AHEAD * player.natural_speed
        return Throw(ball, player.segments.forecast(player.time, ball, span))


def free_places(
    stage: Stage, position: Floats, radius: Floats, places: Floats, own: float
) -> Booleans:
    """At which places (m, 3) inside the stage a ball of a radius touches nothing, (m,) bool.

    position (n, 3), radius (n,): of the balls that are there.
    """
    free = np.all((places >= stage.low) & (places <= stage.high), axis=1)
    for k in np.flatnonzero(free):
        apart = position - places[k]
        free[k] = not np.any(np.einsum("ij,ij->i", apart, apart) < (radius + own) ** 2)
    for index, obstacle in enumerate(stage.obstacles):
        shape = obstacle.shape
        if isinstance(shape, Plane):
            gaps = shape.gaps(places)
            free &= (gaps >= own) | ((gaps <= 0.0) & (index not in stage.walls))
        elif isinstance(shape, Bounded):
            low, high = (np.array(corner) for corner in shape.bounds())
            near = np.all((places > low - own) & (places < high + own), axis=1) & free
            for k in np.flatnonzero(near):
                free[k] = shape.clearance(TVector(places[k])) >= own
        else:
            free &= np.abs(shape.gaps(places)) >= own
    return free
