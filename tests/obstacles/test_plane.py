"""The plane: a one-sided wall. Rays and balls against it, whatever way it is written down."""

import math
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from one_sentence import told

from spheresim.model.balls import Ball
from spheresim.model.obstacle_toi import obstacle_toi
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.plane import Plane, walled_room

FLOOR = Plane((0, -1, 0), (0, 1, 0))

coordinate = st.integers(-(10**5), 10**5).map(lambda n: n / 1000.0)
points = st.builds(TVector, coordinate, coordinate, coordinate)
directions = points.filter(lambda v: v.mag() > 1e-3)
planes = st.builds(Plane, points, directions)
rays = st.builds(TRay, points, directions)


@pytest.mark.parametrize(
    ("origin", "direction"),
    [
        ((0, 3, 0), (1, 0, 2)),  # parallel, in front
        ((0, -1, 0), (1, 0, 2)),  # parallel, within
        ((0, -2, 0), (1, 0, 2)),  # parallel, behind
        ((0, 3, 0), (0, 1, 0)),  # away from the front
        ((0, -3, 0), (0, 1, 0)),  # through the back
        ((0, -3, 0), (0, -1, 0)),  # away from the back
        ((0, -1, 0), (1, 1, 0)),  # off the surface
    ],
)
def test_parallel_leaving_and_back_facing_rays_meet_nothing(origin, direction):
    assert FLOOR.hit(TRay(origin, direction)) is None


def test_a_ray_meets_the_plane_at_the_tutorials_distance():
    hit = FLOOR.hit(TRay((1, 3, -2), (3, -4, 0)))
    assert hit == (5.0, (4, -1, -2), (0, 1, 0))  # a 3-4-5 triangle
    assert FLOOR.hit(TRay((1, -1, -2), (3, -4, 0))) == (0.0, (1, -1, -2), (0, 1, 0))


@given(planes, rays)
def test_a_hit_point_lies_on_plane_and_ray_and_its_normal_faces_the_start(plane, ray):
    hit = plane.hit(ray)
    slope = plane.normal.dot(ray.direction.unit())
    if hit is None:
        assert plane.gap(ray.origin) <= 0.0 or slope >= 0.0
    else:
        slack = 1e-12 / -slope
        assert abs(plane.gap(hit.point)) <= slack
        assert ray.at(hit.distance).dist(hit.point) <= slack
        assert hit.normal == plane.normal
        assert hit.normal.dot(ray.direction) < 0.0


@given(planes, rays, st.floats(0.01, 10), st.floats(-50, 50))
def test_a_ball_touches_the_real_surface_with_its_centre_a_radius_away(plane, ray, radius, gap):
    ray = TRay(ray.origin + plane.normal * (gap - plane.gap(ray.origin)), ray.direction)
    gap, speed = plane.gap(ray.origin), plane.normal.dot(ray.direction)
    assume(abs(gap) > 1e-9)
    assume(abs(gap - radius) > 1e-9)
    assume(abs(speed) > 1e-6)
    t = obstacle_toi(Ball(ray.origin, ray.direction, radius), plane)
    if speed > 0.0 or gap < 0.0:
        assert t == inf
    elif gap < radius:
        assert t == 0.0
    else:
        centre = ray.at_parameter(t)
        assert abs(plane.gap(centre) - radius) <= 1e-11
        assert abs(plane.gap(centre - plane.normal * radius)) <= 1e-11


@pytest.mark.parametrize(
    ("height", "speed", "answer"),
    [
        (3.0, -1.0, 2.0),  # in front: until s = r
        (3.0, 1.0, inf),
        (1.0, -1.0, 0.0),  # touching
        (1.0, 1.0, inf),
        (1.0, 0.0, inf),
        (0.5, -1.0, 0.0),  # overlapping
        (0.5, 1.0, inf),
        (0.5, 0.0, inf),
        (0.0, -1.0, inf),  # the centre is on the surface or behind it: never
        (-0.5, -1.0, inf),
        (-9.0, 1.0, inf),
    ],
)
def test_the_rule_of_the_world_by_the_height_of_the_centre(height, speed, answer):
    ball = Ball((5, height - 1.0, 5), (7 if speed else 0, speed, 0), radius=1.0)
    assert obstacle_toi(ball, FLOOR) == answer


@given(planes, st.floats(1e-3, 1e3), points)
def test_all_ways_to_write_a_plane_agree(plane, length, point):
    normal = plane.normal * length
    d = normal.dot(plane.point)
    by_form = Plane.from_normal_form(normal, d)
    by_equation = Plane.from_equation(*normal, -d)
    expected = plane.gap(point)
    assert by_form.gap(point) == pytest.approx(expected, abs=1e-11)
    assert by_equation == by_form
    assert by_form.normal.dist(plane.normal) <= 1e-15


