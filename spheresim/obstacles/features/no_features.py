"""That a world has no features: the same questions as `Features` answers, of nothing.

They are types, so that the compiler leaves features out of the kernels of a world of planes and
cylinders.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiler.decorators import value
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.features.index import Corners
from spheresim.obstacles.plane import Plane


class _None(NamedTuple):
    no_index: float


@value
class NoFeatures(_None):
    """Of a world of planes and cylinders alone."""

    __slots__ = ()

    def has_any(self) -> bool:
        """Whether there are features: no, which the compiler knows."""
        return False

    def has_row(self, obstacles: Any, k: int) -> bool:
        """No row is a feature."""
        return False

    def infinite_at(self, obstacles: Any, n: int) -> int:
        """All rows are planes and cylinders."""
        return n

    def feature_toi(self, obstacles: Any, k: int, ray: TRay, radius: float) -> float:
        """Never."""
        return math.inf

    def feature_opposite_toi(self, obstacles: Any, k: int, ray: TRay, radius: float) -> float:
        """Never."""
        return math.inf

    def feature_falling_toi(
        self,
        obstacles: Any,
        k: int,
        x: TVector,
        v: TVector,
        g: TVector,
        radius: float,
        until: float,
    ) -> float:
        """Never."""
        return math.inf

    def is_clear(self, obstacles: Any, k: int, corners: Corners) -> bool:
        """Not quickly seen."""
        return False

    def feature_gap(self, obstacles: Any, k: int, point: TVector) -> float:
        """Nothing is near."""
        return math.inf

    def feature_normal(self, obstacles: Any, k: int, point: TVector) -> TVector:
        """None."""
        return TVector(0.0, 0.0, 0.0)

    def feature_bend(self, obstacles: Any, k: int, point: TVector, velocity: TVector) -> float:
        """None."""
        return 0.0

    def feature_curvature_radius(self, obstacles: Any, k: int, point: TVector) -> float:
        """It is flat."""
        return math.inf

    def feature_holds(self, obstacles: Any, k: int, point: TVector) -> bool:
        """Nothing does."""
        return False

    def feature_axis(self, obstacles: Any, k: int, point: TVector, velocity: TVector) -> TVector:
        """None."""
        return TVector(0.0, 0.0, 0.0)

    def feature_plane(self, obstacles: Any, k: int, point: TVector) -> Plane:
        """None."""
        return Plane(TVector(0.0, 0.0, 0.0), TVector(0.0, 0.0, 0.0))

    def feature_end(self, obstacles: Any, k: int, x: TVector, v: TVector, g: TVector) -> float:
        """Planes and cylinders have no ends."""
        return math.inf

    def has_feature_ended(self, obstacles: Any, k: int, x: TVector) -> bool:
        """Planes and cylinders have no ends."""
        return False

    def is_flat_feature(self, obstacles: Any, k: int) -> bool:
        """None is."""
        return False

    def is_feature_below(self, obstacles: Any, k: int, plane: Plane) -> bool:
        """None is."""
        return False

    def leaf_after(self, leaf: int, corners: Corners) -> int:
        """No leaf."""
        return 0

    def feature_at(self, leaf: int) -> int:
        """No leaf is ever asked for."""
        return 0

    def reach_times(self, x: TVector, v: TVector, g: TVector, radius: float) -> tuple[float, float]:
        """Nothing is ever near."""
        return math.inf, 0.0

    def free_time(
        self,
        obstacles: Any,
        x: TVector,
        v: TVector,
        g: TVector,
        radius: float,
        lag: float,
        until: float,
    ) -> float:
        """As long as is asked for."""
        return until

    def stretch(self, v: TVector, g: TVector, radius: float) -> float:
        """All at once."""
        return math.inf
