"""What no run of either engine may change, and what must not matter to it."""

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

from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation, TVector
from spheresim.collision.impacts import joined
from spheresim.engines.event_driven.engine import Events
from spheresim.model.state import Box, build
from spheresim.scene.from_python import Fill

ONLY_COMPILED = pytest.mark.compiled_only
GRAVITY = (0.3, -1.0, 0.2)
ENGINES = pytest.mark.parametrize("engine", ["events", "steps"])
WAYS = pytest.mark.parametrize(("engine", "slices"), [("events", 0), ("steps", 0), ("steps", 150)])


def crowd(seed=1, side=3, restitution=1.0):
    """Balls in a box with a pillar across it, out of which they are kept."""
    pillar = Cylinder((1.4, 1.6, 1.5), (1, 2, 3), 0.2)
    balls = [
        b
        for b in gas(side, seed, restitution=restitution)
        if pillar.clearance(b.position) > b.radius
    ]
    return balls, [*box(float(side), restitution), Obstacle(pillar, restitution)]


# --- What is conserved ------------------------------------------------------------------


@ONLY_COMPILED
@given(
    seed=st.integers(0, 2**32 - 1),
    restitution=st.sampled_from([1.0, 0.95, 0.5]),
    way=st.one_of(
        st.fixed_dictionaries({"engine": st.just("events"), "side": st.sampled_from([None, 3.0])}),
        st.fixed_dictionaries(
            {"step": st.sampled_from([0.01, 0.07, 1.0, 5.0]), "slices": st.sampled_from([0, 150])}
        ),
    ),
)
@settings(max_examples=30, derandomize=True)
def test_elastic_impacts_keep_the_energy_and_others_lose_some(seed, restitution, way):
    balls = gas(3, seed, restitution=restitution, masses=(0.1, 10.0))
    walls = [] if way.get("side") else box(3.0, restitution)
    setup = set_up(balls, walls, **{"step": 0.25, **way})
    energies = [kinetic_energy(setup)]
    for _ in range(8):
        setup.engine.step_once()
        energies.append(kinetic_energy(setup))
    assert np.isfinite(setup.state.position).all()
    if not way.get("slices"):
        assert setup.engine.tally.deepest_overlap < 1e-12
        assert not walls or smallest_gap(setup) > -1e-12
        radius = setup.world.radius[:, None]
        assert not walls or (np.abs(setup.state.position - 1.5) + radius).max() < 1.5 + 1e-13
    if restitution == 1.0:
        assert setup.engine.tally.collapse_answers == 0
        assert energies == pytest.approx([energies[0]] * 9, rel=1e-12)
    else:
        assert all(np.diff(energies) <= 1e-14 * energies[0])


@ENGINES
@given(seed=st.integers(0, 2**32 - 1), restitution=st.sampled_from([1.0, 0.6, 0.0]))
@settings(max_examples=20, derandomize=True)
def test_in_open_space_momentum_and_angular_momentum_stay(engine, seed, restitution):
    balls = gas(2, seed, restitution=restitution, masses=(0.1, 10.0))
    for ball in balls:  # sent together, so that they do meet
        ball.velocity = ball.velocity - (ball.position - TVector(1, 1, 1)) * 2.0
    setup = set_up(balls, step=0.3, engine=engine)
    before = momentum(setup), angular_momentum(setup)
    setup.engine.run(3.0)
    assert setup.engine.tally.ball_impacts > 0
    assert momentum(setup) == pytest.approx(before[0], abs=1e-12)
    assert angular_momentum(setup) == pytest.approx(before[1], abs=1e-11)


@ONLY_COMPILED
@pytest.mark.parametrize(
    ("engine", "impacts"),
    [
        ("steps", 100_000),
        ("events", 300_000),
        pytest.param("steps", 1_000_000, marks=pytest.mark.study),
        pytest.param("events", 10_000_000, marks=pytest.mark.study),
    ],
)
def test_a_thousand_elastic_balls_keep_their_energy_and_never_overlap(engine, impacts):
    if engine == "steps":
        setup = set_up(gas(10, seed=1), box(10.0), step=0.05)
    else:
        setup = set_up_events(gas(10, seed=1, radii=(0.45, 0.45)), side=10.0)
    setup.engine.log_impacts(False)
    start = kinetic_energy(setup)
    setup.engine.run(math.inf, impacts)
    tally = setup.engine.tally
    assert tally.ball_impacts + tally.obstacle_impacts == impacts
    assert abs(kinetic_energy(setup) / start - 1.0) < 1e-12
    assert tally.deepest_overlap < (1e-11 if engine == "steps" else 0.9e-12)
    assert tally.collapse_answers == 0


