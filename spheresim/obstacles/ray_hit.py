"""What shapes answer to rays."""

from typing import NamedTuple

from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector


class Hit(NamedTuple):
    """Where a ray meets a surface.

    distance: from the start of the ray [length]; point: on the surface [length]; normal: of the
    surface, a unit vector to the side on which the ray starts.
    """

    distance: float
    point: TVector
    normal: TVector


class Hits(NamedTuple):
    """Where n rays meet a surface, as arrays.

    distance: (n,), from the start of each ray, inf for a ray that misses [length]; point: (n, 3),
    on the surface; normal: (n, 3), unit, to the side on which the ray starts. Points and normals
    are zeros for a ray that misses.
    """

    distance: Floats
    point: Floats
    normal: Floats
