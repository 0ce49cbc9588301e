"""A box that is none is refused in one sentence, before anything is computed with it."""

import math
import re

import pytest
from one_sentence import told

from spheresim import Ball, Simulation
from spheresim.model.state import Box
from spheresim.numerics.vector import TVector

LOW, SIZE = TVector(0.0, 0.0, 0.0), TVector(10.0, 10.0, 10.0)


def simulation(box, engine="events"):
    return Simulation([Ball((5, 5, 5), (1, 0, 0), radius=0.5)], engine=engine, box=box)


@pytest.mark.parametrize("engine", ["steps", "events"])
@pytest.mark.parametrize(
    ("corners", "sentence"),
    [
        ((LOW, TVector(math.nan, 1.0, 1.0)), "a box's size must be finite, not (nan, 1.0, 1.0)"),
        ((LOW, TVector(math.inf, 1.0, 1.0)), "a box's size must be finite"),
        ((LOW, TVector(0.0, 9.0, 9.0)), "a box's size must be greater than 0"),
        ((LOW, TVector(9.0, -9.0, 9.0)), "a box's size must be greater than 0"),
        ((TVector(0.0, math.nan, 0.0), SIZE), "a box's low"),
        ((LOW, (1, 2)), "a box's size"),
        ((LOW, 10.0), "a box's size"),
        ((LOW, "big"), "a box's size"),
        ((LOW, SIZE, (True, False)), "a box's periodic must be"),
        ((LOW, SIZE, (1, 1, 1)), "a box's periodic must be"),
        ((LOW, SIZE, "yes"), "a box's periodic must be"),
        ((LOW, SIZE, None), "a box's periodic must be"),
    ],
)
def test_a_box_that_is_none_is_refused_in_one_sentence(corners, sentence, engine):
    told(lambda: simulation(Box(*corners), engine), f"^{re.escape(sentence)}")


@pytest.mark.parametrize("box", [Box((0, 0, 0), (10, 10, 10)), Box((0, 0, 0), [10] * 3, True)])
def test_whole_numbers_and_lists_are_lengths_too(box):
    world = simulation(box).world
    assert world.box == Box(LOW, SIZE)
    assert all(isinstance(side, float) for side in world.box.size)
