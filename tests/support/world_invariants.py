"""What holds in every world, whatever happens in it: run it, and say what was broken first."""

import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from gravity_worlds import gravity_world
from surfaces import pair_gaps, signed_distance

from spheresim import Plane, Simulation

ROUNDING = 1e-9
"""Of a radius, that surfaces may overlap; of all energy at hand, that it may rise."""

DIP = 1e-5
"""The same without gravity: what a wall that bends presses together goes by chords, on which energy
first falls and then rises again."""

CLEARANCE_RISE = 1e-5
"""The same of large heaps that move: within a step a pile rises by a sixteenth of its clearance,
which is at most 1e-4 radii, and falls back."""

IMPACTS_A_BALL = 3000
"""That may happen before it is at rest, …"""

IMPACTS_A_UNIT = 1000
"""… and so many more a ball in each unit of time, see `time_unit`. A ball that hops a millionth of
its radius high does so 354 times."""

ELASTIC_HOPS = 100
"""So many times as much may happen where a ball and an obstacle lose nothing: it goes on hopping as
it began, a ten-billionth of its radius high."""

_A_PART = 200
"""So many worlds a process takes at once."""


class Broken(NamedTuple):
    """What was broken, in one word, when, and the figures."""

    kind: str
    time: float
    figures: str


def time_unit(simulation: Simulation) -> float:
    """How long the smallest ball falls over its radius; without gravity, flies over it."""
    radius = float(simulation.world.radius.min())
    gravity = simulation.world.gravity.mag()
    if gravity > 0.0:
        return float(np.sqrt(radius / gravity))
    speed = float(np.linalg.norm(simulation.velocity, axis=1).max())
    return radius / speed if speed > 0.0 else 1.0


def duration(simulation: Simulation, units: float = 300.0, most: float = 60.0) -> float:
    """A time in which balls fall, bounce, and have come to rest where they can."""
    return min(units * time_unit(simulation), most)


def first_broken(
    world: dict[str, Any], engine: str = "events", frames: int = 40, rise: float = ROUNDING
) -> Broken | None:
    """Run what `gravity_world` gave through an engine, and look at it after each frame.

    rise: of all energy at hand, what it may rise under gravity.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation = Simulation(**world, engine=engine)
    simulation.log_impacts(False)
    simulation.compile()
    watch = _Watch(simulation, world, rise)
    end = duration(simulation)
    for frame in range(1, frames + 1):
        broken = watch.go_on(end * frame / frames)
        if broken is not None:
            return broken
    return None


def overlap_in(simulation: Simulation, distances: Iterable[Any]) -> Broken | None:
    """A number that is not finite, or an overlap.

    distances: of the balls' centres from each obstacle, (n,) each, negative on the wrong side.
    """
    position, radius, time = simulation.position, simulation.world.radius, simulation.time
    if not (np.isfinite(position).all() and np.isfinite(simulation.velocity).all()):
        return Broken("nan", time, "not finite")
    pairs = pair_gaps(position, radius)
    if pairs.min(initial=0.0) < -ROUNDING * radius.min():
        return Broken("pair", time, f"overlap by {-pairs.min() / radius.min():.3g} radii")
    for k, distance in enumerate(distances):
        gaps = (distance - radius) / radius
        if gaps.min() < -ROUNDING:
            figures = f"ball {gaps.argmin()} in {k} by {-gaps.min():.3g} radii"
            return Broken("obstacle", time, figures)
    return None


def broken_among(
    seeds: Iterable[int],
    engine: str = "events",
    world: Callable[[int], Any] = gravity_world,
    run: Callable[[Any, str], Broken | None] = first_broken,
) -> dict[int, Broken]:
    """What was broken, by the seeds of the worlds in which something was."""
    found = {seed: run(world(seed), engine) for seed in seeds}
    return {seed: broken for seed, broken in found.items() if broken is not None}


def broken_among_many(
    seeds: range, engine: str = "events", world: Callable[[int], Any] = gravity_world
) -> dict[int, Broken]:
    """The same, in parallel processes; in order of the seeds."""
    parts = [seeds[k : k + _A_PART] for k in range(0, len(seeds), _A_PART)]
    broken: dict[int, Broken] = {}
    with ProcessPoolExecutor() as pool:
        for found in pool.map(broken_among, parts, repeat(engine), repeat(world)):
            broken |= found
    return broken


class _Watch:
    """A simulation, and what was known of it a frame ago."""

    def __init__(self, simulation: Simulation, world: dict[str, Any], rise: float) -> None:
        self.simulation, self.rise = simulation, rise
        self.shapes = [obstacle.shape for obstacle in world["obstacles"]]
        self.sides = [self._side(shape) for shape in self.shapes]
        self.unit = time_unit(simulation)
        most = max(ball.restitution for ball in world["balls"])
        hops_on = most == max(obstacle.restitution for obstacle in world["obstacles"]) == 1.0
        self.impacts_a_unit = IMPACTS_A_UNIT * (ELASTIC_HOPS if hops_on else 1)
        self.energy = simulation.energy()

    def _side(self, shape: Any) -> Any:
        """1 before a plane and outside a cylinder, −1 in a tube; of each ball."""
        if isinstance(shape, Plane):
            return 1.0
        return np.where(signed_distance(shape, self.simulation.position) >= 0.0, 1.0, -1.0)

    def go_on(self, until: float) -> Broken | None:
        """Run to a time, and compare."""
        simulation = self.simulation
        most = len(simulation.balls) * (IMPACTS_A_BALL + self.impacts_a_unit * until / self.unit)
        left = int(most) - self._impacts()
        for _ in simulation.batches(until, left + 1):
            pass
        if simulation.fault is not None:
            return self._broken("jam", simulation.fault)
        rounds = simulation.tally.work.rounds  # of searches for pushes, as many as impacts at most
        if max(self._impacts(), rounds) > most:
            figures = f"{self._impacts()} impacts and {rounds} rounds of {len(simulation.balls)}"
            return self._broken("work", figures)
        if simulation.time != until:
            return self._broken("time", f"{simulation.time!r} instead of {until!r}")
        return self._state()

    def _state(self) -> Broken | None:
        """Whether places, velocities and energy are possible."""
        simulation, position = self.simulation, self.simulation.position.copy()
        sides = zip(self.shapes, self.sides, strict=True)
        overlap = overlap_in(simulation, [d * signed_distance(s, position) for s, d in sides])
        if overlap is not None:
            return overlap
        if simulation.engine != "events":
            return None  # kicks once a step let the energy wander
        # Energy only falls, but for the rounding of what it is a sum of.
        mass, gravity = simulation.world.mass, np.array(simulation.world.gravity)
        kinetic = 0.5 * mass * (simulation.velocity**2).sum(axis=1)
        scale = float((kinetic + np.abs(mass * (position @ gravity))).sum())
        before, self.energy = self.energy, simulation.energy()
        most = self.rise if gravity.any() else DIP
        if self.energy - before > most * scale:
            return self._broken("energy", f"rose by {(self.energy - before) / scale:.3g}")
        return None

    def _impacts(self) -> int:
        tally = self.simulation.tally
        return int(tally.ball_impacts + tally.obstacle_impacts)

    def _broken(self, kind: str, figures: str) -> Broken:
        return Broken(kind, self.simulation.time, figures)
