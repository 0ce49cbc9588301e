"""What can be asked of a simulation at any time: its state, its balls, what is in contact."""

from collections.abc import Sequence
from typing import Any

from spheresim.analysis import energy as analysis
from spheresim.collision.impacts import Tally, added
from spheresim.contact.contact_table import contact_table
from spheresim.engines.engine import Engine
from spheresim.model.ball_views import NO_SPINS, BallViews
from spheresim.model.balls import Balls
from spheresim.model.force_field import ConstantAccelerations, Field, HarmonicTrap
from spheresim.model.labels import Labels
from spheresim.model.materials import Surfaces
from spheresim.model.state import Obstacle, State, World
from spheresim.numerics.arguments import finite_rows
from spheresim.numerics.vector import TVector
from spheresim.obstacles.walls.report import wall_table


class SimulationState:
    """The part of `Simulation` that is looked at, and whose state is written into."""

    __slots__ = (
        *("_balls", "_colors", "_counted", "_engine"),
        *("_field", "_obstacles", "_slices", "_surfaces", "_world"),
    )

    _balls: BallViews
    _colors: Labels
    _counted: Tally
    _engine: Engine
    _field: Field | None
    _obstacles: tuple[Obstacle, ...]
    _slices: int
    _surfaces: Surfaces
    _world: World

    @property
    def time(self) -> float:
        """The time that the state is at."""
        return self._engine.state.now

    @property
    def engine(self) -> str:
        """The name of the engine that runs it."""
        return self._engine.name

    @property
    def step(self) -> float:
        """The fixed timestep."""
        return self._engine.step

    @property
    def slices(self) -> int:
        """Into how many slices a step is cut where impacts of balls are found so."""
        return self._slices

    @property
    def field(self) -> Field | None:
        """The function that accelerates the balls beside gravity, if there is one."""
        return self._field

    @property
    def colors(self) -> Labels:
        """How the balls are drawn: "#rrggbb", or None."""
        return self._colors

    @property
    def position(self) -> Any:
        """Centres, shape (n, 3): the array that moves, and what is written into it is adopted.

        A row of it goes on moving, too: to keep where a ball is now, keep a copy,
        `simulation.position[0].copy()`, or `simulation.balls[0].position`, which is one.
        """
        return self._engine.state.position

    @position.setter
    def position(self, position: Any) -> None:
        here = self.position
        here[:] = finite_rows(position, here.shape, "position")

    @property
    def velocity(self) -> Any:
        """Velocities, shape (n, 3): like `position` the array that moves; keep a `.copy()`."""
        return self._engine.state.velocity

    @velocity.setter
    def velocity(self, velocity: Any) -> None:
        here = self.velocity
        here[:] = finite_rows(velocity, here.shape, "velocity")

    @property
    def angular_velocity(self) -> Any:
        """Angular velocities, shape (n, 3), in radians per time: like `velocity` the array that
        changes. None where spins are not followed: all surfaces are smooth, and no ball turned at
        the start."""
        return self._engine.state.angular_velocity

    @angular_velocity.setter
    def angular_velocity(self, angular_velocity: Any) -> None:
        here = self.angular_velocity
        if here is None:
            raise ValueError(NO_SPINS)
        here[:] = finite_rows(angular_velocity, here.shape, "angular_velocity")

    @property
    def surfaces(self) -> Surfaces:
        """How rough surfaces are, and the materials."""
        return self._surfaces

    @property
    def balls(self) -> BallViews:
        """The balls as objects."""
        return self._balls

    @property
    def world(self) -> World:
        """Radii, masses, obstacles and all else that does not move, nor can be written to."""
        return self._world.read_only()

    @property
    def state(self) -> State:
        """Time, positions and velocities as arrays; the time cannot be written to."""
        return self._engine.state.shown()

    def current(self) -> State:
        """Time, positions and velocities as they are, to be read at once: nobody keeps a view."""
        return self._engine.state.current()

    @property
    def obstacle_names(self) -> Sequence[str]:
        """The obstacles' names in the order of their indices."""
        return tuple(str(obstacle.name) for obstacle in self._obstacles)

    @property
    def obstacles(self) -> Sequence[Obstacle]:
        """The obstacles, with their names, in the order of their indices."""
        return self._obstacles

    @property
    def tally(self) -> Tally:
        """How many steps, impacts and answers to inelastic collapse there have been."""
        return added(self._counted, self._engine.tally)

    def energy(self) -> float:
        """Kinetic energy, of spins too, and potential energy, of gravity and of a field that has
        a potential."""
        state = self._engine.state.current()
        energy = analysis.energy(self._world, state)
        if isinstance(self._field, HarmonicTrap | ConstantAccelerations):
            energy += self._field.energy(self._world.mass, state.position)
        return energy

    def momentum(self) -> TVector:
        """The sum of all momenta."""
        return analysis.momentum(self._world, self._engine.state.current())

    @property
    def asleep(self) -> Any:
        """Which balls rest, (n,) bool: in a pile, on a proof of rest, or on obstacles alone."""
        return self._engine.asleep

    @property
    def sliding(self) -> Any:
        """Which balls slide, (n,) bool: they move along obstacles that hold them."""
        return self._engine.sliding

    @property
    def contacts(self) -> Any:
        """The contacts that last, as a table: i, j, obstacle, x, y, z, nx, ny, nz, force.

        x, y, z is where they touch, the normal points to ball i, and `force` pushes i along it:
        those of all balls that rest balance their weights. `j` is -1 for an obstacle.
        """
        return contact_table(
            self._engine.contacts, self.position, self._world.radius, self.obstacle_names
        )

    @property
    def walls(self) -> Any:
        """The obstacles that move or are warm, as a table: obstacle, impacts, work, heat, x, …, vz.

        work and heat: the energy that each has given to balls, by its motion and by its
        temperature; x, y, z: how far it is from where it was at t = 0; vx, vy, vz: its velocity;
        degrees: by how much it has turned, from −180 to 180.
        """
        return wall_table(self._world.walls, self._engine.walls, self.time, self.obstacle_names)

    @property
    def wall_records(self) -> Any:
        """What is kept of the obstacles that move or are warm, see `WALL_FIELDS`: a copy."""
        return self._engine.walls

    def take_walls(self, records: Any) -> None:
        """Go on with `wall_records` of another simulation of the same obstacles."""
        self._engine.take_walls(records)

    @property
    def fault(self) -> str | None:
        """Why the engine cannot go on, or None."""
        return self._engine.fault

    @property
    def snapshots(self) -> Any:
        """Running sums for the figures of a gas, see `gas_figures`; None if there are none."""
        return self._engine.snapshots

    def change_engine(self, world: World, engine: Engine, balls: Balls) -> None:
        """Go on with another engine, for other balls; what was counted goes on."""
        self._counted = added(self._counted, self._engine.tally)
        engine.take_walls(self._engine.walls)
        self._world, self._engine = world, engine
        self._balls = BallViews(world, engine.state, balls.name, balls.material)
        self._colors = balls.color
