"""The cylinder: a pillar from outside, a tube from inside, to rays and to balls."""

import copy
import math
import pickle
from math import inf

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from one_sentence import told

from spheresim.model.balls import Ball
from spheresim.model.obstacle_toi import obstacle_toi
from spheresim.numerics.ray import TRay
from spheresim.numerics.vector import TVector
from spheresim.obstacles.cylinder import Cylinder

PILLAR = Cylinder((0, 0, 0), (0, 0, 1), 2)

coordinate = st.integers(-50_000, 50_000).map(lambda n: n / 1000.0)
points = st.builds(TVector, coordinate, coordinate, coordinate)
directions = points.filter(lambda v: v.mag() > 1e-2)
cylinders = st.builds(Cylinder, points, directions, st.floats(0.1, 30))
rays = st.builds(TRay, points, directions)
angles = st.floats(-3.2, 3.2)


def radial(cylinder, point):
    d = point - cylinder.point
    return d - cylinder.axis * d.dot(cylinder.axis)


def around(cylinder, angle):
    """Two unit vectors across the axis: outwards at an angle, and along the wall."""
    first = cylinder.axis.perpendicular()
    outwards = first * math.cos(angle) + cylinder.axis.cross(first) * math.sin(angle)
    return outwards, cylinder.axis.cross(outwards)


@pytest.mark.parametrize(
    ("origin", "direction", "answer"),
    [
        ((-5, 0, 1), (2, 0, 0), (3.0, (-2, 0, 1), (-1, 0, 0))),  # from outside
        ((-5, 0, 1), (-2, 0, 0), None),  # away from it
        ((-5, 0, 1), (0, 0, 1), None),  # along the axis, outside
        ((1, 0, 1), (0, 0, -1), None),  # along the axis, inside
        ((2, 0, 1), (0, 0, 1), None),  # along the axis, on the surface
        ((-5, 3, 1), (1, 0, 0), None),  # past it
        ((1, 0, 0), (1, 0, 0), (1.0, (2, 0, 0), (-1, 0, 0))),  # from inside
        ((1, 0, 0), (-1, 0, 0), (3.0, (-2, 0, 0), (1, 0, 0))),
        ((0, 0, 0), (0, 3, 4), (2.5 / 0.75, (0, 2, 8 / 3), (0, -1, 0))),  # from the axis, slanting
        ((2, 0, 0), (1, 0, 0), None),  # starts on the surface, outwards
        ((2, 0, 0), (-1, 0, 0), (0.0, (2, 0, 0), (1, 0, 0))),  # starts on the surface, inwards
        ((-5, 2, 0), (1, 0, 0), (5.0, (0, 2, 0), (0, 1, 0))),  # tangent
    ],
)
def test_rays_from_outside_inside_along_and_on_the_surface(origin, direction, answer):
    hit = PILLAR.hit(TRay(origin, direction))
    if answer is None:
        assert hit is None
    else:
        assert hit.distance == pytest.approx(answer[0], rel=1e-15)
        assert hit.point.dist(TVector(answer[1])) <= 1e-15
        assert hit.normal == answer[2]


@given(cylinders, rays)
def test_a_hit_point_lies_on_surface_and_ray_and_its_normal_faces_the_start(cylinder, ray):
    across = radial(cylinder, ray.direction + cylinder.point)
    assume(across.mag() > 1e-3 * ray.direction.mag())
    closest = radial(cylinder, ray.origin).cross(across.unit()).mag()
    assume(abs(closest - cylinder.radius) > 1e-3)
    hit = cylinder.hit(ray)
    outside = not cylinder.is_tube(ray.origin)
    if hit is None:
        leaving = radial(cylinder, ray.origin).dot(across) >= 0.0
        assert outside
        assert leaving or closest > cylinder.radius
    else:
        assert cylinder.clearance(hit.point) <= 1e-8
        assert ray.at(hit.distance).dist(hit.point) <= 1e-8
        assert hit.normal.mag() == pytest.approx(1.0, abs=1e-15)
        assert abs(hit.normal.dot(cylinder.axis)) <= 1e-10
        assert hit.normal.dot(ray.direction) <= 0.0
        assert (hit.normal.dot(radial(cylinder, hit.point)) > 0.0) == outside


