"""Boxes: what makes one, and what is refused in one sentence before anything is computed."""

import math
import re

import pytest
from one_sentence import told

import spheresim
from spheresim import Ball, Box, Simulation


def simulation(box, *places):
    return Simulation([Ball((x, 5, 5), (-1, 0, 0), radius=1) for x in places], box=box)


@pytest.mark.parametrize(
    "box",
    [
        (40, 40, 40),
        Box(size=(40, 40, 40)),
        Box((0, 0, 0), (40.0, 40, 40)),
        Box((0, 0, 0), [40] * 3, True),
    ],
)
def test_three_lengths_are_a_periodic_box_from_the_origin_on(box):
    assert spheresim.Box is Box
    made = simulation(box, 1, 5)
    assert made.world.box[:3] == ((0, 0, 0), (40, 40, 40), (True, True, True))
    assert all(isinstance(side, float) for side in made.world.box.size)
    assert made.engine == "events"


def test_a_ball_goes_round_a_plain_box():
    balls = [Ball((1, 5, 5), (-1, 0, 0), radius=1), Ball((5, 5, 5), radius=1)]
    simulation = Simulation(balls, box=[10] * 3)
    simulation.run(until=9)
    assert simulation.impacts.t == pytest.approx([4.0])  # at x = -3, beside the image at x = -5


def test_a_box_of_which_one_axis_is_closed():
    box = Box(size=(9, 9, 9), periodic=[True, False, True])
    assert (box.periodic, box.is_periodic) == ((True, False, True), True)
    walled = Box((-1, -1, -1), (20, 20, 20), periodic=False)
    assert not walled.is_periodic
    assert simulation(walled, 5).engine == "steps"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "a box needs its size, three lengths"),
        ({"size": 40}, "a box's size: a vector has three components, not one: 40"),
        ({"size": (1, 2)}, "a box's size: a vector has three components, not 2"),
        ({"size": "big"}, "a box's size"),
        ({"size": (1, 2, 0)}, "a box's size must be greater than 0, not (1.0, 2.0, 0.0)"),
        ({"size": (1, 2, -3)}, "a box's size must be greater than 0"),
        ({"size": (math.nan, 1, 1)}, "a box's size must be finite, not (nan, 1.0, 1.0)"),
        ({"size": (math.inf, 1, 1)}, "a box's size must be finite"),
        ({"size": (1, 2, 3), "low": (0, 0, math.inf)}, "a box's low corner must be finite"),
        ({"size": (1, 2, 3), "low": (0, math.nan, 0)}, "a box's low corner must be finite"),
        *(
            ({"size": (1, 2, 3), "periodic": wrong}, "a box's periodic must be one bool or three")
            for wrong in (1, (True, 1, 0), (True, False), (1, 1, 1), "yes", None)
        ),
    ],
)
def test_what_is_no_box_is_refused_in_one_sentence(arguments, fault):
    told(lambda: Box(**arguments), f"^{re.escape(fault)}")
