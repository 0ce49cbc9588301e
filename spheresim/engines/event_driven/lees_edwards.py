"""Uniform shear of a periodic box: images above and below it slide along x (Lees and Edwards).

The flow is u = rate · y along x. The image n periods further up along y is displaced along x by
n · rate · L_y · t, and moves with n · rate · L_y relative to the box (A. W. Lees and S. F. Edwards,
The computer study of transport processes under extreme conditions, Journal of Physics C 5, 1972).
Flights stay straight, and an impact on an image is one like any other.

A neighbourhood moves with the flow at its centre. So its ball leaves it by thermal motion alone,
and across a face of the box neighbourhoods pass each other no faster than elsewhere: by the shear
of the gas between them. A list is made for all places to which neighbourhoods move until the gas is
sheared by `strain`, and holds until then.

The cells hold centres in co-moving coordinates, X = x − rate · y · (t − t0), in which centres stay
where they are, and images are straight above each other if they were so at t0. Distances are those
of a lattice whose strain s = rate · (t − t0) grows. At s = L_x / (2 L_y) the lattice of a later t0
has the strain −s, and the cells are filled anew (as a cell that deforms is reset: D. J. Evans and
G. P. Morriss, Statistical Mechanics of Nonequilibrium Liquids, 2nd edition 2008, chapter 6).

`Shear` and `NoShear` are types: the compiler leaves shear out of the kernels of all other worlds.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import JUST_WIDER, insert, remove
from spheresim.collision.gas_sums import STRESS_COMPONENTS
from spheresim.compiler.decorators import inlined, kernel, routine, value
from spheresim.compiler.null_object import absence_of, if_absent
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    Measures,
    centre_of,
    position_at_clock,
    since_epoch,
)
from spheresim.model.shear_flow import is_sheared
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats
from spheresim.numerics.double_double import DoubleDouble, two_product
from spheresim.numerics.vector import ZERO, TVector


class _Rates(NamedTuple):
    """rate: ∂u_x/∂y; speed: that of an image one period further up; strain: by which the gas is
    sheared while a neighbour list holds."""

    rate: float
    speed: float
    strain: float


@value
class Shear(_Rates):
    """The shear of a box: where images are, how they move, and what stress balls are under."""

    __slots__ = ()

    # Images.

    @if_absent(argument="y")
    def slid(
        self, environment: Environment, state: EngineState, x: TVector, y: TVector, now: float
    ) -> TVector:
        """The point y, displaced as far as its image that is nearest to x along y has slid."""
        turns = np.rint((x.y - y.y) * environment.space.inverse.y)
        return TVector(y.x + turns * self.slide(state, now), y.y, y.z)

    @if_absent(argument="u")
    def image_velocity(
        self, environment: Environment, x: TVector, y: TVector, u: TVector
    ) -> TVector:
        """The velocity of that image of a ball which is at y with the velocity u."""
        turns = np.rint((x.y - y.y) * environment.space.inverse.y)
        return TVector(u.x + turns * self.speed, u.y, u.z)

    @if_absent(argument="u")
    def own_velocity(self, environment: Environment, x: TVector, y: TVector, u: TVector) -> TVector:
        """The velocity of the ball at y of which that image has the velocity u."""
        turns = np.rint((x.y - y.y) * environment.space.inverse.y)
        return TVector(u.x - turns * self.speed, u.y, u.z)

    @if_absent(argument="d")
    def exactly_slid(
        self, environment: Environment, state: EngineState, d: Any, near: TVector, now: float
    ) -> Any:
        """The displacement d to a ball from another, in double-doubles, less what the image of the
        other has slid from which the displacement is `near`."""
        turns = np.rint((d.y.high - near.y) * environment.space.inverse.y)
        slide = DoubleDouble(state.measure.slide, 0.0) + two_product(self.speed, now)
        return TVector(d.x - slide * DoubleDouble(turns, 0.0), d.y, d.z)

    @if_absent(argument="w")
    def exact_image_velocity(self, environment: Environment, d: Any, near: TVector, w: Any) -> Any:
        """The velocity w, in double-doubles, relative to that image."""
        turns = np.rint((d.y.high - near.y) * environment.space.inverse.y)
        return TVector(w.x - two_product(self.speed, turns), w.y, w.z)

    def slide(self, state: EngineState, now: float) -> float:
        """How far the image one period further up is displaced along x, but for whole periods."""
        return float(state.measure.slide + self.speed * now)

    # From wrapped coordinates to true ones, and back.

    @if_absent(argument="x")
    def unwrapped(
        self, state: EngineState, i: int, x: TVector, period: float, now: float
    ) -> TVector:
        """Ball i's true position, from one in which it is not displaced by what images slid."""
        turns = state.image[i, 1]
        slid = turns * self.slide(state, now) + turns * state.measure.slide_periods * period
        return TVector(x.x + slid, x.y, x.z)

    @if_absent(argument="v")
    def unwrapped_velocity(self, state: EngineState, i: int, v: TVector) -> TVector:
        """Ball i's true velocity."""
        return TVector(v.x + state.image[i, 1] * self.speed, v.y, v.z)

    @if_absent()
    def wrap(self, environment: Environment, state: EngineState, i: int) -> None:
        """Take ball i, by whole periods along y, to where the flow is slowest, and count them."""
        ball, space = state.ball[i], environment.space
        turns = np.rint(ball.y * space.inverse.y)
        if turns != 0.0:
            ball.x -= turns * self.slide(state, ball.clock)
            ball.y -= turns * space.size.y
            ball.vx -= turns * self.speed
            state.image[i, 0] -= turns * state.measure.slide_periods
            state.image[i, 1] += turns

    @if_absent(argument="periods")
    def still_periods(self, periods: TVector) -> TVector:
        """Those of the periods along which images do not slide."""
        return TVector(periods.x, 0.0, periods.z)

    @if_absent()
    def move_epoch(self, environment: Environment, state: EngineState, shift: float) -> None:
        """Count times from a later epoch: the slide follows from it alone, and loses no digit."""
        epoch = DoubleDouble(state.measure.epoch, state.measure.epoch_low)
        slide = epoch * DoubleDouble(self.speed, 0.0)
        periods = np.rint(slide.high * environment.space.inverse.x)
        slide = slide - two_product(periods, environment.space.size.x)
        state.measure.slide, state.measure.slide_periods = slide.high, periods
        for i in range(len(state.expiry)):
            state.expiry[i] -= shift

    @if_absent()
    def include_in_bounds(self, environment: Environment, state: EngineState) -> None:
        """Let the bounds of a turn hold for images of balls too."""
        measure = state.measure
        measure.initial_coordinate_bound += environment.space.size.x
        measure.speed_bound += abs(self.speed)

    @if_absent(False)
    def slides(self) -> bool:
        """Whether images of balls move, however the balls do."""
        return self.speed != 0.0

    # Neighbourhoods.

    def strain_at(self, environment: Environment, state: EngineState, now: float) -> float:
        """The strain of the lattice of co-moving coordinates."""
        periods = state.measure.slide_periods - state.measure.aligned
        slid = self.slide(state, now) + periods * environment.space.size.x
        return float(slid * environment.space.inverse.y)

    @if_absent(argument="x")
    def comoving(
        self, environment: Environment, state: EngineState, x: TVector, now: float
    ) -> TVector:
        """The co-moving coordinates of a point."""
        return TVector(x.x - self.strain_at(environment, state, now) * x.y, x.y, x.z)

    @if_absent(argument="x")
    def from_comoving(
        self, environment: Environment, state: EngineState, x: TVector, now: float
    ) -> TVector:
        """The point with these co-moving coordinates."""
        return TVector(x.x + self.strain_at(environment, state, now) * x.y, x.y, x.z)

    @if_absent(ZERO)
    def flow(self, x: TVector) -> TVector:
        """The velocity of the flow."""
        return TVector(self.rate * x.y, 0.0, 0.0)

    @if_absent()
    def start(self, state: EngineState) -> None:
        """Begin with co-moving coordinates of which the strain is small at the epoch."""
        state.measure.aligned = state.measure.slide_periods

    @if_absent()
    def align(self, environment: Environment, state: EngineState, now: float) -> None:
        """Change to co-moving coordinates with a smaller strain, if there are any."""
        turns = np.rint(self.slide(state, now) * environment.space.inverse.x)
        if state.measure.slide_periods + turns != state.measure.aligned:
            realign(environment, state, state.measure.slide_periods + turns)

    @if_absent(argument="reach")
    def search_reach(
        self, environment: Environment, state: EngineState, reach: float, now: float, since: float
    ) -> float:
        """The reach with which a search in co-moving coordinates finds all that is within reach.

        It finds what is so at any time while a list that is made now holds; with `since` = 1 also
        while lists held that were made before.
        """
        strain = self.strain_at(environment, state, now)
        ahead = math.copysign(self.strain, self.rate)
        largest = max(abs(strain - since * ahead), abs(strain + ahead))
        furthest = state.cells.level[len(state.cells.level) - 1].reach
        return float(reach + (stretch_by(largest) - 1.0) * (reach + furthest))

    @if_absent(argument="many")
    def select(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        first: int,
        many: int,
        now: float,
    ) -> int:
        """Keep those of the balls in `found` whose neighbourhoods come to touch that of ball i.

        They are the `many` from place `first` on; returns how many are kept, in the same order.
        Ball i's list is made of them, and holds until its expiry.
        """
        state.expiry[i] = now + self.strain / abs(self.rate)
        strain = self.strain_at(environment, state, now)
        centre, reach = centre_of(state.event[i]), state.ball[i].radius + state.event[i].margin
        size, inverse = environment.space.size, environment.space.inverse
        kept = first
        for k in range(first, first + many):
            j = state.found[k]
            # Along x, at the present strain and at that to come.
            d = environment.space.minimum_image(centre, centre_of(state.event[j]))
            x = d.x + strain * d.y
            x -= np.rint(x * inverse.x) * size.x
            later = x + math.copysign(self.strain, self.rate) * d.y
            nearest = min(abs(x), abs(later)) if x * later > 0.0 else 0.0
            s = (reach + state.ball[j].radius + state.event[j].margin) * JUST_WIDER
            if nearest * nearest + d.y * d.y + d.z * d.z <= s * s:
                state.found[kept] = j
                kept += 1
        return kept - first

    @if_absent()
    def limit_event(self, state: EngineState, i: int) -> None:
        """Let ball i's neighbourhood end when its list no longer holds."""
        state.event[i].time = min(state.event[i].time, state.expiry[i])

    # Stress.

    @if_absent(argument="v")
    def peculiar(self, x: TVector, v: TVector) -> TVector:
        """The velocity beside that of the flow, of a ball at x with the velocity v."""
        return TVector(v.x - self.rate * x.y, v.y, v.z)

    @if_absent()
    def add_flight(self, environment: Environment, state: EngineState, i: int, now: float) -> None:
        """Add ball i's flight from its clock to now to the stress: ∫ m c c dt."""
        flux = self.flux(state, i, now - state.ball[i].clock)
        add_stress(state.measure, flux)

    @if_absent()
    def add_impact(self, state: EngineState, impulse: TVector, d: TVector) -> None:
        """Add an impact to the stress: an impulse on a ball that is at d from the other."""
        stress = Stress(
            *(impulse.x * d.x, impulse.y * d.y, impulse.z * d.z),
            *(impulse.x * d.y, impulse.x * d.z, impulse.y * d.z),
        )
        add_stress(state.measure, stress)

    @if_absent()
    def write_stress(self, state: EngineState, row: Floats, first: int, now: float) -> None:
        """Write the stress so far into six columns of a snapshot."""
        sums = state.measure
        row[first], row[first + 1], row[first + 2] = sums.stress_xx, sums.stress_yy, sums.stress_zz
        row[first + 3], row[first + 4] = sums.stress_xy, sums.stress_xz
        row[first + 5] = sums.stress_yz
        for i in range(len(state.ball)):
            flux = self.flux(state, i, now - state.ball[i].clock)
            for k in range(len(flux)):
                row[first + k] += flux[k]

    def flux(self, state: EngineState, i: int, time: float) -> "Stress":
        """∫ m c c dt of ball i's flight, from its clock on for a time.

        c_x = c_x(0) − rate · c_y · t: along a straight flight the flow around a ball changes.
        """
        ball, mass = state.ball[i], state.body[i].mass
        c = self.peculiar(position_at_clock(ball), TVector(ball.vx, ball.vy, ball.vz))
        lost = self.rate * c.y * time
        mean, mean_sqr = c.x - 0.5 * lost, c.x * c.x - c.x * lost + lost * lost / 3.0
        weight = mass * time
        return Stress(
            *(weight * mean_sqr, weight * c.y * c.y, weight * c.z * c.z),
            *(weight * mean * c.y, weight * mean * c.z, weight * c.y * c.z),
        )


