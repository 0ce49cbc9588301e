"""Contact takes no more work than it should: work is counted, for seconds are the machine's.

In fixed steps `pile` once took fourteen times as many impacts, and nobody saw it.
"""

import pytest

from benchmarks.pile import pouring, simulation_of
from spheresim import Simulation

pytestmark = pytest.mark.compiled_only


def assert_at_most_twice(simulation, usual):
    """Impacts, islands, rounds and factors, a ball."""
    tally, balls = simulation.tally, len(simulation.balls)
    impacts = tally.ball_impacts + tally.obstacle_impacts
    done = [count / balls for count in (impacts, *tally.work[1:])]
    assert all(count < 2 * most for count, most in zip(done, usual, strict=True)), done


@pytest.mark.parametrize(
    ("scene", "engine", "until", "usual"),
    [
        ("pile", "steps", 2.2, (185, 27, 152, 12)),
        ("pile", "events", 2.2, (438, 68, 435, 65)),
        *(
            pytest.param("hourglass", *case, marks=pytest.mark.thorough)
            for case in (
                ("steps", 2.0, (283, 77, 298, 34)),
                ("events", 2.0, (819, 130, 793, 127)),
            )
        ),
    ],
)
def test_a_pile_that_collapses_takes_at_most_twice_the_work(scene, engine, until, usual):
    simulation = Simulation.load(scene, engine=engine)
    simulation.keep_impacts(False)
    simulation.run(until=until)
    assert_at_most_twice(simulation, usual)


@pytest.mark.parametrize(
    ("engine", "usual"),
    [("steps", (208, 36, 284, 34)), ("events", (661, 113, 869, 141))],
)
def test_so_does_a_hundred_balls_that_are_poured(engine, usual):
    simulation = simulation_of(pouring(100, 0.6), engine)
    simulation.run(until=4.0)
    assert_at_most_twice(simulation, usual)
