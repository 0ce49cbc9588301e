"""What a simulation returns at any time: its state, its balls, what is in contact."""

from collections.abc import Sequence

import numpy.typing as npt

from spheresim.analysis import drift as analysis
from spheresim.collision.impacts import Tally, added
from spheresim.contact.contact_table import contact_table
from spheresim.engines.engine_protocol import Engine
from spheresim.model.ball_views import NO_SPINS, BallViews
from spheresim.model.balls import Balls
from spheresim.model.force_field import Field, own_accelerations
from spheresim.model.labels import Labels
from spheresim.model.materials import Surfaces
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import State, World
from spheresim.model.thermostat import Thermostat
from spheresim.numerics.arguments import finite_rows
from spheresim.numerics.arrays import Booleans, Floats, Integers, Records
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.report import wall_table


class SimulationState:
    """The part of `Simulation` that is looked at, and whose state is written into."""

    __slots__ = (
        *("_balls", "_colors", "_counted", "_engine"),
        *("_field", "_obstacles", "_slices", "_surfaces", "_thermostat", "_world"),
    )

    _balls: BallViews
    _colors: Labels
    _counted: Tally
    _engine: Engine
    _field: Field | None
    _obstacles: tuple[Obstacle, ...]
    _slices: int
    _surfaces: Surfaces
    _thermostat: Thermostat | None
    _world: World

    @property
    def time(self) -> float:
        """The time of the present state [time]."""
        return self._engine.state.now

    @property
    def engine(self) -> str:
        """The name of the engine: "steps" or "events"."""
        return self._engine.name

    @property
    def step(self) -> float:
        """The fixed timestep of the engine "steps" [time]."""
        return self._engine.step

    @property
    def slices(self) -> int:
        """The number of slices of a step, for the engine "steps" with sliced times of impact."""
        return self._slices

    @property
    def field(self) -> Field | None:
        """The force field that is added to gravity, or None."""
        return self._field

    @property
    def gravity(self) -> TVector:
        """The acceleration of all balls [length/time²], which is constant."""
        return self._world.gravity

    @gravity.setter
    def gravity(self, _gravity: object) -> None:
        raise AttributeError(
            "the gravity of a simulation is constant: make a new Simulation, or give it a field, a "
            "function of time"
        )

    @property
    def thermostat(self) -> Thermostat | None:
        """The heat bath that balls meet, if there is one."""
        return self._thermostat

    @property
    def colors(self) -> Labels:
        """The colors of the balls in the viewer: "#rrggbb", or None for the viewer's choice."""
        return self._colors

    @property
    def position(self) -> Floats:
        """The centres of the balls, (n, 3) [length]: a view, which changes as time advances.

        Values written into it change the simulation. Its rows are views too. For a constant value
        take a copy, `simulation.position[0].copy()`, or `simulation.balls[0].position`, which is a
        copy.
        """
        return self._engine.state.position

    @position.setter
    def position(self, position: npt.ArrayLike) -> None:
        here = self.position
        here[:] = finite_rows(position, here.shape, "position")

    @property
    def velocity(self) -> Floats:
        """The velocities of the balls, (n, 3) [length/time]: a view; a copy stays as it is."""
        return self._engine.state.velocity

    @velocity.setter
    def velocity(self, velocity: npt.ArrayLike) -> None:
        here = self.velocity
        here[:] = finite_rows(velocity, here.shape, "velocity")

    @property
    def angular_velocity(self) -> Floats | None:
        """The angular velocities of the balls, (n, 3) [rad/time]: a view, like `position`.

        None if spins are not simulated: all surfaces are smooth, and no ball turned at the start.
        """
        return self._engine.state.angular_velocity

    @angular_velocity.setter
    def angular_velocity(self, angular_velocity: npt.ArrayLike) -> None:
        here = self.angular_velocity
        if here is None:
            raise ValueError(NO_SPINS)
        here[:] = finite_rows(angular_velocity, here.shape, "angular_velocity")

    @property
    def surfaces(self) -> Surfaces:
        """The roughness and the materials of all surfaces."""
        return self._surfaces

    @property
    def balls(self) -> BallViews:
        """The balls as objects; `balls[i]` reads and writes row i of the arrays."""
        return self._balls

    @property
    def world(self) -> World:
        """Radii, masses, obstacles and all other constant data, read-only."""
        return self._world.read_only()

    @property
    def state(self) -> State:
        """Time, positions and velocities as arrays; the time cannot be written to."""
        return self._engine.state.shown()

    def current(self) -> State:
        """Time, positions and velocities, for reading at once: later calls overwrite them."""
        return self._engine.state.current()

    @property
    def obstacle_names(self) -> Sequence[str]:
        """The names of the obstacles, in the order of their indices."""
        return tuple(str(obstacle.name) for obstacle in self._obstacles)

    @property
    def obstacles(self) -> Sequence[Obstacle]:
        """The obstacles, with their names, in the order of their indices."""
        return self._obstacles

    @property
    def tally(self) -> Tally:
        """The numbers of steps, impacts and answers to inelastic collapse so far."""
        return added(self._counted, self._engine.tally)

    def energy(self) -> float:
        """The total energy [mass·length²/time²]: kinetic, rotational and potential.

        The potential energy is that of gravity, and of a field that is a `HarmonicTrap` or
        `ConstantAccelerations`.
        """
        return analysis.energy(self._world, self._engine.state.current(), self._field)

    def momentum(self) -> TVector:
        """The sum of the momenta of all balls [mass·length/time]."""
        return analysis.momentum(self._world, self._engine.state.current())

    @property
    def asleep(self) -> Booleans:
        """Which balls sleep, (n,) bool: at rest on obstacles alone, or in a pile by a proof."""
        return self._engine.asleep

    @property
    def sliding(self) -> Booleans:
        """Which balls slide, (n,) bool: they move along obstacles on which they lie."""
        return self._engine.sliding

    @property
    def contacts(self) -> Records:
        """The lasting contacts as a record array: i, j, obstacle, x, y, z, nx, ny, nz, force.

        i: a ball; j: another ball, -1 for an obstacle; obstacle: its name; x, y, z: the point of
        contact [length]; nx, ny, nz: the unit normal towards ball i; force ≥ 0: the force on ball i
        along the normal [mass·length/time²]. The forces on sleeping balls balance their weights and
        what pressed them when their equilibrium was last proved.
        """
        return contact_table(
            self._engine.contacts, self.position, self._world.radius, self.obstacle_names
        )

    @property
    def walls(self) -> Records:
        """The obstacles that move or are warm, as a record array with one row for each.

        obstacle: the name; impacts: their number so far; work, heat: the energy that the balls have
        gained from its motion and from its temperature [mass·length²/time²]; x, y, z: its
        displacement since t = 0 [length]; vx, vy, vz: its velocity [length/time]; degrees: the
        angle by which it has turned since t = 0, from −180 to 180.
        """
        return wall_table(self._world.walls, self._engine.walls, self.time, self.obstacle_names)

    @property
    def wall_records(self) -> Records:
        """The records of the obstacles that move or are warm, see `WALL_FIELDS`: a copy."""
        return self._engine.walls

    def take_walls(self, records: Records) -> None:
        """Replace the records of walls by `wall_records` of a simulation of the same obstacles."""
        self._engine.take_walls(records)

    @property
    def heat_bath(self) -> Records:
        """What is kept of the thermostat's heat bath, one row: meetings so far, the time of the
        next, and the heat that balls have taken from it. No row without a thermostat. A copy."""
        return self._engine.heat_bath

    def take_heat_bath(self, record: Records) -> None:
        """Go on with `heat_bath` of another simulation with the same thermostat."""
        self._engine.take_heat_bath(record)

    @property
    def fault(self) -> str | None:
        """Why the engine cannot go on, or None."""
        return self._engine.fault

    @property
    def snapshots(self) -> Floats | None:
        """The running sums from which `gas_figures` are computed; None if there are none."""
        return self._engine.snapshots

    def change_engine(
        self, world: World, engine: Engine, balls: Balls, field: Field | None, number: Integers
    ) -> None:
        """Continue with another engine and other balls; `tally` counts on.

        number: (n,) the index among them of each ball so far, or −1 for no ball.
        """
        self._counted = added(self._counted, self._engine.tally)
        engine.take_walls(self._engine.walls)
        engine.take_heat_bath(self._engine.heat_bath)
        engine.let_sleep(self._engine.sleep_state.renumbered(number, len(balls)))
        engine.use_threads(self._engine.threads)
        self._world, self._engine, self._field = world, engine, field
        self._show(balls)

    def _show(self, balls: Balls) -> None:
        """Make the views of the balls, for their engine; names and colors are those of `balls`."""
        own = own_accelerations(self._field, len(balls))
        state = self._engine.state
        self._balls = BallViews(self._world, state, balls.name, balls.material, own)
        self._colors = balls.color
