"""Going to the next impact, or to the nth: the state is that at the impact, whatever follows."""

import math

import numpy as np
import pytest

from spheresim import Ball, Cylinder, Plane, Simulation, TVector
from spheresim.model.state import Box
from spheresim.obstacles.sphere import Sphere

FLOOR = Plane((0, 0, 0), (0, 1, 0))
ENGINES = pytest.mark.parametrize("engine", ["events", "steps"])


def two_balls(engine, **options):
    """One impact at t = 3, and nothing ever after."""
    balls = [Ball((0, 0, 0), (1, 0, 0), radius=1), Ball((5, 0, 0), radius=1)]
    return Simulation(balls, engine=engine, **options)


@ENGINES
def test_the_next_impact_is_where_it_stops_though_nothing_follows(engine):
    simulation = two_balls(engine)
    row = simulation.next_impact(before=10.0)
    assert row.t == simulation.time == pytest.approx(3.0, abs=1e-13)
    assert simulation.position[:, 0] == pytest.approx([3.0, 5.0], abs=1e-13)
    assert simulation.velocity[:, 0] == pytest.approx([0.0, 1.0], abs=1e-13)
    assert simulation.next_impact(before=10.0) is None
    assert simulation.time == 10.0
    assert simulation.position[:, 0] == pytest.approx([3.0, 12.0], abs=1e-12)


@ENGINES
def test_the_first_of_one_impacts_likewise_and_the_next_call_says_so(engine):
    simulation = two_balls(engine)
    simulation.run(impacts=1)
    assert simulation.time == pytest.approx(3.0, abs=1e-13)
    assert simulation.position[:, 0] == pytest.approx([3.0, 5.0], abs=1e-13)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="only 0 of 1 impacts came, and no more"):
            simulation.run(impacts=1)
        assert simulation.time == pytest.approx(3.0, abs=1e-13)
    assert len(simulation.impacts) == 1
    simulation.run(until=20.0)  # and it goes on all the same
    assert simulation.position[1, 0] == pytest.approx(22.0, abs=1e-11)


@ENGINES
def test_what_comes_before_the_end_is_kept(engine):
    simulation = two_balls(engine)
    with pytest.raises(RuntimeError, match="only 1 of 7 impacts came"):
        simulation.run(impacts=7)
    assert simulation.impacts.t == pytest.approx([3.0], abs=1e-13)
    if engine == "events":
        assert simulation.time == 3.0


@ENGINES
def test_a_bouncing_ball_is_at_the_floor_after_its_next_impact(engine):
    simulation = Simulation(
        [Ball((0, 2, 0), radius=1, restitution=0.5)], [FLOOR], (0, -9.81, 0), engine=engine
    )
    row = simulation.next_impact(before=0.5)
    assert row.t == simulation.time == pytest.approx(math.sqrt(2 / 9.81), rel=0.02)
    assert simulation.position[0, 1] == pytest.approx(1.0, abs=1e-14)
    assert simulation.next_impact(before=0.5) is None
    assert simulation.time == 0.5


@ENGINES
def test_an_impact_at_the_very_end_is_the_next_one(engine):
    simulation = two_balls(engine, step=0.5)
    row = simulation.next_impact(before=3.0)
    assert row.t == simulation.time == 3.0


@ENGINES
def test_impacts_at_the_same_time_come_one_by_one(engine):
    """Two balls from either side, and a pair far away, all at t = 1."""
    balls = [Ball((x, 0, 0), (v, 0, 0), radius=1) for x, v in ((-3, 1), (0, 0), (3, -1))]
    balls += [Ball((x, 50, 0), (v, 0, 0), radius=1) for x, v in ((-2, 1), (2, -1))]
    simulation = Simulation(balls, engine=engine, step=0.25)
    times = []
    for _ in range(3):
        simulation.run(impacts=1)
        times.append(simulation.time)
        assert len(simulation.impacts) == len(times)
    assert times == [1.0] * 3


