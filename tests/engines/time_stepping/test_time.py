"""Time in the fixed-timestep engine: kicks, whole steps, shorter last ones, stopping between."""

import numpy as np
import pytest
from worlds import box, gas, set_up

from spheresim import Ball, Gate, Plane, Simulation
from spheresim.collision.impacts import BALL, joined

GRAVITY = (0.5, -9.75, 2.0)
ONLY_COMPILED = pytest.mark.compiled_only


@pytest.mark.parametrize("step", [0.1, 0.7, 1 / 3])
def test_step_k_begins_at_k_steps_and_not_at_a_running_sum(step):
    engine, _, state = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], step=step)
    for k in range(1, 200):
        engine.step_once()
        assert state.time[0] == k * step
    assert sum([step] * 199) != 199 * step  # such a sum would be seen


def test_a_step_kicks_first_and_then_flies_straight():
    # After n steps of v += g·h, x += v·h: v = v₀ + n·g·h, x = x₀ + n·h·v₀ + g·h²·n(n + 1)/2.
    step, n = 0.125, 40
    position, velocity, gravity = np.array([(1, 2, 3), (4, -5, 6), GRAVITY])
    engine, _, state = set_up([Ball(position, velocity, 1)], gravity=GRAVITY, step=step)
    engine.run(n * step)
    assert state.velocity[0] == pytest.approx(velocity + n * step * gravity, rel=1e-14)
    end = position + n * step * velocity + gravity * step**2 * n * (n + 1) / 2
    assert state.position[0] == pytest.approx(end, rel=1e-14)


def test_an_impact_inside_a_step_does_not_meet_gravity_again():
    # Kicked to 3 down, 1.5 to fall: at t = .5 it bounces, and flies up at 3 for the other half.
    floor = Plane((0, 0, 0), (0, 1, 0))
    ball = Ball((0, 2.5, 0), (0, -1, 0), 1)
    engine, _, state = set_up([ball], [floor], gravity=(0, -2, 0), step=1.0)
    assert joined(engine.step_once()).t.tolist() == [0.5]
    assert (state.position[0, 1], state.velocity[0, 1]) == (2.5, 3.0)


def test_where_whole_steps_do_not_fit_the_last_is_shorter_and_its_kick_too():
    engine, _, state = set_up([Ball((0, 0, 0), radius=1)], gravity=(0, -8, 0), step=0.25)
    engine.run(0.625)  # two of .25 and one of .125
    assert state.time[0] == 0.625
    assert state.velocity[0, 1] == -5.0
    assert state.position[0, 1] == pytest.approx(-(2 + 4) * 0.25 - 5 * 0.125)
    assert engine.tally.steps == 3
    engine.run(1.125)  # from there on, whole steps again
    assert (state.time[0], engine.tally.steps) == (1.125, 5)
    assert state.velocity[0, 1] == -9.0


@pytest.mark.parametrize("ratio", [1e-15, 1e-12, 1e-9, 2e-9, 1e-3, 0.5, 1.0 + 1e-7, 2.5, 1e3 + 0.5])
@pytest.mark.parametrize("step", [1e-6, 1.0, 1e9])
def test_a_run_ends_at_its_time_whatever_the_step(ratio, step):
    """Less than 1e-9 of a step was once taken for rounding: the run stayed where it was."""
    until = ratio * step
    ball = Ball((0, 0, 0), (1 / until, 0, 0), radius=1)
    simulation = Simulation(ball, step=step)
    for part in (0.25, 1.0):
        simulation.run(until=part * until)
        assert simulation.time == part * until
        assert simulation.position[0, 0] == pytest.approx(part, rel=1e-12)
    simulation.restore(until / 4, simulation.position / 4, simulation.velocity)
    assert simulation.time == until / 4
    simulation.run(until=until)
    assert simulation.position[0, 0] == pytest.approx(1.0, rel=1e-12)


