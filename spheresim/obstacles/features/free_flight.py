"""For how long a ball surely touches no feature, where its path is known only about.

With a kick of gravity at the start of each time step a path is not quite a parabola.
"""

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.ray import TRay
from spheresim.numerics.rounding import manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.dispatch import gap_of, toi_of
from spheresim.obstacles.features.index import (
    Index,
    feature_of,
    next_leaf,
    swept_bounds,
)
from spheresim.obstacles.features.passing import is_clear_of
from spheresim.obstacles.features.reach import first_stretch, times_in_reach
from spheresim.obstacles.features.shapes import FeatureShapes

_RELATIVE_ERROR = 1e-8
"""Of radii and strays; exceeds the rounding of a path of many steps."""

_POSITION_ERROR = 1e-10
"""The same, of coordinates and of the way."""


@routine
def free_time_of(
    shapes: FeatureShapes,
    tree: Index,
    x: TVector,
    v: TVector,
    g: TVector,
    radius: float,
    lag: float,
    until: float,
) -> float:
    """A time, at most `until`, before which a ball at x surely touches no feature.

    Until a time T its path strays from x + v·T + g·T²/2 by at most |g|·lag·(T + lag/2), and that
    from a chord by what `swept_bounds` adds to its reach: so whoever touches a feature is touched
    before by a ball as much larger that goes along the chord. Those features that it touches, or
    nearly so, now: 0.
    """
    begin, last = times_in_reach(tree, x, v, g, radius + _stray(x, v, g, radius, lag, until))
    free, stretch = until, first_stretch(tree, v, g, radius)
    while begin < min(free, last):
        end = min(begin + stretch, free)
        reach = radius + _stray(x, v, g, radius, lag, end)
        bounds = swept_bounds(x, v, g, reach, begin, end)
        first, way = bounds.middle - bounds.half, bounds.half * 2.0
        leaf = next_leaf(tree, 0, bounds)
        while leaf > 0:
            k = feature_of(tree, leaf)
            leaf = next_leaf(tree, leaf, bounds)
            if is_clear_of(shapes, k, bounds):
                continue
            if gap_of(shapes, k, first) <= bounds.reach:
                return begin
            if way.mag_sqr() > 0.0:
                t = begin + toi_of(shapes, k, TRay(first, way), bounds.reach) * (end - begin)
                free = min(free, max(begin, t))
        begin, stretch = end, 2.0 * stretch
    return free


@inlined
def _stray(x: TVector, v: TVector, g: TVector, radius: float, lag: float, time: float) -> float:
    """How far the path may be from the parabola until a time, with all rounding."""
    pull = g.mag()
    far = manhattan_norm(x) + (v.mag() + pull * time) * time
    stray = pull * lag * (time + 0.5 * lag) * (1.0 + _RELATIVE_ERROR)
    return stray + _RELATIVE_ERROR * radius + _POSITION_ERROR * far
