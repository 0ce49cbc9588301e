"""What slicing time costs and misses, held against the analytic time of impact.

An encounter is what a step of the tutorial's method is given: two balls, from the start
of a step, that meet inside it. The same encounters can be met at another speed: the
balls then start further apart, and touch at the same time and with the same miss distance.
"""

from collections.abc import Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from spheresim.collision.impacts import BALL
from spheresim.collision.toi import pair_sliced_toi, pair_toi
from spheresim.compiler.decorators import kernel
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.simulation import Simulation

_LONG_ENOUGH = 0.02
"""Seconds, beside which the clock's own step is short."""


class Encounters(NamedTuple):
    """m encounters in steps of the length `step`: relative position and velocity at the
    step's start, (m, 3) each; s = r1 + r2, (m,); time of impact in the step, (m,)."""

    step: float
    position: Any
    velocity: Any
    reach: Any
    time: Any

    def at_speed(self, factor: float) -> "Encounters":
        """The same encounters, with the relative speed times `factor`."""
        back = self.velocity * self.time[:, None] * (1.0 - factor)
        return self._replace(position=self.position + back, velocity=self.velocity * factor)


class Comparison(NamedTuple):
    """Of one number of slices at one speed: encounters, missed ones and their share; error
    (analytic minus sliced time), mean and largest; slices looked at, in the mean."""

    speed: float
    slices: int
    encounters: int
    missed: int
    missed_share: float
    mean_error: float
    max_error: float
    mean_looks: float


def collect(simulation: Simulation, steps: int) -> Encounters:
    """The encounters of a run of so many steps.

    An impact whose balls were hit before in the same step is left out: its slices would
    begin at that hit, not at the step's start.
    """
    radius = simulation.world.radius
    found: list[tuple[Any, Any, float, float]] = []
    for _ in range(steps):
        start, position = simulation.time, simulation.position.copy()
        end = start + simulation.step
        was_hit: set[int] = set()
        kicked = simulation.velocity.copy()
        for batch in simulation.advance(end):
            for t, kind, i, other in zip(batch.t, batch.kind, batch.i, batch.other, strict=True):
                balls = {i, other} if kind == BALL else {i}
                if kind == BALL and not balls & was_hit:
                    found.append(
                        (
                            position[i] - position[other],
                            kicked[i] - kicked[other],
                            radius[i] + radius[other],
                            t - start,
                        )
                    )
                was_hit |= balls
    position, velocity, reach, time = (
        np.array([row[k] for row in found], dtype=float) for k in range(4)
    )
    return Encounters(
        simulation.step, position.reshape(-1, 3), velocity.reshape(-1, 3), reach, time
    )


def joined(parts: Sequence[Encounters]) -> Encounters:
    """Encounters in steps of the same length, as one."""
    columns = zip(*(part[1:] for part in parts), strict=True)
    return Encounters(parts[0].step, *map(np.concatenate, columns))


def turned(velocity: Any, rng: Generator) -> Any:
    """Velocities (n, 3) as fast as before, each in a direction of its own, all alike probable."""
    aim = rng.standard_normal(velocity.shape)
    speed = np.linalg.norm(velocity, axis=1) / np.linalg.norm(aim, axis=1)
    return aim * speed[:, np.newaxis]


def nanoseconds(encounters: Encounters, slices: int) -> float:
    """CPU time of one time of impact, in the mean: by so many slices, or by the formula (0)."""
    arrays = encounters.position, encounters.velocity, encounters.reach
    _answer(*arrays, encounters.step, slices, 1)
    rounds, spent = 1, 0.0
    while spent < _LONG_ENOUGH:
        start = process_time()
        _answer(*arrays, encounters.step, slices, rounds)
        spent = process_time() - start
        rounds *= 4
    return spent * 1e9 / (rounds // 4 * len(encounters.reach))


def compare(encounters: Encounters, speed: float, slices: int) -> Comparison:
    """Slice every encounter at a speed, and hold the answers against the analytic ones."""
    faster = encounters.at_speed(speed)
    m = len(faster.reach)
    analytic, sliced = np.empty(m), np.empty(m)
    _measure(faster.position, faster.velocity, faster.reach, faster.step, slices, analytic, sliced)
    seen = np.isfinite(sliced)
    error = (analytic - sliced)[seen]
    looks = np.where(seen, np.rint(np.where(seen, sliced, 0.0) * slices / faster.step) + 1, slices)
    return Comparison(
        speed=speed,
        slices=slices,
        encounters=m,
        missed=int(m - seen.sum()),
        missed_share=float(1.0 - seen.mean()),
        mean_error=float(error.mean()) if len(error) else 0.0,
        max_error=float(error.max()) if len(error) else 0.0,
        mean_looks=float(looks.mean()),
    )


@kernel
def _answer(
    position: Any, velocity: Any, reach: Any, step: float, slices: int, rounds: int
) -> float:
    """Ask for all times again and again; their sum, so that none is left out."""
    here, total = TVector(0.0, 0.0, 0.0), 0.0
    for _ in range(rounds):
        for k in range(reach.size):
            d, v, s = vector_at(position, k), vector_at(velocity, k), reach[k]
            if slices == 0:
                total += pair_toi(d, v, s, here, here, 0.0)
            else:
                total += pair_sliced_toi(d, v, s, step, slices, False)
    return total


@kernel
def _measure(
    position: Any, velocity: Any, reach: Any, step: float, slices: int, analytic: Any, sliced: Any
) -> None:
    here = TVector(0.0, 0.0, 0.0)
    for k in range(reach.size):
        d, v, s = vector_at(position, k), vector_at(velocity, k), reach[k]
        analytic[k] = pair_toi(d, v, s, here, here, 0.0)
        sliced[k] = pair_sliced_toi(d, v, s, step, slices, False)
