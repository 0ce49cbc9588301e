"""The catalogue of obstacles that are made of features: a new one is a line here."""

from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.capped_cylinder import CappedCylinder
from spheresim.obstacles.capsule import Capsule
from spheresim.obstacles.cuboid import Cuboid
from spheresim.obstacles.disc import Disc
from spheresim.obstacles.hull import Hull
from spheresim.obstacles.mesh import Mesh
from spheresim.obstacles.polygon import Polygon
from spheresim.obstacles.ring import Ring
from spheresim.obstacles.sphere import Sphere

BOUNDED: tuple[type[Bounded], ...] = (
    Sphere,
    Capsule,
    Cuboid,
    Hull,
    Polygon,
    CappedCylinder,
    Disc,
    Ring,
    Mesh,
)
"""All but compounds, which are made of these."""
