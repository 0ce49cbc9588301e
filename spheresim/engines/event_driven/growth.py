"""Growing balls: all radii grow at constant rates, in proportion to each other.

B. D. Lubachevsky and F. H. Stillinger, Geometric properties of random disk packings, Journal of
Statistical Physics 60, 1990. At time t a ball has its final radius times the scale
`scale` + `rate`·t, which is 1 at the end of the growth. The record of a ball holds the final
radius: neighbourhoods and cells, which are made for that, hold all the time before.

`Growth` and `NoGrowth` are types, so that the compiler leaves growth out of the kernels of worlds
without it.
"""

from typing import Any, NamedTuple

from spheresim.collision.toi import growing_pair_toi
from spheresim.compiler.decorators import value
from spheresim.compiler.null_object import absence_of, if_absent
from spheresim.engines.event_driven.engine_state import Measures
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import Obstacles, growing_toi

_SLOW = 0.5
"""Where the square of the growth rate takes more than this part of the square of the relative
speed, plain floats lose digits of their difference."""


class _ScaleAndRate(NamedTuple):
    scale: float
    rate: float


@value
class Growth(_ScaleAndRate):
    """scale: of all radii at time 0, as a fraction of the final ones; rate: its growth per time.

    `radius` below is a final radius, or the sum of two.
    """

    __slots__ = ()

    @if_absent(False)
    def grows(self) -> bool:
        """Whether there is any growth."""
        return True

    @if_absent(argument="radius")
    def radius_at(self, measure: Measures, radius: Floats, now: Any) -> Any:
        """The radius at a time."""
        return radius * (measure.scale + self.rate * now)

    @if_absent(0.0)
    def speed(self, radius: float) -> float:
        """The rate at which a radius grows."""
        return radius * self.rate

    @if_absent()
    def move_epoch(self, measure: Measures, shift: float) -> None:
        """Count times from a later epoch."""
        measure.scale += self.rate * shift

    # In the quadratic a·t² + 2b·t + c of |d + w·t| = s + ṡ·t, a = w·w − ṡ² and b = d·w − s·ṡ.

    @if_absent(argument="w_sqr")
    def quadratic_a(self, w_sqr: Any, radius: Floats) -> Any:
        """The coefficient a of two balls, from w·w."""
        speed = radius * self.rate
        return w_sqr - speed * speed

    @if_absent(argument="dw")
    def quadratic_b(self, dw: Any, radius: Floats, s: Any) -> Any:
        """The coefficient b of two balls that now touch at the distance s, from d·w."""
        return dw - s * (radius * self.rate)

    @if_absent(False)
    def is_slow_beside(self, a: Any, w_sqr: Any) -> Any:
        """Whether a pair moves so slowly beside its growth that plain floats may be too short."""
        return a <= _SLOW * w_sqr

    @if_absent(0.0)
    def pair_toi(self, d: TVector, w: TVector, s: float, radius: float) -> float:
        """When two balls touch that are apart; inf if never."""
        return float(growing_pair_toi(d, w, s, radius * self.rate))

    @if_absent(0.0)
    def obstacle_toi(
        self, obstacles: Obstacles, k: int, x: TVector, v: TVector, s: float, radius: float
    ) -> float:
        """When a ball whose radius is s now touches obstacle k; inf if never."""
        return float(growing_toi(obstacles, k, x, v, s, radius * self.rate))


NoGrowth = absence_of(Growth, "NoGrowth")
