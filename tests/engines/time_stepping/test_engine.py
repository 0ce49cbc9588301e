"""Balls that meet balls in the fixed-timestep engine: every case whose answer is known."""

from math import atan, ceil, pi, sqrt

import numpy as np
import pytest
from worlds import box, gas, kinetic_energy, rows_of, set_up

from spheresim import Ball, Plane
from spheresim.collision.impacts import BALL, OBSTACLE, joined

STEPS = [1e-3, 0.1, 1.7, 1e6]  # the answer is the same whatever the timestep


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("mass", "restitution", "after_1", "after_2"),
    [
        (1.0, 1.0, (0.36, -0.48), (0.64, 0.48)),
        (1.0, 0.5, (0.52, -0.36), (0.48, 0.36)),
        (3.0, 1.0, (0.04, -0.72), (0.32, 0.24)),
    ],
)
def test_the_oblique_impact_of_two_balls(mass, restitution, after_1, after_2, step):
    one = Ball((-5, 0, 0), (1, 0, 0), 1, restitution=restitution)
    two = Ball((0, 1.2, 0), (0, 0, 0), 1, mass=mass)
    engine, _, state = set_up([one, two], step=step)
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


def test_a_head_on_impact_from_1e8_away_is_exact():
    balls = [Ball((-1e8, 0, 0), (1, 0, 0), 0.5), Ball((0, 0, 0), radius=0.5)]
    engine, _, _ = set_up(balls, step=2e8)
    assert joined(engine.step_once()).t == [99999999.0]


def test_radii_of_1e6_and_1_over_a_small_gap_are_exact():
    gap = 2.0**-10
    balls = [Ball((0, 0, 0), radius=1e6), Ball((1e6 + 1 + gap, 0, 0), (-1, 0, 0), 1)]
    engine, _, _ = set_up(balls)
    assert joined(engine.step_once()).t == [gap]


@pytest.mark.parametrize("step", [1e-7, 3e-6, 1e-5, 0.01, 1.0, 1e6])
def test_a_fast_pair_meets_when_it_meets_whatever_the_timestep(step):
    balls = [Ball((-5, 0, 0), (1e6, 0, 0), 0.01), Ball((5, 0, 0), (-1e6, 0, 0), 0.01)]
    engine, _, state = set_up(balls, step=step)
    impacts = joined(engine.run(max(step, 1e-5)))
    assert impacts.t == pytest.approx([4.99e-6], rel=1e-12)
    assert state.velocity.tolist() == [[-1e6, 0, 0], [1e6, 0, 0]]


@pytest.mark.parametrize("step", STEPS)
def test_uniform_gravity_does_not_change_when_two_free_balls_meet(step):
    balls = [Ball((-5, 0, 0), (1, 0, 0), 1), Ball((0, 1.2, 0), radius=1)]
    engine, _, _ = set_up(balls, gravity=(0.3, -9.81, 2.0), step=step)
    assert joined(engine.run(2e6, 1)).t == pytest.approx([3.4], rel=1e-11)


@pytest.mark.parametrize("speed", [1e-3, 1.0, 1e6])
def test_a_tangent_pass_does_nothing_to_speak_of(speed):
    balls = [Ball((-5, 2, 0), (speed, 0, 0), 1), Ball((0, 0, 0), radius=1)]
    engine, _, state = set_up(balls, step=10 / speed)
    engine.step_once()
    assert state.velocity[0] == pytest.approx((speed, 0, 0), abs=1e-7 * speed)
    assert state.velocity[1] == pytest.approx((0, 0, 0), abs=1e-7 * speed)


@pytest.mark.parametrize("slices", [0, 150])
@pytest.mark.parametrize("distance", [2.0, 1.0, 1e-3])  # touching, overlapping, almost one ball
@pytest.mark.parametrize(
    ("velocity", "hits"),
    [((-1, 0, 0), True), ((1, 0, 0), False), ((0, 0, 0), False), ((0, 3, 0), False)],
)
def test_what_touches_or_overlaps_is_hit_at_once_if_it_approaches_and_else_never(
    distance, velocity, hits, slices
):
    wind = np.array((0.25, -0.5, 2.0))
    balls = [Ball((distance, 0, 0), wind + velocity, 1), Ball((0, 0, 0), wind, 1)]
    engine, _, state = set_up(balls, step=0.5, slices=slices)
    impacts = joined(engine.run(10.0))
    assert impacts.t.tolist() == ([0.0] if hits else [])
    if hits:
        assert state.velocity.tolist() == [wind.tolist(), (wind + velocity).tolist()]


@pytest.mark.parametrize("slices", [0, 150])
def test_balls_at_one_place_part_without_a_word(slices):
    balls = [Ball((1, 2, 3), (1, 0, 0), 1), Ball((1, 2, 3), radius=1), Ball((1, 2, 3), radius=2)]
    engine, _, state = set_up(balls, slices=slices)
    assert len(joined(engine.run(1.0)).t) == 0
    assert state.position[0] == pytest.approx((2, 2, 3))


