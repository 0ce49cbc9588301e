"""What the surfaces of a world do at impacts, where it has materials: Walton's law.

O. R. Walton, Numerical simulation of inelastic, frictional particle-particle interactions (in
M. C. Roco, Particulate Two-Phase Flow, 1993); S. F. Foerster, M. Y. Louge, H. Chang, K. Allia,
Measurements of the collision properties of small spheres, Physics of Fluids 6, 1994. The normal
restitution e may depend on the speed of approach. The velocity g of the two surfaces against
each other, along them, becomes −β·g where they stick; the tangential impulse is at most μ times
the normal one, where they slide. The smaller impulse of the two counts. There is no rolling
friction: it would be a torque, and this law has impulses at one point only.
"""

from typing import Any, NamedTuple

from spheresim.collision.journal import TANGENTIAL
from spheresim.collision.response import CollisionResult, pair_restitution
from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import value
from spheresim.compiler.null_object import absence_of, if_absent
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.rows import set_vector, vector_at
from spheresim.numerics.vector import TVector


class RestitutionLaws(NamedTuple):
    """Restitution by the speed of approach v, for laws in rows.

    Law m is the line through the points first[m] … last[m] of (speed, value), level beyond its
    ends; of a single point it is value − loss[m]·v^exponent[m], and 0 where that is negative.
    """

    first: Integers
    last: Integers
    speed: Floats
    value: Floats
    loss: Floats
    exponent: Floats


class _Surfaces(NamedTuple):
    laws: RestitutionLaws
    material: Integers
    restitution: Floats
    pair: Integers
    tangential: Floats
    friction: Floats
    radius: Floats
    inverse_mass: Floats
    inverse_inertia: Floats
    inertia_factor: Floats
    balls: int
    has_spin: bool
    is_elastic: bool
    is_lossless: bool


@by_reference
@value
class Materials(_Surfaces):
    """The surfaces of a world: n balls, then the m rows of its table of obstacles.

    material: (n + m,), 0 for none; restitution: (n + m,), of surfaces without a material; laws: a
    row for each material, then for each pair with a law of its own; pair: (M, M), the latter's
    row, or −1: then the smaller restitution of the two counts; tangential, friction: (M, M), β and
    μ of each pair of materials; radius, inverse_mass, inverse_inertia: (n + m,), 0 for obstacles,
    which nothing moves; inertia_factor: (n,), moments of inertia in units of m·r²; balls: n;
    has_spin: whether spins are followed; is_elastic: whether no restitution is below 1;
    is_lossless: whether no impact takes energy along surfaces.
    """

    __slots__ = ()

    @if_absent(0)
    def surface_of_row(self, k: int) -> int:
        """The surface of row k of the obstacles."""
        return int(self.balls + k)

    @if_absent(True)
    def reflects(self) -> bool:
        """Whether an elastic impact is a reflection in a mirror, see `corner`: not of spins."""
        return False

    @if_absent(argument="smaller")
    def restitution_at(self, a: int, b: int, speed: float, smaller: float) -> float:
        """The normal restitution of surfaces a and b that approach with a speed.

        smaller: of their own two, where there are no materials.
        """
        p, q = self.material[a], self.material[b]
        pair = self.pair[p, q]
        if pair >= 0:
            return self.law_at(pair, speed)
        of_a = self.law_at(p, speed) if p > 0 else self.restitution[a]
        of_b = self.law_at(q, speed) if q > 0 else self.restitution[b]
        return float(pair_restitution(of_a, of_b))

    def law_at(self, law: int, speed: float) -> float:
        """The restitution of a law at a speed of approach."""
        laws, speed = self.laws, max(speed, 0.0)
        first, last = laws.first[law], laws.last[law]
        if first == last:
            return float(max(laws.value[first] - laws.loss[law] * speed ** laws.exponent[law], 0.0))
        k = first
        while k < last - 1 and laws.speed[k + 1] < speed:
            k += 1
        part = (speed - laws.speed[k]) / (laws.speed[k + 1] - laws.speed[k])
        part = min(max(part, 0.0), 1.0)
        return float(laws.value[k] + part * (laws.value[k + 1] - laws.value[k]))

    @if_absent(argument="after")
    def rub(
        self, state: Any, a: int, b: int, n: TVector, after: CollisionResult, is_hard: bool
    ) -> CollisionResult:
        """The response to an impact of ball a on surface b, with what happens along the surfaces.

        after: the response along the normal n, towards a; is_hard: whether it is no contact that
        lasts, which is smooth. Spins, and the energy that is lost, are those of `state`.
        """
        set_vector(state.tangential, 0, n * 0.0)
        p, q = self.material[a], self.material[b]
        stick = 1.0 + self.tangential[p, q]
        if stick == 0.0 or not is_hard or after.impulse <= 0.0:
            return after
        # The velocity of surface a against surface b, along them.
        turning = vector_at(state.spin, a) * self.radius[a]
        if b < self.balls:
            turning = turning + vector_at(state.spin, b) * self.radius[b]
        against = after.velocity_i - after.velocity_j - turning.cross(n)
        against = against - n * against.dot(n)
        slip = against.mag()
        if slip == 0.0:
            return after
        # The impulse: sticking, or sliding.
        turns_a = self.radius[a] * self.inverse_inertia[a]
        turns_b = self.radius[b] * self.inverse_inertia[b]
        give_a, give_b = self.inverse_mass[a], self.inverse_mass[b]
        give = give_a + give_b + turns_a * self.radius[a] + turns_b * self.radius[b]
        size = min(stick * slip / give, self.friction[p, q] * after.impulse)
        push = against * (-size / slip)
        # What it does.
        torque = push.cross(n)
        set_vector(state.spin, a, vector_at(state.spin, a) + torque * turns_a)
        if b < self.balls:
            set_vector(state.spin, b, vector_at(state.spin, b) + torque * turns_b)
        set_vector(state.tangential, 0, push)
        state.measure.dissipated += size * (slip - 0.5 * size * give)
        return CollisionResult(
            after.velocity_i + push * give_a,
            after.velocity_j - push * give_b,
            after.vn_after,
            after.impulse,
        )

    @if_absent(argument="impulse")
    def with_tangential(self, state: Any, impulse: TVector) -> TVector:
        """The impulse of the last impact, from the one along the normal."""
        return impulse + vector_at(state.tangential, 0)

    @if_absent()
    def log_tangential(self, state: Any) -> None:
        """Add the tangential impulse to the last row of the journal, if it is kept."""
        if state.count.recording > 0:
            row, push = state.count.recorded - 1, vector_at(state.tangential, 0)
            numbers = state.numbers
            numbers[row, TANGENTIAL] = push.x
            numbers[row, TANGENTIAL + 1] = push.y
            numbers[row, TANGENTIAL + 2] = push.z


NoMaterials = absence_of(Materials, "NoMaterials")
