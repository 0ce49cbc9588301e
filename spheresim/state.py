"""What never moves (`World`), what moves (`State`), and the ball as a person sees it."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from spheresim.arguments import finite_vector, number, positive
from spheresim.shapes.cylinder import Cylinder
from spheresim.shapes.obstacles import Obstacles, pack
from spheresim.shapes.plane import Plane
from spheresim.vector import TVector, VectorLike


class Ball:
    """A ball to put into a simulation, or to ask for a time of impact.

    >>> Ball((0, 1, 0), velocity=(2, 0, 0), radius=0.5)
    Ball((0.0, 1.0, 0.0), velocity=(2.0, 0.0, 0.0), radius=0.5, mass=1.0, restitution=1.0)
    """

    __slots__ = ("color", "mass", "name", "position", "radius", "restitution", "velocity")

    def __init__(
        self,
        position: VectorLike,
        velocity: VectorLike = (0.0, 0.0, 0.0),
        radius: float | None = None,
        mass: float = 1.0,
        restitution: float = 1.0,
        name: str | None = None,
        color: str | None = None,
    ) -> None:
        if radius is None:
            raise TypeError("a ball needs a radius")
        self.position = finite_vector(position, "a ball's position")
        self.velocity = finite_vector(velocity, "a ball's velocity")
        self.radius = positive(radius, "a ball's radius")
        self.mass = positive(mass, "a ball's mass")
        self.restitution = number(restitution, "a ball's restitution", 0.0, 1.0)
        self.name = name
        self.color = color

    @classmethod
    def made(
        cls,
        position: Sequence[float],
        velocity: Sequence[float],
        radius: float,
        mass: float,
        restitution: float,
        color: str | None,
    ) -> "Ball":
        """A ball of floats that are known to be sound: for a million, asking takes seconds."""
        ball = object.__new__(cls)
        ball.position = tuple.__new__(TVector, position)
        ball.velocity = tuple.__new__(TVector, velocity)
        ball.radius, ball.mass, ball.restitution = radius, mass, restitution
        ball.name, ball.color = None, color
        return ball

    def __repr__(self) -> str:
        return (
            f"Ball({tuple(self.position)}, velocity={tuple(self.velocity)}, "
            f"radius={self.radius}, mass={self.mass}, restitution={self.restitution})"
        )


class Obstacle(NamedTuple):
    """A shape with what it does to balls; a bare shape has restitution 1."""

    shape: Plane | Cylinder
    restitution: float = 1.0
    name: str | None = None


class Box(NamedTuple):
    """A box from the corner `low`, of the lengths `size`, periodic along x, y, z or not."""

    low: TVector
    size: TVector
    periodic: tuple[bool, bool, bool] = (True, True, True)


class World(NamedTuple):
    """What never moves: radius, mass, restitution, each of shape (n,); obstacles; gravity;
    the box, or None in open space."""

    radius: Any
    mass: Any
    restitution: Any
    obstacles: Obstacles
    gravity: TVector
    box: Box | None = None


class State(NamedTuple):
    """What moves: time, shape (1,); position and velocity of shape (n, 3)."""

    time: Any
    position: Any
    velocity: Any


class BallView:
    """One ball of a state: reads as an object, writes through to the arrays."""

    __slots__ = ("_state", "_world", "index", "name")

    def __init__(self, world: World, state: State, index: int, name: str) -> None:
        self._world = world
        self._state = state
        self.index = index
        self.name = name

    @property
    def position(self) -> TVector:
        """Where the centre is."""
        return TVector(self._state.position[self.index])

    @position.setter
    def position(self, position: VectorLike) -> None:
        self._state.position[self.index] = finite_vector(position, f"{self.name}: position")

    @property
    def velocity(self) -> TVector:
        """How fast it moves, and where to."""
        return TVector(self._state.velocity[self.index])

    @velocity.setter
    def velocity(self, velocity: VectorLike) -> None:
        self._state.velocity[self.index] = finite_vector(velocity, f"{self.name}: velocity")

    @property
    def radius(self) -> float:
        """Never changes during a run."""
        return float(self._world.radius[self.index])

    @property
    def mass(self) -> float:
        """Never changes during a run."""
        return float(self._world.mass[self.index])

    @property
    def restitution(self) -> float:
        """Never changes during a run."""
        return float(self._world.restitution[self.index])

    def __repr__(self) -> str:
        return (
            f"<{self.name}: position {tuple(self.position)}, velocity {tuple(self.velocity)}, "
            f"radius {self.radius}>"
        )


def rows_of(vectors: Sequence[TVector]) -> Any:
    """Vectors as an (n, 3) array: six times as fast as `np.array`, for a million."""
    components = chain.from_iterable(vectors)
    return np.fromiter(components, dtype=np.float64, count=3 * len(vectors)).reshape(-1, 3)


def build(
    balls: Sequence[Ball],
    obstacles: Sequence[Obstacle],
    gravity: TVector,
    box: Box | None = None,
) -> tuple[World, State]:
    """Lay balls and obstacles out as arrays, at time 0."""
    world = World(
        radius=np.array([ball.radius for ball in balls]),
        mass=np.array([ball.mass for ball in balls]),
        restitution=np.array([ball.restitution for ball in balls]),
        obstacles=pack(
            [obstacle.shape for obstacle in obstacles],
            [obstacle.restitution for obstacle in obstacles],
        ),
        gravity=gravity,
        box=box,
    )
    state = State(
        time=np.zeros(1),
        position=rows_of([ball.position for ball in balls]),
        velocity=rows_of([ball.velocity for ball in balls]),
    )
    return world, state
