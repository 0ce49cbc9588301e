"""When bounces become contact: soft impacts gain nothing, and never become slower than a hop."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.collision.thresholds import Thresholds, rising_speed, vn_after_soft_impact

speeds = st.floats(-12.0, 6.0).map(lambda exponent: 10.0**exponent)
restitutions = st.floats(0.0, 1.0)


@given(speeds, restitutions, st.one_of(st.just(0.0), speeds))
def test_no_impact_gains_energy_and_none_is_left_slower_than_a_hop_unless_it_was(w, e, hop):
    after = vn_after_soft_impact(w, e, hop)
    assert e * w <= after <= w
    assert after >= min(w, hop)


@given(speeds, restitutions)
def test_hard_impacts_keep_their_restitution_and_soft_ones_lose_nothing(w, e):
    assert vn_after_soft_impact(w, e, 0.0) == e * w
    assert vn_after_soft_impact(w, e, 0.5 * e * w) == e * w
    assert vn_after_soft_impact(w, e, w) == w
    assert vn_after_soft_impact(w, e, 2.0 * w) == w


@given(speeds, st.floats(0.0, 0.999), speeds)
def test_bounce_after_bounce_ends_in_hops_of_one_speed(w, e, hop):
    for _ in range(100_000):
        after = vn_after_soft_impact(w, e, hop)
        if after == w:
            break
        w = after
    assert after == w <= hop
    # The bounce that first came below a hop was lifted to just that.
    assert w == hop or vn_after_soft_impact(w, e, 0.0) < w


@given(speeds, speeds, st.floats(-14.0, 2.0).map(lambda exponent: 10.0**exponent))
def test_a_ball_rises_by_that_height_with_that_speed(acceleration, radius, height):
    v = rising_speed(acceleration, radius, height)
    assert v * v / (2.0 * acceleration) == pytest.approx(height * radius, rel=1e-12)


def test_the_usual_thresholds_are_far_above_rounding_and_below_what_is_seen():
    usual = Thresholds()
    assert 1e-9 < usual.rest_height < usual.sleep_height < usual.wake_height < 1e-3
    assert 0.0 < usual.sliding_ratio < 1.0
    # What rises by less than rest_height is no waking impact when it falls.
    soft = rising_speed(9.81, 1.0, usual.rest_height)
    assert soft < rising_speed(9.81, 1.0, usual.wake_height)
    assert math.isfinite(soft)
