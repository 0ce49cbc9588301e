"""What no run of the exact engine may change, and what must not matter to it."""

import math

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
    set_up_events,
    smallest_gap,
)

from spheresim import Ball, Cylinder, Obstacle, Plane, TVector
from spheresim.collision.impacts import joined

ONLY_COMPILED = pytest.mark.compiled_only
GRAVITY = (0.3, -1.0, 0.2)


def crowd(seed=1, side=3, restitution=1.0):
    """Balls in a box with a pillar across it, out of which they are kept."""
    pillar = Cylinder((1.4, 1.6, 1.5), (1, 2, 3), 0.2)
    balls = [
        b
        for b in gas(side, seed, restitution=restitution)
        if pillar.clearance(b.position) > b.radius
    ]
    return balls, [*box(float(side), restitution), Obstacle(pillar, restitution)]


def bytes_of(setup, impacts):
    arrays = (*impacts, setup.state.position, setup.state.velocity)
    return [np.ascontiguousarray(array).tobytes() for array in arrays]


@ONLY_COMPILED
@pytest.mark.parametrize("gravity", [(0, 0, 0), pytest.param(GRAVITY, marks=ONLY_COMPILED)])
def test_stops_on_the_way_and_records_change_no_bit(gravity):
    def run(times, restitution=1.0):
        setup = set_up_events(*crowd(restitution=restitution), gravity)
        batches = []
        for t in times:
            batches += setup.engine.run(t)
        return bytes_of(setup, joined(batches))

    whole = run([2.0])
    assert run([2.0]) == whole
    assert run([0.01, 0.5, 0.5, 1.2345, 2.0]) == whole
    silent = set_up_events(*crowd(), gravity)
    silent.engine.log_impacts(False)
    silent.engine.run(2.0)
    assert silent.state.position.tobytes() == whole[-2]
    stopped = set_up_events(*crowd(), gravity)
    batches = stopped.engine.run(0.0)
    while float(stopped.state.time[0]) < 2.0:
        batches += stopped.engine.run(2.0, 1)
    assert bytes_of(stopped, joined(batches)) == whole


@pytest.mark.compiled_only
@given(
    seed=st.integers(0, 2**32 - 1),
    restitution=st.sampled_from([1.0, 0.95, 0.5]),
    periodic=st.booleans(),
)
@settings(max_examples=15, derandomize=True)
def test_elastic_impacts_keep_the_energy_and_others_lose_some(seed, restitution, periodic):
    balls = gas(3, seed, restitution=restitution, masses=(0.1, 10.0))
    walls = [] if periodic else box(3.0, restitution)
    setup = set_up_events(balls, walls, side=3.0 if periodic else None)
    energies = [kinetic_energy(setup)]
    for k in range(8):
        setup.engine.run(0.25 * (k + 1))
        energies.append(kinetic_energy(setup))
    assert np.isfinite(setup.state.position).all()
    assert setup.engine.tally.deepest_overlap < 1e-12
    if restitution == 1.0:
        assert energies == pytest.approx([energies[0]] * 9, rel=1e-12)
    else:
        assert all(np.diff(energies) <= 1e-14 * energies[0])


@given(seed=st.integers(0, 2**32 - 1), restitution=st.sampled_from([1.0, 0.6, 0.0]))
@settings(max_examples=10, derandomize=True)
def test_in_open_space_momentum_and_angular_momentum_stay(seed, restitution):
    balls = gas(2, seed, restitution=restitution, masses=(0.1, 10.0))
    for ball in balls:  # sent together, so that they do meet
        ball.velocity = ball.velocity - (ball.position - TVector(1, 1, 1)) * 2.0
    setup = set_up_events(balls)
    before = momentum(setup), angular_momentum(setup)
    setup.engine.run(3.0)
    assert setup.engine.tally.ball_impacts > 0
    assert momentum(setup) == pytest.approx(before[0], abs=1e-12)
    assert angular_momentum(setup) == pytest.approx(before[1], abs=1e-11)


@ONLY_COMPILED
@pytest.mark.parametrize("gravity", [(0, 0, 0), GRAVITY])
@pytest.mark.parametrize("seed", range(3))
def test_time_runs_back_the_way_it_came(gravity, seed):
    setup = set_up_events(*crowd(seed), gravity)
    start = setup.state.position.copy(), setup.state.velocity.copy()
    setup.engine.run(0.8)
    assert setup.engine.tally.ball_impacts + setup.engine.tally.obstacle_impacts > 20
    setup.state.velocity[:] *= -1.0
    setup.engine.run(1.6)
    assert setup.state.position == pytest.approx(start[0], abs=1e-8)
    assert -setup.state.velocity == pytest.approx(start[1], abs=1e-8)


