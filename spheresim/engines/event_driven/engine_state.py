"""The arrays of the event-driven engine: what is kept for each ball, and for the whole run.

A ball is moved only when its flight changes; until then a formula gives its position. All
times are counted from the epoch, which is moved along with the calendar, so that times stay
small and keep their digits however long a run is.

A ball has three records, by how often they are read: `ball` by the predictions of all its
neighbours (one cache line, two under gravity), `event` when its event fires, `body` at
impacts.
"""

from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from spheresim.collision.journal import ContactWork
from spheresim.collision.journal import Counts as SharedCounts
from spheresim.collision.journal import Measures as SharedMeasures
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined
from spheresim.compiler.intrinsics import cache_aligned_zeros
from spheresim.compiler.simd import EQUALS
from spheresim.contact.contact_list import ContactList
from spheresim.contact.solver import SolverWorkspace
from spheresim.engines.event_driven.event_calendar import Calendar
from spheresim.model.periodic_space import Open, Periodic
from spheresim.numerics.arrays import Floats, Integers, Records
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import Obstacles

ROW = EQUALS
"""Numbers in a row of the neighbour list: two cache lines, of which most balls need one."""

ROW_CAPACITY = ROW - 2
"""Neighbours for which a row has room, behind their number; 12 are aimed at."""

OVERFLOW = 64
"""Added to the number of neighbours in a row that has not room for all."""

BALL_FIELDS = [
    *((name, "f8") for name in ("x", "y", "z", "vx", "vy", "vz")),
    ("clock", "f8"),  # the time of x, y, z: that of its last impact
    ("radius", "f8"),
]
FALLING_BALL_FIELDS = [
    *BALL_FIELDS,
    *((name, "f8") for name in ("acceleration_x", "acceleration_y", "acceleration_z")),
    *((f"_{k}", "f8") for k in range(5)),  # to the end of the cache line
]

EVENT_FIELDS = [
    ("time", "f8"),
    ("other", "u4"),  # the partner, or the obstacle's index
    ("other_stamp", "u4"),  # the partner's stamp when this was predicted, or the image hit
    ("stamp", "u4"),  # how often this ball's own flight has changed
    ("bucket", "i4"),  # where it is on the calendar
    ("heap_place", "u4"),
    ("kind", "u1"),  # BALL, OBSTACLE or NEIGHBOURHOOD_EXIT, and REST or SLIDE of contact
    ("slab", "u1"),  # whose calendar it is on, where several threads work
    ("_", "u1", 2),
    *((name, "f8") for name in ("centre_x", "centre_y", "centre_z")),  # of its neighbourhood
    ("margin", "f8"),  # how far its centre may go from that centre
]

BODY_FIELDS = [
    ("mass", "f8"),
    ("restitution", "f8"),
    ("near_obstacles", "u8"),  # bit k % 64 is set if obstacle k reaches into its neighbourhood
    ("place", "u4"),  # in the cells
    ("level", "i4"),
    ("repeated", "i4"),  # successive impacts after a short path each, see `collapse`
    ("wedged", "i4"),  # successive impacts without moving between them
    ("held", "i4"),  # see `contact.ball_state`
    ("name", "u4"),  # its index outside the engine
    ("cell", "i8"),  # the first row of its cell
    ("last", "i8"),  # what it hit last: obstacle k, or −1 − j for ball j
]

HOLD_FIELDS = [
    ("support", "i4", 3),  # obstacles that hold it, or -1
    ("left", "i4"),  # the one that it left last, where that has no row in the journal, or -1
    ("reaction", "f8", 3),  # the accelerations that these supports give it
    ("head", "i4"),  # the newest of its contacts in islands, or NO_INDEX
    ("old_head", "i4"),  # the same in the step before
    ("lies_alone", "i4"),  # 1 if it sleeps, and neither carries a ball nor is carried by one
    ("listed", "i4"),  # 1 if it is among the members of islands
    ("hops", "i4"),  # in the next step: contacts to a ball that was hit, plus 1; else 0
    ("logged", "i4"),  # what is in the journal of its flight, see `flight_log`
    ("work", "f8"),  # of contact forces on it, in islands, not yet taken from the motion
    ("rest_at", "f8"),  # when its bounces on a support end, if they have not yet, or inf
    ("step_at", "f8"),  # when its slide step ends, or inf
]

ISLAND_FIELDS = [
    ("parent", "i8"),  # see `numerics.union_find`
    # Of the whole island, at the ball that stands for it:
    ("mass", "f8"),
    ("momentum", "f8", 3),
    ("energy", "f8"),  # of the motion relative to the mean velocity
    ("work", "f8"),  # of the contact forces, not yet taken from the motion
]


