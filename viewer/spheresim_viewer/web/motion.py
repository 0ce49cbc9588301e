"""What a page must know of a run to play it: impacts, and pieces of ways that are no flights.

A ball starts with its first piece. After that it flies, and each impact changes its velocity by
the impulse over its mass, as in `spheresim.record.flight`. Where that is not so (it rests,
slides, or is in a pile) further pieces say where it is; so they do where flying from the start
on would miss a frame by more than rounding.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.engines.options import ENGINE_KINDS
from spheresim.model.state import build
from spheresim.record.flight import Clock, fly
from spheresim.record.load import Run
from spheresim.record.replay import Replay, Ways
from spheresim_viewer.web.curves import COEFFICIENTS, Curves

FLIES, GIVEN = 0, 1
"""A ball flies from a piece on, and impacts change that; or the piece tells where it is."""

_ROUNDING = 1e-13
"""Flights that miss a frame by more than this part of the largest coordinate are put right."""


class Pieces(NamedTuple):
    """Parts of ways, in order of time: the sum of c[k]·sᵏ at a time s after t.

    t, ball, mode: (m,), mode FLIES or GIVEN; coefficients: (m, 8, 3), of which a ball that
    flies needs the first two, its position and its velocity.
    """

    t: Any
    ball: Any
    mode: Any
    coefficients: Any


@dataclass
class Motion:
    """rows: the impacts; pieces: of all balls; end: the time of the last frame; clock: as flown.

    keyframes: how many pieces approximate a way for which there is no formula, and deviation:
    by how much they were found to miss it at the worst [length], or 0 where the run itself is
    only known at its frames (`Replay.is_smoothed`).
    """

    rows: Impacts
    pieces: Pieces
    end: float
    clock: Clock
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
        self._pieces = _List()
        self._curves = Curves(self._replay)

    def read(self) -> Motion:
        replay = self._replay
        times, rows = replay.times, replay.rows
        position, velocity = replay.at(times[0])
        for ball in range(self._n):
            self._pieces.add(times[0], ball, FLIES, position[ball], velocity[ball])
        borders = np.searchsorted(rows.t, times, side="right")
        borders[0] = 0
        for k in range(len(times) - 1):
            ways = replay.ways(k)
            self._write(k, ways, position, velocity)
            part = slice(borders[k], borders[k + 1])
            fly(
                *(rows.names[part], rows.numbers[part], 0, times[k], times[k + 1]),
                *(position, velocity, np.zeros(self._n), self._given, self._world.mass),
                *(self._world.gravity, self._clock),
            )
            self._put_right(replay, k + 1, position, velocity)
        curves = self._curves
        played = slice(0, borders[-1])
        return Motion(
            rows=Impacts(rows.names[played], rows.numbers[played]),
            pieces=self._pieces.table(),
            end=float(times[-1]),
            clock=self._clock,
            keyframes=curves.count,
            deviation=curves.deviation,
        )

    def _write(self, k: int, ways: Ways, position: Any, velocity: Any) -> None:
        """Write the ways from frame k on that are no flights, and where such ones end."""
        t = float(self._replay.times[k])
        for ball, pieces in ways.pieces.items():
            for piece in pieces:
                formula = piece.position, piece.velocity, piece.acceleration * 0.5
                self._pieces.add(piece.t, ball, GIVEN, *formula)
        for ball, start, coefficients in self._curves.between(k, ways.simulated):
            self._pieces.add(start, ball, GIVEN, *coefficients)
        for ball in np.flatnonzero(ways.still & ~self._still).tolist():
            self._pieces.add(t, ball, GIVEN, position[ball])
        given = ways.still.copy()
        given[[*ways.pieces, *ways.simulated]] = True
        for ball in np.flatnonzero(self._given & ~given).tolist():
            self._pieces.add(t, ball, FLIES, position[ball], velocity[ball])
        self._given, self._still = given, ways.still

    def _put_right(self, replay: Replay, k: int, position: Any, velocity: Any) -> None:
        """Compare what was flown with frame k; where it is not the same, the frame holds."""
        t = float(replay.times[k])
        there = replay.at(t)
        far = self._off(position, there.position) | self._off(velocity, there.velocity)
        for ball in np.flatnonzero(far & ~self._given).tolist():
            self._pieces.add(t, ball, FLIES, there.position[ball], there.velocity[ball])
        chosen = far | self._given
        position[chosen], velocity[chosen] = there.position[chosen], there.velocity[chosen]

    def _off(self, found: Any, true: Any) -> Any:
        size = max(1e-300, float(np.abs(true).max()))
        return np.abs(found - true).max(axis=1) > _ROUNDING * size


def impulses(rows: Impacts) -> Any:
    """The impulse of each row on ball i, (m, 3); 0 where it is no impact."""
    return np.where((rows.kind <= OBSTACLE)[:, None], rows.normal * rows.impulse[:, None], 0.0)
