"""Uniform shear of a periodic box: images above and below it slide along x (Lees and Edwards).

The flow is u = rate · y along x. The image n periods further up along y is displaced along x by
n · rate · L_y · t, and moves with n · rate · L_y relative to the box (A. W. Lees and S. F. Edwards,
The computer study of transport processes under extreme conditions, Journal of Physics C 5, 1972).
Flights stay straight, and an impact on an image is one like any other.

A neighbourhood stays where it is, so those of images slide past it. The list of a ball near such an
image is made for all places to which the image slides by `slack`, and holds until then.

`Shear` and `NoShear` are types: the compiler leaves shear out of the kernels of all other worlds.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.broadphase.cell_search import search_as_routine
from spheresim.compiler.absence import absence_of, if_absent
from spheresim.compiler.decorators import inlined, kernel, routine, value
from spheresim.engines.event_driven.engine_state import (
    EPOCH,
    EPOCH_LOW,
    INITIAL_COORDINATE_BOUND,
    SLIDE,
    SLIDE_PERIODS,
    SPEED_BOUND,
    STRESS,
    STRESSES,
    EngineState,
    Environment,
    position_at_clock,
    since_epoch,
)
from spheresim.numerics.double_double import DoubleDouble, two_product
from spheresim.numerics.vector import TVector


class _Rates(NamedTuple):
    """rate: ∂u_x/∂y; speed: that of an image one period further up; slack: how far images slide
    before the lists of balls near them are made anew."""

    rate: float
    speed: float
    slack: float


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
        slide = DoubleDouble(state.measure[SLIDE], 0.0) + two_product(self.speed, now)
        return TVector(d.x - slide * DoubleDouble(turns, 0.0), d.y, d.z)

    @if_absent(argument="w")
    def exact_image_velocity(self, environment: Environment, d: Any, near: TVector, w: Any) -> Any:
        """The velocity w, in double-doubles, relative to that image."""
        turns = np.rint((d.y.high - near.y) * environment.space.inverse.y)
        return TVector(w.x - two_product(self.speed, turns), w.y, w.z)

    def slide(self, state: EngineState, now: float) -> float:
        """How far the image one period further up is displaced along x, but for whole periods."""
        return float(state.measure[SLIDE] + self.speed * now)

    # From wrapped coordinates to true ones, and back.

    @if_absent(argument="x")
    def unwrapped(
        self, state: EngineState, i: int, x: TVector, period: float, now: float
    ) -> TVector:
        """Ball i's true position, from one in which it is not displaced by what images slid."""
        turns = state.image[i, 1]
        slid = turns * self.slide(state, now) + turns * state.measure[SLIDE_PERIODS] * period
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
            state.image[i, 0] -= turns * state.measure[SLIDE_PERIODS]
            state.image[i, 1] += turns

    @if_absent(argument="periods")
    def still_periods(self, periods: TVector) -> TVector:
        """Those of the periods along which images do not slide."""
        return TVector(periods.x, 0.0, periods.z)

    @if_absent()
    def move_epoch(self, environment: Environment, state: EngineState, shift: float) -> None:
        """Count times from a later epoch: the slide follows from it alone, and loses no digit."""
        epoch = DoubleDouble(state.measure[EPOCH], state.measure[EPOCH_LOW])
        slide = epoch * DoubleDouble(self.speed, 0.0)
        periods = np.rint(slide.high * environment.space.inverse.x)
        slide = slide - two_product(periods, environment.space.size.x)
        state.measure[SLIDE], state.measure[SLIDE_PERIODS] = slide.high, periods
        for i in range(len(state.expiry)):
            state.expiry[i] -= shift

    @if_absent()
    def include_in_bounds(self, environment: Environment, state: EngineState) -> None:
        """Let the bounds of a turn hold for images of balls too."""
        measure = state.measure
        measure[INITIAL_COORDINATE_BOUND] += environment.space.size.x
        measure[SPEED_BOUND] += abs(self.speed)

    @if_absent(False)
    def slides(self) -> bool:
        """Whether images of balls move, however the balls do."""
        return self.speed != 0.0

    # Neighbourhoods.

    @if_absent(argument="centre")
    def in_box(
        self, environment: Environment, state: EngineState, centre: TVector, now: float
    ) -> TVector:
        """A neighbourhood's centre, taken to where the flow is slowest."""
        turns = np.rint(centre.y * environment.space.inverse.y)
        x, y = turns * self.slide(state, now), turns * environment.space.size.y
        return TVector(centre.x - x, centre.y - y, centre.z)

    @if_absent(0)
    def search_anew(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        centre: TVector,
        reach: float,
        first: int,
        many: int,
        now: float,
    ) -> int:
        """Find balls for a new neighbourhood of ball i among those of which images slide by.

        They are written into `found` behind the `many` that are there from place `first` on.
        Returns their number.
        """
        near = is_near_face(environment, state, centre, reach)
        state.expiry[i] = now + self.slack / abs(self.speed) if near else math.inf
        if not near:
            return 0
        return search_across(
            environment, state, i, centre, reach + self.slack, 1.0, first, many, now
        )

    @if_absent(0)
    def search_again(
        self,
        environment: Environment,
        state: EngineState,
        i: int,
        centre: TVector,
        reach: float,
        slack: float,
        first: int,
        many: int,
        now: float,
    ) -> int:
        """The same for the neighbourhood that ball i has: all balls that list it are among them."""
        if not is_near_face(environment, state, centre, reach):
            return 0
        reach = reach + 2.0 * self.slack
        return search_across(environment, state, i, centre, reach, slack, first, many, now)

    @if_absent()
    def limit_event(self, state: EngineState, i: int) -> None:
        """Let ball i's neighbourhood end before images have slid further than its list holds."""
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
        add_stress(state.measure, STRESS, flux)

    @if_absent()
    def add_impact(self, state: EngineState, impulse: TVector, d: TVector) -> None:
        """Add an impact to the stress: an impulse on a ball that is at d from the other."""
        stress = Stress(
            *(impulse.x * d.x, impulse.y * d.y, impulse.z * d.z),
            *(impulse.x * d.y, impulse.x * d.z, impulse.y * d.z),
        )
        add_stress(state.measure, STRESS, stress)

    @if_absent()
    def write_stress(self, state: EngineState, row: Any, first: int, now: float) -> None:
        """Write the stress so far into six columns of a snapshot."""
        for k in range(STRESSES):
            row[first + k] = state.measure[STRESS + k]
        for i in range(len(state.ball)):
            add_stress(row, first, self.flux(state, i, now - state.ball[i].clock))

    def flux(self, state: EngineState, i: int, time: float) -> Any:
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


