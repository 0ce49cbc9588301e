"""Balls that meet walls, pillars and tubes, in both engines."""

from math import cos, floor, pi, radians, sin, sqrt

import numpy as np
import pytest
from worlds import in_steps, set_up

from spheresim import Ball, Cylinder, Obstacle, Plane, TVector
from spheresim.collision.impacts import joined

WAYS = pytest.mark.parametrize("way", in_steps(0.01, 0.3, 1e6))


@pytest.mark.compiled_only
@pytest.mark.parametrize("way", in_steps(0.01, 1.0, 1000.0))
def test_a_ball_between_two_walls_is_a_triangle_wave(way):
    # .3 + 1000π = 3141 widths and .892…, on the way back.
    walls = [Plane((-0.5, 0, 0), (1, 0, 0)), Plane((1.5, 0, 0), (-1, 0, 0))]
    engine, _, state = set_up([Ball((0.3, 0, 0), (pi, 0.25, 0), 0.5)], walls, **way)
    for until in np.linspace(0.0, 1000.0, 5)[1:].tolist():
        engine.run(until)
    assert engine.tally.obstacle_impacts == 3141
    assert state.position[0, 0] == pytest.approx(0.107346410207, abs=1e-10)
    assert state.position[0, 1] == pytest.approx(250.0, abs=1e-8)
    assert state.velocity[0].tolist() == [-pi, 0.25, 0.0]


@WAYS
@pytest.mark.parametrize("radius", [0.5, 0.0625])
def test_a_plane_stops_the_surface_of_a_ball_and_not_its_centre(radius, way):
    plane = Plane((0, 2, 0), (0, 1, 0))
    engine, _, state = set_up([Ball((0, 8, 0), (3, -2, 0), radius)], [plane], **way)
    impacts = joined(engine.run(2e6, 1))
    assert impacts.t == pytest.approx([(6 - radius) / 2], rel=1e-13)
    assert impacts.normal[0].tolist() == [0, 1, 0]
    assert impacts.point[0] == pytest.approx((3 * impacts.t[0], 2, 0), abs=1e-12)
    assert state.velocity[0].tolist() == [3, 2, 0]


def test_what_came_in_from_behind_a_wall_is_stopped_by_it_from_then_on():
    walls = [Plane((0, 0, 0), (0, 1, 0)), Plane((0, 10, 0), (0, -1, 0))]
    engine, _, _ = set_up([Ball((0, -4, 0), (0, 1, 0), 1)], walls, step=0.7)
    impacts = joined(engine.run(35.0))
    assert impacts.t == pytest.approx([13.0, 21.0, 29.0])
    assert impacts.other.tolist() == [1, 0, 1]


@WAYS
@pytest.mark.parametrize("aside", [0.0, 0.3, 1.2, 1.499])
def test_a_pillar_is_hit_where_a_circle_of_both_radii_is(aside, way):
    # Along z it has no end and takes nothing away.
    pillar = Cylinder((0, 0, 7), (0, 0, 1), 1.0)
    engine, _, state = set_up([Ball((-5, aside, 0), (2, 0, 0.5), 0.5)], [pillar], **way)
    impacts = joined(engine.run(2e6, 1))
    x = -sqrt(1.5**2 - aside**2)
    assert impacts.t == pytest.approx([(5 + x) / 2], rel=1e-12)
    normal = np.array((x, aside, 0)) / 1.5
    assert impacts.normal[0] == pytest.approx(normal, abs=1e-12)
    velocity = np.array((2, 0, 0.5))
    assert state.velocity[0] == pytest.approx(
        velocity - 2 * (velocity @ normal) * normal, abs=1e-12
    )


@pytest.mark.compiled_only  # plain Python checks the radius of each cylinder as a user's
def test_a_pillar_of_radius_0_is_a_wire_that_stops_balls():
    engine, _, state = set_up(
        [Ball((-5, 0.1, 0), (1, 0, 0), 0.5), Ball((-5, 9, 0), (1, 0, 0), 0.5)],
        [Cylinder((0, 0, 0), (0, 0, 1), 1.0).offset(-1.0)],
    )
    assert joined(engine.run(20.0)).t == pytest.approx([5 - sqrt(0.24)])
    assert state.position[1] == pytest.approx((15, 9, 0))


@pytest.mark.parametrize("along", [(1, 0, 0), (-1, 0, 0), (3, 0, 0)])
def test_a_ball_that_flies_along_a_cylinder_meets_it_never(along):
    for y in (5.0, 1.0, 0.0):  # beside the pillar, inside the tube, on its axis
        tube = Cylinder((0, 0, 0), (1, 0, 0), 3.0)
        engine, _, state = set_up([Ball((0, y, 0), along, 0.5)], [tube], step=0.9)
        assert len(joined(engine.run(100.0)).t) == 0
        assert state.position[0] == pytest.approx(np.array((0, y, 0)) + 100.0 * np.array(along))


