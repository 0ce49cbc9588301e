"""Balls in flight: each where it was at the time of its own clock, and what it does next.

A ball is moved only when its flight changes; till then it is known by a formula. All
times are counted from the epoch, which is moved along with the calendar, so that they
stay small and keep their digits however long a run is.

A ball has three records, by how often they are looked at: `ball` by every neighbour's
prediction (one line of the cache), `event` when its event is handled, `body` at impacts.
"""

from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.cells import Cells
from spheresim.compiler.decorators import inlined, value
from spheresim.compiler.intrinsics import cache_aligned_zeros
from spheresim.compiler.simd import EQUALS, LANES
from spheresim.engines.event_driven.calendar import Calendar
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import Obstacles

RECORDS = 4096
"""Impacts that a kernel can write down before the caller must empty the book."""

ROW = EQUALS
"""Numbers in a row of neighbours: two lines of the cache, of which most need one."""

NEIGHBOURS = ROW - 2
"""Room for neighbours in a row, behind their number; 13 are aimed at."""

CROWDED = 64
"""Added to that number where there is not room for all."""

UNSURE = 2.0**16
"""How many times larger than its error a discriminant is to be: its root then has digits, too."""

HASTE_BLUR = 3200.0 * 2.0**-52 * UNSURE
"""Velocities that gravity changes are off by 4 units of HASTE, the largest; with d² up to 400·s²
that changes a discriminant by 3200·s²·√a·HASTE units, and √a·HASTE is less than a + HASTE²."""

# What a ball's event is.
BALL, OBSTACLE, NEIGHBOURHOOD_EXIT = 0, 1, 2

BALL_FIELDS = [
    *((name, "f8") for name in ("x", "y", "z", "vx", "vy", "vz")),
    ("clock", "f8"),  # when it was there: at its last impact
    ("radius", "f8"),
]
FALLING_BALL_FIELDS = [
    *BALL_FIELDS,
    *((name, "f8") for name in ("acceleration_x", "acceleration_y", "acceleration_z")),
    *((f"_{k}", "f8") for k in range(5)),  # to the end of the line
]

EVENT_FIELDS = [
    ("time", "f8"),
    ("other", "u4"),  # the partner, or the obstacle's index
    ("other_stamp", "u4"),  # the partner's stamp when this was predicted, or which image
    ("stamp", "u4"),  # how often this ball's own flight has changed
    ("bucket", "i4"),  # where it is on the calendar
    ("heap_place", "u4"),
    ("kind", "u1"),  # BALL, OBSTACLE, or LEAVE: of its neighbourhood
    ("_", "u1", 3),
    *((name, "f8") for name in ("centre_x", "centre_y", "centre_z")),  # of its neighbourhood
    ("margin", "f8"),  # how far from that centre it may go
]

BODY_FIELDS = [
    ("mass", "f8"),
    ("restitution", "f8"),
    ("near", "u8"),  # bit k % 64 is set if obstacle k reaches into its neighbourhood
    ("place", "u4"),  # in the cells
    ("level", "i4"),
    ("rapid", "i4"),  # impacts in a row without going far, see `answer`
    ("stuck", "i4"),  # impacts in a row without any time between
    ("support", "i4"),  # the plane on which it lies, or -1
    ("name", "u4"),  # its index outside the engine
    ("cell", "i8"),  # the first row of its cell
    ("last", "i8"),  # what it hit last: obstacle k, or −1 − j for ball j
]

