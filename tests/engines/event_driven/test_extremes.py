"""Where floats end: grazes as fine as rounding, velocities that all share, and the largest."""

import math

import numpy as np
import pytest
from checkpoints import goes_on_alike

from spheresim import Ball, Plane, Simulation, TVector, analytic_toi
from spheresim.model.state import Box

ONLY_COMPILED = pytest.mark.compiled_only


def a_graze(random, shallowest=-16.0, deepest=-9.0):
    """Two balls that graze each other, or just do not, by a part 10^-9 to 10^-16 of a radius."""
    depth = 10.0 ** random.uniform(shallowest, deepest) * random.choice([-1, 1])
    way = TVector(random.normal(size=3)).unit()
    aside = way.cross(TVector(random.normal(size=3))).unit()
    place = TVector(random.uniform(-5, 5, 3))
    start = place + aside * (2.0 * (1.0 - depth)) - way * random.uniform(2.5, 12)
    return [
        Ball(start, way * random.uniform(0.5, 2), radius=1),
        Ball(place, TVector(random.normal(size=3)) * 0.0, radius=1),
    ]


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("seed", range(60))
def test_a_graze_is_an_impact_exactly_where_it_is_one(engine, seed):
    balls = a_graze(np.random.default_rng(seed))
    exact = analytic_toi(*balls)
    row = Simulation(balls, engine=engine, step=100.0).next_impact(before=90.0)
    if exact == math.inf:
        assert row is None
    else:
        assert row.t == pytest.approx(exact, abs=2e-11)


@ONLY_COMPILED
@pytest.mark.parametrize("gravity", [(0, 0, 0), (0.3, -1, 0.2)])
def test_a_graze_follows_from_where_the_balls_last_were(gravity):
    """A look on the way, and under gravity a fall that both share, change nothing."""
    compared = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        a, b = a_graze(random, -14.0, -10.0)
        simulation = Simulation([a, b], gravity=gravity, engine="events")
        simulation.run(until=0.25)
        row = simulation.next_impact(before=90.0)
        exact = analytic_toi(a, b)
        assert (row is None) == (exact == math.inf)
        if row is not None:
            compared += 1
            assert row.t == pytest.approx(exact, abs=2e-11)
    assert compared > 10


def cloud(boost, box=None):
    """Balls with velocities that are whole numbers of 1/256, to which the boost adds exactly."""
    random = np.random.default_rng(3)
    places = np.array(np.meshgrid(*[range(4)] * 3)).reshape(3, -1).T * 2.5 + 1
    balls = [
        Ball(
            place + random.uniform(-0.2, 0.2, 3),
            random.integers(-512, 512, 3) / 256.0 + np.array(boost),
            radius=1,
        )
        for place in places
    ]
    return Simulation(balls, engine="events", box=box)


def fastest(simulation):
    """The largest speed among those that the engine works with."""
    ball = simulation._engine._engine_state.ball
    return float(np.sqrt(ball.vx**2 + ball.vy**2 + ball.vz**2).max())


@ONLY_COMPILED
@pytest.mark.parametrize("boost", [(1e6, 0, 0), (3e5, -7e5, 1e6), (64, 0, 0)])
@pytest.mark.parametrize("size", [None, 10.0])
def test_what_all_velocities_share_changes_no_impact_and_costs_nothing(boost, size):
    box = None if size is None else Box(TVector(0, 0, 0), TVector(size, size, size))
    rest, moving = cloud((0, 0, 0), box), cloud(boost, box)
    # It works with the velocities beside the mean, and so leaves no more neighbourhoods.
    assert fastest(moving) < 1.1 * fastest(rest)
    rest.run(until=3.0)
    moving.run(until=3.0)
    a, b = rest.impacts, moving.impacts
    assert len(a) > 50
    first = min(len(a), len(b), 150)
    assert b.i[:first].tolist() == a.i[:first].tolist()
    assert b.j[:first].tolist() == a.j[:first].tolist()
    assert b.t[:first] == pytest.approx(a.t[:first], abs=1e-9)
    assert b.x[:first] - boost[0] * b.t[:first] == pytest.approx(a.x[:first], abs=1e-8)
    assert b.vn_before[:first] == pytest.approx(a.vn_before[:first], abs=1e-9)
    mean = moving.velocity.mean(axis=0) - rest.velocity.mean(axis=0)
    assert mean == pytest.approx(boost, rel=1e-12)
    assert moving.energy() == pytest.approx(0.5 * (cloud(boost).velocity ** 2).sum(), rel=1e-12)


@ONLY_COMPILED
def test_a_boosted_run_goes_on_from_its_checkpoint_to_the_last_bit():
    goes_on_alike(lambda: cloud((1e6, 0, 0)), [1.0], 2.0, resumed=lambda: cloud((0, 0, 0)))


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", [1.1e75, 1e100, 1e200])
def test_velocities_that_would_overflow_are_refused_in_one_sentence(engine, speed):
    sentence = r"the velocity of ball 1 must be from -1e\+75 to 1e\+75, not \("
    with pytest.raises(ValueError, match=sentence):
        Simulation([Ball((0, 0, 0), radius=1), Ball((5, 0, 0), (0, speed, 0), radius=1)])
    simulation = Simulation([Ball((0, 0, 0), radius=1), Ball((5, 0, 0), radius=1)], engine=engine)
    simulation.velocity[1] = (0, speed, 0)
    with pytest.raises(ValueError, match=sentence):
        simulation.run(until=1.0)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", [1e30, 1e75])
def test_the_largest_velocities_fly_and_hit(engine, speed):
    balls = [Ball((0, 0, 0), (speed, 0, 0), radius=1), Ball((5, 0, 0), radius=1)]
    wall = Plane((10, 0, 0), (-1, 0, 0))
    simulation = Simulation(balls, [wall], engine=engine)
    for _ in range(3):
        assert simulation.next_impact(before=1.0) is not None
    assert simulation.position[:, 0] == pytest.approx([3.0, 5.0], abs=5.0)
    assert simulation.velocity[:, 0] == pytest.approx([-speed, 0.0], rel=1e-12)
