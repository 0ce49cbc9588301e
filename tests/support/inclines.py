"""One ball on one inclined plane, and where it must be at any time.

There is no friction. So along the plane a ball moves as if it never left it, whatever its bounces:
s = u t + ½ g sin θ t², and what is across the slope goes on evenly. Away from the plane it bounces
under g cos θ: from a height h for the first time at t₁ = √(2 h / g cos θ), at v₁ = g cos θ t₁. Its
flights then last 2 v₁ e / (g cos θ), and e times the one before each: their sum is a geometric
series, and ends at t₁ (1 + e) / (1 − e).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim import Ball, Obstacle, Plane, Simulation


class Incline(NamedTuple):
    """A slope, and how a ball starts on it.

    The angle is in degrees, gravity in lengths over the square of a time. `height` is the gap
    under the ball at the start, in radii; `down` and `across` are its speeds along the plane, in
    those of a fall over its radius.
    """

    angle: float
    restitution: float
    radius: float = 1.0
    gravity: float = 9.81
    height: float = 0.0
    down: float = 0.0
    across: float = 0.0

    @property
    def unit(self) -> float:
        """The time in which a ball falls half of its radius."""
        return math.sqrt(self.radius / self.gravity)

    @property
    def normal(self) -> Any:
        """Of the plane; the slope goes down along x."""
        theta = math.radians(self.angle)
        return np.array((math.sin(theta), math.cos(theta), 0.0))

    @property
    def downhill(self) -> Any:
        """The unit vector down the slope."""
        theta = math.radians(self.angle)
        return np.array((math.cos(theta), -math.sin(theta), 0.0))

    @property
    def start(self) -> Any:
        """Where the centre starts."""
        return self.radius * (1.0 + self.height) * self.normal

    @property
    def velocity(self) -> Any:
        """With which the ball starts: along the plane."""
        speed = self.radius / self.unit
        return speed * (self.down * self.downhill + self.across * np.array((0.0, 0.0, 1.0)))

    @property
    def end_of_bounces(self) -> float:
        """When the sum of infinitely many bounces ends."""
        return self.bounces_from(self.height)

    def bounces_from(self, height: float) -> float:
        """How long it falls from a height, in radii, and bounces after that."""
        falling = self.gravity * math.cos(math.radians(self.angle))
        first = math.sqrt(2.0 * height * self.radius / falling)
        return first * (1.0 + self.restitution) / (1.0 - self.restitution)

    def simulation(self, engine: str, step: float = 0.01) -> Simulation:
        """The ball on its slope."""
        slope = Obstacle(Plane((0, 0, 0), self.normal), self.restitution)
        ball = Ball(self.start, self.velocity, self.radius)
        gravity = (0.0, -self.gravity, 0.0)
        return Simulation([ball], [slope], gravity, step, engine)

    def along(self, time: float) -> tuple[float, float]:
        """How far it has come downhill and across at a time, as an exact engine has it."""
        down, across = self.velocity @ self.downhill, self.velocity[2]
        fall = 0.5 * self.gravity * math.sin(math.radians(self.angle)) * time**2
        return float(down) * time + fall, float(across) * time

    def along_in_steps(self, steps: int, step: float) -> tuple[float, float]:
        """The same after so many steps that begin with a kick: Euler's sum instead of ½ t²."""
        down, across = self.velocity @ self.downhill, self.velocity[2]
        kick = self.gravity * math.sin(math.radians(self.angle)) * step
        time, kicks = steps * step, 0.5 * steps * (steps + 1)
        return float(down) * time + kick * step * kicks, float(across) * time
