"""The physics of a hard-sphere gas, against published numbers; long versions as studies."""

import math

import numpy as np
import pytest

from spheresim.analysis.published_hard_spheres import collision_rate, compressibility_factor
from spheresim.simulation import Simulation

pytestmark = pytest.mark.compiled_only

Z = {0.1: 1.52165, 0.2: 2.40940, 0.3: 3.98398, 0.4: 6.94546, 0.45: 9.40411}
RATE = {0.1: 1.76585, 0.2: 4.77102, 0.3: 10.10119, 0.4: 20.12620, 0.45: 28.44908}

SCENE = """
duration = 1
[box]
[[fill]]
count = {n}
radius = 0.5
arrangement = "fcc"
packing_fraction = {phi}
temperature = 1
seed = 3
"""


def gas(folder, phi, n=1000, more=""):
    path = folder / "gas.toml"
    path.write_text(more + SCENE.format(n=n, phi=phi))
    simulation = Simulation.load(path, engine="events")
    simulation.log_impacts(False)
    return simulation


@pytest.mark.parametrize("phi", Z)
def test_the_published_numbers_are_those_of_the_formula(phi):
    assert compressibility_factor(phi) == pytest.approx(Z[phi], abs=6e-6)
    assert collision_rate(phi, 1.0, 1.0) == pytest.approx(RATE[phi], abs=6e-6)


def test_figures_of_few_balls_leave_out_ten_impacts_a_ball(tmp_path):
    simulation = gas(tmp_path, 0.01, n=32)
    simulation.run(impacts=800)
    figures = simulation.gas_figures()
    assert 800 - 5 * 32 - 2 * 32 <= figures.measured_impacts <= 800 - 5 * 32
    assert figures.collision_rate.value == pytest.approx(collision_rate(0.01, 1.0, 1.0), rel=0.15)
    assert figures.collision_rate.error > 0.0


@pytest.mark.parametrize(
    ("phi", "impacts", "n"),
    [
        (0.1, 400_000, 4000),
        (0.3, 600_000, 4000),
        *(
            pytest.param(phi, impacts, 4000, marks=pytest.mark.study)
            for phi, impacts in (
                (0.1, 10**6),
                (0.2, 10**6),
                (0.3, 2 * 10**6),
                (0.4, 4 * 10**6),
                (0.45, 6 * 10**6),
            )
        ),
    ],
)
def test_z_and_the_collision_rate_are_the_published_ones(tmp_path, phi, impacts, n):
    simulation = gas(tmp_path, phi, n)
    simulation.run(impacts=impacts)
    found = simulation.gas_figures()
    # Of N balls, Z − 1 and the rate are about 1/N low.
    z = 1.0 + (found.compressibility_factor.value - 1.0) * n / (n - 1)
    rate = found.collision_rate.value * n / (n - 1)
    assert z == pytest.approx(Z[phi], rel=0.005)
    assert rate == pytest.approx(RATE[phi], rel=0.005)
    assert found.compressibility_factor.error < 0.003 * Z[phi]
    assert abs(z - Z[phi]) < 4.5 * found.compressibility_factor.error
    assert found.temperature.value == pytest.approx(1.0, rel=1e-12)
    assert found.measured_impacts <= impacts - 4 * n
    density = 6 * phi / math.pi
    assert found.pressure.value == pytest.approx(
        density * found.compressibility_factor.value, rel=1e-9
    )
    path = 1.0 / (math.sqrt(2) * math.pi * density * (Z[phi] - 1) / (4 * phi))
    assert found.mean_free_path.value == pytest.approx(path, rel=0.01)
    assert found.mean_free_time.value == pytest.approx(1.0 / found.collision_rate.value, rel=1e-12)


@pytest.mark.parametrize(
    ("alpha", "n"), [(0.9, 2000), pytest.param(0.8, 16_000, marks=pytest.mark.study)]
)
def test_a_granular_gas_cools_as_the_theory_says(tmp_path, alpha, n):
    # d ln T / d(impacts per ball) = −(1 − α²)/3 · (1 + a₂/4), with Sonine's a₂.
    simulation = gas(tmp_path, 0.1, n, f"restitution = {alpha}\n")
    simulation.run(impacts=5 * n)
    start, at = simulation.energy(), simulation.tally.ball_impacts
    simulation.run(impacts=5 * n)
    per_ball = 2.0 * (simulation.tally.ball_impacts - at) / n
    a2 = 16 * (1 - alpha) * (1 - 2 * alpha**2) / (81 - 17 * alpha + 30 * alpha**2 * (1 - alpha))
    theory = -(1 - alpha**2) / 3 * (1 + a2 / 4)
    assert math.log(simulation.energy() / start) / per_ball == pytest.approx(theory, rel=0.02)


def test_equal_speeds_become_maxwells_in_ten_impacts_a_ball(tmp_path):
    simulation = gas(tmp_path, 0.1, 8000)
    simulation.velocity[:] /= np.linalg.norm(simulation.velocity, axis=1)[:, None]
    n, done = 8000, 0.0
    found = []
    for per_ball in (1, 2, 4, 15):
        simulation.run(impacts=int((per_ball - done) * n / 2))
        done = per_ball
        v_sqr = (simulation.velocity**2).sum(axis=1)
        found.append(0.6 * (v_sqr**2).mean() / v_sqr.mean() ** 2 - 1.0)
    assert found == pytest.approx([-0.277, -0.181, -0.070, 0.0], abs=0.025)


@pytest.mark.study
def test_a_hundred_million_impacts_keep_all_invariants(tmp_path):
    simulation = gas(tmp_path, 0.3, 4000)
    start, momentum = simulation.energy(), simulation.momentum()
    simulation.run(impacts=10**8)
    assert simulation.tally.ball_impacts == 10**8
    assert abs(simulation.energy() / start - 1.0) < 1e-12
    assert simulation.momentum().dist(momentum) < 1e-9
    assert simulation.tally.deepest_overlap < 1e-12
    assert simulation.gas_figures().compressibility_factor.value == pytest.approx(Z[0.3], rel=0.001)