@pytest.mark.compiled_only
@pytest.mark.parametrize("way", in_steps(0.013, 1e7))
@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 1), (4, 1), (5, 2), (7, 3), (12, 5), (100, 1)])
def test_a_thousand_bounces_in_a_tube_run_round_a_polygon(n, k, way):
    # Corners lie on the circle of R − r; a side is a chord 2(R − r)·sin(πk/n).
    radius, r, speed, drift = 1.75, 0.5, 1.5, 0.01
    chord = 2 * (radius - r) * sin(pi * k / n)
    axis = TVector(1, 2, 3).unit()
    across = axis.perpendicular()
    up = axis.cross(across)
    centre = TVector(0.3, -0.2, 0.1)

    def corner(number):
        angle = 2 * pi * k / n * number
        return centre + (across * cos(angle) + up * sin(angle)) * (radius - r)

    # Start and end in the middle of a side, for a start on the wall could count as a hit.
    start, side = (corner(0) + corner(1)) / 2, (corner(1) - corner(0)).unit()
    velocity = side * speed + axis * drift
    engine, _, state = set_up([Ball(start, velocity, r)], [Cylinder(centre, axis, radius)], **way)
    time = 1000 * chord / speed
    engine.run(time)
    assert engine.tally.obstacle_impacts == 1000
    end = (corner(1000) + corner(1001)) / 2 + axis * (drift * time)
    assert state.position[0] == pytest.approx(np.array(end), abs=1e-9)


@WAYS
@pytest.mark.parametrize("ahead", [0.0, 0.5, -0.5])  # into the corner itself, or beside it
def test_a_right_angled_corner_sends_a_ball_back_in_two_bounces(ahead, way):
    walls = [Plane((0, 0, 0), (1, 0, 0)), Plane((0, 0, 0), (0, 1, 0))]
    ball = Ball((5 + ahead, 5, 0), (-2, -2, 0.5), 1)
    engine, _, state = set_up([ball], walls, **way)
    engine.run(max(way.get("step", 0.0), 10.0))
    assert state.velocity[0].tolist() == [2, 2, 0.5]
    assert engine.tally.obstacle_impacts == 2


def test_a_corner_of_three_walls_turns_any_velocity_round():
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    walls = [Plane((0, 0, 0), normal) for normal in turn]
    for seed in range(10):
        random = np.random.default_rng(seed)
        velocity = -random.uniform(0.1, 1.0, 3) @ turn
        engine, _, state = set_up([Ball((3, 2.5, 2) @ turn, velocity, 0.5)], walls, step=0.1)
        engine.run(60.0)
        assert state.velocity[0] == pytest.approx(-velocity, abs=1e-14)
        assert engine.tally.obstacle_impacts == 3


@pytest.mark.parametrize("degrees", [89.0, 61.0, 44.0, 20.5, 7.3, 1.7])
@pytest.mark.parametrize("turned", [0.05, 0.4, 0.8])
def test_a_ball_bounces_through_a_wedge_as_often_as_its_unfolded_path_crosses_walls(
    degrees, turned
):
    # Mirrored at each bounce, the path is a straight line and the walls are a star of angle α.
    # It comes from the polar angle α/2 and leaves at `line` − π; 0, −α, −2α, … lie between.
    angle = radians(degrees)
    walls = [Plane((0, 0, 0), (0, 1, 0)), Plane((0, 0, 0), (sin(angle), -cos(angle), 0))]
    line = angle / 2 * (1 + turned)
    apex = 0.5 / sin(angle / 2)  # here the centre of a ball of radius .5 touches both
    start = TVector(cos(angle / 2), sin(angle / 2), 0) * (apex + 20)
    engine, _, _ = set_up([Ball(start, (-cos(line), -sin(line), 0), 0.5)], walls, step=100.0)
    engine.run(10_000.0)
    assert engine.tally.obstacle_impacts == floor((pi - line) / angle) + 1


@pytest.mark.parametrize(("of_ball", "of_wall"), [(0.5, 1.0), (1.0, 0.5), (0.5, 0.8), (0.9, 0.0)])
def test_a_wall_answers_with_the_smaller_restitution(of_ball, of_wall):
    wall = Obstacle(Plane((0, 0, 0), (0, 1, 0)), of_wall)
    ball = Ball((0, 3, 0), (1, -2, 0), 1, mass=3, restitution=of_ball)
    engine, _, state = set_up([ball], [wall])
    impacts = joined(engine.run(5.0))
    smaller = min(of_ball, of_wall)
    assert state.velocity[0].tolist() == [1, 2 * smaller, 0]
    assert impacts.impulse == pytest.approx([3 * 2 * (1 + smaller)])
