"""Bodies that turn fast without reaching each other, and what searches that end early answer."""

from math import hypot, inf, pi, sqrt

import numpy as np
import pytest

from spheresim.convex import box, gjk, hull, rotation_about, sphere, time_of_impact

SIZE = hypot(1, 0.05)
BLADE = box((1, 0.05, 0.01))
ACROSS = np.array((1, 1, 0)) / sqrt(2)
WALL = box((0.1, 5, 5), ACROSS * (SIZE + 0.2), rotation_about((0, 0, 1), pi / 4))


def test_a_blade_that_spins_along_a_wall_does_not_meet_it():
    answer = time_of_impact(BLADE, WALL, (0.1, -0.1, 0), spin_a=(0, 0, 3000), until=1.0)
    assert (answer.toi, bool(answer.finished)) == (inf, True)
    assert answer.steps < 200
    other = time_of_impact(WALL, BLADE, (0, 0, 0), (0.1, -0.1, 0), None, (0, 0, 3000), until=1.0)
    assert (other.toi, bool(other.finished)) == (inf, True)


def test_one_that_spins_into_a_wall_is_never_late():
    # The blade's tips go around a circle of this radius, which reaches the wall at 1.
    answer = time_of_impact(BLADE, WALL, 0.1 * ACROSS, spin_a=(0, 0, 3000), until=2.0)
    assert answer.finished
    assert 0.999 < answer.toi < 1.01
    turned = BLADE.at(0.1 * ACROSS * answer.toi, rotation_about((0, 0, 1), 3000 * answer.toi))
    assert 0.0 < gjk(turned, WALL).gap <= 1.01e-6


def test_two_that_spin_at_speeds_that_never_repeat_and_stay_apart():
    a, b = box((1, 0.1, 0.1)), box((0.1, 1, 0.1), (3, 0, 0))
    spins = (0, 0, 1000.0), (0, 3.0, 0)
    answer = time_of_impact(a, b, (0.001, 0, 0), None, *spins, until=1000.0)
    assert (answer.toi, bool(answer.finished)) == (inf, True)
    # Needles beside each other, each about its own length.
    needle = box((1, 0.05, 0.05))
    answer = time_of_impact(
        needle, needle.at((0, 0.2, 0)), (0, 0, 0), None, (500, 0, 0), (300.7, 0, 0), until=1e6
    )
    assert (answer.toi, bool(answer.finished)) == (inf, True)


@pytest.mark.compiled_only
def test_a_search_that_ends_early_says_so_and_can_go_on():
    # A body that goes around a ball, faster than 100,000 steps can follow.
    around = hull([(5, 0, 0), (6, 0, 0), (5.5, 0.2, 0), (5.5, 0, 0.2)])
    velocity, spin = (1e-5, 0, 0), (0, 0, 3000.0)
    first = time_of_impact(around, sphere(0.5), velocity, spin_a=spin, until=100.0)
    assert not first.finished
    assert 0.0 < first.toi < 100.0
    turn = rotation_about((0, 0, 1), 3000 * first.toi)
    there = around.at(np.array(velocity) * first.toi, turn)
    again = time_of_impact(there, sphere(0.5), velocity, spin_a=spin, until=100.0)
    assert again.toi > 0.0
