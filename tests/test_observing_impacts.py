"""Impacts observed as they come: functions that are called with them, and counts by pairs."""

import copy

import numpy as np
import pytest
from worlds import room

from spheresim import Ball, Fill, Obstacle, Plane, Simulation
from spheresim.engines.catalogue import ENGINES

BOTH = pytest.mark.parametrize("engine", ENGINES)
SIDES = ("left", "right", "floor", "roof", "back", "front")
WALLS = [Obstacle(wall, name=name) for name, wall in zip(SIDES, room(0, 6), strict=True)]
REGION = {"low": (0, 0, 0), "high": (6, 6, 6)}


def observe_only(simulation):
    """A condition that never holds."""
    assert simulation.time >= 0.0


def gas(engine):
    """Sixty light balls and five heavy ones, in a room."""
    fills = [
        Fill(count=count, radius=radius, region=REGION, temperature=20, seed=count)
        for count, radius in ((60, 0.2), (5, 0.5))
    ]
    return Simulation(fills, WALLS, engine=engine, step=0.01)


def kinds_of(simulation):
    return np.where(simulation.world.radius > 0.3, "heavy", "light").tolist()


@BOTH
def test_a_function_is_called_with_all_impacts_in_order(engine):
    simulation, kept = gas(engine), gas(engine)
    simulation.keep_impacts(False)
    tables, rows, hard = [], [], []
    simulation.on_impact(tables.append)
    simulation.on_impact(rows.append, "floor", each=True)
    simulation.on_impact(hard.append, lambda impacts: impacts.impulse > 2.0)
    for one in (simulation, kept):
        one.run(impacts=50)
        one.next_impact()
        one.step_once()
        one.run(until=1.0)
        one.run(until=2.0, stop=observe_only)
    expected = kept.impacts
    assert np.concatenate(tables).tolist() == expected.tolist()
    assert [row.tolist() for row in rows] == expected[expected.obstacle == "floor"].tolist()
    assert np.concatenate(hard).tolist() == expected[expected.impulse > 2.0].tolist()
    assert len(simulation.impacts) == 0
    assert simulation.position.tolist() == kept.position.tolist()


@BOTH
def test_counts_are_those_of_the_table(engine):
    simulation = gas(engine)
    kinds = kinds_of(simulation)
    edges = np.linspace(-20, 0, 13)
    counts = simulation.count(kinds, of="vn_before", bins=edges)
    simulation.run(until=2.0)
    impacts, kind = simulation.impacts, np.array(kinds)
    between = impacts[impacts.kind == "ball"]
    pairs = [
        (("light", "heavy"), between[kind[between.i] != kind[between.j]]),
        *(((k, k), between[(kind[between.i] == k) & (kind[between.j] == k)]) for k in set(kinds)),
        *(
            ((k, wall.name), impacts[(impacts.obstacle == wall.name) & (kind[impacts.i] == k)])
            for wall in WALLS
            for k in set(kinds)
        ),
    ]
    assert {frozenset(pair) for pair in counts} == {frozenset(pair) for pair, _ in pairs}
    for pair, rows in pairs:
        found = counts[pair]
        assert str(found) == str(counts[pair[::-1]])
        assert found.impacts == len(rows)
        assert found.impulse == pytest.approx(rows.impulse.sum())
        assert found.histogram.tolist() == np.histogram(rows.vn_before, edges)[0].tolist()
    assert sum(count.impacts for count in counts.values()) == len(impacts)
    counts.clear()
    assert not any(count.impacts for count in counts.values())


@BOTH
def test_impulses_on_a_wall_are_the_momentum_that_it_gave(engine):
    # Ten bounces between two walls, each of impulse 2mv; the other four walls are not hit.
    ball = Ball((1, 3, 3), (2, 0, 0), radius=1, mass=3)
    simulation = Simulation(ball, WALLS, engine=engine, step=0.01)
    counts = simulation.count()
    simulation.run(impacts=10)
    assert counts["ball", "left"] == (5, pytest.approx(5 * 12.0), pytest.approx([]))
    assert counts["ball", "right"].impacts == 5
    assert counts["ball", "floor"].impacts == counts["ball", "ball"].impacts == 0


@BOTH
def test_rows_that_are_no_impact_are_not_counted(engine):
    floor = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.5, "floor")
    ball = Ball((0, 1.5, 0), radius=1, restitution=0.5)
    simulation = Simulation(ball, [floor], (0, -9.81, 0), engine=engine)
    counts, kinds = simulation.count(), []
    simulation.on_impact(lambda row: kinds.append(str(row.kind)), each=True)
    simulation.run(until=5.0)
    assert "rest" in kinds
    assert counts["ball", "floor"].impacts == kinds.count("obstacle")
    assert counts["ball", "floor"].impacts == simulation.tally.obstacle_impacts


