"""What a page must know of a run to play it: impacts, and pieces of ways that are no flights.

A ball starts with its first piece. After that it flies, and each impact changes its velocity by
the impulse over its mass, as in `spheresim.record.flight`. Where that is not so (it rests,
slides, or is in a pile) further pieces say where it is; so they do where flying from the start
on would miss a frame by more than rounding.

Where pieces say where balls are at each frame, the digits of impulses that matter are few.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.collision.step_kicks import Clock
from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.model.state import build
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.record.flight import Pull, pull_of
from spheresim.record.load import Run
from spheresim.record.logged_trajectories import LoggedTrajectories, led_to
from spheresim.record.replayed import Replayed
from spheresim_viewer.web.curves import COEFFICIENTS, Curves
from spheresim_viewer.web.straight_ways import StraightWays

FLIES, GIVEN, CHORD, NEXT_CHORD = range(4)
"""What a ball does from a piece on: it flies, and impacts change that; the piece tells where it is;
or the piece is a straight way to the next frame, which is only near, and may begin where the ball's
last one ended."""

_UNSEEN = 1e-11
"""Impulses that move balls only up to the next frame are rounded by what moves them less than this
part of the stage by then."""

_SHOWN = 13
"""Binary digits that each impulse keeps: it is shown, and its direction."""

_ROUNDING = 1e-13
"""Flights that miss a frame by more than this part of the largest coordinate are put right."""


class Pieces(NamedTuple):
    """Parts of ways, in order of time: the sum of c[k]·sᵏ at a time s after t.

    t, ball, mode: (m,); coefficients: (m, 8, 3), of which FLIES needs the first two, position and
    velocity. In their place straight ways have start, way and shape (see `Straight`).
    """

    t: Floats
    ball: Integers
    mode: Integers
    coefficients: Floats


@dataclass
class Motion:
    """rows: the impacts; pieces: of all balls; end: the time of the last frame.

    pull: as flown. curves: how many pieces approximate a way for which there is no formula,
    and deviation: by how much they were found to miss it at the worst [length]. chords: how many
    pieces are straight ways to the next frame. impulse: of each row on ball i, (m, 3); 0 where it
    is no impact.
    """

    rows: Impacts
    impulse: Floats
    pieces: Pieces
    end: float
    pull: Pull
    curves: int
    chords: int
    deviation: float


def motion_of(run: Run) -> Motion:
    """The motion of a run; RunError if its impacts were not written."""
    return _Reader(run).read()


@dataclass
class _List:
    """Pieces as they come."""

    rows: list[tuple[float, int, int]] = field(default_factory=list)
    coefficients: list[Floats] = field(default_factory=list)

    def add(self, t: float, ball: int, mode: int, *coefficients: Floats) -> None:
        """One more; coefficients that are not given are 0."""
        self.rows.append((t, ball, mode))
        all_of_them = np.zeros((COEFFICIENTS, 3))
        all_of_them[: len(coefficients)] = coefficients
        self.coefficients.append(all_of_them)

    def table(self) -> Pieces:
        """All of them, in order of time."""
        t, ball, mode = (np.array(column) for column in zip(*self.rows, strict=True))
        order = np.argsort(t, kind="stable")
        return Pieces(t[order], ball[order], mode[order], np.array(self.coefficients)[order])


class _Reader:
    """Goes through a run from frame to frame, as the page will."""

    def __init__(self, run: Run) -> None:
        scene, self._replay = run.scene, run.replay
        self._world, _ = build(
            *(scene.balls, scene.obstacles, scene.gravity, scene.box, scene.rest, scene.surfaces)
        )
        step = scene.step if ENGINE_KINDS[scene.engine].has_fixed_step else 0.0
        clock = Clock(step, float(run.info.get("duration", scene.duration)))
        self._n = len(scene.balls)
        self._pull = pull_of(scene.gravity, scene.field, self._n, clock)
        self._given = np.zeros(self._n, dtype=np.bool_)
        self._strayed = np.zeros(self._n, dtype=np.bool_)
        self._pieces = _List()
        self._chords = 0
        start = self._replay.at(self._replay.times[0])
        self._state = Replayed(start.position.copy(), start.velocity.copy())
        self._size = max(1e-300, float(np.abs(start.position).max()))
        self._curves = Curves(self._replay.logged, self._size)
        self._ways = StraightWays(self._n, self._size)

    def read(self) -> Motion:
        replay, times, rows = self._replay, self._replay.times, self._replay.rows
        for ball in range(self._n):
            self._add_flight(float(times[0]), ball, self._state)
        played = slice(0, int(np.searchsorted(rows.t, times[-1], side="right")))
        kept = Impacts(rows.names[played], rows.numbers[played])
        if replay.strays:
            quantum = self._write_stretches(kept)
        else:
            quantum = logged_quanta(replay.logged, kept)
            self._write_logged(float(times[-1]))
            for k in range(len(times) - 1):
                held = replay.fly_on(k, float(times[k + 1]), self._state)
                self._put_right(k + 1, held)
        return Motion(
            rows=kept,
            impulse=_impulses(kept, quantum),
            pieces=self._pieces.table(),
            end=float(times[-1]),
            pull=self._pull,
            curves=self._curves.count,
            chords=self._chords,
            deviation=self._curves.deviation,
        )

    def _add_flight(self, t: float, ball: int, state: Replayed) -> None:
        self._pieces.add(t, ball, FLIES, state.position[ball], state.velocity[ball])

    # --- By the flights of the run --------------------------------------------------------

    def _write_logged(self, end: float) -> None:
        """Write the flights of which no impact tells."""
        logged, flights = self._replay.logged, self._replay.logged.flights
        for ball in range(self._n):
            last: Any = None
            mine = logged.row[logged.first[ball] : logged.first[ball + 1]].tolist()
            for row, later in pairwise([*mine, -1]):
                stop = min(end, float(flights.t[later])) if later >= 0 else end
                t, flight = float(flights.t[row]), flights.numbers[row]
                if t > end:
                    break
                x, v, a = flight[1:4], flight[4:7], flight[7:10]
                if not flights.names[row, 2]:
                    self._pieces.add(t, ball, FLIES, x, self._hit_at_once(row, v))
                elif logged.slides(row):
                    for start, coefficients in self._curves.of(row, stop):
                        self._pieces.add(start, ball, GIVEN, *coefficients)
                elif not _goes_on(last, flight):
                    self._pieces.add(t, ball, GIVEN, x, v, 0.5 * a)
                last = flight if flights.names[row, 2] else None

    def _hit_at_once(self, row: int, velocity: Floats) -> Floats:
        """The velocity of the ball of a flight after impacts that follow at the same time."""
        flights, rows = self._replay.logged.flights, self._replay.rows
        ball, k, velocity = int(flights.ball[row]), int(flights.after[row]), velocity.copy()
        while k < len(rows.t) and rows.t[k] == flights.t[row]:
            if rows.kind[k] <= OBSTACLE:
                change = rows.whole_impulse[k] / self._world.mass[ball]
                is_other = rows.kind[k] == BALL and rows.other[k] == ball
                velocity += change * (int(rows.i[k] == ball) - int(is_other))
            k += 1
        return velocity

    # --- From frame to frame, where flights stray -----------------------------------------

    def _write_stretches(self, rows: Impacts) -> Floats:
        """Write flights and straight ways; to what the impulses are rounded."""
        times = self._replay.times
        borders = np.searchsorted(rows.t, times, side="right")
        borders[0] = 0
        quantum = np.zeros(len(rows.t))
        for k in range(len(times) - 1):
            part = slice(borders[k], borders[k + 1])
            self._begin(k)
            quantum[part] = self._quanta(rows, part, k)
            self._replay.fly_from_frame(k, float(times[k + 1]), self._state, self._given)
            self._put_right(k + 1, self._given | self._strayed)
        return quantum

    def _begin(self, k: int) -> None:
        """Write which balls lie still from frame k on, which fly again, and which stray."""
        t, stretch = float(self._replay.times[k]), self._replay.stretch(k)
        still, strayed = stretch.fixed, np.zeros(self._n, dtype=np.bool_)
        strayed[stretch.balls] = True
        from_start = np.zeros(self._n, dtype=np.bool_)
        from_start[stretch.balls] = stretch.since == t
        for ball in np.flatnonzero(still & ~self._given).tolist():
            self._pieces.add(t, ball, GIVEN, self._state.position[ball])
        for ball in np.flatnonzero((self._given | self._strayed) & ~still & ~from_start).tolist():
            self._add_flight(t, ball, self._state)
        until = float(self._replay.times[k + 1])
        for way in self._ways.of(stretch.balls, stretch.since, stretch.chords, until):
            mode = NEXT_CHORD if way.goes_on else CHORD
            self._pieces.add(way.t, way.ball, mode, way.start, way.way, way.shape)
        self._chords += len(stretch.balls)
        self._given, self._strayed = still, strayed

    def _quanta(self, rows: Impacts, part: slice, k: int) -> Floats:
        """To what impulses of some rows, after frame k, are rounded.

        0 where they move balls beyond the next frame, inf where they move none: both lie still, or
        are on straight ways by then.
        """
        times, stretch = self._replay.times, self._replay.stretch(k)
        i, other, is_pair = rows.i[part], rows.other[part], rows.kind[part] == BALL
        j = np.where(is_pair, other, i)
        local = self._given | self._strayed
        since = np.where(self._given, -np.inf, np.inf)
        since[stretch.balls] = stretch.since
        mass = np.minimum(self._world.mass[i], self._world.mass[j])
        span = float(times[k + 1] - times[k])
        quantum = np.exp2(np.floor(np.log2(_UNSEEN * self._size * mass / span)))
        quantum[np.maximum(since[i], since[j]) <= rows.t[part]] = np.inf
        return np.where(local[i] & local[j], quantum, 0.0)

    # --- Either way -----------------------------------------------------------------------

    def _put_right(self, k: int, given: Booleans) -> None:
        """Compare what was flown with frame k; where it is not the same, the frame holds."""
        there, state = self._replay.at(self._replay.times[k]), self._state
        far = self._off(state.position, there.position) | self._off(state.velocity, there.velocity)
        for ball in np.flatnonzero(far & ~given).tolist():
            self._add_flight(float(self._replay.times[k]), ball, there)
        chosen = far | given
        state.position[chosen] = there.position[chosen]
        state.velocity[chosen] = there.velocity[chosen]

    def _off(self, found: Floats, true: Floats) -> Booleans:
        size = max(1e-300, float(np.abs(true).max()))
        return np.abs(found - true).max(axis=1) > _ROUNDING * size


def _goes_on(last: Any, flight: Any) -> bool:
    """Whether a flight is what the one before it leads to, if there was one; see `Flights`."""
    if last is None:
        return False
    led = np.stack([*led_to(last, flight[0]), last[7:10]])
    there = flight[1:].reshape(3, 3)
    size = np.maximum(1e-300, np.abs(there).max(axis=1))
    return bool((np.abs(led - there).max(axis=1) <= _ROUNDING * size).all())


def logged_quanta(logged: LoggedTrajectories, rows: Impacts) -> Floats:
    """To what the impulse of each row is rounded; inf where all flights of its balls are logged."""
    flights, n = logged.flights, len(logged.first) - 1
    matters = np.zeros(len(rows.t), dtype=np.bool_)
    kinds, index = rows.kind, np.arange(len(rows.t))
    for concerned, mask in ((rows.i, kinds <= OBSTACLE), (rows.other, kinds == BALL)):
        of_ball = np.where(mask, concerned, n)
        by_ball = np.argsort(of_ball, kind="stable")
        borders = np.searchsorted(of_ball[by_ball], np.arange(n + 1))
        for ball in range(n):
            mine = by_ball[borders[ball] : borders[ball + 1]]
            its = logged.row[logged.first[ball] : logged.first[ball + 1]]
            last = np.searchsorted(flights.t[its], rows.t[mine], side="right") - 1
            free = last < 0
            if len(its):
                found = its[np.maximum(last, 0)]
                later = (flights.t[found] == rows.t[mine]) & (flights.after[found] > index[mine])
                free |= ~flights.is_held[found] & ~later
            matters[mine] |= free
    return np.where(matters, 0.0, np.inf)


def _impulses(rows: Impacts, quantum: Floats) -> Floats:
    """The impulse of each row on ball i, rounded to a quantum of each row; 0: not rounded.

    Small ones keep digits enough to be shown.
    """
    whole = np.where((rows.kind <= OBSTACLE)[:, None], rows.whole_impulse, 0.0)
    is_rounded = (quantum > 0.0)[:, None]
    largest = np.abs(whole).max(axis=1, initial=0.0)
    shown = np.exp2(np.frexp(largest)[1] - float(_SHOWN))
    unit = np.where(is_rounded, np.minimum(quantum, shown)[:, None], 1.0)
    return np.where(is_rounded, np.rint(whole / unit) * unit, whole)
