"""Pillars, tubes and walls in a periodic box: all their images, and nothing but them."""

import numpy as np
import pytest
from checkpoints import goes_on_alike
from image_tracer import next_impact
from random_worlds import random_world

from spheresim import Ball, Cylinder, Obstacle, Simulation, TVector
from spheresim.model.state import Box

ONLY_COMPILED = pytest.mark.compiled_only
SIDE = 20.0
CUBE = Box(TVector(0, 0, 0), TVector(SIDE, SIDE, SIDE))


def simulate(balls, obstacles, box=CUBE, **others):
    return Simulation(balls, obstacles, engine="events", box=box, **others)


def test_a_ball_that_goes_round_hits_the_pillar_from_the_other_side():
    pillar = Cylinder((10, 10, 10), (0, 0, 1), 1.5)
    simulation = simulate([Ball((5, 10, 5), (-1, 0, 0), 0.25)], [pillar])
    simulation.run(until=30)
    first, second = simulation.impacts
    assert (first.t, second.t) == pytest.approx((13.25, 29.75), rel=1e-15)
    # Unwrapped: the image one box to the left, then the pillar itself.
    assert (first.x, first.y, first.z, first.nx) == pytest.approx((-8.5, 10, 5, 1), rel=1e-15)
    assert (second.x, second.nx) == pytest.approx((8.5, -1), rel=1e-15)
    assert simulation.position[0] == pytest.approx((8, 10, 5), rel=1e-14)
    assert tuple(first)[5] == "cylinder 0"


def world(seed):
    """A box with walls where it is not periodic, some obstacles, and a ball."""
    random = np.random.default_rng(seed)
    balls, obstacles, box = random_world(random, ["walls", "periodic"])
    return box, obstacles, Ball(balls[0].position, random.normal(size=3), balls[0].radius)


def check_every_impact(box, obstacles, ball, impacts=60, until=200.0):
    """Each is predicted anew from the one before, so that chaos cannot part the two."""
    simulation = simulate([ball], obstacles, box)
    shapes = [obstacle.shape for obstacle in obstacles]
    simulation.run(impacts=impacts, until=until)
    x, v, t = np.array(ball.position), np.array(ball.velocity), 0.0
    for row in simulation.impacts:
        wait, k, point = next_impact(shapes, box, x, v, ball.radius, row.t - t + 1e-6)
        assert row.t == pytest.approx(t + wait, abs=1e-9), row
        assert row.obstacle == simulation.obstacle_names[k], row
        normal, contact = np.array([row.nx, row.ny, row.nz]), np.array([row.x, row.y, row.z])
        assert contact + ball.radius * normal == pytest.approx(x + v * wait, abs=1e-8), row
        if isinstance(shapes[k], Cylinder):  # on the surface of that very image
            across = np.linalg.norm(np.cross(contact - point, shapes[k].axis))
            assert across == pytest.approx(shapes[k].radius, abs=1e-8), row
        x, t = contact + ball.radius * normal, row.t
        v = v - (1.0 + obstacles[k].restitution) * (v @ normal) * normal
    left = (simulation.time - t) * (1.0 - 1e-9)
    assert next_impact(shapes, box, x, v, ball.radius, left)[0] > left
    return len(simulation.impacts)


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "seeds",
    [
        range(2),
        *(pytest.param(range(k, k + 50), marks=ONLY_COMPILED) for k in (0, 50, 100, 150)),
        pytest.param(range(1000, 11_000), marks=pytest.mark.study),
    ],
    ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}",
)
def test_every_impact_is_the_first_that_any_image_allows(seeds):
    assert sum(check_every_impact(*world(seed)) for seed in seeds) > 20 * len(seeds)


@pytest.mark.thorough
@ONLY_COMPILED
def test_more_pillars_than_a_neighbourhood_has_bits_for():
    random = np.random.default_rng(3)
    pillars = [
        Obstacle(Cylinder((2.0 * i + random.uniform(-0.3, 0.3), 2.0 * j, 0), (0, 0, 1), 0.6))
        for i in range(10)
        for j in range(10)
    ]
    for seed in range(2):
        v = np.random.default_rng(seed).normal(size=3)
        assert check_every_impact(CUBE, pillars, Ball((1, 1, 5), v, 0.1), 200, 1e4) == 200


def test_a_ball_between_two_images_of_one_pillar_goes_to_and_fro():
    pillar = Cylinder((10, 10, 0), (0, 0, 1), 9.5)
    for x in (0.0, 20.0, -40.0):  # the gap on a face of the box, from wherever it is told
        simulation = simulate([Ball((x, 10, 3), (1, 0, 0), 0.25)], [pillar])
        simulation.run(until=10)
        impacts = simulation.impacts
        assert impacts.t == pytest.approx(0.25 + 0.5 * np.arange(20), abs=1e-13)
        assert impacts.x - x == pytest.approx([0.5, -0.5] * 10, abs=1e-13)
        assert impacts.nx == pytest.approx([-1, 1] * 10)


