"""Countless elastic bounces between two surfaces, answered at once: two mirrors, folded out.

With velocities scaled by the square roots of the masses, an elastic impact, be it on an
obstacle or on another ball, is the reflection of all velocities in a mirror (G. Galperin,
Playing pool with π, Regular and Chaotic Dynamics 8, 2003). A ball that is squeezed between
two others hits them in turn: two mirrors, that meet at an angle α. Let the mirrors be
reflected, and not the path: then it is a straight line that crosses an image of the corner
after the other, π/α in all at most, and the last of them tells where it leaves.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.vector import TVector

_NO_CORNER = 1e-12
"""Below this angle mirrors are parallel, for all that normals tell, and there is no way out."""

_AT_REST = 1e-280
"""Squares of speeds below it have no digits left."""


class Contact(NamedTuple):
    """What a ball touches: the normal, towards the ball; its velocity; one over its mass, 0 for
    an obstacle."""

    normal: TVector
    velocity: TVector
    inverse_mass: float


class Way(NamedTuple):
    """How a ball leaves a corner: `bounces`, 0 if there is no corner; the velocities of the
    ball and of both contacts; of either contact, the normal velocity before its first bounce
    and after its last, and the sum of the impulses on the ball."""

    bounces: float
    velocity: TVector
    velocity_a: TVector
    velocity_b: TVector
    vn_a: float
    vn_b: float
    vn_after_a: float
    vn_after_b: float
    impulse_a: float
    impulse_b: float


@routine
def way_out(velocity: TVector, mass: float, a: Contact, b: Contact) -> Way:
    """The way of a ball that touches both contacts, and is about to bounce off the first.

    In the plane of the mirrors' normals, A lies along the angle 0 and B along α.
    """
    share_a, share_b = a.inverse_mass * mass, b.inverse_mass * mass
    s_a, s_b = math.sqrt(mass / (1.0 + share_a)), math.sqrt(mass / (1.0 + share_b))
    cos_n = a.normal.dot(b.normal)
    turn = a.normal.cross(b.normal)
    sin_n = turn.mag()
    k = s_a * s_b / mass
    c = k * cos_n
    sin = k * math.sqrt(share_a + share_b + share_a * share_b + sin_n * sin_n)
    if sin < _NO_CORNER:
        return _no_way(velocity, a, b)
    # The unit vector along A, away from the corner: impulses on the ball, and on A and B.
    aside = turn.unit().cross(a.normal) if sin_n > 0.0 else a.normal * 0.0
    along = a.normal * (cos_n * s_b * s_a * s_a * a.inverse_mass) + aside * (s_b * sin_n)
    along, along_a, along_b = along / sin, -s_a * c / sin, s_b / sin
    vn_a = (velocity - a.velocity).dot(a.normal)
    into = s_a * vn_a
    w_a, w_b = a.velocity.dot(a.normal), b.velocity.dot(b.normal)
    beside = velocity.dot(along) - along_a * w_a - along_b * w_b
    alpha = math.atan2(sin, -c)
    direction, speed = math.atan2(-into, beside), math.sqrt(into * into + beside * beside)
    bounces = float(np.ceil(direction / alpha))
    if vn_a >= 0.0 or bounces < 2.0:
        return _no_way(velocity, a, b)
    left = direction - (bounces - 1.0) * alpha
    left = min(max(left if bounces % 2.0 == 1.0 else alpha - left, 0.0), alpha)
    out, off = speed * math.sin(left) - into, speed * math.cos(left) - beside
    # All bounces together are one reflection, with this change of momentum as its normal:
    # so the energy stays to rounding, however many they are.
    f = a.normal * (out * s_a) + along * off
    f_a, f_b = out * s_a + off * along_a, off * along_b
    change_a, change_b = a.normal * (-f_a * a.inverse_mass), b.normal * (-f_b * b.inverse_mass)
    size = f.mag_sqr() / mass + f_a * f_a * a.inverse_mass + f_b * f_b * b.inverse_mass
    if size < _AT_REST:
        return _no_way(velocity, a, b)
    scale = -2.0 * (velocity.dot(f) - f_a * w_a - f_b * w_b) / size
    v = velocity + f * (scale / mass)
    v_a, v_b = a.velocity + change_a * scale, b.velocity + change_b * scale
    vn_b = (velocity - b.velocity).dot(b.normal) - 2.0 * c * into / s_b
    after_a, after_b = (v - v_a).dot(a.normal), (v - v_b).dot(b.normal)
    return Way(bounces, v, v_a, v_b, vn_a, vn_b, after_a, after_b, scale * f_a, scale * f_b)


@inlined
def _no_way(velocity: TVector, a: Contact, b: Contact) -> Way:
    return Way(0.0, velocity, a.velocity, b.velocity, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