# --- Nothing overlaps, and nothing leaves its box -------------------------------------------


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


# --- What must not matter -------------------------------------------------------------------


@ONLY_COMPILED
@pytest.mark.parametrize("gravity", [(0, 0, 0), GRAVITY])
def test_stops_on_the_way_and_records_change_no_bit(gravity):
    """Of the exact engine; of fixed steps time_stepping/test_time.py says it."""

    def bytes_of(setup, impacts):
        arrays = (*impacts, setup.state.position, setup.state.velocity)
        return [np.ascontiguousarray(array).tobytes() for array in arrays]

    def run(times):
        setup = set_up_events(*crowd(), gravity)
        batches = []
        for t in times:
            batches += setup.engine.run(t)
        return bytes_of(setup, joined(batches))

    whole = run([2.0])
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


@ONLY_COMPILED
@ENGINES
@pytest.mark.parametrize("gravity", [(0, 0, 0), GRAVITY])
@pytest.mark.parametrize("seed", range(3))
def test_time_runs_back_the_way_it_came(engine, gravity, seed):
    step = 1 / 32
    setup = set_up(*crowd(seed), gravity, step, engine=engine)
    # A step that kicks by g·h and flies is undone by starting from −v − g·h.
    kick = np.array(gravity) * step if engine == "steps" else np.zeros(3)
    start = setup.state.position.copy(), setup.state.velocity.copy()
    setup.engine.run(25 * step)
    assert setup.engine.tally.ball_impacts + setup.engine.tally.obstacle_impacts > 20
    setup.state.velocity[:] = -setup.state.velocity - kick
    setup.engine.run(50 * step)
    assert setup.state.position == pytest.approx(start[0], abs=1e-8)
    assert -setup.state.velocity - kick == pytest.approx(start[1], abs=1e-8)


def unchanged(vector):
    return np.array(vector)


def transformed(point, vector, length=1.0, time=1.0, **way):
    """The crowd, run for a while after points and vectors have been replaced."""
    balls, obstacles = crowd()
    for ball in balls:
        ball.position, ball.velocity = point(ball.position), vector(ball.velocity) * (length / time)
        ball.radius *= length
    moved = []
    for shape, restitution, *_ in obstacles:
        place, direction = point(shape[0]), vector(shape[1])
        if isinstance(shape, Plane):
            moved.append(Obstacle(Plane(place, direction), restitution))
        else:
            moved.append(Obstacle(Cylinder(place, direction, shape.radius * length), restitution))
    pull = np.array(vector(np.array(GRAVITY))) * (length / time**2)
    setup = set_up(balls, moved, pull, 0.0625 * time, **way)
    until = 1.0 if way.get("engine") == "events" else 2.0
    return setup, joined(setup.engine.run(until * time))


@ONLY_COMPILED
@WAYS
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_mirrored_world_runs_mirrored_in_steps_to_the_last_bit(axis, engine, slices):
    signs = np.ones(3)
    signs[axis] = -1.0

    def mirror(vector):
        return np.array(vector) * signs

    here, impacts = transformed(unchanged, unchanged, engine=engine, slices=slices)
    there, mirrored = transformed(mirror, mirror, engine=engine, slices=slices)
    rounding = 0.0 if engine == "steps" else 1e-9
    assert len(impacts.t) > 30
    assert len(mirrored.t) == len(impacts.t)
    assert np.abs(there.state.position * signs - here.state.position).max() <= rounding
    assert np.abs(there.state.velocity * signs - here.state.velocity).max() <= 10 * rounding
    assert np.abs(mirrored.t - impacts.t).max() <= rounding


