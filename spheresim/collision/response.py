"""What an impact does to velocities.

The normal n points from j, or from the obstacle, towards i; vn = (v_i − v_j)·n is negative
while they approach. With restitution e, vn becomes −e·vn; the tangential velocity is kept. Where
radii grow, so does vn − g, with the rate g at which the sum of the radii grows: the surfaces
approach and part by that velocity.
"""

import math
from typing import Any, NamedTuple

from spheresim.compiler.decorators import inlined
from spheresim.numerics.vector import TVector


class CollisionResult(NamedTuple):
    """New velocities of i and j, normal velocity after, and impulse −(1 + e)·μ·vn on i."""

    velocity_i: TVector
    velocity_j: TVector
    vn_after: float
    impulse: float


@inlined
def pair_restitution(of_a: float, of_b: float) -> float:
    """The restitution of two surfaces that meet: the smaller one of theirs."""
    return min(of_a, of_b)


@inlined
def reflect(velocity: TVector, normal: TVector, restitution: float, growth: float = 0.0) -> TVector:
    """The velocity of a ball after an impact on a surface that does not move."""
    return velocity - normal * ((1.0 + restitution) * (velocity.dot(normal) - growth))


@inlined
def exchange(
    velocity_i: TVector,
    velocity_j: TVector,
    mass_i: float,
    mass_j: float,
    normal: TVector,
    restitution: float,
    growth: float = 0.0,
) -> CollisionResult:
    """Velocities after an impact of two balls; equal masses at e = 1 swap normal velocities."""
    vn = (velocity_i - velocity_j).dot(normal) - growth
    change = -(1.0 + restitution) * vn / (mass_i + mass_j)
    after_i = velocity_i + normal * (change * mass_j)
    after_j = velocity_j - normal * (change * mass_i)
    return CollisionResult(
        after_i, after_j, (after_i - after_j).dot(normal), change * mass_i * mass_j
    )


@inlined
def part(
    velocity_i: TVector,
    velocity_j: TVector,
    give_i: float,
    give_j: float,
    normal: TVector,
    vn: float,
    vn_after: float,
) -> CollisionResult:
    """Velocities after an impact from which two balls part with vn_after ≥ 0.

    give_i, give_j: one over their masses, 0 for one that nothing moves; not both.
    """
    impulse = (vn_after - vn) / (give_i + give_j)
    after_i = velocity_i + normal * (impulse * give_i)
    return CollisionResult(after_i, velocity_j - normal * (impulse * give_j), vn_after, impulse)


@inlined
def loss(impulse: Any, vn: Any, vn_after: Any) -> Any:
    """The kinetic energy lost in an impact: −½·J·(vn + vn′), for an impulse J along the normal.

    As the impulse is μ·(vn′ − vn), with the reduced mass μ (against an obstacle the ball's
    own), this is ½·μ·(vn² − vn′²): for restitution e, the part 1 − e² of the energy of approach.
    """
    return -0.5 * impulse * (vn + vn_after)


@inlined
def stick_together(
    velocity_i: TVector, velocity_j: TVector, mass_i: float, mass_j: float, normal: TVector
) -> CollisionResult:
    """The common velocity of two balls that go on as one body: all relative motion is lost."""
    common = (velocity_i * mass_i + velocity_j * mass_j) / (mass_i + mass_j)
    impulse = mass_i * (common - velocity_i).dot(normal)
    return CollisionResult(common, common, 0.0, impulse)


@inlined
def glide(velocity: TVector, normal: TVector, axis: TVector, angle: float) -> TVector:
    """The velocity of a ball that slides along a tube's wall, turned inwards by a small angle.

    The speed is kept. The next impact comes a chord later, and not at once.
    """
    along = axis * velocity.dot(axis)
    across = velocity - along
    speed = across.mag()
    tangent = across - normal * across.dot(normal)
    inwards = math.sin(angle)
    if across.dot(normal) >= inwards * speed or tangent.mag_sqr() == 0.0:
        return velocity
    return along + (normal * inwards + tangent.unit() * math.sqrt(1.0 - inwards * inwards)) * speed
