"""A heavy ball among light ones forgets its velocity as kinetic theory says (Brown, Langevin).

In a gas so thin that light balls have long forgotten the heavy one when they meet it again, its
velocity decays as e^(−ζt/M) (P. Langevin, Comptes Rendus 146, 530 (1908)), with the friction of
free molecular flow around a sphere that reflects (P. S. Epstein, Physical Review 23, 710 (1924)).
For any two masses it is that of the first approximation to the diffusion of one kind of ball in
another (S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases, 9.81):

    ζ = (8/3) n σ² √(2π μ kT),    σ the distance of centres at contact, μ the reduced mass,

and D = kT/ζ (A. Einstein, Annalen der Physik 17, 549 (1905)). The box holds N light balls and all
momentum: against their common velocity the ball relaxes at ζ (1/M + 1/Nm). It is hit at the rate
n σ² √(8π kT/μ).
"""

import math

import numpy as np
import pytest

from spheresim import Simulation, analysis

SCENE = """
duration = 1e6
[box]
size = [{side}, {side}, {side}]
[[fill]]
count = {count}
radius = 0.5
temperature = 1
seed = 1
[[ball]]
position = [1, 1, 1]
velocity = [0.3, 0.1, 0]
radius = 1
mass = {mass}
"""
COUNT, MASS, SIDE, SIGMA = 1000, 10.0, 58.5, 1.5
EVERY = 20.0


def within(found, errors, expected):
    mean, error = found.mean(), found.std(ddof=1) / math.sqrt(len(found))
    assert abs(mean - expected) < errors * error + 0.02 * expected  # it is not infinitely thin
    assert error < 0.1 * expected


@pytest.mark.study
@pytest.mark.compiled_only
def test_a_heavy_ball_in_a_thin_gas_relaxes_and_diffuses_by_free_molecular_friction(tmp_path):
    (tmp_path / "brown.toml").write_text(SCENE.format(side=SIDE, count=COUNT, mass=MASS))
    simulation = Simulation.load(tmp_path / "brown.toml")
    heavy = int(np.argmax(simulation.world.mass))
    simulation.keep_impacts(False)
    hits = simulation.count([k == heavy for k in range(COUNT + 1)])
    simulation.run(until=2000.0)
    hits.clear()
    x, v, start = [], [], simulation.time
    for k in range(12_000):
        simulation.run(until=start + k * EVERY)
        x.append(simulation.balls[heavy].position)
        v.append(simulation.balls[heavy].velocity)
    # What is known: the temperature is that of all balls, as their momentum is not zero.
    world, velocity = simulation.world, simulation.velocity
    common = world.mass @ velocity / world.mass.sum()
    energy = 0.5 * float(world.mass @ ((velocity - common) ** 2).sum(axis=1))
    kt = 2.0 * energy / (3.0 * COUNT)
    n, mu = COUNT / SIDE**3, MASS / (MASS + 1.0)
    friction = 8.0 / 3.0 * n * SIGMA**2 * math.sqrt(2.0 * math.pi * mu * kt)
    rate = n * SIGMA**2 * math.sqrt(8.0 * math.pi * kt / mu)
    # How often it is hit, how fast it forgets its velocity, how far it gets: in twelve blocks.
    t = EVERY * np.arange(len(x))
    assert hits[True, False].impacts / t[-1] == pytest.approx(rate, rel=0.04)
    x, v = np.array(x) - np.outer(t, common), np.array(v) - common
    relaxation, diffusion = [], []
    for block in np.split(np.arange(len(t)), 12):
        at = t[block] - t[block[0]]
        kept = analysis.velocity_autocorrelation(at, v[block][:, None]).value[:7]
        relaxation.append(EVERY / -np.polyfit(range(7), np.log(kept), 1, w=kept)[0])
        moved = analysis.mean_squared_displacement(at, x[block][:, None]).value[20:60]
        diffusion.append(np.polyfit(EVERY * np.arange(20, 60), moved / 6.0, 1)[0])
    share = 1.0 + MASS / COUNT
    within(np.array(relaxation), 4.0, MASS / friction / share)
    within(np.array(diffusion), 4.0, kt / friction / share**2)
