"""Straight ways to the next frame, as pages keep them: few digits, and the same way."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spheresim_viewer.web.straight_ways import StraightWays

from spheresim.record.chords import along, chords
from spheresim.record.replayed import Replayed

SIZE = 10.0


def frames(seed, count=6, balls=4):
    """States of balls at several frames, some of which lie nearly still."""
    random = np.random.default_rng(seed)
    position = np.cumsum(random.normal(0.0, 0.1, (count, balls, 3)), axis=0)
    velocity = (
        random.normal(0.0, 1.0, (count, balls, 3)) * random.choice([0.0, 1e-6, 1.0], balls)[:, None]
    )
    return [Replayed(*state) for state in zip(position, velocity, strict=True)]


@given(st.integers(0, 10**6), st.floats(1e-3, 0.1))
def test_read_again_they_are_the_same_ways(seed, span):
    """Read as the page reads them: an end is remembered for the way that goes on from it."""
    states, ends = frames(seed), {}
    ball = np.arange(4)
    writer = StraightWays(4, SIZE)
    for k, (here, there) in enumerate(pairwise(states)):
        since = np.full(4, k * span)
        ways = chords(here, there, np.full(4, span))
        for way in writer.of(ball, since, ways, (k + 1) * span):
            assert way.goes_on == (k > 0)
            start = ends[way.ball] if way.goes_on else way.start
            assert not (way.goes_on and way.start.any())
            ends[way.ball] = start + way.way
            first, last, time = way.shape
            parts = np.array([first, 3 - 2 * first - last, first + last - 2])
            read = np.stack([start, *(parts / time ** np.arange(1, 4))[:, None] * way.way])
            for s in np.linspace(0.0, time, 7):
                found = along(read[None], np.array([s])).position[0]
                true = along(ways[way.ball][None], np.array([s])).position[0]
                assert np.abs(found - true).max() < 1e-10 * SIZE


def test_a_ball_that_flew_in_between_begins_anew():
    writer, states = StraightWays(4, SIZE), frames(1)
    ways = chords(states[0], states[1], np.full(4, 0.1))
    (first,) = writer.of(np.array([2]), np.array([0.0]), ways[2:3], 0.1)
    (later,) = writer.of(np.array([2]), np.array([0.2]), ways[2:3], 0.3)
    assert not later.goes_on
    assert later.start == pytest.approx(first.start)
