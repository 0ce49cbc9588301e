"""`Simulation`: balls, obstacles, gravity, and time that goes on."""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.analysis import energy as analysis
from spheresim.collision.constants import SLICES
from spheresim.collision.impacts import Impacts, Tally, impact_table
from spheresim.engines.event_driven.engine import Events
from spheresim.engines.options import ENGINES, TOI_METHODS, misfit, usual_engine
from spheresim.engines.time_stepping.engine import Stepping
from spheresim.model.balls import Ball, Balls
from spheresim.model.labels import Labels
from spheresim.model.periodic_fit import fitted
from spheresim.model.state import BallView, Box, Obstacle, State, World, build
from spheresim.numerics.arguments import finite_vector, number, positive, whole_number
from spheresim.numerics.vector import TVector, VectorLike
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim.scene import Scene, load_scene
from spheresim.scene.overlap import overlaps


class BallViews(Sequence[BallView]):
    """The balls of a simulation as views that read and write through."""

    __slots__ = ("_names", "_state", "_world")

    def __init__(self, world: World, state: State, names: Labels) -> None:
        self._world = world
        self._state = state
        self._names = names

    @property
    def names(self) -> Labels:
        """The balls' names, in the order of their indices."""
        return self._names

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} balls, so none has the index {index}")
        index = int(index) % len(self)
        return BallView(self._world, self._state, index, self._names[index])

    def __iter__(self) -> Iterator[BallView]:
        return (self[i] for i in range(len(self)))


