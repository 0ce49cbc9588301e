"""Balls that slide without friction on what bends: in a tube like a pendulum, off a pillar, and
over the edge of a block."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipk

from spheresim import Ball, Cuboid, Cylinder, Obstacle, Simulation

pytestmark = pytest.mark.compiled_only
# In fixed steps it takes longer: run on request, and shorter in time_stepping/test_contact.py.
ENGINES = ["events", pytest.param("steps", marks=pytest.mark.study)]
BOTH = pytest.mark.parametrize("engine", ENGINES)
G = 9.81
TUBE, RADIUS = 2.0, 0.5
LENGTH = TUBE - RADIUS
"""Of the pendulum: the centre goes along a circle of this radius."""


def in_a_tube(engine, angle, speed=0.0, step=1e-3, restitution=0.5, along=0.0):
    """A ball that touches a lying tube at an angle from its bottom, and starts along the wall."""
    tube = Obstacle(Cylinder((0, 0, 0), (0, 0, 1), TUBE), restitution)
    place = (LENGTH * math.sin(angle), -LENGTH * math.cos(angle), 0.0)
    velocity = (speed * math.cos(angle), speed * math.sin(angle), along)
    ball = Ball(place, velocity, RADIUS, restitution=restitution)
    return Simulation([ball], [tube], (0, -G, 0), step, engine)


def angle_of(simulation):
    x, y, _ = simulation.position[0].tolist()
    return math.atan2(x, -y)


def speed_of(simulation):
    """Round the tube, in the direction of growing angles."""
    x, y, _ = simulation.position[0].tolist()
    vx, vy, _ = simulation.velocity[0].tolist()
    return (x * vy - y * vx) / LENGTH


def check_phase(simulation, expected, periods):
    """How much too early or late it is there, in parts of the time since the start."""
    late = (angle_of(simulation) - expected) * LENGTH / speed_of(simulation)
    kicks = simulation.step if simulation.engine == "steps" else 0.0  # at the start of a step
    assert abs(late) < 1e-4 * simulation.time + kicks, periods
    x, y, _ = simulation.position[0].tolist()
    assert math.hypot(x, y) == pytest.approx(LENGTH, abs=3e-6 * RADIUS)


@BOTH
@pytest.mark.parametrize("amplitude", [0.1, 0.5, 1.0, 1.3, 1.55])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_in_a_lying_tube_a_ball_has_the_period_of_a_pendulum(engine, amplitude, restitution):
    # T = 4 √(l/g) K(sin²(amplitude/2)). Beyond a right angle it would fall off the wall.
    period = 4.0 * math.sqrt(LENGTH / G) * ellipk(math.sin(amplitude / 2.0) ** 2)
    step = period / 4000.0
    simulation = in_a_tube(engine, amplitude, step=step, restitution=restitution, along=0.2)
    start = simulation.energy()
    for quarters in (1, 3, 5, 21, 41):
        simulation.run(until=quarters * period / 4.0)
        check_phase(simulation, 0.0, quarters / 4)
    assert simulation.sliding.tolist() == [True]
    assert simulation.position[0, 2] == pytest.approx(0.2 * simulation.time, rel=1e-9)
    swing = G * LENGTH * (1.0 - math.cos(amplitude))
    assert abs(simulation.energy() - start) < 1e-3 * swing
    assert len(simulation.impacts) <= 2


@BOTH
@pytest.mark.parametrize("fast", [1.01, 1.5, 4.0])
def test_thrown_fast_enough_it_goes_round_and_round(engine, fast):
    # Above v² = 5 g l it presses on the wall even at the top. T = 4 l/v K(4 g l/v²).
    speed = math.sqrt(5.0 * G * LENGTH * fast)
    period = 4.0 * LENGTH / speed * ellipk(4.0 * G * LENGTH / speed**2)
    simulation = in_a_tube(engine, 0.0, speed, step=period / 4000.0)
    for turns in (1, 2, 10):
        simulation.run(until=turns * period)
        check_phase(simulation, 0.0, turns)
    assert simulation.sliding.tolist() == [True]


@BOTH
@pytest.mark.parametrize("part", [2.2, 3.0, 4.0, 4.9])
def test_thrown_too_slowly_for_the_top_it_leaves_the_wall_where_that_no_longer_presses(
    engine, part
):
    # v² = part · g l at the bottom: the wall presses until 3 cos θ = 2 − part.
    speed, cosine = math.sqrt(part * G * LENGTH), (2.0 - part) / 3.0
    end = math.acos(cosine)

    def slowness(angle):
        return LENGTH / math.sqrt(speed**2 - 2.0 * G * LENGTH * (1.0 - math.cos(angle)))

    leaving, _ = quad(slowness, 0.0, end)
    simulation = in_a_tube(engine, 0.0, speed, step=leaving / 2000.0)
    simulation.run(until=0.999 * leaving)
    assert simulation.sliding.tolist() == [True]
    simulation.run(until=1.002 * leaving)
    assert simulation.sliding.tolist() == [False]
    check_parabola(simulation, (LENGTH * math.sin(end), -LENGTH * cosine), end, leaving)


def check_parabola(simulation, place, angle, leaving, turn=1.0):
    """A little later it is where a ball is that was thrown along the wall at that moment."""
    at_leaving = math.sqrt(G * LENGTH * abs(math.cos(angle)))
    vx, vy = at_leaving * math.cos(angle), turn * at_leaving * math.sin(angle)
    simulation.run(until=leaving + 0.1)
    after = simulation.time - leaving
    expected = (place[0] + vx * after, place[1] + vy * after - 0.5 * G * after**2)
    assert simulation.position[0, :2] == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(("angle", "left"), [(0.4, 0.3), (0.2, 0.1), (0.4, 1e-4)])
def test_a_ball_slides_over_an_edge_onto_the_top_of_a_block(angle, left):
    """It comes up with the speed that leaves it `left` on top. There its path fell by 2.4e-10 radii
    below the face, which it had reached beside its outline; in other worlds by more than 1e-9."""
    speed = math.sqrt(2.0 * (1.0 - math.cos(angle)) + left**2)
    place = (-2.0 - math.sin(angle), math.cos(angle), 0.0)
    velocity = (speed * math.cos(angle), speed * math.sin(angle), 0.0)
    block = Obstacle(Cuboid((0, -1, 0), (4, 2, 4)), 0.0)
    ball = Ball(place, velocity, 1.0, restitution=0.0)
    simulation = Simulation([ball], [block], (0, -1, 0), engine="events")
    for k in range(1, 401):
        simulation.run(until=0.01 * k * (1.0 - math.log10(left)))
        x, y, _ = simulation.position[0].tolist()
        assert abs(math.hypot(min(0.0, x + 2.0), y) - 1.0) < 1.001e-10
    assert simulation.velocity[0] == pytest.approx((left, 0.0, 0.0), rel=1e-6, abs=1e-12)


@BOTH
@pytest.mark.parametrize("start", [0.05, 0.3, 0.8])
def test_a_ball_leaves_a_pillar_at_two_thirds_of_its_height(engine, start):
    # From rest at an angle from the top it leaves where cos θ = ⅔ cos(start).
    pillar = Obstacle(Cylinder((0, 0, 0), (0, 0, 1), LENGTH - RADIUS), 0.5)
    place = (LENGTH * math.sin(start), LENGTH * math.cos(start), 0.0)
    end = math.acos(2.0 / 3.0 * math.cos(start))

    def slowness(root):
        """Of the angle start + root²: so the integrand is finite where the speed is 0."""
        fall = 2.0 * G / LENGTH * (math.cos(start) - math.cos(start + root**2))
        return 2.0 * root / math.sqrt(fall) if root > 1e-6 else slowness(1e-6)

    leaving, _ = quad(slowness, 0.0, math.sqrt(end - start))
    ball = Ball(place, radius=RADIUS, restitution=0.5)
    simulation = Simulation([ball], [pillar], (0, -G, 0), leaving / 4000.0, engine)
    simulation.run(until=0.998 * leaving)
    assert simulation.sliding.tolist() == [True]
    x, y, _ = simulation.position[0].tolist()
    assert math.hypot(x, y) == pytest.approx(LENGTH, abs=3e-6 * RADIUS)
    simulation.run(until=1.002 * leaving)
    assert simulation.sliding.tolist() == [False]
    at = LENGTH * math.sin(end), LENGTH * math.cos(end)
    check_parabola(simulation, at, end, leaving, turn=-1.0)
    assert math.hypot(*simulation.position[0, :2]) > LENGTH
    assert len(simulation.contacts) == 0


@pytest.mark.cases(2)
@BOTH
@pytest.mark.parametrize("restitution", [0.0, 0.2, 0.5, 0.74, 0.9])
def test_without_gravity_a_ball_in_a_tube_ends_on_its_wall(engine, restitution):
    # Nothing turns it: its angular momentum about the axis stays, and all other motion across
    # the tube is lost in infinitely many impacts that end in finite time.
    for seed in range(60):
        random = np.random.default_rng(seed)
        tube = Obstacle(Cylinder((0, 0, 0), (0, 0, 1), TUBE), restitution)
        x, y = random.uniform(-1.0, 1.0, 2)
        vx, vy, vz = random.normal(size=3)
        ball = Ball((x, y, 0.0), (vx, vy, vz), RADIUS, restitution=restitution)
        simulation = Simulation([ball], [tube], (0, 0, 0), 0.01, engine)
        # With u around and w = z u towards the wall a chord takes 2 (l/u) z / (z² + 1), and z
        # becomes e z: all of them take no longer than that integral, and the longest one.
        around = (x * vy - y * vx) / LENGTH
        chords = 1.0 + (0.5 * math.pi / -math.log(restitution) if restitution else 0.0)
        end = 4.0 * LENGTH / abs(around) * chords
        simulation.run(until=end, impacts=100_000)
        assert simulation.time == end, seed
        assert simulation.sliding.tolist() == [True], seed
        assert speed_of(simulation) == pytest.approx(around, rel=1e-9)
        assert simulation.position[0, 2] == pytest.approx(end * vz, rel=1e-9)
        across = math.hypot(*simulation.position[0, :2].tolist())
        assert across == pytest.approx(LENGTH, abs=3e-6 * RADIUS), seed


@BOTH
def test_balls_that_swing_together_slow_neither_others_nor_their_own_slide_along_the_tube(engine):
    # The work of constant contact forces is taken from the island that has won it. Once it was
    # taken from all islands, and from 0.1 along the other tube 1e-7 was lost.
    tube, r, nearest = 10.0, 1.0, 2.0 * math.asin(1.0 / 9.0) * (1.0 + 1e-9)
    balls = [
        Ball(
            (x + (tube - r) * math.sin(angle), -(tube - r) * math.cos(angle), 0), (0, 0, v), r, 1, 0
        )
        for x, v, first, count in [(0, 0.0, 0.6, 3), (100, 0.1, -0.5 * nearest, 2)]
        for angle in first + nearest * np.arange(count)
    ]
    tubes = [Obstacle(Cylinder((x, 0, 0), (0, 0, 1), tube), 0.0) for x in (0, 100)]
    simulation = Simulation(balls, tubes, (0, -1, 0), engine=engine)
    simulation.run(until=5.0)
    np.testing.assert_allclose(simulation.velocity[:, 2], [0, 0, 0, 0.1, 0.1], rtol=0, atol=1e-12)
