"""Who falls asleep and who wakes, by one look at a heap: two balls between walls carry a third."""

import math

import numpy as np
import pytest

from spheresim import Ball, Obstacle, Plane
from spheresim.collision.impacts import REST, WAKE
from spheresim.contact.equilibrium_proof import prove_rest
from spheresim.contact.thresholds import Thresholds
from spheresim.engines.sleep_criterion import Sleepers, can_sleep
from spheresim.model.state import build
from spheresim.numerics.vector import TVector

G = 9.81
LEAN = math.asin(0.55)
PLACES = np.array([(1.0, 1.0, 0.0), (3.2, 1.0, 0.0), (2.1, 1.0 + 2.0 * math.cos(LEAN), 0.0)])
NOBODY = np.zeros(3, dtype=bool)
STILL = np.zeros((3, 3))
STACK = [
    Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.5, "floor"),
    Obstacle(Plane((0, 0, 0), (1, 0, 0)), 0.5, "left"),
    Obstacle(Plane((4.2, 0, 0), (-1, 0, 0)), 0.5, "right"),
]
"""The third ball lies in the middle, on top of the two others, which touch a wall each."""


def heap(restitution=0.5, gravity=G):
    balls = [Ball(place, radius=1.0, mass=2.0, restitution=restitution) for place in PLACES]
    obstacles = [obstacle._replace(restitution=restitution) for obstacle in STACK]
    world, _ = build(balls, obstacles, TVector(0.0, -gravity, 0.0), None)
    return Sleepers(world, Thresholds())


def asleep():
    """The heap, of which all balls sleep."""
    sleepers = heap()
    sleepers.update_sleep(PLACES, STILL, NOBODY, is_start=True)
    assert sleepers.asleep.all()
    return sleepers


# --- Falling asleep -----------------------------------------------------------------------


def test_what_starts_at_rest_falls_asleep_where_it_is():
    sleepers = heap()
    change = sleepers.update_sleep(PLACES, STILL, NOBODY, is_start=True)
    assert change.falls_asleep.tolist() == [0, 1, 2]
    assert change.wakes.tolist() == change.gives_way.tolist() == []
    assert change.position == pytest.approx(PLACES, abs=1e-12)


def test_the_forces_that_carry_it_are_those_of_statics():
    lasting = asleep().contacts
    pairs = zip(lasting.first.tolist(), lasting.second.tolist(), strict=True)
    force = dict(zip(pairs, lasting.force, strict=True))
    weight = 2.0 * G
    between = weight / 2.0 / math.cos(LEAN)
    assert force[0, 2] == pytest.approx(between, rel=1e-12)
    assert force[1, 2] == pytest.approx(between, rel=1e-12)
    assert force[0, -1] == pytest.approx(1.5 * weight, rel=1e-12)
    assert force[0, -2] == pytest.approx(between * math.sin(LEAN), rel=1e-12)
    assert force[1, -3] == pytest.approx(between * math.sin(LEAN), rel=1e-12)
    # The lower ball comes first, and the normal points towards it.
    pushed_down = lasting.normal[(lasting.first == 0) & (lasting.second == 2)][0]
    assert pushed_down == pytest.approx((-0.55, -math.cos(LEAN), 0.0), abs=1e-12)


def test_what_is_moved_beside_a_heap_and_does_not_sleep_is_named_too():
    """A ball that only leans on the heap does not sleep, and yet its gap is closed, as those of the
    heap are: else something that sleeps could be moved into it."""
    places = np.array([*PLACES, (1.0, 1.0 + 1e-6, 2.0 + 1e-7)])
    sleepers, change = looked_at(places)
    assert sleepers.asleep.tolist() == [True, True, True, False]
    assert change.gives_way.tolist() == [3]
    assert change.position[3] == pytest.approx((1.0, 1.0, 2.0 + 1e-7), abs=1e-12)