class Simulation:
    """Balls that fly, and bounce off each other and off obstacles.

    >>> from spheresim import Ball, Plane, Simulation
    >>> floor = Plane((0, 0, 0), (0, 1, 0))
    >>> simulation = Simulation([Ball((0, 1, 0), (0, -2, 0), radius=0.5)], [floor], step=0.125)
    >>> simulation.run(until=1)
    >>> simulation.balls[0].position.y, simulation.impacts.t
    (2.0, array([0.25]))

    `engine` is "steps" or "events", the exact one, which goes from impact to impact. `step`
    is the fixed timestep [time] of the first; `toi` the way in which it finds impacts of
    two balls, "analytic" or "sliced" into `slices`; obstacles are shapes, or `Obstacle`s
    that give them a restitution and a name. `box`, a `Box` or three lengths from the origin
    on, makes space periodic: then the engine is "events", else "steps" if none is named, and
    an obstacle that does not fit the box raises ValueError.

    Balls that overlap each other or an obstacle are warned of, once, unless `check` is False:
    those that approach are thrown back at once, the others part as if nothing were there.
    """

    __slots__ = ("_balls", "_batches", "_engine", "_obstacle_names", "_state", "_world", "scene")

    def __init__(
        self,
        balls: Sequence[Ball],
        obstacles: Sequence[Plane | Cylinder | Obstacle] = (),
        gravity: VectorLike = (0.0, 0.0, 0.0),
        step: float = 0.01,
        engine: str | None = None,
        toi: str = "analytic",
        slices: int = SLICES,
        box: Box | VectorLike | None = None,
        *,
        check: bool = True,
    ) -> None:
        balls = Balls.of(balls).numbered()
        if len(balls) == 0:
            raise ValueError("a simulation needs at least one ball")
        space = box if box is None or isinstance(box, Box) else Box(size=box)
        is_periodic = space is not None and space.is_periodic
        engine = usual_engine(is_periodic) if engine is None else engine
        if engine not in ENGINES:
            raise ValueError(f'engine must be "steps" or "events", not {engine!r}')
        if toi not in TOI_METHODS:
            raise ValueError(f'toi must be "analytic" or "sliced", not {toi!r}')
        slices = whole_number(slices, "slices", low=1)
        if wrong := misfit(engine, toi, is_periodic):
            raise ValueError(" ".join(wrong))
        placed = [o if isinstance(o, Obstacle) else Obstacle(o) for o in obstacles]
        self.scene: Scene | None = None
        self._obstacle_names = _obstacle_names(placed)
        placed = [fitted(o, space, n) for o, n in zip(placed, self._obstacle_names, strict=True)]
        self._world, self._state = build(balls, placed, finite_vector(gravity, "gravity"), space)
        self._balls = BallViews(self._world, self._state, balls.name)
        if check:
            self._warn_of_overlaps(placed)
        self._batches: list[Impacts] = []
        step = positive(step, "step")
        self._engine: Stepping | Events
        if engine == "events":
            self._engine = Events(self._world, self._state, step)
        else:
            sliced = slices if toi == "sliced" else 0
            self._engine = Stepping(self._world, self._state, step, sliced)

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
            check=False,  # as was done when it was loaded
        )
        simulation.scene = scene
        return simulation

    @property
    def time(self) -> float:
        """The time that the state is at."""
        return float(self._state.time[0])

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
        return self._state.position

    @property
    def velocity(self) -> Any:
        """Velocities, shape (n, 3): like `position` the array that moves; keep a `.copy()`."""
        return self._state.velocity

    @property
    def balls(self) -> BallViews:
        """The balls as objects."""
        return self._balls

    @property
    def world(self) -> World:
        """Radii, masses, obstacles and all else that does not move."""
        return self._world

    @property
    def state(self) -> State:
        """Time, positions and velocities as arrays."""
        return self._state

    @property
    def obstacle_names(self) -> Sequence[str]:
        """The obstacles' names in the order of their indices."""
        return self._obstacle_names

    @property
    def impacts(self) -> Any:
        """All impacts so far as a table: t, kind, i, j, obstacle, x, y, z, nx, …, impulse."""
        return impact_table(self._batches, self._obstacle_names)

    @property
    def tally(self) -> Tally:
        """How many steps, impacts and answers to inelastic collapse there have been."""
        return self._engine.tally

    def energy(self) -> float:
        """Kinetic and potential energy."""
        return analysis.energy(self._world, self._state)

    def momentum(self) -> TVector:
        """The sum of all momenta."""
        return analysis.momentum(self._world, self._state)

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
        wanted = math.inf if impacts is None else whole_number(impacts, "impacts", low=1)
        came = -self._impacts_done()
        for batch in self._engine.go_on(end, wanted):
            if len(batch.t):
                self._batches.append(batch)
        if self.fault is not None:
            raise RuntimeError(self.fault)
        came += self._impacts_done()
        if end == math.inf and came < wanted:
            raise RuntimeError(
                f"only {came} of {wanted} impacts came, and no more are to be expected: from "
                f"t = {self.time!r} on all balls fly apart, pass each other by, or are at rest"
            )

    def step_once(self) -> None:
        """Go one step, or finish the one that has begun."""
        self._batches += self._engine.step_once()

    def next_impact(self, before: float | None = None) -> Any:
        """Go on to the next impact, stop there and return its row, or None.

        Without an impact it goes to the time `before`, by default the scene's end, or
        else a thousand steps on.
        """
        end = self._horizon() if before is None else number(before, "before", low=self.time)
        batches = self._engine.next_impact(end)
        self._batches += batches
        table = impact_table(batches, self._obstacle_names)
        return table[-1] if len(table) else None

    def batches(
        self,
        until: float,
        impacts: float = math.inf,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[Impacts]:
        """Go on to a time, for so many impacts, or until interrupted, whichever is first.

        The impacts are handed over as they come, some thousands at a time, instead of being
        kept; the state is up to date when all have been taken, or the iterator is closed.
        """
        return self._engine.go_on(self._no_earlier(until), impacts, is_interrupted)

    def advance(
        self, until: float, is_interrupted: Callable[[], bool] = lambda: False
    ) -> list[Impacts]:
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
        position, velocity = (
            _finite_rows(array, self.position.shape, what)
            for array, what in ((position, "position"), (velocity, "velocity"))
        )
        self._engine.restore(time, position, velocity)

    def save(self) -> dict[str, Any]:
        """Arrays by name: all that it takes to go on from here as it did, with `resume`."""
        if isinstance(self._engine, Events):
            return {name: array.copy() for name, array in self._engine.save().items()}
        return {name: array.copy() for name, array in self._state._asdict().items()}

    def resume(self, saved: dict[str, Any]) -> None:
        """Go back, or on, to what `save` gave: from there all comes out again, to the last bit.

        With the engine "steps" it must have been saved at the start of a step.
        """
        if isinstance(self._engine, Events):
            self._engine.resume(saved)
        else:
            self._engine.restore(float(saved["time"][0]), saved["position"], saved["velocity"])

    @property
    def fault(self) -> str | None:
        """Why the engine cannot go on, or None."""
        return self._engine.fault if isinstance(self._engine, Events) else None

    @property
    def events_engine(self) -> Events | None:
        """The exact engine, if it is that which runs."""
        return self._engine if isinstance(self._engine, Events) else None

    def compile(self) -> None:
        """Compile whatever a run needs, without going on."""
        self._engine.compile()

    def _warn_of_overlaps(self, obstacles: Sequence[Obstacle]) -> None:
        named = [o._replace(name=n) for o, n in zip(obstacles, self._obstacle_names, strict=True)]
        found = overlaps(self._world, self._state, self._balls.names, named)
        if found:
            more = f" (and {len(found) - 1:,} more overlaps)" if len(found) > 1 else ""
            warnings.warn(f"{found[0]}{more}", stacklevel=3)

    def _impacts_done(self) -> int:
        return self.tally.ball_impacts + self.tally.obstacle_impacts

    def _no_earlier(self, until: float) -> float:
        until = number(until, "until")
        if until < self.time:
            raise ValueError(f"until must be no earlier than now, {self.time!r}, not {until!r}")
        return until

    def _horizon(self) -> float:
        if self.scene is not None and self.scene.duration > self.time:
            return self.scene.duration
        return self.time + 1000.0 * self.step


def _finite_rows(array: Any, shape: tuple[int, int], what: str) -> Any:
    """A copy as floats, for it may be a view of the very array that it is to replace."""
    rows = np.array(array, dtype=np.float64)
    if rows.shape != shape:
        raise ValueError(f"{what} must have the shape {shape}, not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError(f"{what} must be finite")
    return rows


def _obstacle_names(obstacles: Sequence[Obstacle]) -> list[str]:
    """Given names, or `plane 0`, `cylinder 0`, … counted kind by kind."""
    counts: dict[str, int] = {}
    names = []
    for obstacle in obstacles:
        kind = type(obstacle.shape).__name__.lower()
        names.append(obstacle.name or f"{kind} {counts.get(kind, 0)}")
        counts[kind] = counts.get(kind, 0) + 1
    return names
