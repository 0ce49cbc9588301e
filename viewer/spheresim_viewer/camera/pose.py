"""The pose of a camera: two angles and a distance, and the axes that follow from them."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FIELD_OF_VIEW = math.radians(35.0)  # vertical
HALF = math.tan(FIELD_OF_VIEW / 2.0)  # half the picture's height at distance 1

AZIMUTH, ELEVATION = 32.0, 24.0
"""The usual direction to the eye, in degrees: 0, 0 is the front."""


@dataclass(frozen=True)
class Pose:
    """A view: two angles, a distance, the target relative to what is followed, and where in the
    picture the target is, in normalised device coordinates."""

    yaw: float
    pitch: float
    distance: float
    offset: Array
    shift: Array

    def approached(self, goal: "Pose", turn_left: float, move_left: float) -> "Pose":
        """A pose on the way to a goal, with these parts (1 to 0) of turn and move still to go."""
        return Pose(
            goal.yaw + (self.yaw - goal.yaw) * turn_left,
            goal.pitch + (self.pitch - goal.pitch) * turn_left,
            goal.distance + (self.distance - goal.distance) * move_left,
            goal.offset + (self.offset - goal.offset) * move_left,
            goal.shift + (self.shift - goal.shift) * move_left,
        )


class Turntable:
    """Orbits about an upright axis; front, side and up are right-handed unit vectors.

    The axes of a view follow from its angles directly, so looking straight down is no
    special case.
    """

    def __init__(self, up: Array) -> None:
        """front is z made level, or −y if up is along z."""
        front = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 0.9 else np.array([0.0, -1.0, 0.0])
        front = front - np.dot(front, up) * up
        self.front = front / np.linalg.norm(front)
        self.side = np.cross(up, self.front)
        self.up = up

    def axes(self, pose: Pose) -> tuple[Array, Array, Array]:
        """Right, upward and the direction to the eye: the rows of a rotation."""
        sin_yaw, cos_yaw = math.sin(pose.yaw), math.cos(pose.yaw)
        sin_pitch, cos_pitch = math.sin(pose.pitch), math.cos(pose.pitch)
        outward = cos_yaw * self.front + sin_yaw * self.side
        return (
            cos_yaw * self.side - sin_yaw * self.front,
            cos_pitch * self.up - sin_pitch * outward,
            cos_pitch * outward + sin_pitch * self.up,
        )

    def pose(self, eye: Array, target: Array, shift: Array) -> Pose:
        """The pose in which the eye at one point looks at another, shown at a place."""
        away = eye - target
        distance = float(np.linalg.norm(away))
        yaw, pitch, _ = self.angles(away / distance)
        return Pose(yaw, pitch, distance, target, shift)

    def angles(self, direction: Array) -> tuple[float, float, float]:
        """Yaw and pitch of a unit vector, and the sine of its angle to the vertical."""
        x, y, z = (float(np.dot(direction, axis)) for axis in (self.front, self.side, self.up))
        level = math.hypot(x, y)
        return math.atan2(y, x), math.atan2(z, level), level


def shorter(angle: float) -> float:
    """The same turn the shorter way round, from −π to π."""
    return math.remainder(angle, 2.0 * math.pi)


def to_pitch(angle: float) -> float:
    """An angle limited to straight down … straight up."""
    return min(max(angle, -math.pi / 2.0), math.pi / 2.0)
