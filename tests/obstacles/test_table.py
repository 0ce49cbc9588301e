"""Obstacles as arrays: 10⁵ random balls against each kind, computed once more in another way."""

from math import inf

import numpy as np
import pytest

from spheresim.compiler.decorators import kernel
from spheresim.numerics.ray import TRay
from spheresim.numerics.rows import vector_at
from spheresim.numerics.vector import TVector
from spheresim.obstacles.ball_path import BallPath
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.features.free_flight import KickedBall
from spheresim.obstacles.features.table import Features, NoFeatures
from spheresim.obstacles.plane import Plane
from spheresim.obstacles.table import bends_towards, clearance, gap, is_behind, normal_at, pack, toi

MANY = [1000, pytest.param(100_000, marks=[pytest.mark.compiled_only, pytest.mark.thorough])]


@kernel
def contacts(obstacles, origins, directions, radii, times):
    """Ball k against obstacle k."""
    for k in range(times.size):
        ray = TRay(vector_at(origins, k), vector_at(directions, k))
        times[k] = toi(obstacles, k, ray, radii[k])


def extended(array):
    """In higher precision, where the machine has one."""
    return np.asarray(array, dtype=np.longdouble)


@pytest.mark.parametrize("count", MANY)
def test_random_balls_meet_random_planes_where_the_plane_equation_says(count):
    # Xn·(S + t·D) = Xn·X + r
    random = np.random.default_rng(2)
    point, normal, origin, direction = random.normal(size=(4, count, 3)) * 10.0
    radius, times = random.uniform(0.0, 3.0, count), np.zeros(count)
    planes = [Plane(*row) for row in zip(point.tolist(), normal.tolist(), strict=True)]
    contacts(pack(planes, np.ones(count)), origin, direction, radius, times)

    xn = extended([plane.normal for plane in planes])
    height = (xn * (origin - extended(point))).sum(axis=1)
    approach = -(xn * direction).sum(axis=1)
    stopped = (height > 0.0) & (approach > 0.0)
    expected = np.where(stopped, np.maximum(height - radius, 0.0) / approach, inf)
    sure = (np.abs(height) > 1e-12) & (np.abs(approach) > 1e-12)
    assert sure.mean() > 0.99
    assert ((times < inf) == stopped)[sure].all()
    met = stopped & sure
    assert met.mean() == pytest.approx(0.25, abs=0.1)
    way = times[met] * np.linalg.norm(direction[met], axis=1)
    error = np.abs(times[met] - expected[met]) * approach[met]
    assert (error <= 2e-14 + 1e-15 * way).all()
    assert (times[met & (height < radius - 1e-12)] == 0.0).all()


@pytest.mark.parametrize("count", MANY)
def test_random_balls_meet_random_cylinders_when_the_quadratic_says(count):
    # In a frame along the axis: the textbook's b² − ac, in higher precision.
    random = np.random.default_rng(3)
    point, axis, origin, direction = random.normal(size=(4, count, 3)) * 5.0
    wall, radius = random.uniform(1.0, 9.0, count), random.uniform(0.0, 0.9, count)
    columns = (column.tolist() for column in (point, axis, wall))
    cylinders = [Cylinder(*row) for row in zip(*columns, strict=True)]
    times = np.zeros(count)
    contacts(pack(cylinders, np.ones(count)), origin, direction, radius, times)

    along = extended([cylinder.axis for cylinder in cylinders])
    across = extended([cylinder.axis.perpendicular() for cylinder in cylinders])
    frame = np.stack([across, np.cross(along, across)], axis=1)
    d = np.einsum("kij,kj->ki", frame, origin - extended(point))
    v = np.einsum("kij,kj->ki", frame, extended(direction))
    distance = np.hypot(d[:, 0], d[:, 1])
    outside = distance >= wall
    s = np.where(outside, wall + radius, wall - radius)
    a, b, c = (v * v).sum(axis=1), (d * v).sum(axis=1), (d * d).sum(axis=1) - s * s
    discriminant = b * b - a * c
    root = np.sqrt(np.maximum(discriminant, 0.0))
    stopped = ~outside | ((b < 0.0) & (discriminant >= 0.0))
    expected = np.maximum((-b + np.where(outside, -root, root)) / a, 0.0)

    clear = np.abs(discriminant) > 1e-6 * a * s * s  # no graze
    clear &= (np.abs(c) > 1e-9) & (np.abs(distance - wall) > 1e-9)
    assert clear.mean() > 0.99
    assert ((times < inf) == stopped)[clear].all()
    met = clear & stopped
    assert 0.2 < met.mean() < 0.8
    slack = 1e-11 * (np.linalg.norm(origin - point, axis=1) / np.sqrt(a) + expected)
    assert (np.abs(times[met] - expected[met]) <= slack[met]).all()


