"""Times of impact in a harmonic trap, where balls fly on ellipses.

With τ = tan(ωt)/ω, x − c = cos ωt·(x₀ − c + v₀·τ): up to a scale that is the same for all, balls
fly straight. So two balls touch at a root of a quadratic of τ, |d + w·τ|² = s²·(1 + ω²τ²), for a
quarter of a period, until cos ωt is 0.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine, value
from spheresim.compiler.null_object import absence_of, if_absent
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import Obstacles, flat_plane

QUARTER = 0.5 * math.pi
"""ωt of a quarter of a period."""


@inlined
def trapped_position(x: TVector, v: TVector, frequency: float, time: float) -> TVector:
    """Where a ball is that started at x, seen from the centre of the trap, with the velocity v."""
    angle = frequency * time
    return x * math.cos(angle) + v * (math.sin(angle) / frequency)


@inlined
def trapped_velocity(x: TVector, v: TVector, frequency: float, time: float) -> TVector:
    """The velocity of that ball."""
    angle = frequency * time
    return v * math.cos(angle) - x * (frequency * math.sin(angle))


@routine
def trapped_pair_toi(
    d: TVector, w: TVector, s: float, frequency: float, tolerance: float, slowest: float
) -> float:
    """When two balls in a trap touch, within a quarter of a period; inf if they do not.

    d, w: their relative position and velocity; s: the sum of the radii; tolerance: of |d|² − s²,
    within which they touch; slowest: the speed within which they neither approach nor part.
    """
    straight = contact_quadratic(d, w, s)
    pull = (frequency * s) ** 2
    a, b, c = straight.a - pull, straight.b, straight.c
    if c <= tolerance:
        if b < -slowest * s or (b <= slowest * s and a < 0.0):
            return 0.0
        c = 0.0 if c >= -tolerance else c
    # b² − a·c, of which nothing cancels in the part of straight flight.
    discriminant = straight.discriminant + pull * c if c > 0.0 else b * b - a * c
    if discriminant < 0.0:
        return math.inf
    # The root at which the quadratic falls through 0, in the form in which nothing cancels.
    root = math.sqrt(discriminant)
    if b < 0.0:
        return math.atan(frequency * c / (root - b)) / frequency
    return math.atan(frequency * (b + root) / -a) / frequency if a < 0.0 else math.inf


@routine
def trapped_plane_toi(
    distance: float,
    radius: float,
    height: float,
    vn: float,
    frequency: float,
    error: tuple[float, float],
) -> float:
    """When a ball in a trap touches a plane, within a period; inf if never.

    distance: of the ball's centre in front of the plane; height: the same above the centre of the
    trap; vn: its velocity away from the plane; error: of the distance, and of the velocity.
    """
    gap = distance - radius
    if distance > 0.0 and gap <= error[0]:
        if vn < -error[1] or (vn <= error[1] and height > 0.0):
            return 0.0
        gap = 0.0 if gap >= -error[0] else gap
    # height·cos ωt + vn/ω·sin ωt = amplitude·cos(ωt − φ) falls to height − gap.
    sine = vn / frequency
    amplitude, level = math.hypot(height, sine), height - gap
    if abs(level) >= amplitude:
        return math.inf
    angle = math.atan2(sine, height) + math.acos(level / amplitude)
    return (angle if angle > 0.0 else angle + 4.0 * QUARTER) / frequency


class _CentreFrequency(NamedTuple):
    centre: TVector
    frequency: float


@value
class Trap(_CentreFrequency):
    """The harmonic trap in which balls fly; `NoTrap` leaves it out of the kernels of others."""

    __slots__ = ()

    @if_absent(False)
    def exists(self) -> bool:
        """Whether there is a trap."""
        return True

    @if_absent(argument="acceleration")
    def greatest_acceleration(self, x: TVector, v: TVector, acceleration: float) -> float:
        """A bound of a ball's acceleration on its flight: ω² times the longest half axis.

        acceleration: the bound where there is no trap.
        """
        away = (x - self.centre) * self.frequency
        return self.frequency * math.sqrt(away.mag_sqr() + v.mag_sqr())

    @if_absent(math.inf)
    def longest_prediction(self) -> float:
        """For how long times of impact hold."""
        return QUARTER / self.frequency

    @if_absent(math.inf)
    def pair_toi(self, d: TVector, w: TVector, s: float, tolerance: float, slowest: float) -> float:
        """When two balls touch; inf if not within `longest_prediction`."""
        time: float = trapped_pair_toi(d, w, s, self.frequency, tolerance, slowest)
        return time

    @if_absent(math.inf)
    def plane_toi(
        self, obstacles: Obstacles, k: int, x: TVector, v: TVector, radius: float
    ) -> float:
        """When a ball touches plane k, from now on; inf if never."""
        plane = flat_plane(obstacles, k, x)
        rounding = ROUNDING * (manhattan_norm(x) + radius), ROUNDING * manhattan_norm(v)
        height, vn = (x - self.centre).dot(plane.normal), v.dot(plane.normal)
        time: float = trapped_plane_toi(plane.gap(x), radius, height, vn, self.frequency, rounding)
        return time


NoTrap = absence_of(Trap, "NoTrap")