@ENGINES
def test_a_number_of_impacts_stops_inside_a_last_step_that_is_shorter(engine):
    simulation = two_balls(engine, step=2.0)
    simulation.run(until=3.5, impacts=1)
    assert simulation.time == 3.0
    simulation.run(until=3.5)
    assert simulation.time == 3.5
    assert simulation.position[1, 0] == 5.5
    simulation.run(until=9.0)
    assert simulation.position[1, 0] == 11.0


def test_a_short_step_that_was_stopped_in_its_middle_may_end_later_than_it_was_to():
    def falling():
        balls = [Ball((0, 9, 0), radius=1), Ball((5, 2, 0), (0, -1, 0), radius=1)]
        return Simulation(balls, [FLOOR], (0, -1, 0), step=1.0, engine="steps")

    whole, stopped = falling(), falling()
    whole.run(until=4.0)
    stopped.run(until=0.9, impacts=1)
    assert 0.0 < stopped.time < 0.9
    stopped.run(until=4.0)
    assert stopped.time == 4.0
    assert stopped.velocity[0] == pytest.approx(whole.velocity[0], abs=1e-13)  # all of each kick
    assert stopped.position[0] == pytest.approx(whole.position[0], abs=0.1)


@pytest.mark.compiled_only
@ENGINES
def test_a_gas_that_flies_apart_comes_to_its_last_impact(engine):
    random = np.random.default_rng(1)
    places = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T * 3.0
    balls = [Ball(x, random.normal(size=3), radius=0.9) for x in places]
    simulation = Simulation(balls, engine=engine, step=0.1)
    with pytest.raises(RuntimeError, match="no more will come"):
        simulation.run(impacts=100_000)
    came = len(simulation.impacts)
    again = Simulation(balls, engine=engine, step=0.1)
    again.run(until=1e4)
    assert len(again.impacts) == came > 3


@ENGINES
def test_balls_that_fall_past_everything_hit_nothing_any_more(engine):
    balls = [Ball((0, -2, 0), radius=1), Ball((5, -3, 0), (1, 0, 0), radius=1)]
    pillar = Cylinder((0, 0, 0), (0, 0, 1), 0.5)
    simulation = Simulation(balls, [FLOOR, pillar], (0, -1, 0), engine=engine)
    with pytest.raises(RuntimeError, match="only 0 of 1"):
        simulation.run(impacts=1)


DOWN, STILL = (0, -1, 0), (0, 0, 0)
TUBE, BOULDER = Cylinder((0, 0, 0), (0, 1, 0), 2.0), Sphere((0, 0, 0), 1.0)


@ENGINES
@pytest.mark.parametrize(
    ("ball", "obstacle", "gravity", "hits"),
    [
        (Ball((0, 0, 0), radius=1), TUBE, DOWN, False),  # falls along its axis
        (Ball((0, 0, 0), (0, 3, 0), radius=1), TUBE, STILL, False),
        (Ball((0, 0, 0), (0, 3, 1e-3), radius=1), TUBE, STILL, True),
        (Ball((5, 0, 0), (1, 0, 0), radius=1), TUBE, DOWN, False),  # outside, away from it
        (Ball((-5, 3, 0), (1, 0, 0), radius=1), BOULDER, STILL, False),
        (Ball((-5, 1.5, 0), (1, 0, 0), radius=1), BOULDER, STILL, True),
        (Ball((3, 5, 0), radius=1), BOULDER, DOWN, False),  # falls past it
        (Ball((1, 5, 0), radius=1), BOULDER, DOWN, True),
    ],
)
def test_a_ball_hits_an_obstacle_or_never_will(engine, ball, obstacle, gravity, hits):
    simulation = Simulation([ball], [obstacle], gravity, engine=engine, step=0.01)
    if hits:
        simulation.run(impacts=1)
        assert simulation.impacts.kind[-1] == "obstacle"
    else:
        with pytest.raises(RuntimeError, match="only 0 of 1 impacts came, and no more"):
            simulation.run(impacts=1)


@pytest.mark.parametrize(("speed", "kind"), [(0, "rest"), (1, "slide")])
def test_after_it_has_come_to_rest_or_slides_a_ball_hits_nothing_any_more(speed, kind):
    ball = Ball((0, 2, 0), (speed, 0, 0), radius=1, restitution=0.5)
    simulation = Simulation([ball], [FLOOR], (0, -9.81, 0), engine="events")
    with pytest.raises(RuntimeError, match="no more will come"):
        simulation.run(impacts=1000)
    assert simulation.impacts.kind[-1] == kind
    assert simulation.time == simulation.impacts.t[-1]