def test_crossings_in_a_small_part_of_a_step_are_counted_with_its_kick():
    # A run to t = 1 is a step of length 1: the kick makes the ball fast enough to cross the gate.
    simulation = Simulation(Ball((0, 0, 0), radius=1), (), (4, 0, 0), step=1e9)
    counts = simulation.count_crossings(Gate((3, 0, 0), (1, 0, 0)))
    simulation.run(until=1.0)
    assert simulation.position[0].tolist() == [4.0, 0.0, 0.0]
    assert (counts["ball"].forward, counts["ball"].backward) == (1, 0)


@pytest.mark.parametrize("count", [3, 7, 300, pytest.param(123457, marks=ONLY_COMPILED)])
def test_a_whole_number_of_steps_to_rounding_is_one(count):
    for step in (0.1, 0.01, 1 / 3, 0.6):
        for until in (count * step, np.nextafter(count * step, 0), np.nextafter(count * step, 1e9)):
            engine, _, state = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], step=step)
            engine.run(float(until))
            assert engine.tally.steps == count
            assert state.time[0] == count * step


def test_after_a_shorter_step_what_comes_is_still_seen_in_time():
    # The wall is reached at t = 100, a thousand steps after the start, the ball at t = 200.
    wall = Plane((102, 0, 0), (-1, 0, 0))
    balls = [Ball((1, 0, 0), (1, 0, 0), 1), Ball((-1, 0, 0), radius=1)]
    for ends in ([99.95], [50.03, 50.07], [33.33, 66.66, 99.99, 199.99]):
        engine, _, state = set_up(balls, [wall], step=0.1)
        batches = [batch for until in (*ends, 300.0) for batch in engine.run(until)]
        assert joined(batches).t == pytest.approx([100.0, 200.0])
        assert state.position[:, 0] == pytest.approx([1.0, -101.0])


def test_an_impact_at_the_very_end_of_a_step_happens_once():
    # The wall is reached at t = 1, 3, 5, …: at the border of steps of .5, .25 and 1.
    for step in (0.25, 0.5, 1.0):
        walls = [Plane((-2, 0, 0), (1, 0, 0)), Plane((2, 0, 0), (-1, 0, 0))]
        engine, _, _ = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], walls, step=step)
        assert joined(engine.run(10.0)).t.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    # And of two balls.
    balls = [Ball((-2, 0, 0), (1, 0, 0), 1), Ball((2, 0, 0), (-1, 0, 0), 1)]
    engine, _, _ = set_up(balls, step=0.5)
    assert joined(engine.run(10.0)).t.tolist() == [1.0]


def collected(setup, go):
    """All impacts and the final state, as bytes."""
    impacts = joined(go(setup.engine))
    arrays = (*impacts, setup.state.position, setup.state.velocity, setup.state.time)
    return [np.ascontiguousarray(array).tobytes() for array in arrays]


def one_call(engine):
    return engine.run(1.0)


def step_by_step(engine):
    return [batch for _ in range(20) for batch in engine.step_once()]


def from_impact_to_impact(engine):
    batches, arrived = [], False
    while not arrived:
        batches += engine.run(1.0, 1)
        arrived = len(batches[-1].t) == 0
    return batches


def now_this_now_that(engine):
    batches = engine.run(1.0, 1) + engine.run(0.25) + engine.step_once()
    for _ in range(10):
        batches += engine.run(1.0, 1)
    return batches + engine.step_once() + engine.run(1.0)


@ONLY_COMPILED
@pytest.mark.parametrize("slices", [0, pytest.param(150, marks=ONLY_COMPILED)])
@pytest.mark.parametrize("ways", [step_by_step, from_impact_to_impact, now_this_now_that])
def test_in_how_many_calls_time_goes_on_changes_no_bit(ways, slices):
    def fresh():
        return set_up(gas(3, seed=1), box(3.0), GRAVITY, step=0.05, slices=slices)

    assert collected(fresh(), ways) == collected(fresh(), one_call)


