"""Balls with accelerations of their own, with the exact engine: parabolas that differ."""

import numpy as np
import pytest
from worlds import box

from spheresim import Ball, Box, ConstantAccelerations, Cuboid, Fill, Plane, Simulation

pytestmark = pytest.mark.rare_kernels

PLANES = box(4.0, low=(-2, -2, -2))
ROOMS = [
    pytest.param(PLANES, id="planes"),
    pytest.param([Cuboid((0, 0, 0), (4, 4, 4))], id="cuboid", marks=pytest.mark.thorough),
]
REGION = {"low": (-1.9, -1.9, -1.9), "high": (1.9, 1.9, 1.9)}


def of_two_kinds(room, **options):
    """Forty balls that are pulled down and sideways, and thirty larger ones that are pulled up."""
    fills = [
        Fill(count=40, radius=0.15, region=REGION, temperature=1, seed=1),
        Fill(count=30, radius=0.2, mass=3, region=REGION, temperature=1, seed=2),
    ]
    own = np.repeat([(1.0, -2.0, 0.0), (0.0, 1.5, 0.0)], [40, 30], axis=0)
    return Simulation(fills, room, field=ConstantAccelerations(own), engine="events", **options)


def test_two_balls_pulled_together_meet_when_the_formula_says():
    # Gaps of 1.5 close at ½·(2 + 1)·t²; elastic and of equal masses, they swap velocities then.
    balls = [Ball((-1, 0, 0), radius=0.25), Ball((1, 0, 0), radius=0.25)]
    field = ConstantAccelerations([(2, 0, 0), (-1, 0, 0)])
    simulation = Simulation(balls, field=field, gravity=(0, -1, 0), engine="events")
    simulation.run(until=3.5)
    first = 1.0
    expected = [first * (2 * k + 1) for k in range(2)]
    assert simulation.impacts.t == pytest.approx(expected, rel=1e-12)
    assert simulation.impacts.vn_before == pytest.approx(-3.0, rel=1e-12)
    assert simulation.position[:, 1] == pytest.approx(-0.5 * 3.5**2, rel=1e-12)


@pytest.mark.compiled_only
@pytest.mark.parametrize("room", ROOMS)
def test_energy_is_kept_in_a_closed_room(room):
    simulation = of_two_kinds(room, gravity=(0, -0.2, 0.1))
    energy = simulation.energy()
    simulation.run(until=20.0)
    assert len(simulation.impacts) > 1000
    assert simulation.energy() == pytest.approx(energy, rel=1e-11)
    assert simulation.tally.deepest_overlap < 1e-12
    height = simulation.position[:, 1]
    assert height[40:].mean() > height[:40].mean() + 0.5  # the kinds part


def test_equal_accelerations_are_gravity():
    balls = [Ball((k, 2 + k, 0), (0.3, 0, 0.1), radius=0.45) for k in range(4)]
    floor = Plane((0, 0, 0), (0, 1, 0))
    pull = (0.1, -9.0, 0)
    one = Simulation(balls, [floor], pull, engine="events")
    other = Simulation(balls, [floor], field=ConstantAccelerations([pull] * 4), engine="events")
    for simulation in (one, other):
        simulation.run(until=3.0)
    assert len(one.impacts) > 6
    assert other.position == pytest.approx(one.position, abs=1e-9)


def test_a_periodic_box_is_no_obstacle():
    balls = [Ball((1, 1, 1), radius=0.25), Ball((3, 1, 1), radius=0.25)]
    field = ConstantAccelerations([(0, 0, 0), (2, 0, 0)])
    simulation = Simulation(balls, field=field, box=Box(size=(5, 5, 5)), engine="events")
    simulation.run(until=2.0)
    # Ball 1 flies on through the face at 5 and meets the image of ball 0 at 6.
    assert simulation.impacts.t == pytest.approx([np.sqrt(2.5)], rel=1e-12)


def test_both_engines_agree_as_the_step_gets_small():
    balls = [Ball((-1, 0.1, 0), radius=0.25), Ball((1, 0, 0), (0, 0.1, 0), radius=0.25, mass=2)]
    field = ConstantAccelerations([(2, 0, 0), (-1, 0.5, 0)])

    def end(**options):
        simulation = Simulation(balls, field=field, **options)
        simulation.run(until=1.6)
        assert len(simulation.impacts) == 1
        return simulation.position.copy()

    exact = end(engine="events")
    for step in (8e-3, 2e-3):
        assert abs(end(step=step) - exact).max() < 1.5 * step


@pytest.mark.parametrize("wrong", [(0, 0, 1), [(0, 0)], [(0, 0, np.nan)]])
def test_accelerations_that_are_none_are_told(wrong):
    with pytest.raises(ValueError, match=r"must be finite, with the shape \(n, 3\), not"):
        ConstantAccelerations(wrong)


@pytest.mark.parametrize("engine", ["events", "steps"])
@pytest.mark.parametrize(("rows", "balls"), [(1, 3), (2, 1), (2, 3)])
def test_accelerations_of_other_balls_are_told_at_once(engine, rows, balls):
    field = ConstantAccelerations([(0, 0, 1)] * rows)
    with pytest.raises(ValueError, match=f"must be one for each of {balls} balls, not {rows}"):
        Simulation(
            [Ball((3 * k, 0, 0), radius=1) for k in range(balls)], field=field, engine=engine
        )
