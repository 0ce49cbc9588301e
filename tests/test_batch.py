"""What is asked in bulk is answered to the bit as it is one by one."""

import math
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from any_shape import BODIES, SHAPES
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spheresim import (
    Ball,
    CappedCylinder,
    Capsule,
    Compound,
    ConstantVelocity,
    Cuboid,
    Cylinder,
    Disc,
    Hull,
    Obstacle,
    Plane,
    Polygon,
    Sphere,
    TRay,
    analytic_toi,
    analytic_toi_batch,
    obstacle_toi,
    obstacle_toi_batch,
    sliced_toi,
    sliced_toi_batch,
)
from spheresim.convex import box
from spheresim.model.convex_obstacles import as_shape


def bits(numbers):
    return np.asarray(numbers, dtype=np.float64).view(np.int64)


def random_pairs(n, seed, radius=1.0):
    rng = np.random.default_rng(seed)
    position, velocity = rng.uniform(-4, 4, (2, n, 3)), rng.normal(size=(2, n, 3))
    velocity[0, ::3] = (position[1] - position[0])[::3]  # a third of them meets for sure
    return position[0], velocity[0], np.full(n, radius), position[1], velocity[1], np.ones(n)


def one_by_one(function, pairs, *options):
    a, b = zip(*pairs[:3], strict=True), zip(*pairs[3:], strict=True)
    return [function(Ball(*x), Ball(*y), *options) for x, y in zip(a, b, strict=True)]


def test_analytic_and_sliced_are_the_scalar_ones_to_the_bit():
    pairs = random_pairs(600, seed=1)
    times = analytic_toi_batch(*pairs)
    assert np.array_equal(bits(times), bits(one_by_one(analytic_toi, pairs)))
    assert 100 < np.isfinite(times).sum() < 500
    for refine in (False, True):
        sliced = sliced_toi_batch(*pairs, 2.0, 20, refine=refine)
        assert np.array_equal(bits(sliced), bits(one_by_one(sliced_toi, pairs, 2.0, 20, refine)))


NUMBERS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e3, 1e3),
    st.sampled_from([1e-200, -1e150, 1e76, 5e-324, 1e-55, 1e55, 1e-49]),
)


@settings(max_examples=60, deadline=None)
@given(
    rows=arrays(np.float64, (9, 12), elements=NUMBERS),
    radii=arrays(np.float64, (9, 2), elements=NUMBERS.map(abs).filter(bool)),
)
def test_any_pair_is_the_scalar_one_to_the_bit(rows, radii):
    """Extreme ones too, which the scalar function scales; and resting, touching, overlapping."""
    pairs = rows[:, :3], rows[:, 3:6], radii[:, 0], rows[:, 6:9], rows[:, 9:], radii[:, 1]
    with np.errstate(all="ignore"):
        expected = one_by_one(analytic_toi, pairs)
    assert np.array_equal(bits(analytic_toi_batch(*pairs)), bits(expected))


def test_one_row_is_for_all():
    position_a, velocity_a, radius_a, position_b, _, _ = random_pairs(50, seed=2)
    rest, ones = np.zeros((50, 3)), np.ones(50)
    all_rows = analytic_toi_batch(position_a, velocity_a, radius_a, position_b, rest, ones)
    assert np.array_equal(
        analytic_toi_batch(position_a, velocity_a, 1, position_b, (0, 0, 0), 1), all_rows
    )
    assert analytic_toi_batch((0, 0, 0), (1, 0, 0), 1, (5, 0, 0), (0, 0, 0), 1).tolist() == [3.0]
    assert analytic_toi_batch(rest[:0], rest[:0], ones[:0], (0, 0, 0), (0, 0, 0), 1).shape == (0,)


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        (0, [(0, 0)], r"position_a must have the shape \(n, 3\) or \(3,\), not \(1, 2\)"),
        (0, "here", "position_a must be numbers, not 'here'"),
        (1, [(0, 0, 0)] * 2, "equally many rows of each are needed"),
        (1, [(0, 0, 0), (0, math.nan, 0), (0, 0, 0)], "velocity_a: row 1 must be finite"),
        (2, [1, -1, 1], "radius_a: row 1 must be finite and not negative, not -1.0"),
        (3, [(0, 0, math.inf)] * 3, "position_b: row 0 must be finite"),
        (5, np.ones((3, 1)), "radius_b must be a number"),
    ],
)
def test_faults_in_one_sentence(place, value, fault):
    given_ = [np.zeros((3, 3)), np.ones((3, 3)), 1.0, np.full((3, 3), 9.0), np.zeros((3, 3)), 1.0]
    given_[place] = value
    with pytest.raises(ValueError, match=fault):
        analytic_toi_batch(*given_)
    with pytest.raises(ValueError, match=fault):
        sliced_toi_batch(*given_, time_step=1.0)


