"""What never moves (`World`) and what moves (`State`), as arrays."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.friction_and_restitution import Materials, NoMaterials
from spheresim.compiler.by_reference import by_reference
from spheresim.contact.thresholds import USUAL_THRESHOLDS, Thresholds
from spheresim.model.balls import Ball, Balls
from spheresim.model.labels import Labels
from spheresim.model.materials import (
    SMOOTH,
    SOLID_SPHERE,
    Surfaces,
    read_only_materials,
)
from spheresim.model.obstacle import Obstacle
from spheresim.numerics.arguments import LARGEST_INPUT, finite_vector, number
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import read_only
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.driven_walls.moving_walls import (
    ALL_COMPONENTS,
    COOL,
    NO_WALLS,
    DrivenWalls,
    walls_of,
)
from spheresim.obstacles.driven_walls.placement import PISTON
from spheresim.obstacles.table import Obstacles, pack

NO_MATERIALS_WITH_WALLS = "is a piston or warm, which does not go with materials and spins yet"


class _LowSizePeriodic(NamedTuple):
    low: TVector
    size: TVector
    periodic: tuple[bool, bool, bool]
    shear_rate: float


class Box(_LowSizePeriodic):
    """The box of a simulation, periodic along x, y or z.

    low: the corner with the smallest coordinates, (3,) [length]; size: the three lengths of the
    sides, required [length]; periodic: one bool for all three axes, or three bools. shear_rate
    [1/time]: the gradient of a flow along x with the velocity shear_rate · y. The periodic images
    of the box above and below it move with this flow (Lees and Edwards, 1972); at time 0 they are
    straight above and below. A shear rate needs a box that is periodic along x and y. ValueError or
    TypeError for wrong values.

    >>> box = Box(size=(4, 5, 6))
    >>> box.low, box.periodic
    (TVector(x=0.0, y=0.0, z=0.0), (True, True, True))
    >>> Box((-2, -2, 0), (4, 4, 9), periodic=(True, True, False)).is_periodic
    True
    """

    __slots__ = ()

    def __new__(
        cls,
        low: VectorLike = (0.0, 0.0, 0.0),
        size: VectorLike | None = None,
        periodic: bool | Sequence[bool] = True,
        shear_rate: float = 0.0,
    ) -> "Box":
        if size is None:
            raise TypeError("a box needs its size, three lengths: Box(size=(40, 40, 40))")
        lengths = finite_vector(size, "a box's size")
        if min(lengths) <= 0.0:
            raise ValueError(f"a box's size must be greater than 0, not {tuple(lengths)}")
        three: Any = periodic if hasattr(periodic, "__len__") else [periodic] * 3
        wraps = list(three)
        if len(wraps) != 3 or not all(isinstance(along, bool | np.bool_) for along in wraps):
            raise TypeError(f"a box's periodic must be one bool or three of them, not {periodic!r}")
        x, y, z = map(bool, wraps)
        rate = number(shear_rate, "a box's shear_rate", low=-LARGEST_INPUT, high=LARGEST_INPUT)
        if rate != 0.0 and not (x and y):
            raise ValueError(
                f"a box with a shear_rate must be periodic along x and y, not {(x, y, z)}"
            )
        low = finite_vector(low, "a box's low corner")
        return super().__new__(cls, low, lengths, (x, y, z), rate)

    @property
    def is_periodic(self) -> bool:
        """Whether space repeats itself along any axis."""
        return any(self.periodic)

    @property
    def is_sheared(self) -> bool:
        """Whether the box has a shear rate."""
        return self.shear_rate != 0.0


@by_reference
class World(NamedTuple):
    """What does not change: radius, mass, restitution, each of shape (n,); obstacles; gravity;
    the box, or None in open space; rest: when contacts last, and when balls sleep and wake;
    materials: `Materials` or `NoMaterials`; walls: which obstacles move and are warm,
    `DrivenWalls` or `NoDrivenWalls`. The restitution of what is of a material is that of its
    slowest impacts."""

    radius: Floats
    mass: Floats
    restitution: Floats
    obstacles: Obstacles
    gravity: TVector
    box: Box | None = None
    rest: Thresholds = USUAL_THRESHOLDS
    materials: Materials = NoMaterials()
    walls: DrivenWalls = NO_WALLS

    @property
    def has_walls(self) -> bool:
        """Whether an obstacle moves or is warm."""
        return isinstance(self.walls, DrivenWalls)

    @property
    def walls_hold_balls(self) -> bool:
        """Whether contact with obstacles may last: always, unless one is pushed, as pistons are, or
        warm."""
        walls = self.walls
        return not self.has_walls or bool(((walls.kind != PISTON) & (walls.draws == COOL)).all())

    @property
    def turns_velocities(self) -> bool:
        """Whether impacts on obstacles change velocities along them, as warm ones do."""
        return self.has_walls and bool((self.walls.draws == ALL_COMPONENTS).any())

    @property
    def is_elastic(self) -> bool:
        """Whether no restitution is below 1, so that bounces go on for ever."""
        least = min(self.restitution.min(), self.obstacles.restitution.min(initial=1.0))
        return bool(least >= 1.0 and (not self._has_materials or self.materials.is_elastic))

    @property
    def is_lossless(self) -> bool:
        """Whether no impact takes any energy."""
        return self.is_elastic and (not self._has_materials or self.materials.is_lossless)

    @property
    def has_spin(self) -> bool:
        """Whether spins are followed: surfaces rub, or a ball turned at the start."""
        return self._has_materials and self.materials.has_spin

    @property
    def inertia(self) -> Floats:
        """The moments of inertia of the balls, (n,)."""
        return self.inertia_factor * self.mass * self.radius**2

    @property
    def inertia_factor(self) -> Floats:
        """The same in units of mass·radius²; without materials those of solid spheres."""
        if self._has_materials:
            return self.materials.inertia_factor
        return np.full(len(self.radius), SOLID_SPHERE)

    @property
    def _has_materials(self) -> bool:
        return isinstance(self.materials, Materials)

    def read_only(self) -> "World":
        """The same, of which no array can be written to."""
        obstacles = self.obstacles.read_only()
        radius, mass, restitution = map(read_only, (self.radius, self.mass, self.restitution))
        materials = read_only_materials(self.materials)
        return self._replace(
            radius=radius,
            mass=mass,
            restitution=restitution,
            obstacles=obstacles,
            materials=materials,
            walls=DrivenWalls(*map(read_only, self.walls)) if self.has_walls else NO_WALLS,
        )


class _TimePositionVelocity(NamedTuple):
    time: Floats
    position: Floats
    velocity: Floats


class State(_TimePositionVelocity):
    """What moves: time, shape (1,); position and velocity of shape (n, 3).

    angular_velocity: likewise where spins are followed, else None. It is none of the three that the
    tuple consists of.
    """

    angular_velocity: Floats | None

    def __new__(
        cls,
        time: Floats,
        position: Floats,
        velocity: Floats,
        angular_velocity: Floats | None = None,
    ) -> "State":
        state = super().__new__(cls, time, position, velocity)
        state.angular_velocity = angular_velocity
        return state

    def copy(self) -> "State":
        """The same, in arrays of its own."""
        spin = self.angular_velocity
        time, position, velocity = map(np.copy, self)
        return State(time, position, velocity, None if spin is None else spin.copy())


def check_range(state: State) -> None:
    """Refuse positions and velocities that are not finite, or so large that formulas overflow."""
    for what in ("position", "velocity", "angular_velocity"):
        array = getattr(state, what)
        if array is None:
            continue
        wrong = np.nonzero(~(np.abs(array) <= LARGEST_INPUT).all(axis=1))[0]
        if len(wrong):
            row = array[wrong[0]]
            bounds = f"from {-LARGEST_INPUT:g} to {LARGEST_INPUT:g}"
            expected = bounds if np.isfinite(row).all() else "finite"
            raise ValueError(
                f"the {what} of ball {wrong[0]} must be {expected}, not {tuple(row.tolist())}"
            )


def packed_obstacles(
    obstacles: Sequence[Obstacle],
) -> tuple[Obstacles, DrivenWalls]:
    """The fields `obstacles` and `walls` of a world with these obstacles."""
    moves = [obstacle.motion is not None for obstacle in obstacles]
    packed = pack(
        [obstacle.shape for obstacle in obstacles],
        [obstacle.restitution for obstacle in obstacles],
        moves if any(obstacle.is_wall for obstacle in obstacles) else None,
    )
    motions, thermals = [o.motion for o in obstacles], [o.thermal for o in obstacles]
    return packed, walls_of(packed, motions, thermals)


def build(
    balls: Sequence[Ball],
    obstacles: Sequence[Obstacle],
    gravity: TVector,
    box: Box | None = None,
    rest: Thresholds = USUAL_THRESHOLDS,
    surfaces: Surfaces = SMOOTH,
    turns: bool = False,
) -> tuple[World, State]:
    """Lay balls and obstacles out as arrays, at time 0; ValueError for numbers out of range, and
    for a material that is not among `surfaces`.

    turns: whether spins are followed even where surfaces are smooth and no ball turns.
    """
    # Copies: a world must not change with what the caller passed in.
    balls = Balls.of(balls)
    packed, walls = packed_obstacles(obstacles)
    world = World(
        radius=np.array(balls.radius),
        mass=np.array(balls.mass),
        restitution=np.array(balls.restitution),
        obstacles=packed,
        gravity=gravity,
        box=box,
        rest=rest,
        walls=walls,
    )
    world = with_surfaces(world, surfaces, balls, obstacles, turns)

    # What moves starts in memory of its own, rows together.
    state = State(
        time=np.zeros(1),
        position=np.array(balls.position, order="C"),
        velocity=np.array(balls.velocity, order="C"),
        angular_velocity=np.array(balls.angular_velocity, order="C") if world.has_spin else None,
    )
    check_range(state)
    return world, state


def with_surfaces(
    world: World,
    surfaces: Surfaces,
    balls: Balls,
    obstacles: Sequence[Obstacle],
    turns: bool = False,
) -> World:
    """The world with what its surfaces are made of; as it is where that changes nothing."""
    of_obstacles = [obstacle.material for obstacle in obstacles]
    of_balls: Labels | list[str | None] = [None] * len(balls)
    if balls.material.has_any():
        of_balls = balls.material
    of_rows = [of_obstacles[owner] for owner in world.obstacles.owner]
    own = np.concatenate([world.restitution, world.obstacles.restitution])
    materials = surfaces.packed(
        *(of_balls, of_rows, own, world.radius, world.mass, balls.inertia_factor),
        turns=turns or bool(balls.angular_velocity.any()),
    )
    if isinstance(materials, NoMaterials):
        return world
    for obstacle in obstacles:
        if obstacle.is_piston_or_warm:
            raise ValueError(f"{obstacle.name} {NO_MATERIALS_WITH_WALLS}")
    restitution = surfaces.slow_restitution([*of_balls, *of_rows], own)
    n = len(world.radius)
    return world._replace(
        restitution=restitution[:n].copy(),
        obstacles=world.obstacles._replace(restitution=restitution[n:].copy()),
        materials=materials,
    )
