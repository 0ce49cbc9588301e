"""Worlds to put the engine into, and what physics keeps account of in them."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.engines.event_driven.engine import Events
from spheresim.engines.time_stepping.engine import Stepping
from spheresim.model.balls import Ball
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box, State, World, build
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane

NOWHERE = (0.0, 0.0, 0.0)


class Setup(NamedTuple):
    """An engine, and what it moves balls in, as views that stay up to date."""

    engine: Stepping | Events
    world: World
    state: State


def set_up(
    balls: Sequence[Ball],
    obstacles: Sequence[Plane | Cylinder | Obstacle] = (),
    gravity: Sequence[float] = NOWHERE,
    step: float = 0.01,
    slices: int = 0,
    *,
    engine: str = "steps",
    side: float | None = None,
    start: float = 0.0,
) -> Setup:
    """An engine in open space, or in a periodic cube with a side, beginning at a time."""
    placed = [o if isinstance(o, Obstacle) else Obstacle(o) for o in obstacles]
    cube = None if side is None else Box(TVector(0, 0, 0), TVector(side, side, side))
    world, state = build(balls, placed, TVector(gravity), cube)
    state.time[0] = start
    if engine == "steps":
        made: Stepping | Events = Stepping(world, state, step, slices)
    else:
        made = Events(world, state, step)
    return Setup(made, world, made.state.shown())


set_up_events = partial(set_up, engine="events")

EXACT = {"engine": "events"}
"""What `set_up` takes for the exact engine."""


def in_steps(*steps: float) -> list[dict[str, Any]]:
    """What `set_up` takes for the exact engine, and for fixed steps of several lengths."""
    return [EXACT, *({"step": step} for step in steps)]


def rows_of(impacts: Impacts) -> list[tuple[Any, ...]]:
    """Each impact as t, kind, i, other, point, normal, vn_before, vn_after, impulse."""
    names = ("t", "kind", "i", "other", "point", "normal", "vn_before", "vn_after", "impulse")
    return list(zip(*(getattr(impacts, name) for name in names), strict=True))


def room(low: Any, high: Any, axes: Iterable[int] = (0, 1, 2)) -> list[Plane]:
    """The walls across some axes of a box between two corners, for each axis the lower one first.

    low, high: coordinates, (3,), or a number that all three have.
    """
    low, high = (np.broadcast_to(corner, 3) for corner in (low, high))
    return [
        Plane(corner, inwards)
        for axis in np.eye(3)[[*axes]]
        for corner, inwards in ((low, axis), (high, -axis))
    ]


def box(width: float, restitution: float = 1.0, low: Sequence[float] = NOWHERE) -> list[Obstacle]:
    """Six walls around a cube."""
    return [Obstacle(wall, restitution) for wall in room(low, np.add(low, width))]


def gas(
    side: int,
    seed: int,
    radii: tuple[float, float] = (0.15, 0.45),
    restitution: float = 1.0,
    masses: tuple[float, float] = (1.0, 1.0),
) -> list[Ball]:
    """side³ balls of random radii in the cells of width 1 of a cube, at random velocities."""
    random = np.random.default_rng(seed)
    balls = []
    for cell in product(range(side), repeat=3):
        radius = random.uniform(*radii)
        place = np.array(cell) + random.uniform(radius, 1.0 - radius, 3)
        mass = random.uniform(*masses)
        balls.append(Ball(place, random.normal(size=3), radius, mass, restitution))
    return balls


def kinetic_energy(setup: Setup) -> float:
    return float(0.5 * (setup.world.mass * (setup.state.velocity**2).sum(axis=1)).sum())


def momentum(setup: Setup) -> Any:
    return setup.world.mass @ setup.state.velocity


def angular_momentum(setup: Setup) -> Any:
    return setup.world.mass @ np.cross(setup.state.position, setup.state.velocity)


def smallest_gap(setup: Setup) -> float:
    """The smallest distance of two balls' surfaces, negative if they overlap."""
    position, radius = setup.state.position, setup.world.radius
    smallest = np.inf
    for i in range(len(radius) - 1):
        distance = np.linalg.norm(position[i + 1 :] - position[i], axis=1)
        smallest = min(smallest, float((distance - radius[i + 1 :] - radius[i]).min()))
    return smallest
