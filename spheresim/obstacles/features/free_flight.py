"""For how long a ball surely touches no feature, where its path is known only about.

With a kick of gravity at the start of each time step a path is not quite a parabola.
"""

from typing import TYPE_CHECKING, Any

from spheresim.compiler.decorators import routine
from spheresim.numerics.rounding import manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import around_path, feature_of, first_stretch, next_leaf
from spheresim.obstacles.features.questions import falling_toi_of, gap_of

if TYPE_CHECKING:
    from spheresim.obstacles.features.table import Features

_RELATIVE_ERROR = 1e-8
"""Of radii and strays; exceeds the rounding of a path of many steps."""

_POSITION_ERROR = 1e-10
"""The same, of coordinates and of the way."""


@routine
def free_time_of(
    features: "Features",
    obstacles: Any,
    x: TVector,
    v: TVector,
    g: TVector,
    radius: float,
    lag: float,
    until: float,
) -> float:
    """A time, at most `until`, before which a ball at x surely touches no feature.

    Until a time T its path strays from x + v·T + g·T²/2 by at most |g|·lag·(T + lag/2). Those
    features that it touches, or nearly so, now: 0.
    """
    free, begin, stretch = until, 0.0, first_stretch(features.tree, v, g, radius)
    pull, error = g.mag(), _RELATIVE_ERROR * radius + _POSITION_ERROR * manhattan_norm(x)
    while begin < free:
        # Whoever touches it in this stretch is in reach of the parabola then.
        end = min(begin + stretch, free)
        far = (v.mag() + pull * end) * end
        stray = pull * lag * (end + 0.5 * lag) * (1.0 + _RELATIVE_ERROR)
        stray += error + _POSITION_ERROR * far
        corners = around_path(x, v, g, radius + stray, begin, end)
        leaf = next_leaf(features.tree, 0, corners)
        while leaf > 0:
            k = feature_of(features.tree, leaf)
            if gap_of(features, obstacles, k, x) - radius <= stray:
                return 0.0
            t = falling_toi_of(features, obstacles, k, x, v, g, radius + stray, end)
            free = min(free, t)
            leaf = next_leaf(features.tree, leaf, corners)
        begin, stretch = end, 2.0 * stretch
    return free
