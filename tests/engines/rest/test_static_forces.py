"""What lies still: where, and how hard each contact presses, by the equations of statics.

Each arrangement is put in its place, or starts a little above it; in both engines.
"""

import math

import numpy as np
import pytest

from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation

pytestmark = pytest.mark.compiled_only
# In fixed steps it takes longer: run on request, and shorter in time_stepping/test_contact.py.
ENGINES = ["events", pytest.param("steps", marks=pytest.mark.study)]
BOTH = pytest.mark.parametrize("engine", ENGINES)
G = 9.81
DOWN = (0.0, -G, 0.0)
FLOOR = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.5, "floor")


def settled(engine, balls, obstacles, until=60.0, gravity=DOWN):
    """A simulation in which all balls are asleep at last."""
    for ball in balls:
        ball.restitution = 0.5
    simulation = Simulation(balls, obstacles, gravity, engine=engine)
    simulation.run(until=until)
    assert simulation.asleep.all()
    assert not simulation.sliding.any()
    assert not simulation.velocity.any()
    return simulation


def forces(simulation):
    """How hard each contact presses, by (i, j) and by (i, name of the obstacle)."""
    return {(c.i, c.obstacle or c.j): c.force for c in simulation.contacts}


def check_balance(simulation, gravity=DOWN):
    """The contact forces and the weight of each ball add up to nothing, and none pulls."""
    mass, radius = simulation.world.mass, simulation.world.radius
    total = mass[:, np.newaxis] * np.array(gravity)
    for c in simulation.contacts:
        normal = np.array((c.nx, c.ny, c.nz))
        assert c.force >= 0.0
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-15)
        total[c.i] += c.force * normal
        at = np.array((c.x, c.y, c.z))
        assert at == pytest.approx(simulation.position[c.i] - radius[c.i] * normal, abs=1e-9)
        if c.j >= 0:
            total[c.j] -= c.force * normal
    assert abs(total).max() <= 1e-9 * G * mass.sum()


def check_stays(simulation):
    """Asleep, nothing happens any more, and nothing moves by a bit."""
    places, rows = simulation.position.copy(), len(simulation.impacts)
    simulation.run(until=simulation.time + 100.0)
    assert (simulation.position == places).all()
    assert len(simulation.impacts) == rows


# --- Three balls carry a fourth -----------------------------------------------------------


@BOTH
@pytest.mark.parametrize("above", [0.0, 1e-3, 0.2])
@pytest.mark.parametrize("mass", [1.0, 5.0])
def test_three_balls_carry_a_fourth(engine, above, mass):
    # Three walls make a prism; a ball of radius 1 in each of its corners, 2.2 from the others.
    apart = 2.2
    to_wall = apart / math.sqrt(12.0) + 1.0
    walls, lower = [], []
    for k in range(3):
        angle = 2.0 * math.pi * k / 3.0
        outwards = np.array((math.cos(angle), 0.0, math.sin(angle)))
        lower.append(
            Ball(np.array((0, 1.0 + above, 0)) - outwards * apart / math.sqrt(3.0), radius=1)
        )
        walls.append(Obstacle(Plane(outwards * to_wall, -outwards), 0.5, f"wall {k}"))
    aside = apart / math.sqrt(3.0)
    rise = math.sqrt(4.0 - aside**2)
    top = Ball((0, 1.0 + rise + 3.0 * above, 0), radius=1, mass=mass)
    simulation = settled(engine, [*lower, top], [FLOOR, *walls])
    # Each carries a third of the weight, on a line that leans by the angle of which `rise` and
    # `aside` are the legs; a corner holds what pushes outwards with two forces at 60 degrees.
    push = mass * G / 3.0 * 2.0 / rise
    found = forces(simulation)
    for k in range(3):
        assert found[k, 3] == pytest.approx(push, rel=1e-9)
        assert found[k, "floor"] == pytest.approx(G + mass * G / 3.0, rel=1e-9)
        for other in {0, 1, 2} - {k}:
            assert found[k, f"wall {other}"] == pytest.approx(push * aside / 2.0, rel=1e-9)
    assert len(found) == 12
    assert simulation.position[3] == pytest.approx((0.0, 1.0 + rise, 0.0), abs=1e-9)
    check_balance(simulation)
    check_stays(simulation)


# --- One ball among obstacles ----------------------------------------------------------------