def test_observing_ends_and_begins_at_any_time():
    simulation = gas("events")
    tables = []
    observer = simulation.on_impact(tables.append)
    counts = simulation.count()
    simulation.run(impacts=30)
    simulation.stop_observing(observer)
    simulation.run(impacts=30)
    assert sum(map(len, tables)) == 30
    assert sum(count.impacts for count in counts.values()) == 60
    with pytest.raises(ValueError, match="stop_observing takes a result of on_impact or count"):
        simulation.stop_observing(observer)


def test_an_exception_of_a_function_ends_the_run_and_loses_no_impact():
    def fail(impacts):
        raise ArithmeticError("too many")

    simulation, other = gas("events"), gas("events")
    observer = simulation.on_impact(fail)
    with pytest.raises(ArithmeticError, match="too many"):
        simulation.run(until=1.0)
    simulation.stop_observing(observer)
    for one in (simulation, other):
        one.run(until=2.0)
    assert simulation.impacts.tolist() == other.impacts.tolist()


@BOTH
@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.run(until=2.0),
        lambda s: s.run(impacts=1),
        lambda s: s.step_once(),
        lambda s: s.next_impact(),
        lambda s: s.advance(2.0),
        lambda s: s.record(2.0, 0.5),
        lambda s: s.restore(0.0, s.position, s.velocity),
        lambda s: s.resume(s.checkpoint()),
        lambda s: s.remove(0),
    ],
)
def test_a_function_of_impacts_does_not_run_the_simulation(engine, call):
    simulation, calls = gas(engine), []

    def go_on(impacts):
        calls.append(len(impacts))
        call(simulation)

    observer = simulation.on_impact(go_on)
    with pytest.raises(RuntimeError, match="a function of on_impact must not run or change"):
        simulation.run(until=1.0)
    assert len(calls) == 1
    simulation.stop_observing(observer)
    simulation.run(until=1.0)
    assert simulation.time == 1.0


def test_a_copy_that_a_function_of_impacts_makes_can_be_run():
    simulation, copies = gas("events"), []
    observer = simulation.on_impact(lambda _: copies.append(copy.deepcopy(simulation)))
    simulation.run(impacts=3)
    simulation.stop_observing(observer)
    (copied,) = copies
    copied.observers.clear()
    for one in (simulation, copied):
        one.run(until=1.0)
    assert copied.position.tobytes() == simulation.position.tobytes()


def test_a_saved_run_is_observed(tmp_path):
    simulation = gas("events")
    simulation.keep_impacts(False)
    counts = simulation.count(kinds_of(simulation))
    simulation.save(tmp_path / "run", until=1.0)
    tally = simulation.tally
    impacts = tally.ball_impacts + tally.obstacle_impacts
    assert sum(count.impacts for count in counts.values()) == impacts > 100


def test_the_number_of_balls_may_change_unless_their_kinds_are_counted():
    simulation = gas("events")
    counts, tables = simulation.count(), []
    simulation.on_impact(tables.append)
    simulation.remove([0, 1])
    simulation.run(impacts=20)
    assert sum(count.impacts for count in counts.values()) == sum(map(len, tables)) == 20
    by_kinds = simulation.count(kinds_of(simulation))
    with pytest.raises(ValueError, match="impacts are counted for 63 balls"):
        simulation.remove(0)
    simulation.stop_observing(by_kinds)
    simulation.remove(0)


@pytest.mark.parametrize(
    ("observe", "sentence"),
    [
        (lambda s: s.on_impact(3), "on_impact needs a function of impacts, not 3"),
        (
            lambda s: s.on_impact(print, "flor"),
            "no obstacle 'flor'; the obstacles are: left, right",
        ),
        (lambda s: s.on_impact(print, 3), "where must be an obstacle's name or a function, not 3"),
        (lambda s: s.count(["a"]), "kinds must be one for each of 65 balls, not 1"),
        (lambda s: s.count(["roof"] * 65), "must not be named as an obstacle is, 'roof'"),
        (lambda s: s.count(of="impulse"), "a histogram needs both of, a column"),
        (
            lambda s: s.count(of="speed", bins=[0, 1]),
            "of must be one of t, x, y, z, .* not 'speed'",
        ),
        (lambda s: s.count(of="t", bins=[1, 1]), r"edges that increase, not \[1, 1\]"),
        (lambda s: s.count()["ball", "flor"], "of 'ball', 'left', .*'front', not"),
    ],
)
def test_what_cannot_be_observed_is_told(observe, sentence):
    with pytest.raises((TypeError, ValueError, KeyError), match=sentence):
        observe(gas("events"))


@pytest.mark.parametrize(
    "mask",
    [3, None, lambda table: (table.t > 0).astype(int), lambda table: [True] * (len(table) + 1)],
)
def test_a_where_function_must_return_a_mask(mask):
    simulation = gas("events")
    simulation.on_impact(observe_only, where=mask if callable(mask) else lambda _: mask)
    with pytest.raises(ValueError, match="where must return a mask"):
        simulation.run(impacts=3)