def test_what_lies_alone_and_does_not_sleep_is_not_moved():
    places = np.array([*PLACES, (2.0, 1.0 + 1e-6, 9.0)])
    sleepers, change = looked_at(places)
    assert sleepers.asleep.tolist() == [True, True, True, False]
    assert change.gives_way.tolist() == []
    assert change.position[3].tolist() == places[3].tolist()


def looked_at(places):
    """The heap and a fourth ball, all slow, after a look."""
    world, _ = build([Ball(x, radius=1.0) for x in places], STACK, TVector(0.0, -G, 0.0), None)
    sleepers = Sleepers(world, Thresholds())
    return sleepers, sleepers.update_sleep(places, np.zeros((4, 3)), np.zeros(4, dtype=bool))


@pytest.mark.parametrize("gap", [1e-9, 1e-7, 1e-6])
def test_what_hardly_moves_any_more_falls_asleep_with_all_its_gaps_closed(gap):
    sleepers, random = heap(), np.random.default_rng(1)
    above = PLACES + gap * np.array([(0.3, 0.5, 0.0), (-0.2, 0.7, 0.0), (0.0, 3.0, 0.0)])
    slow = 1e-3 * math.sqrt(G) * random.normal(size=(3, 3))
    slow[:, 2] = 0.0
    assert (0.5 * (slow**2).sum(axis=1) < Thresholds().sleep_height * G).all()
    change = sleepers.update_sleep(above, slow, NOBODY)
    assert sleepers.asleep.all()
    assert change.position == pytest.approx(PLACES, abs=1e-12)
    assert np.abs(change.position - above).max() < 4.0 * gap


def test_at_the_start_what_moves_stays_awake():
    sleepers = heap()
    change = sleepers.update_sleep(PLACES, STILL + 1e-3, NOBODY, is_start=True)
    assert change.falls_asleep.tolist() == []
    assert not sleepers.asleep.any()


def test_what_is_too_fast_or_not_carried_stays_awake():
    fast = STILL.copy()
    fast[2] = (0.0, 0.1, 0.0)
    away = PLACES.copy()
    away[1] += (0.0, 1e-2, 0.0)
    for position, velocity in ((PLACES, fast), (away, STILL)):
        sleepers = heap()
        sleepers.update_sleep(position, velocity, NOBODY)
        assert not sleepers.asleep[2]


def test_single_balls_lie_and_do_not_sleep_unless_the_last_that_they_hit_sleeps():
    far = PLACES.copy()
    far[2] = (9.0, 1.0, 0.0)
    for caught in (False, True):
        sleepers = heap()
        sleepers.update_sleep(far, STILL, np.array((False, False, caught)))
        assert sleepers.asleep[2] == caught


def test_nobody_sleeps_without_weight_and_nothing_can_where_no_energy_is_lost():
    sleepers = heap(gravity=0.0)
    sleepers.update_sleep(PLACES, STILL, NOBODY, is_start=True)
    assert not sleepers.asleep.any()
    for restitution, gravity, sleeps in ((0.5, G, True), (1.0, G, False), (0.5, 0.0, False)):
        balls = [Ball(place, radius=1.0, restitution=restitution) for place in PLACES]
        world, _ = build(balls, [], TVector(0.0, -gravity, 0.0), None)
        assert can_sleep(world) == sleeps


# --- Waking -------------------------------------------------------------------------------


def test_another_look_changes_nothing():
    sleepers = asleep()
    change = sleepers.update_sleep(PLACES, STILL, NOBODY)
    assert change.falls_asleep.tolist() == change.wakes.tolist() == []
    assert (change.position == PLACES).all()
    assert sleepers.asleep.all()


