"""The state of a run at any time, from its frames and what happened between them."""

from dataclasses import dataclass

import numpy as np

from spheresim.collision.flights import Flights
from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.collision.step_kicks import Clock
from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.engines.sleep_criterion import can_sleep
from spheresim.model.frame_arrays import frame_arrays
from spheresim.numerics.arguments import number
from spheresim.numerics.arrays import Booleans, Floats, Integers, Records
from spheresim.record.chords import along, chords, still
from spheresim.record.flight import BallsInFlight, Rows, fly, fly_while_consistent, pull_of
from spheresim.record.logged_trajectories import LoggedTrajectories
from spheresim.record.replayed import Replayed
from spheresim.record.spin_changes import spun
from spheresim.scene import Scene

_AGREES = 1e-11
"""A flight that ends this near to an impact or a frame, relative to the largest coordinate, is
right."""


@dataclass
class _Stretch:
    """What lies between two frames, where flights may miss the next.

    fixed: (n,), balls that do not move; balls: the numbers of those that stray, (m,), which from
    the times `since`, (m,), on go along `chords`, (m, 4, 3).
    """

    fixed: Booleans
    balls: Integers
    since: Floats
    chords: Floats


class Replay:
    """A run as a trajectory: its frames, and the ways of its balls between them.

    Between impacts a ball's trajectory is implied: it flies. A ball that something holds or pushes
    follows the logged trajectory instead. The fixed step logs none, nor does a run that has lost
    them (`strays`): there a ball that would miss its next impact or frame goes straight, from the
    last impact that it met to the next frame, which is approximate. times: of the frames; rows:
    the impacts, as `Impacts`.
    """

    def __init__(
        self,
        scene: Scene,
        frames: Records,
        rows: Impacts,
        flights: Flights,
        duration: float,
    ):
        """frames: the run's table, of complete frames; rows: its impacts; flights: those that they
        do not imply; duration: of the run."""
        n = len(scene.balls)
        self._n, self._frames = n, frames
        self.times = np.array(frames.t[::n])
        self.rows = rows
        self._world, start = scene.world()
        self.logged = LoggedTrajectories(flights, self._world, start.copy())
        self._borders = np.searchsorted(self.rows.t, self.times, side="right")
        self._borders[0] = 0  # impacts at time 0 belong to the first stretch
        is_stepped = ENGINE_KINDS[scene.engine].has_fixed_step
        clock = Clock(scene.step if is_stepped else 0.0, duration)
        self._pull = pull_of(scene.gravity, scene.field, n, clock)
        turns = self._world.turns_velocities or scene.thermostat is not None
        is_logged = bool(len(flights.names)) or not ((rows.kind > OBSTACLE).any() or turns)
        may_stray = can_sleep(self._world) or turns
        self.strays = may_stray if is_stepped else not is_logged
        self._stretches: dict[int, _Stretch] = {}
        self._straying: set[int] = set()

    @property
    def strayed(self) -> int:
        """In how many of the computed stretches between frames balls stray."""
        return len(self._straying)

    def at(self, time: float) -> Replayed:
        """The state at a time; ValueError before the first or after the last frame."""
        time = number(time, "t")
        first, last = float(self.times[0]), float(self.times[-1])
        if not first <= time <= last:
            raise ValueError(
                f"t must be from {first!r} to {last!r}, the times of the first "
                f"and the last frame, not {time!r}"
            )
        k = int(np.searchsorted(self.times, time, side="right")) - 1
        here = self._frame(k)
        if time == self.times[k]:
            return here
        turning = self._turning(k, time, here.angular_velocity)
        found = Replayed(here.position.copy(), here.velocity.copy(), turning)
        if not self.strays:
            self.fly_on(k, time, found)
            return found
        stretch = self.stretch(k)
        self.fly_from_frame(k, time, found, stretch.fixed)
        straight = time > stretch.since
        on_chord = along(stretch.chords[straight], time - stretch.since[straight])
        found.position[stretch.balls[straight]] = on_chord.position
        found.velocity[stretch.balls[straight]] = on_chord.velocity
        return found

    def fly_on(self, k: int, time: float, state: Replayed) -> Booleans:
        """Take balls from where they are at frame k, which is overwritten, to a time before the
        next; by the logged trajectories where there are any. Which are held then: (n,) bool."""
        start = float(self.times[k])
        last, held = self.logged.all_last(time), np.zeros(self._n, dtype=np.bool_)
        since, first = np.full(self._n, start), self._none()
        flights = self.logged.flights
        for i in np.flatnonzero(last >= 0).tolist():
            row = int(last[i])
            if flights.names[row, 2]:
                held[i] = True
                state.position[i], state.velocity[i] = self.logged.at(row, time)
            elif flights.t[row] > start:
                since[i], first[i] = flights.t[row], flights.after[row] - self._borders[k]
                state.position[i] = flights.numbers[row, 1:4]
                state.velocity[i] = flights.numbers[row, 4:7]
        self._fly(k, time, self._in_flight(state, since, held), first)
        return held

    def fly_from_frame(self, k: int, time: float, state: Replayed, stays: Booleans) -> None:
        """Take balls from where they are at frame k, which is overwritten, through its impacts to a
        time before the next, except those that stay, (n,) bool."""
        balls = self._in_flight(state, np.full(self._n, self.times[k]), stays)
        self._fly(k, time, balls, self._none())

    def stretch(self, k: int) -> _Stretch:
        """The stretch between frame k and the next; the last one computed is kept."""
        if k not in self._stretches:
            self._stretches = {k: self._found(k)}
        return self._stretches[k]

    def _none(self) -> Integers:
        return np.zeros(self._n, dtype=np.int64)

    def _frame(self, k: int) -> Replayed:
        states = frame_arrays(self._frames[k * self._n : (k + 1) * self._n], self._n)
        turning = states.angular_velocity
        return Replayed(
            states.position[0], states.velocity[0], None if turning is None else turning[0]
        )

    def _turning(self, k: int, time: float, start: Floats | None) -> Floats | None:
        """Angular velocities at a time after frame k, from those at the frame."""
        if start is None:
            return None
        end = int(np.searchsorted(self.rows.t, time, side="right"))
        part = slice(self._borders[k], max(end, self._borders[k]))
        return spun(start, self.rows.taken(part), self._world)

    def _rows_after(self, k: int) -> Rows:
        """The impacts between frame k and the next."""
        part = slice(self._borders[k], self._borders[k + 1])
        return Rows(self.rows.names[part], self.rows.numbers[part])

    def _fly(self, k: int, time: float, balls: BallsInFlight, first: Integers) -> None:
        """See `fly`; first: counted from the first row after frame k."""
        fly(self._rows_after(k), time, first, balls, self._pull)

    def _in_flight(self, state: Replayed, since: Floats, stays: Booleans) -> BallsInFlight:
        """The balls as `fly` takes them; since, stays: (n,), see `BallsInFlight`."""
        world = self._world
        return BallsInFlight(state.position, state.velocity, since, stays, world.radius, world.mass)

    def _found(self, k: int) -> _Stretch:
        """Find the balls that flights lead past an impact or past the next frame."""
        here, there, end = self._frame(k), self._frame(k + 1), float(self.times[k + 1])
        fixed = still(here, there)
        since, strayed = np.full(self._n, self.times[k]), fixed.copy()
        tolerance = _AGREES * max(1.0, float(np.abs(there.position).max()))
        flying = self._in_flight(here, since, strayed)
        rows = self._rows_after(k)
        fly_while_consistent(rows, end, there.position, flying, self._pull, tolerance)
        balls = np.flatnonzero(strayed & ~fixed & (since < end))
        if len(balls):
            self._straying.add(k)
        start, stop = (
            Replayed(state.position[balls], state.velocity[balls]) for state in (here, there)
        )
        ways = chords(start, stop, end - since[balls])
        return _Stretch(fixed, balls, since[balls], ways)
