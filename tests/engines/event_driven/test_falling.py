"""First hits of falling balls on planes and cylinders, against a dense scan of the path."""

import math

import numpy as np
import pytest

from spheresim import Cylinder, Plane, TVector
from spheresim.compiler.decorators import kernel
from spheresim.numerics.roots import Polynomial, first_contact_root
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.table import falling_toi, pack


@kernel
def time_of(obstacles, x, v, g, radius, horizon):
    return falling_toi(obstacles, 0, BallPath(x, v, g), radius, horizon)


@kernel
def descent(c, horizon):
    return first_contact_root(Polynomial(c[0], c[1], c[2], c[3], c[4]), horizon)


def scanned(height, horizon, points=20_000):
    """The first time at which a function of an array of times is at most 0 and falls."""
    t = np.linspace(0.0, horizon, points)
    h = height(t)
    falls = np.diff(h) < 0
    below = np.flatnonzero(falls & (h[1:] <= 0))
    if len(below) == 0:
        return math.inf, math.inf
    return t[below[0]], t[below[0] + 1]


def check_cylinder(random, horizon=4.0):
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    wide, radius = random.uniform(0.3, 3.0), random.uniform(0.05, 0.3)
    x, v, g = random.normal(size=3) * 3, random.normal(size=3) * 3, random.normal(size=3) * 4
    pillar = Cylinder((0, 0, 0), axis, wide)
    packed = pack([pillar], [1.0])
    t = time_of(packed, TVector(x), TVector(v), TVector(g), radius, horizon)

    def distance(t):
        t = np.asarray(t)[..., None]
        return np.linalg.norm(np.cross(x + v * t + 0.5 * g * t * t, axis), axis=-1)

    outside = distance(0.0) >= wide
    reach = wide + radius if outside else wide - radius
    sign = 1.0 if outside else -1.0

    def height(t):
        return sign * (distance(t) - reach)

    low, high = scanned(height, horizon)
    if t < math.inf:
        slope = (height(t + 1e-6) - height(t - 1e-6)) / 2e-6
        if height(0.0) > 1e-9 and abs(slope) > 1e-3:
            assert abs(height(t)) < 1e-9
    if low < math.inf:
        assert t <= high + 1e-9  # no first hit missed
    if t < math.inf:
        assert (
            low <= t + 1.1 * horizon / 20_000 or abs(height(t)) < 1e-6
        )  # none but a graze invented
    return t < math.inf


@pytest.mark.compiled_only
@pytest.mark.parametrize("cases", [500, pytest.param(10_000, marks=pytest.mark.study)])
def test_no_first_hit_of_a_falling_ball_on_a_cylinder_is_missed(cases):
    random = np.random.default_rng(1)
    hits = sum(check_cylinder(random) for _ in range(cases))
    assert hits > 0.3 * cases


@pytest.mark.parametrize("seed", range(20))
def test_a_falling_ball_meets_a_plane_when_a_scan_says(seed):
    random = np.random.default_rng(seed)
    for _ in range(20):
        n = random.normal(size=3)
        n /= np.linalg.norm(n)
        x, v, g = random.normal(size=3) * 2, random.normal(size=3) * 3, random.normal(size=3) * 4
        radius = random.uniform(0.1, 1.0)
        plane = pack([Plane((0, 0, 0), n)], [1.0])
        t = time_of(plane, TVector(x), TVector(v), TVector(g), radius, 5.0)

        def height(t, x=x, v=v, g=g, n=n):
            return (x @ n) + (v @ n) * t + 0.5 * (g @ n) * t * t

        times = np.linspace(0, 5, 20_001)
        h = height(times)
        first = np.flatnonzero((np.diff(h) < 0) & (h[1:] <= radius) & (h[:-1] > 0))
        if len(first):
            assert t <= times[first[0] + 1] + 1e-9
        if t < 5.0 - 1e-3:
            assert len(first)
            assert t >= times[first[0]] - 1e-3


@pytest.mark.parametrize(
    ("roots", "first"),
    [((1, 2, 3, 4), 1.0), ((-1, 2, 3, 4), 0.0), ((-2, -1, 2, 3), 2.0), ((0.5, 0.5, 2, 3), 0.5)],
)
def test_the_first_descent_of_a_quartic_with_known_roots(roots, first):
    c = tuple(np.polynomial.polynomial.polyfromroots(roots).tolist())
    got = descent(c, 10.0)
    if first == 0.0:  # it is above 0 nowhere before 2, rises first, and falls through 3
        assert got == pytest.approx(0.0, abs=1e-9) or got == pytest.approx(3.0)
    else:
        assert got == pytest.approx(first, abs=1e-7)


def test_what_lies_beyond_the_horizon_is_never():
    assert descent((1.0, -1.0, 0.0, 0.0, 0.0), 0.5) == math.inf
    assert descent((1.0, -1.0, 0.0, 0.0, 0.0), math.inf) == pytest.approx(1.0, rel=1e-15)
    assert descent((1.0, 0.0, 0.0, 0.0, 0.0), math.inf) == math.inf
