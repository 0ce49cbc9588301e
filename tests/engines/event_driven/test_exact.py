"""The exact engine against answers that are known without it."""

import math

import numpy as np
import pytest
from worlds import box, set_up_events

from spheresim import Ball, Cylinder, Obstacle, Plane
from spheresim.collision.impacts import BALL, OBSTACLE, REST, joined

FLOOR = Plane((0, 0, 0), (0, 1, 0))
G = (0.0, -9.81, 0.0)


@pytest.mark.parametrize(
    ("masses", "restitution", "v1", "v2"),
    [
        ((1, 1), 1.0, (0.36, -0.48), (0.64, 0.48)),
        ((1, 1), 0.5, (0.52, -0.36), (0.48, 0.36)),
        ((1, 3), 1.0, (0.04, -0.72), (0.32, 0.24)),
    ],
)
def test_an_oblique_impact(masses, restitution, v1, v2):
    setup = set_up_events(
        [
            Ball((-5, 0, 0), (1, 0, 0), 1, masses[0], restitution),
            Ball((0, 1.2, 0), (0, 0, 0), 1, masses[1], restitution),
        ]
    )
    impacts = joined(setup.engine.run(5.0))
    assert impacts.t == pytest.approx([3.4], abs=1e-14)
    assert impacts.normal[0] == pytest.approx((-0.8, -0.6, 0), abs=1e-14)
    assert setup.state.velocity[:, :2].tolist() == [pytest.approx(v1), pytest.approx(v2)]


@pytest.mark.parametrize(
    ("balls", "time"),
    [
        ([Ball((0, 0, 0), (1, 0, 0), 0.5), Ball((1e8, 0, 0), radius=0.5)], 99999999.0),
        ([Ball((0, 0, 0), (1, 0, 0), 1), Ball((1e6 + 1 + 2.0**-10, 0, 0), radius=1e6)], 2.0**-10),
        (
            [Ball((0, 0, 0), (1e6, 0, 0), 0.01), Ball((10, 0, 0), (-1e6, 0, 0), 0.01)],
            4.99e-6,
        ),
    ],
)
def test_the_time_of_impact_is_right_to_the_last_digit(balls, time):
    impacts = joined(set_up_events(balls).engine.run(2.0 * time))
    assert impacts.t == pytest.approx([time], rel=4e-16)


@pytest.mark.parametrize("speed", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("overlap", [0.0, 0.25])
def test_what_touches_or_overlaps_meets_now_if_it_approaches_and_else_never(overlap, speed):
    setup = set_up_events([Ball((0, 0, 0), radius=1), Ball((2 - overlap, 0, 0), (speed, 0, 0), 1)])
    impacts = joined(setup.engine.run(100.0))
    assert impacts.t.tolist() == ([0.0] if speed < 0 else [])


def test_a_tangent_pass_is_no_impact_or_one_without_impulse():
    setup = set_up_events([Ball((-5, 0, 0), (1, 0, 0), 1), Ball((0, 2, 0), radius=1)])
    impacts = joined(setup.engine.run(10.0))
    assert np.abs(impacts.impulse).max(initial=0.0) < 1e-7


@pytest.mark.parametrize("seed", range(3))
def test_on_a_line_there_are_as_many_impacts_as_inversions(seed):
    random = np.random.default_rng(seed)
    speeds = random.normal(size=15)
    balls = [Ball((3.0 * k, 0, 0), (v, 0, 0), 1) for k, v in enumerate(speeds)]
    setup = set_up_events(balls)
    impacts = joined(setup.engine.run(1e6))
    inversions = sum(speeds[i] > speeds[j] for i in range(15) for j in range(i + 1, 15))
    assert len(impacts.t) == inversions
    assert setup.state.velocity[:, 0] == pytest.approx(np.sort(speeds), abs=1e-12)


def galperin(k):
    """A wall, a small ball at rest, a ball 100^k times as heavy coming in."""
    return set_up_events(
        [Ball((3, 0, 0), radius=1), Ball((9, 0, 0), (-1, 0, 0), 2, 100.0**k)],
        [Plane((0, 0, 0), (1, 0, 0))],
    )


@pytest.mark.parametrize(
    ("k", "digits"),
    [
        (0, 3),
        (1, 31),
        (2, 314),
        *(
            pytest.param(k, digits, marks=pytest.mark.compiled_only)
            for k, digits in ((3, 3141), (4, 31415), (5, 314159), (6, 3141592))
        ),
    ],
)
def test_impacts_on_a_wall_count_the_digits_of_pi(k, digits):
    setup = galperin(k)
    setup.engine.log_impacts(False)
    setup.engine.run(math.inf if False else 1e9)
    tally = setup.engine.tally
    assert tally.ball_impacts + tally.obstacle_impacts == digits


@pytest.mark.compiled_only
@pytest.mark.parametrize(("n", "k"), [(3, 1), (5, 2), (7, 1)])
def test_in_a_tube_a_closed_polygon_closes_for_a_thousand_bounces(n, k):
    radius, speed = 4.0, 2.0
    angles = 2.0 * math.pi * k / n * np.arange(2)
    corners = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) * radius
    chord = 2.0 * radius * math.sin(math.pi * k / n)
    along = (corners[1] - corners[0]) / chord
    start = corners[0] + 0.5 * chord * along
    tube = Cylinder((0, 0, 0), (0, 0, 1), radius + 1)
    setup = set_up_events([Ball(start, along * speed, 1)], [tube])
    bounces = 1000 // n * n
    impacts = joined(setup.engine.run(bounces * chord / speed))
    assert len(impacts.t) == bounces
    assert setup.state.position[0] == pytest.approx(start, abs=1e-9)


