"""Coplanar triangles are one surface: for the way of a ball, and for the rows that tell it."""

import math
from itertools import pairwise

import numpy as np
import pytest

from spheresim import Ball, Mesh, Plane, Simulation

pytestmark = pytest.mark.compiled_only


def strip(triangles: int, turn: float) -> Mesh:
    """A level strip from x = 0 to 12 and y = -1 to 1, turned about z."""
    x = np.linspace(0.0, 12.0, triangles // 2 + 1)
    along, across = np.repeat(x, 2), np.tile([-1.0, 1.0], len(x))
    c, s = math.cos(turn), math.sin(turn)
    corners = np.column_stack([c * along - s * across, s * along + c * across, 0.0 * along])
    first = np.arange(0, triangles, 2)[:, None]
    return Mesh(corners, np.concatenate([first + np.array([0, 2, 1]), first + np.array([1, 2, 3])]))


def assert_as_over_a_plane(engine, floor, slope=0.0, turn=0.0, near=1e-11):
    """A ball slides along a level mesh, turned as `strip`, with the rows that a plane gives."""
    c, s = math.cos(turn), math.sin(turn)
    gravity = (10 * c * math.sin(slope), 10 * s * math.sin(slope), -10 * math.cos(slope))
    ball = Ball((0.5 * c, 0.5 * s, 0.2), (3 * c, 3 * s + 0.02, 0), radius=0.2, restitution=0.5)
    found = []
    for shape in (floor, Plane((0, 0, 0), (0, 0, 1))):
        simulation = Simulation([ball], [shape], gravity, 0.005, engine)
        simulation.run(until=1.5)
        found.append((simulation.impacts.kind.tolist(), simulation.position[0]))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=near)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("turn", [0.0, 0.7])
@pytest.mark.parametrize("triangles", [2, 24, 400])
def test_a_ball_slides_over_coplanar_triangles_as_over_a_plane(engine, slope, turn, triangles):
    assert_as_over_a_plane(engine, strip(triangles, turn), slope, turn)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("twice", [1, -1])
def test_triangles_that_are_given_twice_stop_a_ball_once(engine, twice):
    # Their seams were edges, on which a sliding ball was pushed aside.
    once = strip(24, 0.0)
    floor = Mesh(once.vertices, np.concatenate([once.triangles, once.triangles[:, ::twice]]))
    assert_as_over_a_plane(engine, floor)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("angle", [2e-9, 1e-8, 1e-7, 1e-6, 1e-4, -1e-8, -1e-6])
def test_over_the_seam_of_two_almost_level_floors_a_ball_enters_neither(engine, angle):
    # As of coordinates in single precision. Where the second floor rises by 1e-8, rounding took a
    # ball of the exact engine into it by 2e-8 radii, for it seemed to meet it before its seam.
    rng = np.random.default_rng(3)
    for _ in range(10):
        turn, seam = rng.uniform(0.0, 2.0 * math.pi), rng.uniform(0.2, 0.8)
        along = np.array([math.cos(turn), math.sin(turn), 0.0])
        across, up = np.array([-along[1], along[0], 0.0]), np.array([0.0, 0.0, 1.0])
        x, z = np.array([-3.0, seam, 4.0]), np.array([0.0, 0.0, (4.0 - seam) * angle])
        ends = x[:, None] * along + z[:, None] * up
        corners = np.concatenate([ends + 3.0 * across, ends - 3.0 * across])
        floor = Mesh(corners, [(0, 3, 1), (1, 3, 4), (1, 4, 2), (2, 4, 5)])
        ball = Ball(0.1 * up, along + 0.3 * across, radius=0.1, restitution=0.5)
        simulation = Simulation([ball], [floor], (0, 0, -10), 0.005, engine)
        for _ in range(25):
            simulation.run(until=simulation.time + 0.1)
            assert floor.gap(simulation.position[0]) >= 0.1 - 1e-10
        assert simulation.position[0] @ along > seam + 1.0