def test_packed_obstacles_answer_as_the_shapes_that_they_were():
    random = np.random.default_rng(4)
    shapes = []
    for numbers in random.normal(size=(20, 6)):
        shapes.append(Plane(numbers[:3], numbers[3:]))
        shapes.append(Cylinder(numbers[:3], numbers[3:], abs(numbers[0])))
    obstacles = pack(shapes, random.uniform(size=40))
    for k, shape in enumerate(shapes):
        for numbers in random.normal(size=(20, 6)):
            ray = TRay(numbers[:3] * 2.0, numbers[3:])
            assert toi(obstacles, k, ray, 0.1) == shape.toi(ray, 0.1)
            assert gap(obstacles, k, ray.origin) == shape.gap(ray.origin)
            assert clearance(obstacles, k, ray.origin) == abs(shape.gap(ray.origin))
            assert normal_at(obstacles, k, ray.origin) == shape.normal_at(ray.origin, ray.origin)
            within = shape.gap(ray.origin) < 0.0
            encloses = within and isinstance(shape, Cylinder)
            assert bends_towards(obstacles, k, ray.origin, ray.direction) == encloses
            assert is_behind(obstacles, k, ray.origin) == (within and isinstance(shape, Plane))


def test_a_world_without_obstacles_has_empty_arrays():
    nothing = pack([], [])
    assert [array.shape for array in nothing[:-1]] == [(0,), (0, 7), (0,), (0,), (0,)]


def test_a_plane_from_arrays_keeps_its_numbers_to_the_last_bit():
    plane = Plane((0.1, 0.2, 0.3), (1, 2, 3))
    assert pack([plane], [0.5]).numbers.tolist() == [[*plane.point, *plane.normal, 0.0]]
    assert plane.normal == TVector(1, 2, 3).unit()


def test_a_gap_is_negative_behind_a_plane_and_inside_a_cylinder_and_a_clearance_never():
    floor, pillar = Plane((0, 1, 0), (0, 2, 0)), Cylinder((0, 0, 0), (0, 0, 3), 2)
    for shape, point, expected in [
        (floor, (7, 4, 7), 3.0),
        (floor, (7, 1, 7), 0.0),
        (floor, (7, -4, 7), -5.0),
        (pillar, (3, 4, 9), 3.0),
        (pillar, (0, 2, 9), 0.0),
        (pillar, (0, 1.5, 9), -0.5),
        (pillar, (0, 0, 9), -2.0),
    ]:
        assert shape.gap(point) == expected
        assert shape.clearance(point) == abs(expected)


def test_a_world_without_features_answers_the_same_questions():
    questions = {name for name, member in vars(Features).items() if hasattr(member, "if_absent")}
    public = {name for name in vars(Features) if not name.startswith("_")}
    assert public == questions
    assert questions == {name for name in vars(NoFeatures) if not name.startswith("_")}
    floor, origin = pack([Plane((0, 0, 0), (0, 1, 0))], [1.0]), TVector(0.0, 0.0, 0.0)
    assert not floor.features.has_any()
    still = KickedBall(BallPath(origin, origin, origin), 1.0, 0.1)
    assert floor.features.free_time(floor, still, 7.0) == 7.0
    assert floor.features.feature_gap(floor, 0, point=origin) == inf


def test_many_points_have_the_gaps_that_they_have_one_by_one():
    random = np.random.default_rng(5)
    points = random.normal(size=(50, 3)) * 4.0
    for point, direction in random.normal(size=(20, 2, 3)):
        for shape in Plane(point, direction), Cylinder(point, direction, 3.0):
            one_by_one = [shape.gap(x) for x in points]
            assert shape.gaps(points) == pytest.approx(one_by_one, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("inside", "outside", "tie", "tube"),
    [(2, 1, False, True), (1, 2, True, False), (2, 2, True, True), (2, 2, False, False)],
)
def test_a_cylinder_is_a_tube_to_a_crowd_if_it_is_to_most_of_it(inside, outside, tie, tube):
    points = np.array([[0.5, 0.0, 0.0]] * inside + [[5.0, 0.0, 0.0]] * outside)
    assert Cylinder((0, 0, 0), (0, 0, 1), 1).is_tube_to_most(points, tie) is tube


def test_what_is_no_shape_is_refused_in_a_sentence():
    with pytest.raises(TypeError, match=r"must be one of plane, cylinder, .*, not 'wall'"):
        pack(["wall"], [1.0])
