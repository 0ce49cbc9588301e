"""Inelastic collapse: infinitely many impacts in finite time, of which every step must end.

An impact is then answered otherwise than by its restitution. What is left to physics:
nothing gains energy, nothing passes through anything, momentum stays where no wall is, and
what does not collapse, above all what is elastic, is answered as it would be anyway.
"""

from math import cos, pi, radians, sin

import numpy as np
import pytest
from worlds import box, gas, in_steps, kinetic_energy, momentum, set_up, smallest_gap

from spheresim import Ball, Cylinder, Obstacle, Plane, TVector
from spheresim.collision.impacts import joined

ONLY_COMPILED = pytest.mark.compiled_only


def run_bounded(setup, until, most):
    """Go on to a time; fail where that takes more impacts than it may."""
    before = setup.engine.tally

    def impacts():
        tally = setup.engine.tally
        balls = tally.ball_impacts - before.ball_impacts
        return balls + tally.obstacle_impacts - before.obstacle_impacts

    batches = setup.engine.run(until, is_interrupted=lambda: impacts() > most)
    assert impacts() <= most
    assert np.isfinite(setup.state.position).all()
    return joined(batches)


def steps_without_gain(setup, step, count, most, rounding=1e-12, slow_bounce=0.0):
    """Go so many steps; in none may energy grow beyond what the kick has brought.

    slow_bounce: what one that is computed with the speed at its time may add, see the test. That of
    the parabolas, which have the velocities half way in the steps, never exceeds the first.
    """
    gravity, mass = np.array(setup.world.gravity), setup.world.mass
    pull, first = gravity * step, None
    for _ in range(count):
        kicked = 0.5 * mass @ ((setup.state.velocity + pull) ** 2).sum(axis=1)
        on_parabolas = 0.5 * mass @ ((setup.state.velocity + 0.5 * pull) ** 2).sum(axis=1)
        on_parabolas -= mass @ (setup.state.position @ gravity)
        first = on_parabolas if first is None else first
        assert on_parabolas <= first + rounding * (abs(first) + kicked)
        run_bounded(setup, float(setup.state.time[0]) + step, most)
        assert kinetic_energy(setup) <= kicked * (1 + rounding) + slow_bounce


@pytest.mark.parametrize("restitution", [0.0, 0.01, 0.05, 0.06])
@pytest.mark.parametrize("way", in_steps(0.01, 10.0))
def test_three_balls_on_a_line_collapse_below_a_restitution_of_7_minus_4_root_3(restitution, way):
    # S. McNamara and W. R. Young, Inelastic collapse and clumping, Physics of Fluids A 4, 1992.
    balls = [
        Ball((-3, 0, 0), (10, 0, 0), 1, restitution=restitution),
        Ball((0, 0, 0), (0.1, 0, 0), 1),
        Ball((3, 0, 0), (-10, 0, 0), 1, restitution=restitution),
    ]
    setup, step = set_up(balls, **way), way.get("step", 1.0)
    steps_without_gain(setup, step, int(20 / step), most=1000)
    assert momentum(setup)[0] == pytest.approx(0.1, abs=1e-12)
    assert kinetic_energy(setup) < 0.01  # of 100: nearly all is lost, whatever the rule
    assert smallest_gap(setup) > -1e-12
    assert (setup.engine.tally.collapse_answers > 0) == (restitution < 0.0718)


@pytest.mark.parametrize("way", in_steps(10.0))
@pytest.mark.parametrize("restitution", [0.1, 0.3, 0.8])
def test_and_above_it_they_do_not(restitution, way):
    balls = [
        Ball((x, 0, 0), (v, 0, 0), 1, restitution=restitution)
        for x, v in ((-3, 10), (0, 0.1), (3, -10))
    ]
    setup = set_up(balls, **way)
    setup.engine.run(20.0)
    assert setup.engine.tally.collapse_answers == 0


@pytest.mark.parametrize(
    "restitution",
    [pytest.param(1.0, marks=ONLY_COMPILED), pytest.param(0.5, marks=ONLY_COMPILED), 0.0],
)
@pytest.mark.parametrize(
    "gap", [2.0, pytest.param(1.9, marks=ONLY_COMPILED)]
)  # it just fits, or overlaps both walls
def test_a_ball_jammed_between_two_walls_goes_on_along_them(restitution, gap):
    walls = [Plane((0, -gap / 2, 0), (0, 1, 0)), Plane((0, gap / 2, 0), (0, -1, 0))]
    ball = Ball((0, 0, 0), (3, 1, -2), 1, restitution=restitution)
    setup = set_up([ball], walls, (0, -1, 0), step=0.25)
    steps_without_gain(setup, 0.25, 4, most=20_000)
    assert setup.state.position[0] == pytest.approx((3, 0, -2), abs=1e-12)
    assert setup.state.velocity[0, 0::2].tolist() == [3, -2]


