"""Shots at walls, pillars and tubes: none passes, none ends inside a surface.

Many balls share a world without meeting: walls and columns stand upright, and each ball
has its own height, which nothing changes; then the whole world is turned anywhere. From
the impacts told, the path of each ball is put together again, straight line by straight
line, and no point of it may be nearer to a surface than the ball's radius.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest

from spheresim import Cylinder, Plane, TVector
from spheresim.collision.impacts import joined
from spheresim.engines.time_stepping.engine import Stepping
from spheresim.model.state import State, World
from spheresim.obstacles.table import pack

# By how many units in the last place of the lengths involved a path may be off.
_UNITS = 8
_LANES = 100


class Wall(NamedTuple):
    """Upright; in the plane it is a line through a point with a normal."""

    point: Any
    normal: Any

    def depth(self, a: Any, b: Any, radius: Any, _from: Any) -> Any:
        """How deep a ball that goes from a to b gets into it."""
        return radius - np.minimum((a - self.point) @ self.normal, (b - self.point) @ self.normal)


class Column(NamedTuple):
    """Upright; in the plane it is a circle: a pillar to balls that start outside, else a tube."""

    point: Any
    size: float

    def depth(self, a: Any, b: Any, radius: Any, start: Any) -> Any:
        outside = np.linalg.norm(start - self.point, axis=1) >= self.size
        way = b - a
        squared = np.maximum((way * way).sum(axis=1), 1e-300)
        share = np.clip(((self.point - a) * way).sum(axis=1) / squared, 0.0, 1.0)
        nearest = np.linalg.norm(a + way * share[:, None] - self.point, axis=1)
        farthest = np.maximum(*(np.linalg.norm(end - self.point, axis=1) for end in (a, b)))
        return np.where(outside, self.size + radius - nearest, farthest + radius - self.size)


def random_surfaces(random: Any) -> list[Wall | Column]:
    """Lanes between walls, wedges, forests of pillars, rings, slits of a thousandth."""
    turned = random.uniform(0, 2 * np.pi)
    across = np.array((np.cos(turned), np.sin(turned)))
    thin = 10.0 ** random.uniform(-3, 0)
    kind = random.integers(6)
    if kind == 0:
        return [Wall(np.zeros(2), across)]
    if kind == 1:  # a slit: between a wall and a wall, or a wall and a pillar
        return [Wall(np.zeros(2), across), Column(across * (5 + 2 * thin), 5.0)]
    if kind == 2:
        return [Wall(np.zeros(2), across), Wall(across * 20, -across), Column(across * 10, 3.0)]
    if kind == 3:  # a ring between a tube and a pillar out of its middle
        return [Column(np.zeros(2), 10.0), Column(across * random.uniform(0, 4), 3.0)]
    if kind == 4:
        return [Column(random.uniform(-20, 20, 2), 10.0 ** random.uniform(-3, 1)) for _ in range(8)]
    other = np.array((np.cos(turned + thin), np.sin(turned + thin)))
    return [Wall(np.zeros(2), across), Wall(np.zeros(2), -other), Column(np.zeros(2), 1e3)]


def turned(random: Any) -> Any:
    """A random rotation; its rows are the directions of the plane, and upwards."""
    return np.linalg.qr(random.normal(size=(3, 3)))[0]


def shoot(seed: int, impacts_each: int = 200) -> tuple[int, float]:
    """Shots in one world; how many, and how deep the worst got, in units of its allowance."""
    random = np.random.default_rng(seed)
    surfaces, frame = random_surfaces(random), turned(random)
    radius = 10.0 ** random.uniform(-3, -0.5, _LANES)
    place = random.uniform(-15, 15, (_LANES, 2))
    free = np.all([s.depth(place, place, radius, place) < 0 for s in surfaces], axis=0)
    place, radius = place[free], radius[free]
    count = len(radius)
    if count == 0:
        return 0, 0.0
    # From a thousandth of a radius to a million radii in a step.
    speed = radius * 10.0 ** random.uniform(-3, 6, count)
    angle = random.uniform(0, 2 * np.pi, count)
    velocity = speed[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    closed = any(isinstance(s, Column) and s.size >= 10 for s in surfaces) or len(surfaces) == 3
    if closed:  # where there is no way out, a shot of a million radii would bounce for ever
        velocity *= np.minimum(1.0, impacts_each / speed)[:, None]

    height = np.arange(count) * 1.0
    rate = random.choice([0.0, random.normal()])  # all rise alike

    def lifted(plane: Any, upwards: Any) -> Any:
        return np.column_stack((plane, np.broadcast_to(upwards, len(plane)))) @ frame

    world = World(
        radius, np.ones(count), np.ones(count), _packed(surfaces, frame), TVector(0, 0, 0)
    )
    state = State(np.zeros(1), lifted(place, height), lifted(velocity, rate))
    engine = Stepping(world, state, 1.0)
    a, b, ball = _paths(engine, radius, frame, place)
    # Places are rounded as the lengths in the world, times in the step as the step.
    scale = 15.0 + height.max() + np.linalg.norm(velocity, axis=1)
    allowed = _UNITS * 2.0**-52 * scale[ball]
    depth = np.max([s.depth(a, b, radius[ball], place[ball]) for s in surfaces], axis=0)
    assert engine.tally.ball_impacts == 0
    return count, float((depth / allowed).max())


def _packed(surfaces: Any, frame: Any) -> Any:
    shapes: list[Plane | Cylinder] = []
    for surface in surfaces:
        point = np.append(surface.point, 0.0) @ frame
        if isinstance(surface, Wall):
            shapes.append(Plane(point, np.append(surface.normal, 0.0) @ frame))
        else:
            shapes.append(Cylinder(point, frame[2], surface.size))
    return pack(shapes, [1.0] * len(shapes))


def _paths(engine: Any, radius: Any, frame: Any, place: Any) -> tuple[Any, Any, Any]:
    """The straight lines of all flights in two steps: their starts, ends, and whose they are."""
    impacts = joined(engine.run(2.0))
    state = engine.state
    centres = impacts.point + impacts.normal * radius[impacts.i][:, None]
    everybody = np.arange(len(radius))
    # Each ball's corners in order: where it starts, where it is thrown back, where it ends.
    whose = np.concatenate((everybody, impacts.i, everybody))
    corners = np.concatenate((place, (centres @ frame.T)[:, :2], (state.position @ frame.T)[:, :2]))
    order = np.argsort(whose, kind="stable")
    whose, corners = whose[order], corners[order]
    goes_on = whose[1:] == whose[:-1]
    return corners[:-1][goes_on], corners[1:][goes_on], whose[1:][goes_on]


@pytest.mark.parametrize("seed", range(3))
def test_some_shots_neither_pass_nor_enter(seed):
    shots, worst = shoot(seed, impacts_each=5)
    assert shots > 10
    assert worst <= 1.0


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_twenty_thousand_shots_neither_pass_nor_enter():
    found = [shoot(seed) for seed in range(100, 500)]
    assert sum(shots for shots, _ in found) > 20_000
    assert max(worst for _, worst in found) <= 1.0


@pytest.mark.study
def test_ten_million_shots_neither_pass_nor_enter():
    shots, seed = 0, 1000
    while shots < 10_000_000:
        count, worst = shoot(seed)
        assert worst <= 1.0, f"seed {seed}"
        shots += count
        seed += 1