@pytest.mark.compiled_only
def test_between_two_planes_a_ball_is_a_triangle_wave():
    walls = [Plane((-0.5, 0, 0), (1, 0, 0)), Plane((1.5, 0, 0), (-1, 0, 0))]
    setup = set_up_events([Ball((0.3, 0, 0), (math.pi, 0, 0), 0.5)], walls)
    for t in np.linspace(0, 1000, 7)[1:]:
        setup.engine.run(t)
    assert setup.engine.tally.obstacle_impacts == 3141
    assert setup.state.position[0, 0] == pytest.approx(0.107346410207, abs=1e-11)


@pytest.mark.parametrize(
    ("e", "rest"), [(0.5, 1.354570922957193), (0.9, 8.578949178728887), (0.0, 0.451523640985731)]
)
def test_a_bouncing_ball_hits_and_rests_when_the_series_says(e, rest):
    setup = set_up_events([Ball((0, 1.1, 0), radius=0.1, restitution=e)], [FLOOR], G)
    impacts = joined(setup.engine.run(10.0))
    assert impacts.t[0] == pytest.approx(0.451523640985731, abs=1e-14)
    assert impacts.kind.tolist() == [OBSTACLE] * (len(impacts.t) - 1) + [REST]
    assert impacts.t[-1] == pytest.approx(rest, abs=2e-6)
    assert setup.state.position[0, 1] == pytest.approx(0.1, abs=1e-13)
    assert setup.state.velocity[0].tolist() == [0, 0, 0]


def test_ballistic_flight_between_impacts_is_exact():
    setup = set_up_events([Ball((1, 2, 3), (4, 5, 6), 0.5)], gravity=G)
    for t in (0.1, 0.7, 3.0, 50.0):
        setup.engine.run(t)
        place = np.array((1, 2, 3)) + np.array((4, 5, 6)) * t + 0.5 * np.array(G) * t * t
        assert setup.state.position[0] == pytest.approx(place, rel=1e-13)


@pytest.mark.parametrize(
    ("radius", "place", "velocity", "time"),
    [
        (1.0, (-0.22057446139579695, 3.782582561890373), (0.7, 2.0), 1.0),
        (80.0, (194.5631268773781, 43.13362035813388), (-40.0, 10.0), 3.0),
    ],
)
def test_a_ballistic_ball_hits_a_lying_cylinder_when_the_quartic_says(
    radius, place, velocity, time
):
    pillar = Cylinder((0, 0, 0), (0, 0, 1), 0.75 * radius)
    setup = set_up_events([Ball((*place, 0), (*velocity, 0), 0.25 * radius)], [pillar], G)
    impacts = joined(setup.engine.run(1.2 * time))
    assert impacts.t[0] == pytest.approx(time, abs=1e-13 * radius)


def test_in_a_corner_the_velocity_turns_back():
    walls = [Plane((0, 0, 0), (1, 0, 0)), Plane((0, 0, 0), (0, 1, 0))]
    setup = set_up_events([Ball((3, 3, 0), (-1, -1, 0.5), 1)], walls)
    impacts = joined(setup.engine.run(4.0))
    assert impacts.t == pytest.approx([2, 2])
    assert impacts.other.tolist() == [0, 1]
    assert setup.state.velocity[0] == pytest.approx((1, 1, 0.5), abs=1e-15)


def test_uniform_gravity_does_not_change_when_two_free_balls_meet():
    balls = [Ball((-5, 0, 0), (1, 3, 0), 1), Ball((0, 1.2, 0), (0, 3, 0), 1)]
    impacts = joined(set_up_events(balls, gravity=G).engine.run(5.0))
    assert impacts.t == pytest.approx([3.4], abs=1e-13)


def test_a_thrown_ball_comes_back_onto_a_plane_that_it_has_crossed_from_behind():
    # It comes in through the plane, not far enough to be clear of it, and turns there.
    floor = Obstacle(FLOOR, restitution=0.5)
    setup = set_up_events(
        [Ball((0, -1, 0), (0, math.sqrt(2 * 10 * 1.25), 0), 0.5)], [floor], (0, -10, 0)
    )
    impacts = joined(setup.engine.run(0.6))
    assert impacts.t == pytest.approx([0.5])
    assert impacts.vn_before == pytest.approx([0.0], abs=1e-7)


def test_two_balls_at_one_place_do_not_hang_the_run():
    setup = set_up_events([Ball((0, 0, 0), (1, 0, 0), 1), Ball((0, 0, 0), (-1, 0, 0), 1)])
    setup.engine.run(1.0)
    assert np.isfinite(setup.state.position).all()


@pytest.mark.compiled_only
def test_three_balls_that_hit_two_walls_at_once_do_not_hang_the_run():
    balls = [Ball((0.5 + k, 0.5, 0.5), ((-1.0) ** k, 0, 0), 0.5) for k in range(3)]
    setup = set_up_events(balls, box(3.0)[:2])
    setup.engine.run(2.0)
    assert np.isfinite(setup.state.position).all()
    assert setup.engine.tally.deepest_overlap < 1e-13


def test_a_break_of_touching_balls_keeps_energy_and_momentum():
    balls = [Ball((-5, 0.1, 0), (10, 0, 0), 0.5)]
    for row in range(5):
        balls += [
            Ball((row * 0.5 * math.sqrt(3), k - row / 2, 0), radius=0.5) for k in range(row + 1)
        ]
    setup = set_up_events(balls)
    impacts = joined(setup.engine.run(5.0))
    assert (impacts.kind == BALL).all()
    assert 0.5 * (setup.state.velocity**2).sum() == pytest.approx(50.0, rel=1e-13)
    assert setup.state.velocity.sum(axis=0) == pytest.approx((10, 0, 0), abs=1e-13)