@ONLY_COMPILED
@pytest.mark.parametrize("restitution", [1.0, 0.5, 0.0])
def test_a_ball_that_starts_along_the_wall_of_a_tube_slides_round_it(restitution):
    ball = Ball((4, 0, 0), (0, 2, 0.5), 1, restitution=restitution)
    setup = set_up([ball], [Cylinder((0, 0, 0), (0, 0, 1), 5)], step=0.1)
    steps_without_gain(setup, 0.1, 100, most=20_000)
    x, y, z = setup.state.position[0]
    # Ten time units at 2 round a circle of radius 4; the chords may cut .2 % off the way.
    turned = 10 * 2 / 4
    assert np.hypot(x, y) == pytest.approx(4, rel=1e-5)
    assert np.hypot(x, y) <= 4 + 1e-13
    speed = np.linalg.norm(setup.state.velocity[0, :2])
    assert speed == pytest.approx(2, rel=1e-12 if restitution == 1.0 else 0.02)
    assert np.arctan2(y, x) % (2 * pi) == pytest.approx(turned, rel=1e-5 if speed == 2 else 0.02)
    assert z == pytest.approx(5.0)


@ONLY_COMPILED
@pytest.mark.parametrize("restitution", [0.5, 0.0])
@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0.1, 0.3), (0, 1, 0)])
def test_a_ball_under_gravity_in_a_tube_loses_energy_and_stays_inside(axis, restitution):
    tube = Cylinder((0, 0, 0), axis, 5)
    start = tube.axis.perpendicular() * 4.0
    sideways = tube.axis.cross(start).unit()
    ball = Ball(start, sideways * 3.0, 1, restitution=restitution)
    setup = set_up([ball], [tube], (0, -1, 0), step=0.05)
    before = kinetic_energy(setup) + setup.state.position[0, 1]
    for _ in range(10):
        # Held by the wall it goes by chords of a step, as fast as the integrator has it.
        steps_without_gain(setup, 0.05, 40, most=5000, rounding=1e-3)
        assert tube.clearance(TVector(setup.state.position[0])) >= 1 - 1e-12 * abs(
            setup.state.position[0]
        ).max().clip(1)
    assert kinetic_energy(setup) + setup.state.position[0, 1] < before


@pytest.mark.parametrize("restitution", [0.9, 0.5, 0.0])
@pytest.mark.parametrize(
    "degrees", [90, pytest.param(60, marks=ONLY_COMPILED), pytest.param(20, marks=ONLY_COMPILED)]
)
@pytest.mark.parametrize("way", in_steps(0.01))
def test_a_ball_comes_to_rest_in_a_corner(degrees, restitution, way):
    half = radians(degrees / 2)
    walls = [
        Plane((0, 0, 0), (cos(half), sin(half), 0)),
        Plane((0, 0, 0), (-cos(half), sin(half), 0)),
    ]
    bottom = 1 / sin(half)  # the lowest place of the centre of a ball of radius 1
    ball = Ball((0.1, bottom + 1, 0), (0, 0, 0.25), 1, restitution=restitution)
    setup = set_up([ball], walls, (0, -10, 0), **way)
    if "step" in way:
        # With the speed w + ½k at its time, for a kick k of 0.1, the bounce of a speed w gives
        # e(w + ½k) + ½k: its square less w² is ¼k²(1 + e)/(1 − e) at most, for any w.
        gain = 0.125 * 0.1**2 * (1 + restitution) / (1 - restitution) if restitution > 0.5 else 0.0
        steps_without_gain(setup, 0.01, 1000, most=2000, slow_bounce=gain)
        near = 0.6 if restitution > 0.5 else 0.01
    else:
        run_bounded(setup, 60.0, most=2000)
        near = 1e-6
        assert setup.state.position[0, 0] == pytest.approx(0.0, abs=near)
        assert setup.state.velocity[0, :2] == pytest.approx((0, 0), abs=near)
    assert setup.state.position[0, 1] == pytest.approx(bottom, abs=near)
    assert setup.state.position[0, 1] > bottom - 1e-12
    assert setup.state.velocity[0, 2] == pytest.approx(0.25, rel=1e-15)


