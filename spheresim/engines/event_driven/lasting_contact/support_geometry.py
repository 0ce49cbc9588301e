"""The supports of a ball, up to three obstacles: normals, gaps and speeds relative to them."""

import math

from spheresim.collision.repeated_impacts import CHATTER_STOPS
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.rise import speed_unit
from spheresim.contact.supports import Normals
from spheresim.contact.tolerances import APPROACH_NOISE, TOUCHING
from spheresim.engines.event_driven.engine_state import (
    EngineState,
    Environment,
    HoldRecord,
)
from spheresim.engines.event_driven.falling_toi import IDLE
from spheresim.model.periodic_space import image_near_obstacle
from spheresim.numerics.rounding import ROUNDING, manhattan_norm
from spheresim.numerics.vector import ZERO, TVector
from spheresim.obstacles.table import bend, flat_plane, is_below, is_flat, normal_at


@inlined
def has_no_clearance(state: EngineState, i: int) -> bool:
    """Whether ball i chatters at one place, without room to part."""
    return bool(state.body[i].wedged >= CHATTER_STOPS)


@inlined
def still_speed(environment: Environment, state: EngineState, i: int, v: TVector) -> float:
    """Normal velocities of ball i up to this one may be the rounding of its velocity v."""
    unit = speed_unit(environment.motion.gravity.mag(), state.ball[i].radius)
    return ROUNDING * manhattan_norm(v) + APPROACH_NOISE * unit


@inlined
def time_to_part(state: EngineState, i: int, rate: float) -> float:
    """The time in which ball i, with this acceleration, moves TOUCHING away from a surface."""
    rate = max(rate, 1e-3 * state.measure.pressing_acceleration)
    return math.sqrt(2.0 * TOUCHING * state.ball[i].radius / rate) if rate > 0.0 else math.inf


@inlined
def idle_rate(environment: Environment, bending: float) -> float:
    """Rates of approach or of leaving up to this one may be the rounding of their parts."""
    idle: float = IDLE * (environment.motion.gravity.mag() + abs(bending))
    return idle


@inlined
def is_support(hold: HoldRecord, k: int) -> bool:
    """Whether obstacle k is one of a ball's supports."""
    return bool((hold.support[0] == k) | (hold.support[1] == k) | (hold.support[2] == k))


@routine
def passes_over(environment: Environment, hold: HoldRecord, k: int, x: TVector) -> bool:
    """Whether a ball at x lies on something flat above which obstacle k does not reach.

    An edge in the plane of a face, as at the seams of a mesh, would stop it by rounding.
    """
    obstacles = environment.obstacles
    for m in range(3):
        support = int(hold.support[m])
        if (
            support >= 0
            and is_flat(obstacles, support)
            and is_below(obstacles, k, flat_plane(obstacles, support, x))
        ):
            return True
    return False


@routine
def normals_where(environment: Environment, hold: HoldRecord, x: TVector) -> Normals:
    """The normals of a ball's supports where the ball is at x."""
    return Normals(
        normal_of_support(environment, int(hold.support[0]), x),
        normal_of_support(environment, int(hold.support[1]), x),
        normal_of_support(environment, int(hold.support[2]), x),
    )


@inlined
def normal_of_support(environment: Environment, k: int, x: TVector) -> TVector:
    """The normal of obstacle k, towards a ball at x; zero if there is none, k = -1."""
    if k < 0:
        return ZERO
    obstacles = environment.obstacles
    return normal_at(obstacles, k, image_near_obstacle(environment.space, obstacles, k, x))


@inlined
def curvature_acceleration(environment: Environment, k: int, x: TVector, v: TVector) -> float:
    """The second time derivative of the clearance from obstacle k, if there is one; else 0."""
    if k < 0:
        return 0.0
    obstacles = environment.obstacles
    return bend(obstacles, k, image_near_obstacle(environment.space, obstacles, k, x), v)
