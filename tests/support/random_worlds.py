"""Random worlds for engines to agree on: each axis open, walled or periodic, with pillars and
tubes in it, and balls of all sizes in a cloud, a layer, a line or two heaps."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from worlds import room

from spheresim import Ball, Cylinder, Obstacle, Plane
from spheresim.model.state import Box
from spheresim.numerics.vector import TVector


class RandomWorld(NamedTuple):
    """What the constructor of a simulation takes, without gravity."""

    balls: list[Ball]
    obstacles: list[Obstacle]
    box: Box | None

    @property
    def period(self) -> Any:
        """The length of each periodic axis, 0 for the others."""
        return np.zeros(3) if self.box is None else np.where(self.box.periodic, self.box.size, 0.0)


def direction(random: np.random.Generator) -> Any:
    """A unit vector in any direction."""
    vector = random.normal(size=3)
    return vector / np.linalg.norm(vector)


def random_world(
    random: np.random.Generator, edges: Sequence[str] = ("open", "walls")
) -> RandomWorld:
    """A world with at least one ball.

    edges: what the axes may be: "open", "walls" or "periodic". If the last is among them, at least
    one axis is periodic.
    """
    while True:
        world = _empty_or_not(random, edges)
        if world.balls:
            return world


def _empty_or_not(random: np.random.Generator, edges: Sequence[str]) -> RandomWorld:
    low, size = random.uniform(-20.0, 20.0, 3), random.uniform(4.0, 12.0, 3)
    drawn = random.choice(edges, 3)
    if "periodic" in edges:
        drawn[random.integers(3)] = "periodic"
    wraps = drawn == "periodic"
    least = random.choice([1.0, 1.0, 1.0, 0.8])
    shapes: list[Plane | Cylinder] = [*room(low, low + size, np.flatnonzero(drawn == "walls"))]
    for _ in range(random.integers(0, 4)):
        radius = (
            random.uniform(*random.choice([(0.05, 0.2), (0.05, 0.2), (0.3, 0.47)])) * size.min()
        )
        # In a periodic box any image may be the one that is named.
        point = low + (random.random(3) + wraps * random.integers(-2, 3, 3)) * size
        shapes.append(Cylinder(point, _axis(random, wraps), radius))
    obstacles = [Obstacle(shape, random.uniform(least, 1.0)) for shape in shapes]
    if random.random() < 0.2:
        along = np.eye(3)[random.integers(3)]
        tube = Cylinder(low + size / 2.0, along, random.uniform(0.3, 0.49) * size.min())
        obstacles.append(Obstacle(tube, name="tube"))
    box = Box(TVector(low), TVector(size), tuple(map(bool, wraps))) if wraps.any() else None
    world = RandomWorld([], obstacles, box)
    _place_balls(random, world, low, size)
    return world


def _axis(random: np.random.Generator, wraps: Any) -> Any:
    """Along one of the box's axes, or at any angle to those that are not periodic."""
    if random.random() < 0.5 or wraps.sum() == 3:
        return np.eye(3)[random.integers(3)]
    return np.where(wraps, 0.0, random.normal(size=3))


def _place_balls(random: np.random.Generator, world: RandomWorld, low: Any, size: Any) -> None:
    arrangement = random.choice(["cloud", "layer", "line", "heaps"])
    flat = {"layer": 1, "line": 2}.get(arrangement, 0)
    fixed = np.arange(3) < flat
    somewhere = random.random(3)
    smallest, wanted = random.choice([0.005, 0.1, 0.35]), random.integers(2, 16)
    speed, drift = 10.0 ** random.uniform(-2, 2), random.choice([0.0, 0.0, 100.0])
    restitution = random.choice([1.0, 1.0, 1.0, 0.9])
    common = drift * speed * np.where(fixed, 0.0, random.normal(size=3))
    if any(obstacle.name != "tube" for obstacle in world.obstacles):
        common *= 0.01  # else nothing but walls would be hit
    for _ in range(300):
        radius = random.uniform(smallest, 0.4)
        at = np.where(fixed, somewhere, random.random(3))
        if arrangement == "heaps":
            at = random.choice([0.1, 0.8]) + 0.1 * at
        own = random.choice([0.0, 1.0, 1.0, 1.0, 1.0, 20.0]) * random.normal(size=3)
        velocity = np.where(fixed, 0.0, own * speed) + common
        mass = 10.0 ** random.uniform(-1, 1)
        ball = Ball(low + at * size, velocity, radius, mass, restitution)
        if _has_room(world, ball):
            world.balls.append(ball)
        if len(world.balls) == wanted:
            break


def _has_room(world: RandomWorld, ball: Ball) -> bool:
    def nearest(d: Any) -> Any:
        period = world.period
        return d - period * np.rint(np.divide(d, period, out=np.zeros(3), where=period > 0.0))

    for other in world.balls:
        d = np.array(ball.position) - np.array(other.position)
        if np.linalg.norm(nearest(d)) < ball.radius + other.radius:
            return False
    for shape, _, name, *_ in world.obstacles:
        d = np.array(ball.position) - np.array(shape.point)
        if isinstance(shape, Plane):
            if d @ np.array(shape.normal) < ball.radius:
                return False
            continue
        across = nearest(d)
        across = np.linalg.norm(across - across @ np.array(shape.axis) * np.array(shape.axis))
        inside = shape.radius - across
        if (inside if name == "tube" else -inside) < ball.radius:
            return False
    return True