def floor_with_t_junctions(turn: float) -> Mesh:
    """A level floor like `strip`, of columns cut into 2, 3 and 4 parts: corners amid edges."""
    corners, triangles = [], []
    for k in range(12):
        y = np.linspace(-1.0, 1.0, 3 + k % 3)
        for a, b in pairwise(y):
            first = len(corners)
            corners += [(k, a), (k + 1, a), (k, b), (k + 1, b)]
            triangles += [(first, first + 1, first + 2), (first + 1, first + 3, first + 2)]
    c, s = math.cos(turn), math.sin(turn)
    x, y = np.transpose(corners)
    return Mesh(np.column_stack([c * x - s * y, s * x + c * y, 0.0 * x]), triangles)


def step(height: float) -> Mesh:
    """A level floor up to x = 2, and from there on one that is higher by so much."""
    ends = ((0.0, 0.0), (2.0, 0.0), (2.0, height), (9.0, height))
    corners = [(x, y, z) for x, z in ends for y in (-1.0, 1.0)]
    return Mesh(corners, [(0, 2, 1), (1, 2, 3), (4, 6, 5), (5, 6, 7)])


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_ball_slides_over_t_junctions_as_over_a_plane(engine, slope, turn):
    # Their edges are no seams of two triangles, and stopped it for good by rounding.
    # In fixed steps a push off an edge that is higher by rounding takes a part of the speed.
    near = 1e-11 if engine == "events" else 2e-3
    assert_as_over_a_plane(engine, floor_with_t_junctions(turn), slope, turn, near)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("speed", [3e-4, 0.03, 3.0, 30.0])
@pytest.mark.parametrize("height", [1e-12, 1e-11, 1e-10, 1e-9, 1e-8])
def test_a_ball_slides_up_a_small_step_if_it_has_the_energy(height, speed, restitution):
    # What rises by less than `rest_height` never left the lower floor, and hit the edge for ever.
    before = 2.0 * math.sqrt(0.4 * height)
    ball = Ball((2.0 - before, 0.03, 0.2), (speed, 0, 0), radius=0.2, restitution=restitution)
    simulation = Simulation([ball], [step(height)], (0, 0, -10), engine="events", check=False)
    simulation.run(until=20.0 * before / speed + 0.1)
    goes_up = 0.5 * speed**2 > 10.0 * height
    assert (simulation.position[0, 0] > 2.0) == goes_up
    if restitution < 0.9:
        level = 0.2 + (height if goes_up else 0.0)
        assert simulation.position[0, 2] == pytest.approx(level, abs=1e-11)
    # A blow on the edge takes the part of the speed that is towards it, by its steepness.
    there = math.sqrt(max(0.0, speed**2 - 20.0 * height)) if goes_up else -speed
    assert simulation.velocity[0, 0] == pytest.approx(there, rel=20.0 * height + 1e-8)
    assert simulation.tally.obstacle_impacts < 50


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("unevenness", [1e-10, 1e-9])
def test_a_ball_slides_over_plates_of_almost_one_height(engine, slope, unevenness):
    heights = unevenness * np.random.default_rng(1).uniform(-1.0, 1.0, 12)
    corners = [(k + x, y, z) for k, z in enumerate(heights) for x in (0, 1) for y in (-1, 1)]
    triangles = [(4 * k + a, 4 * k + 2, 4 * k + b) for k in range(12) for a, b in ((0, 1), (3, 1))]
    ball = Ball((0.5, 0.0, 0.2 + 2 * unevenness), (3, 0, 0), radius=0.2, restitution=0.5)
    gravity = (10 * math.sin(slope), 0, -10 * math.cos(slope))
    found = []
    for floor in (Mesh(corners, triangles), Plane((0, 0, 0), (0, 0, 1))):
        simulation = Simulation([ball], [floor], gravity, 0.005, engine)
        simulation.run(until=1.5)
        assert simulation.tally.obstacle_impacts < 100
        found.append(simulation.position[0])
    # Each edge takes about 2·height/radius of the speed, and there are a dozen.
    assert found[0] == pytest.approx(found[1], abs=300.0 * unevenness)
