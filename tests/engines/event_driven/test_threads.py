"""Several threads give the bits of one, whatever they share; where they cannot, they say why."""

import itertools

import numpy as np
import pytest
from worlds import room

from spheresim import Ball, Box, Cylinder, Fill, Obstacle, Simulation, Thermostat
from spheresim.engines.event_driven import engine
from spheresim.engines.event_driven.engine_state import ROW
from spheresim.engines.event_driven.neighbour_lists import neighbour_count
from spheresim.engines.event_driven.threads import (
    advance_in_slabs,
    crew,
    shareable,
    shared_window,
    slab,
)
from spheresim.engines.event_driven.threads.team import EVENTS
from spheresim.numerics.vector import TVector

SIDES = (60.0, 14.0, 14.0)
SMALL = (60.0, 6.0, 6.0)


@pytest.fixture
def shares(monkeypatch):
    """Threads share few balls, too, in narrow slabs; returns what sets the length of a window."""

    def set_window(buckets):
        monkeypatch.setattr(
            engine, "Crew", lambda environment, state, n: crew.Crew(environment, state, n, buckets)
        )

    monkeypatch.setattr(shareable, "LEAST_BALLS", 1)
    monkeypatch.setattr(shareable, "processors", lambda: 8)
    monkeypatch.setattr(slab, "_LEAST_BREADTH", 2.1)
    return set_window


def world(seed, periodic=True, sides=SIDES):
    """A gas in a long box, with walls along axes that are not periodic, and a pillar or none."""
    rng = np.random.default_rng(seed)
    wraps = (True, *(bool(rng.random() < 0.5) for _ in range(2))) if periodic else (False,) * 3
    restitution, spread = float(rng.choice([1.0, 0.95])), float(rng.choice([1.0, 1.4]))
    obstacles = [Obstacle(wall) for wall in room(0, sides, np.flatnonzero(~np.array(wraps)))]
    middle = (sides[0] / 3, sides[1] / 2, sides[2] / 2)
    if restitution == 1.0 and rng.random() < 0.5:
        obstacles.append(
            Obstacle(Cylinder(middle, (0, 0, 1), rng.uniform(0.5, 3.0 * sides[1] / SIDES[1])))
        )
    count = int(rng.uniform(0.1, 0.35) * np.prod(sides) / (np.pi / 6.0))
    radius = 0.5 if spread == 1.0 else (0.5 / spread**0.5, 0.5 * spread**0.5)
    fill = Fill(
        count=count,
        radius=radius,
        temperature=1.0,
        seed=seed,
        region={"low": (0.0, 0.0, 0.0), "high": sides},
    )
    box = Box(size=sides, periodic=wraps) if any(wraps) else None
    if restitution == 1.0:
        return lambda: Simulation(fill, obstacles, engine="events", box=box)
    placed = Simulation(fill, obstacles, engine="events", box=box)
    balls = [Ball(b.position, b.velocity, b.radius, restitution=restitution) for b in placed.balls]
    return lambda: Simulation(balls, obstacles, engine="events", box=box)


def bits(simulation):
    state = simulation.position, simulation.velocity, np.array(simulation.time)
    return [part.tobytes() for part in state], simulation.tally, simulation.impacts.tolist()


def assert_same_bits(make, impacts, threads=2):
    """With one thread and with several; returns how windows were done."""
    one, several = make(), make()
    assert several.use_threads(threads) is None
    for k in range(3):
        later = one.time + 0.01
        for simulation in (one, several):
            if k % 2:
                simulation.run(until=later)
            else:
                simulation.run(impacts=impacts)
        assert bits(one) == bits(several)
    assert (one._engine.snapshots == several._engine.snapshots).all()
    return several._engine._crew.plan


@pytest.fixture
def in_turn(shares, monkeypatch):
    """One thread does the work of all, as plain Python: to compile it takes half a minute."""
    advance = crew.Crew.advance
    monkeypatch.setattr(crew, "specialised", lambda kernel, *_: getattr(kernel, "py_func", kernel))
    monkeypatch.setattr(
        crew.Crew,
        "advance",
        lambda self, until, enough: advance(self, until, enough, is_alone=True),
    )
    monkeypatch.setattr(shared_window, "_SPARE_ROWS", 4)  # few balls have few of them
    return shares


def test_deferred_and_rolled_back_events_give_the_bits_of_one_thread(in_turn):
    done = []
    for seed, window, threads in ((2, 16, 2), (4, 24, 3)):
        in_turn(window)
        done.append(assert_same_bits(world(seed, sides=SMALL), 200, threads))
    assert all(plan.windows > 5 for plan in done)
    assert sum(plan.rolled_back for plan in done) > 1
    assert sum(plan.in_order for plan in done) > 1


def test_threads_give_spare_rows_of_cells_back_after_each_window(in_turn):
    in_turn(16)
    simulation = world(2, sides=SMALL)()
    simulation.use_threads(2)
    simulation.run(impacts=200)
    crew_of_two = simulation._engine._crew
    assert crew_of_two.plan.windows > 5
    assert all(state.cells.spares[0] == 0 for state in crew_of_two._team.states)