@given(cylinders, angles, st.floats(1, 50), st.floats(-3, 3))
@example(Cylinder((0, 0, 0), (0, 0, 1), 3), 2.0, 1.0, 0.0)
def test_a_tangent_ray_passes_or_touches_with_the_normal_of_the_outside(
    cylinder, angle, before, slope
):
    outwards, along = around(cylinder, angle)
    direction = along + cylinder.axis * slope
    touching = cylinder.point + outwards * cylinder.radius
    hit = cylinder.hit(TRay(touching - direction * before, direction))
    if hit is not None:
        assert hit.point.dist(touching) <= 1e-5
        assert hit.normal.dist(outwards) <= 1e-5


@given(cylinders, angles, st.floats(-10, 10), st.floats(0.01, 3), directions)
def test_a_ball_touches_the_real_surface_with_its_centre_a_radius_away(
    cylinder, angle, height, radius, velocity
):
    outwards, _ = around(cylinder, angle)
    for distance in (0.5, 0.9, 1.1, 3.0):
        centre = cylinder.point + outwards * (distance * cylinder.radius) + cylinder.axis * height
        clearance, outside = cylinder.clearance(centre), distance > 1.0
        speed = velocity.dot(outwards)
        assume(abs(clearance - radius) > 1e-9)
        assume(abs(speed) > 1e-6)
        t = obstacle_toi(Ball(centre, velocity, radius), cylinder)
        if outside and speed > 0.0:
            assert t == inf
        elif clearance < radius and (speed > 0.0) != outside:
            assert t == 0.0  # overlaps and approaches
        elif t < inf and cylinder.radius > radius:
            touching = centre + velocity * t
            slack = 1e-9 + 1e-10 * (cylinder.point.mag() + (velocity * t).mag())
            assert cylinder.is_tube(touching) != outside
            if cylinder.clearance(touching) < radius - slack:
                # It overlapped a tube, and never got free: it is stopped when it turns to the wall.
                assert clearance < radius
                assert abs(velocity.dot(radial(cylinder, touching))) <= slack * velocity.mag()
            else:
                assert cylinder.clearance(touching) == pytest.approx(radius, abs=slack)


@pytest.mark.parametrize(
    ("distance", "speed", "answer"),
    [  # of the centre from the axis, outwards; R = 2, r = 0.5
        (5.0, -1.0, 2.5),  # a pillar is hit at R + r
        (5.0, 1.0, inf),
        (2.5, -1.0, 0.0),  # touching
        (2.5, 1.0, inf),
        (2.25, -1.0, 0.0),  # overlapping from outside
        (2.25, 1.0, inf),
        (2.0, -1.0, 0.0),  # a centre on the surface is outside
        (1.75, 1.0, 0.0),  # overlapping from inside
        (1.75, -1.0, 3.25),  # … and on its way to the other side, at R − r
        (1.5, 1.0, 0.0),  # touching
        (1.5, -1.0, 3.0),
        (0.0, 1.0, 1.5),  # a tube is hit at R − r
        (1.0, 0.0, inf),  # at rest
    ],
)
def test_the_rule_of_the_world_by_the_distance_from_the_axis(distance, speed, answer):
    ball = Ball((distance, 0, 5), (speed, 0, 3 * speed), radius=0.5)
    assert obstacle_toi(ball, PILLAR) == answer


