"""The steps of a pile, for which the kernel that goes from event to event stops each time."""

import numpy as np
import pytest
from worlds import room

from spheresim import Ball, Plane, Simulation
from spheresim.engines.event_driven import engine

DOWN = (0.0, -9.81, 0.0)


def heap(restitution):
    """Balls above each other that fall into a narrow box."""
    random = np.random.default_rng(5)
    places = [(*random.uniform(-0.4, 0.4, 2), 1.0 + 1.1 * k) for k in range(6)]
    balls = [Ball((x, y, z), radius=0.5, restitution=restitution) for x, z, y in places]
    walls = room(-1.1, 1.1, [0, 2])
    return Simulation(balls, [Plane((0, 0, 0), (0, 1, 0)), *walls], DOWN, engine="events")


@pytest.mark.compiled_only
def test_how_many_steps_are_made_at_once_changes_no_bit(monkeypatch):
    states = []
    for at_once in (1, 100):
        monkeypatch.setattr(engine, "_STEPS_PER_CALL", at_once)
        simulation = heap(0.5)
        simulation.run(until=1.5)
        assert simulation.sliding.any()
        states.append((simulation.position.copy(), simulation.velocity.copy()))
    (x, v), (y, w) = states
    assert np.array_equal(x, y)
    assert np.array_equal(v, w)


def test_where_balls_only_bounce_the_step_is_not_even_compiled():
    simulation = heap(1.0)
    simulation.compile()
    simulation.run(impacts=50)
    assert "_step_islands" not in vars(simulation._engine)