@pytest.mark.parametrize("axis", [0, 1, 2])
@ONLY_COMPILED
def test_a_mirrored_world_runs_mirrored(axis):
    signs = np.ones(3)
    signs[axis] = -1.0
    runs = []
    for sign in (np.ones(3), signs):
        balls, obstacles = crowd()
        for ball in balls:
            ball.position = np.array(ball.position) * sign
            ball.velocity = np.array(ball.velocity) * sign
        placed = [
            Obstacle(
                Plane(np.array(o.shape[0]) * sign, np.array(o.shape[1]) * sign)
                if isinstance(o.shape, Plane)
                else Cylinder(
                    np.array(o.shape[0]) * sign, np.array(o.shape[1]) * sign, o.shape.radius
                )
            )
            for o in obstacles
        ]
        setup = set_up_events(balls, placed, np.array(GRAVITY) * sign)
        runs.append((setup, joined(setup.engine.run(1.0)), sign))
    (here, impacts, _), (there, mirrored, sign) = runs
    assert len(impacts.t) > 30
    assert there.state.position * sign == pytest.approx(here.state.position, abs=1e-9)
    assert mirrored.t == pytest.approx(impacts.t, abs=1e-9)


@ONLY_COMPILED
def test_numbering_the_balls_otherwise_changes_nothing():
    balls, obstacles = crowd()
    order = np.random.default_rng(4).permutation(len(balls))
    runs = []
    for numbered in (balls, [balls[k] for k in order]):
        setup = set_up_events(numbered, obstacles, GRAVITY)
        setup.engine.run(0.8)
        runs.append(setup)
    assert runs[1].state.position == pytest.approx(runs[0].state.position[order], abs=1e-9)


def test_a_periodic_box_may_stand_anywhere_and_shows_paths_without_a_jump():
    runs = []
    for shift in (0.0, 1.7, -250.0):
        balls = gas(3, seed=5)
        for ball in balls:
            ball.position = np.array(ball.position) + shift
        setup = set_up_events(balls, side=3.0)
        setup.engine.run(1.5)
        runs.append(setup.state.position - shift)
    assert runs[1] == pytest.approx(runs[0], abs=1e-9)
    assert runs[2] == pytest.approx(runs[0], abs=1e-9)
    assert np.ptp(runs[0], axis=0).max() > 3.5  # some have left the box


@ONLY_COMPILED
def test_a_box_periodic_along_some_axes_has_walls_along_the_others():
    walls = box(4.0)[4:]
    balls = gas(4, seed=3)
    from spheresim.engines.event_driven.engine import Events
    from spheresim.model.state import Box, build

    cube = Box(TVector(0, 0, 0), TVector(4, 4, 4), (True, True, False))
    world, state = build(balls, walls, TVector(0, 0, 0), cube)
    engine = Events(world, state, 0.1)
    state = engine.state.shown()
    start = 0.5 * (world.mass * (state.velocity**2).sum(axis=1)).sum()
    engine.run(10.0)
    assert engine.tally.obstacle_impacts > 50
    assert (state.position[:, 2] - world.radius).min() > -1e-13
    assert (state.position[:, 2] + world.radius).max() < 4 + 1e-13
    assert np.abs(state.position[:, :2]).max() > 5
    end = 0.5 * (world.mass * (state.velocity**2).sum(axis=1)).sum()
    assert end == pytest.approx(start, rel=1e-13)


@ONLY_COMPILED
@pytest.mark.parametrize("radii", [(0.3, 0.3), (0.05, 0.45), (0.005, 0.45)])
@pytest.mark.parametrize("periodic", [True, False])
def test_no_two_balls_ever_overlap_whatever_their_sizes(radii, periodic):
    balls = gas(8, seed=3, radii=radii, masses=(0.1, 10.0))
    setup = set_up_events(balls, [] if periodic else box(8.0), side=8.0 if periodic else None)
    start = kinetic_energy(setup)
    for t in range(1, 6):
        setup.engine.run(2.0 * t)
        if not periodic:
            assert smallest_gap(setup) > -1e-12
    assert setup.engine.tally.ball_impacts > 3000 * radii[0]
    assert setup.engine.tally.deepest_overlap < 1e-13
    assert kinetic_energy(setup) == pytest.approx(start, rel=1e-13)


