"""The bucket calendar fires in order of time, whatever is entered, and forgets nobody."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spheresim.collision.impacts import BALL, NEIGHBOURHOOD_EXIT, OBSTACLE
from spheresim.compiler.decorators import kernel
from spheresim.engines.event_driven.engine_state import BODY_FIELDS, EVENT_FIELDS, records
from spheresim.engines.event_driven.event_calendar import (
    HEAP,
    ROOM,
    clear,
    empty_calendar,
    enter,
    is_ready,
    open_next,
    take_next,
)

BALLS = 40


@kernel
def begin(calendar, event, width):
    clear(calendar, event, width)


@kernel
def put(calendar, event, body, i, time):
    event[i].time = time
    enter(calendar, event, body, np.uint32(i))


@kernel
def pop(calendar, event, body):
    while not is_ready(calendar, event):
        if not open_next(calendar, event, body):
            return -1
    return int(take_next(calendar, event, body))


def empty(n=BALLS, width=1.0):
    event, body = records(n, EVENT_FIELDS), records(n, BODY_FIELDS)
    body.name = np.arange(n)
    event.kind = NEIGHBOURHOOD_EXIT
    calendar = empty_calendar(n)
    begin(calendar, event, width)
    return calendar, event, body


def drained(calendar, event, body):
    fired = []
    while (i := pop(calendar, event, body)) >= 0:
        fired.append(i)
    return fired


@given(
    st.lists(st.tuples(st.integers(0, BALLS - 1), st.floats(0.0, 70.0)), max_size=300),
    st.sampled_from([0.1, 1.0, 30.0]),
)
@settings(max_examples=50, derandomize=True)
def test_whatever_is_entered_comes_out_in_order_once(entries, width):
    calendar, event, body = empty(width=width)
    wanted = {}
    for i, time in entries:
        put(calendar, event, body, i, time)
        wanted[i] = time
    fired = drained(calendar, event, body)
    inside = {i for i, time in wanted.items() if time < width * len(calendar.row)}
    assert sorted(fired) == sorted(inside)
    assert [wanted[i] for i in fired] == sorted(wanted[i] for i in inside)


@pytest.mark.compiled_only
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.3, 5.0, 100.0]))
@settings(max_examples=30, derandomize=True)
def test_events_made_by_events_fire_in_order_too(seed, width):
    # With buckets too wide most are in the heap, with some too narrow most find theirs full.
    random = np.random.default_rng(seed)
    calendar, event, body = empty(width=width)
    for i in range(BALLS):
        put(calendar, event, body, i, random.exponential(5.0))
    now, end = 0.0, 0.9 * width * len(calendar.row)
    for _ in range(300):
        i = pop(calendar, event, body)
        if i < 0:
            break
        time = float(event[i].time)
        assert time >= now
        now = time
        put(calendar, event, body, i, min(end, now + random.exponential(3.0)))
        other = int(random.integers(BALLS))
        if event[other].time >= now:
            put(calendar, event, body, other, min(end, now + random.exponential(3.0)))


def test_what_finds_its_bucket_full_waits_for_its_time():
    # Put into the open bucket or an earlier one it would fire before ball 0.
    calendar, event, body = empty()
    for i in range(1, ROOM + 5):
        put(calendar, event, body, i, 7.5 + 0.001 * i)
    put(calendar, event, body, 0, 3.5)
    assert (event.bucket[1 : ROOM + 5] == HEAP).sum() == 4
    assert drained(calendar, event, body) == list(range(ROOM + 5))


def test_what_lies_beyond_the_last_bucket_waits_for_the_next_turn():
    calendar, event, body = empty()
    put(calendar, event, body, 0, 1e9)
    put(calendar, event, body, 1, inf)
    put(calendar, event, body, 2, 63.5)
    assert drained(calendar, event, body) == [2]


def test_events_at_the_same_time_fire_in_the_packages_order():
    calendar, event, body = empty()
    body.name = np.arange(BALLS)[::-1]
    events = [(3, OBSTACLE, 1), (7, BALL, 20), (5, BALL, 9), (4, OBSTACLE, 0), (30, BALL, 31)]
    for i, kind, other in events:
        event[i].kind, event[i].other = kind, other
        put(calendar, event, body, i, 2.25)

    def order(i):
        kind, other = int(event[i].kind), int(event[i].other)
        name = int(body[i].name)
        if kind == BALL:
            other = int(body[other].name)
            return (kind, min(name, other), max(name, other))
        return (kind, name, other)

    fired = drained(calendar, event, body)
    assert fired == sorted(fired, key=order)


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_very_many_events_at_one_time_are_in_order():
    n = 200_000
    calendar, event, body = empty(n)
    for i in range(n):
        put(calendar, event, body, i, 5.0)
    fired = drained(calendar, event, body)
    assert fired == list(range(n))
