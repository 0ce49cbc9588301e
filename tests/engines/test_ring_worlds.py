"""Balls in the mouths of rings: what stops them, and that nothing gets inside, in both engines."""

import math
import warnings

import numpy as np
import pytest
from ring_worlds import RingWorld, ring_world
from surfaces import signed_distance

from spheresim import Ball, Ring, Simulation

ENGINES = ["events", "steps"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("step", [10.0, 0.3, 0.001])
def test_a_ball_that_leaves_one_side_of_a_mouth_hits_the_other(engine, step):
    ball = Ball((0.35, 0, 0), (-1, 0, 0), radius=0.4)
    simulation = Simulation(
        [ball], [Ring((0, 0, 0), (0, 0, 1), 1.0, 0.25)], (0, 0, 0), step, engine
    )
    simulation.run(until=10.0)
    assert simulation.impacts.t == pytest.approx(np.arange(1, 15) * 0.7, abs=1e-12)
    assert simulation.position[0] == pytest.approx((0.15, 0, 0), abs=1e-12)


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_without_gravity_a_ball_goes_round_in_the_mouth_of_a_ring(engine, restitution):
    # By hops, of which those that lose something take a part of the speed.
    ball = Ball((0.35, 0, 0), (0, 1, 0), radius=0.4, restitution=restitution)
    ring = Ring((0, 0, 0), (0, 0, 1), 1.0, 0.25)
    simulation = Simulation([ball], [ring], (0, 0, 0), 0.01, engine)
    for until in (0.2, 0.9, 2.0):
        simulation.run(until=until)
        (x, y, _), angle = simulation.position[0], until / 0.35
        assert math.hypot(x, y) <= 0.35 * (1.0 + 1e-12)
        assert (x, y) == pytest.approx((0.35 * math.cos(angle), 0.35 * math.sin(angle)), abs=4e-3)
    assert np.linalg.norm(simulation.velocity[0]) == pytest.approx(1.0, abs=4e-3)
    assert simulation.tally.obstacle_impacts < 30_000


@pytest.mark.compiled_only
@pytest.mark.parametrize("angle", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("up", [0.05, 0.2, 0.4])
def test_without_gravity_a_ball_slides_along_a_geodesic_of_a_torus(up, angle):
    """Clairaut's relation: the speed, and the angular momentum about the axis of the ring, are
    conserved. The ball leaves where its path is straight, though the surface bends both ways."""
    place = (2.0 - 0.7 * math.cos(angle), 0.0, 0.7 * math.sin(angle))
    velocity = (-up * math.sin(angle), math.sqrt(1.0 - up * up), -up * math.cos(angle))
    ball = Ball(place, velocity, radius=0.2, restitution=0.0)
    ring = Ring((0, 0, 0), (0, 0, 1), 2.0, 0.5)
    simulation = Simulation([ball], [ring], (0, 0, 0), engine="events")
    slid = 0
    while simulation.time < 5.0:
        simulation.run(until=simulation.time + 0.01)
        if not simulation.sliding[0]:
            continue
        (x, y, z), v = simulation.position[0], simulation.velocity[0]
        slid += 1
        assert math.hypot(math.hypot(x, y) - 2.0, z) == pytest.approx(0.7, abs=2e-11)
        assert np.linalg.norm(v) == pytest.approx(1.0, abs=1e-12)
        assert x * v[1] - y * v[0] == pytest.approx(place[0] * velocity[1], abs=2e-8)
    assert slid > 50
    assert not simulation.sliding[0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("height", [1.0, 0.5, 0.3, 0.1])  # from .3 it once fell through, in steps
def test_a_ball_as_wide_as_the_hole_of_a_ring_rests_in_it(engine, height, speed):
    ball = Ball((0, 0, height), (0, 0, -speed), radius=0.75, restitution=0.5)
    ring = Ring((0, 0, 0), (0, 0, 1), 1.0, 0.25)
    simulation = Simulation([ball], [ring], (0, 0, -10), 0.01, engine)
    simulation.run(until=0.01)
    assert not simulation.asleep[0]  # in the air above the ring, as it once was
    simulation.run(until=3.0)
    assert simulation.position[0] == pytest.approx((0, 0, 0), abs=1e-4)
    assert simulation.velocity[0] == pytest.approx((0, 0, 0), abs=1e-4)


@pytest.mark.compiled_only
@pytest.mark.cases(2)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", range(0, 400, 20))
def test_in_random_worlds_no_ball_gets_into_a_ring_or_a_bar(first, engine):
    worlds = {seed: ring_world(seed) for seed in range(first, first + 20)}
    deepest = {seed: _deepest(world, engine) for seed, world in worlds.items() if world.balls}
    assert max(deepest.values()) < 1e-8, deepest


def _deepest(world: RingWorld, engine: str) -> float:
    """How deep a ball was in an obstacle in three units of time, in units of its radius."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # large steps
        simulation = Simulation(world.balls, world.obstacles, world.gravity, world.step, engine)
    simulation.log_impacts(False)
    deepest, radius = 0.0, simulation.world.radius
    for until in np.arange(0.1, 3.01, 0.1):
        simulation.run(until=float(until))
        deepest = max(deepest, float((-world.gaps(simulation.position, radius) / radius).max()))
    return deepest


@pytest.mark.compiled_only
@pytest.mark.parametrize("axis", [(0.6, 0, 0.8), (1, 2, 3)])
@pytest.mark.parametrize("falls", [False, True])
@pytest.mark.parametrize("radius", [0.7500001, 0.8, 1.2])
def test_a_ball_that_leaves_a_mouth_by_its_axis_has_done_with_it(axis, falls, radius):
    # By rounding it touched both sides, went away from both, and "hit" them at the same moment
    # 30,000 times, after which the run could not go on.
    along = np.array(axis) / np.linalg.norm(axis)
    across = np.cross(along, (0, 1, 0)) / np.linalg.norm(np.cross(along, (0, 1, 0)))
    height = math.sqrt((radius + 0.25) ** 2 - 1.0)
    starts = [
        (1.5 * along, -along),
        (height * along, -along),
        (height * (1 + 1e-9) * along, across - along),
        (1.5 * along, 1e-9 * across - along),
    ]
    for place, velocity in starts:
        ball = Ball(place, velocity, radius=radius)
        ring, gravity = Ring((0, 0, 0), axis, 1.0, 0.25), -10.0 * falls * along
        simulation = Simulation([ball], [ring], gravity, engine="events", check=False)
        before = simulation.energy()
        for until in np.arange(0.1, 3.01, 0.1):
            simulation.run(until=float(until))
            gap = signed_distance(ring, simulation.position)[0] - radius
            assert gap > -1e-8 * radius
        assert simulation.energy() == pytest.approx(before, abs=1e-7)
