"""The obstacles of a world that move, are pushed or are warm, as arrays: its walls.

Rows of obstacles that move are in no index and in no list of what stands near a ball: they are few,
and each prediction looks at all of them. A world without walls has `NoDrivenWalls`: the compiler
leaves all of this out of its kernels.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import value
from spheresim.compiler.null_object import absence_of, if_absent
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.driven_walls.frame import AT_REST, Frame, displacement
from spheresim.obstacles.driven_walls.motions import (
    ConstantVelocity,
    Motion,
    Oscillation,
    PiecewiseMotion,
    Piston,
    SteadyRotation,
    Thermal,
    knots_of,
)
from spheresim.obstacles.driven_walls.placement import (
    NO_MOTION,
    OSCILLATION,
    PIECEWISE,
    PISTON,
    ROTATION,
    frame_of,
)
from spheresim.obstacles.driven_walls.thermal import drawn_velocity
from spheresim.obstacles.driven_walls.toi import Flight, Meeting, first_meeting
from spheresim.obstacles.table import Obstacles

NO_WALL = -1

_SURELY = 4.0
"""The speed away from an obstacle after an impact is at least so many times its rounding."""

COOL, NORMAL_ONLY, ALL_COMPONENTS = range(3)
"""What a wall draws."""

WALL_FIELDS = [
    ("impacts", "i8"),
    ("work", "f8"),  # given to balls by its motion
    ("heat", "f8"),  # given to balls by its temperature
    ("place", "f8"),  # of a piston along its normal, from where it was at t = 0, at `clock`
    ("speed", "f8"),  # along its normal
    ("clock", "f8"),  # the time of its last impact, counted from 0
]
"""A record for each wall: what a run adds up, and where pistons are."""


class _WallArrays(NamedTuple):
    wall: Integers
    owner: Integers
    rows: Integers
    kind: Integers
    numbers: Floats
    knots: Floats
    draws: Integers
    temperature: Floats
    seed: Integers
    inverse_mass: Floats


class Ride(NamedTuple):
    """The motion of a ball along an obstacle that moves: from `start` at the time `begun` to `end`
    at the time `ended`."""

    start: TVector
    begun: float
    end: TVector
    ended: float


class WallImpact(NamedTuple):
    """An impact of a ball on row k at a time.

    wall: the velocity of the row at the contact point; v: of the ball before, relative to it;
    normal: unit, towards the ball; mass: of the ball.
    """

    k: int
    time: float
    wall: TVector
    v: TVector
    normal: TVector
    mass: float


@by_reference
@value
class DrivenWalls(_WallArrays):
    """wall: the wall of each row of the obstacles, or NO_WALL; owner: (w,), the index of the
    obstacle that is wall w; rows: those that move; kind, numbers, knots: how, see `placement`;
    draws: COOL, NORMAL_ONLY or ALL_COMPONENTS, temperature, seed: (w,); inverse_mass: (w,), 0 but
    for pistons."""

    __slots__ = ()

    @if_absent(False)
    def exist(self) -> bool:
        """Whether there are walls: yes."""
        return True

    @if_absent(False)
    def any_move(self) -> bool:
        """Whether there are rows that move."""
        return bool(self.rows.size > 0)

    @if_absent(0)
    def moving_rows(self) -> int:
        """How many rows move."""
        return int(self.rows.size)

    @if_absent(0)
    def moving_row(self, n: int) -> int:
        """Row number n of those that move."""
        return int(self.rows[n])

    @if_absent(False)
    def moves(self, k: int) -> bool:
        """Whether row k moves; of −1 − j, for ball j, no."""
        return k >= 0 and self.wall[k] >= 0 and self.kind[self.wall[k]] != NO_MOTION

    @if_absent(True)
    def stands(self, k: int, time: float) -> bool:
        """Whether row k stands still from a time on: it does not move, or its motion has ended; of
        −1 − j, for ball j, yes."""
        if not self.moves(k):
            return True
        w = self.wall[k]
        if self.kind[w] != PIECEWISE:
            return False
        knots, last = self.knots, int(self.numbers[w, 1]) - 1
        velocity = TVector(knots[last, 4], knots[last, 5], knots[last, 6])
        return bool(time >= knots[last, 0]) and bool(velocity.mag_sqr() == 0.0)

    @if_absent(False)
    def is_piston(self, k: int) -> bool:
        """Whether row k is moved by impacts."""
        return bool(self.wall[k] >= 0) and bool(self.inverse_mass[self.wall[k]] > 0.0)

    @if_absent(0)
    def stamp(self, places: Records, k: int) -> int:
        """How often impacts have changed the motion of row k: 0 unless it is a piston."""
        return int(places[self.wall[k]].impacts) if self.is_piston(k) else 0

    @if_absent(False)
    def is_warm(self, k: int) -> bool:
        """Whether row k draws velocities."""
        return bool(self.wall[k] >= 0) and bool(self.draws[self.wall[k]] != COOL)

    @if_absent(False)
    def turns_velocities(self, k: int) -> bool:
        """Whether row k changes velocities along it: then no impulse along the normal implies
        how a ball flies on."""
        return bool(self.wall[k] >= 0) and bool(self.draws[self.wall[k]] == ALL_COMPONENTS)

    @if_absent(AT_REST)
    def frame_at(self, places: Records, k: int, time: float) -> Frame:
        """The frame of row k at a time; places: the records of the walls."""
        w = self.wall[k]
        if w < 0:
            return AT_REST
        return self.frame(places, w, time)

    def frame(self, places: Records, w: int, time: float) -> Frame:
        """The frame of wall w at a time."""
        return frame_of(int(self.kind[w]), self.numbers, self.knots, places, w, time)

    @if_absent(Meeting(math.inf, True))
    def meeting(self, places: Records, obstacles: Obstacles, k: int, flight: Flight) -> Meeting:
        """When a ball meets row k, which moves, see `first_meeting`."""
        return first_meeting(self, places, obstacles, k, flight)

    @if_absent(0.0)
    def work_of_force(self, places: Records, k: int, force: TVector, ride: Ride) -> float:
        """The work of row k, which moves, by a constant force on a ball that goes along it: the
        force times the displacement of the row.

        The path along the row does not count: the row gives energy only by its own motion.
        """
        before, after = self.frame_at(places, k, ride.begun), self.frame_at(places, k, ride.ended)
        return float(force.dot(displacement(before, after, ride.start, ride.end)))

    @if_absent(None)
    def note_work(self, places: Records, k: int, work: float) -> None:
        """Add to what row k, which moves, has given to balls by contact that lasts."""
        if self.wall[k] >= 0:
            places[self.wall[k]].work += work

    @if_absent(argument="mass")
    def inertia(self, k: int, mass: float) -> float:
        """The reduced mass of a ball and row k."""
        if self.wall[k] < 0:
            return mass
        return float(mass / (1.0 + mass * self.inverse_mass[self.wall[k]]))

    @if_absent(argument="after")
    def drawn(self, places: Records, impact: WallImpact, after: TVector) -> TVector:
        """The velocity after an impact, relative to the row: drawn if it is warm, else `after`."""
        v, normal, mass, w = impact.v, impact.normal, impact.mass, self.wall[impact.k]
        if w < 0 or self.draws[w] == COOL or v.dot(normal) >= 0.0:
            return after
        variance, is_normal_only = self.temperature[w] / mass, self.draws[w] == NORMAL_ONLY
        hit, key = places[w].impacts, self.owner[w]
        return drawn_velocity(v, normal, variance, is_normal_only, hit, key, self.seed[w])

    @if_absent(argument="after")
    def parted(self, impact: WallImpact, x: TVector, radius: float, after: TVector) -> TVector:
        """The velocity after an impact of a ball at x, relative to the row; if the row moves, the
        ball leaves it by more than the rounding of velocities and of the normal.

        Without that, an impact with the restitution 0 could come again and again, where nothing
        presses the ball on.
        """
        normal = impact.normal
        if not self.moves(impact.k):
            return after
        speed = manhattan_norm(impact.wall) + manhattan_norm(after)
        least = _SURELY * ROUNDING * speed * (1.0 + manhattan_norm(x) / radius)
        return after + normal * max(least - after.dot(normal), 0.0)

    @if_absent(argument="after")
    def rebound(self, places: Records, impact: WallImpact, after: TVector) -> TVector:
        """The velocity after an impact; adds up what the wall has given, moves a piston.

        after: relative to the velocity of the wall before the impact; the result is not.
        """
        k, time, wall, v, normal, mass = impact
        w = self.wall[k]
        if w < 0:
            return after
        record, change = places[w], after - v
        inertia = self.inertia(k, mass)
        impulse = inertia * change.dot(normal)
        kick = impulse * self.inverse_mass[w]  # towards the wall's back
        record.impacts += 1
        record.work += inertia * change.dot(wall - normal * (0.5 * kick))
        if self.draws[w] != COOL:
            record.heat += 0.5 * mass * (after.mag_sqr() - v.mag_sqr())
        if self.inverse_mass[w] == 0.0:
            return wall + after
        frame = self.frame_at(places, k, time)
        along = vector_at(self.numbers, w)
        record.place = frame.offset.dot(along)
        record.speed = frame.velocity.dot(along) - kick
        record.clock = time
        return wall + v + change * (inertia / mass)


NoDrivenWalls = absence_of(DrivenWalls, "NoDrivenWalls")
"""In place of `DrivenWalls` in a world whose obstacles neither move nor are warm."""

NO_WALLS = NoDrivenWalls()


def walls_of(
    obstacles: Obstacles, motions: Sequence[Motion | None], thermals: Sequence[Thermal | None]
) -> DrivenWalls:
    """`DrivenWalls` of obstacles with these motions and temperatures, or NO_WALLS."""
    given = list(zip(motions, thermals, strict=True))
    owner = np.array([o for o, both in enumerate(given) if both != (None, None)], dtype=np.int64)
    if len(owner) == 0:
        return NO_WALLS
    # Which rows are walls.
    number = np.full(len(given), NO_WALL, dtype=np.int64)
    number[owner] = np.arange(len(owner))
    wall = number[obstacles.owner]
    # How each moves, and what it draws.
    kind, numbers = np.zeros(len(owner), dtype=np.int64), np.zeros((len(owner), 8))
    draws, seed = np.zeros(len(owner), dtype=np.int64), np.zeros(len(owner), dtype=np.int64)
    temperature, inverse_mass = np.zeros(len(owner)), np.zeros(len(owner))
    knots = np.zeros((0, 7))
    for w, (motion, thermal) in enumerate(given[o] for o in owner):
        if motion is not None:
            kind[w], more, numbers[w] = _row(motion, len(knots), obstacles, owner[w])
            knots = np.concatenate([knots, more])
        if isinstance(motion, Piston):
            inverse_mass[w] = 1.0 / motion.mass
        if thermal is not None:
            draws[w] = ALL_COMPONENTS if thermal.components == "all" else NORMAL_ONLY
            temperature[w], seed[w] = thermal.temperature, thermal.seed
    moves = (wall >= 0) & (kind[wall] != NO_MOTION)
    return DrivenWalls(
        *(wall, owner, np.flatnonzero(moves), kind, numbers, knots),
        *(draws, temperature, seed, inverse_mass),
    )


def _row(
    motion: Motion, knots: int, obstacles: Obstacles, owner: int
) -> tuple[int, Floats, Floats]:
    """A motion as its kind, its knots and its numbers; knots: how many there are already."""
    none, numbers = np.zeros((0, 7)), np.zeros(8)
    if isinstance(motion, ConstantVelocity | PiecewiseMotion):
        more = knots_of(motion)
        numbers[:2] = knots, knots + len(more)
        return PIECEWISE, more, numbers
    if isinstance(motion, Oscillation):
        phase = math.radians(motion.phase)
        numbers[:3], numbers[3:7] = (
            motion.axis,
            (motion.amplitude, motion.frequency, phase, math.sin(phase)),
        )
        return OSCILLATION, none, numbers
    if isinstance(motion, SteadyRotation):
        numbers[:3], numbers[3], numbers[4:7] = motion.axis, motion.frequency, motion.point
        return ROTATION, none, numbers
    row = int(np.flatnonzero(obstacles.owner == owner)[0])
    numbers[:3], numbers[3] = obstacles.numbers[row, 3:6], motion.force / motion.mass
    numbers[4] = motion.velocity
    return PISTON, none, numbers


class StoppedRows(NamedTuple):
    """rows: (s,), those whose motion has ended; offset: (s, 3), how far they are from where they
    were at t = 0."""

    rows: Integers
    offset: Floats


NO_STOPPED_ROWS = StoppedRows(np.zeros(0, dtype=np.int64), np.zeros((0, 3)))


def stopped_rows(walls: DrivenWalls, time: float) -> StoppedRows:
    """The rows whose motion has ended at a time."""
    if not walls.any_move():
        return NO_STOPPED_ROWS
    wall, stands = walls.wall[walls.rows], np.zeros(len(walls.owner), dtype=bool)
    for k in walls.rows[np.unique(wall, return_index=True)[1]]:  # a row of each
        stands[walls.wall[k]] = walls.stands(k, time)
    rows = walls.rows[stands[wall]]
    last = walls.numbers[walls.wall[rows], 1].astype(np.int64) - 1
    return StoppedRows(rows, walls.knots[last, 1:4])


def longest_period(walls: DrivenWalls) -> float:
    """The longest time after which a motion comes back; 0 if none does."""
    if isinstance(walls, NoDrivenWalls):
        return 0.0
    column = {OSCILLATION: 4, ROTATION: 3}
    rates = [abs(walls.numbers[w, column[k]]) for w, k in enumerate(walls.kind) if k in column]
    return max((1.0 / rate for rate in rates if rate > 0.0), default=0.0)


def wall_records(walls: DrivenWalls) -> Records:
    """The records of a world's walls at t = 0, shape (w,)."""
    many = 0 if isinstance(walls, NoDrivenWalls) else len(walls.owner)
    records = np.zeros(many, dtype=WALL_FIELDS).view(np.recarray)
    if many:
        records.speed = np.where(walls.kind == PISTON, walls.numbers[:, 4], 0.0)
    return records
