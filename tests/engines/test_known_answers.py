"""Balls that meet balls, in both engines: every case whose answer is known without them."""

import math
from math import atan, ceil, pi, sqrt

import numpy as np
import pytest
from worlds import EXACT, box, gas, in_steps, kinetic_energy, rows_of, set_up, set_up_events

from spheresim import Ball, Cylinder, Obstacle, Plane
from spheresim.collision.impacts import BALL, OBSTACLE, REST, joined

# The answer is the same whatever the timestep.
WAYS = pytest.mark.parametrize("way", in_steps(1e-3, 0.1, 1.7, 1e6))
WITH_SLICES = pytest.mark.parametrize("way", [EXACT, {"slices": 0}, {"slices": 150}])
FLOOR = Plane((0, 0, 0), (0, 1, 0))
G = (0.0, -9.81, 0.0)


@WAYS
@pytest.mark.parametrize(
    ("mass", "restitution", "after_1", "after_2"),
    [
        (1.0, 1.0, (0.36, -0.48), (0.64, 0.48)),
        (1.0, 0.5, (0.52, -0.36), (0.48, 0.36)),
        (3.0, 1.0, (0.04, -0.72), (0.32, 0.24)),
    ],
)
def test_the_oblique_impact_of_two_balls(mass, restitution, after_1, after_2, way):
    one = Ball((-5, 0, 0), (1, 0, 0), 1, restitution=restitution)
    two = Ball((0, 1.2, 0), (0, 0, 0), 1, mass=mass)
    engine, _, state = set_up([one, two], **way)
    impacts = joined(engine.run(2e6, 1))
    assert impacts.t == pytest.approx([3.4], rel=1e-14)
    assert (impacts.kind, impacts.i, impacts.other) == (BALL, 0, 1)
    assert impacts.normal[0] == pytest.approx((-0.8, -0.6, 0), abs=1e-14)
    assert impacts.point[0] == pytest.approx((-0.8, 0.6, 0), abs=1e-13)
    assert impacts.vn_before == pytest.approx([-0.8], rel=1e-13)
    assert impacts.vn_after == pytest.approx([0.8 * restitution], rel=1e-13)
    reduced_mass = mass / (1 + mass)
    assert impacts.impulse == pytest.approx([0.8 * (1 + restitution) * reduced_mass], rel=1e-13)
    assert state.velocity[0] == pytest.approx((*after_1, 0), abs=1e-14)
    assert state.velocity[1] == pytest.approx((*after_2, 0), abs=1e-14)
    assert state.time[0] == impacts.t[0]
    assert state.position[0] == pytest.approx((-1.6, 0, 0), abs=1e-14)


FAR = [Ball((-1e8, 0, 0), (1, 0, 0), 0.5), Ball((0, 0, 0), radius=0.5)]
LARGE = [Ball((0, 0, 0), (1, 0, 0), 1), Ball((1e6 + 1 + 2.0**-10, 0, 0), radius=1e6)]
FAST = [Ball((-5, 0, 0), (1e6, 0, 0), 0.01), Ball((5, 0, 0), (-1e6, 0, 0), 0.01)]


@pytest.mark.parametrize(
    ("balls", "time", "way", "rounding"),
    [
        *((FAR, 99999999.0, way, 4e-16) for way in in_steps(2e8)),
        (LARGE, 2.0**-10, {"step": 0.01}, 0.0),
        (LARGE, 2.0**-10, EXACT, 1e-9),  # far less than places at 1e6 are rounded by
        (FAST, 4.99e-6, EXACT, 4e-16),
        *((FAST, 4.99e-6, {"step": h}, 1e-12) for h in (1e-7, 3e-6, 1e-5, 0.01, 1.0, 1e6)),
    ],
)
def test_the_time_of_impact_is_right_to_the_last_digits(balls, time, way, rounding):
    engine, _, state = set_up(balls, **way)
    assert joined(engine.run(2e8, 1)).t == pytest.approx([time], rel=rounding, abs=0.0)
    first, second = (ball.velocity.x for ball in balls)
    assert state.velocity.tolist() == [[second, 0, 0], [first, 0, 0]]


@WAYS
def test_uniform_gravity_does_not_change_when_two_free_balls_meet(way):
    balls = [Ball((-5, 0, 0), (1, 0, 0), 1), Ball((0, 1.2, 0), radius=1)]
    engine, _, _ = set_up(balls, gravity=(0.3, -9.81, 2.0), **way)
    assert joined(engine.run(2e6, 1)).t == pytest.approx([3.4], rel=1e-11)


@pytest.mark.parametrize("kind", ["events", "steps"])
@pytest.mark.parametrize("speed", [1e-3, 1.0, 1e6])
def test_a_tangent_pass_does_nothing_to_speak_of(speed, kind):
    balls = [Ball((-5, 2, 0), (speed, 0, 0), 1), Ball((0, 0, 0), radius=1)]
    engine, _, state = set_up(balls, step=10 / speed, engine=kind)
    engine.step_once()
    assert state.velocity[0] == pytest.approx((speed, 0, 0), abs=1e-7 * speed)
    assert state.velocity[1] == pytest.approx((0, 0, 0), abs=1e-7 * speed)


