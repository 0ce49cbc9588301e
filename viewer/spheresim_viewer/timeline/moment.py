"""What there is to see at a time."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.engines.options import is_stepped
from spheresim.model.state import World
from spheresim.scene import Scene
from spheresim_viewer.timeline.between import Knot, between
from spheresim_viewer.timeline.course import Course
from spheresim_viewer.timeline.energies import energies, state_of


@dataclass(frozen=True)
class Moment:
    """A time of a course: position, velocity (n, 3), not to be written into; impacts so far.

    The energies are those of the last knot, so that they are those of the engine's states.
    """

    time: float
    position: Any
    velocity: Any
    impacts: int
    knot: Knot
    course: Course

    @property
    def world(self) -> World:
        """Radii, masses, obstacles and all else that does not move."""
        return self.course.world

    @property
    def names(self) -> tuple[str, ...]:
        """The balls' names."""
        return self.course.cast.names

    @property
    def colors(self) -> tuple[str | None, ...]:
        """The balls' colors, "#rrggbb" or None."""
        return self.course.cast.colors

    @property
    def obstacle_names(self) -> tuple[str, ...]:
        """In the order of the obstacles' indices."""
        return self.course.cast.obstacle_names

    @property
    def scene(self) -> Scene | None:
        """The scene that it began with."""
        return self.course.cast.scene

    @cached_property
    def _energies(self) -> Any:
        return energies(self.world, self.knot)

    @property
    def kinetic(self) -> float:
        """½ Σ m v² at the last knot."""
        return float(self._energies.kinetic)

    @property
    def potential(self) -> float:
        """−Σ m g·x at the last knot."""
        return float(self._energies.potential)

    @cached_property
    def energy_rows(self) -> list[tuple[str, str]]:
        """Where energy went since the course began, in the words of `spheresim run`."""
        account = self.course.drift.account(state_of(self.knot), self.knot.dissipated)
        stepped = is_stepped(self.course.settings.engine, self.world.gravity)
        return account.rows("energy now", stepped)


def moment_at(course: Course, time: float) -> Moment:
    """A time that is in reach."""
    number = course.number_at(time)
    start = course.knot(number)
    if start.time == time or number >= course.last:
        return Moment(time, start.position, start.velocity, start.impacts, start, course)
    end, impacts = course.knot(number + 1), course.impacts_in(number)
    position, velocity = between(time, start, end, impacts, course.world, course.falling)
    real = (impacts.kind == BALL) | (impacts.kind == OBSTACLE)
    count = start.impacts + int(np.count_nonzero(real & (impacts.t <= time)))
    return Moment(time, position, velocity, count, start, course)
