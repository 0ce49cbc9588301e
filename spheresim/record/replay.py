"""The state of a run at any time, from its frames and the impacts between them."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spheresim.collision.impacts import OBSTACLE, WAKE, Impacts
from spheresim.engines.engine import Engine
from spheresim.engines.options import ENGINE_KINDS
from spheresim.engines.rest import can_sleep
from spheresim.model.state import State, build
from spheresim.numerics.arguments import number
from spheresim.numerics.vector import TVector
from spheresim.record.flight import Clock, fly
from spheresim.record.held_flight import PILE, HeldBall, Visit, visits_of
from spheresim.record.layout import FRAMES, RunError
from spheresim.record.smoothing import distances, make_up, still
from spheresim.record.ways import Replayed, Ways
from spheresim.scene import Scene

_AGREES = 1e-11
"""A way that ends this near to the next frame, relative to the largest coordinate, is right."""

_MOST_VISITS = 100
"""The most rows of a ball between two frames that are followed: for more the engine is faster."""


@dataclass
class _Stretch:
    """What lies between two frames: the rows, and which balls need more than a flight.

    fixed: (n,), balls that do not move; held: balls that obstacles hold for a part of it, with
    what holds them at its start; visits: their rows; simulated: those of them for which there is
    no formula; is_checked: whether it was looked how near the engine then comes to the next frame.
    missed: by how much flights miss positions and velocities of the next frame, (n, 3) each, where
    that is made up for on the way.
    """

    rows: Impacts
    fixed: Any
    held: dict[int, set[int]]
    visits: dict[int, list[Visit]] = field(default_factory=dict)
    simulated: list[int] = field(default_factory=list)
    is_checked: bool = False
    missed: tuple[Any, Any] | None = None


class Replay:
    """A run as a trajectory: its frames, and the ways of its balls between them.

    Balls that fly, rest, and slide on planes go by formulas. Where that does not lead to the next
    frame, as of a ball that slides on what bends, the engine runs once more from the frame before;
    `simulated` counts the stretches between frames for which it did, and `deviation` is by how
    much it then missed a next frame at the worst [length]. With the fixed step the pushes between
    balls that lie on each other are no rows: where flights miss the next frame by that, it is made
    up for smoothly on the way, which is only near. `smoothed` counts these stretches, and `made_up`
    is the most that was made up for [length]. times: of the frames; rows: the impacts, as
    `Impacts`.
    """

    def __init__(self, scene: Scene, frames: Any, rows: Impacts, duration: float, where: object):
        """frames: the run's table; rows: its impacts; duration: of the run; where: for RunError."""
        n = len(scene.balls)
        self._n, self._frames = n, frames[: len(frames) // n * n]
        self.times = np.array(self._frames.t[::n])
        if len(self.times) == 0:
            raise RunError(f"{where}: holds no frame of {n} balls")
        if (np.diff(self.times) <= 0.0).any():
            raise RunError(f"{where}: the times of its frames do not go on")
        self.rows = rows
        self._world, _ = build(scene.balls, scene.obstacles, scene.gravity, scene.box, scene.rest)
        self._borders = np.searchsorted(self.rows.t, self.times, side="right")
        self._borders[0] = 0  # impacts at time 0 belong to the first stretch
        self._changes = np.flatnonzero(self.rows.kind > OBSTACLE)
        self._holders: tuple[int, dict[int, set[int]]] = (0, {})
        self._clock = Clock(scene.step if _is_stepped(scene) else 0.0, duration)
        self.is_smoothed = _is_stepped(scene) and can_sleep(self._world)
        self._scene, self._where = scene, where
        self._size = 1.0
        self._stretches: dict[int, _Stretch] = {}
        self.simulated, self.deviation = 0, 0.0
        self.smoothed, self.made_up = 0, 0.0
        self._runner: Engine | None = None
        self._runs_from = -1

    def at(self, time: float) -> Replayed:
        """The state at a time; ValueError before the first or after the last frame."""
        time = number(time, "t")
        if not self.times[0] <= time <= self.times[-1]:
            raise ValueError(
                f"t must be from {self.times[0]!r} to {self.times[-1]!r}, the times of the first "
                f"and the last frame, not {time!r}"
            )
        k = int(np.searchsorted(self.times, time, side="right")) - 1
        if time == self.times[k]:
            return self._frame(k)
        stretch = self._stretch(k)
        if stretch.simulated and not (stretch.is_checked or self.is_smoothed):
            self._check(k, stretch)
        return self._between(k, stretch, time)

    def ways(self, k: int) -> Ways:
        """How balls go from frame k, counted from 0, to the next, where they do not simply fly."""
        stretch, until = self._stretch(k), float(self.times[k + 1])
        simulated = {i: [v.t for v in stretch.visits.get(i, ())] for i in stretch.simulated}
        pieces = {
            i: self._held_ball(k, i, stretch, until).pieces
            for i in stretch.held
            if i not in simulated
        }
        return Ways(stretch.fixed, pieces, simulated)

    def simulated_at(self, k: int, time: float) -> Replayed:
        """Where the engine, run once more, gets to from frame k: what `at` says of those balls
        for which there is no formula, at less cost. Times are best asked for in order."""
        if time == self.times[k]:
            return self._frame(k)
        state = self._engine(k, time)
        return Replayed(state.position.copy(), state.velocity.copy())

    def _frame(self, k: int) -> Replayed:
        rows = self._frames[k * self._n : (k + 1) * self._n]
        if (rows.ball != np.arange(self._n)).any():
            raise RunError(f"{self._where}: {FRAMES} is not of the {self._n} balls of its scene")
        return Replayed(
            np.stack([rows.x, rows.y, rows.z], axis=1),
            np.stack([rows.vx, rows.vy, rows.vz], axis=1),
        )

    def _between(self, k: int, stretch: _Stretch, time: float) -> Replayed:
        """The state at a time between frame k and the next."""
        here = self._frame(k)
        position, velocity = here.position.copy(), here.velocity.copy()
        skipped = stretch.fixed.copy()
        skipped[list(stretch.held)] = True
        fly(
            *(stretch.rows.names, stretch.rows.numbers, 0, float(self.times[k]), time),
            *(position, velocity, np.zeros(self._n), skipped, self._world.mass),
            *(self._world.gravity, self._clock),
        )
        if stretch.missed is not None:
            start, span = float(self.times[k]), float(self.times[k + 1] - self.times[k])
            make_up(position, velocity, stretch.missed, (time - start) / span, span)
            return Replayed(position, velocity)
        for i in stretch.held:
            if i not in stretch.simulated:
                ball = self._held_ball(k, i, stretch, time)
                position[i], velocity[i] = ball.place, ball.velocity
        if stretch.simulated:
            engine = self._engine(k, time)
            position[stretch.simulated] = engine.position[stretch.simulated]
            velocity[stretch.simulated] = engine.velocity[stretch.simulated]
        return Replayed(position, velocity)

    def _held_ball(self, k: int, i: int, stretch: _Stretch, time: float) -> HeldBall:
        """Ball i, which obstacles hold for a part of it, on its way from frame k to a time."""
        here = self._frame(k)
        start = TVector(here.position[i].tolist()), TVector(here.velocity[i].tolist())
        ball = HeldBall(self._world, i, float(self.times[k]), *start)
        ball.supports = set(stretch.held[i])
        ball.follow(stretch.visits[i], time)
        return ball

    def _engine(self, k: int, time: float) -> State:
        """Where the exact engine gets to from frame k; it goes on from where it is, if that is
        earlier."""
        here = self._frame(k)
        if self._runner is None:
            start = State(np.zeros(1), *here)
            self._runner = ENGINE_KINDS["events"].make(self._world, start, self._scene.step, 0)
            self._runner.log_impacts(False)
        if self._runs_from != k or self._runner.state.now > time:
            self._runner.restore(float(self.times[k]), *here)
            self._runs_from = k
        for _ in self._runner.go_on(time):
            pass
        return self._runner.state.current()

    # --- What lies between two frames -----------------------------------------------------

    def _stretch(self, k: int) -> _Stretch:
        """What lies between frame k and the next; the last one that was asked for is kept."""
        if k not in self._stretches:
            self._stretches = {k: self._made(k)}
        return self._stretches[k]

    def _made(self, k: int) -> _Stretch:
        rows = slice(self._borders[k], self._borders[k + 1])
        stretch = _Stretch(
            Impacts(self.rows.names[rows], self.rows.numbers[rows]),
            np.zeros(self._n, dtype=np.bool_),
            {} if self.is_smoothed else self._held_at(k),
        )
        if self.is_smoothed:
            self._smooth(k, stretch)
            return stretch
        changed = set(stretch.rows.i[stretch.rows.kind > OBSTACLE].tolist())
        if not stretch.held and not changed:
            return stretch
        # Balls that lie where they are, whatever hits them; and others, which are looked at.
        here, there = self._frame(k), self._frame(k + 1)
        lies = still(here, there)
        for i in list(stretch.held):
            if lies[i] and i not in changed:
                stretch.fixed[i] = True
                del stretch.held[i]
        for i in changed:
            stretch.held.setdefault(i, set())
        self._find_simulated(k, stretch, there)
        return stretch

    def _smooth(self, k: int, stretch: _Stretch) -> None:
        """Find by how much flights miss the next frame; what lies still does not fly."""
        there, end = self._frame(k + 1), float(self.times[k + 1])
        stretch.fixed = still(self._frame(k), there)
        flown = self._between(k, stretch, end)
        self._size = max(self._size, float(np.abs(there.position).max()))
        missed = distances(flown, there)
        is_off = missed > _AGREES * self._size
        self.smoothed += int(is_off.any())
        self.made_up = max(self.made_up, float(missed[is_off].max(initial=0.0)))
        stretch.simulated = np.flatnonzero(is_off).tolist()
        rest = [there[m] - flown[m] for m in range(2)]
        stretch.missed = rest[0] * is_off[:, None], rest[1] * is_off[:, None]

    def _find_simulated(self, k: int, stretch: _Stretch, there: Replayed) -> None:
        """Find the balls whose formula does not lead to the next frame."""
        if not stretch.held:
            return
        stretch.visits = visits_of(stretch.rows, stretch.held)
        end = float(self.times[k + 1])
        self._size = max(self._size, float(np.abs(there.position).max()))
        for i in stretch.held:
            if len(stretch.visits[i]) <= _MOST_VISITS:
                found = np.array(self._held_ball(k, i, stretch, end).place)
                if np.linalg.norm(found - there.position[i]) <= _AGREES * self._size:
                    continue
            stretch.simulated.append(i)

    def _check(self, k: int, stretch: _Stretch) -> None:
        """Find how near the engine comes to the next frame."""
        found = self._between(k, stretch, float(self.times[k + 1]))
        missed = distances(found, self._frame(k + 1))
        stretch.is_checked = True
        self.simulated += 1
        self.deviation = max(self.deviation, float(missed[stretch.simulated].max()))

    def _held_at(self, k: int) -> dict[int, set[int]]:
        """What holds each ball that is held at frame k: obstacles, or `PILE`."""
        done, holders = self._holders
        until = int(np.searchsorted(self._changes, self._borders[k]))
        if until < done:
            done, holders = 0, {}
        supports: defaultdict[int, set[int]] = defaultdict(set, holders)
        for kind, i, other in self.rows.names[self._changes[done:until]].tolist():
            if kind != WAKE:
                supports[i].add(other)
            elif other == PILE:
                supports[i].clear()
            else:
                supports[i].discard(other)
        self._holders = until, dict(supports)
        return {i: set(by) for i, by in supports.items() if by}


def _is_stepped(scene: Scene) -> bool:
    return ENGINE_KINDS[scene.engine].has_fixed_step
