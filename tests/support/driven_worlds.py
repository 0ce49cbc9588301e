"""Random closed rooms with obstacles that move, are pushed or are warm; and what holds in them."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from surfaces import gaps_to, signed_distance
from world_invariants import ROUNDING, Broken, overlap_in
from worlds import room

from spheresim import (
    Ball,
    ConstantVelocity,
    Cuboid,
    Obstacle,
    Oscillation,
    PiecewiseMotion,
    Piston,
    Simulation,
    Sphere,
    SteadyRotation,
    Thermal,
)
from spheresim.analysis.drift import Drift
from spheresim.obstacles.driven_walls.replay import frames_at

DURATION, FRAMES = 8.0, 16

IMPACTS_A_BALL = 30_000
"""That may happen in this time: about a thousand in each fall over a radius."""

LARGEST = 0.35
"""The radius of the largest ball: between two obstacles there is always room for it."""


def driven_world(seed: int) -> dict[str, Any]:
    """What the constructor of a simulation takes: up to 20 balls in a room, mostly under gravity,
    with what drives them."""
    random = np.random.default_rng(seed)
    scale = random.choice([0.01, 1.0, 1.0, 100.0])
    size = random.uniform(4.0, 7.0, 3)
    falls, has_core = random.random() < 0.65, random.random() < 0.5
    # In the others, where they fall and lose energy, balls ride, slide and sleep.
    may_exchange = random.random() < 0.35
    least = random.choice([0.2, 0.6, 0.9, 1.0])
    obstacles = []
    for wall in room(0.0, size * scale):
        normal = np.array(wall.normal)
        motion = _motion_of_side(random, normal, scale, may_exchange and not has_core)
        warm = may_exchange and not isinstance(motion, Piston) and random.random() < 0.2
        thermal = Thermal(random.uniform(0.5, 2.0) * scale**2, seed=seed) if warm else None
        restitution = random.uniform(least, 1.0)
        obstacles.append(Obstacle(wall, restitution, motion=motion, thermal=thermal))
    if has_core:
        obstacles.append(_core(random, size, scale, random.uniform(least, 1.0)))
    balls = _balls(random, size, scale, has_core, least)
    direction = random.choice([np.array([0, -1.0, 0]), random.normal(size=3)])
    gravity = falls * random.uniform(1.0, 8.0) * direction / np.linalg.norm(direction)
    return {"balls": balls, "obstacles": obstacles, "gravity": tuple(gravity * scale)}


def _motion_of_side(random: Any, normal: Any, scale: float, may_be_pushed: bool) -> Any:
    kinds = ["none", "none", "velocity", "oscillation", "piecewise", "turn", "piston"]
    kind = random.choice(kinds)
    if kind == "velocity":  # away from the balls, or along itself
        along = random.normal(size=3) * (normal == 0)
        return ConstantVelocity(0.1 * scale * (along - normal))
    if kind == "oscillation":
        axis = normal if random.random() < 0.6 else random.normal(size=3)
        amplitude, frequency = random.uniform(0.01, 0.15) * scale, random.uniform(0.2, 2.0)
        return Oscillation(amplitude, frequency, axis, random.uniform(0, 360))
    if kind == "piecewise":
        times = [0.0, *np.cumsum(random.uniform(0.3, 1.5, 4))]
        places = random.uniform(-0.15, 0.15, (4, 3)) * scale
        return PiecewiseMotion(times, [(0, 0, 0), *places])
    if kind == "turn":
        return SteadyRotation(normal, random.uniform(-1, 1), random.normal(size=3) * scale)
    if kind == "piston" and may_be_pushed:
        return Piston(random.uniform(5, 20), random.uniform(-1, 0.2) * scale, 0.0)
    return None


def _core(random: Any, size: Any, scale: float, restitution: float) -> Obstacle:
    """A ball or a block in the middle that turns, vibrates or stands still."""
    centre = 0.5 * size * scale
    if random.random() < 0.5:
        shape: Any = Sphere(centre, random.uniform(0.2, 0.6) * scale)
    else:
        shape = Cuboid(centre, random.uniform(0.2, 0.65, 3) * scale)
    axis = random.normal(size=3)
    motion = random.choice(
        np.array(
            [
                None,
                SteadyRotation(axis, random.uniform(-0.5, 0.5), centre),
                Oscillation(random.uniform(0.02, 0.15) * scale, random.uniform(0.2, 1.0), axis),
            ],
            dtype=object,
        )
    )
    return Obstacle(shape, restitution, motion=motion)


def _balls(random: Any, size: Any, scale: float, has_core: bool, least: float) -> list[Ball]:
    balls: list[Ball] = []
    wanted = random.integers(1, 21)
    while len(balls) < wanted:
        radius = random.uniform(0.1, LARGEST)
        place = random.uniform(0.2 + radius, size - 0.2 - radius)
        if has_core and np.linalg.norm(place - 0.5 * size) < 0.75 + radius:
            continue
        if gaps_to(balls, place * scale, radius * scale).min(initial=1.0) > 0.0:
            velocity = random.normal(size=3) * scale
            mass, restitution = random.uniform(0.5, 2.0), random.uniform(least, 1.0)
            balls.append(Ball(place * scale, velocity, radius * scale, mass, restitution))
    return balls


def simulated(world: dict[str, Any], engine: str) -> Simulation:
    """What `driven_world` gave, about to be run."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Simulation(**world, engine=engine, step=0.01)


