"""What takes part in a playback, and under which settings: balls, obstacles, gravity, engine."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.constants import SLICES
from spheresim.model.balls import Ball, Balls
from spheresim.model.labels import Labels
from spheresim.model.state import Obstacle, World
from spheresim.numerics.arguments import finite_vector, number
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import pack
from spheresim.scene import Scene


class Settings(NamedTuple):
    """What can be changed while time runs.

    restitution: one for all balls and obstacles, or None to leave each its own.
    """

    gravity: TVector
    restitution: float | None = None
    engine: str = "steps"
    toi: str = "analytic"
    slices: int = SLICES


class Population(NamedTuple):
    """The balls and obstacles of a playback.

    radius, mass, restitution: shape (n,); names, colors ("#rrggbb" or None): of the balls;
    obstacles: with their names; scene: where they come from, or None.
    """

    radius: Any
    mass: Any
    restitution: Any
    names: tuple[str, ...]
    colors: tuple[str | None, ...]
    obstacles: tuple[Obstacle, ...]
    scene: Scene | None = None

    @classmethod
    def of_scene(cls, scene: Scene) -> "Population":
        """The balls and obstacles of a scene."""
        return cls.of_balls(scene.balls, scene.obstacles)._replace(scene=scene)

    @classmethod
    def of_balls(cls, balls: Sequence[Ball], obstacles: Sequence[Obstacle] = ()) -> "Population":
        """Loose balls and obstacles; those without a name are numbered."""
        columns = Balls.of(balls).numbered()
        return cls(
            np.array(columns.radius),
            np.array(columns.mass),
            np.array(columns.restitution),
            tuple(map(str, columns.name)),
            tuple(columns.color),
            tuple(o._replace(name=o.name or f"obstacle {k}") for k, o in enumerate(obstacles)),
        )

    def joined_by(self, balls: Sequence[Ball]) -> "Population":
        """The same population with more balls at the end."""
        n = len(self.radius)
        new = Population.of_balls(balls)
        names = tuple(ball.name or f"ball {n + i}" for i, ball in enumerate(balls))
        return self._replace(
            radius=np.concatenate([self.radius, new.radius]),
            mass=np.concatenate([self.mass, new.mass]),
            restitution=np.concatenate([self.restitution, new.restitution]),
            names=self.names + names,
            colors=self.colors + new.colors,
        )

    @property
    def obstacle_names(self) -> tuple[str, ...]:
        """The obstacles' names, in the order of their indices."""
        return tuple(obstacle.name or "" for obstacle in self.obstacles)

    def world(self, settings: Settings) -> World:
        """The `World` of this population under some settings."""
        of_balls = self.restitution
        of_obstacles = [obstacle.restitution for obstacle in self.obstacles]
        if settings.restitution is not None:
            e = number(settings.restitution, "restitution", 0.0, 1.0)
            of_balls, of_obstacles = np.full(len(of_balls), e), [e] * len(of_obstacles)
        obstacles = pack([obstacle.shape for obstacle in self.obstacles], of_obstacles)
        gravity = finite_vector(settings.gravity, "gravity")
        world = World(self.radius, self.mass, of_balls, obstacles, gravity)
        return world._replace(box=self.scene.box, rest=self.scene.rest) if self.scene else world

    def placed_obstacles(self, world: World) -> list[Obstacle]:
        """The obstacles with the restitution that they have in a world."""
        return [
            obstacle._replace(restitution=float(world.obstacles.restitution[row]))
            for obstacle, row in zip(self.obstacles, world.obstacles.first_rows(), strict=True)
        ]

    def balls(self, world: World, position: Any, velocity: Any) -> Balls:
        """The balls with positions and velocities, shape (n, 3) each."""
        return Balls(
            np.array(position),
            np.array(velocity),
            np.array(world.radius),
            np.array(world.mass),
            np.array(world.restitution),
            Labels.of(self.names),
            Labels.of(self.colors),
        )
