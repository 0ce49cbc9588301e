"""Piles take no more impacts than they should: work is counted, for seconds are the machine's.

In fixed steps `pile` once took fourteen times as many, and nobody saw it.
"""

import pytest

from spheresim import Simulation


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("scene", "engine", "until", "impacts_a_ball"),
    [
        ("pile", "steps", 2.2, 600),  # 286
        ("pile", "events", 2.2, 1200),  # 588
        ("hourglass", "steps", 2.0, 800),  # 394
        ("hourglass", "events", 2.0, 1800),  # 905
    ],
)
def test_a_pile_that_collapses_takes_at_most_twice_the_impacts(
    scene, engine, until, impacts_a_ball
):
    simulation = Simulation.load(scene, engine=engine)
    simulation.keep_impacts(False)
    simulation.run(until=until)
    tally = simulation.tally
    done = tally.ball_impacts + tally.obstacle_impacts
    assert done < impacts_a_ball * len(simulation.balls)
