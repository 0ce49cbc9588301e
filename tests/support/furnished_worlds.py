"""Small random worlds of all kinds of obstacles: a closed room with things in it, and balls.

A seed gives what `Simulation` takes: 1 to 60 balls of sizes from a thousandth to a thousand, in a
box of planes, a block, a mesh of one, a ball or a drum, among up to three spheres, rings, discs,
capsules, blocks, pillars and compounds of them; with gravity or without, from rest or flying, and
losing any part of a bounce.
"""

from typing import Any

import numpy as np
from random_worlds import direction
from surfaces import gaps_to, signed_distance
from worlds import room

from spheresim import (
    Ball,
    Capsule,
    Compound,
    Cuboid,
    Cylinder,
    Disc,
    Mesh,
    Obstacle,
    Plane,
    Ring,
    Sphere,
)
from spheresim.obstacles.table import AnyShape

_CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def furnished_world(seed: int) -> dict[str, Any]:
    """The keyword arguments `balls`, `obstacles`, `gravity` and `step` of a simulation."""
    random = np.random.default_rng([seed, 30])
    scale = 10.0 ** random.uniform(-3.0, 3.0)
    half = random.uniform(1.0, 2.0, 3)
    while True:
        shapes = _room(random, half * scale) + [
            _thing(random, half, scale) for _ in range(random.integers(0, 4))
        ]
        balls = _balls(random, shapes, half * scale)
        if balls:
            break
    common = _restitution(random) if random.random() < 0.5 else None
    for ball in balls:
        ball.restitution = _restitution(random) if common is None else common
    obstacles = [
        Obstacle(shape, _restitution(random) if common is None else common) for shape in shapes
    ]
    strength = 10.0 * scale * float(random.random() < 0.75)
    down = random.normal(size=3) if random.random() < 0.3 else np.array([0.0, -1.0, 0.0])
    gravity = strength * down / np.linalg.norm(down)
    step = float(random.choice([0.002, 0.005]))
    return {"balls": balls, "obstacles": obstacles, "gravity": tuple(gravity), "step": step}


def _restitution(random: np.random.Generator) -> float:
    return float(random.choice([0.0, 0.5, 0.9, 1.0, random.random()]))


def _direction(random: np.random.Generator) -> Any:
    if random.random() < 0.3:
        return np.eye(3)[random.integers(3)]
    return direction(random)


def _room(random: np.random.Generator, half: Any) -> list[AnyShape]:
    """What keeps balls in; within `half` of the origin along each axis."""
    kind = random.choice(["planes", "block", "mesh", "ball", "drum"])
    if kind == "block":
        return [Cuboid((0, 0, 0), 2.0 * half)]
    if kind == "mesh":
        triangles = [t for a, b, c, d in _FACES for t in ((a, b, c), (a, c, d))]
        return [Mesh(_CORNERS * half, triangles)]
    if kind == "ball":
        return [Sphere((0, 0, 0), half.min())]
    if kind == "planes":
        return [*room(-half, half)]
    along = int(random.integers(3))
    radius = float(np.delete(half, along).min())
    return [Cylinder((0, 0, 0), np.eye(3)[along], radius), *room(-half, half, [along])]


def _thing(random: np.random.Generator, half: Any, scale: float) -> AnyShape:
    """Something to hit, anywhere in the room."""
    at, axis = scale * random.uniform(-0.8, 0.8, 3) * half, _direction(random)
    small, large = scale * random.uniform(0.05, 0.2), scale * random.uniform(0.3, 0.9)
    kind = random.choice(["sphere", "ring", "disc", "capsule", "block", "pillar", "compound"])
    if kind == "sphere":
        return Sphere(at, large)
    if kind == "ring":
        return Ring(at, axis, large, small)
    if kind == "disc":
        return Disc(at, axis, large)
    if kind == "block":
        return Cuboid(at, scale * random.uniform(0.2, 1.0, 3))
    if kind == "pillar":
        return Cylinder(at, axis, small)
    bar = Capsule(at - large * axis, at + large * axis, small)
    return bar if kind == "capsule" else Compound([bar, Ring(at, axis, large, small)])


def _balls(random: np.random.Generator, shapes: list[AnyShape], half: Any) -> list[Ball]:
    """As many balls as find room of those that are wanted, none of which overlaps anything."""
    wanted = int(np.exp(random.uniform(0.0, np.log(61.0))))
    largest = half.min() * min(0.4, 0.7 * wanted ** (-1.0 / 3.0))
    smallest = largest * random.choice([0.1, 0.5, 1.0])
    speed = float(half.min()) * random.choice([0.0, 0.1, 1.0, 5.0])
    balls: list[Ball] = []
    for _ in range(20 * wanted):
        at, radius = random.uniform(-1.0, 1.0, 3) * half, random.uniform(smallest, largest)
        there = at[np.newaxis]
        if not _is_inside(shapes[0], half, there, radius):
            continue
        if min(abs(float(signed_distance(shape, there)[0])) for shape in shapes) <= radius:
            continue
        if any(signed_distance(shape, there)[0] < 0.0 for shape in shapes[_walls(shapes) :]):
            continue
        if gaps_to(balls, at, radius).min(initial=1.0) <= 0.0:
            continue
        balls.append(Ball(at, radius=radius))
        if len(balls) == wanted:
            break
    for ball in balls:
        ball.velocity = speed * random.normal(size=3)
    return balls


def _walls(shapes: list[AnyShape]) -> int:
    """Of how many of the shapes the room is made."""
    if isinstance(shapes[0], Plane):
        return 6
    return 3 if isinstance(shapes[0], Cylinder) else 1


def _is_inside(room: AnyShape, half: Any, at: Any, radius: float) -> bool:
    """Whether a ball is inside all of the room's walls."""
    in_box = bool((np.abs(at[0]) + radius < half).all())
    is_round = isinstance(room, (Sphere, Cylinder))
    return in_box and (not is_round or float(signed_distance(room, at)[0]) < -radius)