def test_a_tube_that_crosses_two_faces_holds_what_is_in_it():
    tube = Cylinder((0, 0, 0), (0, 0, 1), 8)
    simulation = simulate([Ball((19, 20, 5), (1, 0, 2), 0.5)], [tube])
    simulation.run(until=40)
    impacts = simulation.impacts
    assert impacts.t == pytest.approx([8.5, 23.5, 38.5])
    assert impacts.x == pytest.approx([28, 12, 28])
    assert impacts.z == pytest.approx([22, 52, 82])  # without an end along z


@pytest.mark.rare_kernels
@pytest.mark.parametrize("x", [0.0, 20.0, -20.0])
def test_a_ball_falls_onto_a_pillar_that_lies_across_a_face(x):
    box = Box(TVector(0, 0, 0), TVector(20, 20, 20), (True, False, True))
    simulation = simulate(
        [Ball((x, 10, 5), radius=1)], [Cylinder((20, 5, 0), (0, 0, 1), 2)], box, gravity=(0, -4, 0)
    )
    simulation.run(until=2.5)
    (impact,) = simulation.impacts
    assert (impact.t, impact.x, impact.y, impact.ny) == pytest.approx((1, x, 7, 1))
    assert simulation.position[0] == pytest.approx((x, 8 + 4 * 1.5 - 2 * 1.5**2, 5))


@pytest.mark.parametrize("seed", range(4))
def test_nothing_changes_if_all_is_shifted_or_another_image_is_named(seed):
    random = np.random.default_rng(seed)
    shapes = [Cylinder((3, 4, 0), (0, 0, 1), 3.5), Cylinder((0, 12, 7), (1, 0, 0), 4)]
    balls = [Ball((10, 3, 9), random.normal(size=3), 0.5), Ball((12, 5, 14), (2, 1, 2), 0.4)]
    expected = simulate(balls, shapes)
    expected.run(until=20)
    shift = TVector(random.uniform(-100, 100, 3))
    turns = TVector(SIDE * random.integers(-3, 4, 3))
    moved = simulate(
        [Ball(ball.position + shift, ball.velocity, ball.radius) for ball in balls],
        [shape._replace(point=shape.point + shift + turns) for shape in shapes],
        Box(CUBE.low + shift, CUBE.size),
    )
    moved.run(until=20)
    assert len(moved.impacts) == len(expected.impacts) > 1
    for column, by in zip("xyz", shift, strict=True):
        assert moved.impacts[column] == pytest.approx(expected.impacts[column] + by, abs=1e-6)
    assert moved.impacts.t == pytest.approx(expected.impacts.t, abs=1e-7)
    assert moved.impacts.obstacle.tolist() == expected.impacts.obstacle.tolist()


def scattered(n, radius, point, wide, seed=0):
    """Balls in the cube at random, clear of each other and of a pillar along z, across faces."""
    random = np.random.default_rng(seed)
    places = np.zeros((0, 3))
    while len(places) < n:
        x = random.uniform(0, SIDE, 3)
        d = x - np.array([*point[:2], x[2]])
        apart = np.vstack([places, np.full((1, 3), np.inf)]) - x
        apart -= SIDE * np.rint(np.where(np.isfinite(apart), apart, 0) / SIDE)
        if np.linalg.norm(d - SIDE * np.rint(d / SIDE)) > wide + radius and (
            np.linalg.norm(apart, axis=1).min() > 2 * radius
        ):
            places = np.vstack([places, x])
    return [Ball(x, 4.0 * random.normal(size=3), radius) for x in places]


@ONLY_COMPILED
@pytest.mark.parametrize("point", [(10, 10, 10), (0, 20, 0), (19, 7, 3)])
@pytest.mark.parametrize(("n", "radius"), [(20, 0.5), (200, 0.5), (400, 0.9)])
def test_no_ball_is_ever_inside_a_pillar(n, radius, point):
    simulation = simulate(scattered(n, radius, point, 1.5), [Cylinder(point, (0, 0, 1), 1.5)])
    before = simulation.energy()
    for t in np.linspace(0.1, 12.0, 120):
        simulation.run(until=t)
        d = simulation.position[:, :2] - np.array(point)[:2]
        d -= SIDE * np.rint(d / SIDE)
        assert np.hypot(*d.T).min() > 1.5 + radius - 1e-12
    assert simulation.tally.deepest_overlap < 1e-13
    assert simulation.energy() == pytest.approx(before, rel=1e-13)
    impacts = simulation.impacts[simulation.impacts.kind == "obstacle"]
    assert len(impacts) >= 4
    # The unwrapped point of contact is on the pillar or on an image of it.
    d = np.stack([impacts.x, impacts.y], axis=1) - np.array(point)[:2]
    d -= SIDE * np.rint(d / SIDE)
    assert np.hypot(*d.T) == pytest.approx(1.5, abs=1e-12)
    assert np.stack([impacts.nx, impacts.ny], axis=1) == pytest.approx(d / 1.5, abs=1e-11)


@ONLY_COMPILED
def test_frames_and_a_checkpoint_leave_every_bit_as_it_is():
    balls = scattered(60, 0.5, (0, 10, 0), 4.0)
    pillar = Cylinder((0, 10, 0), (0, 0, 1), 4)
    goes_on_alike(lambda: simulate(balls, [pillar]), np.arange(0.25, 7.5, 0.25).tolist(), 20)
