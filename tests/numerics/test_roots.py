"""The quadratic of |d + v·t| = s: it comes in, it goes out, and cancellation costs nothing."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spheresim.numerics.roots import contact_quadratic, contact_quartic
from spheresim.numerics.vector import TVector

whole = st.integers(-1000, 1000).map(float)
points = st.builds(TVector, whole, whole, whole)
near = st.integers(-100, 100).map(float)
beyond = st.integers(600, 1000).map(float)


@pytest.mark.parametrize(
    ("d", "v", "s", "enters", "leaves"),
    [
        ((-5, 3, 0), (1, 0, 0), 5, 1, 9),  # a 3-4-5 triangle
        ((-5, 3, 0), (2, 0, 0), 5, 0.5, 4.5),
        ((-3, 0, 0), (1, 0, 0), 5, 0, 8),  # already within reach
        ((3, 0, 0), (1, 0, 0), 5, math.inf, 2),  # within reach, on its way out
        ((5, 0, 0), (1, 0, 0), 5, math.inf, 0),  # on the edge, going out
        ((-5, 0, 0), (1, 0, 0), 5, 0, 10),  # on the edge, going in
        ((9, 0, 0), (1, 0, 0), 5, math.inf, 0),  # beyond, going out
        ((-9, 6, 0), (1, 0, 0), 5, math.inf, 9),  # passes by: turns away at t = 9
        ((1, 2, 2), (0, 0, 0), 5, math.inf, math.inf),  # does not move
        ((-1e8, 0, 0), (1, 0, 0), 1, 99999999, 100000001),  # b² − ac would give 1e8 twice
        ((-10, 5, 0), (1, 0, 0), 5, 10, 10),  # tangent
    ],
)
def test_when_a_point_comes_within_reach_and_when_it_leaves(d, v, s, enters, leaves):
    quadratic = contact_quadratic(TVector(d), TVector(v), float(s))
    assert quadratic.first_root() == pytest.approx(enters, rel=3e-16, abs=0.0)
    assert quadratic.last_root() == pytest.approx(leaves, rel=3e-16, abs=0.0)


@given(points, points, st.integers(0, 1000).map(float))
def test_the_quadratic_is_the_square_of_the_distance_less_that_of_the_reach(d, v, s):
    # Whole numbers this small: every coefficient is exact, by either form of the discriminant.
    quadratic = contact_quadratic(d, v, s)
    assert quadratic.discriminant == quadratic.b**2 - quadratic.a * quadratic.c
    for t in (0.0, 1.0, -2.0, 0.5):
        assert quadratic.value_at(t) == (d + v * t).mag_sqr() - s * s


@given(
    st.builds(TVector, beyond, whole, whole),
    st.builds(TVector, near, near, near),
    st.integers(174, 500).map(float),
)
def test_a_point_that_aims_inside_comes_in_and_goes_out_on_the_sphere(d, target, s):
    v = target - d
    quadratic = contact_quadratic(d, v, s)
    enters, leaves = quadratic.first_root(), quadratic.last_root()
    assert 0.0 < enters < 1.0 < leaves  # it is at the target, inside, at t = 1
    for t in (enters, leaves):
        x = [Fraction(p) + Fraction(q) * Fraction(t) for p, q in zip(d, v, strict=True)]
        off = sum(component**2 for component in x) - Fraction(s) ** 2
        slope = 2.0 * math.sqrt(quadratic.discriminant)
        assert abs(off) <= 1e-15 * slope * t

    backwards = contact_quadratic(d, v * -1.0, s)
    assert (backwards.first_root(), backwards.last_root()) == (math.inf, 0.0)


@given(st.floats(0.0, 6.28), st.integers(0, 3), st.floats(-1e-15, 1e-15))
@example(0.5, 1, 0.0)
def test_a_point_that_skims_along_the_inside_still_leaves_at_once(angle, ulps, outwards):
    # The discriminant is rounding alone: neither its root nor a division may fail.
    radial = TVector(math.cos(angle), math.sin(angle), 0.0)
    along = TVector(-math.sin(angle), math.cos(angle), 0.0)
    quadratic = contact_quadratic(radial * (1.0 - ulps * 2.0**-53), along + radial * outwards, 1.0)
    assert 0.0 <= quadratic.last_root() < 1e-7


@given(points, points, st.integers(0, 1000).map(float))
def test_a_whole_line_comes_within_reach_once_before_or_after_now(d, v, s):
    quadratic = contact_quadratic(d, v, s)
    t = quadratic.first_crossing()
    if math.isinf(t):
        never = quadratic.discriminant < 0.0 or (v.mag_sqr() == 0.0 and d.mag() > s)
        assert t == math.inf if never else (v.mag_sqr() == 0.0 and d.mag() <= s)
        return
    inwards = quadratic.b + quadratic.a * t
    assert inwards == pytest.approx(-math.sqrt(quadratic.discriminant), rel=1e-9, abs=1e-6)
    assert (d + v * t).mag() == pytest.approx(s, rel=1e-12, abs=1e-9 * (1.0 + d.mag()))


@pytest.mark.parametrize(
    ("d", "v", "s", "crossings"),
    [
        ((-5, 3, 0), (1, 0, 0), 5, (1, 9)),  # to come
        ((5, 3, 0), (1, 0, 0), 5, (-9, -1)),  # past
        ((0, 3, 0), (2, 0, 0), 5, (-2, 2)),  # now
        ((-10, 5, 0), (1, 0, 0), 5, (10, 10)),  # a graze
        ((0, 5, 0), (1, 0, 0), 5, (0, 0)),
        ((0, 6, 0), (1, 0, 0), 5, (math.inf, -math.inf)),  # passes by
        ((0, 6, 0), (0, 0, 0), 5, (math.inf, -math.inf)),  # stays away
        ((0, 4, 0), (0, 0, 0), 5, (-math.inf, math.inf)),  # stays within reach
    ],
)
def test_a_line_is_within_reach_from_one_crossing_to_the_other(d, v, s, crossings):
    quadratic = contact_quadratic(TVector(d), TVector(v), float(s))
    assert quadratic.crossings() == crossings
    assert quadratic.first_crossing() == crossings[0]


@given(points, points, points, st.integers(0, 1000).map(float))
def test_the_quartic_of_a_fall_is_the_square_of_the_distance_less_that_of_the_reach(d, v, g, s):
    quartic = contact_quartic(d, v, g, (d.mag() - s) * (d.mag() + s))
    for t in (0.0, 1.0, -2.0, 0.5):
        expected = (d + v * t + g * (0.5 * t * t)).mag_sqr() - s * s
        assert quartic.value_at(t) == pytest.approx(expected, rel=1e-9, abs=1e-7)
        assert (-quartic).value_at(t) == -quartic.value_at(t)
