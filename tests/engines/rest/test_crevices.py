"""Balls in the crevice between a floor and an edge that hangs over it."""

import numpy as np
import pytest

from spheresim import Ball, Mesh, Plane, Simulation

RADIUS = 0.5


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_a_ball_in_a_crevice_goes_on_along_it(engine):
    # Without friction nothing acts along the edge. Where rounding led a ball into the edge, the
    # exact engine stopped it after 30,000 impacts at one time, and let it sleep.
    for seed in range(12):
        rng = np.random.default_rng(seed)
        height, turn = rng.uniform(1.1, 1.9) * RADIUS, rng.uniform(0.0, 2.0 * np.pi)
        along = np.array([np.cos(turn), 0.0, np.sin(turn)])
        across = np.array([-along[2], 0.0, along[0]])
        up = np.array([0.0, 1.0, 0.0])
        ends = [height * up + 20.0 * along, height * up - 20.0 * along]
        vertices = ends + [end + 2.0 * across + rng.uniform(0.0, 2.0) * up for end in ends]
        velocity = along * rng.normal(0.0, 3.0) + across * rng.uniform(0.5, 3.0)
        simulation = Simulation(
            [Ball(RADIUS * up - across, velocity, radius=RADIUS, restitution=0.3)],
            [Plane((0, 0, 0), up), Mesh(vertices, [(0, 1, 2), (1, 3, 2)])],
            gravity=(0, -9.81, 0),
            engine=engine,
        )
        simulation.run(until=2.0)
        ball = simulation.balls[0]
        assert np.dot(ball.velocity, along) == pytest.approx(np.dot(velocity, along), abs=1e-9)
        assert np.dot(ball.velocity, ball.velocity) <= np.dot(velocity, velocity)
        assert simulation.tally.obstacle_impacts < 500
