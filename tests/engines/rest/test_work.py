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


def galton_board(seed):
    """A scene: 150 balls fall through ten rows of pegs into bins, hardly deeper than a ball."""
    shapes = [
        f"[[capsule]]\na = [{i + row % 2 / 2}, {12 - 0.87 * row}, -1]\n"
        f"b = [{i + row % 2 / 2}, {12 - 0.87 * row}, 1]\nradius = 0.12\n"
        for row in range(10)
        for i in range(-8, 9)
    ]
    shapes += [
        f"[[polygon]]\npoints = [[{x}, 0, -1], [{x}, 3.2, -1], [{x}, 3.2, 1], [{x}, 0, 1]]\n"
        for x in (i + 0.5 for i in range(-9, 10))
    ]
    walls = {
        (0, 0, 0): (0, 1, 0),
        (-9, 0, 0): (1, 0, 0),
        (9, 0, 0): (-1, 0, 0),
        (0, 0, -0.16): (0, 0, 1),
        (0, 0, 0.16): (0, 0, -1),
    }
    shapes += [f"[[plane]]\npoint = {[*p]}\nnormal = {[*n]}\n" for p, n in walls.items()]
    fill = (
        "[[fill]]\ncount = 150\nradius = 0.15\ndensity = 1\n"
        "region = { low = [-0.35, 13, -0.16], high = [0.35, 60, 0.16] }\n"
    )
    settings = "duration = 14\nstep = 0.005\ngravity = [0, -9.81, 0]\nrestitution = 0.3\n"
    return f'{settings}engine = "events"\n{"".join(shapes)}{fill}seed = {seed}\n'


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [1, 5, 7])
def test_so_do_the_full_bins_of_a_galton_board(tmp_path, seed):
    """A ball that has just room between a wall and a sleeping ball was pressed against both, and
    made a step of all balls at each impact, in an instant that took minutes."""
    path = tmp_path / "galton_board.toml"
    path.write_text(galton_board(seed))
    simulation = Simulation.load(path)
    simulation.keep_impacts(False)
    simulation.run(until=10.0)
    assert simulation.tally.collapse_answers == 0
    assert_at_most_twice(simulation, (600, 100, 700, 110))