def rays(n, seed):
    rng = np.random.default_rng(seed)
    origin, direction = rng.uniform(-6, 6, (n, 3)), rng.normal(size=(n, 3))
    origin[::2] *= 0.3  # many start inside
    direction[::5, 0] = 0.0
    direction[::10] = (0, 1, 0)
    return origin, direction


@pytest.mark.compiled_only
@pytest.mark.parametrize("kind", [*SHAPES, *BODIES])
def test_rays_are_the_single_ones_to_the_bit(kind):
    shape = {**SHAPES, **BODIES}[kind]
    origin, direction = rays(150, seed=3)
    hits = shape.hit_batch(origin, direction)
    assert np.isfinite(hits.distance).sum() > 4
    for k in range(len(origin)):
        single = shape.hit(TRay(origin[k], direction[k]))
        if single is None:
            assert hits.distance[k] == math.inf
            assert not hits.point[k].any()
            assert not hits.normal[k].any()
        else:
            together = [hits.distance[k], *hits.point[k], *hits.normal[k]]
            alone = [single.distance, *single.point, *single.normal]
            assert np.array_equal(together, alone)


@pytest.mark.compiled_only
@pytest.mark.parametrize("exponent", [-1060, -570, -300, 200, 570, 1020])
@pytest.mark.parametrize("kind", [*SHAPES, *BODIES])
def test_a_very_short_or_long_direction_changes_no_hit(kind, exponent):
    shape = {**SHAPES, **BODIES}[kind]
    origin, direction = rays(20, seed=8)
    direction = np.round(direction * 512.0)  # so that no bit is lost, however short it is
    extreme = np.ldexp(direction, exponent - 9)
    plain, scaled = (shape.hit_batch(origin, each) for each in (direction, extreme))
    assert np.isfinite(plain.distance).sum() > 0
    for one, other in zip(plain, scaled, strict=True):
        assert np.array_equal(one, other)
    k = int(np.argmin(plain.distance))
    assert shape.hit(TRay(origin[k], extreme[k])).distance == plain.distance[k]


@pytest.mark.compiled_only
@pytest.mark.parametrize("kind", [*SHAPES, *BODIES])
def test_obstacle_times_are_the_single_ones_to_the_bit(kind):
    given_ = {**SHAPES, **BODIES}[kind]
    position, velocity = rays(150, seed=4)
    velocity[7] = 0.0
    radius = np.random.default_rng(5).uniform(0.05, 0.5, len(position))
    asked = Obstacle(given_) if kind in SHAPES else given_
    times = obstacle_toi_batch(asked, position, velocity, radius)
    shape = as_shape(given_)
    single = [
        obstacle_toi(Ball(*ball), shape) for ball in zip(position, velocity, radius, strict=True)
    ]
    assert np.array_equal(bits(times), bits(single))
    assert times[7] == math.inf


def test_a_ray_needs_a_direction_and_an_obstacle_a_shape():
    with pytest.raises(ValueError, match="row 1 is the zero vector"):
        SHAPES["sphere"].hit_batch((0, 0, 0), [(1, 0, 0), (0, 0, 0)])
    with pytest.raises(TypeError, match="an obstacle must be one of plane, cylinder, sphere"):
        obstacle_toi_batch("wall", (0, 0, 0), (1, 0, 0), 1)
    with pytest.raises(ValueError, match="radius: row 0 must be finite and not negative"):
        obstacle_toi_batch(SHAPES["disc"], (0, 0, 0), (1, 0, 0), -1)


@pytest.mark.parametrize("shape", [*SHAPES.values(), *BODIES.values()])
def test_what_is_no_ray_is_told(shape):
    with pytest.raises(TypeError, match="hit needs a ray, TRay"):
        shape.hit(((0, 0, 0), (1, 0, 0)))


