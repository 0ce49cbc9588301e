"""`Simulation`: balls, obstacles, gravity, and time that goes on."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.analysis.gas import GasFigures
from spheresim.analysis.outcome import gas_of
from spheresim.collision.constants import SLICES
from spheresim.collision.impacts import Tally, last_row
from spheresim.contact.threshold_bounds import USUAL_THRESHOLDS, checked_thresholds
from spheresim.contact.thresholds import Thresholds
from spheresim.engines.catalogue import ENGINE_KINDS, checked_engine
from spheresim.engines.engine import Engine
from spheresim.model.ball_views import BallView, BallViews
from spheresim.model.balls import Balls
from spheresim.model.convex_obstacles import as_shape
from spheresim.model.periodic_fit import fitted
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
from spheresim.simulation.kept_impacts import Handler, Kept, kept_impacts
from spheresim.simulation.trajectory import Trajectory, recording_times


class Simulation(DrivenSimulation, ShownInNotebooks):
    """Balls that fly, and bounce off each other and off obstacles.

    >>> from spheresim import Ball, Plane, Simulation
    >>> floor = Plane((0, 0, 0), (0, 1, 0))
    >>> simulation = Simulation([Ball((0, 1, 0), (0, -2, 0), radius=0.5)], [floor], step=0.125)
    >>> simulation.run(until=1)
    >>> simulation.balls[0].position.y, simulation.impacts.t
    (2.0, array([0.25]))

    `engine` is "steps" or "events", the exact one, which goes from impact to impact. `step` is
    the fixed timestep [time] of the first; `toi` the way in which it finds impacts of two balls,
    "analytic" or "sliced" into `slices`; obstacles are shapes, convex bodies of
    `spheresim.convex` among them, or `Obstacle`s that give them a restitution and a name. `box`,
    a `Box` or three lengths from the origin on, makes space periodic: then the engine is
    "events", else "steps" if none is named, and an obstacle that does not fit the box raises
    ValueError. `rest`: from which heights on bounces count as contact, and balls fall asleep and
    wake (see `Thresholds`).

    Balls that overlap each other or an obstacle are warned of, once, unless `check` is False:
    those that approach are thrown back at once, the others part as if nothing were there.

    `position`, `velocity` and `balls[i]` are always up to date, and what is written into them,
    or into a view that was made of them, holds from then on. The engine writes them only when
    somebody looks: a program that goes from impact to impact pays for what it reads. A view
    that it keeps is written after each call and compared before the next, which takes time in
    proportion to the number of balls; without it, an impact costs the same among a million.
    What cannot change, such as radii and restitution, cannot be written to (ValueError).
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
        columns = placed_balls(given, placed, space, Balls.of([])).numbered()
        if len(columns) == 0:
            raise ValueError("a simulation needs at least one ball")

        # The world and its engine.
        pull = arguments.finite_vector(gravity, "gravity")
        world, start = build(columns, placed, pull, space, checked_thresholds(rest))
        if check:
            warn_of_overlaps(overlaps(world, start, columns.name, placed), stacklevel=2)
        self.scene = None
        self.toi = toi
        self.keeps_impacts = True
        self._slices = slices
        self._world, self._obstacles = world, tuple(placed)
        self._impacts: Kept = kept_impacts(True, self.obstacle_names)
        self._engine: Engine = ENGINE_KINDS[engine].make(
            world, start, arguments.positive(step, "step"), slices if toi == "sliced" else 0
        )
        self._counted = Tally()
        self._gain = EnergyGain()
        self._balls = BallViews(world, self._engine.state, columns.name)
        self._colors = columns.color

    @classmethod
    def load(cls, source: str | Path, **overrides: Any) -> "Simulation":
        """A simulation from a scene file, a shipped scene's name or a run's directory.

        `seed`, `step`, `duration`, `frame_every`, `engine`, `toi` and `slices` replace the
        file's values. Raises SceneError with all faults.
        """
        return cls.from_scene(load_scene(source, **overrides))

    @classmethod
    def from_scene(cls, scene: Scene, **of_engine: Any) -> "Simulation":
        """A simulation of a scene that is already loaded.

        `engine`, `toi` and `slices` replace those of the scene.
        """
        scene = replace(scene, **of_engine)
        simulation = cls(
            *(scene.balls, scene.obstacles, scene.gravity, scene.step),
            *(scene.engine, scene.toi, scene.slices, scene.box),
            rest=scene.rest,
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

        It is read-only, and a look at it takes time for what came since the last one. By default
        all are kept; see `keep_impacts`.
        """
        return self._impacts.table

    def keep_impacts(self, what: bool | int | Handler) -> None:
        """Which impacts are kept from now on; those that were are forgotten.

        True: all; False: none, which makes it a little faster; a number: that many of the last; a
        function: none, but it is called with a table of those that came, some thousands at a
        time; if it writes into positions or velocities, which are already at a later time than
        the impacts, `run` raises RuntimeError. They are counted in any case (see `tally`).
        """
        self._impacts = kept_impacts(what, self.obstacle_names)
        self.keeps_impacts = what is not False
        self._engine.log_impacts(self.keeps_impacts)

    def run(self, until: float | None = None, impacts: int | None = None) -> None:
        """Go on to a time, or for a number of impacts and stop at the last; whichever comes first.

        Raises RuntimeError where it cannot go on: where a ball is jammed, which only the exact
        engine may say, and where not that many impacts will come and no time says when to end.
        What was before that is kept. With the engine "events" the time is then that of the last
        impact, with "steps" it is when no more were found to come.
        """
        if until is None and impacts is None:
            raise TypeError("run needs until, a time, or impacts, a number of them")
        end = math.inf if until is None else self._no_earlier(until)
        wanted = math.inf if impacts is None else arguments.whole_number(impacts, "impacts", low=1)
        before = self._engine.impacts_done
        with self._gain.watched(self._world, self._engine, stacklevel=3):
            self._impacts.add(self._engine.state.guarded(self._engine.go_on(end, wanted)))
        if self.fault is not None:
            raise RuntimeError(self.fault)
        came = self._engine.impacts_done - before
        if end == math.inf and came < wanted:
            raise RuntimeError(
                f"only {came} of {wanted} impacts came, and no more are to be expected: from "
                f"t = {self.time!r} on all balls fly apart, pass each other by, or are at rest"
            )

    def record(self, until: float, every: float) -> Trajectory:
        """Go on to a time, and keep where all balls are now, each time `every` later, and then.

        It takes 48 bytes a ball and frame.
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
        """Go on from time 0 to a time, and write the files that `spheresim run` writes.

        formats: of "csv", "parquet", "xyz", "gsd"; force: replace a run that is there. Its
        impacts are in the files, and not kept in memory. ValueError if the simulation is not at
        time 0 any more: a run's times count from its scene's start.
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
        """Write a scene file that loads to the simulation as it is now, at time 0.

        until: the scene's duration, by default that of the scene it was made from, else a
        thousand steps. More than 50 balls go to a CSV beside it.
        """
        saving.save_scene(saving.scene_of(self, until, frame_every), Path(path))

    def add(self, balls: Sequence[Given] | Given) -> Sequence[BallView]:
        """Put more balls in, after those that are there; their views.

        Arrays that `position` and `velocity` gave before are no longer those of the simulation.
        """
        return population.add(self, balls)

    def remove(self, balls: Sequence[int] | int) -> None:
        """Take balls out, by their indices; those after them move up, and keep their names.

        Impacts that are kept go on naming balls by the indices that they had. As after `add`,
        arrays that were given before are no longer those of the simulation.
        """
        population.remove(self, balls)

    def step_once(self) -> None:
        """Go one step, or finish the one that has begun."""
        self._impacts.add(self._engine.step_once())

    def next_impact(self, before: float | None = None) -> Any:
        """Go on to the next impact, stop there and return its row, or None.

        Without one it goes to the time `before`, by default the scene's end, or a thousand steps.
        """
        end = self._horizon() if before is None else number(before, "before", low=self.time)
        batches = list(self._engine.go_on(end, 1))
        self._impacts.add(batches)
        return last_row(batches, self.obstacle_names)

    def gas_figures(self) -> GasFigures | None:
        """Collision rate, pressure, … of a gas so far, with errors; None with engine "steps"."""
        return gas_of(self)

    def _horizon(self) -> float:
        if self.scene is not None and self.scene.duration > self.time:
            return self.scene.duration
        return self.time + 1000.0 * self.step
