"""When growing balls touch each other, planes and cylinders: against sixty digits."""

from decimal import Decimal, getcontext

import numpy as np
import pytest

from spheresim import Cylinder, Plane, TVector
from spheresim.collision.response import exchange, reflect
from spheresim.collision.toi import growing_pair_toi, pair_toi

getcontext().prec = 60
ORIGIN = TVector(0.0, 0.0, 0.0)


def decimals(*numbers):
    return [Decimal(float(number)) for number in numbers]


def first_time(d, v, s, growth):
    """The first t ≥ 0 at which |d + v·t| = s + growth·t, for a point that is apart; else inf."""
    d, v, (s, growth) = decimals(*d), decimals(*v), decimals(s, growth)
    a = sum(x * x for x in v) - growth * growth
    b = sum(x * y for x, y in zip(d, v, strict=True)) - s * growth
    c = sum(x * x for x in d) - s * s
    discriminant = b * b - a * c
    if discriminant < 0:
        return float("inf")
    root = discriminant.sqrt()
    times = [(-b + sign * root) / a for sign in (1, -1)]
    return float(min((t for t in times if t > 0), default=Decimal("inf")))


def pairs(seed, count=200):
    """Pairs that are apart: near and far, and that grow slower and faster than they move."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        s = 10.0 ** rng.uniform(-3, 3)
        direction = rng.standard_normal(3)
        d = direction / np.linalg.norm(direction) * s * (1.0 + 10.0 ** rng.uniform(-6, 3))
        v = rng.standard_normal(3) * 10.0 ** rng.uniform(-2, 2)
        if rng.random() < 0.5:  # aimed at each other
            v = v * 0.02 - d / np.linalg.norm(d) * np.linalg.norm(v)
        yield d, v, s, np.linalg.norm(v) * 10.0 ** rng.uniform(-6, 1)


def test_two_growing_balls_touch_when_sixty_digits_say():
    outcomes = set()
    for d, v, s, growth in pairs(seed=1):
        expected = first_time(d, v, s, growth)
        assert growing_pair_toi(TVector(d), TVector(v), s, growth) == pytest.approx(
            expected, rel=1e-13
        )
        outcomes.add((expected < np.inf, growth > np.linalg.norm(v), d @ v > 0.0))
    assert len(outcomes) >= 5  # hits and misses, of fast growth and slow, approaching and parting


def test_balls_that_part_more_slowly_than_they_grow_touch():
    d, v = TVector(3.0, 0.0, 0.0), TVector(1.0, 0.0, 0.0)
    assert growing_pair_toi(d, v, 1.0, 2.0) == pytest.approx(2.0, rel=1e-15)
    assert growing_pair_toi(d, v, 1.0, 1.0) == np.inf
    assert growing_pair_toi(d, v * 0.0, 0.0, 0.5) == pytest.approx(6.0, rel=1e-15)


def test_a_graze_is_told_from_a_miss():
    rng = np.random.default_rng(5)
    for _ in range(50):
        # At time 10 they touch, and move along each other, apart as fast as they grow.
        n = TVector(rng.standard_normal(3)).unit()
        s, growth, v = 1.0, rng.uniform(0, 1), n.perpendicular() * rng.uniform(2, 5)
        v = v + n * growth
        d = n * (s + 10.0 * growth) - v * 10.0
        assert growing_pair_toi(d, v, s - 1e-12, growth) == np.inf
        t = growing_pair_toi(d, v, s + 1e-12, growth)
        assert t == pytest.approx(10.0, abs=1e-4)
        assert t == pytest.approx(first_time(d, v, s + 1e-12, growth), abs=1e-9)


def test_without_growth_they_touch_when_other_balls_do():
    for d, v, s, _ in pairs(seed=2, count=50):
        expected = pair_toi(TVector(d), TVector(v), s, ORIGIN, ORIGIN, 0.0)
        assert growing_pair_toi(TVector(d), TVector(v), s, 0.0) == pytest.approx(
            expected, rel=1e-14
        )


def test_a_growing_ball_meets_a_plane():
    floor, x = Plane((0, 0, 0), (0, 0, 1)), TVector(5.0, 5.0, 4.0)
    assert floor.growing_toi(x, TVector(1.0, 0.0, -1.0), 1.0, 0.5) == 2.0
    assert floor.growing_toi(x, TVector(1.0, 0.0, 1.0), 1.0, 1.5) == 6.0
    assert floor.growing_toi(x, TVector(1.0, 0.0, 1.0), 1.0, 1.0) == np.inf
    assert floor.growing_toi(x, TVector(0.0, 0.0, -1.0), 4.5, 0.0) == 0.0  # overlaps
    assert floor.growing_toi(x * -1.0, TVector(0.0, 0.0, -1.0), 1.0, 9.0) == np.inf  # behind


@pytest.mark.parametrize("growth", [1e-3, 0.3, 5.0])
def test_a_growing_ball_meets_pillars_and_tubes(growth):
    rng = np.random.default_rng(3)
    cylinder = Cylinder((0, 0, 0), (0, 0, 1), 2.0)
    for _ in range(50):
        angle, r = rng.uniform(0, 2 * np.pi), 0.1
        v = TVector(rng.standard_normal(3))
        outside = TVector(5 * np.cos(angle), 5 * np.sin(angle), rng.uniform(-9, 9))
        flat = (outside.x, outside.y, 0.0), (v.x, v.y, 0.0)
        expected = first_time(*flat, 2.0 + r, growth)
        assert cylinder.growing_toi(outside, v, r, growth) == pytest.approx(expected, rel=1e-12)
        inside = outside * 0.3
        t = cylinder.growing_toi(inside, v, r, growth)
        there = inside + v * t
        assert np.hypot(there.x, there.y) == pytest.approx(abs(2.0 - r - growth * t), abs=1e-12)
        before = inside + v * (0.999 * t)
        assert np.hypot(before.x, before.y) < 2.0 - r - growth * 0.999 * t


def test_surfaces_part_as_they_approached_and_growth_does_the_work():
    rng = np.random.default_rng(4)
    for restitution in (1.0, 0.3):
        v_i, v_j = (TVector(rng.standard_normal(3)) for _ in range(2))
        n, growth, m_i, m_j = TVector(rng.standard_normal(3)).unit(), 0.7, 2.0, 3.0
        after = exchange(v_i, v_j, m_i, m_j, n, restitution, growth)
        vn = (v_i - v_j).dot(n)
        assert after.vn_after - growth == pytest.approx(-restitution * (vn - growth), rel=1e-13)
        momentum = after.velocity_i * m_i + after.velocity_j * m_j
        assert momentum.dist(v_i * m_i + v_j * m_j) < 1e-14
        heavy = exchange(v_i, ORIGIN, m_i, 1e18, n, restitution, growth).velocity_i
        assert heavy.dist(reflect(v_i, n, restitution, growth)) < 1e-12
    # Elastic: the work is the impulse times the speed of the surfaces.
    after = exchange(v_i, v_j, m_i, m_j, n, 1.0, growth)
    gained = 0.5 * m_i * (after.velocity_i.mag_sqr() - v_i.mag_sqr())
    gained += 0.5 * m_j * (after.velocity_j.mag_sqr() - v_j.mag_sqr())
    assert gained == pytest.approx(after.impulse * growth, rel=1e-12)
