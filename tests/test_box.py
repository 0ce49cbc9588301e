"""A box that is none is refused in one sentence, before anything is computed with it."""

import math

import pytest

from spheresim import Ball, Simulation
from spheresim.state import Box
from spheresim.vector import TVector

LOW, SIZE = TVector(0.0, 0.0, 0.0), TVector(10.0, 10.0, 10.0)


def simulation(box, engine="events"):
    return Simulation([Ball((5, 5, 5), (1, 0, 0), radius=0.5)], engine=engine, box=box)


@pytest.mark.parametrize("engine", ["steps", "events"])
@pytest.mark.parametrize(
    ("box", "sentence"),
    [
        (Box(LOW, TVector(math.nan, 1.0, 1.0)), "a box's size must be finite, not (nan, 1.0, 1.0)"),
        (Box(LOW, TVector(math.inf, 1.0, 1.0)), "a box's size must be finite"),
        (Box(LOW, TVector(0.0, 9.0, 9.0)), "a box's size must be greater than 0 along each axis"),
        (Box(LOW, TVector(9.0, -9.0, 9.0)), "a box's size must be greater than 0 along each axis"),
        (Box(TVector(0.0, math.nan, 0.0), SIZE), "a box's low must be finite"),
        (Box(LOW, (1, 2)), "a box's size"),
        (Box(LOW, 10.0), "a box's size"),
        (Box(LOW, "big"), "a box's size"),
        (Box(LOW, SIZE, (True, False)), "a box's periodic must be True, False or three of them"),
        (Box(LOW, SIZE, (1, 1, 1)), "a box's periodic must be True, False or three of them"),
        (Box(LOW, SIZE, "yes"), "a box's periodic must be True, False or three of them"),
        (Box(LOW, SIZE, None), "a box's periodic must be True, False or three of them"),
    ],
)
def test_a_box_that_is_none_is_refused_in_one_sentence(box, sentence, engine):
    with pytest.raises((TypeError, ValueError)) as refused:
        simulation(box, engine)
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("box", [Box((0, 0, 0), (10, 10, 10)), Box((0, 0, 0), [10] * 3, True)])
def test_whole_numbers_and_lists_are_lengths_too(box):
    world = simulation(box).world
    assert world.box == Box(LOW, SIZE)
    assert all(isinstance(side, float) for side in world.box.size)
