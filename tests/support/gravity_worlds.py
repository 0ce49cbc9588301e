"""Small random worlds under gravity, of every kind in which balls could come to rest, or fail to.

A seed gives what `Simulation` takes: 1 to 15 balls of random radii, among 1 to 6 planes and
cylinders at random angles. Some worlds keep their balls (boxes, corners, troughs, tubes), from
others they fall away. Balls start apart, flying, at rest, or in contact with up to three things;
no place is so narrow that a ball overlaps anything there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from surfaces import surface

from spheresim import Ball, Cylinder, Obstacle, Plane
from spheresim.obstacles.table import AnyShape

WIDTH = 3.0
"""About how wide a world is, where lengths are not scaled; balls have radii up to a sixth."""

_FAR = 100.0 * WIDTH
"""No ball starts so far away, where planes that are nearly parallel meet."""


class _Room(NamedTuple):
    """Where a world is being made: its random numbers, its axes (the second is up), its centre."""

    random: np.random.Generator
    axes: Any
    centre: Any

    def direction(self, spread: float, towards: Any) -> Any:
        """A unit vector about another; with spread 0 it is that one, exactly."""
        towards = np.asarray(towards, dtype=float)
        if spread == 0.0:
            return towards
        leaning = towards + spread * self.random.normal(size=3)
        return leaning / np.linalg.norm(leaning)

    def plane(self, normal: Any, distance: float) -> Plane:
        """A plane that faces the centre from this far."""
        return Plane(self.centre - distance * np.asarray(normal), normal)


def gravity_world(seed: int) -> dict[str, Any]:
    """The keyword arguments `balls`, `obstacles` and `gravity` of a simulation."""
    random = np.random.default_rng(seed)
    while True:
        room = _Room(random, _axes(random), _centre(random))
        shapes = random.choice(_ARENAS)(room)
        gravity = _gravity(room)
        balls = _balls(room, shapes, float(np.linalg.norm(gravity)))
        if balls:
            break
    common = _restitution(random) if random.random() < 0.4 else None

    def restitution() -> float:
        return _restitution(random) if common is None else common

    for ball in balls:
        ball.restitution = restitution()
    obstacles = [Obstacle(shape, restitution()) for shape in shapes]
    return {"balls": balls, "obstacles": obstacles, "gravity": tuple(gravity.tolist())}


# --- What all worlds draw ---------------------------------------------------------------


def _axes(random: np.random.Generator) -> Any:
    """Three unit vectors at right angles: those of the coordinates, or turned."""
    if random.random() < 0.3:
        return np.eye(3)
    turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return turned.T


def _centre(random: np.random.Generator) -> Any:
    return random.choice([0.0, 1.0, 1.0, 30.0]) * random.normal(size=3)


def _gravity(room: _Room) -> Any:
    """Down in most worlds, else anywhere; none in some."""
    random = room.random
    strength = random.choice([0.0, 9.81, random.uniform(0.0, 25.0), random.uniform(0.0, 25.0)])
    return -strength * room.direction(random.choice([0.0, 0.0, 0.1, 5.0]), room.axes[1])


def _restitution(random: np.random.Generator) -> float:
    return float(random.choice([0.0, 0.5, 0.9, 1.0, random.random(), random.random()]))


# --- Arenas -------------------------------------------------------------------------------


def _box(room: _Room) -> list[AnyShape]:
    """Six walls, at right angles or not."""
    spread = room.random.choice([0.0, 0.0, 0.15])
    sizes = room.random.uniform(0.25, 0.5, 3) * WIDTH
    return [
        room.plane(room.direction(spread, sign * axis), size)
        for axis, size in zip(room.axes, sizes, strict=True)
        for sign in (1.0, -1.0)
    ]


def _corner(room: _Room) -> list[AnyShape]:
    """Three to five planes that face upwards: they make a corner, a trough, or a ridge."""
    random, up = room.random, room.axes[1]
    spread = random.choice([0.1, 0.5, 1.0])
    return [
        room.plane(room.direction(spread, up), random.uniform(0.1, 0.5) * WIDTH)
        for _ in range(random.integers(3, 6))
    ]


def _trough(room: _Room) -> list[AnyShape]:
    """Two planes, or two to four lying pillars, that make a groove, with ends or without."""
    random, (across, up, along) = room.random, room.axes
    along = room.direction(random.choice([0.0, 0.0, 0.1]), along)
    shapes: list[AnyShape] = []
    if random.random() < 0.5:
        for sign in (1.0, -1.0):
            angle = random.choice([0.25, 0.5, random.random()]) * np.pi / 2.0
            normal = np.cos(angle) * up + sign * np.sin(angle) * across
            shapes.append(room.plane(normal, 0.3 * WIDTH))
    else:
        for k in range(random.integers(2, 5)):
            at = room.centre + across * (k - 1.5) * 0.3 * WIDTH - up * 0.4 * WIDTH
            shapes.append(Cylinder(at, along, random.uniform(0.05, 0.14) * WIDTH))
    ends = [room.plane(sign * along, 0.5 * WIDTH) for sign in (1.0, -1.0)]
    return shapes + ends[: random.integers(0, 3)]


def _tube(room: _Room) -> list[AnyShape]:
    """A tube at any angle, open or closed, with up to two pillars through it."""
    random = room.random
    axis = room.direction(random.choice([0.0, 0.0, 0.2, 5.0]), room.axes[random.integers(3)])
    shapes: list[AnyShape] = [Cylinder(room.centre, axis, random.uniform(0.15, 0.5) * WIDTH)]
    spread = random.choice([0.0, 0.3])
    ends = [room.plane(room.direction(spread, sign * axis), 0.5 * WIDTH) for sign in (1.0, -1.0)]
    return shapes + ends[: random.integers(0, 3)] + _pillars(room, random.integers(0, 3))


def _anything(room: _Room) -> list[AnyShape]:
    """Planes and pillars at all angles."""
    random = room.random
    planes = random.integers(0, 4)
    faces = [room.direction(5.0, room.axes[1]) for _ in range(planes)]
    shapes: list[AnyShape] = [room.plane(n, random.uniform(0.1, 0.5) * WIDTH) for n in faces]
    return shapes + _pillars(room, random.integers(planes == 0, 4))


def _slope(room: _Room) -> list[AnyShape]:
    """One plane, inclined by 1e-12 to 89 degrees."""
    random, (across, up, _) = room.random, room.axes
    low = random.choice([-12.0, 0.0])
    angle = np.radians(min(10.0 ** random.uniform(low, 2.0), 89.0))
    return [room.plane(np.cos(angle) * up + np.sin(angle) * across, 0.1 * WIDTH)]


def _pillars(room: _Room, count: int) -> list[AnyShape]:
    random = room.random
    return [
        Cylinder(
            room.centre + 0.3 * WIDTH * random.normal(size=3),
            room.direction(random.choice([0.0, 5.0]), room.axes[random.integers(3)]),
            random.uniform(0.02, 0.2) * WIDTH,
        )
        for _ in range(count)
    ]


_ARENAS: list[Callable[[_Room], list[AnyShape]]] = [
    _box,
    _corner,
    _trough,
    _tube,
    _anything,
    _slope,
]


# --- Balls --------------------------------------------------------------------------------


class _Placed(NamedTuple):
    """Balls that are already there."""

    position: list[Any]
    radius: list[float]


def _balls(room: _Room, shapes: list[AnyShape], gravity: float) -> list[Ball]:
    """As many balls as find room, at most those that are wanted."""
    random = room.random
    wanted = int(random.choice([1, random.integers(2, 5), random.integers(5, 16)]))
    smallest, touching = random.choice([0.02, 0.08, 0.15]), random.choice([0.0, 0.0, 0.3, 0.9])
    speed = random.choice([0.0, 0.05, 0.5, 2.0]) * np.sqrt(max(gravity, 1.0) * WIDTH)
    placed, balls = _Placed([], []), []
    for _ in range(8 * wanted):
        radius = random.uniform(smallest, 0.17) * WIDTH
        at = room.centre + random.uniform(-0.5, 0.5, 3) * WIDTH
        normals: Any = np.empty((0, 3))
        if random.random() < touching:
            at, normals = _moved_into_contact(room, shapes, placed, at, radius)
        is_far = np.linalg.norm(at - room.centre) > _FAR
        if is_far or _overlaps(shapes, placed, at, radius):
            continue
        placed.position.append(at)
        placed.radius.append(radius)
        velocity = random.choice([0.0, 1.0, 1.0]) * speed * random.normal(size=3)
        if len(normals) and random.random() < 0.5:  # along what it touches
            velocity = velocity - np.linalg.pinv(normals) @ (normals @ velocity)
        mass = random.choice([1.0, radius**3, 10.0 ** random.uniform(-1.0, 1.0)])
        balls.append(Ball(at, velocity, radius, mass))
        if len(balls) == wanted:
            break
    return balls


def _moved_into_contact(
    room: _Room, shapes: list[AnyShape], placed: _Placed, at: Any, radius: float
) -> tuple[Any, Any]:
    """The place nearby where a ball touches one to three random things, and the normals there.

    Newton's method, with the smallest step that the linear equations allow.
    """
    count = len(shapes) + len(placed.radius)
    wanted = min(count, room.random.integers(1, 4))
    chosen = room.random.choice(count, wanted, replace=False)
    normals = np.empty((0, 3))
    for _ in range(12):
        gaps, normals = _gaps(shapes, placed, at, radius)
        gaps, normals = gaps[chosen], normals[chosen]
        at = at - np.linalg.pinv(normals, rcond=1e-6) @ gaps
    return at, normals


def _overlaps(shapes: list[AnyShape], placed: _Placed, at: Any, radius: float) -> bool:
    gaps, _ = _gaps(shapes, placed, at, radius)
    return bool((gaps < -1e-14 * WIDTH * (1.0 + np.abs(at).max())).any())


def _gaps(shapes: list[AnyShape], placed: _Placed, at: Any, radius: float) -> tuple[Any, Any]:
    """How far a ball is from all that there is, and the normals, towards it.

    A ball whose centre is inside a cylinder is in a tube.
    """
    gaps, normals = [], []
    for shape in shapes:
        (distance,), (normal,) = surface(shape, at[np.newaxis])
        inwards = isinstance(shape, Cylinder) and distance < 0.0
        gaps.append((-distance if inwards else distance) - radius)
        normals.append(-normal if inwards else normal)
    for centre, other in zip(placed.position, placed.radius, strict=True):
        apart = at - centre
        distance = max(float(np.linalg.norm(apart)), 1e-300)
        gaps.append(distance - radius - other)
        normals.append(apart / distance)
    return np.array(gaps), np.array(normals)
