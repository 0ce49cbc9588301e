"""The same arena built in other ways, moved, turned and scaled: the same impacts."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spheresim import (
    Ball,
    CappedCylinder,
    Capsule,
    Cuboid,
    Cylinder,
    Disc,
    Fill,
    Hull,
    Mesh,
    Plane,
    Polygon,
    Ring,
    Simulation,
    Sphere,
    TVector,
)
from spheresim.scene import load_scene

ENGINES = ["steps", "events"]
REGION = {"low": (-4.8, -2.8, -2.8), "high": (4.8, 2.8, 2.8)}
COLUMNS = ("t", "x", "y", "z", "nx", "ny", "nz", "vn_after")


def impacts_among(obstacles, ball, engine, count, gravity=(0, 0, 0)):
    """The times, points, normals and normal velocities of a ball's first impacts."""
    simulation = Simulation([ball], obstacles, gravity, engine=engine)
    simulation.run(impacts=count)
    return np.stack([simulation.impacts[name] for name in COLUMNS], axis=1)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.cases(1)
def test_a_cuboid_is_the_hull_of_its_corners_and_the_mesh_of_its_triangles(engine):
    box = Cuboid((0.2, 0.1, -0.3), (4, 3, 2), ((1, 2, 3), 40))
    corners, faces = box.body()
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    ball = Ball((0.3, 0.1, -0.2), (1.3, 1.7, 0.9), radius=0.1)
    one, *others = (
        impacts_among([shape], ball, engine, 100)
        for shape in (box, Hull(corners), Mesh(corners, triangles))
    )
    for other in others:
        assert other == pytest.approx(one, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sphere_is_a_ball_of_great_mass_at_rest(engine):
    random = np.random.default_rng(5)
    for _ in range(12):
        start, goal = random.uniform(-1, 1, 3), random.uniform(-0.6, 0.6, 3)
        start *= 5.0 / np.linalg.norm(start)
        light = Ball(start, goal - start, radius=0.25)
        heavy = Ball((0, 0, 0), radius=1.0, mass=1e30)
        seen = []
        for balls, obstacles in (([light, heavy], []), ([light], [Sphere((0, 0, 0), 1)])):
            simulation = Simulation(balls, obstacles, engine=engine)
            simulation.run(until=3.0)
            hit = simulation.impacts
            assert len(hit) == 1
            seen.append([hit.t[0], *simulation.position[0], *simulation.velocity[0]])
        assert seen[0] == pytest.approx(seen[1], rel=1e-12, abs=1e-12)


def arena(move, turn, scale):
    """Obstacles of all kinds in a room, by what moves points, turns directions and scales."""
    corners, _ = Cuboid((0, 0, 0), (8, 6, 6)).body()
    roof = [(-3, 2, -2), (-1, 2, -2), (-1, 2.3, 2), (-3, 2.3, 2), (-2, 1.2, 0)]
    return [
        Hull(move(corners)),
        Sphere(move((-2, -1, 0)), 0.8 * scale),
        Capsule(move((0, -1, -1)), move((0.5, -1.5, 1)), 0.3 * scale),
        Hull(move(Cuboid((2, -1.5, 0), (1, 0.8, 1.5), ((1, 1, 0), 30)).body()[0])),
        Hull(move([(2, 1, 1), (3, 1, 1), (2, 2, 1), (2, 1, 2)]), rounding=0.2 * scale),
        Polygon(move([(-3, -2, -2), (-1, -2.3, -2), (-1, -2.3, -1), (-3, -2, -1)])),
        CappedCylinder(move((0, 0.5, 1.5)), move((0, 2, 1.5)), 0.4 * scale),
        Disc(move((2, 1, -1.5)), turn((0.2, 1, 0)), 0.8 * scale),
        Ring(move((0, 1, -1.5)), turn((1, 0.3, 0)), 0.7 * scale, 0.2 * scale),
        Mesh(move(roof), [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]),
    ]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("engine", "g"), [("steps", 0.0), ("events", 0.0), ("events", 1.0)])
def test_a_turned_moved_and_scaled_arena_gives_impacts_turned_moved_and_scaled(engine, g):
    matrix, shift = Rotation.from_rotvec((0.3, -0.5, 0.8)).as_matrix(), np.array([5, -3, 2])
    scale = 3.0

    def turn(way):
        return np.asarray(way) @ matrix.T

    def run(move, way, factor, off=0.0):
        velocity, gravity = factor * way((1.1 + off, 0.7, 0.9)), factor * way((0, -g, 0))
        ball = Ball(move((1.0, 0.2, 0.4)), velocity, radius=0.15 * factor)
        return impacts_among(arena(move, way, factor), ball, engine, 40, gravity)

    plain = run(np.array, np.array, 1.0)
    moved = run(lambda x: scale * turn(x) + shift, turn, scale)
    # What 1e-10 more at the start comes to tells how an error grows from impact to impact.
    growth = np.abs(run(np.array, np.array, 1.0, off=1e-10) - plain).max(axis=1)
    allowed = 1e-3 * np.maximum.accumulate(growth) + 1e-12
    known = allowed < 1e-3
    assert known.sum() >= 12
    expected = np.column_stack(
        [
            plain[:, 0],
            scale * turn(plain[:, 1:4]) + shift,
            turn(plain[:, 4:7]),
            scale * plain[:, 7],
        ]
    )
    off = np.abs(moved - expected).max(axis=1) / scale
    assert (off <= allowed)[known].all()


@pytest.mark.study
@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ENGINES)
def test_a_million_impacts_of_a_thousand_balls_among_all_obstacles(engine):
    closed = [obstacle.shape for obstacle in load_scene("pinball").obstacles]
    endless = [Plane((0, -2.9, 0), (0.02, 1, 0.01)), Cylinder((1.2, 0, -2.3), (0.1, 1, 0.05), 0.2)]
    fill = Fill(1000, 0.06, temperature=1.0, seed=1, region=REGION)
    simulation = Simulation([fill], [*closed, *endless], engine=engine)
    simulation.log_impacts(False)
    sides = [shape.encloses(simulation.position) for shape in closed]
    start, least = simulation.energy(), np.inf
    for part in range(10):
        simulation.run(impacts=100_000)
        for shape, side in zip(closed, sides, strict=True):
            assert (shape.encloses(simulation.position) == side).all()
        for shape in (*closed, *endless):
            gaps = [shape.clearance(TVector(x)) for x in simulation.position]
            least = min(least, min(gaps) - 0.06)
        print(part, simulation.energy() / start - 1.0, least, simulation.tally.deepest_overlap)
    assert simulation.energy() == pytest.approx(start, rel=1e-12)
    assert least > -1e-12
    assert simulation.tally.deepest_overlap < 1e-12
