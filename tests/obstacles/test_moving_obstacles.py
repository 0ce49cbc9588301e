"""Obstacles that move: where they are at a time, and when a ball meets them first."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from spheresim import (
    Ball,
    ConstantVelocity,
    Cuboid,
    Cylinder,
    Obstacle,
    Oscillation,
    PiecewiseMotion,
    Piston,
    Plane,
    Sphere,
    SteadyRotation,
    Thermal,
    TVector,
)
from spheresim.model.state import build
from spheresim.obstacles.driven_walls.frame import BallPath
from spheresim.obstacles.driven_walls.moving_walls import wall_records
from spheresim.obstacles.driven_walls.replay import frames_at, records_after
from spheresim.obstacles.driven_walls.toi import Flight, first_meeting
from spheresim.obstacles.table import clearance

FLOOR = Plane((0, 0, 0), (0, 1, 0))
NOTHING = TVector(0.0, 0.0, 0.0)


def world_of(shape, motion):
    world, _ = build([Ball((0, 50, 0), radius=0.1)], [Obstacle(shape, motion=motion)], NOTHING)
    return world


def meeting(world, x, v, g, radius, until, time=0.0):
    """The earliest meeting with any row of the only obstacle."""
    records = wall_records(world.walls)
    flight = Flight(BallPath(x, v, g), radius, time, until)
    found = [
        first_meeting(world.walls, records, world.obstacles, k, flight)
        for k in world.walls.rows.tolist()
    ]
    assert all(met.is_sure for met in found)
    return min(met.time for met in found)


def sampled_meeting(world, x, v, g, radius, until):
    """The same by small steps, and a root between two of them."""
    records = wall_records(world.walls)

    def room(t):
        there = x + (v + g * (0.5 * t)) * t
        seen = frames_at(world.walls, records, t)[0].seen(there)
        rows = world.walls.rows.tolist()
        return min(clearance(world.obstacles, k, seen) for k in rows) - radius

    times = np.linspace(0.0, until, 200)
    rooms = [room(t) for t in times.tolist()]
    inside = [k for k, far in enumerate(rooms) if far < 0.0]
    if not inside:
        return math.inf, min(rooms)
    k = inside[0]
    return brentq(room, times[k - 1], times[k], xtol=1e-15), min(rooms)


def test_a_ball_meets_a_vibrating_plane_at_the_first_root_of_all():
    random = np.random.default_rng(1)
    met = 0
    for _ in range(30):
        amplitude, frequency, phase = random.uniform((0.01, 0.2, 0), (1, 5, 360)).tolist()
        world = world_of(FLOOR, Oscillation(amplitude, frequency, (0, 1, 0), phase))
        x = TVector(0.0, 0.1 + 2.0 * amplitude + random.uniform(0, 1) ** 4, 0.0)
        v, g = TVector(1.0, random.uniform(-3, 3), 0.0), TVector(0.0, -random.uniform(0, 10), 0.0)
        ahead = np.linspace(0.0, 2.0, 20_001)
        turn, start = 2.0 * math.pi * frequency, math.radians(phase)

        def room(t, x=x, v=v, g=g, a=amplitude, w=turn, phi=start):
            wall = a * (np.sin(w * t + phi) - math.sin(phi))
            return x.y + v.y * t + 0.5 * g.y * t * t - 0.1 - wall

        below = np.flatnonzero(room(ahead) < 0.0)
        found = meeting(world, x, v, g, 0.1, 2.0)
        if len(below) == 0:
            assert found == math.inf
            continue
        met += 1
        exact = brentq(room, ahead[below[0] - 1], ahead[below[0]], xtol=1e-16, rtol=1e-15)
        assert found == pytest.approx(exact, abs=1e-14)
    assert met > 10


SHAPES = {
    "pillar": Cylinder((0, 0, 0), (0, 0, 1), 0.5),
    "tube": Cylinder((0.2, 0, 0), (0, 0, 1), 2.5),
    "ball": Sphere((0.3, 0, 0), 0.4),
    "cuboid": Cuboid((0.2, 0, 0), (1.0, 0.6, 0.8)),
}
MOTIONS = {
    "velocity": ConstantVelocity((0.5, 0.4, 0.1)),
    "oscillation": Oscillation(0.4, 0.7, (1, 1, 0), 40),
    "rotation": SteadyRotation((0, 1, 3), 0.4, (0.2, -0.1, 0)),
    "piecewise": PiecewiseMotion((0, 0.5, 0.8), [(0, 0, 0), (0.4, 0.3, 0), (0.1, 0, 0.2)]),
}


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_ball_meets_what_moves_when_it_first_comes_within_its_radius(shape, motion):
    random, world = np.random.default_rng(2), world_of(SHAPES[shape], MOTIONS[motion])
    far = 1.0 if shape == "tube" else 2.0
    met = 0
    for _ in range(3):
        way = random.normal(size=3)
        place = far * way / np.linalg.norm(way) * (1, 1, 0.5)
        if shape != "tube" and np.hypot(place[0], place[1]) < 1.2:
            place[0] += 1.5
        x, g = TVector(place), TVector(0.5 * random.normal(size=3))
        goal = frames_at(world.walls, wall_records(world.walls), 0.6)[0].offset
        aim = 0.0 if shape == "tube" else 1.0 / 0.6
        v = TVector(0.3 * random.normal(size=3) + aim * (np.array(goal) - place))
        exact, least = sampled_meeting(world, x, v, g, 0.15, 2.5)
        found = meeting(world, x, v, g, 0.15, 2.5)
        if exact == math.inf and least < 1e-3:
            continue  # it may graze between two samples
        met += exact < math.inf
        assert found == pytest.approx(exact, abs=1e-11)
    assert met > 0, "all pass by"


def test_a_ball_that_leaves_a_vibrating_plane_is_caught_up_by_it():
    world = world_of(FLOOR, Oscillation(1.0, 1.0, (0, 1, 0), 180))
    # At t = 0 the plane goes down with 2π; the ball stays where it touches it.
    time = meeting(world, TVector(0.0, 0.1, 0.0), NOTHING, NOTHING, 0.1, 3.0)
    assert time == pytest.approx(0.5, abs=1e-12)  # when it is back


def test_displacements_count_from_where_an_obstacle_is_at_first():
    walls = [
        Obstacle(FLOOR, motion=motion)
        for motion in (
            ConstantVelocity((1, 2, 3)),
            Oscillation(0.5, 2.0, (0, 3, 0), 30),
            SteadyRotation((0, 0, 1), 0.25, (1, 0, 0)),
            PiecewiseMotion((0, 1, 3), [(0, 0, 0), (0, 1, 0), (4, 1, 0)]),
            Piston(2.0, 3.0, 1.0),
        )
    ]
    world, _ = build([Ball((0, 5, 0), radius=1)], [Obstacle(FLOOR), *walls], NOTHING)
    records = wall_records(world.walls)
    at_once, later = (frames_at(world.walls, records, time) for time in (0.0, 2.0))
    assert sorted(at_once) == [1, 2, 3, 4, 5]
    for frame in at_once.values():
        assert frame.seen((1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0) or frame.rate
    assert later[1].offset == (2, 4, 6)
    assert later[2].offset.y == pytest.approx(0.5 * (math.sin(math.pi / 6) - 0.5), abs=1e-15)
    assert tuple(later[3].seen(TVector(1.0, 1.0, 0.0))) == pytest.approx((1, -1, 0))
    assert later[3].velocity_at(TVector(1.0, 1.0, 0.0)).x == pytest.approx(-math.pi / 2)
    assert later[4].offset == (2, 1, 0)
    assert later[5].offset.y == pytest.approx(1.0 * 2.0 + 0.5 * 1.5 * 4.0)
    assert later[5].velocity.y == pytest.approx(4.0)


def test_an_impact_changes_the_speed_of_a_piston_by_its_impulse_over_its_mass():
    world = world_of(FLOOR, Piston(2.0, 3.0, 1.0))
    records = wall_records(world.walls)
    after = records_after(world.walls, records, np.array([1.0]), np.array([0]), np.array([5.0]))
    (frame,) = frames_at(world.walls, after, 1.0).values()
    assert frame.offset.y == pytest.approx(1.75)
    assert frame.velocity.y == pytest.approx(1.0 + 1.5 - 2.5)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Oscillation(-1, 1, (0, 1, 0)), "amplitude must be at least 0, not -1"),
        (lambda: Oscillation(1, 0, (0, 1, 0)), "frequency must be greater than 0, not 0"),
        (lambda: Oscillation(1, 1, (0, 0, 0)), "axis must have a direction"),
        (lambda: PiecewiseMotion((0, 1), [(0, 0, 0)]), "equally many, at least 2, not 2 and 1"),
        (lambda: PiecewiseMotion((1, 2), [(0, 0, 0)] * 2), r"with 0 and increase, not \[1.0, 2"),
        (lambda: PiecewiseMotion((0, 1), [(1, 0, 0)] * 2), "first offset must be 0, 0, 0, not"),
        (lambda: Piston(0), "mass must be greater than 0, not 0"),
        (lambda: Thermal(-1), "temperature must be greater than 0, not -1"),
        (lambda: Thermal(1, "none"), 'components must be "all" or "normal", not \'none\''),
        (lambda: Thermal(1, seed=2**32), "seed must be at most 4294967295, not 4294967296"),
    ],
)
def test_what_cannot_be_a_motion_is_refused_in_one_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
