"""The law of impacts of rough balls, against the closed forms of one impact, and conservation.

It runs here as plain Python: the engines compile the same functions.
"""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from one_sentence import told

from spheresim import Ball, Material, MaterialPair, Obstacle, Plane, PowerLaw, Surfaces, TVector
from spheresim.collision.friction_and_restitution import NoMaterials
from spheresim.collision.journal import Measures
from spheresim.collision.response import CollisionResult, exchange, loss, reflect
from spheresim.model.state import build
from spheresim.numerics.records import zero_record

numbers = st.floats(-10, 10)
vectors = st.builds(TVector, numbers, numbers, numbers)
directions = vectors.filter(lambda v: v.mag() > 0.1).map(TVector.unit)
balls = st.builds(
    Ball,
    st.just((0, 0, 0)),
    vectors,
    st.floats(0.1, 10),
    st.floats(0.1, 10),
    angular_velocity=vectors.filter(lambda v: v.mag() > 0.0),
    inertia_factor=st.floats(0.05, 2 / 3),
)
surfaces = st.builds(Surfaces, st.floats(-0.99, 1), st.sampled_from([0.0, 0.05, 0.3, math.inf]))


class Impact:
    """An impact of two balls, or of one on an obstacle, with what it does to velocities and spins.

    A list of what there was before stands beside one of what there is after it.
    """

    def __init__(self, balls, normal, surfaces, restitution=1.0):
        floor = [] if len(balls) == 2 else [Obstacle(Plane((0, 0, 0), normal))]
        self.world, start = build(balls, floor, TVector(0.0, 0.0, 0.0), surfaces=surfaces)
        state = SimpleNamespace(
            spin=start.angular_velocity, tangential=np.zeros((1, 3)), measure=zero_record(Measures)
        )
        self.normal, v, self.turned = normal, [ball.velocity for ball in balls], state.spin.copy()
        if floor:
            bounced = reflect(v[0], normal, restitution)
            vn, vn_after = v[0].dot(normal), bounced.dot(normal)
            v.append(TVector(0.0, 0.0, 0.0))
            smooth = CollisionResult(bounced, v[1], vn_after, balls[0].mass * (vn_after - vn))
        else:
            vn = (v[0] - v[1]).dot(normal)
            smooth = exchange(*v, balls[0].mass, balls[1].mass, normal, restitution)
        other = self.world.materials.surface_of_row(0) if floor else 1
        after = self.world.materials.rub(state, 0, other, normal, smooth, True)
        self.velocity, self.after = v, [after.velocity_i, after.velocity_j]
        self.turns, self.impulse = state.spin, after.impulse
        self.tangential = TVector(state.tangential[0])
        self.lost = float(state.measure.dissipated) + loss(smooth.impulse, vn, smooth.vn_after)

    def slip(self, velocity, spins):
        """The velocity of the surfaces against each other, along them."""
        against = velocity[0] - velocity[1]
        for ball, spin in enumerate(spins):
            against = against - (TVector(spin) * self.world.radius[ball]).cross(self.normal)
        return against - self.normal * against.dot(self.normal)

    def energy(self, velocity, spins):
        moving = sum(m * v.mag_sqr() for m, v in zip(self.world.mass, velocity, strict=False))
        return 0.5 * (moving + float(self.world.inertia @ (spins**2).sum(axis=1)))


def approaching(first, second, normal):
    assume((first.velocity - second.velocity).dot(normal) < -0.01)


def close(a, b, scale=1.0):
    assert np.allclose(a, b, rtol=0.0, atol=1e-11 * max(scale, 1.0)), (a, b)