@ONLY_COMPILED
def test_a_large_ball_among_hundreds_of_small_ones_that_touch_it_meets_them_all():
    random = np.random.default_rng(2)
    directions = random.normal(size=(900, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    kept = []
    for d in directions:  # those that do not overlap each other on the large ball's skin
        if all(np.linalg.norm(d - other) > 0.1 for other in kept):
            kept.append(d)
    balls = [Ball((0, 0, 0), (0.3, 0.2, 0.1), 1.0, 50.0)]
    balls += [Ball(d * 1.06, -d * random.uniform(0.5, 1.5), 0.05) for d in kept]
    setup = set_up_events(balls, box(6.0, low=(-3, -3, -3)))
    start = kinetic_energy(setup)
    setup.engine.run(5.0)
    assert len(kept) > 200
    assert setup.engine.tally.ball_impacts > len(kept)
    assert smallest_gap(setup) > -1e-12
    assert kinetic_energy(setup) == pytest.approx(start, rel=1e-13)


@ONLY_COMPILED
@pytest.mark.parametrize("n", [2, 30, 100, 200])
def test_small_periodic_boxes_hold(n):
    side = 4.6
    cells = math.ceil(n ** (1 / 3))
    random = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), -1).reshape(-1, 3)[:n]
    radius = min(1.0, 0.45 * side / cells)
    balls = [Ball((x + 0.5) * side / cells, random.normal(size=3), radius) for x in grid]
    setup = set_up_events(balls, side=side)
    start = kinetic_energy(setup)
    setup.engine.run(20.0)
    x = setup.state.position
    d = x[:, None] - x[None]
    d -= side * np.rint(d / side)
    distance = np.sqrt((d**2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    assert distance.min() > 2 * radius - 1e-12
    assert setup.engine.tally.ball_impacts > 2 * n
    assert kinetic_energy(setup) == pytest.approx(start, rel=1e-12)


@ONLY_COMPILED
@pytest.mark.parametrize("impacts", [300_000, pytest.param(10_000_000, marks=pytest.mark.study)])
def test_elastic_impacts_keep_energy_and_never_overlap(impacts):
    setup = set_up_events(gas(10, seed=1, radii=(0.45, 0.45)), side=10.0)
    setup.engine.log_impacts(False)
    start = kinetic_energy(setup)
    setup.engine.run(math.inf, impacts)
    assert setup.engine.tally.ball_impacts == impacts
    assert abs(kinetic_energy(setup) / start - 1.0) < 1e-12
    assert setup.engine.tally.deepest_overlap < 1e-12 * 0.9


def test_space_has_no_border():
    # Two pairs that meet 1e9 away from each other and from where they started.
    far = 1e9
    balls = [
        Ball((-far - 5, 0, 0), (1, 0, 0), 1),
        Ball((-far + 5, 0, 0), (-1, 0, 0), 1),
        Ball((0, 0, 0), (0, far / 8, 0), 1),
        Ball((0, far + 2, 0), radius=1),
    ]
    engine, _, state = set_up_events(balls)
    impacts = joined(engine.run(16.0))
    assert impacts.t == pytest.approx([4.0, 8.0])
    assert list(zip(impacts.i, impacts.other, strict=True)) == [(0, 1), (2, 3)]
    assert state.position[3] == pytest.approx((0, 2 * far + 2, 0), rel=1e-12)


@ONLY_COMPILED
def test_time_loses_no_digits_after_1e9_units():
    # A shift of the clock by 2^30 changes no bit of what is counted from there.
    walls = box(3.0)
    runs = []
    for origin in (0.0, 2.0**30):
        setup = set_up_events(gas(3, seed=1), walls, start=origin)
        setup.engine.run(origin + 4.0)
        runs.append(setup.state.position.tobytes())
    assert runs[0] == runs[1]


def test_what_is_written_into_the_state_is_adopted():
    setup = set_up_events([Ball((-5, 0, 0), (1, 0, 0), 1), Ball((5, 0, 0), radius=1)])
    setup.engine.run(1.0)
    setup.state.velocity[1] = (-3, 0, 0)
    impacts = joined(setup.engine.run(3.0))
    assert impacts.t == pytest.approx([1.0 + 7.0 / 4.0])


@ONLY_COMPILED
@pytest.mark.parametrize("seed", range(3))
def test_both_engines_give_the_same_impacts(seed):
    balls, obstacles = crowd(seed)
    exact, stepped = set_up_events(balls, obstacles), set_up(balls, obstacles, step=0.02)
    a, b = joined(exact.engine.run(1.0)), joined(stepped.engine.run(1.0))
    assert len(a.t) > 30
    assert a.kind.tolist() == b.kind.tolist()
    assert a.i.tolist() == b.i.tolist()
    assert a.other.tolist() == b.other.tolist()
    assert a.t == pytest.approx(b.t, abs=1e-9)
    assert a.point == pytest.approx(b.point, abs=1e-8)
    assert a.normal == pytest.approx(b.normal, abs=1e-8)
    assert a.impulse == pytest.approx(b.impulse, abs=1e-8)


@ONLY_COMPILED
def test_with_gravity_the_steps_come_nearer_to_the_exact_flight_as_they_shrink():
    errors = []
    exact = set_up_events(*crowd(2), GRAVITY)
    exact.engine.run(0.4)
    for step in (0.02, 0.01, 0.005):
        stepped = set_up(*crowd(2), GRAVITY, step)
        stepped.engine.run(0.4)
        errors.append(np.abs(stepped.state.position - exact.state.position).max())
    assert errors[1] < 0.7 * errors[0]
    assert errors[2] < 0.7 * errors[1]
