"""`Simulation`: balls, obstacles, gravity, and time that goes on."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spheresim.analysis import energy as analysis
from spheresim.analysis.gas import GasFigures
from spheresim.analysis.outcome import gas_of
from spheresim.collision.constants import SLICES
from spheresim.collision.contact_table import contact_table
from spheresim.collision.impacts import ImpactLog, Impacts, Tally, impact_table, last_row
from spheresim.collision.threshold_bounds import USUAL_THRESHOLDS, checked_thresholds
from spheresim.collision.thresholds import Thresholds
from spheresim.engines.engine import Engine, Interrupt, never
from spheresim.engines.options import ENGINE_KINDS, checked_engine
from spheresim.model.ball_views import BallViews
from spheresim.model.balls import Ball, Balls
from spheresim.model.convex_obstacles import as_shape
from spheresim.model.periodic_fit import fitted
from spheresim.model.state import Box, Obstacle, State, World, build, obstacle_names
from spheresim.numerics import arguments
from spheresim.numerics.arguments import finite_rows, number
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.table import AnyShape
from spheresim.scene import Scene, load_scene
from spheresim.scene.overlap import overlaps, warn_of_overlaps


class Simulation:
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

    __slots__ = ("_balls", "_engine", "_impacts", "_obstacle_names", "_world", "scene")

    def __init__(
        self,
        balls: Sequence[Ball],
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
        balls = Balls.of(balls).numbered()
        if len(balls) == 0:
            raise ValueError("a simulation needs at least one ball")
        space = box if box is None or isinstance(box, Box) else Box(size=box)
        is_periodic = space is not None and space.is_periodic
        engine = checked_engine(engine, toi, is_periodic)
        slices = arguments.whole_number(slices, "slices", low=1)
        given = [o if isinstance(o, Obstacle) else Obstacle(o) for o in obstacles]
        placed = [o._replace(shape=as_shape(o.shape)) for o in given]
        self.scene: Scene | None = None
        self._obstacle_names = tuple(obstacle_names(placed))
        named = zip(placed, self._obstacle_names, strict=True)
        placed = [fitted(o, space, name)._replace(name=name) for o, name in named]
        limits = checked_thresholds(rest)
        pull = arguments.finite_vector(gravity, "gravity")
        world, start = build(balls, placed, pull, space, limits)
        if check:
            warn_of_overlaps(overlaps(world, start, balls.name, placed), stacklevel=2)
        self._world = world
        self._impacts = ImpactLog()
        self._engine: Engine = ENGINE_KINDS[engine].make(
            world, start, arguments.positive(step, "step"), slices if toi == "sliced" else 0
        )
        self._balls = BallViews(world, self._engine.state, balls.name)

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

    @property
    def obstacle_names(self) -> Sequence[str]:
        """The obstacles' names in the order of their indices."""
        return self._obstacle_names

    @property
    def impacts(self) -> Any:
        """All impacts so far as a table: t, kind, i, j, obstacle, x, y, z, nx, …, impulse."""
        return impact_table(self._impacts.batches, self._obstacle_names)

    @property
    def tally(self) -> Tally:
        """How many steps, impacts and answers to inelastic collapse there have been."""
        return self._engine.tally

    def energy(self) -> float:
        """Kinetic and potential energy."""
        return analysis.energy(self._world, self._engine.state.current())

    def momentum(self) -> TVector:
        """The sum of all momenta."""
        return analysis.momentum(self._world, self._engine.state.current())

    def run(self, until: float | None = None, impacts: int | None = None) -> None:
        """Go on to a time, or for so many impacts and stop at the last; or what comes first.

        Raises RuntimeError where it cannot go on: where a ball is jammed, which only the exact
        engine may say, and where so many impacts will never come and no time says when to end.
        What was before that is kept. With the engine "events" the time is then that of the last
        impact, with "steps" it is when no more were found to come.
        """
        if until is None and impacts is None:
            raise TypeError("run needs until, a time, or impacts, a number of them")
        end = math.inf if until is None else self._no_earlier(until)
        wanted = math.inf if impacts is None else arguments.whole_number(impacts, "impacts", low=1)
        before = self._engine.impacts_done
        self._impacts.add(self._engine.go_on(end, wanted))
        if self.fault is not None:
            raise RuntimeError(self.fault)
        came = self._engine.impacts_done - before
        if end == math.inf and came < wanted:
            raise RuntimeError(
                f"only {came} of {wanted} impacts came, and no more are to be expected: from "
                f"t = {self.time!r} on all balls fly apart, pass each other by, or are at rest"
            )

    def step_once(self) -> None:
        """Go one step, or finish the one that has begun."""
        self._impacts.add(self._engine.step_once())

    def next_impact(self, before: float | None = None) -> Any:
        """Go on to the next impact, stop there and return its row, or None.

        Without an impact it goes to the time `before`, by default the scene's end, or
        else a thousand steps on.
        """
        end = self._horizon() if before is None else number(before, "before", low=self.time)
        batches = list(self._engine.go_on(end, 1))
        self._impacts.add(batches)
        return last_row(batches, self._obstacle_names)

    def batches(
        self, until: float, impacts: float = math.inf, is_interrupted: Interrupt = never
    ) -> Iterator[Impacts]:
        """Go on to a time, for so many impacts, or until interrupted, whichever is first.

        The impacts are handed over as they come, some thousands at a time, instead of being
        kept. Views of the state that somebody holds are up to date when all have been taken, or
        the iterator is closed; RuntimeError if something is written into them before that.
        """
        until = self._no_earlier(until)
        return self._engine.state.guarded(self._engine.go_on(until, impacts, is_interrupted))

    def advance(self, until: float, is_interrupted: Interrupt = never) -> list[Impacts]:
        """Go on to a time, or until interrupted; hand the impacts over instead of keeping them."""
        return list(self.batches(until, is_interrupted=is_interrupted))

    def restore(self, time: float, position: Any, velocity: Any) -> None:
        """Go back, or on, to a state of this simulation, from which it goes on as it did.

        Positions and velocities have the shape (n, 3); from the start of a step the same
        steps come out again, to the last bit (for the exact engine see `resume`).
        `impacts` keeps what was there, and `tally` goes on counting the work that is done:
        a stretch that is run twice counts twice.
        """
        time = number(time, "time")
        position = finite_rows(position, (len(self._balls), 3), "position")
        velocity = finite_rows(velocity, (len(self._balls), 3), "velocity")
        self._engine.restore(time, position, velocity)

    def save(self) -> dict[str, Any]:
        """Arrays by name: all that it takes to go on from here as it did, with `resume`."""
        return self._engine.save()

    def resume(self, saved: dict[str, Any]) -> None:
        """Go back, or on, to what `save` gave: from there all comes out again, to the last bit.

        With the engine "steps" it must have been saved at the start of a step.
        """
        self._engine.resume(saved)

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
            self._engine.contacts, self.position, self._world.radius, self._obstacle_names
        )

    @property
    def fault(self) -> str | None:
        """Why the engine cannot go on, or None."""
        return self._engine.fault

    @property
    def snapshots(self) -> Any:
        """Running sums for the figures of a gas, see `gas_figures`; None if there are none."""
        return self._engine.snapshots

    def gas_figures(self) -> GasFigures | None:
        """Collision rate, pressure, … of a gas so far, with errors; None with engine "steps"."""
        return gas_of(self)

    def log_impacts(self, wanted: bool) -> None:
        """Whether impacts are handed over and kept from now on; they are counted in any case."""
        self._engine.log_impacts(wanted)

    def compile(self) -> None:
        """Compile whatever a run needs, without going on."""
        self._engine.compile()

    def _no_earlier(self, until: float) -> float:
        until = number(until, "until")
        if until < self.time:
            raise ValueError(f"until must be no earlier than now, {self.time!r}, not {until!r}")
        return until

    def _horizon(self) -> float:
        if self.scene is not None and self.scene.duration > self.time:
            return self.scene.duration
        return self.time + 1000.0 * self.step
