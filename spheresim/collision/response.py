"""What an impact does to velocities.

The normal n points from j, or from the obstacle, towards i; vn = (v_i − v_j)·n is negative
while they approach. With restitution e, vn becomes −e·vn; what is across the normal stays.
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
def reflect(velocity: TVector, normal: TVector, restitution: float) -> TVector:
    """The velocity of a ball thrown back by a surface that does not move."""
    return velocity - normal * ((1.0 + restitution) * velocity.dot(normal))


@inlined
def exchange(
    velocity_i: TVector,
    velocity_j: TVector,
    mass_i: float,
    mass_j: float,
    normal: TVector,
    restitution: float,
) -> CollisionResult:
    """Two balls of any masses: equal ones at e = 1 swap their normal velocities."""
    vn = (velocity_i - velocity_j).dot(normal)
    change = -(1.0 + restitution) * vn / (mass_i + mass_j)
    after_i = velocity_i + normal * (change * mass_j)
    after_j = velocity_j - normal * (change * mass_i)
    return CollisionResult(
        after_i, after_j, (after_i - after_j).dot(normal), change * mass_i * mass_j
    )


@inlined
def set_normal_velocity(
    velocity_i: TVector,
    velocity_j: TVector,
    mass_i: float,
    mass_j: float,
    normal: TVector,
    vn_after: float,
) -> CollisionResult:
    """Two balls that are given a normal velocity, whatever theirs is."""
    change = (vn_after - (velocity_i - velocity_j).dot(normal)) / (mass_i + mass_j)
    after_i = velocity_i + normal * (change * mass_j)
    after_j = velocity_j - normal * (change * mass_i)
    return CollisionResult(after_i, after_j, vn_after, change * mass_i * mass_j)


@inlined
def loss(impulse: Any, vn: Any, vn_after: Any) -> Any:
    """The kinetic energy that an impact takes: −½·J·(vn + vn′), for an impulse J along the normal.

    As the impulse is μ·(vn′ − vn), with the reduced mass μ (against an obstacle the ball's
    own), this is ½·μ·(vn² − vn′²): for restitution e, (1 − e²) of what was in the approach.
    """
    return -0.5 * impulse * (vn + vn_after)


@inlined
def stick_together(
    velocity_i: TVector, velocity_j: TVector, mass_i: float, mass_j: float, normal: TVector
) -> CollisionResult:
    """Two balls that go on together, as one body: all relative motion is lost."""
    common = (velocity_i * mass_i + velocity_j * mass_j) / (mass_i + mass_j)
    impulse = mass_i * (common - velocity_i).dot(normal)
    return CollisionResult(common, common, 0.0, impulse)


@inlined
def glide(velocity: TVector, normal: TVector, axis: TVector, angle: float) -> TVector:
    """The velocity of a ball that slides along a tube's wall, turned inwards by a small angle.

    The speed stays; the next touch comes a chord later, and not at once.
    """
    along = axis * velocity.dot(axis)
    across = velocity - along
    speed = across.mag()
    tangent = across - normal * across.dot(normal)
    inwards = math.sin(angle)
    if across.dot(normal) >= inwards * speed or tangent.mag_sqr() == 0.0:
        return velocity
    return along + (normal * inwards + tangent.unit() * math.sqrt(1.0 - inwards * inwards)) * speed
