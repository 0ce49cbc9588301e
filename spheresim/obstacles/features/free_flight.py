"""For how long a ball surely touches no feature, where its path is known only about.

With a kick of gravity at the start of each time step a path is not quite a parabola.
"""

from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.ray import TRay
from spheresim.numerics.rounding import manhattan_norm
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.features.bounding_box import first_stretch, times_in_reach
from spheresim.obstacles.features.index import feature_of, next_near_leaf, swept_bounds
from spheresim.obstacles.features.rejection_test import is_clear_of
from spheresim.obstacles.features.rows import Rows

_RELATIVE_ERROR = 1e-8
"""Of radii and strays; exceeds the rounding of a path of many steps."""

_POSITION_ERROR = 1e-10
"""The same, of coordinates and of the way."""


class KickedBall(NamedTuple):
    """A ball of a radius, of which the acceleration comes in kicks, `lag` apart.

    Until a time T it strays from its path x + v·T + a·T²/2 by at most |a|·lag·(T + lag/2).
    """

    path: BallPath
    radius: float
    lag: float


@routine
def free_time_of(features: Any, obstacles: Rows, ball: KickedBall, until: float) -> float:
    """A time, at most `until`, before which a ball surely touches no feature.

    The parabola strays from a chord by what `swept_bounds` adds to its reach: so a ball enlarged by
    this and by `_stray`, which goes along the chord, touches each feature no later. 0 if it
    touches a feature now, or nearly. features: `Features`.
    """
    path, radius, tree = ball.path, ball.radius, features.tree
    x, v, g = path
    begin, last = times_in_reach(tree, x, v, g, radius + _stray(ball, until))
    free, stretch = until, first_stretch(tree, v, g, radius)
    while begin < min(free, last):
        end = min(begin + stretch, free)
        reach = radius + _stray(ball, end)
        bounds = swept_bounds(path, reach, begin, end)
        first, way = bounds.middle - bounds.half, bounds.half * 2.0
        leaf = next_near_leaf(tree, 0, bounds)
        while leaf > 0:
            k = feature_of(tree, leaf)
            leaf = next_near_leaf(tree, leaf, bounds)
            if is_clear_of(obstacles, k, bounds):
                continue
            if features.feature_gap(obstacles, k, first) <= bounds.reach:
                return begin
            if way.mag_sqr() > 0.0:
                chord = TRay(first, way)
                part = features.feature_toi(obstacles, k, chord, bounds.reach)
                t = begin + part * (end - begin)
                free = min(free, max(begin, t))
        begin, stretch = end, 2.0 * stretch
    return free


@inlined
def _stray(ball: KickedBall, time: float) -> float:
    """How far the path may be from the parabola until a time, with all rounding."""
    x, v, g = ball.path
    radius, lag, pull = ball.radius, ball.lag, g.mag()
    far = manhattan_norm(x) + (v.mag() + pull * time) * time
    stray = pull * lag * (time + 0.5 * lag) * (1.0 + _RELATIVE_ERROR)
    return stray + _RELATIVE_ERROR * radius + _POSITION_ERROR * far
