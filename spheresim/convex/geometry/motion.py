"""Bodies that move and turn at constant rates: their pose after a time, how fast they approach.

Velocities [length per time] are of the position, spins [rad per time] about it; both stay
as they are.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.geometry.posed_body import PosedBody, point_at
from spheresim.convex.geometry.rotation import rotated
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector


class Motion(NamedTuple):
    """velocity [length per time]; spin [rad per time]: the axis times the angular speed."""

    velocity: TVector
    spin: TVector


@inlined
def motion_at(motions: Floats, k: int, side: int) -> Motion:
    """The motion of one side of pair k; motions: shape (n, sides, 2, 3)."""
    return Motion(vector_at(motions[k, side], 0), vector_at(motions[k, side], 1))


@inlined
def _in_place(body: PosedBody, position: TVector, x: TVector, y: TVector, z: TVector) -> PosedBody:
    """The same geometry in another pose; x, y, z: the rows of its matrix."""
    return PosedBody(
        body.rows,
        body.points,
        body.normals,
        body.edges,
        body.end,
        body.radius,
        body.solid,
        body.dimension,
        body.half,
        position,
        x,
        y,
        z,
    )


@routine
def moved(body: PosedBody, motion: Motion, time: float) -> PosedBody:
    """A body in its pose after a time."""
    position, spin = body.position + motion.velocity * time, motion.spin
    if spin.mag_sqr() == 0.0:
        return _in_place(body, position, body.row_x, body.row_y, body.row_z)
    # The columns of the matrix are the body's own axes, which turn.
    speed = spin.mag()
    axis, angle = spin / speed, speed * time
    x = rotated(TVector(body.row_x.x, body.row_y.x, body.row_z.x), axis, angle)
    y = rotated(TVector(body.row_x.y, body.row_y.y, body.row_z.y), axis, angle)
    z = rotated(TVector(body.row_x.z, body.row_y.z, body.row_z.z), axis, angle)
    row_x, row_y = TVector(x.x, y.x, z.x), TVector(x.y, y.y, z.y)
    return _in_place(body, position, row_x, row_y, TVector(x.z, y.z, z.z))


@routine
def bounding_radius(body: PosedBody) -> float:
    """The radius of the ball about the body's position that holds the core."""
    largest = 0.0
    for i in range(body.normals - body.points):
        largest = max(largest, point_at(body, i).mag_sqr())
    return math.sqrt(largest)


@inlined
def closing_bound(
    normal: TVector, motion_a: Motion, motion_b: Motion, reach_a: float, reach_b: float
) -> float:
    """An upper bound on the speed at which two bodies approach each other along a normal.

    n·(v_b − v_a) + |n × ω_a| R_a + |n × ω_b| R_b (B. Mirtich, see `conservative_advancement`).
    """
    turning_a = normal.cross(motion_a.spin).mag() * reach_a
    turning_b = normal.cross(motion_b.spin).mag() * reach_b
    return turning_a + turning_b - normal.dot(motion_a.velocity - motion_b.velocity)
