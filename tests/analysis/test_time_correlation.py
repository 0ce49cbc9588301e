"""Displacements and velocities that are known, and averages done one by one."""

import numpy as np
import pytest

from spheresim import analysis

RNG = np.random.default_rng(8)


def test_straight_flight():
    velocity = RNG.normal(size=(50, 3))
    t = np.linspace(0.0, 4.0, 41)
    position = 1e3 + t[:, None, None] * velocity
    found = analysis.mean_squared_displacement(t, position)
    assert found.value == pytest.approx((velocity**2).sum(axis=1).mean() * found.x**2, abs=1e-9)
    still = np.broadcast_to(velocity, position.shape)
    assert analysis.velocity_autocorrelation(t, still).value == pytest.approx(
        np.full(21, (velocity**2).sum(axis=1).mean())
    )


def test_averages_over_all_starts_are_those_done_one_by_one():
    t = np.arange(17.0)
    x = RNG.normal(size=(17, 5, 3)).cumsum(axis=0)
    moved = analysis.mean_squared_displacement(t, x).value
    kept = analysis.velocity_autocorrelation(t, x).value
    for lag in range(9):
        a, b = x[: 17 - lag], x[lag:]
        assert moved[lag] == pytest.approx(((b - a) ** 2).sum(axis=2).mean(), abs=1e-12)
        assert kept[lag] == pytest.approx((a * b).sum(axis=2).mean(), rel=1e-12)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_brownian_ball_diffuses_as_its_steps_say(axes):
    t = 0.5 * np.arange(400)
    steps = RNG.normal(scale=0.3, size=(400, 200, 3)) * (np.arange(3) < axes)
    found = analysis.diffusion(t, steps.cumsum(axis=0)).coefficient
    expected = 0.3**2 / (2.0 * 0.5)
    assert abs(found.value - expected) < 4.0 * found.error
    assert found.error < 0.15 * expected


IN_TURN = np.arange(320).reshape(2, 160).T.ravel()


@pytest.mark.parametrize("order", [np.arange(320), IN_TURN], ids=["kind by kind", "in turn"])
def test_the_kinds_of_a_mixture_are_no_error(order):
    """Two kinds of which one is five times as fast: their difference is no scatter of one kind."""
    t, mass = np.arange(100.0), np.repeat([1.0, 25.0], 160)[order]
    steps = RNG.normal(size=(100, 320, 3)) * np.where(mass == 1.0, 5.0, 1.0)[:, None]
    position = steps.cumsum(axis=0)

    def error(which):
        return analysis.diffusion(t, position[:, which], mass=mass[which]).coefficient.error

    apart = 0.5 * np.hypot(error(mass == 1.0), error(mass == 25.0))
    assert error(mass > 0.0) == pytest.approx(apart, rel=0.4)
    kept = analysis.velocity_autocorrelation(t, steps, mass=mass)
    assert kept.error[0] < 0.01 * kept.value[0]


def test_frames_must_be_evenly_spaced_but_for_the_last():
    t, x = np.array([0.0, 1.0, 2.0, 3.0, 3.5]), RNG.normal(size=(5, 2, 3))
    assert len(analysis.mean_squared_displacement(t, x).x) == 3
    t[2] = 2.2
    with pytest.raises(analysis.NotInRunError, match="evenly spaced"):
        analysis.mean_squared_displacement(t, x)
    with pytest.raises(analysis.NotInRunError, match="at least four frames"):
        analysis.diffusion(t[:2], x[:2])
    with pytest.raises(ValueError, match="at least two frames"):
        analysis.diffusion(np.arange(9.0), RNG.normal(size=(9, 2, 3)), begin=1.2, end=1.4)