@pytest.mark.parametrize("given", [(0, 0, 0), None, SHAPES["sphere"]])
def test_what_is_no_moving_sphere_is_told(given):
    told = "a position, a velocity and a radius are needed, as a Ball has, not"
    ball = Ball((0, 0, 0), radius=1)
    with pytest.raises(TypeError, match=told):
        analytic_toi(ball, given)
    with pytest.raises(TypeError, match=told):
        sliced_toi(given, ball, 1)
    with pytest.raises(TypeError, match=told):
        obstacle_toi(given, SHAPES["sphere"])


def test_whatever_holds_three_numbers_is_a_position_or_a_velocity_of_a_moving_sphere():
    ball, other = Ball((-5, 0, 0), (1, 0, 0), 1), Ball((0, 1.2, 0), radius=1)
    for vector in (tuple, list, np.array):
        like = SimpleNamespace(position=vector((-5, 0, 0)), velocity=vector((1, 0, 0)), radius=1)
        assert analytic_toi(like, other) == analytic_toi(ball, other) == 3.4
        assert sliced_toi(like, other, 6) == sliced_toi(ball, other, 6)
        assert obstacle_toi(like, SHAPES["cylinder"]) == obstacle_toi(ball, SHAPES["cylinder"])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"position": (1, 2)}, "a ball's position: a vector has three components, not 2"),
        ({"velocity": (1, math.nan, 0)}, "a ball's velocity must be finite"),
        ({"velocity": "fast"}, "a ball's velocity: a vector"),
        ({"radius": -1}, "a ball's radius must be at least 0, not -1"),
        ({"radius": None}, "a ball's radius must be a number, not None"),
    ],
)
def test_a_moving_sphere_with_a_wrong_value_is_told(wrong, sentence):
    values = {"position": (0, 0, 0), "velocity": (1, 0, 0), "radius": 1.0, **wrong}
    like, ball = SimpleNamespace(**values), Ball((9, 0, 0), radius=1)
    for ask in (
        lambda: analytic_toi(like, ball),
        lambda: sliced_toi(ball, like, 1),
        lambda: obstacle_toi(like, SHAPES["sphere"]),
    ):
        with pytest.raises((TypeError, ValueError), match=sentence):
            ask()


def obstacle_times(obstacle, position, velocity, radius):
    """The time of impact of a single ball, and of a batch of one."""
    single = obstacle_toi(Ball(position, velocity, radius), obstacle)
    return [single, *obstacle_toi_batch(obstacle, position, velocity, radius)]


def test_single_balls_and_many_take_the_same_obstacles():
    way = (-6, 0, 0), (1, 0, 0), 1
    assert obstacle_times(box((1, 1, 1)), *way) == [4, 4]
    assert obstacle_times(Obstacle(box((1, 1, 1))), *way) == [4, 4]
    grown = Compound([Sphere((0, 0, 0), 1)]).offset(2)  # the grown shape itself, not its core
    assert obstacle_times(grown, *way) == pytest.approx([2, 2])
    for wrong in ("wall", None, np.zeros(3), Ball((0, 0, 0), radius=1)):
        with pytest.raises(TypeError, match="an obstacle must be one of plane, cylinder"):
            obstacle_toi(Ball(*way), wrong)
        with pytest.raises(TypeError, match="an obstacle must be one of plane, cylinder"):
            obstacle_toi_batch(wrong, *way)


@pytest.mark.parametrize("speed", [5e-324, 1e-300, 1e-158, 1e-75, 1.0, 1e154, 1e300])
@pytest.mark.parametrize(
    "shape", [Sphere((5, 0, 0), 1), Plane((4, 0, 0), (-1, 0, 0)), Cylinder((5, 0, 0), (0, 1, 0), 1)]
)
def test_the_time_of_impact_is_distance_over_speed_at_any_speed(shape, speed):
    times = obstacle_times(shape, (0, 0, 0), (speed, 0, 0), 1)
    assert times == pytest.approx([3.0 / speed] * 2, rel=1e-15)


SIZES = {
    "sphere": lambda k: Sphere((5 * k, 0, 0), k),
    "cylinder": lambda k: Cylinder((5 * k, 0, 0), (0, 1, 0), k),
    "capsule": lambda k: Capsule((5 * k, -k, 0), (5 * k, k, 0), k),
    "capped cylinder": lambda k: CappedCylinder((5 * k, -k, 0), (5 * k, k, 0), k),
    "cuboid": lambda k: Cuboid((5 * k, 0, 0), (2 * k, 2 * k, 2 * k)),
    "disc": lambda k: Disc((4 * k, 0, 0), (1, 0, 0), k),
    "polygon": lambda k: Polygon([(4 * k, -k, -k), (4 * k, k, -k), (4 * k, 0, k)]),
    "hull": lambda k: Hull([(4 * k, -k, -k), (4 * k, k, -k), (4 * k, 0, k), (6 * k, 0, 0)]),
    "plane": lambda k: Plane((4 * k, 0, 0), (-1, 0, 0)),
}


