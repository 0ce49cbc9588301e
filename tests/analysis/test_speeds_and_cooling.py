"""Speeds against Maxwell's, Haff's law, energy, and the errors of averages."""

import numpy as np
import pytest

from spheresim import Simulation, analysis
from spheresim.analysis.measured import averaged
from spheresim.analysis.speeds import unequal_temperatures

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_speeds_drawn_from_maxwells_distribution_have_it(axes):
    mass = RNG.uniform(0.5, 5.0, size=4000)
    velocity = RNG.normal(size=(20, 4000, 3)) * np.sqrt(2.0 / mass)[:, None]
    found = analysis.speed_distribution(velocity * (np.arange(3) < axes), mass, bins=25)
    density, a2 = found.density, found.sonine
    assert abs(a2.value) < 4.0 * a2.error + 5e-4
    seen = density.error > 0.0
    deviation = (density.value - density.published)[seen] / density.error[seen]
    assert np.mean(deviation**2) < 2.0
    assert density.value.sum() * 0.2 == pytest.approx(1.0, abs=1e-4)


def test_equal_speeds_are_told_from_maxwells():
    velocity = RNG.normal(size=(8, 500, 3))
    velocity /= np.linalg.norm(velocity, axis=2, keepdims=True)
    assert analysis.speed_distribution(velocity, np.ones(500)).sonine.value == pytest.approx(-0.4)
    with pytest.raises(analysis.NotInRunError, match="at rest"):
        analysis.speed_distribution(0.0 * velocity, np.ones(500))


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("heavy", [1.0, 1.6])
def test_temperatures_of_light_and_heavy_balls_are_told_apart(axes, heavy):
    """Relative to the motion of all, of which a ball of half of the mass has half."""
    mass = np.repeat([1.0, 2.0, 300.0], [300, 300, 1])
    thermal = np.sqrt(np.where(mass == 1.0, 1.0, heavy) / mass)
    velocity = RNG.normal(size=(200, 601, 3)) * thermal[:, None] * (np.arange(3) < axes)
    found = unequal_temperatures(velocity, mass)
    if heavy == 1.0:
        assert found is None
    else:
        assert found == pytest.approx((1.0, heavy), rel=0.1)
    assert unequal_temperatures(velocity, np.ones(601)) is None


def test_haffs_law_is_found_in_temperatures_that_follow_it():
    t = np.linspace(2.0, 400.0, 300)
    temperature = 3.0 / (1.0 + (t - 2.0) / 7.0) ** 2 * np.exp(RNG.normal(0.0, 0.005, 300))
    velocity = RNG.normal(size=(1, 50, 3))
    velocity /= np.sqrt((velocity**2).sum() / 150.0)
    found = analysis.cooling(
        t, velocity * np.sqrt(temperature)[:, None, None], np.ones(50), np.full(50, 0.8)
    )
    for value, expected in ((found.exponent, 2.0), (found.time, 7.0), (found.start, 3.0)):
        assert abs(value.value - expected) < 4.0 * value.error
        assert value.error < 0.05 * expected
    assert found.exponent.published == 2.0


def test_errors_of_haffs_law_are_as_large_as_the_scatter_of_gases():
    # In each of 100 gases −dT/dt = √T³/3, and each loss of energy is made larger or smaller by
    # chance, by as much as that of some 2000 balls, so that ln T deviates more and more.
    rng, scatter = np.random.default_rng(4), []
    t, logs = np.linspace(0.0, 60.0, 601), np.zeros((601, 100))
    for k in range(600):
        loss = np.exp(logs[k] / 2.0) / 3.0 * 0.1
        logs[k + 1] = logs[k] - loss + 0.03 * np.sqrt(loss) * rng.normal(size=100)
    for column in logs[::10].T:
        velocity = np.exp(column / 2.0)[:, None, None] * np.ones((1, 2, 3))
        found = analysis.cooling(t[::10], velocity, np.ones(2), np.full(2, 0.95))
        true = (1.0, 6.0, 2.0)
        scatter.append([(m.value - x) / m.error for m, x in zip(found[1:], true, strict=True)])
    assert np.sqrt(np.mean(np.square(scatter), axis=0)) == pytest.approx(np.ones(3), abs=0.2)


@pytest.mark.thorough
def test_the_exponents_of_gases_scatter_by_their_errors(tmp_path):
    (tmp_path / "gas.toml").write_text(
        "duration = 60\nrestitution = 0.9\n[box]\n[[fill]]\ncount = 250\nradius = 0.5\n"
        "packing_fraction = 0.1\ntemperature = 1\nseed = 0\n"
    )
    t, deviations = np.linspace(0.0, 60.0, 61), []
    for seed in range(16):
        gas = Simulation.load(tmp_path / "gas.toml", **{"fill[0].seed": seed})
        velocity = []
        for until in t:
            gas.run(until=until)
            velocity.append(np.array(gas.velocity))
        found = analysis.cooling(t, np.array(velocity), np.ones(250), np.full(250, 0.9)).exponent
        deviations.append((found.value - 2.0) / found.error)
    assert 0.7 < np.sqrt(np.mean(np.square(deviations))) < 1.4


def test_what_does_not_cool_has_no_law_of_it():
    t, velocity = np.arange(40.0), np.ones((40, 5, 3))
    with pytest.raises(analysis.NotInRunError, match="impacts that take energy"):
        analysis.cooling(t, velocity, np.ones(5), np.ones(5))
    with pytest.raises(analysis.NotInRunError, match="at least 32 frames"):
        analysis.cooling(t[:9], velocity[:9], np.ones(5), np.full(5, 0.5))
    with pytest.raises(analysis.NotInRunError, match="at rest"):
        analysis.cooling(t, 0.0 * velocity, np.ones(5), np.full(5, 0.5))


def test_energy_and_momentum_of_a_fall():
    t = np.linspace(0.0, 1.0, 11)
    drop = np.stack([0 * t, 9.0 - 5.0 * t**2, 0 * t], axis=1)[:, None]
    speed = np.stack([1 + 0 * t, -10.0 * t, 0 * t], axis=1)[:, None]
    found = analysis.energy_and_momentum(t, drop, speed, np.array([2.0]), (0.0, -10.0, 0.0))
    assert found.total == pytest.approx(np.full(11, 181.0), rel=1e-14)
    assert (np.abs(found.total - 181.0) <= found.error).all()
    assert found.momentum[-1].tolist() == [2.0, -20.0, 0.0]


def test_errors_from_blocks_are_those_of_correlated_data():
    # Each value stays for 20 in a row, so the error is √20 times that of independent values.
    samples = np.repeat(RNG.normal(size=3200), 20)
    mean, error = averaged(samples)
    assert mean == samples.mean()
    assert error == pytest.approx(1.0 / np.sqrt(3200.0), rel=0.5)
    assert averaged(samples[:3])[1] is None
