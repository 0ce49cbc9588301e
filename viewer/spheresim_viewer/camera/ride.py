"""Riding on a ball: the camera flies along behind it, and looks where it flies."""

import math
from dataclasses import dataclass, replace

import numpy as np

from spheresim_viewer.camera.pose import Array, Turntable

RIDE_EASING = 0.25  # s, time constant of turning into the direction of flight
RIDE_BEHIND, RIDE_ABOVE = 8.0, 1.6  # radii
RIDE_LOWEST, RIDE_HIGHEST = math.radians(-5.0), math.radians(50.0)  # a horizon stays in sight
AT_REST = 1e-3  # of the highest speed of a ride: of slower balls the direction is ignored
STEEP = 1e-3  # sine of the angle to the vertical below which a flight has no yaw


@dataclass(frozen=True)
class RideState:
    """The direction of flight of the ball that is ridden on, and how the user turned from it.

    fastest: the highest speed of the ball since the ride began, in world units.
    """

    yaw: float = 0.0
    pitch: float = 0.0
    user_turn: tuple[float, float] = (0.0, 0.0)
    fastest: float = 0.0

    def turned_along(self, turntable: Turntable, velocity: Array) -> "RideState":
        """The same with the direction of a flight; a ball at rest keeps the last one."""
        speed = float(np.linalg.norm(velocity))
        ride = replace(self, fastest=max(self.fastest, speed))
        if speed > AT_REST * ride.fastest:
            yaw, pitch, slope = turntable.angles(-velocity / speed)
            pitch = min(max(pitch, RIDE_LOWEST), RIDE_HIGHEST)
            ride = replace(ride, yaw=yaw if slope > STEEP else ride.yaw, pitch=pitch)
        return ride