def inversions(velocities):
    return sum(velocities[i] > velocities[j] for j in range(len(velocities)) for i in range(j))


@pytest.mark.compiled_only
@pytest.mark.parametrize("step", [0.05, 1e5])
@pytest.mark.parametrize("gaps", ["random", "none"])
def test_equal_balls_on_a_line_sort_their_velocities_by_as_many_impacts_as_inversions(gaps, step):
    random = np.random.default_rng(3)
    for count in (2, 3, 5, 12):
        velocities = random.permutation(count) - count // 2
        between = random.uniform(0.1, 1.0, count) if gaps == "random" else np.zeros(count)
        places = 2.0 * np.arange(count) + between.cumsum()
        balls = [Ball((x, 0, 0), (v, 0, 0), 1) for x, v in zip(places, velocities, strict=True)]
        engine, _, state = set_up(balls, step=step)
        engine.run(max(step, 100.0))
        assert state.velocity[:, 0] == pytest.approx(np.sort(velocities), abs=1e-13)
        assert engine.tally.ball_impacts == inversions(velocities)


def test_in_a_cradle_as_many_balls_leave_as_came():
    # Touching balls: all impacts happen at one instant, and all in the right order.
    for coming in range(1, 6):
        balls = [Ball((2.0 * k - 20.0 * (k < coming), 0, 0), radius=1) for k in range(10)]
        for ball in balls[:coming]:
            ball.velocity = ball.velocity._replace(x=1.0)
        engine, _, state = set_up(balls, step=0.3)
        engine.run(60.0)
        assert state.velocity[:, 0].tolist() == [0.0] * (10 - coming) + [1.0] * coming
        assert engine.tally.ball_impacts == coming * (10 - coming)


def bounces_against_a_wall(mass, step):
    balls = [Ball((2, 0, 0), radius=0.5), Ball((6, 0, 0), (-1, 0, 0), 0.5, mass=mass)]
    engine, _, state = set_up(balls, [Plane((0, 0, 0), (1, 0, 0))], step=step)
    engine.run(max(step, 100.0))
    assert 0 <= state.velocity[0, 0] <= state.velocity[1, 0]  # nothing is to come
    return engine.tally


@pytest.mark.parametrize("step", [pytest.param(0.01, marks=pytest.mark.compiled_only), 1e4])
@pytest.mark.parametrize(
    ("k", "digits_of_pi"),
    [
        (0, 3),
        (1, 31),
        (2, 314),
        pytest.param(3, 3141, marks=pytest.mark.compiled_only),
        pytest.param(4, 31415, marks=pytest.mark.compiled_only),
    ],
)
def test_a_wall_and_two_balls_count_the_digits_of_pi(k, digits_of_pi, step):
    # G. Galperin, Playing pool with π, Regular and Chaotic Dynamics 8, 2003.
    tally = bounces_against_a_wall(100.0**k, step)
    assert tally.ball_impacts + tally.obstacle_impacts == digits_of_pi


@pytest.mark.compiled_only
def test_a_wall_and_two_balls_of_any_masses_hit_as_often_as_the_angle_says():
    for mass in 10.0 ** np.random.default_rng(1).uniform(-2, 4, 30):
        tally = bounces_against_a_wall(float(mass), 1e4)
        assert tally.ball_impacts + tally.obstacle_impacts == ceil(pi / atan(sqrt(1 / mass))) - 1


@pytest.mark.compiled_only
@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_what_an_impact_reports_is_what_happened(restitution):
    balls = gas(3, seed=5, restitution=restitution, masses=(0.5, 5.0))
    setup = set_up(balls, box(3.0, restitution), step=0.1)
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


@pytest.mark.parametrize("step", [0.05, pytest.param(3.0, marks=pytest.mark.compiled_only)])
def test_impacts_are_told_in_the_order_of_time(step):
    engine, _, _ = set_up(gas(3, seed=3), box(3.0), (0, -1, 0), step)
    times = joined(engine.run(20 * step)).t
    assert len(times) > 100
    assert (np.diff(times) >= 0.0).all()


def test_what_happens_at_one_instant_is_told_balls_first_then_by_index():
    # Balls 0 … 3 hit a wall at t = 1; 4 and 6, 5 and 7 hit each other.
    wall = Plane((0, 0, 0), (1, 0, 0))
    flying = [Ball((2, 10 * k, 0), (-1, 0, 0), 1) for k in range(4)]
    meeting = [Ball((x, 10 * k, 0), (v, 0, 0), 1) for x, v in ((100, 1), (104, -1)) for k in (0, 1)]
    engine, _, _ = set_up(flying + meeting, [wall], step=5.0)
    impacts = joined(engine.step_once())
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
