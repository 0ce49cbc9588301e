"""`Simulation`: balls, obstacles, gravity, and time that goes on."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.analysis.gas import GasFigures
from spheresim.analysis.impact_counts import ImpactCounts
from spheresim.analysis.outcome import gas_of
from spheresim.collision.constants import SLICES
from spheresim.collision.impacts import Impacts, Tally, last_row
from spheresim.contact.threshold_bounds import USUAL_THRESHOLDS, checked_thresholds
from spheresim.contact.thresholds import Thresholds
from spheresim.engines.catalogue import ENGINE_KINDS, checked_engine, checked_field
from spheresim.engines.engine import Engine
from spheresim.model.ball_views import BallView, BallViews
from spheresim.model.balls import Balls
from spheresim.model.convex_obstacles import as_shape
from spheresim.model.force_field import Field
from spheresim.model.materials import SMOOTH, Surfaces
from spheresim.model.periodic_fit import fitted
from spheresim.model.shear import checked_gravity
from spheresim.model.state import Box, Obstacle, build, obstacle_names
from spheresim.numerics import arguments
from spheresim.numerics.arguments import number
from spheresim.numerics.vector import VectorLike
from spheresim.obstacles.table import AnyShape
from spheresim.scene import Scene, load_scene
from spheresim.scene.from_python import Given, box_of, listed, placed_balls
from spheresim.scene.notebook import ShownInNotebooks
from spheresim.scene.overlap import overlaps, warn_of_overlaps
from spheresim.simulation import population, saving
from spheresim.simulation.driven import DrivenSimulation
from spheresim.simulation.energy_gain import EnergyGain
from spheresim.simulation.kept_impacts import Kept, kept_impacts
from spheresim.simulation.observers import CalledFunction, Observer, Where
from spheresim.simulation.trajectory import Trajectory, recording_times


class Simulation(DrivenSimulation, ShownInNotebooks):
    """A simulation of balls that collide with each other and with obstacles.

    >>> from spheresim import Ball, Plane, Simulation
    >>> floor = Plane((0, 0, 0), (0, 1, 0))
    >>> simulation = Simulation([Ball((0, 1, 0), (0, -2, 0), radius=0.5)], [floor], step=0.125)
    >>> simulation.run(until=1)
    >>> simulation.balls[0].position.y, simulation.impacts.t
    (2.0, array([0.25]))

    balls: `Ball`s, a `Fill` or a `BallFile`, or a list of these. obstacles: shapes, bodies of
    `spheresim.convex`, or `Obstacle`s, which have a restitution and a name. gravity: the
    acceleration of all balls [length/time²]. engine: "steps", the fixed timestep, or "events", the
    exact engine; by default "events" in a periodic box, else "steps". step: the timestep [time] of
    "steps". toi: how "steps" finds impacts of two balls, "analytic" or "sliced" into `slices`. box:
    a `Box`, or three lengths from the origin, makes space periodic. rest: the heights that decide
    about lasting contact and sleep, see `Thresholds`. surfaces: how rough surfaces are, and what
    they are made of, see `Surfaces`. field: a `HarmonicTrap`, or, for "steps", any function
    field(time, position, velocity) that returns accelerations beside gravity, (n, 3) or (3,), and
    is called at the start of each step. ValueError for what does not fit together, such as an
    obstacle that does not fit the periodic box.

    Unless `check` is False, there is one warning if balls overlap each other or an obstacle. If
    they approach, they have an impact at once; otherwise they move apart without one.

    `position` and `velocity`, (n, 3), and `balls[i]` are views: they are always up to date, and a
    value written into them changes the simulation. Positions are written to them when they are
    read. A program that keeps a view pays for it at each call, in proportion to the number of
    balls; without a view, an impact costs the same among a million balls. Radii, masses and
    restitution cannot be changed (ValueError).
    """

    __slots__ = ("_gain", "_impacts")

    def __init__(
        self,
        balls: Sequence[Given] | Given,
        obstacles: Sequence[AnyShape | Obstacle] = (),
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
        check: bool = True,
    ) -> None:
        # Space and obstacles, then the balls, which fills place between them.
        given = listed(balls)
        space = box_of(given, box if box is None or isinstance(box, Box) else Box(size=box))
        is_periodic = space is not None and space.is_periodic
        engine = checked_engine(engine, toi, is_periodic)
        slices = arguments.whole_number(slices, "slices", low=1)
        shapes = [o if isinstance(o, Obstacle) else Obstacle(o) for o in obstacles]
        placed = [o._replace(shape=as_shape(o.shape)) for o in shapes]
        named = zip(placed, obstacle_names(placed), strict=True)
        placed = [fitted(o, space, name)._replace(name=name) for o, name in named]
        self._field = checked_field(field, engine, placed, space)
        columns = placed_balls(given, placed, space, Balls.of([])).numbered()
        if len(columns) == 0:
            raise ValueError("a simulation needs at least one ball")

        # The world and its engine.
        pull = checked_gravity(space, arguments.finite_vector(gravity, "gravity"))
        world, start = build(columns, placed, pull, space, checked_thresholds(rest), surfaces)
        if check:
            warn_of_overlaps(overlaps(world, start, columns.name, placed), stacklevel=2)
        self.scene = None
        self.toi = toi
        self.keeps_impacts = True
        self.observers = []
        self._slices = slices
        self._world, self._obstacles = world, tuple(placed)
        self._impacts: Kept = kept_impacts(True, self.obstacle_names, world.has_spin)
        self._engine: Engine = ENGINE_KINDS[engine].make(
            *(world, start, arguments.positive(step, "step")),
            *(slices if toi == "sliced" else 0, self._field),
        )
        self._surfaces = surfaces
        self._counted = Tally()
        self._gain = EnergyGain()
        self._balls = BallViews(world, self._engine.state, columns.name, columns.material)
        self._colors = columns.color

    @classmethod
    def load(cls, source: str | Path, **overrides: Any) -> "Simulation":
        """The simulation of a scene file, of a shipped scene by its name, or of a run's directory.

        `seed`, `step`, `duration`, `frame_every`, `engine`, `toi` and `slices` override the
        file's values. SceneError with all faults of the scene.
        """
        return cls.from_scene(load_scene(source, **overrides))

    @classmethod
    def from_scene(cls, scene: Scene, **of_engine: Any) -> "Simulation":
        """The simulation of a scene that is already loaded.

        `engine`, `toi` and `slices` override those of the scene.
        """
        scene = replace(scene, **of_engine)
        simulation = cls(
            *(scene.balls, scene.obstacles, scene.gravity, scene.step),
            *(scene.engine, scene.toi, scene.slices, scene.box),
            rest=scene.rest,
            surfaces=scene.surfaces,
            check=False,  # as was done when it was loaded
        )
        simulation.scene = scene
        return simulation

    def __repr__(self) -> str:
        many = [(len(self.balls), "ball"), (len(self.obstacle_names), "obstacle")]
        balls, obstacles = (f"{count:,} {name}{'s' * (count != 1)}" for count, name in many)
        impacts = self.tally.ball_impacts + self.tally.obstacle_impacts
        return (
            f"<Simulation of {balls} and {obstacles} by the engine {self.engine!r}: "
            f"t = {self.time:.7g}, {impacts:,} impact{'s' * (impacts != 1)}>"
        )

    @property
    def impacts(self) -> Any:
        """The impacts that are kept, as a table: t, kind, i, j, obstacle, x, y, z, nx, …, impulse.

        The table is read-only. Reading it takes time in proportion to the impacts since the last
        reading. By default all impacts are kept, see `keep_impacts`.
        """
        return self._impacts.table

    def keep_impacts(self, what: bool | int) -> None:
        """Choose which impacts are kept from now on; those kept so far are deleted.

        True: all. False: none, which is a little faster. A number n: the last n. All impacts are
        counted in any case, see `tally`.
        """
        self._impacts = kept_impacts(what, self.obstacle_names, self._world.has_spin)
        self.keeps_impacts = what is not False
        self._engine.log_impacts(self.needs_impacts)

    def on_impact(
        self, function: Callable[[Any], object], where: Where | None = None, *, each: bool = False
    ) -> Observer:
        """Call a function with the impacts to come: tables of some thousands, or `each` row alone.

        The columns are those of `impacts`. where: which of them, by the name of an obstacle, or by
        a function of a table that returns which rows are meant, (m,) bool. The state is already at
        a later time than the impacts, and must not be written to (`run` then raises RuntimeError);
        `run(stop=f)` calls f at the time of each impact. Returns what `stop_observing` ends.
        """
        return self._observe(CalledFunction(function, self.obstacle_names, where, each))

    def count(
        self, kinds: Sequence[Any] | None = None, *, of: str | None = None, bins: Any = None
    ) -> ImpactCounts:
        """Count the impacts to come, by pairs of kinds of balls and by obstacles.

        kinds: (n,), the kind of each ball; None: all are "ball". of, bins: a column of `impacts`,
        and the edges of bins in which its values are counted. The result counts on while the
        simulation is run:

        >>> from spheresim import Ball, Plane, Simulation
        >>> balls = [Ball((x, 2, 0), radius=1) for x in (0, 5)]
        >>> floor = Plane((0, 0, 0), (0, 1, 0))
        >>> simulation = Simulation(balls, [floor], (0, -1, 0), engine="events")
        >>> counts = simulation.count(["red", "blue"])
        >>> simulation.run(impacts=10)
        >>> counts["red", "plane 0"].impacts
        5

        ValueError unless there is a kind for each ball. See `ImpactCounts`.
        """
        if kinds is not None and len(kinds) != len(self.balls):
            raise ValueError(
                f"kinds must be one for each of {len(self.balls)} balls, not {len(kinds)}"
            )
        counts = ImpactCounts(kinds, self.obstacle_names, of, bins)
        self._observe(counts)
        return counts

    def stop_observing(self, observer: Observer) -> None:
        """End what `on_impact` or `count` has begun; takes what these returned."""
        if not any(observer is other for other in self.observers):
            raise ValueError("only what on_impact or count returned can be ended, and once")
        self.observers = [other for other in self.observers if other is not observer]
        self._engine.log_impacts(self.needs_impacts)

    def run(
        self,
        until: float | None = None,
        impacts: int | None = None,
        stop: "Callable[[Simulation], object] | None" = None,
    ) -> None:
        """Simulate until a time, for a number of impacts, or until `stop` is true: what is first.

        `until` is a time, not a duration. After `impacts` impacts the state is that at the last
        one. `stop` is called with the simulation after each impact, and the run ends at the first
        impact after which it returns a true value. The state is then exactly that at the impact;
        what `stop` writes into it changes the rest of the run.

        RuntimeError if the run cannot go on: a ball is jammed (exact engine only), or, without
        `until`, no more impacts come before the run ends. Everything before is kept; the time is
        then that of the last impact with "events", and with "steps" the time at which no more were
        expected. An exception that `stop` raises ends the run at that impact.
        """
        if until is None and impacts is None and stop is None:
            raise TypeError(
                "run needs until, a time, or impacts, a number of them, or stop, a function"
            )
        if until is None and self.field is not None:
            raise TypeError("in a field nobody knows if impacts come: run needs until, a time")
        if stop is not None and not callable(stop):
            raise TypeError(f"stop must be a function of the simulation, not {stop!r}")
        end = math.inf if until is None else self._no_earlier(until)
        wanted = math.inf if impacts is None else arguments.whole_number(impacts, "impacts", low=1)
        before = self._engine.impacts_done
        with self._gain.watched(self._world, self._engine, self._field, stacklevel=3):
            if stop is None:
                self._keep(self._engine.state.guarded(self._engine.go_on(end, wanted)))
            elif self._run_until_stop(end, wanted, stop):
                return
        if self.fault is not None:
            raise RuntimeError(self.fault)
        came = self._engine.impacts_done - before
        if end == math.inf and came < wanted:
            asked = "" if wanted == math.inf else f" of {wanted}"
            raise RuntimeError(
                f"only {came}{asked} impacts came, and no more are to be expected: from "
                f"t = {self.time!r} on all balls fly apart, pass each other by, or are at rest"
            )

    def _run_until_stop(
        self, end: float, wanted: float, stop: "Callable[[Simulation], object]"
    ) -> bool:
        """Simulate impact by impact; whether `stop` ended it before the time `end`, or before so
        many impacts."""
        enough = self._engine.impacts_done + wanted
        while (before := self._engine.impacts_done) < enough:
            self._keep(self._engine.state.guarded(self._engine.go_on(end, 1)))
            if self._engine.impacts_done == before or self.fault is not None:
                return False
            if stop(self):
                return True
        return False

    def record(self, until: float, every: float) -> Trajectory:
        """Simulate until a time, and return the states now, at each multiple of `every`, and then.

        The result has t (k,), position and velocity (k, n, 3), as copies: 48 bytes per ball and
        frame.
        """
        until = self._no_earlier(until)
        times = recording_times(self.time, until, arguments.positive(every, "every"))
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

        formats: of "csv", "parquet", "xyz", "gsd"; force: replace a run in the directory. The
        impacts are in the files, and not kept in memory. ValueError if the time is not 0: the times
        of a run count from the start of its scene. RunError if the directory is refused.
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
        """Write a scene file that starts, at time 0, from the present state.

        until: the scene's duration; by default that of the scene from which the simulation was
        loaded, else a thousand steps. More than 50 balls go to a CSV file beside it.
        """
        saving.save_scene(saving.scene_of(self, until, frame_every), Path(path))

    def add(self, balls: Sequence[Given] | Given) -> Sequence[BallView]:
        """Add balls after the existing ones; returns their views.

        Arrays that `position` and `velocity` returned before no longer belong to the simulation.
        """
        return population.add(self, balls)

    def remove(self, balls: Sequence[int] | int) -> None:
        """Remove balls by their indices; later balls move up and keep their names.

        Kept impacts still have the indices from before. As after `add`, arrays returned before no
        longer belong to the simulation.
        """
        population.remove(self, balls)

    def step_once(self) -> None:
        """Advance by one timestep, or to the end of the step that has begun."""
        self._keep(self._engine.step_once())

    def next_impact(self, before: float | None = None) -> Any:
        """Advance to the next impact, and return its row; None if there is none until `before`.

        The simulation is then at the time `before`, by default the end of the scene, or a thousand
        steps.
        """
        end = self._horizon() if before is None else number(before, "before", low=self.time)
        batches = list(self._engine.go_on(end, 1))
        self._keep(batches)
        return last_row(batches, self.obstacle_names)

    def gas_figures(self) -> GasFigures | None:
        """Collision rate, pressure, … of a gas so far, with errors; None with engine "steps"."""
        return gas_of(self)

    def _observe(self, observer: Observer) -> Observer:
        self.observers.append(observer)
        self._engine.log_impacts(True)
        return observer

    def _keep(self, batches: Iterable[Impacts]) -> None:
        """Keep impacts, and give them to the observers."""
        for batch in batches:
            self._impacts.add([batch])
            self._show(batch)

    def _horizon(self) -> float:
        if self.scene is not None and self.scene.duration > self.time:
            return self.scene.duration
        return self.time + 1000.0 * self.step