@given(angles, st.integers(0, 3), st.floats(-1e-15, 1e-15))
@example(2.0, 1, 0.0)
def test_a_ball_that_skims_along_the_inside_of_a_tube_stays_in_it(angle, ulps, outwards):
    out, along = around(PILLAR, angle)
    centre, velocity = out * (1.0 - ulps * 2.0**-53), along + out * outwards
    assert obstacle_toi(Ball(centre, velocity, radius=1.0), PILLAR) < 1e-7


@given(cylinders, rays, angles, points)
def test_a_rigid_motion_of_everything_moves_the_hit_along(cylinder, ray, angle, place):
    cos, sin = math.cos(angle), math.sin(angle)
    turn = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
    moved_cylinder = Cylinder(
        TVector(turn @ cylinder.point) + place, TVector(turn @ cylinder.axis), cylinder.radius
    )
    moved_ray = TRay(TVector(turn @ ray.origin) + place, TVector(turn @ ray.direction))
    across = radial(cylinder, ray.direction + cylinder.point)
    assume(across.mag() > 1e-2 * ray.direction.mag())
    closest = radial(cylinder, ray.origin).cross(across.unit()).mag()
    assume(abs(closest - cylinder.radius) > 1e-2 and cylinder.clearance(ray.origin) > 1e-9)
    hit, moved = cylinder.hit(ray), moved_cylinder.hit(moved_ray)
    assert (hit is None) == (moved is None)
    if hit is not None:
        assert moved.distance == pytest.approx(hit.distance, abs=1e-8)
        assert (TVector(turn @ hit.point) + place).dist(moved.point) <= 1e-8
        assert TVector(turn @ hit.normal).dist(moved.normal) <= 1e-7


def test_an_offset_grows_a_pillar_and_shrinks_a_tube_at_most_to_its_axis():
    assert PILLAR.offset(0.5) == Cylinder((0, 0, 0), (0, 0, 1), 2.5)
    assert PILLAR.offset(-0.5) == Cylinder((0, 0, 0), (0, 0, 1), 1.5)
    line = PILLAR.offset(-3.0)
    assert line.radius == 0.0
    assert copy.copy(line) == pickle.loads(pickle.dumps(line)) == line


def test_on_the_axis_the_normal_is_some_unit_vector_across():
    normal = PILLAR.normal_at(TVector(0, 0, 9), TVector(0, 0, 9))
    assert (normal.mag(), normal.z) == (1.0, 0.0)


def test_a_cylinder_is_bounded_across_the_axes_that_it_stands_square_to():
    assert Cylinder((1, 2, 3), (0, 0, -4), 2).bounds() == ((-1, 0, -inf), (3, 4, inf))
    assert Cylinder((1, 2, 3), (1, 1, 0), 2).bounds() == ((-inf, -inf, 1), (inf, inf, 5))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Cylinder((0, 0, 0), (0, 0, 0), 1), "a cylinder's axis must have a direction"),
        (lambda: Cylinder((0, 0, 0), (0, 0, math.nan), 1), "a cylinder's axis must be finite"),
        (lambda: Cylinder((inf, 0, 0), (0, 0, 1), 1), "a cylinder's point must be finite"),
        (lambda: Cylinder((0, 0), (0, 0, 1), 1), "a cylinder's point: .* components, not 2"),
        (lambda: Cylinder((0, 0, 0), ["x", 0, 1], 1), "a cylinder's axis: .* not 'x'"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 1), -1), "radius must be greater than 0, not -1"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 1), 0), "radius must be greater than 0, not 0"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 1), math.nan), "radius must be finite, not nan"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 1), inf), "radius must be finite, not inf"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 1), "1"), "radius must be a number, not '1'"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 1), True), "radius must be a number, not True"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 1), None), "radius must be a number, not None"),
        (lambda: PILLAR.offset(math.nan), "an offset must be finite, not nan"),
        (lambda: PILLAR.offset("a"), "an offset must be a number, not 'a'"),
    ],
)
def test_a_bad_argument_ends_in_one_sentence_that_names_it(make, sentence):
    told(make, sentence)