@given(balls, balls, directions, surfaces, st.floats(0, 1))
def test_two_balls_keep_momentum_angular_momentum_and_lose_what_is_counted(a, b, n, given_, e):
    approaching(a, b, n)
    impact = Impact([a, b], n, given_, e)
    before, after = impact.velocity, impact.after
    start = impact.energy(before, impact.turned)
    close(start - impact.energy(after, impact.turns), impact.lost, start)
    assert impact.lost >= -1e-12 * start
    momentum = [sum((v[k] * m for k, m in enumerate(impact.world.mass)), TVector(0.0, 0.0, 0.0))
                for v in (before, after)]  # fmt: skip
    close(*momentum, start)
    # Of each ball about the point of contact, in which both impulses act: I ω + m (x − c) × v.
    for k, sign in enumerate((1.0, -1.0)):
        arm, mass = n * (sign * impact.world.radius[k]), impact.world.mass[k]
        about = [
            TVector(spins[k]) * impact.world.inertia[k] + arm.cross(v[k]) * mass
            for v, spins in ((before, impact.turned), (after, impact.turns))
        ]
        close(*about, start)


@given(balls, balls, directions, surfaces)
def test_surfaces_stick_or_slide_whichever_takes_the_smaller_impulse(a, b, n, given_):
    approaching(a, b, n)
    impact = Impact([a, b], n, given_)
    before, after = (
        impact.slip(impact.velocity, impact.turned),
        impact.slip(impact.after, impact.turns),
    )
    size, most = impact.tangential.mag(), given_.friction * impact.impulse
    assert size <= most * (1 + 1e-12)
    if size < most * (1 - 1e-9):  # they stick
        close(after, before * -given_.tangential_restitution, 100)
    else:  # they slide on, no further than to where they would stick
        assert after.dot(before) >= -given_.tangential_restitution * before.mag_sqr() - 1e-9
    assert abs(impact.tangential.dot(n)) < 1e-10 * max(1.0, size)
    assert impact.tangential.dot(before) <= 1e-12


@given(balls, directions, st.floats(0, 1))
def test_a_wall_is_a_ball_of_infinite_mass_without_spin(ball, n, e):
    assume(ball.velocity.dot(n) < -0.01)
    given_ = Surfaces(0.4, 0.3)
    wall = Ball((0, 0, 0), radius=1, mass=1e14)
    of_wall, of_ball = Impact([ball], n, given_, e), Impact([ball, wall], n, given_, e)
    close(of_wall.after[0], of_ball.after[0], 10)
    close(of_wall.turns[0], of_ball.turns[0], 1000)
    close(of_wall.lost, of_ball.lost, 1e4)


@given(balls, balls, directions, st.sampled_from([-1.0, 1.0]))
def test_smooth_and_perfectly_rough_balls_lose_nothing(a, b, n, beta):
    approaching(a, b, n)
    impact = Impact([a, b], n, Surfaces(beta))
    start = impact.energy(impact.velocity, impact.turned)
    close(start, impact.energy(impact.after, impact.turns), start)
    assert impact.world.is_lossless


@given(balls, balls, directions)
def test_with_beta_minus_one_the_bits_are_those_of_smooth_balls(a, b, n):
    approaching(a, b, n)
    impact = Impact([a, b], n, Surfaces(-1.0))
    smooth = exchange(a.velocity, b.velocity, a.mass, b.mass, n, 1.0)
    assert impact.after == [smooth.velocity_i, smooth.velocity_j]
    assert (impact.turns == impact.turned).all()


def test_a_superball_under_a_table_comes_back():
    # R. L. Garwin, American Journal of Physics 37, 88, 1969: floor, underside of the table, floor.
    ball = Ball((0, 0, 0), (1, -1, 0), radius=1, angular_velocity=(0, 0, 1e-300))
    for normal, v, spin in (
        ((0, 1, 0), 3 / 7, -10 / 7),
        ((0, -1, 0), -31 / 49, 60 / 49),
        ((0, 1, 0), -333 / 343, 130 / 343),
    ):
        impact = Impact([ball], TVector(normal), Surfaces(1.0))
        ball = Ball((0, 0, 0), impact.after[0], radius=1, angular_velocity=impact.turns[0])
        assert (impact.after[0].x, impact.turns[0, 2]) == pytest.approx((v, spin), rel=1e-14)


