"""Coming to rest, sliding, waking, inelastic collapse, jams."""

import math
from contextlib import suppress

import numpy as np
import pytest
from worlds import box, gas, kinetic_energy, set_up_events

from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation
from spheresim.collision.impacts import BALL, OBSTACLE, REST, SLIDE, WAKE, joined

ONLY_COMPILED = pytest.mark.compiled_only
FLOOR = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.5)
G = (0.0, -10.0, 0.0)


def test_a_ball_that_lies_on_the_floor_stays_there_and_nothing_more_happens():
    setup = set_up_events([Ball((0, 0.5, 0), radius=0.5)], [FLOOR], G)
    impacts = joined(setup.engine.run(1e6))
    assert impacts.kind.tolist() == [REST]
    assert impacts.t.tolist() == [0.0]
    assert setup.state.position[0].tolist() == [0, 0.5, 0]


def test_a_ball_at_rest_is_woken_by_one_that_hits_it():
    balls = [Ball((0, 0.5, 0), radius=0.5), Ball((-3, 0.7, 0), (3, 1, 0), 0.5)]
    setup = set_up_events(balls, [FLOOR], G)
    impacts = joined(setup.engine.run(10.0))
    kinds = impacts.kind.tolist()
    assert kinds[0] == REST
    hit = kinds.index(BALL)
    assert WAKE in kinds[hit : hit + 2] or OBSTACLE in kinds[hit : hit + 3]
    assert (setup.state.position[:, 1] > 0.5 - 1e-12).all()


def test_a_ball_pushed_straight_along_the_floor_goes_on_lying():
    balls = [Ball((0, 0.5, 0), radius=0.5), Ball((-3, 0.5, 0), (1, 0, 0), 0.5)]
    setup = set_up_events(balls, [FLOOR], G)
    impacts = joined(setup.engine.run(10.0))
    assert impacts.kind.tolist() == [REST, SLIDE, BALL]
    assert impacts.t[-1] == pytest.approx(2.0, abs=1e-12)
    assert setup.state.velocity[0].tolist() == [1, 0, 0]


def test_a_ball_that_creeps_into_a_wall_by_less_than_rounding_hits_it():
    # It was looked at again when it would have come a last 1e-16 closer, but its x is a multiple
    # of 7e-15: that it never came, and the run never ended.
    ball = Ball((63.5, 0.5, 0), (1e-10, 0, 0.3), radius=0.5 * (1 + 1e-10))
    while ball.radius - 1e-10 * ball.radius >= 0.5:
        ball.radius = math.nextafter(ball.radius, 0.0)
    wall = Obstacle(Plane((64, 0, 0), (-1, 0, 0)), 0.5)
    setup = set_up_events(
        [ball], [Obstacle(Plane((0, 0.5 - ball.radius, 0), (0, 1, 0)), 0.5), wall], G
    )
    impacts = joined(setup.engine.run(1e-4))
    assert impacts.kind.tolist() == [SLIDE, OBSTACLE]
    vx, *others = setup.state.velocity[0].tolist()
    assert -1e-9 < vx < 0.0  # it leaves, no faster than rounding
    assert others == [0.0, 0.3]


@pytest.mark.compiled_only
@pytest.mark.parametrize("height", [1.7, 3.0])
def test_a_falling_ball_meets_one_that_lies_when_the_parabola_says(height):
    balls = [Ball((0, 0.5, 0), radius=0.5), Ball((0, height, 0), radius=0.5)]
    setup = set_up_events(balls, [FLOOR], G)
    impacts = joined(setup.engine.run(2.0))
    first = impacts.kind.tolist().index(BALL)
    assert impacts.t[first] == pytest.approx(math.sqrt((height - 1.5) / 5), abs=1e-13)


@ONLY_COMPILED
def test_a_gas_that_collapses_goes_on():
    balls = gas(6, seed=2, radii=(0.4, 0.4), restitution=0.3)
    setup = set_up_events(balls, side=6.0)
    setup.engine.log_impacts(False)
    start = kinetic_energy(setup)
    setup.engine.run(300.0)
    assert float(setup.state.time[0]) == 300.0
    assert kinetic_energy(setup) < 1e-2 * start
    assert setup.engine.tally.deepest_overlap < 1e-12


def test_balls_without_restitution_stick_and_go_on_together():
    balls = [Ball((0, 0, 0), (2, 0, 0), 0.5, restitution=0.0), Ball((3, 0, 0), radius=0.5)]
    setup = set_up_events(balls)
    setup.engine.run(100.0)
    assert setup.engine.tally.ball_impacts == 1
    assert setup.state.velocity[:, 0] == pytest.approx([1, 1], abs=1e-14)


@pytest.mark.compiled_only
@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_a_jam_ends_with_a_reason_and_keeps_what_was_before(restitution):
    # A ball wider than its tube hits the wall whenever it moves.
    tube = Obstacle(Cylinder((0, 0, 0), (0, 1, 0), 1.0), restitution)
    simulation = Simulation([Ball((0.5, 0, 0), (1, 0.25, 0), radius=2.0)], [tube], engine="events")
    with pytest.raises(RuntimeError, match=r"ball 0 is jammed at t = \d"):
        simulation.run(until=2.0)
    assert simulation.time < 2.0
    assert len(simulation.impacts) > 0


@pytest.mark.cases(3)
@ONLY_COMPILED
@pytest.mark.parametrize("gravity", [(0, 0, 0), G])
@pytest.mark.parametrize("restitution", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("seed", range(3))
def test_any_overlapping_touching_resting_start_comes_to_an_end(seed, restitution, gravity):
    random = np.random.default_rng(seed)
    balls = [
        Ball(
            random.integers(0, 3, 3) * 0.5,
            random.integers(-1, 2, 3),
            random.choice([0.25, 0.5]),
            restitution=restitution,
        )
        for _ in range(20)
    ]
    simulation = Simulation(balls, [*box(2.0, restitution, (-0.5,) * 3)], gravity, engine="events")
    with suppress(RuntimeError):  # a jam may be an end, too
        simulation.run(impacts=300_000, until=2.0)
    assert np.isfinite(simulation.position).all()
