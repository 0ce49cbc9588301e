"""The calendar gives events in the package's total order, whatever was put in, and when."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.collision.event_order import ScheduledImpact, comes_before
from spheresim.collision.impacts import BALL, OBSTACLE
from spheresim.compiler.decorators import kernel
from spheresim.engines.time_stepping.event_calendar import cancel, empty_calendar, schedule

BALLS = 12


@kernel
def put(calendar, ball, time, kind, other, stamp):
    schedule(calendar, ScheduledImpact(time, kind, ball, other), stamp)


@kernel
def take_out(calendar, ball):
    cancel(calendar, ball)


@kernel
def is_before(one, other):
    a = ScheduledImpact(one[0], one[1], one[2], one[3])
    return comes_before(a, ScheduledImpact(other[0], other[1], other[2], other[3]))


def order(time, kind, i, other):
    """Time, then balls before obstacles, then the lower index, then the other one."""
    return (time, kind, min(i, other), max(i, other)) if kind == BALL else (time, kind, i, other)


def drained(calendar):
    """The balls, as they come out."""
    balls = []
    while calendar.size[0] > 0:
        balls.append(calendar.heap[0].item())
        take_out(calendar, balls[-1])
    return balls


times = st.sampled_from([0.0, 0.1, 0.1 + 2.0**-54, 0.5, 1e9, inf])  # few, so that many are equal


@st.composite
def events(draw):
    """Time, kind, ball, partner or obstacle, stamp."""
    ball, kind = draw(st.integers(0, BALLS - 1)), draw(st.sampled_from([BALL, OBSTACLE]))
    others = st.integers(0, BALLS - 1)
    other = draw(others.filter(lambda j: j != ball) if kind == BALL else others)
    return draw(times), kind, ball, other, draw(st.integers(0, 2**40))


def schedule_all(calendar, wanted):
    for time, kind, ball, other, stamp in wanted:
        put(calendar, ball, time, kind, other, stamp)


@given(st.lists(events(), unique_by=lambda event: event[2]), st.randoms(use_true_random=False))
def test_events_come_out_in_the_total_order_whatever_the_order_of_their_coming_in(wanted, random):
    calendar = empty_calendar(BALLS)
    schedule_all(calendar, random.sample(wanted, len(wanted)))
    assert calendar.size[0] == len(wanted)
    event_of = {event[2]: event for event in wanted}
    came_out = drained(calendar)
    assert sorted(came_out) == sorted(event_of)
    orders = [order(*event_of[ball][:4]) for ball in came_out]
    assert orders == sorted(orders)


@given(st.lists(st.one_of(events(), st.integers(0, BALLS - 1)), max_size=60))
def test_the_latest_event_of_a_ball_counts_and_a_cancelled_one_does_not(history):
    calendar, event_of = empty_calendar(BALLS), {}
    for entry in history:
        if isinstance(entry, int):
            take_out(calendar, entry)
            event_of.pop(entry, None)
        else:
            schedule_all(calendar, [entry])
            event_of[entry[2]] = entry
        assert calendar.size[0] == len(event_of)
        if event_of:
            first = event_of[calendar.heap[0].item()]
            assert order(*first[:4]) == min(order(*event[:4]) for event in event_of.values())
    for ball, (time, kind, _, other, stamp) in event_of.items():
        event = calendar.event[ball]
        assert (event.time, event.kind, event.other, event.other_stamp) == (
            time,
            kind,
            other,
            stamp,
        )
    assert sorted(drained(calendar)) == sorted(event_of)


def test_ties_go_to_balls_then_to_the_lower_index_then_to_the_other_one():
    in_order = [
        (0.5, OBSTACLE, 9, 9),  # earlier, that is all that counts
        (1.0, BALL, 5, 2),  # 2 with 5
        (1.0, BALL, 3, 4),
        (1.0, BALL, 7, 3),  # 3 with 7
        (1.0, BALL, 4, 6),
        (1.0, OBSTACLE, 0, 8),
        (1.0, OBSTACLE, 1, 0),
    ]
    for earlier, later in pairwise(in_order):
        assert is_before(earlier, later)
        assert not is_before(later, earlier)
    calendar = empty_calendar(BALLS)
    schedule_all(calendar, [(*event, 0) for event in reversed(in_order)])
    assert drained(calendar) == [ball for _, _, ball, _ in in_order]


def test_an_obstacles_events_go_by_the_ball_and_then_by_the_obstacle():
    assert is_before((1.0, OBSTACLE, 2, 7), (1.0, OBSTACLE, 3, 1))
    assert is_before((1.0, OBSTACLE, 3, 1), (1.0, OBSTACLE, 3, 2))


@given(st.lists(events(), min_size=3, max_size=3))
def test_the_order_is_total(three):
    a, b, c = (event[:4] for event in three)
    assert is_before(a, b) == (order(*a) < order(*b))
    assert not is_before(a, a)
    assert not (is_before(a, b) and is_before(b, a))
    if is_before(a, b) and is_before(b, c):
        assert is_before(a, c)


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.compiled_only)])
def test_many_events_are_sorted(count):
    random = np.random.default_rng(1)
    calendar, time_of = empty_calendar(count), {}
    replaced = random.choice(count, count // 2, replace=False)
    for ball in [*random.permutation(count), *replaced]:
        time_of[ball] = random.integers(100) / 100.0
        put(calendar, ball, time_of[ball], OBSTACLE, 0, 0)
    came_out = drained(calendar)
    assert came_out == sorted(time_of, key=lambda ball: (time_of[ball], ball))


def test_an_empty_calendar_has_nothing_to_cancel():
    calendar = empty_calendar(3)
    take_out(calendar, 1)
    assert calendar.size[0] == 0
    put(calendar, 1, 2.5, BALL, 0, 7)
    take_out(calendar, 1)
    take_out(calendar, 1)
    assert calendar.size[0] == 0