@WITH_SLICES
@pytest.mark.parametrize("distance", [2.0, 1.0, 1e-3])  # touching, overlapping, almost one ball
@pytest.mark.parametrize(
    ("velocity", "hits"),
    [((-1, 0, 0), True), ((1, 0, 0), False), ((0, 0, 0), False), ((0, 3, 0), False)],
)
def test_what_touches_or_overlaps_is_hit_at_once_if_it_approaches_and_else_never(
    distance, velocity, hits, way
):
    wind = np.array((0.25, -0.5, 2.0))
    balls = [Ball((distance, 0, 0), wind + velocity, 1), Ball((0, 0, 0), wind, 1)]
    engine, _, state = set_up(balls, **{"step": 0.5, **way})
    impacts = joined(engine.run(10.0))
    assert impacts.t.tolist() == ([0.0] if hits else [])
    if hits:
        assert state.velocity.tolist() == [wind.tolist(), (wind + velocity).tolist()]


@WITH_SLICES
def test_balls_at_one_place_part_without_a_word(way):
    balls = [Ball((1, 2, 3), (1, 0, 0), 1), Ball((1, 2, 3), radius=1), Ball((1, 2, 3), radius=2)]
    engine, _, state = set_up(balls, **way)
    assert len(joined(engine.run(1.0)).t) == 0
    assert state.position[0] == pytest.approx((2, 2, 3))


def inversions(velocities):
    return sum(velocities[i] > velocities[j] for j in range(len(velocities)) for i in range(j))


@pytest.mark.compiled_only
@pytest.mark.parametrize("way", in_steps(0.05, 1e5))
@pytest.mark.parametrize("gaps", ["random", "none"])
def test_equal_balls_on_a_line_sort_their_velocities_by_as_many_impacts_as_inversions(gaps, way):
    random = np.random.default_rng(3)
    for count in (2, 3, 5, 15):
        velocities = random.permutation(count) - count // 2
        between = random.uniform(0.1, 1.0, count) if gaps == "random" else np.zeros(count)
        places = 2.0 * np.arange(count) + between.cumsum()
        balls = [Ball((x, 0, 0), (v, 0, 0), 1) for x, v in zip(places, velocities, strict=True)]
        engine, _, state = set_up(balls, **way)
        engine.run(max(way.get("step", 0.0), 100.0))
        assert state.velocity[:, 0] == pytest.approx(np.sort(velocities), abs=1e-13)
        assert engine.tally.ball_impacts == inversions(velocities)


@pytest.mark.parametrize("way", in_steps(0.3))
def test_in_a_cradle_as_many_balls_leave_as_came(way):
    # Touching balls: all impacts happen at one instant, and all in the right order.
    for coming in range(1, 6):
        balls = [Ball((2.0 * k - 20.0 * (k < coming), 0, 0), radius=1) for k in range(10)]
        for ball in balls[:coming]:
            ball.velocity = ball.velocity._replace(x=1.0)
        engine, _, state = set_up(balls, **way)
        engine.run(60.0)
        assert state.velocity[:, 0].tolist() == [0.0] * (10 - coming) + [1.0] * coming
        assert engine.tally.ball_impacts == coming * (10 - coming)


def bounces_against_a_wall(mass, way):
    balls = [Ball((2, 0, 0), radius=0.5), Ball((6, 0, 0), (-1, 0, 0), 0.5, mass=mass)]
    engine, _, state = set_up(balls, [Plane((0, 0, 0), (1, 0, 0))], **way)
    engine.log_impacts(False)
    engine.run(1e4)
    assert 0 <= state.velocity[0, 0] <= state.velocity[1, 0]  # nothing is to come
    return engine.tally.ball_impacts + engine.tally.obstacle_impacts


@pytest.mark.parametrize(
    ("way", "k", "digits_of_pi"),
    [
        *((way, k, int("31415"[: k + 1])) for way in in_steps(1e4) for k in range(3)),
        *(
            pytest.param(way, k, int("3141592"[: k + 1]), marks=pytest.mark.compiled_only)
            for way, k in [
                *((way, k) for way in in_steps(1e4) for k in (3, 4)),
                *(({"step": 0.01}, k) for k in range(5)),
                *((EXACT, k) for k in (5, 6)),
            ]
        ),
    ],
)
def test_a_wall_and_two_balls_count_the_digits_of_pi(way, k, digits_of_pi):
    # G. Galperin, Playing pool with π, Regular and Chaotic Dynamics 8, 2003.
    assert bounces_against_a_wall(100.0**k, way) == digits_of_pi


