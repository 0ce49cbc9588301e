"""When bounces become contact."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.contact.rise import rising_speed
from spheresim.contact.thresholds import Thresholds

speeds = st.floats(-12.0, 6.0).map(lambda exponent: 10.0**exponent)


@given(speeds, speeds, st.floats(-14.0, 2.0).map(lambda exponent: 10.0**exponent))
def test_a_ball_rises_by_that_height_with_that_speed(acceleration, radius, height):
    v = rising_speed(acceleration, radius, height)
    assert v * v / (2.0 * acceleration) == pytest.approx(height * radius, rel=1e-12)


def test_the_usual_thresholds_are_far_above_rounding_and_below_what_is_seen():
    usual = Thresholds()
    assert 1e-9 < usual.rest_height < usual.sleep_height < usual.wake_height < 1e-3
    assert usual.sleep_height < usual.soft_height < 1e-2
    # What rises by less than rest_height is no waking impact when it falls.
    soft = rising_speed(9.81, 1.0, usual.rest_height)
    assert soft < rising_speed(9.81, 1.0, usual.wake_height)
    assert math.isfinite(soft)
