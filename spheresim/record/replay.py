"""The state of a run at any time, from its frames and what happened between them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spheresim.collision.flights import Flights
from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.engines.options import ENGINE_KINDS
from spheresim.engines.rest import can_sleep
from spheresim.model.state import State, build
from spheresim.numerics.arguments import number
from spheresim.record.flight import Clock, fly
from spheresim.record.layout import FRAMES, RunError
from spheresim.record.replayed import Replayed
from spheresim.record.smoothing import distances, make_up, still
from spheresim.record.told_flights import ToldFlights
from spheresim.scene import Scene

_AGREES = 1e-11
"""A flight that ends this near to the next frame, relative to the largest coordinate, is right."""


@dataclass
class _Stretch:
    """What lies between two frames, where flights are smoothed.

    fixed: (n,), balls that do not move; missed: by how much flights miss positions and velocities
    of the next frame, (n, 3) each, which is made up for on the way; balls: those that miss it.
    """

    fixed: Any
    missed: tuple[Any, Any]
    balls: list[int]


class Replay:
    """A run as a trajectory: its frames, and the ways of its balls between them.

    Balls fly from impact to impact, and what something holds or pushes goes as the run's own
    flights tell. The fixed step tells none, nor does a run that has lost them: where flights miss
    the next frame, it is made up for smoothly on the way, which is only near. `smoothed` counts the
    stretches between frames where it is so, and `made_up` is the most that was made up for
    [length]. times: of the frames; rows: the impacts, as `Impacts`.
    """

    def __init__(
        self,
        scene: Scene,
        frames: Any,
        rows: Impacts,
        flights: Flights,
        duration: float,
        where: object,
    ):
        """frames: the run's table; rows: its impacts; flights: those of which they do not tell;
        duration: of the run; where: for RunError."""
        n = len(scene.balls)
        self._n, self._frames = n, frames[: len(frames) // n * n]
        self.times = np.array(self._frames.t[::n])
        if len(self.times) == 0:
            raise RunError(f"{where}: holds no frame of {n} balls")
        if (np.diff(self.times) <= 0.0).any():
            raise RunError(f"{where}: the times of its frames do not go on")
        self.rows, self._where = rows, where
        self._world, start = build(
            scene.balls, scene.obstacles, scene.gravity, scene.box, scene.rest
        )
        self.told = ToldFlights(flights, self._world, State(*map(np.copy, start)))
        self._borders = np.searchsorted(self.rows.t, self.times, side="right")
        self._borders[0] = 0  # impacts at time 0 belong to the first stretch
        is_stepped = ENGINE_KINDS[scene.engine].has_fixed_step
        self._clock = Clock(scene.step if is_stepped else 0.0, duration)
        is_told = bool(len(flights.names)) or not (rows.kind > OBSTACLE).any()
        self.is_smoothed = can_sleep(self._world) if is_stepped else not is_told
        self._size = 1.0
        self._stretches: dict[int, _Stretch] = {}
        self.smoothed, self.made_up = 0, 0.0

    def at(self, time: float) -> Replayed:
        """The state at a time; ValueError before the first or after the last frame."""
        time = number(time, "t")
        if not self.times[0] <= time <= self.times[-1]:
            raise ValueError(
                f"t must be from {self.times[0]!r} to {self.times[-1]!r}, the times of the first "
                f"and the last frame, not {time!r}"
            )
        k = int(np.searchsorted(self.times, time, side="right")) - 1
        here = self._frame(k)
        if time == self.times[k]:
            return here
        found = Replayed(here.position.copy(), here.velocity.copy())
        if not self.is_smoothed:
            self.fly_on(k, time, found)
            return found
        stretch = self._stretch(k)
        self._fly(k, time, found, np.full(self._n, self.times[k]), self._none(), stretch.fixed)
        start, span = float(self.times[k]), float(self.times[k + 1] - self.times[k])
        make_up(*found, stretch.missed, (time - start) / span, span)
        return found

    def fly_on(self, k: int, time: float, state: Replayed) -> Any:
        """Take balls from where they are at frame k, which is overwritten, to a time before the
        next; by the run's flights where it tells them. Which are held then: (n,) bool."""
        start = float(self.times[k])
        last, held = self.told.all_last(time), np.zeros(self._n, dtype=np.bool_)
        since, first = np.full(self._n, start), self._none()
        flights = self.told.flights
        for i in np.flatnonzero(last >= 0).tolist():
            row = int(last[i])
            if flights.names[row, 2]:
                held[i] = True
                state.position[i], state.velocity[i] = self.told.at(row, time)
            elif flights.t[row] > start:
                since[i], first[i] = flights.t[row], flights.after[row] - self._borders[k]
                state.position[i] = flights.numbers[row, 1:4]
                state.velocity[i] = flights.numbers[row, 4:7]
        self._fly(k, time, state, since, first, held)
        return held

    def slipped(self, k: int) -> list[int]:
        """The balls that miss frame k + 1, where flights are smoothed."""
        return self._stretch(k).balls

    def still(self, k: int) -> Any:
        """Which balls do not move between frame k and the next, where flights are smoothed."""
        return self._stretch(k).fixed

    def _none(self) -> Any:
        return np.zeros(self._n, dtype=np.int64)

    def _frame(self, k: int) -> Replayed:
        rows = self._frames[k * self._n : (k + 1) * self._n]
        if (rows.ball != np.arange(self._n)).any():
            raise RunError(f"{self._where}: {FRAMES} is not of the {self._n} balls of its scene")
        return Replayed(
            np.stack([rows.x, rows.y, rows.z], axis=1),
            np.stack([rows.vx, rows.vy, rows.vz], axis=1),
        )

    def _fly(
        self, k: int, time: float, state: Replayed, since: Any, first: Any, skipped: Any
    ) -> None:
        """See `fly`; first: counted from the first row after frame k."""
        part = slice(self._borders[k], self._borders[k + 1])
        fly(
            *(self.rows.names[part], self.rows.numbers[part], time, *state, since, first),
            *(skipped, self._world.mass, self._world.gravity, self._clock),
        )

    def _stretch(self, k: int) -> _Stretch:
        """What lies between frame k and the next; the last one that was asked for is kept."""
        if k not in self._stretches:
            self._stretches = {k: self._made(k)}
        return self._stretches[k]

    def _made(self, k: int) -> _Stretch:
        """Find by how much flights miss the next frame; what lies still does not fly."""
        here, there, end = self._frame(k), self._frame(k + 1), float(self.times[k + 1])
        fixed = still(here, there)
        self._fly(k, end, here, np.full(self._n, self.times[k]), self._none(), fixed)
        self._size = max(self._size, float(np.abs(there.position).max()))
        missed = distances(here, there)
        is_off = missed > _AGREES * self._size
        self.smoothed += int(is_off.any())
        self.made_up = max(self.made_up, float(missed[is_off].max(initial=0.0)))
        rest = [(there[m] - here[m]) * is_off[:, None] for m in range(2)]
        return _Stretch(fixed, (rest[0], rest[1]), np.flatnonzero(is_off).tolist())
