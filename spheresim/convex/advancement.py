"""Conservative advancement: the time of impact of bodies that turn as well as move.

B. Mirtich, Impulse-based dynamic simulation, 1996, section 2.3: at their distance d along
the normal n, the bodies cannot close in on each other along n faster than

    μ = −n·(v_a − v_b) + |n × ω_a| R_a + |n × ω_b| R_b,

R the furthest point of a core from the point about which it turns. So nothing is met within
d / μ, and one may advance by it; and again, until d is within the tolerance. The time found
is never late.

Velocities [length per time] are of the position, spins [rad per time] about it; both stay
as they are. Signs: `normal` is a unit vector from b towards a.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spheresim.arguments import positive
from spheresim.compiled import inlined, kernel, routine
from spheresim.convex.answers import Answers
from spheresim.convex.body import Body, Placing, asked
from spheresim.convex.closest import LIMIT, NEVER_ENOUGH, closest
from spheresim.convex.form import Placed, placed, point_at
from spheresim.convex.questions import Many, each_of, each_spin, pair, pairs
from spheresim.convex.simplex import COLUMNS, CORNERS, INDEX_A
from spheresim.rows import vector_at
from spheresim.vector import TVector

_MOST_STEPS = 10_000

_TOI, _GAP, _NORMAL, _STEPS, _FINISHED, _WIDTH = 0, 1, 2, 5, 6, 7


class Motion(NamedTuple):
    """velocity [length per time]; spin [rad per time]: the axis times the angular speed."""

    velocity: TVector
    spin: TVector


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


@routine
def moved(body: Placed, motion: Motion, time: float) -> Placed:
    """A body where it is after a time."""
    # The columns of its matrix are its own axes: these turn.
    x = _turned(motion.spin, time, TVector(body.row_x.x, body.row_y.x, body.row_z.x))
    y = _turned(motion.spin, time, TVector(body.row_x.y, body.row_y.y, body.row_z.y))
    z = _turned(motion.spin, time, TVector(body.row_x.z, body.row_y.z, body.row_z.z))
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
        body.position + motion.velocity * time,
        TVector(x.x, y.x, z.x),
        TVector(x.y, y.y, z.y),
        TVector(x.z, y.z, z.z),
    )


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
    """The fastest that two bodies can close in on each other along a normal, see the module."""
    turning_a = normal.cross(motion_a.spin).mag() * reach_a
    turning_b = normal.cross(motion_b.spin).mag() * reach_b
    return turning_a + turning_b - normal.dot(motion_a.velocity - motion_b.velocity)


class Advance(NamedTuple):
    """toi: inf if none; gap and normal there; steps; whether they led to an answer."""

    toi: float
    separation: float
    normal: TVector
    steps: int
    finished: bool


@routine
def advance(
    a: Placed,
    b: Placed,
    motion_a: Motion,
    motion_b: Motion,
    until: float,
    tolerance: float,
    simplex: Any,
) -> Advance:
    """Advance two bodies until they are within the tolerance, or surely do not meet."""
    reach_a, reach_b = furthest(a), furthest(b)
    simplex[0, 0, INDEX_A] = -1.0
    time, gap, normal = 0.0, 0.0, TVector(0.0, 0.0, 0.0)
    for step in range(1, _MOST_STEPS + 1):
        now_a, now_b = moved(a, motion_a, time), moved(b, motion_b, time)
        found = closest(
            now_a, now_b, now_b.position - now_a.position, simplex, 0, LIMIT, NEVER_ENOUGH
        )
        if found.overlapping:
            return Advance(time, min(0.0, -(a.radius + b.radius)), normal, step, True)
        distance = found.point.mag()
        normal, gap = found.point / distance, distance - (a.radius + b.radius)
        bound = closing_bound(normal, motion_a, motion_b, reach_a, reach_b)
        if bound <= 0.0 and gap >= 0.0:
            return Advance(math.inf, gap, normal, step, True)
        if gap <= tolerance:
            return Advance(time, gap, normal, step, True)
        # Not quite all of it: half the tolerance stays between them whatever the rounding.
        time += (gap - 0.5 * tolerance) / bound
        if time > until:
            return Advance(math.inf, gap, normal, step, True)
    return Advance(time, gap, normal, _MOST_STEPS, False)


class TimeOfImpact(Answers):
    """Of one pair, or with a leading axis of many."""

    __slots__ = ()

    @property
    def toi(self) -> Any:
        """When the gap is within the tolerance; inf if it is not by the time given."""
        return self.column(_TOI)

    @property
    def gap(self) -> Any:
        """At `toi`, or where the search ended."""
        return self.column(_GAP)

    @property
    def normal(self) -> np.ndarray:
        """At `toi`, unit, from b towards a; zero where the cores overlap from the start."""
        return self.rows[..., _NORMAL:_STEPS]

    @property
    def steps(self) -> Any:
        """How often the distance was asked."""
        return self.column(_STEPS)

    @property
    def finished(self) -> Any:
        """False if too many steps were needed: then nothing is met before `toi`, no more."""
        return self.column(_FINISHED) == 1.0


@kernel
def _times(
    forms_a: Any,
    places_a: Any,
    motions_a: Any,
    forms_b: Any,
    places_b: Any,
    motions_b: Any,
    until: float,
    tolerance: float,
    simplex: Any,
    rows: Any,
) -> None:
    for k in range(len(places_a)):
        a, b = placed(forms_a, places_a, k), placed(forms_b, places_b, k)
        motion_a = Motion(vector_at(motions_a, 2 * k), vector_at(motions_a, 2 * k + 1))
        motion_b = Motion(vector_at(motions_b, 2 * k), vector_at(motions_b, 2 * k + 1))
        found = advance(a, b, motion_a, motion_b, until, tolerance, simplex)
        rows[k, _TOI], rows[k, _GAP] = found.toi, found.separation
        for i in range(3):
            rows[k, _NORMAL + i] = found.normal[i] + 0.0
        rows[k, _STEPS], rows[k, _FINISHED] = found.steps, found.finished


def motions_of(side: Placing, velocities: Any, spins: Any) -> np.ndarray:
    """Velocity and spin of every body in turn, shape (2 n, 3), see `questions`."""
    dimension = side.dimension
    motions = np.zeros((len(side.places), 2, 3))
    motions[:, 0] = each_of(velocities, len(motions), dimension, "velocities")
    if spins is not None:
        motions[:, 1] = each_spin(spins, len(motions), dimension)
    return motions.reshape(-1, 3)


def _ask(
    a: Placing, b: Placing, motions_a: np.ndarray, motions_b: np.ndarray, until: Any, tolerance: Any
) -> np.ndarray:
    rows = np.empty((asked(a, b), _WIDTH))
    _times(
        a.forms,
        a.places,
        motions_a,
        b.forms,
        b.places,
        motions_b,
        positive(until, "the time until which to look"),
        positive(tolerance, "a tolerance"),
        np.empty((1, CORNERS, COLUMNS)),
        rows,
    )
    return rows


def time_of_impact(
    a: Body,
    b: Body,
    velocity_a: Sequence[float],
    velocity_b: Sequence[float],
    spin_a: Any = None,
    spin_b: Any = None,
    until: float = 1.0,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """The first time up to `until` at which two bodies are within `tolerance` [length].

    It is never after their first contact. Bodies that overlap at the start: 0, unless they
    only touch and surely part. A spin is a number in 2D and a vector in 3D, or None.
    """
    one, other = pair(a, b)
    motions_a, motions_b = (
        motions_of(one, velocity_a, spin_a),
        motions_of(other, velocity_b, spin_b),
    )
    return TimeOfImpact(_ask(one, other, motions_a, motions_b, until, tolerance)[0])


def time_of_impact_batch(
    a: Many,
    b: Many,
    velocities_a: Any,
    velocities_b: Any,
    spins_a: Any = None,
    spins_b: Any = None,
    until: float = 1.0,
    tolerance: float = 1e-6,
) -> TimeOfImpact:
    """`time_of_impact` of a[k] and b[k] for all k; velocities, spins: each its own, or one."""
    those, others = pairs(a, b)
    motions_a = motions_of(those, velocities_a, spins_a)
    motions_b = motions_of(others, velocities_b, spins_b)
    return TimeOfImpact(_ask(those, others, motions_a, motions_b, until, tolerance))