@ONLY_COMPILED
@pytest.mark.parametrize("slices", [0, 150])
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
@ENGINES
def test_a_turned_and_shifted_world_runs_turned_and_shifted(engine):
    turn = np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))[0]
    shift = np.array((5.0, -3.0, 8.0))
    here, impacts = transformed(unchanged, unchanged, engine=engine)
    there, turned = transformed(
        lambda x: turn @ np.array(x) + shift, lambda v: turn @ np.array(v), engine=engine
    )
    assert len(impacts.t) == len(turned.t)
    assert there.state.position == pytest.approx(here.state.position @ turn.T + shift, abs=1e-7)


@ONLY_COMPILED
@ENGINES
def test_numbering_the_balls_otherwise_changes_nothing(engine):
    balls, obstacles = crowd()
    order = np.random.default_rng(4).permutation(len(balls))
    runs = []
    for numbered in (balls, [balls[k] for k in order]):
        setup = set_up(numbered, obstacles, GRAVITY, 0.05, engine=engine)
        setup.engine.run(0.8)
        runs.append(setup)
    assert runs[1].state.position == pytest.approx(runs[0].state.position[order], abs=1e-9)


@ONLY_COMPILED
@ENGINES
def test_a_common_wind_changes_nothing_between_balls(engine):
    wind = TVector(30, -20, 10)
    runs = []
    for blows in (0.0, 1.0):
        balls = gas(3, seed=6)
        for ball in balls:
            inwards = TVector(1.5, 1.5, 1.5) - ball.position
            ball.velocity = ball.velocity + inwards + wind * blows
        setup = set_up(balls, step=0.05, engine=engine)
        setup.engine.run(2.0)
        runs.append(setup)
    assert runs[0].engine.tally.ball_impacts == runs[1].engine.tally.ball_impacts > 10
    assert runs[1].state.position - wind * 2.0 == pytest.approx(runs[0].state.position, abs=1e-9)


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
    cube = Box(TVector(0, 0, 0), TVector(4, 4, 4), (True, True, False))
    world, state = build(gas(4, seed=3), box(4.0)[4:], TVector(0, 0, 0), cube)
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
@ENGINES
def test_space_has_no_border(engine):
    # Two pairs that meet 1e9 away from each other and from where they started.
    far = 1e9
    balls = [
        Ball((-far - 5, 0, 0), (1, 0, 0), 1),
        Ball((-far + 5, 0, 0), (-1, 0, 0), 1),
        Ball((0, 0, 0), (0, far / 8, 0), 1),
        Ball((0, far + 2, 0), radius=1),
    ]
    runner, _, state = set_up(balls, step=0.25, engine=engine)
    impacts = joined(runner.run(16.0))
    assert impacts.t == pytest.approx([4.0, 8.0])
    assert list(zip(impacts.i, impacts.other, strict=True)) == [(0, 1), (2, 3)]
    assert state.position[3] == pytest.approx((0, 2 * far + 2, 0), rel=1e-12)
    runner.run(16.0 + 500.0)
    assert state.position[3, 1] == pytest.approx(2 * far + 500 * far / 8, rel=1e-9)


@ONLY_COMPILED
def test_time_loses_no_digits_after_1e9_units():
    # A shift of the clock by 2^30 changes no bit of what is counted from there.
    runs = []
    for origin in (0.0, 2.0**30):
        setup = set_up_events(gas(3, seed=1), box(3.0), start=origin)
        setup.engine.run(origin + 4.0)
        runs.append(setup.state.position.tobytes())
    assert runs[0] == runs[1]


def test_what_is_written_into_the_state_is_adopted():
    setup = set_up_events([Ball((-5, 0, 0), (1, 0, 0), 1), Ball((5, 0, 0), radius=1)])
    setup.engine.run(1.0)
    setup.state.velocity[1] = (-3, 0, 0)
    impacts = joined(setup.engine.run(3.0))
    assert impacts.t == pytest.approx([1.0 + 7.0 / 4.0])


# --- Both engines ---------------------------------------------------------------------------


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


def test_a_dense_gas_of_eight_balls_fits_into_a_grid_of_few_cells():
    """A search comes to a cell of a small grid from both sides; plain Python checks its places."""
    gas = Fill(count=8, radius=0.5, packing_fraction=0.3, temperature=1.0)
    simulation = Simulation(gas, engine="events")
    energy = simulation.energy()
    simulation.run(impacts=20)
    assert simulation.energy() == pytest.approx(energy, rel=1e-13)
    assert simulation.tally.deepest_overlap < 1e-13
