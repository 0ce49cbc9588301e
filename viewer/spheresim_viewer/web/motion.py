"""What a page must know of a run to play it: impacts, and pieces of ways that are no flights.

A ball starts with its first piece. After that it flies, and each impact changes its velocity by
the impulse over its mass, as in `spheresim.record.flight`. Where that is not so (it rests,
slides, or is in a pile) further pieces say where it is; so they do where flying from the start
on would miss a frame by more than rounding.

Where pieces say where balls are at each frame, the digits of impulses that matter are few.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import BALL, OBSTACLE, Impacts
from spheresim.engines.options import ENGINE_KINDS
from spheresim.model.state import build
from spheresim.record.flight import Clock, fly
from spheresim.record.held_flight import Piece
from spheresim.record.load import Run
from spheresim.record.replay import Replay
from spheresim.record.ways import Ways
from spheresim_viewer.web.curves import COEFFICIENTS, Curves

FLIES, GIVEN, MADE_UP = range(3)
"""What a ball does from a piece on: it flies, and impacts change that; the piece tells where it is;
or it flies up to the next frame, and adds what flights would miss of that."""

_UNSEEN = 1e-12
"""Impulses that move balls only up to the next frame are rounded by what moves them less than this
part of the stage by then."""

_SHOWN = 13
"""Binary digits that each impulse keeps: it is shown, and its direction."""

_ROUNDING = 1e-13
"""Flights that miss a frame by more than this part of the largest coordinate are put right."""


class Pieces(NamedTuple):
    """Parts of ways, in order of time: the sum of c[k]·sᵏ at a time s after t.

    t, ball, mode: (m,); coefficients: (m, 8, 3). Of these FLIES needs the first two,
    position and velocity, and MADE_UP two more, which only add to its flight.
    """

    t: Any
    ball: Any
    mode: Any
    coefficients: Any


@dataclass
class Motion:
    """rows: the impacts; pieces: of all balls; end: the time of the last frame; clock: as flown.

    curves: how many pieces approximate a way for which there is no formula, and deviation: by
    how much they were found to miss it at the worst [length]. keyframes: how many flights add
    what they would miss. impulse: of each row on ball i, (m, 3); 0 where it is no impact.
    """

    rows: Impacts
    impulse: Any
    pieces: Pieces
    end: float
    clock: Clock
    curves: int
    keyframes: int
    deviation: float


def motion_of(run: Run) -> Motion:
    """The motion of a run; RunError if its impacts were not written."""
    return _Reader(run).read()


@dataclass
class _List:
    """Pieces as they come."""

    rows: list[tuple[float, int, int]] = field(default_factory=list)
    coefficients: list[Any] = field(default_factory=list)

    def add(self, t: float, ball: int, mode: int, *coefficients: Any) -> None:
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
        self._world, _ = build(scene.balls, scene.obstacles, scene.gravity, scene.box, scene.rest)
        step = scene.step if ENGINE_KINDS[scene.engine].has_fixed_step else 0.0
        self._clock = Clock(step, float(run.info.get("duration", scene.duration)))
        self._n = len(scene.balls)
        self._given = np.zeros(self._n, dtype=np.bool_)
        self._still = np.zeros(self._n, dtype=np.bool_)
        self._made_up = np.zeros(self._n, dtype=np.bool_)
        self._pieces = _List()
        self._keyframes = 0
        self._curves = Curves(self._replay)
        self._last: dict[int, Piece] = {}

    def read(self) -> Motion:
        replay = self._replay
        times, rows = replay.times, replay.rows
        position, velocity = replay.at(times[0])
        self._size = max(1e-300, float(np.abs(position).max()))
        for ball in range(self._n):
            self._pieces.add(times[0], ball, FLIES, position[ball], velocity[ball])
        borders = np.searchsorted(rows.t, times, side="right")
        borders[0] = 0
        quantum = np.zeros(len(rows.t))
        for k in range(len(times) - 1):
            ways = replay.ways(k)
            self._write(k, ways, position, velocity)
            part = slice(borders[k], borders[k + 1])
            quantum[part] = self._quanta(rows, part, float(times[k + 1] - times[k]))
            fly(
                *(rows.names[part], rows.numbers[part], 0, times[k], times[k + 1]),
                *(position, velocity, np.zeros(self._n), self._given, self._world.mass),
                *(self._world.gravity, self._clock),
            )
            self._put_right(replay, k + 1, position, velocity)
        end = float(times[-1])
        curves = self._curves
        played = slice(0, borders[-1])
        kept = Impacts(rows.names[played], rows.numbers[played])
        return Motion(
            rows=kept,
            impulse=_impulses(kept, quantum[played]),
            pieces=self._pieces.table(),
            end=end,
            clock=self._clock,
            curves=curves.count,
            keyframes=self._keyframes,
            deviation=curves.deviation,
        )

    def _write(self, k: int, ways: Ways, position: Any, velocity: Any) -> None:
        """Write the ways from frame k on that are no flights, and where such ones end."""
        t = float(self._replay.times[k])
        self._write_formulas(ways)
        made_up = np.zeros(self._n, dtype=np.bool_)
        made_up[list(ways.simulated)] = True
        given = ways.still.copy()
        given[list(ways.pieces)] = True
        if not self._replay.is_smoothed:
            for ball, start, coefficients in self._curves.between(k, ways.simulated):
                self._pieces.add(start, ball, GIVEN, *coefficients)
                made_up[ball], given[ball] = False, True
        for ball in np.flatnonzero(ways.still & ~self._still).tolist():
            self._pieces.add(t, ball, GIVEN, position[ball])
        flies_again = (self._given | self._made_up) & ~given & ~made_up
        for ball in np.flatnonzero(flies_again).tolist():
            self._pieces.add(t, ball, FLIES, position[ball], velocity[ball])
        self._given, self._still, self._made_up = given, ways.still, made_up
        self._start = t, position.copy(), velocity.copy()

    def _write_formulas(self, ways: Ways) -> None:
        """Write the ways of balls that obstacles hold, unless they go on as the piece before."""
        for ball in [ball for ball in self._last if ball not in ways.pieces]:
            del self._last[ball]
        for ball, pieces in ways.pieces.items():
            for piece in pieces:
                if not self._goes_on(ball, piece):
                    formula = piece.position, piece.velocity, piece.acceleration * 0.5
                    self._pieces.add(piece.t, ball, GIVEN, *formula)
                    self._last[ball] = piece

    def _goes_on(self, ball: int, piece: Piece) -> bool:
        """Whether the last piece of a ball leads to this one."""
        last = self._last.get(ball)
        if last is None:
            return False
        s = piece.t - last.t
        pull = last.acceleration
        x, v = last.position + last.velocity * s + pull * (0.5 * s * s), last.velocity + pull * s
        pairs = (x, piece.position), (v, piece.velocity), (pull, piece.acceleration)
        return all(
            float(np.abs(np.array(found) - np.array(there)).max())
            <= _ROUNDING * max(1e-300, float(np.abs(np.array(there)).max()))
            for found, there in pairs
        )

    def _quanta(self, rows: Impacts, part: slice, span: float) -> Any:
        """To what impulses of some rows are rounded; 0 where they move balls for longer."""
        i, other, is_pair = rows.i[part], rows.other[part], rows.kind[part] == BALL
        j = np.where(is_pair, other, i)
        local = self._given | self._made_up
        mass = np.minimum(self._world.mass[i], self._world.mass[j])
        quantum = np.exp2(np.floor(np.log2(_UNSEEN * self._size * mass / span)))
        return np.where(local[i] & local[j], quantum, 0.0)

    def _put_right(self, replay: Replay, k: int, position: Any, velocity: Any) -> None:
        """Compare what was flown with frame k; where it is not the same, the frame holds."""
        t = float(replay.times[k])
        there = replay.at(t)
        far = self._off(position, there.position) | self._off(velocity, there.velocity)
        start, x, v = self._start
        missed = there.position - position, there.velocity - velocity
        for ball in np.flatnonzero(self._made_up).tolist():
            added = _made_up(missed, ball, t - start)
            self._pieces.add(start, ball, MADE_UP, x[ball], v[ball], *added)
        self._keyframes += int(self._made_up.sum())
        for ball in np.flatnonzero(far & ~self._given & ~self._made_up).tolist():
            self._pieces.add(t, ball, FLIES, there.position[ball], there.velocity[ball])
        chosen = far | self._given | self._made_up
        position[chosen], velocity[chosen] = there.position[chosen], there.velocity[chosen]

    def _off(self, found: Any, true: Any) -> Any:
        size = max(1e-300, float(np.abs(true).max()))
        return np.abs(found - true).max(axis=1) > _ROUNDING * size


def _made_up(missed: tuple[Any, Any], ball: int, span: float) -> tuple[Any, Any]:
    """The coefficients of s² and s³ of what is added to a flight; as in the replay."""
    dx, dv = missed[0][ball], missed[1][ball]
    return (3.0 * dx / span - dv) / span, (dv - 2.0 * dx / span) / span**2


def _impulses(rows: Impacts, quantum: Any) -> Any:
    """The impulse of each row on ball i, rounded to a quantum of each row; 0: not rounded.

    Small ones keep digits enough to be shown.
    """
    whole = np.where((rows.kind <= OBSTACLE)[:, None], rows.normal * rows.impulse[:, None], 0.0)
    is_rounded = (quantum > 0.0)[:, None]
    largest = np.abs(whole).max(axis=1, initial=0.0)
    shown = np.exp2(np.frexp(largest)[1] - float(_SHOWN))
    unit = np.where(is_rounded, np.minimum(quantum, shown)[:, None], 1.0)
    return np.where(is_rounded, np.rint(whole / unit) * unit, whole)