def turned(seed):
    """Three unit vectors at right angles, all of them upwards by more than 0.3."""
    random = np.random.default_rng(seed)
    while True:
        axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
        axes = axes * np.sign(axes[1])
        if axes[1].min() > 0.3:
            return axes.T


@BOTH
@pytest.mark.parametrize("above", [0.0, 1e-6, 0.3])
@pytest.mark.parametrize("seed", range(8))
def test_a_ball_in_a_corner_of_three_walls(engine, above, seed):
    random = np.random.default_rng(seed)
    # At right angles, or leaning: but so that each of the three must push.
    normals = turned(seed)
    if seed % 2:
        normals = normals + 0.1 * random.normal(size=(3, 3))
        normals /= np.linalg.norm(normals, axis=1)[:, np.newaxis]
    radius, mass, corner = 10.0 ** random.uniform(-1, 1), 3.0, random.normal(size=3)
    walls = [Obstacle(Plane(corner, n), 0.5, f"wall {k}") for k, n in enumerate(normals)]
    place = corner + radius * np.linalg.solve(normals, np.ones(3))
    ball = Ball(np.add(place, (0, above * radius, 0)), radius=radius, mass=mass)
    simulation = settled(engine, [ball], walls)
    expected = np.linalg.solve(normals.T, (0, mass * G, 0))
    assert expected.min() > 0.0
    found = forces(simulation)
    assert [found[0, f"wall {k}"] for k in range(3)] == pytest.approx(list(expected), rel=1e-9)
    assert simulation.position[0] == pytest.approx(place, abs=1e-9 * radius)
    check_balance(simulation)
    check_stays(simulation)


@BOTH
@pytest.mark.parametrize("above", [0.0, 1e-6, 0.3])
@pytest.mark.parametrize(("aside", "lower"), [(1.2, 0.0), (0.9, 0.0), (1.2, 0.5)])
def test_a_ball_in_a_groove_of_two_pillars(engine, above, aside, lower):
    # The axes lie at x = ± aside, the right one lower; radii .8 and .6, the ball's 1.
    pillars = [
        Obstacle(Cylinder((-aside, 0, 0), (0, 0, 1), 0.8), 0.5, "left"),
        Obstacle(Cylinder((aside, -lower, 0), (0, 0, 1), 0.6), 0.5, "right"),
    ]
    # The place is the upper point where circles of radii 1.8 and 1.6 around the axes cross.
    span = math.hypot(2.0 * aside, lower)
    along = (span**2 + 1.8**2 - 1.6**2) / (2.0 * span)
    off = math.sqrt(1.8**2 - along**2)
    x, y = 2.0 * aside / span, -lower / span
    place = np.array((-aside + along * x - off * y, along * y + off * x, 0.25))
    simulation = settled(engine, [Ball(np.add(place, (0, above, 0)), radius=1)], pillars)
    normals = np.array((place - (-aside, 0, 0.25), place - (aside, -lower, 0.25)))
    normals /= np.linalg.norm(normals, axis=1)[:, np.newaxis]
    expected = np.linalg.solve(normals[:, :2].T, (0.0, G))
    found = forces(simulation)
    assert [found[0, "left"], found[0, "right"]] == pytest.approx(list(expected), rel=1e-9)
    assert simulation.position[0] == pytest.approx(place, abs=1e-9)
    check_balance(simulation)
    check_stays(simulation)


