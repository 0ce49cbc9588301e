"""The tutorial's slicing: what it sees, what it misses, and how near it is to the exact time."""

from math import inf, sqrt

import numpy as np
import pytest
from labelled_pairs import Sphere

from spheresim.collision.constants import SLICES
from spheresim.collision.sliced_toi import sliced_toi
from spheresim.collision.toi import analytic_toi
from spheresim.collision.toi_batch import sliced_toi_batch
from spheresim.numerics.vector import TVector

RESTING = Sphere(TVector(0, 0, 0), TVector(0, 0, 0), 1.0)


def passing(at, speed=1.0, aside=0.0, radius=1.0):
    """A ball whose centre goes by the resting one's at time `at`, at a distance `aside`."""
    return Sphere(TVector(-speed * at, aside, 0), TVector(speed, 0, 0), radius)


def tiny(at):
    """Two balls whose centres are within reach from `at` − .02 to `at` + .02."""
    return passing(at, radius=0.01), RESTING._replace(radius=0.01)


@pytest.mark.parametrize(
    ("meeting", "answer"),
    [
        (0.01, 0.0),  # overlapping at the start: now
        (0.17, inf),  # met and parted between two looks
        (1 / 3, 0.0),
        (0.5, inf),
        (2 / 3, 1 / 3),
        (0.8, inf),
        (1.0, 2 / 3),
        (1.1, inf),  # after the step
    ],
)
def test_a_step_of_1_in_3_slices_looks_at_0_a_third_two_thirds_and_1(meeting, answer):
    a, b = tiny(meeting)
    assert sliced_toi(a, b, 1.0, slices=3) == pytest.approx(answer, abs=1e-15)
    assert sliced_toi(b, a, 1.0, slices=3) == pytest.approx(answer, abs=1e-15)


def test_unless_told_otherwise_there_are_150_slices():
    a, b = passing(at=5.0, radius=1.0), RESTING  # contact at t = 3
    assert SLICES == 150
    assert sliced_toi(a, b, 10.0) == sliced_toi(a, b, 10.0, slices=150)
    assert sliced_toi(a, b, 10.0) == pytest.approx(44 * 10 / 150, rel=1e-15)  # 45 · 10/150 = 3


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize(
    ("a", "answer"),
    [
        (passing(at=2.0), 0.0),  # touching, approaching
        (passing(at=-2.0), inf),  # touching, separating
        (passing(at=1.0), 0.0),  # overlapping, approaching
        (passing(at=-1.0), inf),  # overlapping, separating
        (passing(at=0.0), inf),  # centres as near as they come
        (Sphere(TVector(2, 0, 0), TVector(0, 0, 0), 1.0), inf),  # touching, at rest
        (Sphere(TVector(1, 0, 0), TVector(0, 0, 0), 1.0), inf),  # overlapping, at rest
        (Sphere(TVector(0, 0, 0), TVector(0, 0, 0), 1.0), inf),  # coincident, at rest
        (Sphere(TVector(2, 0, 0), TVector(0, 1, 0), 1.0), inf),  # touching, sliding past
    ],
)
def test_what_already_touches_is_answered_as_by_the_exact_time(a, answer, refine):
    assert sliced_toi(a, RESTING, 1.0, refine=refine) == analytic_toi(a, RESTING) == answer


@pytest.mark.parametrize("length", [1e-300, 1e-200, 1e-170, 1e160, 1e300])
@pytest.mark.parametrize("speed", [1e-200, 1.0, 1e200])
def test_a_pair_of_any_size_and_speed_is_found_in_the_slice_in_which_it_is(length, speed):
    a = Sphere(TVector(-5 * length, 0, 0), TVector(speed, 0, 0), length)
    b = Sphere(TVector(0, 0, 0), TVector(0, 0, 0), length)
    scale = length / speed if 1e-300 < length / speed < 1e300 else 0.0
    if scale > 0.0:
        assert sliced_toi(a, b, 6.4 * scale, slices=4) == pytest.approx(1.6 * scale, rel=1e-12)
        assert sliced_toi(a, b, 6.4 * scale, 4, refine=True) == pytest.approx(3 * scale, rel=1e-12)
        assert sliced_toi_batch(*a, *b, 6.4 * scale, 4)[0] == sliced_toi(a, b, 6.4 * scale, 4)
        assert sliced_toi(a, b, 2.9 * scale) == inf
    assert sliced_toi(b, a, 5e-324) == inf


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"refine": None}, "refine must be True or False, not None"),
        ({"refine": "no"}, "refine must be True or False, not 'no'"),
        *(
            ({"slices": wrong}, "slices must be a whole number from 1 to 1000000000, not")
            for wrong in (0, -3, 2**63, 2.5, True, "150", None)
        ),
    ],
)
def test_options_are_checked(option, sentence):
    for ask in (
        lambda: sliced_toi(RESTING, passing(at=5), 1.0, **option),
        lambda: sliced_toi_batch(*RESTING, *passing(at=5), 1.0, **option),
    ):
        with pytest.raises((TypeError, ValueError), match=sentence):
            ask()