@given(planes, rays, st.floats(-3, 3), points)
def test_a_rigid_motion_of_everything_moves_the_hit_along(plane, ray, angle, place):
    turn = np.array(
        [[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]]
    )
    moved_plane = Plane(TVector(turn @ plane.point) + place, TVector(turn @ plane.normal))
    moved_ray = TRay(TVector(turn @ ray.origin) + place, TVector(turn @ ray.direction))
    slope = plane.normal.dot(ray.direction.unit())
    assume(abs(slope) > 1e-3)
    assume(abs(plane.gap(ray.origin)) > 1e-9)
    hit, moved = plane.hit(ray), moved_plane.hit(moved_ray)
    assert (hit is None) == (moved is None)
    if hit is not None:
        assert moved.distance == pytest.approx(hit.distance, abs=1e-9)
        assert (TVector(turn @ hit.point) + place).dist(moved.point) <= 1e-9


@given(planes, st.floats(0, 10), points)
def test_an_offset_plane_is_nearer_by_the_offset(plane, radius, point):
    assert plane.offset(radius).gap(point) == pytest.approx(plane.gap(point) - radius, abs=1e-12)
    assert plane.normal_at(point, point) == plane.normal


def test_the_solid_half_space_is_bounded_where_the_plane_faces_an_axis():
    assert Plane((1, 2, 3), (0, 0, 5)).bounds() == ((-inf, -inf, -inf), (inf, inf, 3))
    assert Plane((1, 2, 3), (-5, 0, 0)).bounds() == ((1, -inf, -inf), (inf, inf, inf))
    assert Plane((1, 2, 3), (1, 1, 0)).bounds() == ((-inf,) * 3, (inf,) * 3)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Plane((0, 0, 0), (0, 0, 0)), "a plane's normal must have a direction"),
        (lambda: Plane.from_equation(0, 0, 0, 1), "a plane's normal must have a direction"),
        (lambda: Plane((0, 0, 0), (0, math.nan, 1)), "a plane's normal must be finite"),
        (lambda: Plane((0, inf, 0), (0, 1, 0)), "a plane's point must be finite"),
        (lambda: Plane((0, 0), (0, 1, 0)), "a plane's point: .* three components, not 2"),
        (lambda: Plane((0, 0, 0), (0, 1, 0, 0)), "a plane's normal: .* three components, not 4"),
        (lambda: Plane("abc", (0, 1, 0)), "a plane's point: .* not 'a'"),
        (lambda: Plane((0, 0, 0), 7), "a plane's normal: .* three components, not one: 7"),
        (lambda: Plane((0, 0, 0), (True, 0, 0)), "a plane's normal: .* not True"),
        (lambda: Plane((0, 0, 0), (0, 1, 0)).offset("a"), "an offset must be a number, not 'a'"),
        (lambda: Plane((0, 0, 0), (0, 1, 0)).offset(inf), "an offset must be finite, not inf"),
        (lambda: Plane((0, 0, 0), (0, 1, 0)).gap((1, math.nan, 3)), "a point must be finite"),
    ],
)
def test_a_bad_argument_ends_in_one_sentence_that_names_it(make, sentence):
    told(make, sentence)


@pytest.mark.parametrize("d", ["3", math.nan, True, None])
def test_the_d_of_a_plane_is_a_finite_number(d):
    with pytest.raises((TypeError, ValueError), match="a plane's d must be"):
        Plane.from_normal_form((0, 1, 0), d)
    with pytest.raises((TypeError, ValueError), match="a plane's d must be"):
        Plane.from_equation(0, 1, 0, d)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_an_equation_may_be_multiplied_by_anything(size):
    assert Plane.from_equation(0, size, 0, -3 * size) == Plane((0, 3, 0), (0, 1, 0))


@pytest.mark.parametrize(
    ("tilt", "is_wall"), [(0.0, True), (6e-17, True), (1e-13, True), (1e-9, False)]
)
def test_a_plane_faces_along_an_axis_but_for_rounding_and_then_bounds_a_room(tilt, is_wall):
    wall, other = Plane((1, 2, 3), (-2, tilt, 0)), Plane((-4, 0, 0), (1, 0, 0))
    room = walled_room([wall, other, Plane((-9, 0, 0), (1, 0, 0))])
    assert room == ((-4, -inf, -inf), (1 if is_wall else inf, inf, inf))
    assert wall.bounds() == ((1 if is_wall else -inf, -inf, -inf), (inf, inf, inf))


def test_planes_back_to_back_leave_no_room():
    room = walled_room([Plane((1, 0, 0), (1, 0, 0)), Plane((-1, 0, 0), (-1, 0, 0))])
    assert room.low.x > room.high.x
