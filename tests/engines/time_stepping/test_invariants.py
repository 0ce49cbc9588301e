"""What no run of the fixed-timestep engine may change, and what no symmetry may."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import (
    angular_momentum,
    box,
    gas,
    kinetic_energy,
    momentum,
    set_up,
    smallest_gap,
)

from spheresim import Ball, Cylinder, Obstacle, Plane, TVector
from spheresim.collision.impacts import joined

ONLY_COMPILED = pytest.mark.compiled_only
GRAVITY = (0.3, -1.0, 0.2)
SLICES = pytest.mark.parametrize("slices", [0, pytest.param(150, marks=ONLY_COMPILED)])


@pytest.mark.compiled_only
@given(
    seed=st.integers(0, 2**32 - 1),
    step=st.sampled_from([0.01, 0.07, 1.0, 5.0]),
    restitution=st.sampled_from([1.0, 0.95, 0.5]),
    slices=st.sampled_from([0, 0, 150]),
)
@settings(max_examples=15, derandomize=True)
def test_elastic_impacts_keep_the_energy_and_others_lose_some(seed, step, restitution, slices):
    balls = gas(2, seed, restitution=restitution, masses=(0.1, 10.0))
    setup = set_up(balls, box(2.0, restitution), step=step, slices=slices)
    energies = [kinetic_energy(setup)]
    for _ in range(8):
        setup.engine.step_once()
        energies.append(kinetic_energy(setup))
    assert setup.engine.tally.collapse_answers == 0
    assert np.isfinite(setup.state.position).all()
    if restitution == 1.0:
        assert energies == pytest.approx([energies[0]] * 9, rel=1e-12)
    else:
        assert all(np.diff(energies) <= 1e-14 * energies[0])


@ONLY_COMPILED
@given(seed=st.integers(0, 2**32 - 1), restitution=st.sampled_from([1.0, 0.6, 0.0]))
@settings(max_examples=25, derandomize=True)
def test_in_open_space_momentum_and_angular_momentum_stay(seed, restitution):
    balls = gas(2, seed, restitution=restitution, masses=(0.1, 10.0))
    for ball in balls:  # sent together, so that they do meet
        ball.velocity = ball.velocity - (ball.position - TVector(1, 1, 1)) * 2.0
    setup = set_up(balls, step=0.3)
    before = momentum(setup), angular_momentum(setup)
    setup.engine.run(3.0)
    assert setup.engine.tally.ball_impacts > 0
    assert momentum(setup) == pytest.approx(before[0], abs=1e-12)
    assert angular_momentum(setup) == pytest.approx(before[1], abs=1e-11)


def crowd(seed=1, side=3):
    """Balls in a box with a pillar across it, out of which they are kept."""
    pillar = Cylinder((1.4, 1.6, 1.5), (1, 2, 3), 0.2)
    balls = [b for b in gas(side, seed) if pillar.clearance(b.position) > b.radius]
    return balls, [*box(float(side)), Obstacle(pillar)]


@pytest.mark.parametrize("gravity", [(0, 0, 0), GRAVITY])
@pytest.mark.parametrize("seed", range(3))
def test_time_runs_back_the_way_it_came(gravity, seed):
    # A step that kicks by g·h and flies is undone by starting from −v − g·h.
    step = 1 / 32
    setup = set_up(*crowd(seed), gravity, step)
    start = setup.state.position.copy(), setup.state.velocity.copy()
    steps = 25
    setup.engine.run(steps * step)
    impacts = setup.engine.tally
    assert impacts.ball_impacts + impacts.obstacle_impacts > 20
    setup.state.velocity[:] = -setup.state.velocity - np.array(gravity) * step
    setup.engine.run(2 * steps * step)
    assert setup.state.position == pytest.approx(start[0], abs=1e-8)
    back = -setup.state.velocity - np.array(gravity) * step
    assert back == pytest.approx(start[1], abs=1e-8)


def transformed(point, vector, length=1.0, time=1.0, gravity=GRAVITY, slices=0):
    """The crowd, run for a while after points and vectors have been replaced."""
    balls, obstacles = crowd()
    for ball in balls:
        ball.position, ball.velocity = point(ball.position), vector(ball.velocity) * (length / time)
        ball.radius *= length
    moved = []
    for shape, restitution, _ in obstacles:
        place, direction = point(shape[0]), vector(shape[1])
        if isinstance(shape, Plane):
            moved.append(Obstacle(Plane(place, direction), restitution))
        else:
            moved.append(Obstacle(Cylinder(place, direction, shape.radius * length), restitution))
    pull = np.array(vector(np.array(gravity))) * (length / time**2)
    setup = set_up(balls, moved, pull, 0.0625 * time, slices)
    impacts = joined(setup.engine.run(2.0 * time))
    return setup, impacts


def unchanged(vector):
    return np.array(vector)


@ONLY_COMPILED
@SLICES
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_mirrored_world_runs_mirrored_to_the_last_bit(axis, slices):
    signs = np.ones(3)
    signs[axis] = -1.0

    def mirror(vector):
        return np.array(vector) * signs

    here, impacts = transformed(unchanged, unchanged, slices=slices)
    there, mirrored = transformed(mirror, mirror, slices=slices)
    assert len(impacts.t) > 50
    assert (there.state.position * signs == here.state.position).all()
    assert (there.state.velocity * signs == here.state.velocity).all()
    assert (mirrored.t == impacts.t).all()


@ONLY_COMPILED
@SLICES
@pytest.mark.parametrize(("length", "time"), [(4.0, 0.5), (2.0**-40, 2.0**10), (2.0**60, 2.0**60)])
def test_other_units_change_nothing_to_the_last_bit(length, time, slices):
    # Powers of two, so that the change of units itself does not round.
    here, impacts = transformed(unchanged, unchanged, slices=slices)
    there, scaled = transformed(
        lambda point: np.array(point) * length, unchanged, length, time, slices=slices
    )
    assert (there.state.position == here.state.position * length).all()
    assert (scaled.t == impacts.t * time).all()


@ONLY_COMPILED
def test_a_turned_and_shifted_world_runs_turned_and_shifted():
    turn = np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))[0]
    shift = np.array((5.0, -3.0, 8.0))
    here, impacts = transformed(unchanged, unchanged)
    there, turned = transformed(lambda x: turn @ np.array(x) + shift, lambda v: turn @ np.array(v))
    assert len(impacts.t) == len(turned.t)
    assert there.state.position == pytest.approx(here.state.position @ turn.T + shift, abs=1e-7)


@ONLY_COMPILED
def test_numbering_the_balls_otherwise_changes_nothing():
    balls, obstacles = crowd()
    order = np.random.default_rng(4).permutation(len(balls))
    runs = []
    for numbered in (balls, [balls[k] for k in order]):
        setup = set_up(numbered, obstacles, GRAVITY, 0.05)
        setup.engine.run(1.0)
        runs.append(setup)
    assert runs[1].state.position == pytest.approx(runs[0].state.position[order], abs=1e-9)


@ONLY_COMPILED
def test_a_common_wind_changes_nothing_between_balls():
    wind = TVector(30, -20, 10)
    runs = []
    for blows in (0.0, 1.0):
        balls = gas(3, seed=6)
        for ball in balls:
            inwards = TVector(1.5, 1.5, 1.5) - ball.position
            ball.velocity = ball.velocity + inwards + wind * blows
        setup = set_up(balls, step=0.05)
        setup.engine.run(2.0)
        runs.append(setup)
    assert runs[0].engine.tally.ball_impacts == runs[1].engine.tally.ball_impacts > 10
    assert runs[1].state.position - wind * 2.0 == pytest.approx(runs[0].state.position, abs=1e-9)


@ONLY_COMPILED
@SLICES
def test_the_same_input_gives_the_same_bytes(slices):
    def bytes_of_a_run():
        setup = set_up(*crowd(), GRAVITY, 0.05, slices)
        impacts = joined(setup.engine.run(2.0))
        arrays = (*impacts, setup.state.position, setup.state.velocity)
        return [np.ascontiguousarray(array).tobytes() for array in arrays]

    assert bytes_of_a_run() == bytes_of_a_run()


@pytest.mark.cases(1)
@ONLY_COMPILED
@pytest.mark.parametrize(("step", "steps"), [(0.01, 500), (0.5, 20), (20.0, 2)])
def test_a_gas_stays_in_its_box_and_no_two_balls_overlap(step, steps):
    setup = set_up(gas(8, seed=3, masses=(0.1, 10.0)), box(8.0), step=step)
    start, radius = kinetic_energy(setup), setup.world.radius[:, None]
    for _ in range(min(steps, 20)):
        setup.engine.run(float(setup.state.time[0]) + step * (steps // min(steps, 20)))
        assert (setup.state.position - radius).min() > -1e-13
        assert (setup.state.position + radius).max() < 8.0 + 1e-13
        assert smallest_gap(setup) > -1e-12
    assert kinetic_energy(setup) == pytest.approx(start, rel=1e-12)
    assert setup.engine.tally.deepest_overlap < 1e-12


@ONLY_COMPILED
@pytest.mark.parametrize("impacts", [100_000, pytest.param(1_000_000, marks=pytest.mark.study)])
def test_a_thousand_elastic_balls_keep_their_energy(impacts):
    setup = set_up(gas(10, seed=1), box(10.0), step=0.05)
    start = kinetic_energy(setup)
    while setup.engine.tally.ball_impacts + setup.engine.tally.obstacle_impacts < impacts:
        setup.engine.run(float(setup.state.time[0]) + 5.0)
    assert abs(kinetic_energy(setup) / start - 1.0) < 1e-12
    assert setup.engine.tally.deepest_overlap < 1e-12 * 10.0
    assert setup.engine.tally.collapse_answers == 0


@ONLY_COMPILED
@pytest.mark.thorough
def test_5000_balls_in_open_space_part_without_overlap_and_lose_nothing():
    setup = set_up(gas(17, seed=2), step=0.5)
    before = kinetic_energy(setup), momentum(setup)
    setup.engine.run(20.0)
    assert setup.engine.tally.ball_impacts > 1000
    assert kinetic_energy(setup) == pytest.approx(before[0], rel=1e-12)
    assert momentum(setup) == pytest.approx(before[1], abs=1e-10)
    assert smallest_gap(setup) > -1e-12


@pytest.mark.compiled_only
def test_space_has_no_border():
    # Two pairs that meet 1e9 away from each other and from where they started.
    far = 1e9
    balls = [
        Ball((-far - 5, 0, 0), (1, 0, 0), 1),
        Ball((-far + 5, 0, 0), (-1, 0, 0), 1),
        Ball((0, 0, 0), (0, far / 8, 0), 1),
        Ball((0, far + 2, 0), radius=1),
    ]
    engine, _, state = set_up(balls, step=0.25)
    impacts = joined(engine.run(16.0))
    assert impacts.t == pytest.approx([4.0, 8.0])
    assert list(zip(impacts.i, impacts.other, strict=True)) == [(0, 1), (2, 3)]
    assert state.position[3] == pytest.approx((0, 2 * far + 2, 0), rel=1e-12)
    engine.run(16.0 + 500.0)
    assert state.position[3, 1] == pytest.approx(2 * far + 500 * far / 8, rel=1e-9)
