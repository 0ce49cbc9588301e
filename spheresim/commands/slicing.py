"""What slicing time costs and misses, held against the analytic time of impact.

An encounter is the problem that the tutorial's method solves in a step: two balls at the
start of a step, which meet before its end. The same encounter can be had at another relative
speed: the balls then start further apart, and touch at the same time with the same impact
parameter.
"""

from collections.abc import Sequence
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from spheresim.collision.impacts import BALL
from spheresim.collision.sliced_toi import pair_sliced_toi
from spheresim.collision.toi import pair_toi
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import ZERO, TVector
from spheresim.simulation import Simulation

_LONG_ENOUGH = 0.02
"""Seconds to be measured at least; much longer than the clock's resolution."""


class Encounters(NamedTuple):
    """m encounters in steps of the same length.

    step: that length; position, velocity: (m, 3), relative, at the start of the step; reach:
    (m,), r1 + r2; time: (m,), of impact, from the start of the step.
    """

    step: float
    position: Floats
    velocity: Floats
    reach: Floats
    time: Floats

    def at_speed(self, factor: float) -> "Encounters":
        """The same encounters, with the relative speed times `factor`."""
        back = self.velocity * self.time[:, None] * (1.0 - factor)
        return self._replace(position=self.position + back, velocity=self.velocity * factor)


class Comparison(NamedTuple):
    """How sliced times differ from analytic ones, for one number of slices at one speed.

    speed: factor on the relative speed; encounters, missed, missed_share: how many there are
    and how many slicing did not find; mean_error, max_error: analytic − sliced time of those
    it found; mean_looks: slices that were looked at, in the mean.
    """

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

    An impact of a ball that was hit before in the same step is left out: slicing would begin
    at that hit, not at the start of the step.
    """
    radius = simulation.world.radius
    # Note the state at the start of each step, and each first impact of both balls in it.
    found: list[tuple[Floats, Floats, float, float]] = []
    for _ in range(steps):
        start = simulation.time
        end = start + simulation.step
        position, velocity = simulation.position.copy(), simulation.velocity.copy()
        was_hit: set[int] = set()
        for batch in simulation.advance(end):
            for t, kind, i, other in zip(batch.t, batch.kind, batch.i, batch.other, strict=True):
                balls = {i, other} if kind == BALL else {i}
                if kind == BALL and not balls & was_hit:
                    found.append(
                        (
                            position[i] - position[other],
                            velocity[i] - velocity[other],
                            radius[i] + radius[other],
                            t - start,
                        )
                    )
                was_hit |= balls

    # Make columns of the rows.
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


def redirected(velocity: Floats, rng: Generator) -> Floats:
    """Velocities (n, 3) of the same speeds, in directions that are uniform on the sphere."""
    aim = rng.standard_normal(velocity.shape)
    speed = np.linalg.norm(velocity, axis=1) / np.linalg.norm(aim, axis=1)
    return aim * speed[:, np.newaxis]


def nanoseconds(encounters: Encounters, slices: int) -> float:
    """CPU time per time of impact [ns], by so many slices, or by the formula if that is 0."""
    _sum_of_times(encounters, slices, 1)
    rounds, spent = 1, 0.0
    while spent < _LONG_ENOUGH:
        start = process_time()
        _sum_of_times(encounters, slices, rounds)
        spent = process_time() - start
        rounds *= 4
    return spent * 1e9 / (rounds // 4 * len(encounters.reach))


def compare(encounters: Encounters, speed: float, slices: int) -> Comparison:
    """Slice every encounter at a speed, and compare with the analytic times."""
    faster = encounters.at_speed(speed)
    m = len(faster.reach)
    analytic, sliced = np.empty(m), np.empty(m)
    _measure(faster, slices, analytic, sliced)
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


@inlined
def _encounter(encounters: Encounters, k: int) -> tuple[TVector, TVector, float]:
    d, v = vector_at(encounters.position, k), vector_at(encounters.velocity, k)
    return d, v, encounters.reach[k]


@kernel
def _sum_of_times(encounters: Encounters, slices: int, rounds: int) -> float:
    """Compute all times `rounds` times; return the sum, so that the compiler omits nothing."""
    here, total = ZERO, 0.0
    for _ in range(rounds):
        for k in range(encounters.reach.size):
            d, v, s = _encounter(encounters, k)
            if slices == 0:
                total += pair_toi(d, v, s, here, here, 0.0)
            else:
                total += pair_sliced_toi(d, v, s, encounters.step, slices, False)
    return total


@kernel
def _measure(encounters: Encounters, slices: int, analytic: Floats, sliced: Floats) -> None:
    here = ZERO
    for k in range(encounters.reach.size):
        d, v, s = _encounter(encounters, k)
        analytic[k] = pair_toi(d, v, s, here, here, 0.0)
        sliced[k] = pair_sliced_toi(d, v, s, encounters.step, slices, False)
