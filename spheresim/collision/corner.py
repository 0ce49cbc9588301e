"""Countless elastic bounces of a ball between two surfaces, resolved at once by unfolding.

With velocities scaled by the square roots of the masses, an elastic impact, on an obstacle
or on another ball, is the reflection of all velocities in a mirror (G. Galperin, Playing
pool with π, Regular and Chaotic Dynamics 8, 2003). A ball that is squeezed between two
others hits them in turn: two mirrors that meet at an angle α. Reflect the mirrors instead of
the path: then the path is a straight line through images of the corner, at most about π/α of
them, and the last image gives the velocities after the last bounce.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.collision.journal import NO_RESPONSE, NormalResponse
from spheresim.compiler.decorators import inlined, routine
from spheresim.numerics.vector import TVector

_PARALLEL = 1e-12
"""Mirrors at a smaller angle are taken as parallel: normals are not known better than that."""

_SMALLEST_SQUARE = 1e-280
"""Squares of momenta below it have lost their digits."""


class Contact(NamedTuple):
    """What a ball touches: the unit normal, towards the ball; its velocity; one over its mass,
    0 for an obstacle."""

    normal: TVector
    velocity: TVector
    inverse_mass: float


class Bounces(NamedTuple):
    """All bounces of a ball off obstacle `hit`, or off ball −1 − `hit`: the normal towards the
    ball, and the response to all of them together."""

    hit: int
    n: TVector
    response: NormalResponse


class CornerExit(NamedTuple):
    """How a ball leaves a corner: `bounces`, 0 if there is no corner; the velocities of the
    ball and of both contacts after the last bounce; for either contact, the normal velocity
    before its first bounce and after its last, and the sum of its impulses on the ball."""

    bounces: float
    velocity: TVector
    velocity_a: TVector
    velocity_b: TVector
    response_a: NormalResponse
    response_b: NormalResponse


class _MomentumChange(NamedTuple):
    """The change of the ball's momentum in all bounces, and its parts along the normals of both
    contacts, each up to the same factor."""

    f: TVector
    f_a: float
    f_b: float


@routine
def corner_exit(velocity: TVector, mass: float, a: Contact, b: Contact) -> CornerExit:
    """How a ball that touches both contacts, and is about to bounce off the first, leaves them.

    Coordinates lie in the plane of the mirrors' normals, mirror A along the angle 0 and B
    along α.
    """
    # The angle between the mirrors.
    share_a, share_b = a.inverse_mass * mass, b.inverse_mass * mass
    s_a, s_b = math.sqrt(mass / (1.0 + share_a)), math.sqrt(mass / (1.0 + share_b))
    cos_n, turn = a.normal.dot(b.normal), a.normal.cross(b.normal)
    sin_n = turn.mag()
    k = s_a * s_b / mass
    c = k * cos_n
    sin = k * math.sqrt(share_a + share_b + share_a * share_b + sin_n * sin_n)
    if sin < _PARALLEL:
        return _no_exit(velocity, a, b)
    # The unit vector along mirror A, away from the corner: its parts on the ball, on A, on B.
    aside = turn.unit().cross(a.normal) if sin_n > 0.0 else a.normal * 0.0
    along = a.normal * (cos_n * s_b * s_a * s_a * a.inverse_mass) + aside * (s_b * sin_n)
    along, along_a, along_b = along / sin, -s_a * c / sin, s_b / sin
    # The velocity in these coordinates, and the number of images that its line crosses.
    vn_a = (velocity - a.velocity).dot(a.normal)
    into = s_a * vn_a
    w_a, w_b = a.velocity.dot(a.normal), b.velocity.dot(b.normal)
    beside = velocity.dot(along) - along_a * w_a - along_b * w_b
    alpha = math.atan2(sin, -c)
    direction, speed = math.atan2(-into, beside), math.sqrt(into * into + beside * beside)
    bounces = float(np.ceil(direction / alpha))
    if vn_a >= 0.0 or bounces < 2.0:
        return _no_exit(velocity, a, b)
    # The direction after the last bounce, folded back from the last image.
    left = direction - (bounces - 1.0) * alpha
    left = min(max(left if bounces % 2.0 == 1.0 else alpha - left, 0.0), alpha)
    out, off = speed * math.sin(left) - into, speed * math.cos(left) - beside
    vn_b = (velocity - b.velocity).dot(b.normal) - 2.0 * c * into / s_b
    f = a.normal * (out * s_a) + along * off
    change = _MomentumChange(f, out * s_a + off * along_a, off * along_b)
    norm_sqr = _norm_sqr(change, mass, a, b)
    if norm_sqr < _SMALLEST_SQUARE:
        return _no_exit(velocity, a, b)
    # All bounces as one reflection, whose normal is the whole change of momentum: so the energy is
    # kept to rounding, however many bounces there are.
    f_a, f_b = change.f_a, change.f_b
    scale = -2.0 * (velocity.dot(f) - f_a * w_a - f_b * w_b) / norm_sqr
    v = velocity + f * (scale / mass)
    v_a = a.velocity + a.normal * (-f_a * a.inverse_mass) * scale
    v_b = b.velocity + b.normal * (-f_b * b.inverse_mass) * scale
    response_a = NormalResponse(vn_a, (v - v_a).dot(a.normal), scale * f_a)
    response_b = NormalResponse(vn_b, (v - v_b).dot(b.normal), scale * f_b)
    return CornerExit(bounces, v, v_a, v_b, response_a, response_b)


@inlined
def _norm_sqr(change: _MomentumChange, mass: float, a: Contact, b: Contact) -> float:
    """The squared norm of a change of momentum in the scaled velocities."""
    f, f_a, f_b = change
    return f.mag_sqr() / mass + f_a * f_a * a.inverse_mass + f_b * f_b * b.inverse_mass


@inlined
def _no_exit(velocity: TVector, a: Contact, b: Contact) -> CornerExit:
    return CornerExit(0.0, velocity, a.velocity, b.velocity, NO_RESPONSE, NO_RESPONSE)
