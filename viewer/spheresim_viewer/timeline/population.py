"""What takes part in a playback, and under which settings: balls, obstacles, gravity, engine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spheresim.collision.constants import SLICES
from spheresim.model.balls import Ball, Balls
from spheresim.model.force_field import Field, HarmonicTrap, with_accelerations
from spheresim.model.labels import Labels, freely_numbered
from spheresim.model.materials import SMOOTH, Surfaces
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import State, World, packed_obstacles, with_surfaces
from spheresim.model.thermostat import Thermostat
from spheresim.numerics.arguments import finite_vector, number
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector
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
    obstacles: with their names; given: the balls as columns, with all else that they have; scene:
    where they come from, or None.
    """

    radius: Floats
    mass: Floats
    restitution: Floats
    names: tuple[str, ...]
    colors: tuple[str | None, ...]
    obstacles: tuple[Obstacle, ...]
    given: Balls
    scene: Scene | None = None

    @classmethod
    def of_scene(cls, scene: Scene) -> "Population":
        """The balls and obstacles of a scene."""
        return cls.of_balls(scene.balls, scene.obstacles)._replace(scene=scene)

    @classmethod
    def of_balls(cls, balls: Sequence[Ball], obstacles: Sequence[Obstacle] = ()) -> "Population":
        """Loose balls and obstacles; those without a name are numbered."""
        columns = Balls.of(balls).freely_numbered()
        return cls(
            np.array(columns.radius),
            np.array(columns.mass),
            np.array(columns.restitution),
            tuple(map(str, columns.name)),
            tuple(columns.color),
            tuple(o._replace(name=o.name or f"obstacle {k}") for k, o in enumerate(obstacles)),
            columns,
        )

    def joined_by(self, balls: Sequence[Ball]) -> "Population":
        """The same population with more balls at the end."""
        new = Population.of_balls(balls)
        names = freely_numbered(Labels.of([*self.names, *(ball.name for ball in balls)]))
        return self._replace(
            radius=np.concatenate([self.radius, new.radius]),
            mass=np.concatenate([self.mass, new.mass]),
            restitution=np.concatenate([self.restitution, new.restitution]),
            names=tuple(map(str, names)),
            colors=self.colors + new.colors,
            given=self.given + new.given,
        )

    @property
    def obstacle_names(self) -> tuple[str, ...]:
        """The obstacles' names, in the order of their indices."""
        return tuple(obstacle.name or "" for obstacle in self.obstacles)

    @property
    def thermostat(self) -> Thermostat | None:
        """The heat bath that balls meet, if there is one."""
        return None if self.scene is None else self.scene.thermostat

    @property
    def trap(self) -> HarmonicTrap | None:
        """The harmonic trap in which the balls are, if there is one."""
        return None if self.scene is None else self.scene.trap

    @property
    def field(self) -> Field | None:
        """What accelerates balls beside gravity."""
        return with_accelerations(self.trap, self.given.acceleration)

    def accelerations(self, world: World, state: State) -> Floats:
        """Those of all balls in a state, (3,) or (n, 3)."""
        gravity = np.array(world.gravity)
        if self.field is None:
            return gravity
        return gravity + self.field(float(state.time[0]), state.position, state.velocity)

    def surfaces(self, settings: Settings) -> Surfaces:
        """What its surfaces do under some settings."""
        given = self.scene.surfaces if self.scene else SMOOTH
        if settings.restitution is None or not given.materials:
            return given
        e = settings.restitution
        materials = tuple(replace(material, restitution=e) for material in given.materials)
        pairs = tuple(replace(pair, restitution=None) for pair in given.pairs)
        return replace(given, materials=materials, pairs=pairs)

    def world(self, settings: Settings) -> World:
        """The `World` of this population under some settings."""
        of_balls, placed = self.restitution, self.obstacles
        if settings.restitution is not None:
            e = number(settings.restitution, "restitution", 0.0, 1.0)
            of_balls = np.full(len(of_balls), e)
            placed = tuple(obstacle._replace(restitution=e) for obstacle in placed)
        obstacles, walls = packed_obstacles(placed)
        gravity = finite_vector(settings.gravity, "gravity")
        world = World(self.radius, self.mass, of_balls, obstacles, gravity, walls=walls)
        if self.scene is None:
            return world
        world = world._replace(box=self.scene.box, rest=self.scene.rest)
        surfaces, turns = self.surfaces(settings), self.scene.has_spin
        return with_surfaces(world, surfaces, self.given, self.obstacles, turns)

    def placed_obstacles(self, world: World) -> list[Obstacle]:
        """The obstacles with the restitution that they have in a world."""
        return [
            obstacle._replace(restitution=float(world.obstacles.restitution[row]))
            for obstacle, row in zip(self.obstacles, world.obstacles.first_rows(), strict=True)
        ]

    def balls(
        self,
        world: World,
        position: Floats,
        velocity: Floats,
        angular_velocity: Floats | None = None,
    ) -> Balls:
        """The balls with positions and velocities, shape (n, 3) each."""
        turning = None if angular_velocity is None else np.array(angular_velocity)
        return self.given.replaced(
            position=np.array(position),
            velocity=np.array(velocity),
            restitution=np.array(world.restitution),
            name=Labels.of(self.names),
            angular_velocity=turning,
        )
