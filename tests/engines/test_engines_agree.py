"""Both engines, and an oracle in periodic worlds, tell the same impacts of random worlds.

Chaos magnifies rounding with every impact, so what two programs tell of one world must part
in the end. When that may be, the same world tells itself: it is run once more with its balls
moved by far less than anything that is asserted. As long as this changes the time of an
impact by little, another program must tell that impact, at that time but for this little.
"""

import numpy as np
import pytest
from periodic_brute_force import PeriodicBruteForce
from random_worlds import RandomWorld, random_world

from spheresim import Ball, Simulation

_IMPACTS = 60
_MOVED = 1e-13  # of the world's size
_MOST = 1e-5  # of the mean time between impacts; from there on it is chaos
_MARGIN = 300.0  # how much more than by moving its balls two programs may differ


def simulate(world: RandomWorld, engine: str, step: float = 0.01) -> Simulation:
    return Simulation(world.balls, world.obstacles, engine=engine, step=step, box=world.box)


def told(impacts):
    """Who hit what, in order, and when."""
    columns = (impacts.kind, impacts.i, impacts.j, impacts.obstacle)
    return list(zip(*(column.tolist() for column in columns), strict=True)), impacts.t


def exact_impacts(world: RandomWorld):
    """The first impacts by the exact engine."""
    fastest = max(np.linalg.norm(ball.velocity) for ball in world.balls)
    simulation = simulate(world, "events")
    if fastest > 0.0:
        simulation.run(until=2000.0 / fastest, impacts=_IMPACTS)
    return told(simulation.impacts)


def moved(world: RandomWorld, random: np.random.Generator) -> RandomWorld:
    """The same world, but for rounding."""
    most = _MOVED * max(np.abs(ball.position).max() for ball in world.balls)
    balls = [
        Ball(
            np.array(ball.position) + most * random.uniform(-1, 1, 3),
            np.array(ball.velocity) * (1.0 + _MOVED * random.uniform(-1, 1, 3)),
            ball.radius,
            ball.mass,
            ball.restitution,
        )
        for ball in world.balls
    ]
    return world._replace(balls=balls)


def surely_told(world: RandomWorld, random: np.random.Generator):
    """Impacts until chaos takes over, their times, and by how much another may differ."""
    who, when = exact_impacts(world)
    again, then = exact_impacts(moved(world, random))
    many = min(len(who), len(again))
    same = next((k for k in range(many) if who[k] != again[k]), many)
    if same == 0:
        return [], when[:0], when[:0]
    error = np.maximum.accumulate(np.abs(when[:same] - then[:same]))
    error = _MARGIN * np.maximum(error, _MOVED * when[:same])
    sure = int((error < _MOST * _MARGIN * when[same - 1] / same).sum())
    return who[:sure], when[:sure], error[:sure]


def by_steps(world: RandomWorld, until: float, random: np.random.Generator):
    """What the fixed timestep tells till a time."""
    simulation = simulate(world, "steps", until * 10.0 ** random.uniform(-3, 0.3))
    simulation.run(until=until)
    return told(simulation.impacts)


def by_brute_force(world: RandomWorld, until: float, _random: np.random.Generator):
    """What the oracle tells till a time."""
    oracle = PeriodicBruteForce(world.balls, world.obstacles, world.period)
    while oracle.steps * oracle.step < until and oracle.step_once(2 * _IMPACTS):
        pass
    names = simulate(world, "events").obstacle_names
    who = [
        ("ball", e.i, e.other, "") if e.kind == 0 else ("obstacle", e.i, -1, names[e.other])
        for e in oracle.events
    ]
    return who, np.array([event.time for event in oracle.events])


def stops_at_its_last_impact(world: RandomWorld, impacts: int, time: float, error: float) -> None:
    """Fails where the exact engine, told to do so many impacts, is not where they end."""
    exact, stepped = simulate(world, "events"), simulate(world, "steps", time)
    exact.run(impacts=impacts)
    stepped.run(until=exact.time)
    fastest = np.linalg.norm(exact.velocity, axis=1).max()
    assert abs(exact.time - time) <= error
    assert np.abs(exact.position - stepped.position).max() <= error * fastest + 1e-10


def agreed(seed: int, periodic: bool) -> int:
    """How many impacts of a random world were found to agree; fails where one does not."""
    random = np.random.default_rng(seed)
    edges = ("open", "walls", "periodic") if periodic else ("open", "walls")
    world = random_world(random, edges)
    who, when, error = surely_told(world, random)
    if not who:
        return 0
    other = by_brute_force if periodic else by_steps
    others, then = other(world, float(when[-1] + error[-1]), random)
    assert others[: len(who)] == who, f"seed {seed}"
    late = np.abs(then[: len(who)] - when) > error
    assert not late.any(), f"seed {seed}: {when[late]} and {then[: len(who)][late]}"
    if not periodic:
        last = int(random.integers(len(who)))
        stops_at_its_last_impact(world, last + 1, float(when[last]), float(error[last]))
    return len(who)


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("periodic", "seeds"),
    [
        (False, range(8)),
        (True, range(4)),
        pytest.param(False, range(30), marks=pytest.mark.thorough),
        pytest.param(True, range(15), marks=pytest.mark.thorough),
        pytest.param(False, range(1000, 11_000), marks=pytest.mark.study),
        pytest.param(True, range(1000, 3000), marks=pytest.mark.study),
    ],
    ids=str,
)
def test_random_worlds_have_the_same_impacts(periodic, seeds):
    assert sum(agreed(seed, periodic) for seed in seeds) > 15 * len(seeds)