def first_broken(world: dict[str, Any], engine: str) -> Broken | None:
    """Run a world through an engine, and look at it after each frame."""
    simulation = simulated(world, engine)
    simulation.log_impacts(False)
    drift = Drift(simulation.world, simulation.state)
    most = IMPACTS_A_BALL * len(simulation.balls)
    for frame in range(1, FRAMES + 1):
        until = DURATION * frame / FRAMES
        for _ in simulation.batches(until, most):
            pass
        broken = _broken(simulation, drift, until)
        if broken is not None:
            return broken
    return None


def _broken(simulation: Simulation, drift: Drift, until: float) -> Broken | None:
    tally, time = simulation.tally, simulation.time
    if simulation.fault is not None:
        return Broken("jam", time, simulation.fault)
    if time != until:
        return Broken("work", time, f"{tally.ball_impacts + tally.obstacle_impacts} impacts")
    frames = frames_at(simulation.world.walls, simulation.wall_records, time)
    distances = []
    for k, obstacle in enumerate(simulation.obstacles):
        there = simulation.position
        if k in frames:
            there = np.array([frames[k].seen(ball.position) for ball in simulation.balls])
        distances.append(signed_distance(obstacle.shape, there))
    overlap = overlap_in(simulation, distances)
    if overlap is not None:
        return overlap
    if simulation.engine == "steps" and simulation.world.gravity.mag_sqr() > 0.0:
        return None  # kicks once a step let the energy wander
    account = drift.account(simulation.state, tally.dissipated, tally.given)
    if abs(account.remainder) > ROUNDING * account.scale:
        return Broken("energy", time, f"{account.remainder / account.scale:.3g} not explained")
    return None


class Agreement(NamedTuple):
    """How many impacts two engines have alike, one after the other, and of how many."""

    alike: int
    impacts: int


def agreement(seed: int, tolerance: float = 1e-5) -> Agreement | None:
    """How long both engines agree on a world without gravity; None if there is gravity.

    An impact is alike if it is of the same two, at the same time within a tolerance.
    """
    one, other = (simulated(driven_world(seed), engine) for engine in ("events", "steps"))
    if one.world.gravity.mag_sqr() > 0.0:
        return None
    for simulation in (one, other):
        simulation.run(until=DURATION)
    a, b = one.impacts, other.impacts
    count = min(len(a), len(b))
    same = np.abs(a.t[:count] - b.t[:count]) < tolerance
    for name in ("i", "j", "obstacle"):
        same &= a[name][:count] == b[name][:count]
    first = count if same.all() else int(np.argmin(same))
    return Agreement(first, max(len(a), len(b)))