@pytest.mark.parametrize(
    ("axes", "velocity", "message"),
    [
        ((True, True, True), ((1, 0, 0), (1, 0, 0)), "only 0 of 1"),  # side by side
        ((True, True, True), ((1, 0, 0), (0, 1, 0)), "only 0 of 1"),  # each in its own lane
        ((True, True, False), ((1, 0, 0), (0, 1, 0.5)), "only 0 of 1"),  # and apart
    ],
)
@pytest.mark.compiled_only
def test_balls_that_pass_by_in_a_periodic_box_are_not_waited_for(axes, velocity, message):
    box = Box(TVector(0, 0, 0), TVector(20, 20, 20), axes)
    balls = [Ball((0, 0, 0), velocity[0], radius=0.5), Ball((5, 5, 5), velocity[1], radius=0.5)]
    simulation = Simulation(balls, engine="events", box=box)
    with pytest.raises(RuntimeError, match=message):
        simulation.run(impacts=1)


@pytest.mark.parametrize("shear_rate", [0.0, 1.0])
@pytest.mark.parametrize(
    ("place", "velocity"),
    [
        ((2, 5, 7), (0.3, 0.2, 0)),  # in planes of their own, across z
        ((2, 7, 2), (0.3, 0, 0.2)),  # across y
        ((2, 5, 2 + 2.1e-4), (0.3, 0, 0)),  # a tenth of a radius apart
    ],
)
def test_balls_that_never_meet_across_the_axes_of_their_motion_are_not_waited_for(
    shear_rate, place, velocity
):
    """Balls so small have mean free times of 1e8 flights through the box: before, the run went
    through a thousand of these."""
    box = Box(TVector(0, 0, 0), TVector(10, 10, 10), (True,) * 3, shear_rate)
    balls = [Ball((2, 5, 2), radius=1e-4), Ball(place, velocity, radius=1e-4)]
    simulation = Simulation(balls, engine="events", box=box)
    with pytest.raises(RuntimeError, match="only 0 of 1"):
        simulation.run(impacts=1)


@pytest.mark.compiled_only
def test_a_single_ball_in_a_sheared_box_is_not_waited_for():
    box = Box(TVector(0, 0, 0), TVector(10, 10, 10), (True,) * 3, 1.0)
    simulation = Simulation([Ball((2, 5, 2), (1, 1, 1), radius=1e-4)], engine="events", box=box)
    with pytest.raises(RuntimeError, match="only 0 of 1"):
        simulation.run(impacts=1)


def test_a_run_that_stops_before_it_has_begun_does_not_go_back_in_time():
    simulation = two_balls("events")
    simulation.run(until=4.0)
    list(simulation.batches(8.0, is_interrupted=lambda: True))
    assert simulation.time == 4.0
    assert simulation.position[1, 0] == 6.0


@pytest.mark.compiled_only
def test_a_ball_freed_from_a_jam_by_hand_goes_on():
    tube = Cylinder((0, 0, 0), (0, 1, 0), 1.0)
    simulation = Simulation([Ball((0.5, 0, 0), (1, 0.25, 0), radius=2.0)], [tube], engine="events")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="ball 0 is jammed"):
            simulation.run(impacts=10**6)
    simulation.position[0] = (9.0, 0.0, 0.0)
    simulation.velocity[0] = (-1.0, 0.0, 0.0)
    simulation.run(impacts=1)
    assert simulation.position[0, 0] == pytest.approx(3.0)


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_the_next_impact_may_be_more_than_a_thousand_steps_away(engine):
    simulation = Simulation(
        [Ball((0, 0, 0), (1, 0, 0), radius=0.5)], [Plane((20, 0, 0), (-1, 0, 0))], engine=engine
    )
    row = simulation.next_impact()
    assert row is None if engine == "steps" else row.t == 19.5
    assert (simulation.next_impact() if row is None else row).t == pytest.approx(19.5)
