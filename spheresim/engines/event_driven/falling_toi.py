"""Times of impact under a constant acceleration: with a plane, a cylinder, another ball."""

import math

from spheresim.compiler.decorators import inlined, routine
from spheresim.engines.event_driven.engine_state import Environment
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import first_contact_root
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.table import PLANE, contact, cylinder_at, plane_at


@inlined
def rests_on_plane(
    environment: Environment, k: int, x: TVector, v: TVector, acceleration: TVector, radius: float
) -> bool:
    """Whether a ball touches plane k, and velocity and acceleration are along it, to rounding."""
    if environment.obstacles.kind[k] != PLANE:
        return False
    plane = plane_at(environment.obstacles, k)
    vn, an = v.dot(plane.normal), acceleration.dot(plane.normal)
    return bool(
        (abs(vn) <= ROUNDING * manhattan_norm(v))
        & (abs(an) <= ROUNDING * manhattan_norm(acceleration))
        & (plane.gap(x) <= radius + ROUNDING * (manhattan_norm(x) + radius))
    )


@routine
def falling_obstacle_toi(
    environment: Environment,
    k: int,
    x: TVector,
    v: TVector,
    acceleration: TVector,
    radius: float,
    horizon: float,
) -> float:
    """When a ball first touches obstacle k and approaches it; inf if not before the horizon.

    The acceleration may be 0.
    """
    if environment.obstacles.kind[k] == PLANE:
        plane = plane_at(environment.obstacles, k)
        n = plane.normal
        return falling_plane_toi(plane.gap(x), v.dot(n), acceleration.dot(n), radius)
    if acceleration.mag_sqr() == 0.0:
        return (
            contact(environment.obstacles, k, TRay(x, v), radius) if v.mag_sqr() > 0.0 else math.inf
        )
    cylinder = cylinder_at(environment.obstacles, k)
    return _falling_cylinder_toi(cylinder, x, v, acceleration, radius, horizon)


@inlined
def falling_plane_toi(gap: float, vn: float, acceleration: float, radius: float) -> float:
    """The first time at which gap + vn·t + a·t²/2 is from 0 to the radius, and falling.

    So a ball that comes in from behind, where it is not stopped, is stopped when gravity
    turns it back, unless it is clear of the plane by then.
    """
    # From when on the gap falls.
    if acceleration < 0.0:
        turn = max(0.0, -vn / acceleration)
    elif vn < 0.0:
        turn = 0.0
    else:
        return math.inf
    height = gap + (vn + 0.5 * acceleration * turn) * turn
    if height <= 0.0:
        return math.inf
    if height <= radius:
        return turn
    # From the height at that time, with the velocity `down`, to the radius: in a form in
    # which no terms cancel.
    down = vn if turn == 0.0 else 0.0
    above = height - radius
    discriminant = down * down - 2.0 * acceleration * above
    if discriminant < 0.0:
        return math.inf
    return turn + 2.0 * above / (-down + math.sqrt(discriminant))


@inlined
def _falling_cylinder_toi(
    cylinder: Cylinder, x: TVector, v: TVector, a: TVector, radius: float, horizon: float
) -> float:
    """The same for a cylinder: all vectors as seen along its axis, each × axis."""
    d = (x - cylinder.point).cross(cylinder.axis)
    outside = cylinder.is_outside(x)
    s = cylinder.radius + radius if outside else max(0.0, cylinder.radius - radius)
    excess = (d.mag() - s) * (d.mag() + s)
    w, a_across = v.cross(cylinder.axis), a.cross(cylinder.axis)
    return _falling_contact_time(d, w, a_across, excess, 1.0 if outside else -1.0, horizon)


@routine
def falling_pair_toi(
    d: TVector, w: TVector, acceleration: TVector, s: float, horizon: float
) -> float:
    """When two balls touch whose accelerations differ: one falls, the other lies on a plane."""
    return _falling_contact_time(d, w, acceleration, d.mag_sqr() - s * s, 1.0, horizon)


@inlined
def _falling_contact_time(
    d: TVector, w: TVector, acceleration: TVector, excess: float, sign: float, horizon: float
) -> float:
    """The first root of the quartic sign·(|d + w·t + a·t²/2|² − s²) at which it falls.

    excess: |d|² − s², in the form in which the caller knows it best; sign: 1 if the point
    comes from outside the radius s, −1 if from inside.
    """
    half = acceleration * 0.5
    return first_contact_root(
        sign * excess,
        sign * 2.0 * d.dot(w),
        sign * (w.mag_sqr() + 2.0 * d.dot(half)),
        sign * 2.0 * w.dot(half),
        sign * half.mag_sqr(),
        horizon,
    )
