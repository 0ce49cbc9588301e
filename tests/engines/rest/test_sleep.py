"""Heaps that settle, sleep, and are woken: what they cost, and what is the same twice."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from checkpoints import goes_on_alike, rows_of, state_of
from piles import is_at_rest
from surfaces import pair_gaps

from benchmarks.pile import pouring, simulation_of
from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation
from spheresim.engines.sleep_criterion import Sleepers

pytestmark = pytest.mark.compiled_only
# In fixed steps it takes longer: run on request, and shorter in time_stepping/test_contact.py.
ENGINES = ["events", pytest.param("steps", marks=pytest.mark.study)]
BOTH = pytest.mark.parametrize("engine", ENGINES)
G = 9.81


def walls(width=4.0, depth=4.0, restitution=0.6):
    """Four walls around the origin, above a floor that slopes to it from all sides: without
    friction nothing else would ever stop a ball that slides."""
    planes = {
        "floor": Plane((0, 0, 0), (0.2, 1, 0)),
        "floor 1": Plane((0, 0, 0), (-0.2, 1, 0)),
        "floor 2": Plane((0, 0, 0), (0, 1, 0.2)),
        "floor 3": Plane((0, 0, 0), (0, 1, -0.2)),
        "left": Plane((-width / 2, 0, 0), (1, 0, 0)),
        "right": Plane((width / 2, 0, 0), (-1, 0, 0)),
        "back": Plane((0, 0, -depth / 2), (0, 0, 1)),
        "front": Plane((0, 0, depth / 2), (0, 0, -1)),
    }
    return [Obstacle(shape, restitution, name) for name, shape in planes.items()]


def falling(count=20, restitution=0.6, seed=1):
    """Balls of several sizes in a tower of cells above the floor, with random velocities."""
    random = np.random.default_rng(seed)
    balls = []
    for k in range(count):
        cell = np.array((k % 2 - 0.5, 0.6 + k // 4, k // 2 % 2 - 0.5))
        radius = random.uniform(0.3, 0.5)
        place = 1.05 * cell + random.uniform(-0.02, 0.02, 3)
        balls.append(Ball(place, random.normal(size=3), radius, restitution=restitution))
    return balls


def poured(engine, count=20, restitution=0.6, seed=1):
    """Balls above a box of about their own width."""
    balls = falling(count, restitution, seed)
    return Simulation(balls, walls(2.4, 2.4, restitution), (0, -G, 0), 1e-3, engine)


@cache
def settled(engine, **of_balls):
    """Balls in a box that are all asleep after a minute: to be looked at, or to sleep on."""
    simulation = poured(engine, **of_balls)
    simulation.run(until=60.0)
    assert simulation.asleep.all()
    return simulation


def two_columns(engine, more=()):
    """Columns of three balls in tubes about x = 0 and x = 5, and more balls."""
    floor = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.5)
    tubes = [Obstacle(Cylinder((x, 0, 0), (0, 1, 0), 1.25), 0.5) for x in (0.0, 5.0)]
    balls = [
        Ball((x + 0.2 * (-1) ** k, 1.0 + 2.1 * k, 0.0), radius=1.0, restitution=0.5)
        for x in (0.0, 5.0)
        for k in range(3)
    ]
    return Simulation([*balls, *more], [floor, *tubes], (0, -G, 0), 1e-3, engine)


# --- Settling -----------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("restitution", [0.0, 0.6, 0.9])
def test_balls_in_a_box_all_fall_asleep_and_carry_their_weight(engine, restitution):
    simulation = settled(engine, restitution=restitution)
    assert not simulation.velocity.any()
    assert not simulation.sliding.any()
    world, contacts = simulation.world, simulation.contacts
    total = world.mass[:, np.newaxis] * np.array(world.gravity)
    normal = np.stack([contacts.nx, contacts.ny, contacts.nz], axis=1)
    np.add.at(total, contacts.i, normal * contacts.force[:, np.newaxis])
    of_balls = contacts.j >= 0
    push = (normal * contacts.force[:, np.newaxis])[of_balls]
    np.subtract.at(total, contacts.j[of_balls], push)
    assert (contacts.force > 0.0).all()
    assert np.abs(total).max() < 1e-9 * G * world.mass.sum()
    gaps = pair_gaps(simulation.position, world.radius)
    assert gaps.min() > -1e-12
    impacts = simulation.tally.ball_impacts + simulation.tally.obstacle_impacts
    assert impacts < 10_000 * len(world.radius)


def test_balls_of_which_rows_just_fit_the_box_fall_asleep():
    # Five of radius .3 between walls 3 apart: more contacts touch than can all be closed at once.
    # When that happens is chance: between 10 and 40 for these seeds.
    random, ways = np.random.default_rng(5), (-0.9, 0.0, 0.9)
    cells = [(x, 0.5 + 0.7 * y, z) for y in range(4) for x in ways for z in ways]
    places = [
        (x + random.uniform(-0.05, 0.05), y, z + random.uniform(-0.05, 0.05)) for x, y, z in cells
    ]
    simulation = Simulation(
        [Ball(place, radius=0.3, restitution=0.5) for place in places],
        [Plane((0, 0, 0), (0, 1, 0)), *(wall.shape for wall in walls(3.0, 3.0)[4:])],
        (0, -G, 0),
        engine="events",
    )
    while simulation.time < 80.0 and not is_at_rest(simulation):
        simulation.run(until=simulation.time + 5.0)
    assert is_at_rest(simulation)
    assert pair_gaps(simulation.position, simulation.world.radius).min() > -1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_while_they_settle_energy_never_rises_and_nothing_overlaps(restitution):
    simulation = poured("events", restitution=restitution)
    energy = simulation.energy()
    scale = energy
    for frame in range(1, 401):
        simulation.run(until=0.02 * frame)
        before, energy = energy, simulation.energy()
        assert energy <= before + 1e-6 * scale, frame  # in the middle of a step of the pile
        gaps = pair_gaps(simulation.position, simulation.world.radius)
        assert gaps.min() > -1e-9 * simulation.world.radius.min(), frame
        assert (simulation.position[:, 1] - simulation.world.radius).min() > -1e-9, frame


@BOTH
def test_an_hour_of_sleep_costs_nothing_and_moves_nothing_by_a_bit(engine):
    simulation = settled(engine)
    place, count, tally = simulation.position.copy(), len(simulation.impacts), simulation.tally
    contacts = simulation.contacts.tolist()
    simulation.run(until=simulation.time + 3600.0)
    assert (simulation.position == place).all()
    assert len(simulation.impacts) == count
    assert replace(simulation.tally, steps=tally.steps) == tally
    assert simulation.contacts.tolist() == contacts


# --- Waking -------------------------------------------------------------------------------


def with_one_above(engine, gap, seed=3):
    """A box of sleepers, as if started anew, with one more ball above the highest of them."""
    below = settled(engine, count=8, seed=seed)
    world, place = below.world, below.position.copy()
    balls = [Ball(x, radius=r, restitution=0.6) for x, r in zip(place, world.radius, strict=True)]
    top = int((place[:, 1] + world.radius).argmax())
    small = 0.2
    reach = world.radius[top] + small
    balls.append(Ball(place[top] + (0, reach + gap, 0), radius=small, restitution=0.6))
    return Simulation(balls, walls(2.4, 2.4, 0.6), (0, -G, 0), 1e-3, engine), top


def test_what_slept_sleeps_from_the_start_in_a_new_simulation():
    simulation, _ = with_one_above("events", 5.0)
    simulation.run(until=1e-3)
    assert simulation.asleep.tolist() == [True] * 8 + [False]


def test_a_soft_impact_wakes_nobody():
    simulation, _ = with_one_above("events", 1e-6)
    place = simulation.position[:8].copy()
    simulation.run(until=0.02)
    assert "wake" not in simulation.impacts.kind.tolist()
    assert "ball" in simulation.impacts.kind.tolist()
    assert simulation.asleep[:8].all()
    assert simulation.position[:8] == pytest.approx(place, abs=1e-6)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_what_slides_slowly_against_a_sleeper_falls_asleep_there(restitution):
    # Two balls that carry a third between two walls, on a level floor, and one that comes along.
    shapes = [
        Plane((0, 0, 0), (0, 1, 0)),
        Plane((0, 0, 0), (1, 0, 0)),
        Plane((2.8, 0, 0), (-1, 0, 0)),
    ]
    places = [(0.5, 0.5, 0), (2.3, 0.5, 0), (1.4, 0.5 + (1 - 0.9**2) ** 0.5, 0)]
    balls = [Ball(place, radius=0.5, restitution=restitution) for place in places]
    balls.append(Ball((0.5, 0.5, 1.001), (0, 0, -5e-3), radius=0.5, restitution=restitution))
    walls = [Obstacle(shape, restitution) for shape in shapes]
    simulation = Simulation(balls, walls, (0, -G, 0), engine="events")
    simulation.run(until=0.1)
    assert simulation.asleep.tolist() == [True, True, True, False]
    simulation.run(until=0.3)
    assert simulation.asleep.all()


@BOTH
def test_a_hard_impact_wakes_whom_it_hits_and_all_sleep_again(engine):
    simulation, top = with_one_above(engine, 1.0)
    simulation.run(until=0.6)
    impacts = simulation.impacts
    woken = impacts[impacts.kind == "wake"]
    assert top in woken.i.tolist()
    first_hit = impacts[impacts.kind == "ball"].t[0]
    assert (woken.t >= first_hit).all()
    simulation.run(until=60.0)
    assert simulation.asleep.all()


@BOTH
def test_a_heap_that_nothing_touches_sleeps_on_while_another_is_woken(engine):
    simulation = two_columns(engine, [Ball((0.1, 60.0, 0.0), radius=0.6, restitution=0.5)])
    simulation.run(until=3.3)
    assert simulation.asleep.tolist() == [True] * 6 + [False]
    place, since = simulation.position[3:6].copy(), len(simulation.impacts)
    simulation.run(until=30.0)
    assert simulation.asleep.all()
    kinds = [(row.kind, row.i) for row in simulation.impacts[since:]]
    assert ("wake", 2) in kinds
    assert {i for kind, i in kinds if kind == "wake"} <= {0, 1, 2, 6}
    assert (simulation.position[3:6] == place).all()


@BOTH
def test_taking_a_ball_away_at_the_bottom_wakes_the_pile_which_settles_again(engine):
    simulation = settled(engine)
    world, place = simulation.world, simulation.position.copy()
    contacts = simulation.contacts
    on_the_floor = contacts[(contacts.j < 0) & (contacts.ny > 0.9)]
    carries_most = int(on_the_floor.i[on_the_floor.force.argmax()])
    kept = np.arange(len(place)) != carries_most
    balls = [
        Ball(x, radius=r, restitution=0.6)
        for x, r in zip(place[kept], world.radius[kept], strict=True)
    ]
    without = Simulation(balls, walls(2.4, 2.4, 0.6), (0, -G, 0), 1e-3, engine)
    without.run(until=1e-3)
    assert not without.asleep.all()
    start = without.energy()
    without.run(until=60.0)
    assert without.asleep.all()
    assert without.energy() < start


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_a_pile_sleeps_on_while_a_program_changes_another(engine):
    # All balls were awake until the next run, and then each had a second row `rest`, but none
    # `wake`.
    simulation = two_columns(engine)
    simulation.run(until=5.0)
    assert simulation.asleep.all()
    place, since = simulation.position[:3].copy(), len(simulation.impacts)

    simulation.remove(3)
    assert simulation.asleep.all()
    assert {0, 1, 2, 3, 4} == set(simulation.contacts.i)
    simulation.run(until=8.0)
    simulation.add(Ball((5.0, 30.0, 0.0), radius=0.6, restitution=0.5))
    assert simulation.asleep.tolist() == [True] * 5 + [False]
    simulation.run(until=20.0)
    simulation.velocity[5] = (0.0, 1.0, 0.0)
    simulation.run(until=30.0)

    assert simulation.asleep.all()
    assert (simulation.position[:3] == place).all()
    changes = [(row.kind, row.i) for row in simulation.impacts[since:]]
    assert not {("rest", i) for i in range(3)} & set(changes)
    assert not {("wake", i) for i in range(3)} & set(changes)
    assert {("wake", 3), ("wake", 4), ("rest", 3), ("rest", 4)} <= set(changes)


# --- The same twice -----------------------------------------------------------------------


@BOTH
def test_the_same_pile_settles_twice_to_the_same_bytes(engine):
    one, other = poured(engine), poured(engine)
    one.run(until=20.0)
    for part in range(1, 41):
        other.run(until=0.5 * part)
    assert state_of(one) == state_of(other)
    assert rows_of(one) == rows_of(other)


@BOTH
@pytest.mark.parametrize("time", [0.3, 1.0, 2.5, 59.0])
def test_resumed_in_the_middle_of_settling_it_goes_on_to_the_same_bytes(engine, time):
    goes_on_alike(lambda: poured(engine), [time], 60.0)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize("speed", [1e-2, 1e-3, 1e-5, 1e-9])
def test_a_ball_that_slides_slowly_on_level_ground_slides_on(engine, speed):
    ball = Ball((0, 0.5, 0), (speed, 0, 0), 0.5, restitution=0.5)
    simulation = Simulation([ball], [Plane((0, 0, 0), (0, 1, 0))], (0, -G, 0), 0.01, engine)
    simulation.run(until=10.0)
    assert simulation.position[0, 0] == pytest.approx(10.0 * speed, rel=1e-12)
    assert simulation.sliding.all()
    assert not simulation.asleep.any()


def test_what_sleeps_in_a_tube_has_no_events():
    balls = [Ball((side * 0.6, 0, 0), radius=0.5, restitution=0.5) for side in (-1, 1)]
    tube = Cylinder((0, 0, 0), (0, 0, 1), 2.0)
    simulation = Simulation(balls, [tube], (0, -G, 0), engine="events")
    simulation.run(until=20.0)
    assert simulation.asleep.all()
    simulation.run(until=21.0)
    assert np.isinf(simulation._engine._engine_state.event.time).all()


def test_sleeping_balls_that_touch_are_not_predicted_while_another_ball_slides_on():
    """Each predicted its neighbours anew in every step: a thousand cost two milliseconds a step."""
    places = [
        (0.4 * x, 0.2 + 0.4 * y, 0.4 * z) for x in range(3) for y in range(2) for z in range(3)
    ]
    balls = [Ball(place, radius=0.2, restitution=0.5) for place in places]
    slider = Ball((-5, 0.2, -5), (1e-3, 0, 0), radius=0.2, restitution=0.5)
    floor = Plane((0, 0, 0), (0, 1, 0))
    simulation = Simulation([*balls, slider], [floor], (0, -G, 0), engine="steps", step=0.005)
    simulation.run(until=5.0)
    assert simulation.asleep.tolist() == [True] * len(balls) + [False]
    for step in range(1001, 1004):
        simulation.run(until=0.005 * step)
        due = simulation._engine._engine_state.ball.ball_due[:-1]
        assert (due > step + 1_000_000).all()


def test_no_equilibrium_is_tested_while_only_sliders_move(monkeypatch):
    """There was a test every 250 steps, for ever, for a ball that nothing stops."""
    tests = []
    update_sleep = Sleepers.update_sleep

    def counted(*arguments, **more):
        tests.append(arguments)
        return update_sleep(*arguments, **more)

    monkeypatch.setattr(Sleepers, "update_sleep", counted)
    speeds = (1e-3, 1e-5)
    sliders = [Ball((0, 0.2, k), (v, 0, 0), 0.2, restitution=0.5) for k, v in enumerate(speeds)]
    heap = [Ball((-5, 0.2, 0.4 * k), radius=0.2, restitution=0.5) for k in range(3)]
    floor = Plane((0, 0, 0), (0, 1, 0))
    simulation = Simulation([*heap, *sliders], [floor], (0, -G, 0), engine="steps", step=0.005)
    simulation.run(until=5.0)
    assert simulation.asleep.tolist() == [True] * 3 + [False] * 2
    tests.clear()
    simulation.run(until=50.0)
    assert tests == []
    assert simulation.position[3:, 0] == pytest.approx(np.multiply(speeds, 50.0), rel=1e-9)


def test_a_high_pile_is_not_kept_in_motion_by_its_clearance():
    """As it moved, the clearance of so many balls lifted it; as it slowed down, it fell: it went
    up and down by hundredths of a radius for ever."""
    angle = 2.4 * np.arange(64)
    places = np.stack([0.49 * np.cos(angle), 1.01 + 0.75 * angle, 0.49 * np.sin(angle)], axis=1)
    balls = [Ball(tuple(place), radius=1.0, restitution=0.5) for place in places.tolist()]
    tube = [Plane((0, 0, 0), (0, 1, 0)), Cylinder((0, 0, 0), (0, 1, 0), 1.5)]
    simulation = Simulation(balls, tube, (0, -1, 0), engine="events")
    simulation.log_impacts(False)
    simulation.run(until=60.0)
    assert 0.5 * (simulation.velocity**2).sum(axis=1).mean() < 5e-4


def test_balls_of_a_pile_fall_asleep_though_gaps_to_walls_stay_open():
    """Only gaps between balls might; then the proof failed, time and again, for minutes."""
    simulation = simulation_of(pouring(100, 0.6), "events")
    simulation.log_impacts(False)
    simulation.run(until=12.0)
    assert is_at_rest(simulation)


@pytest.mark.parametrize("angle", [30, 40, 60])
@pytest.mark.parametrize("engine", ["steps", "events"])
def test_a_ball_that_slides_off_a_sleeping_one_wakes_it(engine, angle):
    """In short steps no impact was fast enough to: the sleeping ball stood like a pillar."""
    radius, tilt = 0.1, np.radians(angle)
    places = [(0, radius, 0), (2 * radius * np.sin(tilt), radius * (1 + 2 * np.cos(tilt)), 0)]
    balls = [Ball(place, radius=radius, restitution=0.0) for place in places]
    floor = Plane((0, 0, 0), (0, 1, 0))
    simulation = Simulation(balls, floor, (0, -9.81, 0), engine=engine, step=0.001)
    simulation.run(until=1.0)
    speed = np.abs(simulation.velocity[:, 0])
    # The floor takes no horizontal momentum, but for the steps until the equilibrium test.
    assert speed == pytest.approx([speed.mean()] * 2, abs=0.006)
    assert speed.min() > 0.1


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize(("faces", "slope", "restitution"), [(4, 75.0, 0.2), (6, 75.0, 0.0)])
def test_a_ball_comes_to_rest_in_a_pit_of_many_planes(engine, faces, slope, restitution):
    """The exact engine once led it from each pair of planes to the next, by a rounding, for ever:
    18 of 60 balls."""
    angle, turns = math.radians(slope), 2.0 * math.pi / faces * np.arange(faces)
    across, up = math.cos(angle), math.sin(angle)
    normals = [(across * math.cos(turn), across * math.sin(turn), up) for turn in turns]
    pit = [Obstacle(Plane((0, 0, 0), normal), restitution) for normal in normals]
    for start in np.linspace(0.0, 0.05, 11):
        ball = Ball((start, 0.02, 0.5 / up + 0.4), radius=0.5, restitution=restitution)
        simulation = Simulation([ball], pit, (0, 0, -9.81), engine=engine)
        simulation.run(until=20.0, impacts=10_000)
        assert simulation.asleep.all()
        assert simulation.tally.obstacle_impacts < 4000


def test_the_books_close_where_balls_fall_asleep_within_a_step_of_their_island():
    """The work of the contact forces since the last step was lost, up to 3e-5."""
    above = 0.5 + math.sqrt(1.0 - 0.505**2)
    places = [(-1.01, 0.5), (0.0, 0.5), (1.01, 0.5), (-0.505, above), (0.505, above + 0.02)]
    balls = [Ball((x, 0, z), radius=0.5, restitution=0.9) for x, z in places]
    sides = [((side * 1.52, 0, 0), (-side, 0, 0)) for side in (1, -1)]
    fronts = [((0, side * 0.53, 0), (0, -side, 0)) for side in (1, -1)]
    faces = [((0, 0, 0), (0, 0, 1)), *sides, *fronts]
    obstacles = [Obstacle(Plane(*face), 0.5) for face in faces]
    simulation = Simulation(balls, obstacles, (0, 0, -9.81), engine="events")
    simulation.run(until=10.0)
    assert simulation.asleep.all()
    hits = Ball((0.0498, 0.1, 2.2), (0, 0, -0.913), 0.2, mass=0.01, restitution=0.9)
    simulation.add(hits)
    start, books = simulation.energy() + simulation.tally.dissipated, []
    for time in np.arange(10.05, 13.0, 0.05):
        simulation.run(until=time)
        books.append(simulation.energy() + simulation.tally.dissipated)
    assert books == pytest.approx([start] * len(books), abs=1e-9)
