"""The rules of the fixed timestep once more, with nothing left out and nothing saved.

After every impact all pairs and all surfaces are asked anew, by formulas that share
nothing with the package. Slow, and an oracle for it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.model.balls import Ball
from spheresim.model.obstacle import Obstacle
from spheresim.obstacles.plane import Plane

_APPROACH = 1e-12  # relative to distance and speed: slower is taken for a graze


class Event(NamedTuple):
    """In the order of the package: by time, balls before obstacles, by index."""

    time: float
    kind: int
    i: int
    other: int


class BruteForce:
    """Balls and obstacles, to be moved on step by step."""

    def __init__(
        self,
        balls: Sequence[Ball],
        obstacles: Sequence[Obstacle],
        gravity: Any,
        step: float,
        slices: int = 0,
    ) -> None:
        self.position = np.array([ball.position for ball in balls])
        self.velocity = np.array([ball.velocity for ball in balls])
        self.radius = np.array([ball.radius for ball in balls])
        self.mass = np.array([ball.mass for ball in balls])
        self.restitution = np.array([ball.restitution for ball in balls])
        self.obstacles, self.slices = obstacles, slices
        self.gravity, self.step, self.steps = np.array(gravity), step, 0
        self.events: list[Event] = []
        self._pairs = np.triu_indices(len(balls), 1)

    def step_once(self, impacts: int) -> bool:
        """Go one step; False where so many impacts in all are reached before its end."""
        self.velocity += self.gravity * self.step
        now = 0.0
        while len(self.events) < impacts:
            event = min([*self._pair_events(self.step - now), *self._obstacle_events()])
            if event.time > self.step - now:
                self.position += self.velocity * (self.step - now)
                self.steps += 1
                return True
            now += event.time
            self.position += self.velocity * event.time
            self._answer(event)
            self.events.append(event._replace(time=self.steps * self.step + now))
        return False

    def _pair_events(self, rest: float) -> list[Event]:
        i, j = self._pairs
        if len(i) == 0:
            return []
        d, v = self.position[i] - self.position[j], self.velocity[i] - self.velocity[j]
        times = time_to_reach(d, v, self.radius[i] + self.radius[j])
        if self.slices:
            cuts = np.linspace(0.0, rest, self.slices + 1)
            distance = np.linalg.norm(d + v * cuts[:, None, None], axis=2)
            within = distance <= self.radius[i] + self.radius[j]
            # The start of the slice at whose end the centres are within reach.
            cut = cuts[np.maximum(0, np.argmax(within, axis=0) - 1)]
            times = np.where((times < np.inf) & within.any(axis=0), cut, np.inf)
        first = int(np.argmin(times))
        return [Event(float(times[first]), 0, int(i[first]), int(j[first]))]

    def _obstacle_events(self) -> list[Event]:
        found = [Event(np.inf, 1, 0, 0)]
        for k, (shape, *_) in enumerate(self.obstacles):
            time_of = self._plane_times if isinstance(shape, Plane) else self._cylinder_times
            times = time_of(shape)
            i = int(np.argmin(times))
            found.append(Event(float(times[i]), 1, i, k))
        return found

    def _plane_times(self, plane: Any) -> Any:
        gap = (self.position - plane.point) @ np.array(plane.normal)
        approach = -self.velocity @ np.array(plane.normal)
        speed = np.linalg.norm(self.velocity, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            time = np.maximum(0.0, gap - self.radius) / approach
        return np.where((gap > 0) & (approach > _APPROACH * speed), time, np.inf)

    def _cylinder_times(self, cylinder: Any) -> Any:
        axis = np.array(cylinder.axis)
        d, v = (across(x, axis) for x in (self.position - cylinder.point, self.velocity))
        distance = np.linalg.norm(d, axis=1)
        outside = time_to_reach(d, v, cylinder.radius + self.radius)
        inside = time_to_leave(d, v, cylinder.radius - self.radius)
        return np.where(distance >= cylinder.radius, outside, inside)

    def _answer(self, event: Event) -> None:
        _, kind, i, other = event
        if kind == 0:
            normal = _unit(self.position[i] - self.position[other])
            vn = (self.velocity[i] - self.velocity[other]) @ normal
            e = min(self.restitution[i], self.restitution[other])
            impulse = -(1 + e) * vn / (1 / self.mass[i] + 1 / self.mass[other])
            self.velocity[i] += normal * (impulse / self.mass[i])
            self.velocity[other] -= normal * (impulse / self.mass[other])
            return
        shape, restitution, *_ = self.obstacles[other]
        normal = np.array(shape[1])
        if not isinstance(shape, Plane):
            d = across(self.position[i] - shape.point, normal)
            normal = _unit(d) * (1 if np.linalg.norm(d) >= shape.radius else -1)
        e = min(self.restitution[i], restitution)
        self.velocity[i] -= normal * ((1 + e) * (self.velocity[i] @ normal))


def _unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def across(vectors: Any, axis: Any) -> Any:
    """What is left of vectors at right angles to an axis."""
    return vectors - (vectors @ axis)[..., None] * axis


def _quadratic(d: Any, v: Any, s: Any) -> Any:
    """a, b, c and the root of the discriminant (nan if negative) of |d + v·t| = s."""
    distance = np.linalg.norm(d, axis=1)
    a, b, c = (v * v).sum(axis=1), (d * v).sum(axis=1), (distance - s) * (distance + s)
    # The distance at which d + v·t passes by; its square beside s² makes the discriminant.
    passing = np.linalg.norm(np.cross(d, v), axis=1)
    speed = np.sqrt(a)
    with np.errstate(invalid="ignore"):
        root = np.sqrt((s * speed - passing) * (s * speed + passing))
    return a, np.where(np.abs(b) <= _APPROACH * distance * speed, 0.0, b), c, root


def time_to_reach(d: Any, v: Any, s: Any) -> Any:
    _, b, c, root = _quadratic(d, v, s)
    with np.errstate(divide="ignore", invalid="ignore"):
        time = np.where(c <= 0, 0.0, c / (-b + root))
    return np.where((b < 0) & ~np.isnan(time), time, np.inf)


def time_to_leave(d: Any, v: Any, s: Any) -> Any:
    a, b, c, root = _quadratic(d, v, s)
    root = np.where(np.isnan(root), 0.0, root)
    with np.errstate(divide="ignore", invalid="ignore"):
        time = np.where(b > 0, np.where(c >= 0, 0.0, -c / (b + root)), (-b + root) / a)
    return np.where(a > 0, time, np.inf)
