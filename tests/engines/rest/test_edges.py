"""Balls at the edges of what has ends: they lie on an edge only where edges hold them."""

import math

import numpy as np
import pytest

from spheresim import Ball, Cuboid, Disc, Mesh, Obstacle, Plane, Polygon, Simulation

BOTH = pytest.mark.parametrize("engine", ["events", "steps"])
RADIUS = 0.5
G = 9.81
SQUARE = [(-2, 0, -2), (-2, 0, 2), (2, 0, 2), (2, 0, -2)]
ENDS_AT_TWO = {
    "cuboid": Cuboid((0, -1, 0), (4, 2, 4)),
    "mesh": Mesh(SQUARE, [(0, 1, 2), (0, 2, 3)]),
    "polygon": Polygon(SQUARE),
    "disc": Disc((0, 0, 0), (0, 1, 0), 2.0),
}
"""Tops at a height of 0 that end at x = 2."""


@BOTH
@pytest.mark.parametrize("shape", ENDS_AT_TWO.values(), ids=ENDS_AT_TWO)
def test_put_against_an_edge_at_rest_a_ball_slides_off(engine, shape):
    # In fixed steps it stayed, asleep: the equilibrium test had faces go on beyond their ends.
    for angle in (0.05, 0.3, 1.1):
        start = np.array((2.0 + RADIUS * math.sin(angle), RADIUS * math.cos(angle), 0.3))
        start[2] *= shape is not ENDS_AT_TWO["disc"]  # whose rim is at x = 2 there alone
        ball = Ball(start, radius=RADIUS, restitution=0.5)
        simulation = Simulation([ball], [Obstacle(shape, 0.5)], (0, -G, 0), 0.004, engine)
        simulation.run(until=2.0)
        assert not simulation.asleep[0]
        assert simulation.position[0, 1] < -RADIUS


@BOTH
@pytest.mark.parametrize("above", [0.0, 0.3])
def test_between_two_edges_a_ball_presses_on_both_alike(engine, above):
    # Two boxes, 0.6 from each other: the normals to the edges have a slope of 3 : 4.
    boxes = [Cuboid((x, -0.5, 0), (1, 1, 4)) for x in (-0.8, 0.8)]
    ball = Ball((0, 0.4 + above, 0), radius=RADIUS, restitution=0.5)
    obstacles = [Obstacle(box, 0.5) for box in boxes]
    simulation = Simulation([ball], obstacles, (0, -G, 0), engine=engine)
    simulation.run(until=20.0)
    assert simulation.asleep[0]
    left, right = sorted(simulation.contacts, key=lambda contact: contact.x)
    for contact, side in ((left, -1.0), (right, 1.0)):
        assert contact.force == pytest.approx(G / 1.6, rel=1e-9)
        assert (contact.x, contact.y) == pytest.approx((0.3 * side, 0.0), abs=1e-9)
        assert (contact.nx, contact.ny) == pytest.approx((-0.6 * side, 0.8), abs=1e-9)


@BOTH
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
            gravity=(0, -G, 0),
            engine=engine,
        )
        simulation.run(until=2.0)
        ball = simulation.balls[0]
        assert np.dot(ball.velocity, along) == pytest.approx(np.dot(velocity, along), abs=1e-9)
        assert np.dot(ball.velocity, ball.velocity) <= np.dot(velocity, velocity)
        assert simulation.tally.obstacle_impacts < 500