@BOTH
def test_along_a_groove_of_two_pillars_a_ball_goes_on_evenly(engine):
    pillars = [Cylinder((x, 0, 0), (0, 0, 1), 0.8) for x in (-1.2, 1.2)]
    place = (0.0, math.sqrt(1.8**2 - 1.2**2), 0.0)
    ball = Ball(place, (0, 0, 0.5), radius=1, restitution=0.5)
    simulation = Simulation([ball], pillars, DOWN, engine=engine)
    simulation.run(until=20.0)
    assert simulation.sliding.tolist() == [True]
    assert simulation.asleep.tolist() == [False]
    assert simulation.position[0] == pytest.approx((*place[:2], 10.0), abs=1e-9)
    force = G / (2.0 * place[1] / 1.8)
    assert simulation.contacts.force.tolist() == pytest.approx([force, force], rel=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_across_a_groove_of_two_planes_a_fast_ball_soon_stops_bouncing(restitution):
    # One of .3 once went to and fro below `rest_height`, 639,000 times at one moment.
    left = Plane(
        (-0.9045725228651567, -2.064386065910122, 2.228),
        (0.3170634805930557, 0.9484043174059347, 0),
    )
    right = Plane(
        (-0.2748003012028257, -2.042313759504939, 2.228),
        (-0.3826834323650898, 0.9238795325112867, 0),
    )
    place, velocity = (
        (0.6551812495837653, -0.7526655553506015, -300),
        (12.6587892735082, 2.745158597057073, -9.843577401042333),
    )
    ball = Ball(place, velocity, radius=0.4645273651065073, restitution=restitution)
    slopes = [Obstacle(plane, 0.9) for plane in (left, right)]
    simulation = Simulation([ball], slopes, DOWN, engine="events")
    for _ in simulation.batches(40.0, 1000):
        pass
    assert simulation.time == 40.0
    assert simulation.velocity[0] == pytest.approx((0.0, 0.0, velocity[2]), abs=1e-12)
    assert len(simulation.contacts) == 2


@BOTH
def test_a_ball_at_the_bottom_of_a_tube(engine):
    tube = Obstacle(Cylinder((0, 3, 0), (0, 0, 1), 3.0), 0.5, "tube")
    simulation = settled(engine, [Ball((0, 1.2, 0), radius=1, mass=2)], [tube])
    assert simulation.position[0] == pytest.approx((0, 1, 0), abs=1e-9)
    assert forces(simulation) == {(0, "tube"): pytest.approx(2 * G, rel=1e-9)}
    check_stays(simulation)


# --- Columns -------------------------------------------------------------------------------


@pytest.mark.cases(1)
@BOTH
@pytest.mark.parametrize("above", [0.0, 1e-3, 0.1])
def test_a_column_of_ten_balls_in_an_upright_tube(engine, above):
    # Radius 1 in a tube of 1.25: left and right in turn, each leans on the one below by an angle
    # of which the sine is 2·0.25 / 2. That is as low as they come.
    sine = 0.25
    rise = 2.0 * math.sqrt(1.0 - sine**2)
    tube = Obstacle(Cylinder((0, 0, 0), (0, 1, 0), 1.25), 0.5, "tube")
    places = np.array([((-1) ** k * sine, 1.0 + rise * k, 0.0) for k in range(10)])
    higher = np.outer(above * np.arange(1, 11), (0, 1, 0))
    balls = [Ball(place, radius=1) for place in places + higher]
    simulation = settled(engine, balls, [FLOOR, tube], until=120.0)
    # Which way the whole column is turned is left to rounding.
    assert simulation.position[:, 1] == pytest.approx(places[:, 1], abs=1e-9)
    from_axis = simulation.position[:, [0, 2]]
    assert np.linalg.norm(from_axis, axis=1) == pytest.approx([sine] * 10, abs=1e-9)
    assert from_axis[1:] == pytest.approx(-from_axis[:-1], abs=1e-9)
    # Each pair carries all that is above it, and pushes its two balls outwards.
    found = forces(simulation)
    carried = [(9 - k) * G for k in range(10)]
    tangent = sine / math.sqrt(1.0 - sine**2)
    for k in range(10):
        if k < 9:
            assert found[k, k + 1] == pytest.approx(carried[k] * 2.0 / rise, rel=1e-9)
        below = carried[k - 1] if k else 0.0
        push = (carried[k] + below) * tangent
        assert found[k, "tube"] == pytest.approx(push, rel=1e-9)
    assert found[0, "floor"] == pytest.approx(10 * G, rel=1e-9)
    check_balance(simulation)
    check_stays(simulation)


@BOTH
def test_a_column_that_just_fits_its_tube_presses_on_the_floor_alone(engine):
    tube = Obstacle(Cylinder((0, 0, 0), (0, 1, 0), 1.0 + 2e-9), 0.5, "tube")
    balls = [Ball((0, 1.0 + 2.01 * k, 0), radius=1) for k in range(5)]
    simulation = settled(engine, balls, [FLOOR, tube])
    assert simulation.position[:, 1] == pytest.approx([1, 3, 5, 7, 9], abs=1e-9)
    assert forces(simulation)[0, "floor"] == pytest.approx(5 * G, rel=1e-9)