class Counts(SharedCounts):
    """The fields of `EngineState.count`."""

    jammed: int  # the jammed ball's index plus 1, or 0
    blocks: int  # snapshots taken, see `statistics`
    block_impacts: int  # impacts from one snapshot to the next
    first_predicted: int  # balls whose first event has been predicted
    quiet: int  # how often a ball of an island was found quiet
    quiet_until: int  # how often it may be before the next equilibrium test
    proof_due: int  # 1 when the next test is due
    proof_wait: int  # the factor on the wait for the next, 0 before the first
    members: int  # balls of islands
    contacts: int  # theirs
    active: int  # balls of the next step, or of the last one
    soft_since_whole: int  # soft impacts since the last step of all members
    soft_since_step: int  # and since the last step
    steps_at_once: int  # steps at the time of the last one, before it
    step_moved: int  # balls whose trajectory it has changed, not yet predicted
    layout_due: int  # 1 when the density may no longer be that of the layout
    layout_in: int  # turns of the calendar before the next look, negative for never
    layout_wait: int  # those after a look in vain


class Measures(SharedMeasures):
    """The fields of `EngineState.measure`."""

    epoch: float  # a double-double counted from time 0
    epoch_low: float
    virial: float  # the sum of impulse times distance over all impacts of two balls
    last_impact: float  # its time, counted from 0
    # Positions are counted from a point that moves with this velocity since this time, from 0:
    drift_from: float
    drift_x: float
    drift_y: float
    drift_z: float
    # The velocity of the gas as a whole, beside which temperature and speeds count:
    whole_x: float
    whole_y: float
    whole_z: float
    # See `bounds`:
    horizon: float
    coordinate_bound: float
    initial_coordinate_bound: float
    speed_bound: float
    gravity: float  # the largest Manhattan norm of an acceleration so far
    step_at: float  # when the next step of islands is due, from the epoch; inf if there is none
    whole_step_at: float  # when the next step of all members is due
    stepped_at: float  # when islands made their last step
    clearance: float  # between members, in radii
    most_work: float  # that forces may still do for the clearance, until all members make a step
    pressing_acceleration: float  # gravity's, or that of the member with the largest contact forces
    scale: float  # of growing radii at the epoch, see `growth`
    density: float  # in balls per volume, for which cells and margins are laid out
    # Of a sheared box, see `lees_edwards`:
    slide: float  # how far images above it have slid at the epoch
    slide_periods: float  # and whole periods beside that
    aligned: float  # how many periods at the strain 0 of co-moving coordinates
    stress_xx: float  # times volume and time
    stress_yy: float
    stress_zz: float
    stress_xy: float
    stress_xz: float
    stress_yz: float


class BallRecord(Protocol):
    """A record of `BALL_FIELDS`."""

    x: float
    y: float
    z: float
    vx: float
    vy: float
    vz: float
    clock: float
    radius: float


class FallingBallRecord(BallRecord, Protocol):
    """A record of `FALLING_BALL_FIELDS`."""

    acceleration_x: float
    acceleration_y: float
    acceleration_z: float


class BallLane(NamedTuple):
    """A ball's record as read from the lanes; `LANES` balls are tested in one loop."""

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


FlyingBall: TypeAlias = BallRecord | BallLane
"""What tells where a ball is without gravity."""

FallingBall: TypeAlias = FallingBallRecord | BallLane
"""The same under gravity."""


class EventRecord(Protocol):
    """A record of `EVENT_FIELDS`: of these, the centre of the ball's neighbourhood."""

    centre_x: float
    centre_y: float
    centre_z: float


class BodyRecord(Protocol):
    """A record of `BODY_FIELDS`: of these, what impacts read and count."""

    mass: float
    restitution: float
    repeated: int
    wedged: int
    held: int
    name: int
    last: int


class HoldRecord(Protocol):
    """A record of `HOLD_FIELDS`: of these, the supports and their reactions."""

    support: npt.NDArray[np.int32]
    reaction: Floats


@by_reference
class Environment(NamedTuple):
    """What the balls move in, and how: `Open` or `Periodic`, `NoShear` or `Shear`, `Straight`,
    `Falling` or `Trapped`, with `Trap` or `NoTrap`, with `Bounces` alone or with
    `SustainedContact`, of `Materials` or `NoMaterials`, with `Growth` or `NoGrowth`, and with
    `DrivenWalls` or `NoDrivenWalls`.

    lead_fraction: how far the centre of a neighbourhood is ahead of its ball, as a fraction
    of the margin; rebuild_threshold: if less than this fraction of the margin is left before
    the exit, an impact makes a new neighbourhood at once.
    """

    obstacles: Obstacles
    space: Open | Periodic
    shear: Any
    motion: Any
    trap: Any
    contact: Any
    materials: Any
    growth: Any
    walls: Any
    lead_fraction: float
    rebuild_threshold: float