# Places in `Flight.count`.
(
    RECORDED,
    BALL_IMPACTS,
    OBSTACLE_IMPACTS,
    COLLAPSE_ANSWERS,
    RECORDING,
    JAMMED,
    BLOCKS,
    BLOCK_IMPACTS,
    BEGUN,
) = range(9)
# Places in `Flight.measure`. NOW is the time of the last event, of whatever kind;
# LAST_IMPACT is counted from 0, and so is DRIFT_FROM: from then on positions are counted from a
# point that moves with the velocity DRIFT_X, …. No event of this turn of the calendar is later
# than HORIZON after any ball's clock, EXTENT is no less than all coordinates till then
# (EXTENT_AT_START than those at its start), nor HASTE than all velocities: they tell what
# rounding may do. PULL is the size of gravity.
(
    NOW,
    EPOCH,
    EPOCH_LOW,
    DEEPEST_OVERLAP,
    VIRIAL,
    DISSIPATED,
    LAST_IMPACT,
    DRIFT_FROM,
    DRIFT_X,
    DRIFT_Y,
    DRIFT_Z,
    HORIZON,
    EXTENT,
    EXTENT_AT_START,
    HASTE,
    GRAVITY,
) = range(16)


class Seen(NamedTuple):
    """A copy of a ball's record."""

    x: float
    y: float
    z: float
    vx: float
    vy: float
    vz: float
    clock: float
    radius: float


class SeenFalling(NamedTuple):
    """A copy of a falling ball's record."""

    x: float
    y: float
    z: float
    vx: float
    vy: float
    vz: float
    clock: float
    radius: float
    acceleration_x: float
    acceleration_y: float
    acceleration_z: float


class _Gravity(NamedTuple):
    gravity: TVector


@value
class Straight(_Gravity):
    """Free flight without gravity."""

    __slots__ = ()

    def position_of(self, ball: Any, time: float) -> TVector:
        """Where a ball is at a time, if nothing happens to it till then."""
        elapsed = time - ball.clock
        return TVector(
            ball.x + ball.vx * elapsed, ball.y + ball.vy * elapsed, ball.z + ball.vz * elapsed
        )

    def velocity_of(self, ball: Any, time: float) -> TVector:
        """How fast a ball is at a time, if nothing happens to it till then."""
        return TVector(ball.vx, ball.vy, ball.vz)

    def seen(self, lanes: Any, k: int) -> Seen:
        """The ball in lane k."""
        return Seen(
            lanes[k],
            lanes[1 * LANES + k],
            lanes[2 * LANES + k],
            lanes[3 * LANES + k],
            lanes[4 * LANES + k],
            lanes[5 * LANES + k],
            lanes[6 * LANES + k],
            lanes[7 * LANES + k],
        )

    def acceleration_of(self, ball: Any) -> TVector:
        """A ball's acceleration."""
        return self.gravity

    def set_acceleration(self, ball: Any, acceleration: TVector) -> None:
        """Nothing accelerates it."""

    def doubt(self, a: Any, s: Any, blur: Any, haste: Any) -> Any:
        """Up to which discriminant rounding decides on its sign."""
        return a * s * blur

    def same_acceleration(self, a: Any, b: Any) -> bool:
        """Whether two balls have the same acceleration: each sees the other fly straight."""
        return True


@value
class Falling(_Gravity):
    """Free fall, and balls that lie on a plane: each has an acceleration of its own."""

    __slots__ = ()

    def position_of(self, ball: Any, time: float) -> TVector:
        """Where a ball is at a time, if nothing happens to it till then."""
        elapsed = time - ball.clock
        half = 0.5 * elapsed
        return TVector(
            ball.x + (ball.vx + ball.acceleration_x * half) * elapsed,
            ball.y + (ball.vy + ball.acceleration_y * half) * elapsed,
            ball.z + (ball.vz + ball.acceleration_z * half) * elapsed,
        )

    def velocity_of(self, ball: Any, time: float) -> TVector:
        """How fast a ball is at a time, if nothing happens to it till then."""
        elapsed = time - ball.clock
        return TVector(
            ball.vx + ball.acceleration_x * elapsed,
            ball.vy + ball.acceleration_y * elapsed,
            ball.vz + ball.acceleration_z * elapsed,
        )

    def seen(self, lanes: Any, k: int) -> SeenFalling:
        """The ball in lane k."""
        return SeenFalling(
            lanes[k],
            lanes[1 * LANES + k],
            lanes[2 * LANES + k],
            lanes[3 * LANES + k],
            lanes[4 * LANES + k],
            lanes[5 * LANES + k],
            lanes[6 * LANES + k],
            lanes[7 * LANES + k],
            lanes[8 * LANES + k],
            lanes[9 * LANES + k],
            lanes[10 * LANES + k],
        )

    def acceleration_of(self, ball: Any) -> TVector:
        """A ball's acceleration: gravity, or what a plane on which it lies leaves of it."""
        return TVector(ball.acceleration_x, ball.acceleration_y, ball.acceleration_z)

    def set_acceleration(self, ball: Any, acceleration: TVector) -> None:
        """Give a ball another acceleration, from its clock's time on."""
        ball.acceleration_x, ball.acceleration_y, ball.acceleration_z = (
            acceleration.x,
            acceleration.y,
            acceleration.z,
        )

    def doubt(self, a: Any, s: Any, blur: Any, haste: Any) -> Any:
        """Up to which discriminant rounding decides on its sign; velocities are rounded, too."""
        return a * s * (blur + HASTE_BLUR * s) + haste * s * s

    def same_acceleration(self, a: Any, b: Any) -> bool:
        """Whether two balls have the same acceleration: each sees the other fly straight."""
        same: bool = (
            (a.acceleration_x == b.acceleration_x)
            & (a.acceleration_y == b.acceleration_y)
            & (a.acceleration_z == b.acceleration_z)
        )
        return same


