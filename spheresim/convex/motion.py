"""Bodies that move and turn evenly: where they are after a time, how fast they close in.

Velocities [length per time] are of the position, spins [rad per time] about it; both stay
as they are.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.arguments import number
from spheresim.compiled import inlined, routine
from spheresim.convex.body import Placing, coordinates
from spheresim.convex.form import Placed, point_at
from spheresim.rows import vector_at
from spheresim.vector import TVector


class Motion(NamedTuple):
    """velocity [length per time]; spin [rad per time]: the axis times the angular speed."""

    velocity: TVector
    spin: TVector


@inlined
def motion_at(motions: Any, k: int) -> Motion:
    """Motion k of shape (n, 2, 3)."""
    return Motion(vector_at(motions[k], 0), vector_at(motions[k], 1))


@inlined
def _turned(spin: TVector, time: float, vector: TVector) -> TVector:
    """A vector after turning for a time (Rodrigues' formula)."""
    speed = spin.mag()
    if speed == 0.0:
        return vector
    axis, angle = spin / speed, speed * time
    versine = 2.0 * math.sin(0.5 * angle) ** 2
    across = axis.cross(vector)
    return vector + across * math.sin(angle) + axis.cross(across) * versine


@inlined
def _in_place(body: Placed, position: TVector, x: TVector, y: TVector, z: TVector) -> Placed:
    """The same form elsewhere; x, y, z: the rows of its matrix."""
    return Placed(
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
def moved(body: Placed, motion: Motion, time: float) -> Placed:
    """A body where it is after a time."""
    position, spin = body.position + motion.velocity * time, motion.spin
    if spin.mag_sqr() == 0.0:
        return _in_place(body, position, body.row_x, body.row_y, body.row_z)
    # The columns of its matrix are its own axes: these turn.
    x = _turned(spin, time, TVector(body.row_x.x, body.row_y.x, body.row_z.x))
    y = _turned(spin, time, TVector(body.row_x.y, body.row_y.y, body.row_z.y))
    z = _turned(spin, time, TVector(body.row_x.z, body.row_y.z, body.row_z.z))
    row_x, row_y = TVector(x.x, y.x, z.x), TVector(x.y, y.y, z.y)
    return _in_place(body, position, row_x, row_y, TVector(x.z, y.z, z.z))


@routine
def furthest(body: Placed) -> float:
    """How far the core reaches from the body's position."""
    largest = 0.0
    for i in range(body.normals - body.points):
        largest = max(largest, point_at(body, i).mag_sqr())
    return math.sqrt(largest)


@inlined
def closing_bound(
    normal: TVector, motion_a: Motion, motion_b: Motion, reach_a: float, reach_b: float
) -> float:
    """The fastest that two bodies can close in on each other along a normal.

    n·(v_b − v_a) + |n × ω_a| R_a + |n × ω_b| R_b (B. Mirtich, see `advancement`).
    """
    turning_a = normal.cross(motion_a.spin).mag() * reach_a
    turning_b = normal.cross(motion_b.spin).mag() * reach_b
    return turning_a + turning_b - normal.dot(motion_a.velocity - motion_b.velocity)


# --- From Python -----------------------------------------------------------------------


def motions_of(side: Placing, velocities: Any, spins: Any) -> np.ndarray:
    """Velocity and spin of every body, shape (n, 2, 3); None is rest; in 2D a spin is a number."""
    dimension = side.dimension
    motions = np.zeros((len(side.places), 2, 3))
    if velocities is not None:
        motions[:, 0] = coordinates(velocities, dimension, "velocities")
    if spins is not None and dimension == 2:
        motions[:, 1, 2] = np.array([number(spin, "a spin in the plane") for spin in spins])
    elif spins is not None:
        motions[:, 1] = coordinates(spins, 3, "spins")
    return motions


def motion_of(side: Placing, velocity: Any, spin: Any) -> np.ndarray:
    """`motions_of` one body, shape (1, 2, 3)."""
    one_velocity = None if velocity is None else [velocity]
    return motions_of(side, one_velocity, None if spin is None else [spin])