def test_a_ball_that_stops_slipping_rolls_with_five_sevenths_of_its_speed():
    # β = 0 ends all slip: v' = v / (1 + q), and r ω = v'; for a hollow ball q = 2/3.
    for q in (0.4, 2 / 3):
        ball = Ball((0, 0, 0), (7, -1, 0), radius=2, inertia_factor=q)
        impact = Impact([ball], TVector(0.0, 1.0, 0.0), Surfaces(0.0))
        assert impact.after[0].x == pytest.approx(7 / (1 + q), rel=1e-14)
        assert impact.turns[0, 2] * -2 == pytest.approx(7 / (1 + q), rel=1e-14)


def test_friction_slows_a_sliding_ball_by_mu_times_the_impulse():
    ball = Ball((0, 0, 0), (10, -1, 0), radius=1, mass=3)
    impact = Impact([ball], TVector(0.0, 1.0, 0.0), Surfaces(0.5, 0.2), restitution=0.5)
    assert impact.impulse == pytest.approx(4.5)
    assert tuple(impact.tangential) == pytest.approx((-0.9, 0, 0))
    assert tuple(impact.after[0]) == pytest.approx((9.7, 0.5, 0))
    assert impact.turns[0, 2] == pytest.approx(-0.9 / (0.4 * 3))


# --- Materials ------------------------------------------------------------------------------


def materials_of(balls, obstacles=(), **given_):
    world, _ = build(balls, obstacles, TVector(0.0, 0.0, 0.0), surfaces=Surfaces(**given_))
    return world


GLASS = Material("glass", 0.9, 0.5, 0.3)
SOFT = Material("soft", PowerLaw(0.2, 0.25), 0.2, 0.6)
TABLE = Material("table", ((1.0, 0.8), (3.0, 0.4), (4.0, 0.5)))


def test_two_materials_take_the_smaller_of_each_value_or_what_the_pair_says():
    balls = [Ball((3 * k, 0, 0), radius=1, material=m) for k, m in enumerate(("glass", "soft"))]
    balls.append(Ball((9, 0, 0), radius=1, restitution=0.7))
    wall = Obstacle(Plane((-9, 0, 0), (1, 0, 0)), 0.95, material="table")
    world = materials_of(
        balls,
        [wall],
        tangential_restitution=0.9,
        friction=0.5,
        materials=(GLASS, SOFT, TABLE),
        pairs=(MaterialPair(("table", "glass"), 0.99, friction=1.5),),
    )
    law = world.materials
    row = law.surface_of_row(0)

    def at(a, b, speed):
        assert law.restitution_at(a, b, speed, 0.0) == law.restitution_at(b, a, speed, 0.0)
        return law.restitution_at(a, b, speed, 0.0)

    assert at(0, 0, 5.0) == 0.9
    assert at(1, 1, 16.0) == 1 - 0.2 * 2
    assert at(0, 1, 16.0) == 1 - 0.2 * 2
    assert at(0, 1, 1e-12) == 0.9
    assert at(2, 1, 1e-12) == 0.7
    assert at(1, 1, 1e9) == 0.0
    assert at(row, 0, 2.0) == 0.99  # the pair's own
    values = [at(row, row, speed) for speed in (0.0, 1.0, 2.0, 2.5, 3.5, 4.0, 99.0)]
    assert values == pytest.approx([0.8, 0.8, 0.6, 0.5, 0.45, 0.5, 0.5])
    kinds = law.material
    assert law.friction[kinds[0], kinds[row]] == 1.5
    assert law.friction[kinds[1], kinds[row]] == 0.5  # the usual one of the table
    assert law.friction[kinds[0], kinds[1]] == 0.3
    assert law.tangential[kinds[0], kinds[row]] == 0.5
    # What is of a material has the restitution of its slowest impacts.
    assert world.restitution.tolist() == [0.9, 1.0, 0.7]
    assert world.obstacles.restitution.tolist() == [0.8]


