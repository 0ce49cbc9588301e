"""Small random worlds around a ring, or a compound of a ring and two bars, in a box of planes.

A seed gives what `Simulation` takes: one to five balls, some of which just fit through the ring's
hole, some of which touch the ring; with gravity or without, and losing any part of a bounce.
"""

from typing import Any, NamedTuple

import numpy as np
from random_worlds import direction
from surfaces import gaps_to, signed_distance
from worlds import room

from spheresim import Ball, Capsule, Compound, Ring

WALL = 2.5
"""How far the walls are from the ring's centre; the ring's radius is 1."""


class RingWorld(NamedTuple):
    """What `Simulation` takes, the step of fixed ones, and how the ring stands; it comes first."""

    balls: list[Ball]
    obstacles: list[Any]
    gravity: tuple[float, ...]
    step: float
    axis: Any
    thickness: float

    def gaps(self, position: Any, radius: Any) -> Any:
        """How far balls (n, 3) are from the ring and the bars, worked out anew: (n,)."""
        return signed_distance(self.obstacles[0], position) - radius


def ring_world(seed: int) -> RingWorld:
    """The world of a seed: a compound where it is odd."""
    random = np.random.default_rng(seed)
    axis = np.eye(3)[2] if random.random() < 0.3 else direction(random)
    thickness = float(random.uniform(0.1, 0.6))
    ring = Ring((0, 0, 0), axis, 1.0, thickness)
    bars = [_bar(random) for _ in range(2)] if seed % 2 else []
    walls = room(-WALL, WALL)
    gravity = (0.0, -random.uniform(1.0, 20.0) * float(random.random() < 0.6), 0.0)
    step = float(random.choice([0.001, 0.004, 0.02, 0.1]))
    shape = Compound([ring, *bars]) if bars else ring
    world = RingWorld([], [shape, *walls], gravity, step, axis, thickness)
    _add_balls(random, world)
    return world


def _bar(random: np.random.Generator) -> Capsule:
    """A bar that crosses the ring's room anywhere."""
    middle, half = random.uniform(-1.0, 1.0, 3), random.uniform(0.2, 1.0) * direction(random)
    return Capsule(middle - half, middle + half, random.uniform(0.05, 0.2))


def _add_balls(random: np.random.Generator, world: RingWorld) -> None:
    hole, wanted = 1.0 - world.thickness, int(random.integers(1, 6))
    restitution = float(random.choice([0.0, 0.5, 0.9, 1.0]))
    while len(world.balls) < wanted:
        fits, does_not = hole * random.uniform(0.3, 0.99), hole * random.uniform(1.0, 1.3)
        radius = float(random.choice([random.uniform(0.1, 0.5), fits, does_not]))
        at = random.uniform(-1.0, 1.0, 3) * random.choice([0.5, 1.8])
        if random.random() < 0.4:
            at = _touching(at, world, radius)
        velocity = random.normal(size=3) * random.choice([0.0, 0.1, 1.0, 3.0])
        if random.random() < 0.3:  # across the axis
            velocity -= world.axis * (velocity @ world.axis)
        is_free = (
            world.gaps(at[np.newaxis], radius)[0] > -1e-14 and (WALL - np.abs(at)).min() > radius
        )
        if is_free and gaps_to(world.balls, at, radius).min(initial=1.0) > 0.0:
            world.balls.append(Ball(at, velocity, radius, restitution=restitution))
        elif random.random() < 0.02:
            wanted -= 1  # there may be no room


def _touching(at: Any, world: RingWorld, radius: float) -> Any:
    """The place nearby where a ball touches the ring."""
    across = at - world.axis * (at @ world.axis)
    nearest = across / np.linalg.norm(across)
    away = at - nearest
    return nearest + away / np.linalg.norm(away) * (world.thickness + radius)
