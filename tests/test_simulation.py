"""The Python face: five lines, views onto arrays, impacts as a table."""

import math

import numpy as np
import pytest

from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation, TVector

FLOOR = Plane((0, 0, 0), (0, 1, 0))


def head_on(**arguments):
    """Two balls that touch at t = 1."""
    return Simulation(
        [Ball((-2, 0, 0), (1, 0, 0), radius=1), Ball((2, 0, 0), (-1, 0, 0), radius=1)], **arguments
    )


def test_five_lines_give_the_exact_impact_time():
    simulation = head_on(step=0.3)
    simulation.run(until=2)
    assert simulation.time == 2.0
    assert simulation.impacts.t == pytest.approx([1.0], abs=1e-15)
    assert simulation.position[0] == pytest.approx((-2, 0, 0), abs=1e-15)


def test_the_table_of_impacts_says_who_when_where_and_how_hard():
    simulation = Simulation(
        [Ball((0, 3, 0), (0, -1, 0), radius=1, mass=2)],
        [Obstacle(FLOOR, restitution=0.5, name="the floor")],
    )
    simulation.run(until=3)
    (row,) = simulation.impacts
    assert (row.event, row.kind, row.i, row.j, row.obstacle) == (0, "obstacle", 0, -1, "the floor")
    assert (row.t, row.x, row.y, row.z) == pytest.approx((2, 0, 0, 0), abs=1e-12)
    assert (row.nx, row.ny, row.nz) == (0, 1, 0)
    assert (row.vn_before, row.vn_after, row.impulse) == (-1, 0.5, 3)


def test_a_ball_is_a_view_that_reads_and_writes_through():
    simulation = head_on()
    ball = simulation.balls[-1]
    assert ball.position == TVector(2, 0, 0)
    ball.velocity = (0, 1, 0)
    ball.position = TVector(5, 5, 5)
    assert simulation.velocity[1].tolist() == [0, 1, 0]
    simulation.position[1] += 1
    assert ball.position == TVector(6, 6, 6)
    simulation.run(until=1)
    assert ball.position == pytest.approx((6, 7, 6), abs=1e-12)
    assert len(simulation.impacts) == 0


def test_what_never_changes_cannot_be_written_and_a_misspelt_name_is_an_error():
    simulation = head_on()
    with pytest.raises(AttributeError):
        simulation.balls[0].radius = 2
    with pytest.raises(AttributeError):
        simulation.balls[0].postion = (0, 0, 0)
    with pytest.raises(AttributeError):
        simulation.gravty = (0, 0, 0)
    with pytest.raises(IndexError, match="2 balls"):
        simulation.balls[2]


def test_balls_can_be_counted_sliced_and_looped_over():
    simulation = head_on()
    assert [ball.name for ball in simulation.balls] == ["ball 0", "ball 1"]
    assert [ball.index for ball in simulation.balls[::-1]] == [1, 0]


def test_next_impact_stops_at_the_impact_itself():
    simulation = head_on(step=0.3)
    row = simulation.next_impact()
    assert row.t == simulation.time == pytest.approx(1.0, abs=1e-15)
    distance = np.linalg.norm(simulation.position[0] - simulation.position[1])
    assert distance == pytest.approx(2.0, abs=1e-15)
    assert simulation.next_impact(before=5) is None
    assert simulation.time == pytest.approx(5, abs=0.3)


def test_stopping_at_impacts_changes_no_bit_of_what_follows():
    whole, stopped = (
        Simulation(
            [Ball((x, 1 + 0.1 * x, 0), (1, -x, 0.3), radius=0.4) for x in range(-3, 4)],
            [FLOOR, Cylinder((0, 0, 0), (0, 1, 0), 6)],
            gravity=(0, -1, 0),
            step=0.05,
        )
        for _ in range(2)
    )
    whole.run(until=4)
    while (row := stopped.next_impact(before=4)) is not None:
        assert row.t == stopped.time
    stopped.run(until=4)
    assert whole.position.tobytes() == stopped.position.tobytes()
    assert whole.impacts.t.tolist() == stopped.impacts.t.tolist()


def test_energy_and_momentum_are_those_of_the_textbook():
    simulation = Simulation(
        [Ball((0, 2, 0), (3, 0, 0), radius=1, mass=2)], gravity=(0, -10, 0), step=0.1
    )
    assert simulation.energy() == pytest.approx(0.5 * 2 * 9 + 2 * 10 * 2)
    assert simulation.momentum() == TVector(6, 0, 0)


def test_a_bare_shape_leaves_the_restitution_to_the_ball():
    simulation = Simulation([Ball((0, 2, 0), (0, -1, 0), radius=1, restitution=0.25)], [FLOOR])
    simulation.run(until=2)
    assert simulation.impacts.vn_after == pytest.approx([0.25])


def test_sliced_is_early_by_less_than_a_slice_of_the_step():
    simulation = head_on(step=0.3, toi="sliced", slices=10)
    simulation.run(until=2)
    (t,) = simulation.impacts.t
    assert 0 <= 1.0 - t <= 0.03 + 1e-12


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"balls": []}, "at least one ball"),
        ({"step": 0}, "step must be greater than 0, not 0.0"),
        ({"step": math.nan}, "step must be finite"),
        ({"toi": "numeric"}, 'toi must be "analytic" or "sliced", not \'numeric\''),
        ({"engine": "magic"}, "engine must be"),
        ({"toi": "sliced", "slices": 0}, "slices must be a whole number from 1 to"),
        ({"gravity": (0, 1)}, "gravity: a vector has three components, not 2"),
    ],
)
def test_a_bad_argument_is_named_with_its_value_and_what_was_expected(arguments, sentence):
    balls = arguments.pop("balls", [Ball((0, 0, 0), radius=1)])
    with pytest.raises(ValueError, match=sentence):
        Simulation(balls, **arguments)


def test_time_does_not_run_backwards():
    simulation = head_on()
    simulation.run(until=0.5)
    with pytest.raises(ValueError, match=r"no earlier than now, 0\.5"):
        simulation.run(until=0.4)