def test_after_an_interrupt_in_a_window_no_event_is_out_of_order(in_turn, monkeypatch):
    """As with Ctrl-C: between two calls of the first thread, while others are at work."""
    in_turn(16)
    one, two = (world(2, sides=SMALL)() for _ in range(2))
    two.use_threads(2)
    jobs, answers = [], itertools.cycle([True, True, False])
    as_python = getattr(advance_in_slabs.advance_in_slabs, "py_func", crew.advance_in_slabs)

    def advance(environment, state, team, end, is_alone):
        jobs.append(team.plan.job)
        if jobs.count(EVENTS) == 3 and jobs[-1] == EVENTS:
            raise KeyboardInterrupt
        return as_python(environment, state, team, end, is_alone)

    monkeypatch.setattr(advance_in_slabs, "_all_done", lambda _team: next(answers))
    monkeypatch.setattr(crew, "advance_in_slabs", advance)
    with pytest.raises(KeyboardInterrupt):
        two.run(impacts=200)
    assert len(two.impacts) == two.tally.impacts > 0
    two.use_threads(1)
    for simulation in (one, two):
        simulation.run(until=0.2)
    assert two.position.tobytes() == one.position.tobytes()
    assert two.velocity.tobytes() == one.velocity.tobytes()
    assert two.tally == one.tally
    assert two.impacts.tolist() == one.impacts.tolist()


def sheet():
    """Balls that start with their centres in one plane, across which the grid has few cells."""
    rng = np.random.default_rng(1)
    places = 1.05 * np.stack(np.meshgrid(range(40), range(20)), axis=-1).reshape(-1, 2)
    balls = [Ball((x, y, 0.0), rng.normal(size=3) * (1.0, 1.0, 3.0), 0.5) for x, y in places]
    box = Box(size=(42.0, 21.0, 9.0), periodic=(True, True, False))
    return Simulation(balls, engine="events", box=box)


@pytest.mark.compiled_only
@pytest.mark.parametrize("make", [world(2, sides=SMALL), sheet])
def test_neighbours_are_so_near_that_their_events_may_interact(make):
    simulation = make()
    simulation.run(until=0.1)
    state = simulation._engine._engine_state
    slabs, position = slab.slabs_of(state, 2), simulation.position
    pairs = [
        (i, int(j))
        for i in range(len(state.ball))
        for j in state.row[i * ROW + 1 : i * ROW + 1 + neighbour_count(state, i)]
    ]
    assert len(pairs) > len(state.ball)
    for i, j in pairs:
        x, y = (TVector(*position[state.body[k].name].tolist()) for k in (i, j))
        assert slab.may_interact(slabs, state, x, y)


def assert_that_either_goes_on_with_a_checkpoint_of_the_other(make, impacts):
    one, two = make(), make()
    two.use_threads(2)
    for simulation in (one, two):
        simulation.run(impacts=impacts)
    saved_by_one, saved_by_two = one.checkpoint(), two.checkpoint()
    one.resume(saved_by_two)
    two.resume(saved_by_one)
    for simulation in (one, two):
        simulation.run(impacts=impacts)
    assert bits(one) == bits(two)
    # In the middle of a run, and back to one thread.
    one.use_threads(2)
    two.use_threads(1)
    for simulation in (one, two):
        simulation.velocity[0] *= 2.0
        simulation.run(impacts=impacts)
    assert bits(one) == bits(two)


def test_a_checkpoint_of_either_goes_on_with_the_other(in_turn):
    in_turn(32)
    assert_that_either_goes_on_with_a_checkpoint_of_the_other(world(4, sides=SMALL), 100)


@pytest.mark.compiled_only
@pytest.mark.thorough
def test_two_compiled_threads_give_the_bits_of_one(shares):
    """With windows so long that some are rolled back, and so short that few are."""
    done = []
    for seed, window in ((0, 16), (1, 64), (2, 256)):
        shares(window)
        done.append(assert_same_bits(world(seed), 6000))
    assert all(plan.windows > 10 for plan in done)
    assert sum(plan.rolled_back for plan in done) > 10
    assert sum(plan.in_order for plan in done) > 10
    shares(32)
    assert_that_either_goes_on_with_a_checkpoint_of_the_other(world(4), 3000)


@pytest.mark.compiled_only
@pytest.mark.thorough
@pytest.mark.parametrize("periodic", [True, False])
def test_fifty_random_worlds(shares, periodic):
    for seed in range(50):
        shares(int(np.random.default_rng(seed).integers(8, 300)))
        assert_same_bits(world(seed, periodic), 3000)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, "with 1,000 balls several would be slower, they are faster from 100,000 on"),
        ({"gravity": (0, 0, -1)}, "cannot share a world with gravity or contact that lasts"),
        ({"thermostat": Thermostat(1.0, 1.0)}, "cannot share a world with a thermostat"),
    ],
)
def test_one_sentence_says_why_one_thread_is_used(more, why):
    simulation = Simulation(
        Fill(count=1000, radius=0.5, packing_fraction=0.1, temperature=1.0), engine="events", **more
    )
    reason = simulation.use_threads(2)
    assert reason.startswith("one thread is used, not 2: ")
    assert why in reason
    assert simulation.use_threads(1) is None


@pytest.mark.parametrize(
    ("free", "used"), [(1, "one thread is used, not 4"), (2, "2 threads are used, not 4")]
)
def test_there_are_no_more_threads_than_processors(shares, monkeypatch, free, used):
    monkeypatch.setattr(shareable, "processors", lambda: free)
    simulation = world(1)()
    assert simulation.use_threads(4) == (
        f"{used}: each needs a processor, and this process may not use more"
    )


def test_fixed_steps_use_one_thread():
    simulation = Simulation(
        Fill(count=10, radius=0.5, region={"low": (0, 0, 0), "high": (9, 9, 9)})
    )
    assert "engine" in simulation.use_threads(2)
    with pytest.raises(ValueError, match="threads must be a whole number of at least 1"):
        simulation.use_threads(0)
