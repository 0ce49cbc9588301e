"""The ray: a half-line, whatever the length of its direction; distances against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector

coordinate = st.integers(-(10**5), 10**5).map(lambda n: n / 1000.0)
points = st.builds(TVector, coordinate, coordinate, coordinate)
directions = points.filter(lambda v: v.mag() > 1e-3)
rays = st.builds(TRay, points, directions)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def exact_distance(one, other):
    """The least distance of two half-lines: between two ends, an end and a line, or two lines."""
    here, there = [Fraction(x) for x in one.direction], [Fraction(x) for x in other.direction]
    between = [Fraction(x) - Fraction(y) for x, y in zip(one.origin, other.origin, strict=True)]
    a, b, e = dot(here, here), dot(here, there), dot(there, there)
    f, g = dot(here, between), dot(there, between)
    parameters = [(Fraction(0), max(Fraction(0), g / e)), (max(Fraction(0), -f / a), Fraction(0))]
    if a * e != b * b:
        inner = (b * g - e * f) / (a * e - b * b), (a * g - b * f) / (a * e - b * b)
        if min(inner) >= 0:
            parameters.append(inner)
    apart = [
        [w + s * x - t * y for w, x, y in zip(between, here, there, strict=True)]
        for s, t in parameters
    ]
    return math.sqrt(min(dot(way, way) for way in apart))


def test_a_point_on_the_ray_is_start_plus_t_times_direction():
    ray = TRay((1, 2, 3), (2, 0, -1))
    assert ray.at_parameter(0) == (1, 2, 3)
    assert ray.at_parameter(3) == (7, 2, 0)


@given(rays, st.integers(0, 10**6).map(lambda n: n / 1000.0))
def test_a_distance_along_the_ray_is_a_length_whatever_the_directions_length(ray, distance):
    assert ray.at(distance).dist(ray.origin) == pytest.approx(distance, rel=1e-12, abs=1e-12)
    longer = TRay(ray.origin, ray.direction * 8.0)
    assert longer.at(distance) == ray.at(distance)


@given(rays, points, st.floats(0, 10))
def test_no_point_of_the_ray_is_nearer_than_the_nearest(ray, point, t):
    nearest = ray.nearest_point(point)
    assert ray.dist(point) == nearest.dist(point)
    assert nearest.dist(point) <= ray.at_parameter(t).dist(point) + 1e-11
    off = point - nearest
    if ray.direction.dot(point - ray.origin) <= 0.0:
        assert nearest == ray.origin
    else:
        assert abs(off.dot(ray.direction.unit())) <= 1e-11


def test_what_lies_behind_the_start_is_no_part_of_the_ray():
    ray = TRay((0, 0, 0), (1, 0, 0))
    assert [ray.dist((x, 3, 4)) for x in (-12, 0, 12)] == [13, 5, 5]


@pytest.mark.parametrize(
    ("other", "distance"),
    [
        (TRay((1, 2, 7), (0, 0, -3)), 2),  # skew
        (TRay((4, 4, 0), (0, -1, 0)), 0),  # they cross
        (TRay((-4, 3, 0), (0, -1, 0)), 4),  # would cross behind the start
        (TRay((4, 3, 0), (0, 1, 0)), 3),  # would cross behind the other's start
        (TRay((-3, 4, 0), (-1, 0, 0)), 5),  # antiparallel, start to start
        (TRay((7, 4, 0), (-1, 0, 0)), 4),  # antiparallel, side by side
        (TRay((-7, 4, 0), (5, 0, 0)), 4),  # parallel
        (TRay((3, 0, 0), (2, 0, 0)), 0),  # one within the other
        (TRay((-3, 0, 0), (-2, 0, 0)), 3),  # back to back on one line
    ],
)
def test_rays_that_meet_pass_and_run_side_by_side(other, distance):
    ray = TRay((0, 0, 0), (1, 0, 0))
    assert ray.dist(other) == other.dist(ray) == distance


@pytest.mark.cases(1)
@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.compiled_only)])
def test_the_distance_of_two_rays_is_the_exact_one(count):
    random = np.random.default_rng(6)
    for numbers in random.normal(size=(count, 12)):
        one = TRay(10 * numbers[:3], numbers[3:6])
        other = TRay(10 * numbers[6:9], numbers[9:])
        expected = exact_distance(one, other)
        assert one.dist(other) == pytest.approx(expected, rel=1e-11, abs=1e-11)
        own, opposite = one.nearest_points(other)
        assert max(one.dist(own), other.dist(opposite)) <= 1e-12
        assert own.dist(opposite) == one.dist(other)


@pytest.mark.parametrize(
    ("sense", "apart"),
    [
        *((1.0, apart) for apart in (0.0, 1e-16, 1e-14, 1e-12, 1e-9)),
        *((-1.0, apart) for apart in (0.0, 1e-16, 1e-14, 1e-12, 1e-9)),
        (1.0, 1e-6),
        (-1.0, 1e-6),
    ],
)
def test_rays_that_are_parallel_but_for_rounding_are_no_farther_than_their_starts(sense, apart):
    # Lines so nearly parallel cross far away, if at all: the rounding there must not count.
    random = np.random.default_rng(8)
    for numbers in random.normal(size=(200, 12)):
        one = TRay(numbers[:3], numbers[3:6])
        other = TRay(numbers[6:9], sense * numbers[3:6] / 3.0 + apart * numbers[9:])
        distance, exact = one.dist(other), exact_distance(one, other)
        from_starts = min(one.dist(other.origin), other.dist(one.origin))
        far = max(point.mag() for point in one.nearest_points(other))
        assert exact * (1.0 - 1e-6) - 1e-15 * far <= distance <= from_starts * (1.0 + 1e-6)
        if apart >= 1e-6:
            assert distance == pytest.approx(exact, rel=1e-6)


@given(rays, rays, points)
def test_distances_do_not_depend_on_the_order_and_little_on_the_place(one, other, place):
    if one.direction.unit().cross(other.direction.unit()).mag() < 1e-3:
        return  # the parallel case has a test of its own
    assert one.dist(other) == pytest.approx(other.dist(one), rel=1e-9, abs=1e-9)
    moved = [TRay(ray.origin + place, ray.direction) for ray in (one, other)]
    assert moved[0].dist(moved[1]) == pytest.approx(one.dist(other), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("t", "sentence"),
    [
        (-1, "must be at least 0, not -1.0"),
        (math.inf, "must be finite, not inf"),
        (math.nan, "must be finite, not nan"),
        ("a", "must be a number, not 'a'"),
    ],
)
def test_a_place_along_a_ray_is_a_finite_number_and_not_behind_its_start(t, sentence):
    ray = TRay((0, 0, 0), (2, 0, 0))
    for place in ray.at, ray.at_parameter:
        with pytest.raises((TypeError, ValueError), match=f"a place along a ray {sentence}"):
            place(t)


def test_only_a_ray_has_a_pair_of_nearest_points_and_only_finite_points_a_distance():
    ray = TRay((0, 0, 0), (2, 0, 0))
    with pytest.raises(TypeError, match=r"nearest_points needs a second ray, .*, not \(1, 2, 3\)"):
        ray.nearest_points((1, 2, 3))
    for ask in ray.dist, ray.nearest_point, ray.nearest_parameter:
        with pytest.raises(ValueError, match="a point must be finite, not"):
            ask((math.nan, 4, 0))


def test_a_ray_needs_a_direction():
    with pytest.raises(ValueError, match="a ray needs a direction: the zero vector has none"):
        TRay((1, 2, 3), (0, 0, 0))


@pytest.mark.parametrize("exponent", [-1060, -570, -100, 100, 570, 990])
@given(rays, rays, points)
def test_a_very_short_or_long_direction_changes_no_point_and_no_distance(
    exponent, one, other, point
):
    plain = [TRay(ray.origin, [round(x * 1000.0) for x in ray.direction]) for ray in (one, other)]
    extreme = [TRay(ray.origin, [math.ldexp(x, exponent) for x in ray.direction]) for ray in plain]
    assert extreme[0].at(3.0) == plain[0].at(3.0)
    assert extreme[0].nearest_point(point) == plain[0].nearest_point(point)
    assert extreme[0].dist(point) == plain[0].dist(point)
    assert extreme[0].dist(extreme[1]) == plain[0].dist(plain[1])


def test_a_parameter_is_in_units_of_the_directions_length_also_of_a_very_short_one():
    assert TRay((0, 0, 0), (2e-170, 0, 0)).nearest_parameter((1, 0, 0)) == pytest.approx(5e169)
    assert TRay((0, 0, 0), (2e170, 0, 0)).nearest_parameter((1, 0, 0)) == pytest.approx(5e-171)
    assert TRay((0, 0, 0), (5e-324, 0, 0)).nearest_parameter((1, 0, 0)) == math.inf
    assert TRay((0, 0, 0), (5e-324, 0, 0)).nearest_parameter((-1, 0, 0)) == 0.0


def test_points_near_far_rays_are_found_and_not_refused():
    # The nearest point is out of reach of floats as a parameter, which nobody has given.
    rng = np.random.default_rng(0)
    for size in 10.0 ** rng.uniform(-150, 150, 300):
        one, two = rng.normal(size=(2, 3)) * size, rng.normal(size=(2, 3)) / size
        assert not math.isnan(TRay(*one).dist(TRay(*two)))
        assert not math.isnan(TRay(*one).dist(two[0]))