def test_after_next_impact_the_state_is_at_the_impact_and_the_step_goes_on():
    walls = [Plane((-3, 0, 0), (1, 0, 0)), Plane((3, 0, 0), (-1, 0, 0))]
    engine, _, state = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], walls, step=10.0)
    engine.run(100.0, 1)
    assert (state.time[0], state.position[0, 0], state.velocity[0, 0]) == (2.0, 2.0, -1.0)
    engine.step_once()
    assert (state.time[0], state.position[0, 0], engine.tally.steps) == (10.0, 2.0, 1)


def test_a_run_may_end_inside_a_step_that_has_begun():
    walls = [Plane((-3, 0, 0), (1, 0, 0)), Plane((3, 0, 0), (-1, 0, 0))]
    engine, _, state = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], walls, step=10.0)
    engine.run(100.0, 1)
    assert len(joined(engine.run(5.0)).t) == 0  # the bounce at t = 6 is still to come
    assert (state.time[0], state.position[0, 0]) == (5.0, -1.0)
    assert joined(engine.run(8.0)).t.tolist() == [6.0]
    assert (state.time[0], state.position[0, 0]) == (8.0, 0.0)


def test_without_an_impact_to_come_next_impact_goes_to_the_time_before_which_it_was_to_be():
    engine, _, state = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], step=0.5)
    assert len(joined(engine.run(3.25, 1)).t) == 0
    assert (state.time[0], state.position[0, 0]) == (3.25, 3.25)


@ONLY_COMPILED
@pytest.mark.parametrize("slices", [0, pytest.param(150, marks=ONLY_COMPILED)])
def test_what_is_written_into_the_state_is_adopted(slices):
    """Between two steps, the engine goes on as if it had been made there and then."""
    edited = set_up(gas(3, seed=2), box(3.0), GRAVITY, step=0.05, slices=slices)
    for _ in range(5):
        edited.engine.run(float(edited.state.time[0]) + 0.2)
        edited.state.velocity[3] = (2, -1, 0.5)
        edited.state.velocity[4:7] *= -1
        edited.state.position[8] = edited.state.position[9] + (
            0,
            0.01,
            0,
        )  # even where they overlap
        fresh = set_up(gas(3, seed=2), box(3.0), GRAVITY, step=0.05, slices=slices)
        fresh.state.position[:] = edited.state.position
        fresh.state.velocity[:] = edited.state.velocity
        for setup in (edited, fresh):
            for _ in range(4):
                setup.engine.step_once()
        assert fresh.state.position.tobytes() == edited.state.position.tobytes()
        assert fresh.state.velocity.tobytes() == edited.state.velocity.tobytes()


def test_a_velocity_written_at_an_impact_holds_for_the_rest_of_the_step():
    wall = Plane((3, 0, 0), (-1, 0, 0))
    engine, _, state = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], [wall], gravity=(0, -1, 0), step=4.0)
    engine.run(100.0, 1)  # at t = 2, kicked to v = (1, -4)
    state.velocity[0] = (-1, 1, 0)
    engine.step_once()
    assert state.position[0] == pytest.approx((0.0, -8.0 + 2.0, 0.0))
    assert state.velocity[0].tolist() == [-1, 1, 0]


def test_and_what_it_then_leads_to_in_that_step_happens():
    walls = [Plane((-3, 0, 0), (1, 0, 0)), Plane((3, 0, 0), (-1, 0, 0))]
    balls = [Ball((0, 0, 0), (1, 0, 0), 1), Ball((0, 10, 0), radius=1)]
    engine, _, state = set_up(balls, walls, step=16.0)
    engine.run(100.0, 1)  # with a wall, at t = 2
    state.velocity[0] = (-2, 0, 0)
    assert joined(engine.run(100.0, 1)).t.tolist() == [4.0]
    state.velocity[0] = (0, 0, 0)
    state.velocity[1] = (0, -10, 0)
    state.position[1] = (-2, 12, 0)
    impacts = joined(engine.step_once())
    assert (impacts.kind.tolist(), impacts.t.tolist()) == ([BALL], [5.0])