def test_a_world_is_elastic_only_if_all_its_materials_are():
    for restitution, elastic in ((1.0, True), (PowerLaw(0.0), True), (PowerLaw(0.1), False)):
        made = (Material("m", restitution),)
        world = materials_of([Ball((0, 0, 0), radius=1, material="m")], materials=made)
        assert world.is_elastic == world.is_lossless == elastic
        assert not world.has_spin


def test_a_pair_alone_may_be_rough():
    made = (Material("a"), Material("b"))
    for beta in (-1.0, 0.0, 0.5):
        surfaces = Surfaces(materials=made, pairs=(MaterialPair(("a", "b"), None, beta),))
        assert surfaces.are_rough == (beta > -1.0)


def test_smooth_worlds_have_no_materials_and_a_turning_ball_makes_spins_followed():
    assert isinstance(materials_of([Ball((0, 0, 0), radius=1)]).materials, NoMaterials)
    turning = [Ball((0, 0, 0), radius=1, angular_velocity=(0, 1, 0))]
    assert materials_of(turning).has_spin
    assert materials_of(turning).is_lossless
    assert not materials_of([Ball((0, 0, 0), radius=1)], tangential_restitution=0.5).is_lossless
    assert materials_of([Ball((0, 0, 0), radius=1)], tangential_restitution=1.0).is_lossless


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Material("a", 1.5), "material a: restitution must be from 0 to 1, not 1.5"),
        (lambda: Material("a", True), "material a: restitution must be a number, not True"),
        (lambda: Material("", 1.0), "a material's name must be a text, not ''"),
        (lambda: Material("a", ()), "must be at least one pair [speed, restitution], not []"),
        (lambda: Material("a", ((1, 0.5), (1, 0.6))), "the speeds must increase, not [1.0, 1.0]"),
        (lambda: Material("a", ((1, 2, 3),)), "must be pairs [speed, restitution], not (1, 2, 3)"),
        (lambda: Material("a", ((-1, 1),)), "restitution: speed must be at least 0, not -1.0"),
        (lambda: PowerLaw(-0.1), "loss must be at least 0, not -0.1"),
        (lambda: Material("a", 1, 1.1), "tangential_restitution must be from -1 to 1, not 1.1"),
        (lambda: Surfaces(0.5, -1), "surfaces: friction must be at least 0, not -1"),
        (lambda: Surfaces(friction=0.3), "friction: 0.3 has no effect on smooth surfaces"),
        (lambda: Surfaces(0, materials=(GLASS, GLASS)), "material[1].name: must be that of no ot"),
        (lambda: Surfaces(0, pairs=(MaterialPair(("x", "y")),)), "must be the name of a material"),
        (
            lambda: Surfaces(0, 1, (GLASS,), (MaterialPair(("glass", "glas")),)),
            "material_pair[0].materials: must be one of glass, not 'glas'",
        ),
        (
            lambda: Surfaces(0, 1, (GLASS, SOFT), tuple(
                MaterialPair(pair) for pair in (("glass", "soft"), ("soft", "glass")))),
            "material_pair[1].materials: must be those of no other pair, not ['soft', 'glass']",
        ),
        (lambda: MaterialPair("ab"), "a pair's materials must be two names, not 'ab'"),
        (lambda: Ball((0, 0, 0), radius=1, inertia_factor=0.7), "inertia_factor must be from 1e-"),
        (
            lambda: Ball((0, 0, 0), radius=1, angular_velocity=(0, math.nan, 0)),
            "a ball's angular_velocity must be finite",
        ),
        (
            lambda: materials_of([Ball((0, 0, 0), radius=1, material="tin")], materials=(GLASS,)),
            "material: must be one of glass, not 'tin'",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(make, sentence):
    told(make, re.escape(sentence))
