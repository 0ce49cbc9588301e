"""Bodies that move and turn evenly: where they are after a time, how fast they close in.

Velocities [length per time] are of the position, spins [rad per time] about it; both stay
as they are.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.convex.body import Placing, coordinates
from spheresim.convex.geometry.posed_body import Placed, point_at
from spheresim.convex.query_arguments import each_of, each_spin
from spheresim.numerics.arguments import number
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector


class Motion(NamedTuple):
    """velocity [length per time]; spin [rad per time]: the axis times the angular speed."""

    velocity: TVector
    spin: TVector


@inlined
def motion_at(motions: Any, k: int, side: int) -> Motion:
    """Of shape (n, sides, 2, 3)."""
    return Motion(vector_at(motions[k, side], 0), vector_at(motions[k, side], 1))


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

    n·(v_b − v_a) + |n × ω_a| R_a + |n × ω_b| R_b (B. Mirtich, see `advance`).
    """
    turning_a = normal.cross(motion_a.spin).mag() * reach_a
    turning_b = normal.cross(motion_b.spin).mag() * reach_b
    return turning_a + turning_b - normal.dot(motion_a.velocity - motion_b.velocity)


# --- From Python -----------------------------------------------------------------------


def put_motions(motions: np.ndarray, side: Placing, velocities: Any, spins: Any) -> None:
    """Velocity and spin of every body into shape (n, 2, 3) of zeros, see `questions`; None is
    rest."""
    if velocities is not None:
        motions[:, 0] = each_of(velocities, len(motions), side.dimension, "velocities")
    if spins is not None:
        motions[:, 1] = each_spin(spins, len(motions), side.dimension)


def put_motion(motion: np.ndarray, side: Placing, velocity: Any, spin: Any) -> None:
    """`put_motions` of one body, shape (2, 3)."""
    dimension = side.dimension
    if velocity is not None:
        motion[0] = _vector(velocity, dimension, "velocities")
    if spin is not None:
        motion[1] = (
            (0.0, 0.0, number(spin, "a spin in the plane"))
            if dimension == 2
            else _vector(spin, 3, "spins")
        )


def _vector(components: Any, dimension: int, what: str) -> Any:
    """Three finite numbers. What is plainly right costs a tenth of the whole check."""
    try:
        x, y, z = components if dimension == 3 else (*components, 0.0)
        if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
            return x, y, z
    except (TypeError, ValueError):
        pass  # and the whole check says what is wrong
    return coordinates([components], dimension, what)[0]
