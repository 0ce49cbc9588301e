"""Support reactions of a single ball: the exact solution for up to three contacts.

A ball in contact with up to three obstacles must not move into any of them. With the unit
normals n_k, towards the ball, its acceleration is a = g + Σ λ_k·n_k, where each λ_k ≥ 0 (a
contact pushes, it never pulls), each a·n_k + c_k ≥ 0 (nothing is entered), and where one of the
two is 0 (what is left does not push). That is a linear complementarity problem; a is the
nearest to g that the contacts allow (J. J. Moreau, Unilateral contact and dry friction in finite
freedom dynamics, 1988). The curvature acceleration c_k is the curvature of the surface
under the ball times its speed squared: negative in a tube, positive on a pillar.

With velocities in place of accelerations, and c_k = 0, the same problem gives the velocity after
a simultaneous impact of zero restitution on all of them.
"""

import math
from typing import NamedTuple

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.vector import TVector

_TOLERANCE = 1e-13
"""How far λ or a·n + c may be on the wrong side, beside the largest of all rates, by rounding."""


_DEPENDENT = 1e-14
"""Normals of which the Gram determinant is below this lie in one plane, or on one line."""


class Triple(NamedTuple):
    """A number for each of up to three supports."""

    a: float
    b: float
    c: float


class Normals(NamedTuple):
    """The unit normals of up to three supports, towards the ball; zero where there is none."""

    a: TVector
    b: TVector
    c: TVector


@routine
def support_forces(rates: Triple, normals: Normals) -> Triple:
    """The λ of the three supports, each ≥ 0; 0 where there is no support.

    rates: g·n_k + c_k of each: the acceleration away from it if nothing held the ball.
    """
    g_ab, g_ac = normals.a.dot(normals.b), normals.a.dot(normals.c)
    g_bc = normals.b.dot(normals.c)
    tolerance = _TOLERANCE * (abs(rates.a) + abs(rates.b) + abs(rates.c))
    best, least = Triple(0.0, 0.0, 0.0), math.inf
    # Which of them push: none, one, two, or three; the first that fits within rounding.
    for chosen in (0, 1, 2, 4, 3, 5, 6, 7):
        trial = _pushing(chosen, rates, g_ab, g_ac, g_bc)
        a = rates.a + trial.a + g_ab * trial.b + g_ac * trial.c
        b = rates.b + g_ab * trial.a + trial.b + g_bc * trial.c
        c = rates.c + g_ac * trial.a + g_bc * trial.b + trial.c
        wrong = -min(trial.a, trial.b, trial.c)
        if normals.a.mag_sqr() > 0.0:
            wrong = max(wrong, -a)
        if normals.b.mag_sqr() > 0.0:
            wrong = max(wrong, -b)
        if normals.c.mag_sqr() > 0.0:
            wrong = max(wrong, -c)
        if wrong < least:
            best, least = trial, wrong
        if wrong <= tolerance:
            break
    return Triple(max(best.a, 0.0), max(best.b, 0.0), max(best.c, 0.0))


@inlined
def present(normals: Normals) -> Triple:
    """1 for each support that there is, 0 where there is none: for `along_supports`."""
    return Triple(
        1.0 if normals.a.mag_sqr() > 0.0 else 0.0,
        1.0 if normals.b.mag_sqr() > 0.0 else 0.0,
        1.0 if normals.c.mag_sqr() > 0.0 else 0.0,
    )


@inlined
def held_forces(rates: Triple, normals: Normals) -> Triple:
    """The λ of three bilateral supports, like rails, with a·n_k + c_k = 0 for each.

    A negative λ is tension. 0 where there is no support.
    """
    there = present(normals)
    chosen = (1 if there.a > 0.0 else 0) | (2 if there.b > 0.0 else 0) | (4 if there.c > 0.0 else 0)
    g_ab, g_ac = normals.a.dot(normals.b), normals.a.dot(normals.c)
    return _pushing(chosen, rates, g_ab, g_ac, normals.b.dot(normals.c))


@inlined
def _pushing(chosen: int, rates: Triple, g_ab: float, g_ac: float, g_bc: float) -> Triple:
    """The λ that keep a·n + c = 0 for the chosen supports, a bit each."""
    has_a, has_b, has_c = chosen & 1, chosen & 2, chosen & 4
    # The Gram matrix of the chosen normals, with rows of the identity for the others.
    ab = g_ab if has_a and has_b else 0.0
    ac = g_ac if has_a and has_c else 0.0
    bc = g_bc if has_b and has_c else 0.0
    a = -rates.a if has_a else 0.0
    b = -rates.b if has_b else 0.0
    c = -rates.c if has_c else 0.0
    # Cramer's rule.
    determinant = 1.0 + 2.0 * ab * ac * bc - ab * ab - ac * ac - bc * bc
    if determinant <= _DEPENDENT:
        return Triple(-math.inf, -math.inf, -math.inf)
    return Triple(
        ((1.0 - bc * bc) * a + (ac * bc - ab) * b + (ab * bc - ac) * c) / determinant,
        ((ac * bc - ab) * a + (1.0 - ac * ac) * b + (ab * ac - bc) * c) / determinant,
        ((ab * bc - ac) * a + (ab * ac - bc) * b + (1.0 - ab * ab) * c) / determinant,
    )


@inlined
def along_supports(vector: TVector, normals: Normals, holds: Triple) -> TVector:
    """The component of a vector along the supports whose number in `holds` is above 0.

    With one normal it is n × (v × n), in which nothing cancels: on a floor that is tilted by a
    billionth of a degree it still has all its digits.
    """
    many = int(holds.a > 0.0) + int(holds.b > 0.0) + int(holds.c > 0.0)
    if many == 0:
        return vector
    # With one of them.
    first = normals.a if holds.a > 0.0 else (normals.b if holds.b > 0.0 else normals.c)
    if many == 1:
        return first.cross(vector.cross(first))
    # Three leave nothing, unless they stand around an edge, as two do.
    if many == 3 and normals.a.dot(normals.b.cross(normals.c)) ** 2 > _DEPENDENT:
        return vector * 0.0
    # The edge: of those two that differ most.
    a = normals.a if holds.a > 0.0 else vector * 0.0
    b = normals.b if holds.b > 0.0 else vector * 0.0
    c = normals.c if holds.c > 0.0 else vector * 0.0
    along, other, last = a.cross(b), a.cross(c), b.cross(c)
    along = along if along.mag_sqr() >= other.mag_sqr() else other
    along = along if along.mag_sqr() >= last.mag_sqr() else last
    if along.mag_sqr() == 0.0:
        return first.cross(vector.cross(first))
    along = along.unit()
    return along * vector.dot(along)
