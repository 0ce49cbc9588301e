"""Contact under gravity where accelerations differ: what rests on a plane, and what falls on it."""

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.roots import contact_quartic, first_contact_root
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import Obstacles, is_flat, plane_at


@inlined
def rests_on_plane(
    obstacles: Obstacles, k: int, x: TVector, v: TVector, acceleration: TVector, radius: float
) -> bool:
    """Whether a ball touches plane k, and velocity and acceleration are along it, to rounding."""
    if not is_flat(obstacles, k):
        return False
    plane = plane_at(obstacles, k)
    vn, an = v.dot(plane.normal), acceleration.dot(plane.normal)
    return bool(
        (abs(vn) <= ROUNDING * manhattan_norm(v))
        & (abs(an) <= ROUNDING * manhattan_norm(acceleration))
        & (plane.gap(x) <= radius + ROUNDING * (manhattan_norm(x) + radius))
    )


@routine
def falling_pair_toi(
    d: TVector, w: TVector, acceleration: TVector, s: float, horizon: float
) -> float:
    """When two balls touch whose accelerations differ: one falls, the other lies on a plane."""
    return first_contact_root(contact_quartic(d, w, acceleration, d.mag_sqr() - s * s), horizon)
