"""Both engines among obstacles made of features: closed forms, and what must never happen."""

import math
from fractions import Fraction

import numpy as np
import pytest

from spheresim import (
    Ball,
    CappedCylinder,
    Cuboid,
    Cylinder,
    Disc,
    Hull,
    Mesh,
    Obstacle,
    Plane,
    Ring,
    Simulation,
    Sphere,
    TVector,
)
from spheresim.scene import load_scene

ENGINES = ["steps", "events"]
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (2.0, 1.5, 1.0)
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [t for a, b, c, d in SQUARES for t in ((a, b, c), (a, c, d))]
LONG = [pytest.mark.study, pytest.mark.compiled_only]
BOUNCES = [1000, pytest.param(100_000, marks=LONG)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bounces", BOUNCES)
def test_inside_a_sphere_all_chords_are_alike_and_in_one_plane(engine, bounces):
    # A chord of a circle of radius R − r under the angle of incidence α is 2·(R − r)·cos α long.
    start, velocity = np.array([0.3, 0.2, -0.4]), np.array([1.0, 2.0, 0.5])
    simulation = Simulation(
        [Ball(start, velocity, radius=0.1)], [Sphere((0, 0, 0), 1.1)], engine=engine
    )
    simulation.run(impacts=bounces)
    impacts, speed = simulation.impacts, np.linalg.norm(velocity)
    across = np.cross(start, velocity)
    chord = 2.0 * math.sqrt(1.0 - (across @ across) / speed**2)
    assert np.diff(impacts.t) == pytest.approx(np.full(bounces - 1, chord / speed), rel=1e-9)
    points = np.stack([impacts.x, impacts.y, impacts.z], axis=1)
    assert np.abs(points @ across).max() < 1e-9
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.full(len(points), 1.1), rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "room",
    [Cuboid((0, 0, 0), (4, 3, 2)), Hull(CORNERS), Mesh(CORNERS, TRIANGLES)],
    ids=["cuboid", "hull", "mesh"],
)
@pytest.mark.parametrize("bounces", BOUNCES)
def test_inside_a_box_the_path_unfolds_to_a_line(engine, room, bounces):
    half = np.array([2.0, 1.5, 1.0]) - 0.1
    start, velocity = np.array([0.3, -0.2, 0.1]), np.array([1.3, 1.7, 0.9])
    simulation = Simulation([Ball(start, velocity, radius=0.1)], [room], engine=engine)
    simulation.run(impacts=bounces)
    impacts = simulation.impacts
    unfolded = (start + velocity * impacts.t[:, None] + half) / (2.0 * half)
    turns = np.floor(unfolded)
    folded = unfolded - turns
    expected = (np.where(turns % 2 == 0, folded, 1.0 - folded) * 2.0 - 1.0) * half
    normal = np.stack([impacts.nx, impacts.ny, impacts.nz], axis=1)
    there = np.stack([impacts.x, impacts.y, impacts.z], axis=1) + 0.1 * normal
    off, way = np.abs(there - expected).max(axis=1), np.linalg.norm(velocity) * impacts.t
    assert (off <= 1e-14 * (1.0 + way)).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bounces", BOUNCES)