NoShear = absence_of(Shear, "NoShear")


class Stress(NamedTuple):
    """A tensor, here times volume and time; xy: what is carried along y of the momentum along x.

    It is symmetric where impulses are along normals.
    """

    xx: float
    yy: float
    zz: float
    xy: float
    xz: float
    yz: float


@inlined
def stretch_by(strain: float) -> float:
    """The factor by which a shear strain stretches lengths at most, its largest singular value."""
    half = 0.5 * strain
    return float(half + np.sqrt(1.0 + half * half))


@kernel
def write_stress(environment: Environment, state: EngineState, time: float, stress: Floats) -> None:
    """Write the stress up to a time that is now, times volume and time; stress: (6,)."""
    environment.shear.write_stress(state, stress, 0, since_epoch(state, time))


def stress_so_far(
    world: World, environment: Environment, state: EngineState, time: float
) -> Floats:
    """The stress of a sheared box up to a time that is now, times volume and time, (6,)."""
    stress = np.zeros(len(STRESS_COMPONENTS))
    if is_sheared(world.box):
        write_stress(environment, state, time, stress)
    return stress


@inlined
def add_stress(measure: Measures, stress: Stress) -> None:
    """Add to the stress so far."""
    measure.stress_xx += stress.xx
    measure.stress_yy += stress.yy
    measure.stress_zz += stress.zz
    measure.stress_xy += stress.xy
    measure.stress_xz += stress.xz
    measure.stress_yz += stress.yz


@routine
def realign(environment: Environment, state: EngineState, aligned: float) -> None:
    """Fill the cells anew, in the co-moving coordinates whose strain is 0 after so many periods."""
    size = environment.space.size
    sheared = (aligned - state.measure.aligned) * size.x / size.y
    state.measure.aligned = aligned
    for k in range(len(state.event)):
        i: Any = np.uint32(k)
        event = state.event[i]
        remove(state.cells, state.body, i)
        event.centre_x += sheared * event.centre_y
        insert(state.cells, state.body, i, centre_of(event), state.ball[i].radius + event.margin)