def test_without_a_ball_below_the_one_above_wakes_and_the_other_sleeps_on():
    sleepers = asleep()
    position, velocity = PLACES.copy(), STILL.copy()
    position[0], velocity[0] = (-50.0, 50.0, 0.0), (-10.0, 0.0, 0.0)
    sleepers.asleep[0] = False
    change = sleepers.update_sleep(position, velocity, NOBODY)
    assert change.wakes.tolist() == [2]
    assert change.falls_asleep.tolist() == []
    assert sleepers.asleep.tolist() == [False, True, False]
    # What is left of the forces carries the ball that sleeps.
    lasting = sleepers.contacts
    assert (lasting.first.tolist(), lasting.second.tolist()) == ([1], [-1])
    assert lasting.force[0] == pytest.approx(2.0 * G, rel=1e-12)


def test_without_the_ball_above_those_below_sleep_on():
    sleepers = asleep()
    position, velocity = PLACES.copy(), STILL.copy()
    position[2], velocity[2] = (2.0, 50.0, 0.0), (0.0, 10.0, 0.0)
    sleepers.asleep[2] = False
    change = sleepers.update_sleep(position, velocity, NOBODY)
    assert change.wakes.tolist() == []
    assert sleepers.asleep.tolist() == [True, True, False]
    assert (change.position[:2] == PLACES[:2]).all()


def test_sleepers_are_tested_again_only_if_they_may_carry_what_comes_to_rest(monkeypatch):
    tested = []

    def noted(*arguments):
        tested.append(arguments[4].tolist())
        return prove_rest(*arguments)

    monkeypatch.setattr("spheresim.engines.sleep_criterion.prove_rest", noted)
    beside, on_top = (9.0, 1.0, 0.0), PLACES[2] + (0.0, 2.0, 0.0)
    for place, tests in ((beside, [[3]]), (on_top, [[3], [0, 1, 2, 3]])):
        away, here = np.array([*PLACES, (50.0, 50.0, 0.0)]), np.array([*PLACES, place])
        still, nobody = np.zeros((4, 3)), np.zeros(4, dtype=bool)
        falling = still - [[0.0], [0.0], [0.0], [9.0]]
        world, _ = build([Ball(x, radius=1.0) for x in away], STACK, TVector(0.0, -G, 0.0), None)
        sleepers = Sleepers(world, Thresholds())
        sleepers.update_sleep(away, falling, nobody)
        tested.clear()
        change = sleepers.update_sleep(here, still, nobody, alone=True)
        assert tested == tests
        assert change.falls_asleep.tolist() == [3]
        assert (change.position[:3] == PLACES).all()
        carried = sleepers.contacts.of(sleepers.contacts.second == -1)
        assert carried.force.sum() == pytest.approx(4.0 * G, rel=1e-12)


def test_rows_tell_who_sleeps_and_who_wakes_at_the_lowest_point():
    sleepers = heap()
    rows = sleepers.rows(sleepers.update_sleep(PLACES, STILL, NOBODY, is_start=True), 3.5)
    assert rows.kind.tolist() == [REST] * 3
    assert rows.i.tolist() == [0, 1, 2]
    assert rows.t.tolist() == [3.5] * 3
    assert rows.point == pytest.approx(PLACES - (0.0, 1.0, 0.0), abs=1e-12)
    position, velocity = PLACES.copy(), STILL.copy()
    position[0], velocity[0] = (-50.0, 50.0, 0.0), (-10.0, 0.0, 0.0)
    sleepers.asleep[0] = False
    rows = sleepers.rows(sleepers.update_sleep(position, velocity, NOBODY), 4.0)
    assert (rows.kind.tolist(), rows.i.tolist()) == ([WAKE], [2])


# --- Kept ---------------------------------------------------------------------------------


def test_what_is_kept_is_taken_over_and_what_knows_of_no_sleepers_wakes_all():
    sleepers, again = asleep(), heap()
    again.resume(sleepers.save())
    assert again.asleep.tolist() == sleepers.asleep.tolist()
    for name, column in sleepers.contacts._asdict().items():
        assert (getattr(again.contacts, name) == column).all()
    again.resume({})
    assert not again.asleep.any()
    assert len(again.contacts.force) == 0
