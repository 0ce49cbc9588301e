"""The rules of a periodic world once more: every image of every ball and obstacle is asked."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from brute_force import BruteForce, Event, across, time_to_leave, time_to_reach

from spheresim import Ball, Obstacle


class PeriodicBruteForce(BruteForce):
    """Balls and obstacles in a world that repeats itself, without gravity.

    Steps are so short that no ball goes further than a quarter of a period in one: then the
    nearest image and those beside it are all that can be met.
    """

    def __init__(self, balls: Sequence[Ball], obstacles: Sequence[Obstacle], period: Any) -> None:
        mass = np.array([ball.mass for ball in balls])
        speed = np.array([np.linalg.norm(ball.velocity) for ball in balls])
        fastest = np.sqrt((mass * speed**2).sum() / mass.min())
        step = 0.25 * period[period > 0.0].min() / fastest
        super().__init__(balls, obstacles, (0.0, 0.0, 0.0), step)
        self._period = np.array(period)
        beside = [(-1.0, 0.0, 1.0) if side else (0.0,) for side in period]
        self._shifts = np.array(list(product(*beside))) * self._period

    def _images(self, d: Any) -> Any:
        """The nearest image of each difference, and those beside it: (shifts, n, 3)."""
        turns = np.divide(d, self._period, out=np.zeros_like(d), where=self._period > 0.0)
        return d - self._period * np.rint(turns) + self._shifts[:, None, :]

    def _pair_events(self, rest: float) -> list[Event]:
        i, j = self._pairs
        if len(i) == 0:
            return []
        d = self._images(self.position[i] - self.position[j])
        v = np.broadcast_to(self.velocity[i] - self.velocity[j], d.shape)
        s = np.broadcast_to(self.radius[i] + self.radius[j], d.shape[:2])
        times = time_to_reach(d.reshape(-1, 3), v.reshape(-1, 3), s.ravel())
        first = int(np.argmin(times))
        pair = first % len(i)
        return [Event(float(times[first]), 0, int(i[pair]), int(j[pair]))]

    def _cylinder_times(self, cylinder: Any) -> Any:
        axis = np.array(cylinder.axis)
        d = across(self._images(self.position - np.array(cylinder.point)), axis)
        v = np.broadcast_to(across(self.velocity, axis), d.shape).reshape(-1, 3)
        flat = d.reshape(-1, 3)
        radius = np.broadcast_to(self.radius, d.shape[:2]).ravel()
        outside = time_to_reach(flat, v, cylinder.radius + radius)
        inside = time_to_leave(flat, v, cylinder.radius - radius)
        times = np.where(np.linalg.norm(flat, axis=1) >= cylinder.radius, outside, inside)
        return times.reshape(d.shape[:2]).min(axis=0)

    def _answer(self, event: Event) -> None:
        """Where the partner is not at home, answer its image: the one nearest at the impact."""
        _, kind, i, other = event
        home = self.position[i].copy()
        if kind == 0:
            d = self.position[i] - self.position[other]
            images = self._images(d[None, :])[:, 0]
            self.position[i] = self.position[other] + images[np.argmin((images**2).sum(axis=1))]
        elif hasattr(self.obstacles[other].shape, "radius"):
            shape = self.obstacles[other].shape
            images = self._images(home - np.array(shape.point)[None, :])[:, 0]
            distance = np.linalg.norm(across(images, np.array(shape.axis)), axis=1)
            touch = np.minimum(
                abs(distance - shape.radius - self.radius[i]),
                abs(distance - shape.radius + self.radius[i]),
            )
            self.position[i] = np.array(shape.point) + images[np.argmin(touch)]
        super()._answer(event)
        self.position[i] = home
