"""A playback that is read from a finished run: its frames are the keyframes."""

import math
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from spheresim.analysis.drift import Drift
from spheresim.collision.constants import SLICES
from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.collision.response import loss
from spheresim.engines.catalogue import ENGINE_KINDS, TOI_METHODS
from spheresim.model.frame_arrays import frame_arrays
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.moving_walls import wall_records
from spheresim.obstacles.driven_walls.replay import records_after
from spheresim.record.chords import along, chords
from spheresim.record.files_and_columns import RunError
from spheresim.record.load import Run
from spheresim.record.replayed import Replayed
from spheresim_viewer.timeline.energies import Energies, energies, state_of
from spheresim_viewer.timeline.history import ImpactBatch
from spheresim_viewer.timeline.interpolation import Keyframe
from spheresim_viewer.timeline.orientation import Turning, turned, unturned
from spheresim_viewer.timeline.population import Population, Settings
from spheresim_viewer.timeline.rest import RestRows

_AT_ONCE = 64
"""Frames whose impacts are handed out in one batch."""

_FIGURES = 1000
"""The most frames of which energies are computed, evenly spaced."""


class Replay:
    """Keyframe k is frame k. A run that was interrupted ends with its last complete frame."""

    def __init__(self, run: Run) -> None:
        """Read a whole run. Raises RunError if parts are missing or contradict each other."""
        # Balls, obstacles, settings
        self._run = run
        scene = run.scene
        n = len(scene.balls)
        self.population = Population.of_scene(scene)
        self.settings = _settings(run.info, TVector(scene.gravity))
        self.world = self.population.world(self.settings)
        self.engine_step = scene.step
        self._times, self._position, self._velocity, self._turning = frame_arrays(
            run.whole_frames, n
        )
        self._orientations = [unturned(n)]
        # Impacts: how many there are until each frame, and the energy that they took
        self._impacts = run.rows
        self._borders = np.searchsorted(self._impacts.t, self._times, side="right")
        self._borders[0] = 0  # impacts at time 0 belong to the first interval
        real = self._impacts.kind <= OBSTACLE
        self._impact_times = self._impacts.t[real]
        self._counted = np.concatenate([[0], np.cumsum(real)])
        self._rest = RestRows(self._impacts, n)
        all_written = (run.info.get("impacts") or 0) <= self._counted[-1]
        self.has_all_impacts = bool(all_written and run.info.get("events") != "none")
        # What surfaces take along them is not written, nor what obstacles and heat baths give.
        is_known = all_written and (not scene.has_spin or self.world.is_lossless)
        self._given = None if self.world.has_walls or scene.thermostat is not None else 0.0
        self._dissipated = _dissipated(self._impacts) if is_known else None
        # Flight between frames
        self.last = len(self._times) - 1
        self.step = float(self._times[1] - self._times[0]) if self.last else scene.frame_every
        self.falling = not ENGINE_KINDS[self.settings.engine].has_fixed_step
        self._is_replayable = self._can_replay()

    def _can_replay(self) -> bool:
        """Whether impacts were written; if so `Run.at` is compiled before a window needs it."""
        try:
            self._run.at(self._times[0] + 0.5 * self.step * (self.last > 0))
        except RunError:
            return False
        return True

    @cached_property
    def _walls(self) -> list[Records]:
        """The records of obstacles that move, at each frame; none if nothing does."""
        walls, rows = self.world.walls, self._impacts
        if not self.world.has_walls:
            return []
        found = [wall_records(walls)]
        for first, last in pairwise([0, *self._borders.tolist()]):
            part = slice(first, last)
            of_obstacle = np.where(rows.kind[part] == OBSTACLE, rows.other[part], -1)
            more = rows.t[part], of_obstacle, rows.impulse[part]
            found.append(records_after(walls, found[-1], *more))
        return found[1:]

    @property
    def furthest(self) -> int:
        """The last frame: all are there from the start."""
        return self.last

    @cached_property
    def drift(self) -> Drift:
        """Energy and momentum at the start, with which later ones are compared."""
        return Drift(self.world, state_of(self.keyframe(0)), self.population.field)

    @cached_property
    def figures(self) -> list[Energies]:
        """Energies of evenly spaced frames."""
        every = max(1, math.ceil(len(self._times) / _FIGURES))
        times, field = range(0, len(self._times), every), self.population.field
        return [energies(self.world, self.keyframe(k), field) for k in times]

    def impacts_until(self, times: Floats) -> Integers:
        return np.searchsorted(self._impact_times, times, side="right")

    def time_of(self, k: int) -> float:
        return float(self._times[k])

    def number_at(self, time: float) -> int:
        return max(0, int(np.searchsorted(self._times, time, side="right")) - 1)

    def reach(self, k: int, seconds: float) -> int:
        return min(k, self.last)

    def keyframe(self, k: int) -> Keyframe:
        position, velocity = self._position[k], self._velocity[k]
        rows, time = self._borders[k], float(self._times[k])
        taken = None if self._dissipated is None else float(self._dissipated[rows])
        states = self._rest.states(time, velocity)
        turning = None if self._turning is None else self._turning[k]
        count, way = int(self._counted[rows]), self._orientation_at(k)
        walls = self._walls[k] if self._walls else None
        return Keyframe(
            *(k, time, position, velocity, count, None, taken, states, turning, way, walls),
            self._given,
        )

    def _orientation_at(self, k: int) -> Floats | None:
        """How balls are turned at frame k, from those at the frames before, which are kept."""
        if self._turning is None:
            return None
        while len(self._orientations) <= k:
            j = len(self._orientations) - 1
            start = Turning(self._orientations[j], self._turning[j], self.time_of(j))
            rows = self._between(j, j + 1)
            self._orientations.append(turned(start, self.time_of(j + 1), rows, self.world))
        return self._orientations[k]

    def between(self, k: int, time: float) -> tuple[Floats, Floats]:
        """States between frames k and k + 1; without impacts, along the straight lines."""
        if self._is_replayable:
            state = self._run.at(time)
        elif k == self.last:
            state = self._frame(k)
        else:
            span = np.full(self._position.shape[1], self._times[k + 1] - self._times[k])
            lines = chords(self._frame(k), self._frame(k + 1), span)
            state = along(lines, np.full(len(span), time - self._times[k]))
        return state.position, state.velocity

    def _frame(self, k: int) -> Replayed:
        return Replayed(self._position[k], self._velocity[k])

    def impacts_in(self, k: int) -> Impacts:
        return self._between(k, k + 1)

    def batch_from(self, k: int) -> ImpactBatch:
        last = min(k + _AT_ONCE, self.last)
        return ImpactBatch(k, last, self._between(k, last))

    def batch_before(self, k: int, seconds: float) -> ImpactBatch:
        first = self.base(k)
        return ImpactBatch(first, k, self._between(first, k))

    def base(self, k: int) -> int:
        return max(0, k - _AT_ONCE)

    def _between(self, first: int, last: int) -> Impacts:
        return self._impacts.taken(slice(self._borders[first], self._borders[last]))


def _settings(info: dict[str, Any], gravity: TVector) -> Settings:
    """The settings of a run, from run.json; the defaults where a value is unknown."""
    engine, toi, slices = (info.get(name) for name in ("engine", "toi", "slices"))
    return Settings(
        gravity,
        None,
        engine if engine in ENGINE_KINDS else "steps",
        toi if toi in TOI_METHODS else "analytic",
        slices if isinstance(slices, int) and slices > 0 else SLICES,
    )


def _dissipated(impacts: Impacts) -> Floats:
    """The energy taken so far, before the first impact and after each: shape (m + 1,)."""
    taken = loss(impacts.impulse, impacts.vn_before, impacts.vn_after)
    return np.concatenate([[0.0], np.cumsum(np.where(impacts.kind <= OBSTACLE, taken, 0.0))])
