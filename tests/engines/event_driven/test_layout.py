"""Cells and neighbourhoods follow the density, and no result depends on when they do."""

import itertools

import numpy as np
import pytest
from checkpoints import goes_on_alike
from worlds import room, set_up_events

from spheresim import Ball, Plane, Simulation
from spheresim.engines.event_driven.neighbour_lists import neighbour_count

pytestmark = pytest.mark.compiled_only


def lattice(side, pitch):
    k = np.arange(side) - 0.5 * (side - 1)
    return pitch * np.stack(np.meshgrid(k, k, k), axis=-1).reshape(-1, 3)


def cloud(side, pitch, inwards, heat=0.3, restitution=1.0, seed=1):
    """Balls of radius .5 on a lattice, which fly to its middle, and each its own way."""
    random = np.random.default_rng(seed)
    places = lattice(side, pitch)
    velocities = -inwards * places + random.normal(size=places.shape) * heat
    return [
        Ball(tuple(x), tuple(v), 0.5, restitution=restitution)
        for x, v in zip(places, velocities, strict=True)
    ]


def densities(simulation, times):
    """The density for which the engine is laid out at each of these times."""
    seen = []
    for time in times:
        simulation.run(until=time)
        seen.append(float(simulation._engine._engine_state.measure.density))
    return seen


def mean_neighbours(engine):
    state = engine._engine_state
    return np.mean([neighbour_count(state, i) for i in range(len(state.ball))])


def test_a_gas_that_flies_apart_costs_no_more_the_longer_it_flies():
    """Neighbourhoods kept their size: the work grew with the time, without any impact."""
    engine = set_up_events(cloud(7, 1.2, inwards=0.0)).engine
    engine.log_impacts(False)
    looks = itertools.count()
    for _ in engine.go_on(1e9, is_interrupted=lambda: next(looks) > 5):
        pass
    assert engine.state.now == 1e9
    assert 0 < engine.tally.ball_impacts < 10_000


def test_in_a_gas_that_falls_together_neighbours_and_cells_stay_few():
    """Cells stayed as wide as a hundred times thinner gas needs, and overflowed."""
    simulation = Simulation(cloud(8, 5.0, 0.1, heat=0.05, restitution=0.9), engine="events")
    at_start, *_, at_end = densities(simulation, np.linspace(0.1, 9.5, 40))
    assert at_end > 10.0 * at_start
    state = simulation._engine._engine_state
    assert len(state.cells.spare) - state.cells.spares[0] < len(state.cells.spare) / 4
    assert 5.0 < mean_neighbours(simulation._engine) < 22.0


def test_the_layout_changes_no_impact():
    """Beside an engine that keeps the layout of the start."""

    free, fixed = (Simulation(cloud(6, 3.0, inwards=0.2), engine="events") for _ in "ab")
    fixed._engine._engine_state.count.layout_in = -1
    for simulation in (free, fixed):
        simulation.run(impacts=800)
    measures = [simulation._engine._engine_state.measure.density for simulation in (free, fixed)]
    assert measures[0] > 2.0 * measures[1]
    rows = [[(row.kind, row.i, row.j) for row in s.impacts] for s in (free, fixed)]
    assert rows[0] == rows[1]
    assert free.position == pytest.approx(fixed.position, abs=1e-9)


def test_stopped_and_resumed_anywhere_it_goes_on_to_the_same_bytes():
    def begun():
        return Simulation(cloud(6, 3.0, inwards=0.3), engine="events")

    for time in (0.5, 2.5, 3.0, 3.5, 4.0, 6.0):
        goes_on_alike(begun, np.linspace(0.0, time, 7)[1:].tolist(), 9.0)


def test_balls_that_a_program_puts_together_are_laid_out_anew():
    simulation = Simulation(cloud(6, 40.0, inwards=0.0), engine="events")
    simulation.run(until=0.1)
    simulation.position[:] = lattice(6, 1.1)
    simulation.run(until=0.2)
    assert mean_neighbours(simulation._engine) < 22.0


def test_a_thin_shower_lands_as_a_heap_that_sleeps():
    """Balls in contact keep their contacts and forces when the layout changes."""
    random = np.random.default_rng(4)
    places = lattice(4, 4.0) + random.uniform(-0.4, 0.4, (64, 3)) + (0.0, 10.0, 0.0)
    places[:, (0, 2)] *= 0.3
    places[:, 1] *= 3.0
    walls = [Plane((0, 0, 0), (0, 1, 0)), *room(-2.5, 2.5, [0, 2])]
    balls = [Ball(tuple(x), radius=0.4, restitution=0.3) for x in places]
    simulation = Simulation(balls, walls, (0, -9.81, 0), engine="events")
    at_start = simulation._engine._engine_state.measure.density
    simulation.run(until=30.0)
    assert simulation._engine._engine_state.measure.density > 2.0 * at_start
    assert simulation.asleep.sum() >= 60
    apart = np.linalg.norm(simulation.position[:, None] - simulation.position, axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.8 * (1.0 - 1e-9)