@ONLY_COMPILED
@pytest.mark.parametrize("restitution", [0.5, 0.0])
def test_a_bullet_into_touching_balls_is_answered_at_once(restitution):
    lattice = np.array(np.meshgrid(*[range(8)] * 3)).reshape(3, -1).T * 2.0
    balls = [Ball(place, radius=1, restitution=restitution) for place in lattice]
    balls.append(Ball((-3, 7.9, 8.2), (100, 3, 0), 1, restitution=restitution))
    setup = set_up(balls, step=0.1)
    before = momentum(setup)
    steps_without_gain(setup, 0.1, 30, most=100_000)
    assert momentum(setup) == pytest.approx(before, abs=1e-11)
    assert smallest_gap(setup) > -1e-12
    assert setup.engine.tally.collapse_answers > 0


@ONLY_COMPILED
def test_the_rule_touches_no_elastic_ball():
    wall, large = Plane((0, 0, 0), (1, 0, 0)), 100.0**4
    pi_balls = [Ball((2, 0, 0), radius=0.5), Ball((6, 0, 0), (-1, 0, 0), 0.5, mass=large)]
    cradle = [Ball((2.0 * k, 0, 0), (float(k < 100), 0, 0), 1) for k in range(200)]
    crammed = gas(4, seed=3, radii=(0.49, 0.499))
    for balls, obstacles, step, impacts in (
        (pi_balls, [wall], 100.0, 31415),
        (cradle, [], 100.0, 10_000),
        (crammed, box(4.0), 1.0, 10_000),
    ):
        setup = set_up(balls, obstacles, step=step)
        start = kinetic_energy(setup)
        setup.engine.step_once()
        tally = setup.engine.tally
        assert tally.ball_impacts + tally.obstacle_impacts >= impacts
        assert tally.collapse_answers == 0
        assert kinetic_energy(setup) == pytest.approx(start, rel=1e-11)


def grazing_bounces(radius, clearance, angle, count):
    """Bounces of an elastic ball in a tube in the time of so many chords at a flat angle."""
    chord = 2 * clearance * sin(angle)
    velocity = (-sin(angle), cos(angle), 0)
    middle = np.array((clearance, 0, 0)) + np.array(velocity) * (chord / 2)
    tube = Cylinder((0, 0, 0), (0, 0, 1), radius + clearance)
    setup = set_up([Ball(middle, velocity, radius)], [tube], step=1e3)
    setup.engine.run(count * chord)
    return setup.engine.tally.obstacle_impacts


def test_short_chords_in_a_wide_tube_are_no_collapse():
    assert grazing_bounces(radius=1.0, clearance=10.0, angle=5e-4, count=1000) == 1000


def test_nor_are_they_in_a_narrow_one():
    assert grazing_bounces(radius=1.0, clearance=0.05, angle=5e-4, count=1000) == 1000


def test_many_balls_may_hit_one_that_hardly_moves_each_with_its_restitution():
    # 40 balls, one after the other, from all sides: no pair meets twice.
    turn, height = np.arange(40) * 2.4, np.linspace(-0.95, 0.95, 40)
    across = np.sqrt(1 - height**2)
    directions = np.stack((across * np.cos(turn), across * np.sin(turn), height), axis=1)
    balls = [Ball((0, 0, 0), radius=1, mass=1e6)]
    balls += [
        Ball(d * (2 + 0.1 * k), d * -1.0, 0.1, restitution=0.5) for k, d in enumerate(directions)
    ]
    impacts = joined(set_up(balls, step=10.0).engine.step_once())
    assert len(impacts.t) == 40
    assert impacts.vn_after == pytest.approx(-0.5 * impacts.vn_before, rel=1e-12)


def full_box(restitution):
    lattice = np.array(np.meshgrid(*[range(2)] * 3)).reshape(3, -1).T * 2.0 + 1.0
    return [Ball(place, radius=1, restitution=restitution) for place in lattice], box(
        4.0, restitution
    )


def narrow_tube(restitution):
    ball = Ball((0, 0, 0), (1, 0.5, 0.25), 1, restitution=restitution)
    return [ball], [Obstacle(Cylinder((0, 0, 0), (0, 0, 1), 0.8))]


def exact_tube(restitution):
    ball = Ball((0, 0, 0), (1, 0.5, 0.25), 1, restitution=restitution)
    return [ball], [Obstacle(Cylinder((0, 0, 0), (0, 0, 1), 1.0))]


@ONLY_COMPILED
@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.5])
@pytest.mark.parametrize("world", [full_box, narrow_tube, exact_tube])
def test_a_step_ends_even_where_nothing_can_move(world, restitution):
    setup = set_up(*world(restitution), (0, -1, 0), step=0.1)
    steps_without_gain(setup, 0.1, 3, most=500_000)