@by_reference
class Islands(NamedTuple):
    """Balls of islands, and what their steps need.

    member: (n,), balls; contacts: those of members; before: the same in the last step, for its
    forces; active: (n,), balls of the next step, or of the last one; as scratch active_contacts:
    the contacts between those; solver; motion: (n, 3); inverse_mass: (n,);
    island: (n,), records.
    """

    member: npt.NDArray[np.uint32]
    contacts: ContactList
    before: ContactList
    active: npt.NDArray[np.uint32]
    active_contacts: ContactList
    solver: SolverWorkspace
    motion: Floats
    inverse_mass: Floats
    island: Records


@by_reference
class EngineState(NamedTuple):
    """The engine's arrays, for n balls.

    ball, event, body: (n,), records; hold: (n,), records, or none where there is no sustained
    contact; islands: `Islands`, or None there; image: (n, 3), how often a ball has gone round a
    periodic axis; row: (n · ROW,), the number of neighbours and their indices; expiry: (n,), until
    when these hold, or (0,) where images of balls do not slide by; as scratch
    found: (3n + EQUALS,) and lanes: (fields of a ball · LANES,);
    cells: `Cells`, or None before all is laid out;
    walls: (w,), records of the obstacles that move or are warm, see `WALL_FIELDS`;
    names, numbers: the journal of impacts; block: (BLOCKS_KEPT, …), see `statistics`;
    count, measure, work: one record each. Where there are materials, spin: (n, 3), angular
    velocities by the balls' names; as scratch tangential: (1, 3), the last tangential impulse.
    """

    ball: Records
    event: Records
    body: Records
    hold: Records
    islands: Any
    image: Floats
    row: npt.NDArray[np.uint32]
    expiry: Floats
    found: npt.NDArray[np.uint32]
    lanes: Floats
    cells: Any
    calendar: Calendar
    walls: Records
    names: Integers
    numbers: Floats
    block: Floats
    count: Counts  # type: ignore[assignment]  # tuples have a method of this name
    measure: Measures
    work: ContactWork
    spin: Floats | None
    tangential: Floats | None


def records(n: int, fields: npt.DTypeLike) -> Any:
    """n records, all zero."""
    return cache_aligned_zeros(n, fields).view(np.recarray)


def accelerations_of(ball: np.ndarray) -> Floats:
    """The accelerations of balls that may have one, (n, 3)."""
    return np.stack([ball[f"acceleration_{axis}"] for axis in "xyz"], axis=1)


@inlined
def position_at_clock(ball: FlyingBall) -> TVector:
    """A ball's position at its clock's time."""
    return TVector(ball.x, ball.y, ball.z)


@inlined
def velocity_at_clock(ball: FlyingBall) -> TVector:
    """A ball's velocity at its clock's time."""
    return TVector(ball.vx, ball.vy, ball.vz)


@inlined
def centre_of(event: EventRecord) -> TVector:
    """The centre of a ball's neighbourhood, in a sheared box in co-moving coordinates."""
    return TVector(event.centre_x, event.centre_y, event.centre_z)


@inlined
def drift(state: EngineState) -> TVector:
    """The velocity of the point from which positions are counted."""
    return TVector(state.measure.drift_x, state.measure.drift_y, state.measure.drift_z)


@inlined
def velocity_as_whole(state: EngineState) -> TVector:
    """The velocity of the gas as a whole."""
    return TVector(state.measure.whole_x, state.measure.whole_y, state.measure.whole_z)


@inlined
def unwrapped(
    environment: Environment, state: EngineState, i: int, x: TVector, now: float
) -> TVector:
    """The true position of ball i, whose wrapped one is x at a time."""
    periods, side = vector_at(state.image, i), environment.space.size
    x = x + TVector(periods.x * side.x, periods.y * side.y, periods.z * side.z)
    there: TVector = environment.shear.unwrapped(state, i, x, side.x, now)
    return there


@inlined
def separation(
    environment: Environment, state: EngineState, x: TVector, y: TVector, now: float
) -> TVector:
    """The displacement to x from that image of y which is nearest to it at a time."""
    image = environment.shear.slid(environment, state, x, y, now)
    apart: TVector = environment.space.minimum_image(x, image)
    return apart


@inlined
def relative_velocity(
    environment: Environment, x: TVector, v: TVector, y: TVector, u: TVector
) -> TVector:
    """The velocity of a ball at x relative to that image of one at y; v and u are theirs."""
    image: TVector = environment.shear.image_velocity(environment, x, y, u)
    return v - image


@inlined
def absolute(state: EngineState, time: float) -> float:
    """A time counted from the epoch as one counted from 0."""
    total: float = state.measure.epoch + (state.measure.epoch_low + time)
    return total


@inlined
def since_epoch(state: EngineState, time: float) -> float:
    """A time counted from 0 as one counted from the epoch."""
    rest: float = (time - state.measure.epoch) - state.measure.epoch_low
    return rest