@pytest.mark.compiled_only  # in plain Python numpy warns where a slab's time is beyond all numbers
@pytest.mark.parametrize("kind", SIZES)
def test_shapes_of_all_sizes_are_hit_where_they_are_or_refused(kind):
    with warnings.catch_warnings(action="error"):
        for size in 1e-75, 1e-40, 1e40, 1e74:
            shape, ray = SIZES[kind](size), TRay((0, 0, 0), (1, 0, 0))
            assert shape.hit(ray).distance == pytest.approx(4 * size)
            assert shape.hit_batch(*ray).distance == pytest.approx(4 * size)
            times = obstacle_times(shape, (0, 0, 0), (1, 0, 0), size)
            assert times == pytest.approx([3 * size, 3 * size])
        for size in (1e-300, 1e-100, 1e160, 1e300)[2 * (kind == "plane") :]:
            with pytest.raises(ValueError, match=r"1e-75|1e\+75"):
                SIZES[kind](size)


@pytest.mark.parametrize("far", [-1e76, 1e200])
def test_rays_and_balls_of_extreme_places_and_sizes_are_refused(far):
    sphere, bounds = SHAPES["sphere"], re.escape("from -1e+75 to 1e+75")
    for ask in (
        lambda: sphere.hit(TRay((0, far, 0), (1, 0, 0))),
        lambda: sphere.hit_batch((0, far, 0), (1, 0, 0)),
        lambda: obstacle_toi(Ball((0, far, 0), (1, 0, 0), radius=1), sphere),
        lambda: obstacle_toi_batch(sphere, (0, far, 0), (1, 0, 0), 1),
    ):
        with pytest.raises(ValueError, match=bounds):
            ask()
    for ask in (
        lambda: obstacle_toi(Ball((9, 0, 0), (1, 0, 0), radius=1 / abs(far)), sphere),
        lambda: obstacle_toi_batch(sphere, (9, 0, 0), (1, 0, 0), 1 / abs(far)),
    ):
        with pytest.raises(ValueError, match=re.escape("from 1e-75 to 1e+75")):
            ask()


def test_an_obstacle_that_moves_has_no_time_of_impact_of_its_shape_alone():
    moving = Obstacle(Sphere((0, 0, 0), 1), motion=ConstantVelocity((-1, 0, 0)))
    with pytest.raises(ValueError, match=r"stands still, not of one with the motion ConstantVel"):
        obstacle_toi(Ball((-6, 0, 0), (1, 0, 0), 1), moving)
    with pytest.raises(ValueError, match=r"stands still, not of one with the motion ConstantVel"):
        obstacle_toi_batch(moving, (-6, 0, 0), (1, 0, 0), 1)


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_many_spheres_in_a_compound_and_a_fine_mesh():
    """The index is searched from the nearest box on, and finds what all features would."""
    rng = np.random.default_rng(6)
    centers, radii = rng.uniform(-10, 10, (400, 3)), rng.uniform(0.1, 1, 400)
    crowd = Compound([Sphere(*each) for each in zip(centers, radii, strict=True)])
    origin, direction = rays(300, seed=7)
    found = crowd.hit_batch(origin, direction).distance
    unit = direction / np.linalg.norm(direction, axis=1)[:, None]
    d = origin[:, None] - centers
    b, c = np.einsum("ijk,ik->ij", d, unit), np.einsum("ijk,ijk->ij", d, d) - radii**2
    root = np.sqrt(np.maximum(0.0, b * b - c))
    distance = np.where(c < 0.0, root - b, np.where(b < 0.0, -b - root, np.inf))
    distance[b * b < c] = np.inf
    assert np.allclose(found, distance.min(axis=1), rtol=1e-9, atol=1e-9)
    # Few rays are looked for in the index of features, many in a tree that is made for them.
    together, alone = crowd.hit_batch(origin, direction), crowd.hit_batch(origin[:9], direction[:9])
    for many, few in zip(together, alone, strict=True):
        assert np.array_equal(bits(many[:9]), bits(few))