def random_passes(count, seed):
    """Passes of all depths, in slices of 1/150: from chords within one slice to twenty long."""
    random = np.random.default_rng(seed)
    for speed, aside, meeting, turn, tilt in random.uniform(size=(count, 5)):
        a = passing(1.2 * meeting, 10.0 ** (1.0 + 2.0 * speed), radius=random.uniform(0.2, 1.0))
        s = a.radius + RESTING.radius
        across = TVector(0, np.cos(6.28 * turn), np.sin(6.28 * turn)) * (1.1 * aside * s)
        place, wind = TVector(3, -4, 5), TVector(tilt, 1 - tilt, 2 * tilt)
        yield (
            Sphere(a.position + across + place, a.velocity + wind, a.radius),
            Sphere(place, wind, RESTING.radius),
        )


@pytest.mark.cases(1)
@pytest.mark.parametrize("count", [100, pytest.param(25000, marks=pytest.mark.compiled_only)])
def test_slices_see_every_chord_that_outlasts_one_and_answer_at_most_one_slice_early(count):
    one_slice, rounding = 1.0 / SLICES, 1e-12
    found = blinked = 0
    for a, b in random_passes(count, seed=4):
        enters, t = analytic_toi(a, b), sliced_toi(a, b, 1.0)
        refined = sliced_toi(a, b, 1.0, refine=True)
        # Sent backwards from well beyond, the pair enters where it left.
        back = [Sphere(x.position + x.velocity * 2.0, x.velocity * -1.0, x.radius) for x in (a, b)]
        leaves = 2.0 - analytic_toi(*back)
        if t < inf:
            found += 1
            assert enters - one_slice - rounding <= t <= enters + rounding
            assert enters - rounding <= refined <= t + one_slice + rounding
            if enters > 0.0 and leaves - enters >= 2.0 * one_slice:
                assert abs(refined - enters) <= abs(t - enters) + rounding
        else:
            # Never seen: no meeting, one after the step, or one that fits between two looks.
            assert refined == inf
            fits_between = leaves - enters <= one_slice + rounding and leaves <= 1.0 + rounding
            assert enters == inf or enters > 1.0 - rounding or fits_between
            blinked += enters < 1.0 and fits_between
    assert found > count / 3
    assert blinked > count / 50


def test_refining_finds_the_time_of_a_deep_hit_to_a_hundredth_of_a_slice():
    a, b = passing(at=5.0, speed=1.0, aside=0.7), RESTING
    error = abs(sliced_toi(a, b, 9.99) - analytic_toi(a, b))
    refined = abs(sliced_toi(a, b, 9.99, refine=True) - analytic_toi(a, b))
    assert refined < 0.01 * 9.99 / SLICES < error


@pytest.mark.parametrize("count", [100, pytest.param(4000, marks=pytest.mark.compiled_only)])
def test_the_share_of_missed_hits_grows_with_speed_as_chords_shrink_to_slices(count):
    """Chance says w²/12, and 1 − 4/(3 w) from w = 2 on, w being the way in a slice over r1 + r2.

    A chord of length l (over r1 + r2) is met with density l dl / 2 up to 2, and missed with
    chance 1 − l / w if it is shorter than w.
    """
    random = np.random.default_rng(9)
    missed_shares = []
    for w in (0.5, 1.0, 2.0, 4.0, 16.0):
        speed = 2.0 * w * SLICES
        missed = 0
        for depth, meeting in random.uniform(size=(count, 2)):
            a = passing(0.1 + 0.8 * meeting, speed, aside=2.0 * sqrt(depth))
            assert analytic_toi(a, RESTING) < 1.0
            missed += sliced_toi(a, RESTING, 1.0) == inf
        expected = w * w / 12.0 if w <= 2.0 else 1.0 - 4.0 / (3.0 * w)
        assert abs(missed / count - expected) < 4.5 * sqrt(expected * (1.0 - expected) / count)
        missed_shares.append(missed)
    assert missed_shares == sorted(missed_shares)


@pytest.mark.parametrize("time_step", [0.0, -1.0, inf, float("nan"), "1", True, None])
def test_a_time_step_is_a_positive_number(time_step):
    with pytest.raises((ValueError, TypeError), match="time_step must be"):
        sliced_toi(passing(5.0), RESTING, time_step)
