"""A course that is read from a finished run: its frames are the knots."""

import math
from functools import cached_property
from typing import Any

import numpy as np

from spheresim.analysis.energy import Drift
from spheresim.collision.constants import SLICES
from spheresim.collision.impacts import BALL, KINDS, OBSTACLE, Impacts
from spheresim.collision.response import loss
from spheresim.engines.options import ENGINE_KINDS, TOI_METHODS
from spheresim.numerics.vector import TVector
from spheresim.record.layout import FRAMES, RunError
from spheresim.record.load import Run
from spheresim_viewer.timeline.between import Knot
from spheresim_viewer.timeline.course import Cast, Settings
from spheresim_viewer.timeline.energies import Energies, energies, state_of
from spheresim_viewer.timeline.history import Stretch
from spheresim_viewer.timeline.impact_rows import chosen

_AT_ONCE = 64
"""Frames whose impacts are looked through together."""

_FIGURES = 1000
"""Energies are taken of so many frames, evenly apart."""


class Replay:
    """Knot k is frame k. A run that was interrupted ends with its last whole frame."""

    def __init__(self, run: Run) -> None:
        """Reads all of it; RunError says what is missing or does not fit together."""
        scene = run.scene
        n = len(scene.balls)
        self.cast = Cast.of_scene(scene)
        self.settings = _settings(run.info, TVector(scene.gravity))
        self.world = self.cast.world(self.settings)
        self.engine_step = scene.step
        frames = run.frames[: len(run.frames) // n * n]
        if len(frames) == 0:
            raise RunError(f"{run.directory / FRAMES}: holds no frame of {n} balls")
        if (frames.ball != np.tile(np.arange(n), len(frames) // n)).any():
            raise RunError(f"{run.directory / FRAMES}: is not of the {n} balls of its scene")
        self._times = np.array(frames.t[::n])
        if (np.diff(self._times) <= 0.0).any():
            raise RunError(f"{run.directory / FRAMES}: its times do not go on")
        self._position = np.stack([frames.x, frames.y, frames.z], axis=1).reshape(-1, n, 3)
        self._velocity = np.stack([frames.vx, frames.vy, frames.vz], axis=1).reshape(-1, n, 3)
        self._impacts = _impacts(run, self.cast.obstacle_names, n)
        self._borders = np.searchsorted(self._impacts.t, self._times, side="right")
        self._borders[0] = 0  # what happens at the very start is counted to the first way
        all_written = run.info.get("impacts", 0) <= len(self._impacts.t)
        self._dissipated = _dissipated(self._impacts) if all_written else None
        self.last = len(self._times) - 1
        self.step = float(self._times[1] - self._times[0]) if self.last else scene.frame_every
        # A frame of one step is flown straight; over several, gravity bends it.
        one_step = self.step <= self.engine_step * (1.0 + 1e-6)
        self.falling = not (ENGINE_KINDS[self.settings.engine].has_fixed_step and one_step)

    @property
    def furthest(self) -> int:
        """All of it is there."""
        return self.last

    @cached_property
    def drift(self) -> Drift:
        """Energy and momentum at the start, to hold later ones against."""
        return Drift(self.world, state_of(self.knot(0)))

    @cached_property
    def figures(self) -> list[Energies]:
        """Energies evenly apart."""
        every = max(1, math.ceil(len(self._times) / _FIGURES))
        return [energies(self.world, self.knot(k)) for k in range(0, len(self._times), every)]

    def impacts_till(self, times: Any) -> Any:
        return np.searchsorted(self._impacts.t, times, side="right")

    def time_of(self, k: int) -> float:
        return float(self._times[k])

    def number_at(self, time: float) -> int:
        return max(0, int(np.searchsorted(self._times, time, side="right")) - 1)

    def reach(self, k: int, seconds: float) -> int:
        return min(k, self.last)

    def knot(self, k: int) -> Knot:
        position, velocity = self._position[k], self._velocity[k]
        impacts = int(self._borders[k])
        taken = None if self._dissipated is None else float(self._dissipated[impacts])
        return Knot(k, float(self._times[k]), position, velocity, impacts, None, taken)

    def impacts_in(self, k: int) -> Impacts:
        return self._between(k, k + 1)

    def stretch(self, k: int) -> Stretch:
        last = min(k + _AT_ONCE, self.last)
        return Stretch(k, last, self._between(k, last))

    def stretch_before(self, k: int, seconds: float) -> Stretch:
        first = self.base(k)
        return Stretch(first, k, self._between(first, k))

    def base(self, k: int) -> int:
        return max(0, k - _AT_ONCE)

    def _between(self, first: int, last: int) -> Impacts:
        return chosen(self._impacts, slice(self._borders[first], self._borders[last]))


def _settings(info: dict[str, Any], gravity: TVector) -> Settings:
    """What the run was made with, as far as it is known here."""
    engine, toi, slices = (info.get(name) for name in ("engine", "toi", "slices"))
    return Settings(
        gravity,
        None,
        engine if engine in ENGINE_KINDS else "steps",
        toi if toi in TOI_METHODS else "analytic",
        slices if isinstance(slices, int) and slices > 0 else SLICES,
    )


def _dissipated(impacts: Impacts) -> Any:
    """The energy that impacts took, before any of them and after each, (m + 1,)."""
    taken = loss(impacts.impulse, impacts.vn_before, impacts.vn_after)
    return np.concatenate([[0.0], np.cumsum(np.where(impacts.kind <= OBSTACLE, taken, 0.0))])


def _impacts(run: Run, obstacles: tuple[str, ...], n: int) -> Impacts:
    """The table of a run as one batch; kinds that are not impacts have other numbers."""
    table = run.impacts
    number = {name: k for k, name in enumerate(obstacles)}
    kinds = {name: k for k, name in enumerate(KINDS)}
    kind = np.array([kinds.get(name, len(KINDS)) for name in table.kind.tolist()], dtype=np.int64)
    try:
        hit = [number[name] if name else 0 for name in table.obstacle.tolist()]
    except KeyError as fault:
        raise RunError(f"{run.directory}: its scene has no obstacle {fault}") from None
    other = np.where(kind == BALL, table.j, np.array(hit, dtype=np.int64))
    if len(table) and (table.i.min() < 0 or max(table.i.max(), table.j.max()) >= n):
        raise RunError(f"{run.directory}: its impacts are not of the {n} balls of its scene")
    point, normal = (
        np.stack([table[name] for name in names], axis=1)
        for names in (("x", "y", "z"), ("nx", "ny", "nz"))
    )
    columns = (np.array(table[name]) for name in ("vn_before", "vn_after", "impulse"))
    return Impacts(np.array(table.t), kind, np.array(table.i), other, point, normal, *columns)
