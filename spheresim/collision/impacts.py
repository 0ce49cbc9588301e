"""Impacts: their kinds, batches as the engines report them, and tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spheresim.collision.journal import TANGENTIAL
from spheresim.numerics.arrays import Booleans, Floats, Integers, Records

BALL, OBSTACLE, REST, WAKE, SLIDE, NEIGHBOURHOOD_EXIT, FLIGHT = range(7)
"""The kinds of events, in the order in which events at the same time happen.

The last two are never reported as impacts, and only of the event-driven engine: a ball leaves the
sphere within which its neighbour list holds, which is only predicted; and a flight begins that no
impact implies, which is logged apart (`collision.flights`).
"""

KINDS = ("ball", "obstacle", "rest", "wake", "slide")
"""What the kinds that are reported are called in tables and files."""

COLUMNS = [
    ("event", "i8"),
    ("t", "f8"),
    ("kind", "U8"),
    ("i", "i8"),
    ("j", "i8"),
    ("obstacle", "O"),
    *((name, "f8") for name in ("x", "y", "z", "nx", "ny", "nz")),
    *((name, "f8") for name in ("vn_before", "vn_after", "impulse")),
]
"""The columns of a table of impacts and of `events.csv`."""

TANGENTIAL_COLUMNS = [(name, "f8") for name in ("tx", "ty", "tz")]
"""Those that follow where spins are followed: the tangential impulse on i."""


def impact_columns(has_spin: bool) -> list[tuple[str, str]]:
    """All columns of a table of impacts."""
    return [*COLUMNS, *TANGENTIAL_COLUMNS] if has_spin else COLUMNS


_TABLES = {has_spin: np.dtype((np.record, impact_columns(has_spin))) for has_spin in (False, True)}

_TOGETHER = 1000
"""Batches that are joined to one, for a batch takes a kilobyte however few impacts it holds."""


class Impacts(NamedTuple):
    """A batch of impacts in order of time, a row each in two arrays; the columns are views.

    names: (m, 3), whole numbers: kind, ball i, the other;
    numbers: (m, 10): time, point, normal, vn_before, vn_after, impulse; where spins are followed
    (m, 13), with the tangential impulse.
    """

    names: Integers
    numbers: Floats

    def taken(self, rows: Integers | Booleans | slice) -> "Impacts":
        """Some of the rows: a slice, a mask (m,), or indices."""
        return Impacts(self.names[rows], self.numbers[rows])

    @property
    def t(self) -> Floats:
        """Times, (m,)."""
        return self.numbers[:, 0]

    @property
    def kind(self) -> Integers:
        """BALL, OBSTACLE, REST, WAKE or SLIDE, (m,)."""
        return self.names[:, 0]

    @property
    def i(self) -> Integers:
        """The balls, (m,)."""
        return self.names[:, 1]

    @property
    def other(self) -> Integers:
        """Ball j > i, or the index of the obstacle, or -1 for neither, (m,)."""
        return self.names[:, 2]

    @property
    def point(self) -> Floats:
        """The contact points on the surfaces themselves, not on offset ones, (m, 3)."""
        return self.numbers[:, 1:4]

    @property
    def normal(self) -> Floats:
        """Unit normals towards i, (m, 3)."""
        return self.numbers[:, 4:7]

    @property
    def vn_before(self) -> Floats:
        """Normal velocities before, negative approaching, (m,)."""
        return self.numbers[:, 7]

    @property
    def vn_after(self) -> Floats:
        """Normal velocities after, (m,)."""
        return self.numbers[:, 8]

    @property
    def impulse(self) -> Floats:
        """The impulses on i along the normal, (m,)."""
        return self.numbers[:, 9]

    @property
    def has_tangential(self) -> bool:
        """Whether there are tangential impulses."""
        return bool(self.numbers.shape[1] > TANGENTIAL)

    @property
    def tangential(self) -> Floats:
        """The tangential impulses on i, (m, 3); 0 where there are none."""
        if self.has_tangential:
            return self.numbers[:, TANGENTIAL:]
        return np.zeros((len(self.numbers), 3))

    @property
    def whole_impulse(self) -> Floats:
        """The impulses on i as vectors, (m, 3)."""
        return self.normal * self.impulse[:, None] + self.tangential


def nothing() -> Impacts:
    """A batch without any row."""
    return Impacts(np.zeros((0, 3), dtype=np.int64), np.zeros((0, 10)))


def impact_table(
    batches: Sequence[Impacts],
    obstacles: Sequence[str],
    first_event: int = 0,
    has_spin: bool | None = None,
) -> Records:
    """Batches as one table with the columns of `impact_columns`.

    `j` is -1 and `obstacle` empty where they do not apply. has_spin: whether there are tangential
    impulses; by default as the batches have them.
    """
    if has_spin is None:
        has_spin = any(batch.has_tangential for batch in batches)
    count = sum(len(batch.names) for batch in batches)
    table: Records = np.recarray(count, dtype=_TABLES[has_spin])
    names = np.array(["", *obstacles], dtype=object)
    # Batch by batch.
    row = 0
    for batch in batches:
        rows: Any = table[row : row + len(batch.t)]
        row += len(rows)
        against_ball = batch.kind == BALL
        rows.t, rows.i = batch.t, batch.i
        rows.kind = np.array(KINDS)[batch.kind]
        rows.j = np.where(against_ball, batch.other, -1)
        rows.obstacle = names[np.where(against_ball, 0, batch.other + 1)]
        rows.x, rows.y, rows.z = batch.point.T
        rows.nx, rows.ny, rows.nz = batch.normal.T
        rows.vn_before, rows.vn_after, rows.impulse = (
            batch.vn_before,
            batch.vn_after,
            batch.impulse,
        )
        if has_spin:
            rows.tx, rows.ty, rows.tz = batch.tangential.T
    # The index of each impact.
    table.event = np.arange(first_event, first_event + len(table))
    return table


def last_row(batches: Sequence[Impacts], obstacles: Sequence[str], event: int) -> Any:
    """The last row of the table of some batches, with its number, or None where it is empty.

    The other rows are not made, and this one is made as a whole: of a single impact the table
    takes ten times as long.
    """
    batch = next((batch for batch in reversed(batches) if len(batch.names)), None)
    if batch is None:
        return None
    kind, other = batch.kind.item(-1), batch.other.item(-1)
    j, obstacle = (other, "") if kind == BALL else (-1, obstacles[other] if other >= 0 else "")
    row = (
        *(event, batch.t.item(-1), KINDS[kind], batch.i.item(-1), j, obstacle),
        *(*batch.point[-1].tolist(), *batch.normal[-1].tolist()),
        *batch.numbers[-1, 7:].tolist(),
    )
    return np.array(row, dtype=_TABLES[batch.has_tangential])[()]


class ImpactLog:
    """All impacts so far, however small the batches in which they come.

    batches: in order of time.
    """

    __slots__ = ("_large", "_small")

    def __init__(self) -> None:
        self._large: list[Impacts] = []
        self._small: list[Impacts] = []

    def add(self, batches: Iterable[Impacts]) -> None:
        """Take over some more."""
        for batch in batches:  # one by one: what came before an interrupt is kept
            if len(batch.names):
                self._small.append(batch)
        if len(self._small) >= _TOGETHER:
            self._large.append(joined(self._small))
            self._small = []

    @property
    def batches(self) -> list[Impacts]:
        """All of them, in order."""
        return self._large + self._small


def joined(batches: Sequence[Impacts]) -> Impacts:
    """Batches, at least one, as a single one."""
    return Impacts(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))


class Work(NamedTuple):
    """What contact that lasts has cost: impacts from which nothing parts, solves of islands (balls
    that touch each other), sweeps of these solves, and factorisations."""

    soft_impacts: int = 0
    islands: int = 0
    rounds: int = 0
    factors: int = 0


@dataclass
class Tally:
    """The counts and sums of an engine since the simulation was made."""

    steps: int = 0
    ball_impacts: int = 0
    obstacle_impacts: int = 0
    collapse_answers: int = 0
    deepest_overlap: float = 0.0
    dissipated: float = 0.0
    """The kinetic energy that impacts have taken."""
    work: Work = field(default_factory=Work)
    given: float = 0.0
    """The energy that obstacles have given to balls, by their motion and by their temperature."""
    work_of_shear: float = 0.0
    """The kinetic energy beside the flow that the flow of a sheared box has given."""

    @property
    def impacts(self) -> int:
        """Impacts of two balls, and on obstacles."""
        return self.ball_impacts + self.obstacle_impacts


def added(before: Tally, now: Tally) -> Tally:
    """The counts of two engines, one after the other."""
    return Tally(
        before.steps + now.steps,
        before.ball_impacts + now.ball_impacts,
        before.obstacle_impacts + now.obstacle_impacts,
        before.collapse_answers + now.collapse_answers,
        max(before.deepest_overlap, now.deepest_overlap),
        before.dissipated + now.dissipated,
        Work(*map(sum, zip(before.work, now.work, strict=True))),
        before.given + now.given,
        before.work_of_shear + now.work_of_shear,
    )
