"""What an impact does to velocities: conservation laws, symmetries, and published numbers."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spheresim.collision.response import exchange, glide, reflect
from spheresim.numerics.vector import TVector

speed = st.integers(-(10**5), 10**5).map(lambda n: n / 1000.0)
velocities = st.builds(TVector, speed, speed, speed)
normals = velocities.filter(lambda v: v.mag() > 1e-3).map(TVector.unit)
masses = st.floats(-6, 6).map(lambda exponent: 10.0**exponent)
restitutions = st.floats(0, 1)
meetings = st.tuples(velocities, velocities, masses, masses, normals, restitutions)


@pytest.mark.parametrize(
    ("mass_2", "restitution", "after_1", "after_2"),
    [
        (1, 1.0, (0.36, -0.48), (0.64, 0.48)),
        (1, 0.5, (0.52, -0.36), (0.48, 0.36)),
        (3, 1.0, (0.04, -0.72), (0.32, 0.24)),
    ],
)
def test_the_oblique_impact_of_a_3_4_5_triangle(mass_2, restitution, after_1, after_2):
    normal = TVector(-0.8, -0.6, 0)
    answer = exchange(TVector(1, 0, 0), TVector(0, 0, 0), 1.0, mass_2, normal, restitution)
    assert answer.velocity_i.dist(TVector(*after_1, 0)) < 1e-15
    assert answer.velocity_j.dist(TVector(*after_2, 0)) < 1e-15
    assert answer.vn_after == pytest.approx(0.8 * restitution, rel=1e-15)
    reduced = mass_2 / (1 + mass_2)
    assert answer.impulse == pytest.approx((1 + restitution) * reduced * 0.8, rel=1e-15)


@given(meetings)
def test_momentum_is_kept_energy_is_lost_as_e_says_and_the_tangent_part_stays(meeting):
    v_i, v_j, m_i, m_j, n, e = meeting
    after_i, after_j, vn_after, impulse = exchange(v_i, v_j, m_i, m_j, n, e)
    vn = (v_i - v_j).dot(n)
    scale = v_i.mag() + v_j.mag()
    momentum = after_i * m_i + after_j * m_j - (v_i * m_i + v_j * m_j)
    assert momentum.mag() <= 1e-14 * (m_i + m_j) * scale
    reduced = m_i * m_j / (m_i + m_j)
    assert impulse == pytest.approx(-(1.0 + e) * reduced * vn, rel=1e-14, abs=1e-14 * reduced)
    assert vn_after == pytest.approx(-e * vn, abs=1e-13 * scale)
    for before, after, m, sign in ((v_i, after_i, m_i, 1.0), (v_j, after_j, m_j, -1.0)):
        assert (after - before - n * (sign * impulse / m)).mag() <= 1e-13 * scale

    energy = 0.5 * (m_i * v_i.mag_sqr() + m_j * v_j.mag_sqr())
    energy_after = 0.5 * (m_i * after_i.mag_sqr() + m_j * after_j.mag_sqr())
    lost = 0.5 * reduced * (1.0 - e * e) * vn * vn
    assert energy_after == pytest.approx(energy - lost, abs=1e-13 * (m_i + m_j) * scale**2)


@given(meetings)
def test_naming_the_balls_the_other_way_round_changes_nothing(meeting):
    v_i, v_j, m_i, m_j, n, e = meeting
    one = exchange(v_i, v_j, m_i, m_j, n, e)
    other = exchange(v_j, v_i, m_j, m_i, n * -1.0, e)
    scale = v_i.mag() + v_j.mag()
    assert one.velocity_i.dist(other.velocity_j) <= 1e-14 * scale
    assert one.velocity_j.dist(other.velocity_i) <= 1e-14 * scale
    assert one.impulse == pytest.approx(other.impulse, rel=1e-14)


@given(meetings, velocities)
def test_a_common_velocity_is_only_added(meeting, wind):
    v_i, v_j, m_i, m_j, n, e = meeting
    still = exchange(v_i, v_j, m_i, m_j, n, e)
    moving = exchange(v_i + wind, v_j + wind, m_i, m_j, n, e)
    assert moving.velocity_i.dist(still.velocity_i + wind) <= 1e-12
    assert moving.velocity_j.dist(still.velocity_j + wind) <= 1e-12


def test_equal_balls_swap_their_normal_velocities_to_the_last_bit():
    along = TVector(1, 0, 0)
    v_i, v_j = TVector(-0.1, 0.7, 0.3), TVector(0.2, -0.9, 0.4)
    answer = exchange(v_i, v_j, 1.0, 1.0, along, 1.0)
    assert answer.velocity_i == pytest.approx((0.2, 0.7, 0.3), abs=1e-16)
    assert answer.velocity_j == pytest.approx((-0.1, -0.9, 0.4), abs=1e-16)


@given(velocities, normals, restitutions)
def test_a_wall_throws_back_with_e_times_the_normal_velocity(velocity, normal, e):
    after = reflect(velocity, normal, e)
    assert after.dot(normal) == pytest.approx(-e * velocity.dot(normal), abs=1e-12)
    assert after.cross(normal).dist(velocity.cross(normal)) <= 1e-12
    if e == 1.0:
        assert after.mag() == pytest.approx(velocity.mag(), rel=1e-14)


@given(velocities, normals, restitutions)
def test_a_wall_is_a_ball_of_boundless_mass(velocity, normal, e):
    against_ball = exchange(velocity, TVector(0, 0, 0), 1.0, 1e18, normal, e)
    assert against_ball.velocity_i.dist(reflect(velocity, normal, e)) <= 1e-12
    assert against_ball.velocity_j.mag() <= 1e-15


@given(velocities, normals, normals)
def test_a_right_angled_corner_turns_the_velocity_in_its_plane_back(velocity, one, other):
    along = one.cross(other)
    if along.mag() < 1e-3:
        return
    second = along.cross(one).unit()
    turned = velocity - along.unit() * velocity.dot(along.unit())
    expected = velocity - turned * 2.0
    assert reflect(reflect(velocity, one, 1.0), second, 1.0).dist(expected) <= 1e-11
    assert reflect(reflect(velocity, second, 1.0), one, 1.0).dist(expected) <= 1e-11


def assert_glides(velocity, normal, axis, angle):
    after, slack = glide(velocity, normal, axis, angle), 1e-7 * velocity.mag()
    across, across_after = (v - axis * v.dot(axis) for v in (velocity, after))
    assert after.dot(axis) == pytest.approx(velocity.dot(axis), abs=slack)
    assert after.mag() == pytest.approx(velocity.mag(), abs=slack)
    assert across_after.dot(normal) >= across_after.mag() * math.sin(angle) - slack
    tangent = axis.cross(normal)
    assert across_after.dot(tangent) * across.dot(tangent) >= -slack  # goes round as before


@given(velocities, normals, st.floats(0, 3.1), st.floats(1e-6, 1e-2))
def test_a_ball_that_glides_in_a_tube_is_turned_inwards_at_the_same_speed(v, axis, turn, angle):
    outwards = axis.perpendicular()
    normal = outwards * math.cos(turn) + axis.cross(outwards) * math.sin(turn)
    if (v - axis * v.dot(axis) - normal * v.dot(normal)).mag() > 1e-3 * v.mag():
        assert_glides(v, normal, axis, angle)


@given(normals, st.floats(0.1, 100), st.floats(-1e-8, 1e-8))
@example(TVector(1, 2, 3).unit(), 1.3, 1e-12)
def test_a_ball_that_goes_straight_across_a_tube_goes_on_so(axis, speed, aside):
    normal = axis.perpendicular()
    assert_glides(normal * speed + axis.cross(normal) * aside, normal, axis, 1e-3)