class Environment(NamedTuple):
    """What the balls fly in, and how: `Open` or `Periodic`, `Straight` or `Falling`.

    That they are types lets the compiler leave out what a run has not.
    `lead_fraction`: how far the centre of a neighbourhood is ahead of its ball, of the margin;
    `rebuild_threshold`: if less than this part of the margin is left before the border, an
    impact makes a new one at once.
    """

    obstacles: Obstacles
    space: Any
    motion: Any
    lead_fraction: float
    rebuild_threshold: float


class EngineState(NamedTuple):
    """The engine's arrays, for n balls.

    ball, event, body: (n,) records; image: (n, 3), how often a ball has gone round a
    periodic axis; row: (n · ROW,), how many neighbours and who; scratch:
    found: (2n + EQUALS,) and lanes: (fields of a ball · LANES,);
    names: (RECORDS, 3) and numbers: (RECORDS, 10), the book of impacts;
    block: (BLOCKS_KEPT, …), see `statistics`; count, measure: see the places above.
    """

    ball: Any
    event: Any
    body: Any
    image: Any
    row: Any
    found: Any
    lanes: Any
    cells: Cells
    calendar: Calendar
    names: Any
    numbers: Any
    block: Any
    count: Any
    measure: Any


def records(n: int, fields: Any) -> Any:
    """n records, all zero."""
    return cache_aligned_zeros(n, fields).view(np.recarray)


@inlined
def centre_of(event: Any) -> TVector:
    """The centre of a ball's neighbourhood."""
    return TVector(event.centre_x, event.centre_y, event.centre_z)


@inlined
def drift(state: EngineState) -> TVector:
    """With which velocity the point moves from which positions are counted."""
    return TVector(state.measure[DRIFT_X], state.measure[DRIFT_Y], state.measure[DRIFT_Z])


@inlined
def size(vector: TVector) -> float:
    """The sum of the components' magnitudes: no less than the length, and cheaper."""
    return abs(vector.x) + abs(vector.y) + abs(vector.z)


@inlined
def image_shift(image: Any, i: int, side: TVector) -> TVector:
    """How far ball i has gone in whole turns round periodic axes."""
    turns = vector_at(image, i)
    return TVector(turns.x * side.x, turns.y * side.y, turns.z * side.z)


@inlined
def absolute(state: EngineState, time: float) -> float:
    """A time counted from the epoch as one counted from 0."""
    total: float = state.measure[EPOCH] + (state.measure[EPOCH_LOW] + time)
    return total


@inlined
def since_epoch(state: EngineState, time: float) -> float:
    """A time counted from 0 as one counted from the epoch."""
    rest: float = (time - state.measure[EPOCH]) - state.measure[EPOCH_LOW]
    return rest
