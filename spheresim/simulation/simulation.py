"""`Simulation`: balls, obstacles, gravity, and time that goes on."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.analysis.gas import GasFigures
from spheresim.analysis.outcome import gas_of
from spheresim.collision.constants import MOST_SLICES, SLICES
from spheresim.collision.flights import NO_FLIGHTS
from spheresim.collision.impacts import Impacts, Tally, last_row
from spheresim.contact.thresholds import USUAL_THRESHOLDS, Thresholds, checked_thresholds
from spheresim.engines.catalogue import ENGINE_KINDS, checked_engine, checked_field
from spheresim.engines.engine_protocol import Batches, Engine, Interrupt
from spheresim.model.ball_views import BallView
from spheresim.model.balls import Balls
from spheresim.model.force_field import Field, with_accelerations
from spheresim.model.labels import Labels, refuse_equal_names
from spheresim.model.materials import SMOOTH, Surfaces
from spheresim.model.obstacle import Obstacle, listed_obstacles, obstacle_names
from spheresim.model.periodic_fit import fitted
from spheresim.model.shear_flow import checked_gravity
from spheresim.model.state import Box, build
from spheresim.model.thermostat import Thermostat
from spheresim.numerics import arguments
from spheresim.numerics.arguments import number
from spheresim.numerics.arrays import Records
from spheresim.numerics.vector import VectorLike
from spheresim.obstacles.table import AnyShape
from spheresim.scene import Scene, SceneError, load_scene
from spheresim.scene.from_python import Given, box_of, listed, placed_balls
from spheresim.scene.notebook import ShownInNotebooks
from spheresim.scene.overlap import overlaps, refuse_filling, warn_of_overlaps
from spheresim.simulation import population, saving
from spheresim.simulation.frame_times import frame_times
from spheresim.simulation.interrupt import held_back
from spheresim.simulation.kept_impacts import Kept, kept_impacts
from spheresim.simulation.observed import ObservedSimulation
from spheresim.simulation.step_warning import EnergyGain
from spheresim.simulation.trajectory import Trajectory


class Simulation(ObservedSimulation, ShownInNotebooks):
    """A simulation of balls that collide with each other and with obstacles.

    >>> from spheresim import Ball, Plane, Simulation
    >>> floor = Plane((0, 0, 0), (0, 1, 0))
    >>> simulation = Simulation([Ball((0, 1, 0), (0, -2, 0), radius=0.5)], [floor], step=0.125)
    >>> simulation.run(until=1)
    >>> simulation.balls[0].position.y, simulation.impacts.t
    (2.0, array([0.25]))

    balls: `Ball`s, a `Fill` or a `BallFile`, or a list of these. obstacles: shapes, bodies of
    `spheresim.convex`, or `Obstacle`s, which have a restitution and a name, or a list of these.
    gravity: the acceleration of all balls, (3,) [length/time²]. engine: "steps", the fixed
    timestep, or "events", the exact engine; by default "events" in a periodic box, else "steps".
    step: the timestep of "steps" [time]. toi: how "steps" finds impacts of two balls: "analytic",
    by a formula, or "sliced", by a search in `slices` slices of a step. box: a `Box`, or three
    lengths of a periodic box that begins at the origin. rest: heights that decide about lasting
    contact and sleep, see `Thresholds`. surfaces: roughness and materials, see `Surfaces`. field:
    accelerations that are added to gravity: a `HarmonicTrap`, `ConstantAccelerations`, or, for
    "steps", any function field(time, position, velocity) that returns (n, 3) or (3,); it is called
    at the start of each step. thermostat: a `Thermostat`, from which balls get new velocities at
    random times. ValueError for arguments that do not fit together, such as an obstacle that does
    not fit the periodic box, for two balls or two obstacles of the same name, and for a ball that
    fills a tube or a bowl, in which it needs room.

    If balls overlap each other or an obstacle at the start, there is one warning, unless `check` is
    False. Overlapping balls that approach have an impact at once; others move apart without one.

    `position` and `velocity`, (n, 3), and `balls[i]` are views: they are always up to date, and a
    value written into them changes the simulation. If a program keeps a view, each call takes
    additional time in proportion to the number of balls; without a view, an impact takes the same
    time among a million balls. Radii, masses and restitution cannot be changed: a value that is
    given to a ball's attribute is an AttributeError, one that is written into an array of `world` a
    ValueError.
    """

    __slots__ = ("_gain", "_impacts")

    def __init__(
        self,
        balls: Sequence[Given] | Given,
        obstacles: Sequence[AnyShape | Obstacle] | AnyShape | Obstacle = (),
        gravity: VectorLike = (0.0, 0.0, 0.0),
        step: float = 0.01,
        engine: str | None = None,
        toi: str = "analytic",
        slices: int = SLICES,
        box: Box | VectorLike | None = None,
        *,
        rest: Thresholds = USUAL_THRESHOLDS,
        surfaces: Surfaces = SMOOTH,
        field: Field | None = None,
        thermostat: Thermostat | None = None,
        check: bool = True,
    ) -> None:
        # Space and obstacles, then the balls, which fills place between them.
        given = listed(balls)
        space = box_of(given, box if box is None or isinstance(box, Box) else Box(size=box))
        is_periodic = space is not None and space.is_periodic
        engine = checked_engine(engine, toi, is_periodic)
        slices = arguments.whole_number(slices, "slices", low=1, high=MOST_SLICES)
        placed = listed_obstacles(obstacles)
        names = obstacle_names(placed)
        refuse_equal_names(Labels.of(names), "obstacle")
        named = zip(placed, names, strict=True)
        placed = [fitted(o, space, name)._replace(name=name) for o, name in named]
        if not (thermostat is None or isinstance(thermostat, Thermostat)):
            raise TypeError(f"thermostat must be a Thermostat, not {thermostat!r}")
        self._thermostat = thermostat
        columns = placed_balls(given, placed, space, Balls.of([]))
        if len(columns) == 0:
            raise ValueError("a simulation needs at least one ball")
        refuse_equal_names(columns.name, "ball")
        columns = columns.freely_numbered()
        field = with_accelerations(field, columns.acceleration)
        self._field = checked_field(field, engine, placed, space)

        # The world and its engine.
        pull = checked_gravity(space, arguments.finite_vector(gravity, "gravity"))
        world, start = build(columns, placed, pull, space, checked_thresholds(rest), surfaces)
        refuse_filling(start, world, columns.name, placed)
        if check:
            warn_of_overlaps(overlaps(world, start, columns.name, placed), stacklevel=2)
        self.scene = None
        self.toi = toi
        self.keeps_impacts = True
        self.observers = []
        self._calls_observers = False
        self.counts = {}
        self._flights = NO_FLIGHTS
        self._slices = slices
        self._world, self._obstacles = world, tuple(placed)
        self._impacts: Kept = kept_impacts(True, self.obstacle_names, world.has_spin)
        self._engine: Engine = ENGINE_KINDS[engine].make(
            *(world, start, arguments.positive(step, "step")),
            *(slices if toi == "sliced" else 0, self._field, thermostat),
        )
        self._surfaces = surfaces
        self._counted = Tally()
        self._gain = EnergyGain()
        self._show(columns)

    @classmethod
    def load(cls, source: str | Path, **overrides: Any) -> "Simulation":
        """Make a simulation from a scene file, a shipped scene's name, or a run's directory.

        overrides: fields in place of the file's, as in `load_scene`: `seed`, `step`, `engine`,
        `gravity`, `restitution` and so on. SceneError, with all faults, if the scene is wrong or
        not found.
        """
        return cls.from_scene(load_scene(source, **overrides))

    @classmethod
    def from_scene(cls, scene: Scene, **of_engine: Any) -> "Simulation":
        """Make a simulation from a scene that is already loaded.

        of_engine: `engine`, `toi` or `slices`, in place of the scene's values. SceneError if the
        engine cannot run the scene.
        """
        scene = replace(scene, **of_engine)
        try:
            return cls._of_scene(scene)
        except SceneError:
            raise
        except ValueError as failure:
            raise SceneError([f"{scene.path}: cannot be run: {failure}"]) from None

    @classmethod
    def _of_scene(cls, scene: Scene) -> "Simulation":
        simulation = cls(
            *(scene.balls, scene.obstacles, scene.gravity, scene.step),
            *(scene.engine, scene.toi, scene.slices, scene.box),
            rest=scene.rest,
            surfaces=scene.surfaces,
            field=scene.trap,
            thermostat=scene.thermostat,
            check=False,  # as was done when it was loaded
        )
        simulation.scene = scene
        for count in scene.counts:
            kinds = count.kinds_of(scene.balls)
            words: dict[str, Any] = {"of": count.of, "bins": count.bins}
            simulation.counts[count.name] = (
                simulation.count(kinds, **words)
                if count.gate is None
                else simulation.count_crossings(count.gate, kinds, **words)
            )
        return simulation

    def __repr__(self) -> str:
        many = [(len(self.balls), "ball"), (len(self.obstacle_names), "obstacle")]
        balls, obstacles = (f"{count:,} {name}{'s' * (count != 1)}" for count, name in many)
        impacts = self.tally.impacts
        return (
            f"<Simulation of {balls} and {obstacles} by the engine {self.engine!r}: "
            f"t = {self.time:.7g}, {impacts:,} impact{'s' * (impacts != 1)}>"
        )

    @property
    def impacts(self) -> Records:
        """The impacts so far as a read-only record array, with the columns of `events.csv`.

        t: the time; kind; i: the ball; j: the other ball, -1 for an obstacle; obstacle: its name;
        x, y, z: the point of contact; nx, ny, nz: the unit normal towards ball i; vn_before,
        vn_after: (vᵢ − vⱼ)·n before and after, negative if they approach; impulse: on ball i, along
        the normal. Reading takes time in proportion to the impacts since the last reading. By
        default all impacts are kept, see `keep_impacts`.
        """
        return self._impacts.table

    def keep_impacts(self, what: bool | int) -> None:
        """Choose which impacts `impacts` keeps from now on; the table is emptied.

        what: True for all, False for none (a little faster), a number n for the last n. `tally`
        counts all impacts in any case.
        """
        self._impacts = kept_impacts(what, self.obstacle_names, self._world.has_spin)
        self.keeps_impacts = what is not False
        self.log_impacts(self.keeps_impacts)

    def run(
        self,
        until: float | None = None,
        impacts: int | None = None,
        stop: "Callable[[Simulation], object] | None" = None,
    ) -> None:
        """Simulate until a time, a number of impacts, or a condition, whichever comes first.

        until: a time, not a duration; with the engine "steps" a step that it is inside of ends
        there, so only whole multiples of `step` leave the rest of a run as it is. impacts: a number
        of impacts from now on; the state is then the state at the last one. stop: a function that
        is called with the simulation after each impact; if it returns a true value, the run ends,
        and the state is the state at this impact. If it writes into the state, the rest of the run
        changes.

        RuntimeError if the run cannot go on: a ball is jammed (exact engine only), or, without
        `until`, no more impacts come. The simulation keeps the state and the impacts before the
        error. Its time is then the time of the last impact with "events", and the time at which the
        run gave up with "steps". An exception in `stop` ends the run at that impact. Ctrl-C, or a
        notebook's stop button, ends it soon, with the impacts so far: it can go on from there.
        """
        if until is None and impacts is None and stop is None:
            raise TypeError(
                "run needs until, a time, or impacts, a number of them, or stop, a function"
            )
        if until is None and self.field is not None:
            raise TypeError("in a field impacts may never come: run needs until, a time")
        if stop is not None and not callable(stop):
            raise TypeError(f"stop must be a function of the simulation, not {stop!r}")
        end = math.inf if until is None else self._no_earlier(until)
        requested = (
            math.inf if impacts is None else arguments.whole_number(impacts, "impacts", low=1)
        )
        before = self._engine.impacts_done
        is_driven = any(given is not None for given in (self._field, self._thermostat, stop))
        with self._gain.watched(self._world, self._engine, is_driven, stacklevel=3):
            if stop is None:
                self._go_on(end, requested)
            elif self._run_until_stop(end, requested, stop):
                return
        if self.fault is not None:
            raise RuntimeError(self.fault)
        came = self._engine.impacts_done - before
        if end == math.inf and came < requested:
            asked = "" if requested == math.inf else f" of {requested}"
            raise RuntimeError(
                f"only {came}{asked} impacts came, and no more will come: from "
                f"t = {self.time!r} on all balls fly apart, pass each other by, or are at rest"
            )

    def _run_until_stop(
        self, end: float, requested: float, stop: "Callable[[Simulation], object]"
    ) -> bool:
        """Simulate impact by impact; whether `stop` ended it before the time `end`, or before so
        many impacts."""
        enough = self._engine.impacts_done + requested
        while (before := self._engine.impacts_done) < enough:
            self._go_on(end, 1)
            if self._engine.impacts_done == before or self.fault is not None:
                return False
            if stop(self):
                return True
        return False

    def record(self, until: float, every: float) -> Trajectory:
        """Simulate until a time, and return the states at regular times as a `Trajectory`.

        There is a state now, at each multiple of `every`, and at `until` [time]. With the engine
        "steps", `every` should be a whole multiple of `step`: a state inside a step ends the step
        there, which changes the rest of the run. The result has t
        (k,), position and velocity (k, n, 3), as copies. It needs 48 bytes per ball and state.
        """
        until = self._no_earlier(until)
        every = arguments.positive(every, "every")
        times = np.array([self.time, *frame_times(until, every, self.time)])
        shape = (len(times), len(self.balls), 3)
        position, velocity = np.empty(shape), np.empty(shape)
        for k, time in enumerate(times.tolist()):
            if k:
                self.run(until=time)
            state = self.current()
            position[k], velocity[k] = state.position, state.velocity
        return Trajectory(times, position, velocity)

    def save(
        self,
        directory: str | Path,
        until: float,
        frame_every: float | None = None,
        formats: Sequence[str] = ("csv",),
        force: bool = False,
    ) -> None:
        """Simulate from time 0 until a time, and write the files that `spheresim run` writes.

        until: the end [time]; frame_every: the time between frames; formats: any of "csv",
        "parquet", "xyz", "gsd"; force: replace an earlier run in the directory. Impacts are written
        to the files and not kept in memory. ValueError if the time of the simulation is not 0.
        RunError if the directory is refused, for example because it holds a run and force is False.
        """
        if self.time != 0.0:
            raise ValueError(
                f"a run is saved from time 0 on, and the simulation is at {self.time!r}: "
                "save_scene keeps it as it is, as the start of a scene"
            )
        scene = saving.with_checksum(saving.scene_of(self, until, frame_every))
        saving.save_run(self, scene, Path(directory), formats, force)

    def save_scene(
        self, path: str | Path, until: float | None = None, frame_every: float | None = None
    ) -> None:
        """Write a scene file whose initial state, at time 0, is the present state.

        until: the duration of the scene [time]; by default the duration of the scene from which the
        simulation was loaded, else 1000 steps. frame_every: the time between frames. More than 50
        balls are written to a CSV file beside the scene file.
        """
        saving.save_scene(saving.scene_of(self, until, frame_every), Path(path))

    def add(self, balls: Sequence[Given] | Given) -> Sequence[BallView]:
        """Add balls after the existing ones; returns their views.

        Arrays that `position` and `velocity` returned before no longer belong to the simulation.
        ValueError for a name that another ball has.
        """
        self._refuse_in_observer()
        return population.add(self, balls)

    def remove(self, balls: Sequence[int] | int) -> None:
        """Remove balls by their indices; later balls move up and keep their names.

        Kept impacts still have the indices from before. As after `add`, arrays returned before no
        longer belong to the simulation.
        """
        self._refuse_in_observer()
        population.remove(self, balls)

    def step_once(self) -> None:
        """Advance by one timestep; inside a step, to the end of this step."""
        self._keep(self._engine.finish_step)

    def next_impact(self, before: float | None = None) -> np.record | None:
        """Advance to the next impact, and return its row of `impacts`; None if there is none.

        before: the time at which to stop if there is no impact; by default the end of the scene,
        or, without a scene, 1000 steps from now; with the exact engine, unless there is a field,
        only when no more impacts come.
        """
        end = self._horizon() if before is None else number(before, "before", low=self.time)
        batches: list[Impacts] = []

        def going(is_interrupted: Interrupt) -> Batches:
            for batch in self._engine.go_on(end, 1, is_interrupted):
                batches.append(batch)
                yield batch

        self._keep(going, end)
        return last_row(batches, self.obstacle_names, self._impacts.count - 1)

    def gas_figures(self) -> GasFigures | None:
        """Collision rate, pressure and more of a gas so far, with standard errors, as `GasFigures`.

        None with the engine "steps".
        """
        return gas_of(self)

    def _go_on(self, until: float, impacts: float) -> None:
        self._keep(lambda interrupt: self._engine.go_on(until, impacts, interrupt), until)

    def _keep(self, batches: Callable[[Interrupt], Batches], until: float = math.inf) -> None:
        """Keep the impacts of a run to a time at the latest, and give them to the observers."""
        self._refuse_in_observer()

        def kept(is_interrupted: Interrupt) -> Iterator[Impacts]:
            for batch in self._engine.state.guarded(batches(is_interrupted)):
                self._impacts.add(batch)
                yield batch

        with held_back() as interrupt:
            for _ in self._observed(lambda: kept(interrupt), until):
                pass

    def _horizon(self) -> float:
        if self.scene is not None and self.scene.duration > self.time:
            return self.scene.duration
        if self.field is None and not ENGINE_KINDS[self.engine].has_fixed_step:
            return math.inf
        return self.time + 1000.0 * self.step