def test_inside_a_drum_ends_and_side_do_not_disturb_each_other(engine, bounces):
    drum = CappedCylinder((0, 0, -1), (0, 0, 1), 1.2)
    simulation = Simulation(
        [Ball((0.3, 0.2, 0.1), (1.0, 0.4, 0.7), radius=0.2)], [drum], engine=engine
    )
    simulation.run(impacts=bounces)
    impacts = simulation.impacts
    side, end = np.abs(impacts.nz) < 0.5, np.abs(impacts.nz) > 0.5
    speed, d = math.hypot(1.0, 0.4), np.array([0.3, 0.2])
    across = abs(d[0] * 0.4 - d[1] * 1.0) / speed
    chord = 2.0 * math.sqrt(1.0 - across * across) / speed
    assert np.diff(impacts.t[side]) == pytest.approx(np.full(side.sum() - 1, chord), rel=1e-9)
    assert np.diff(impacts.t[end]) == pytest.approx(np.full(end.sum() - 1, 1.6 / 0.7), rel=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("spare", [1e-4, 1e-7, 1e-9])
def test_a_ball_that_just_fits_a_ring_goes_round_in_it(engine, spare):
    ring, aside = Ring((0, 0, 0), (0, 0, 1), 3, 0.5), 0.2 * math.sqrt(spare)
    ball = Ball((3, 0, 0), (0.3 * math.sqrt(spare), 1, aside), radius=0.5 - spare)
    simulation = Simulation([ball], [ring], engine=engine)
    simulation.run(impacts=500)
    assert ring.gap(simulation.position[0]) == pytest.approx(spare - 0.5, abs=spare)
    assert simulation.energy() == pytest.approx(0.5 * (1 + 0.13 * spare), rel=1e-12)


@pytest.mark.thorough
def test_a_fall_on_a_sphere_is_the_root_of_the_quartic_in_exact_arithmetic():
    # |x + v·t + g·t²/2|² = s², halved until no double lies between.
    x, v, g = (Fraction(1, 4), 3, Fraction(1, 8)), (Fraction(1, 16), 1, 0), -10
    ball = Ball([float(c) for c in x], [float(c) for c in v], radius=0.25)
    simulation = Simulation([ball], [Sphere((0, 0, 0), 1)], (0, g, 0), engine="events")
    simulation.run(impacts=1)

    def off(t):
        y = x[1] + v[1] * t + Fraction(g, 2) * t * t
        return (x[0] + v[0] * t) ** 2 + y * y + x[2] ** 2 - Fraction(25, 16)

    low, high = Fraction(0), Fraction(3, 4)
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if off(middle) > 0 else (low, middle)
    assert simulation.impacts.t[0] == pytest.approx(float(low), rel=1e-14)


def test_a_bounce_from_a_plane_to_a_sphere_is_that_of_exact_arithmetic():
    # It falls 5/4 in 1/2, and then rises as |d + v·t + g·t²/2| = s says, halved as above.
    g, s = -10, Fraction(5, 4)
    ball = Ball([0.25, 1.5, 0.125], [0.5, 0.0, 0.25], radius=0.25)
    obstacles = [Plane((0, 0, 0), (0, 1, 0)), Sphere((1, 2.5, 0.5), 1)]
    simulation = Simulation([ball], obstacles, (0, g, 0), engine="events")
    simulation.run(impacts=2)
    d, v = (Fraction(-1, 2), Fraction(-9, 4), Fraction(-1, 4)), (Fraction(1, 2), 5, Fraction(1, 4))

    def off(t):
        x, y, z = (a + b * t for a, b in zip(d, v, strict=True))
        return x * x + (y + Fraction(g, 2) * t * t) ** 2 + z * z - s * s

    low, high = Fraction(0), Fraction(1, 2)
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if off(middle) > 0 else (low, middle)
    assert simulation.impacts.t == pytest.approx([0.5, 0.5 + float(low)], rel=1e-14)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_disc_is_the_end_of_a_capped_cylinder(engine):
    balls = [Ball((0.2 * k - 1.5, 2.0, 0.3), (0.1, -1.0, 0.0), radius=0.3) for k in range(1)]
    balls += [Ball((1.4, 3.0, 3.0), (-0.02, -1.0, -1.0), radius=0.3)]
    tops = [Disc((0, 0, 0), (0, 1, 0), 1.5), CappedCylinder((0, -9, 0), (0, 0, 0), 1.5)]
    seen = []
    for top in tops:
        simulation = Simulation(balls, [Obstacle(top, name="top")], engine=engine)
        simulation.run(until=9.0)
        seen.append(simulation.impacts)
    assert len(seen[0]) == len(seen[1]) > 0
    for name in ("t", "x", "y", "z", "nx", "ny", "nz", "vn_after"):
        assert seen[0][name] == pytest.approx(seen[1][name], rel=1e-12, abs=1e-12)


# --- Contact that lasts ------------------------------------------------------------------------


def test_a_ball_comes_to_rest_on_a_face_as_on_a_plane():
    rows = []
    for floor in (Plane((0, 0, 0), (0, 1, 0)), Cuboid((0, -1, 0), (4, 2, 4))):
        balls = [Ball((0.3, 2, 0.2), radius=0.5, restitution=0.5)]
        obstacles = [Obstacle(floor, 0.5, "floor")]
        simulation = Simulation(balls, obstacles, (0, -10, 0), engine="events")
        simulation.run(until=5.0)
        rows.append(simulation.impacts)
    assert rows[1].kind[-1] == "rest"
    assert rows[0].t.tolist() == pytest.approx(rows[1].t.tolist(), rel=1e-14)
    assert rows[0].kind.tolist() == rows[1].kind.tolist()


def test_a_ball_slides_off_a_table_and_around_its_edge():
    # Without friction it leaves the edge where v² = g·r·cos θ, with v² = u² + 2·g·r·(1 − cos θ).
    table, g, r, u = Cuboid((0, -0.5, 0), (2, 1, 2)), 10.0, 0.1, 0.5
    ball = Ball((0, r, 0), (u, 0, 0), radius=r, restitution=0.5)
    simulation = Simulation([ball], [Obstacle(table, 0.5)], (0, -g, 0), engine="events")
    simulation.run(until=2.5)
    wakes = simulation.impacts[simulation.impacts.kind == "wake"]
    assert wakes.t[0] == pytest.approx(2.0, abs=1e-7)  # it is over the edge
    assert wakes.ny[-1] == pytest.approx((u * u + 2.0 * g * r) / (3.0 * g * r), abs=1e-3)


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", [0.0, 0.0001])  # with the second it once jammed on the axis
def test_a_ball_too_large_for_a_ring_comes_to_rest_in_its_mouth(engine, start):
    ring = Ring((0, 0, 0), (0, 0, 1), 1.5, 0.5)
    ball = Ball((0.01, 0.02, 3), radius=1.3, restitution=0.5)
    simulation = Simulation([ball], [ring], (0, 0, -10), 0.002, engine)
    simulation.run(until=start)
    for until in range(1, 7):
        simulation.run(until=float(until))
        assert ring.clearance(TVector(simulation.position[0])) > 1.3 - 2e-9
    height = math.sqrt(1.8**2 - 1.5**2)
    assert simulation.position[0] == pytest.approx((0, 0, height), abs=1e-6)
    assert np.abs(simulation.velocity[0]).max() < 1e-6


@pytest.mark.parametrize("radius", [1.0005, 1.01, 1.07, 1.3, 2.5])
def test_on_the_axis_of_a_ring_bounces_are_those_on_a_floor(radius):
    ring, height = Ring((0, 0, 0), (0, 0, 1), 1.5, 0.5), math.sqrt((0.5 + radius) ** 2 - 1.5**2)
    ball = Ball((0, 0, height + 5.0), radius=radius, restitution=0.5)
    simulation = Simulation([ball], [ring], (0, 0, -10), engine="events")
    simulation.run(until=4.0)
    bounces = 1.0 + 2.0 * np.cumsum([0.0] + [0.5**k for k in range(1, 10)])
    assert simulation.impacts.t[:10] == pytest.approx(bounces, abs=1e-13)
    assert simulation.tally.collapse_answers == 0
    assert simulation.asleep.all()
    assert simulation.position[0] == pytest.approx((0, 0, height), abs=1e-13)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_balls_lie_in_the_mouth_of_a_ring_one_on_the_other(engine):
    ring, tube = Ring((0, 0, 0), (0, 0, 1), 1.5, 0.5), Cylinder((0, 0, 0), (0, 0, 1), 1.4)
    balls = [Ball((0, 0.02, 1.5), radius=1.3, restitution=0.5)]
    balls += [Ball((0, 0, 4.1), radius=1.1, restitution=0.5)]
    simulation = Simulation(balls, [ring, tube], (0, 0, -10), 0.002, engine)
    for until in np.arange(0.05, 8.01, 0.05):
        simulation.run(until=float(until))
        assert ring.clearance(TVector(simulation.position[0])) > 1.3 - 2e-9
    height = math.sqrt(1.8**2 - 1.5**2)
    # The upper one leans on the tube, .3 from its axis.
    expected = [(0, 0, height), (0, -0.3, height + math.sqrt(2.4**2 - 0.3**2))]
    assert simulation.position == pytest.approx(np.array(expected), abs=1e-4)
    assert len(simulation.impacts) < 5000


@pytest.mark.compiled_only
@pytest.mark.parametrize("seed", [12, 25, 113, 142])
def test_fixed_steps_end_where_a_ball_goes_to_and_fro_over_the_axis_of_a_ring(seed):
    random = np.random.default_rng(seed)
    tilt, radius = random.choice([0.0, 0.1, 0.3]), float(random.uniform(1.001, 1.3))
    ring = Ring((0, 0, 0), (math.sin(tilt), 0, math.cos(tilt)), 1.5, 0.5)
    tube = Cylinder((0, 0, 0), (0, 0, 1), 1.8)
    restitution = float(random.choice([0.0, 0.5, 0.9]))
    balls = [Ball((1e-3, 1e-6, 1.6), (1e-6, -2e-6, 0), radius, restitution=restitution)]
    balls += [Ball((0.05, -0.05, 2.0 + radius), radius=0.3, restitution=restitution)]
    simulation = Simulation(balls, [ring, tube], (0, 0, -10), 0.002, "steps")
    for until in np.arange(0.05, 4.0, 0.05):
        simulation.run(until=float(until))
        assert ring.clearance(TVector(simulation.position[0])) > radius - 5e-4
    assert len(simulation.impacts) < 100_000


# --- All of them together ----------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, -3, 0)], ids=["straight", "falling"])
def test_among_all_obstacles_nothing_gets_through_and_no_energy_is_lost(engine, gravity):
    scene = load_scene("pinball")
    shapes = [obstacle.shape for obstacle in scene.obstacles]
    simulation = Simulation(scene.balls, scene.obstacles, gravity, 0.005, engine)
    radius = np.array(scene.balls.radius)
    sides = [shape.encloses(simulation.position) for shape in shapes]
    start = simulation.energy()
    for until in (2.0, 6.0, 14.0):
        simulation.run(until=until)
        for shape, side in zip(shapes, sides, strict=True):
            assert (shape.encloses(simulation.position) == side).all()
            gaps = np.array([shape.clearance(x) for x in simulation.position])
            assert (gaps - radius).min() > -1e-12
    exact = engine == "events" or gravity == (0, 0, 0)
    assert simulation.energy() == pytest.approx(start, rel=1e-12 if exact else 0.05)
    assert len(simulation.impacts) > 100