@pytest.mark.compiled_only
@pytest.mark.parametrize("way", in_steps(1e4))
def test_a_wall_and_two_balls_of_any_masses_hit_as_often_as_the_angle_says(way):
    for mass in 10.0 ** np.random.default_rng(1).uniform(-2, 4, 30):
        expected = ceil(pi / atan(sqrt(1 / mass))) - 1
        assert bounces_against_a_wall(float(mass), way) == expected


@pytest.mark.compiled_only
@pytest.mark.parametrize("way", in_steps(0.1))
@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_what_an_impact_reports_is_what_happened(restitution, way):
    balls = gas(3, seed=5, restitution=restitution, masses=(0.5, 5.0))
    setup = set_up(balls, box(3.0, restitution), **way)
    engine, world, state = setup
    for _ in range(300):
        before = kinetic_energy(setup)
        (impact,) = rows_of(joined(engine.run(1e9, 1)))
        t, kind, i, other, point, normal, vn_before, vn_after, impulse = impact
        assert t == state.time[0]
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-15)
        # The point lies on the ball's surface, where it touches the other thing.
        assert point == pytest.approx(state.position[i] - world.radius[i] * normal, abs=1e-14)
        if kind == BALL:
            assert i < other
            assert point == pytest.approx(
                state.position[other] + world.radius[other] * normal, abs=1e-13
            )
            velocity = state.velocity[i] - state.velocity[other]
            mass = 1 / (1 / world.mass[i] + 1 / world.mass[other])
        else:
            assert kind == OBSTACLE
            velocity, mass = state.velocity[i], world.mass[i]
        assert vn_before < 0
        assert vn_after == pytest.approx(-restitution * vn_before, rel=1e-12)
        assert velocity @ normal == pytest.approx(vn_after, rel=1e-11, abs=1e-14)
        assert impulse == pytest.approx(-(1 + restitution) * mass * vn_before, rel=1e-12)
        lost = 0.5 * mass * (1 - restitution**2) * vn_before**2
        assert kinetic_energy(setup) == pytest.approx(before - lost, rel=1e-13)


@pytest.mark.compiled_only
@pytest.mark.parametrize("way", in_steps(0.05, 3.0))
def test_impacts_are_told_in_the_order_of_time(way):
    engine, _, _ = set_up(gas(3, seed=3), box(3.0), (0, -1, 0), **way)
    times = joined(engine.run(20 * way.get("step", 0.05))).t
    assert len(times) > 100
    assert (np.diff(times) >= 0.0).all()


@pytest.mark.parametrize("way", in_steps(5.0))
def test_what_happens_at_one_instant_is_told_balls_first_then_by_index(way):
    # Balls 0 … 3 hit a wall at t = 1; 4 and 6, 5 and 7 hit each other.
    wall = Plane((0, 0, 0), (1, 0, 0))
    flying = [Ball((2, 10 * k, 0), (-1, 0, 0), 1) for k in range(4)]
    meeting = [Ball((x, 10 * k, 0), (v, 0, 0), 1) for x, v in ((100, 1), (104, -1)) for k in (0, 1)]
    engine, _, _ = set_up(flying + meeting, [wall], **way)
    impacts = joined(engine.run(5.0))
    assert impacts.t.tolist() == [1.0] * 6
    assert list(zip(impacts.kind, impacts.i, impacts.other, strict=True)) == [
        (BALL, 4, 6),
        (BALL, 5, 7),
        *((OBSTACLE, k, 0) for k in range(4)),
    ]


def test_a_sliced_impact_is_told_at_the_slice_before_even_if_a_wall_comes_in_between():
    # Slices of .01; the wall is due at 1.005, the ball that comes in behind it at 1.006. The
    # centres are within reach at 1.01, so at 1.00 it is the pair that is answered.
    balls = [Ball((-91, 0, 0), (100 / 1.005, 0, 0), 1), Ball((10.3, 0, 0), radius=0.2)]
    wall = Plane((10, 0, 0), (-1, 0, 0))
    engine, _, _ = set_up(balls, [wall], step=1.5, slices=150)
    impacts = joined(engine.run(1.5, 1))
    assert impacts.kind.tolist() == [BALL]
    assert impacts.t == pytest.approx([1.0], rel=1e-12)


# --- Under gravity, of the exact engine ----------------------------------------------------


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


def test_a_thrown_ball_comes_back_onto_a_plane_that_it_has_crossed_from_behind():
    # It comes in through the plane, not far enough to be clear of it, and turns there.
    floor = Obstacle(FLOOR, restitution=0.5)
    setup = set_up_events(
        [Ball((0, -1, 0), (0, math.sqrt(2 * 10 * 1.25), 0), 0.5)], [floor], (0, -10, 0)
    )
    impacts = joined(setup.engine.run(0.6))
    assert impacts.t == pytest.approx([0.5])
    assert impacts.vn_before == pytest.approx([0.0], abs=1e-7)


# --- Many at once --------------------------------------------------------------------------


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
