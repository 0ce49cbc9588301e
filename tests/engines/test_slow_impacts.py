"""Slow balls on a level floor: they bounce as fast ones do, and push what lies there alone."""

import numpy as np
import pytest

from spheresim import Ball, Obstacle, Plane, Simulation

RADIUS, RESTITUTION = 0.5, 0.8
FLOOR = Obstacle(Plane((0, 0, 0), (0, 0, 1)), RESTITUTION)
CUSHION = Obstacle(Plane((0.6, 0, 0), (-1, 0, 0)), RESTITUTION)
SPEEDS = [0.3, 0.09, 0.04, 0.01]  # in a step gravity adds 0.049


def velocities(engine, speeds, obstacles=(FLOOR,)):
    """The velocities along x of balls 1.1 apart that start with these, after they have met."""
    balls = [
        Ball((1.1 * k, 0, RADIUS), (v, 0, 0), RADIUS, restitution=RESTITUTION)
        for k, v in enumerate(speeds)
    ]
    simulation = Simulation(balls, obstacles, (0, 0, -9.81), 0.005, engine)
    simulation.run(until=0.2 / speeds[0])
    return simulation.velocity[:, 0] / speeds[0]


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", SPEEDS)
def test_a_cushion_gives_back_its_part_of_any_speed(engine, speed):
    """With fixed steps a ball slower than 0.1 stuck to the cushion."""
    assert velocities(engine, [speed], [FLOOR, CUSHION]) == pytest.approx([-RESTITUTION])


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", SPEEDS)
def test_a_ball_that_lies_alone_is_pushed(engine, speed):
    """With fixed steps it slept on, and stood like a wall."""
    after = [(1.0 - RESTITUTION) / 2.0, (1.0 + RESTITUTION) / 2.0]
    assert velocities(engine, [speed, 0.0]) == pytest.approx(after, abs=1e-3)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", SPEEDS)
def test_a_ball_that_lies_alone_is_pushed_also_after_an_edit(engine, speed):
    """In the exact engine it slept on, and stood like a wall."""
    balls = [Ball((1.1 * k, 0, RADIUS), radius=RADIUS, restitution=RESTITUTION) for k in range(2)]
    simulation = Simulation(balls, [FLOOR], (0, 0, -9.81), 0.005, engine)
    simulation.run(until=1.0)
    assert simulation.asleep.all()
    simulation.velocity[0] = (speed, 0, 0)
    simulation.run(until=1.0 + 0.2 / speed)
    after = [(1.0 - RESTITUTION) / 2.0, (1.0 + RESTITUTION) / 2.0]
    assert simulation.velocity[:, 0] / speed == pytest.approx(after, abs=1e-3)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", SPEEDS)
def test_two_that_slide_towards_each_other_part(engine, speed):
    """With fixed steps they went on side by side."""
    mean, apart = 0.25, 0.75 * RESTITUTION
    after = velocities(engine, [speed, -0.5 * speed])
    assert after == pytest.approx([mean - apart, mean + apart], abs=1e-3)


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_the_slightest_push_keeps_the_momentum(engine):
    """They part by no more than with that restitution: below `rest_height` they need not bounce."""
    after = velocities(engine, [1e-4, 0.0])
    assert np.sum(after) == pytest.approx(1.0, abs=1e-6)
    assert -1e-6 < after[1] - after[0] < RESTITUTION


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", [1.0, 0.05, 0.01])
@pytest.mark.parametrize("restitution", [0.99, 0.5])
def test_the_last_of_a_row_that_touches_leaves_as_from_one_impact_after_the_other(
    engine, speed, restitution
):
    """With fixed steps all went on together, if they were slow."""
    radius = 0.05
    row = [Ball((2.0 * radius * k, 0, radius), radius=radius) for k in range(5)]
    balls = [*row, Ball((-4.0 * radius, 0, radius), (speed, 0, 0), radius)]
    for ball in balls:
        ball.restitution = restitution
    floor = Obstacle(FLOOR.shape, restitution)
    simulation = Simulation(balls, [floor], (0, 0, -9.81), 0.002, engine)
    simulation.run(until=0.15 / speed + 0.3)
    left = speed * ((1.0 + restitution) / 2.0) ** 5
    assert simulation.velocity[4, 0] == pytest.approx(left, rel=1e-2)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize(
    ("speed", "gap", "hit"), [(0.02, 1e-3, 2), (0.05, 1e-3, 3), (0.02, 1e-2, 3)]
)
def test_of_a_row_as_many_leave_as_have_come(engine, speed, gap, hit):
    """After several impacts in a row they once stuck together, though nothing presses them."""
    radius, pitch, restitution = 0.1, 0.2 + gap, 0.99
    row = [(k * pitch, 0.0) for k in range(4)] + [(-0.3 - k * pitch, speed) for k in range(hit)]
    balls = [Ball((x, 0, radius), (v, 0, 0), radius, restitution=restitution) for x, v in row]
    floor = Obstacle(FLOOR.shape, restitution)
    simulation = Simulation(balls, [floor], (0, 0, -9.81), 0.002, engine)
    simulation.run(until=(1.0 + 10.0 * gap) / speed)
    leave = [0.0] * (4 - hit) + [0.98] * hit + [0.0] * hit
    assert simulation.velocity[:, 0] / speed == pytest.approx(leave, abs=0.02)


@pytest.mark.parametrize("step", [5e-3, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("speed", [1e-4, 1e-2])
def test_balls_that_do_not_bounce_go_on_side_by_side_with_any_step(step, speed):
    """They part to their clearance within some steps, and once kept that speed: with steps of 1e-5
    and a speed of 1e-4 they had 8,000 times the energy."""
    places = [(0.0, speed), (1.0 + 0.02 * speed, 0.0)]
    balls = [Ball((x, 0, RADIUS), (v, 0, 0), RADIUS, restitution=0.0) for x, v in places]
    simulation = Simulation(balls, [FLOOR], (0, 0, -9.81), step, "steps")
    simulation.run(until=0.02 + 40.0 * step)
    assert simulation.velocity[:, 0] / speed == pytest.approx([0.5, 0.5], abs=1e-3)