@kernel
def write_stress(environment: Environment, state: EngineState, time: float, stress: Any) -> None:
    """Write the stress up to a time that is now, times volume and time; stress: (6,)."""
    environment.shear.write_stress(state, stress, 0, since_epoch(state, time))


@inlined
def add_stress(sums: Any, first: int, stress: Any) -> None:
    """Add the components to sums, from place `first` on."""
    sums[first] += stress.xx
    sums[first + 1] += stress.yy
    sums[first + 2] += stress.zz
    sums[first + 3] += stress.xy
    sums[first + 4] += stress.xz
    sums[first + 5] += stress.yz


@inlined
def is_near_face(
    environment: Environment, state: EngineState, centre: TVector, reach: float
) -> bool:
    """Whether a neighbourhood may touch the image of any other one across a face of the box."""
    furthest = state.cells.level[len(state.cells.level) - 1].reach
    return bool(0.5 * environment.space.size.y - abs(centre.y) <= reach + furthest)


@routine
def search_across(
    environment: Environment,
    state: EngineState,
    i: int,
    centre: TVector,
    reach: float,
    slack: float,
    first: int,
    many: int,
    now: float,
) -> int:
    """Search around the image of a centre on the other side of the box; see `search`.

    Balls are left out that are among the `many` found already, from place `first` on.
    """
    shear, found = environment.shear, state.found
    turns = math.copysign(1.0, centre.y)
    image = TVector(
        centre.x - turns * shear.slide(state, now),
        centre.y - turns * environment.space.size.y,
        centre.z,
    )
    end = first + many
    more = search_as_routine(state.cells, i, image, reach, slack, found, end)
    kept = 0
    for k in range(end, end + more):
        known = False
        for m in range(first, end):
            known |= found[m] == found[k]
        if not known:
            found[end + kept] = found[k]
            kept += 1
    return kept
