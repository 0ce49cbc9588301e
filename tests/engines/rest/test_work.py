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
        ("pile", "steps", 2.2, (193, 28, 182, 12)),
        ("pile", "events", 2.2, (534, 88, 600, 89)),
        *(
            pytest.param("hourglass", *case, marks=pytest.mark.thorough)
            for case in (
                ("steps", 2.0, (297, 82, 328, 39)),
                ("events", 2.0, (870, 141, 876, 139)),
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
    [("steps", (214, 38, 324, 39)), ("events", (872, 160, 1284, 208))],
)
def test_so_does_a_hundred_balls_that_are_poured(engine, usual):
    simulation = simulation_of(pouring(100, 0.6), engine)
    simulation.run(until=4.0)
    assert_at_most_twice(simulation, usual)