def stretch(engine, steps):
    """All impacts of some steps."""
    return joined([batch for _ in range(steps) for batch in engine.step_once()])


def bytes_of(state, impacts):
    return [np.ascontiguousarray(a).tobytes() for a in (*state, *impacts)]


def copied(state):
    return float(state.time[0]), state.position.copy(), state.velocity.copy()


@ONLY_COMPILED
@pytest.mark.parametrize("slices", [0, pytest.param(150, marks=ONLY_COMPILED)])
@pytest.mark.parametrize("gravity", [(0, 0, 0), GRAVITY])
def test_from_a_restored_state_the_same_steps_come_out_again(gravity, slices):
    # A step of .15 is no binary fraction: a time counted otherwise would be another one.
    engine, _, state = set_up(gas(3, seed=4), box(3.0), gravity, step=0.15, slices=slices)
    engine.run(4 * 0.15)
    then = copied(state)
    impacts = stretch(engine, 6)
    assert len(impacts.t) > 20
    assert {0, 1} == set(impacts.kind.tolist())
    first = bytes_of(state, impacts)
    engine.run(3.0)
    engine.restore(*then)
    assert bytes_of(state, stretch(engine, 6)) == first
    # And in a step that has begun, be it that very one.
    engine.restore(*then)
    engine.run(100.0, 1)
    engine.restore(*then)
    assert bytes_of(state, ()) == bytes_of([np.array([then[0]]), *then[1:]], ())
    assert bytes_of(state, stretch(engine, 6)) == first


def test_a_jam_that_was_left_is_not_remembered_where_a_restored_step_begins():
    # Between two walls hardly wider than the ball, 16 impacts in a row are "repeated".
    def fresh():
        walls = [Plane((-1.00001, 0, 0), (1, 0, 0)), Plane((1.00001, 0, 0), (-1, 0, 0))]
        ball = Ball((0, 0, 0), (1, 0, 0), 1, restitution=0.99)
        return set_up([ball], walls, step=0.001)

    engine, _, state = fresh()
    then = copied(state)
    for _ in range(30):
        engine.run(1.0, 1)
    engine.restore(*then)
    again = stretch(engine, 1)
    other = fresh()
    assert bytes_of(state, again) == bytes_of(other.state, stretch(other.engine, 1))
    assert again.vn_after[1] == pytest.approx(-0.99 * again.vn_before[1])


def test_a_restored_time_is_counted_from_where_it_was_or_from_itself():
    engine, _, state = set_up([Ball((0, 0, 0), (1, 0, 0), 1)], step=0.1)
    engine.run(0.55)  # from here on, steps are counted from .55
    for time, after in (
        (0.75, 0.55 + 3 * 0.1),
        (0.6, 7 * 0.1),
        (0.3, 4 * 0.1),
        (0.30000000000000004, 4 * 0.1),
    ):
        engine.restore(time, state.position.copy(), state.velocity.copy())
        engine.step_once()
        assert state.time[0] == after
    engine.restore(0.625, state.position.copy(), state.velocity.copy())
    assert state.time[0] == 0.625
    engine.step_once()
    assert state.time[0] == 0.725
    assert engine.tally.steps == 6 + 4 + 1  # what was done counts, whenever it was


def test_a_simulation_is_restored_from_what_it_was_told_and_from_nothing_else():
    simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), 1)], step=0.5)
    position = simulation.position.copy()
    simulation.run(until=2)
    simulation.restore(0.0, position, simulation.velocity)
    assert (simulation.time, simulation.balls[0].position.x) == (0.0, 0.0)
    simulation.run(until=1)
    assert simulation.balls[0].position.x == 1.0
    for wrong in (np.zeros((2, 3)), np.full((1, 3), np.nan)):
        with pytest.raises(ValueError, match="position"):
            simulation.restore(0.0, wrong, simulation.velocity)
        with pytest.raises(ValueError, match="velocity"):
            simulation.restore(0.0, position, wrong)
    assert simulation.balls[0].position.x == 1.0
