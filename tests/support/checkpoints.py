"""Whether a run that is stopped, saved and resumed goes on to the bytes of one that is not."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from spheresim import Simulation


def state_of(simulation: Simulation) -> list[Any]:
    """All that a simulation says of its present, in bytes."""
    arrays = (
        np.array([simulation.time, simulation.tally.work_of_shear]),
        *(simulation.position, simulation.velocity),
        *(simulation.asleep, simulation.sliding, simulation.contacts.force),
        *(simulation.wall_records, simulation.heat_bath, simulation.angular_velocity),
    )
    return [None if array is None else np.ascontiguousarray(array).tobytes() for array in arrays]


def rows_of(simulation: Simulation) -> list[Any]:
    """The impacts without their numbers, which begin anew in a resumed simulation."""
    return [row.tolist()[1:] for row in simulation.impacts]


def goes_on_alike(
    make: Callable[[], Simulation],
    stops: Iterable[float],
    end: float,
    resumed: Callable[[], Simulation] | None = None,
) -> Simulation:
    """A run to a time. Fails unless one that stops, is saved, runs on and goes back is the same,
    and another simulation that goes on from there.

    resumed: makes this other simulation, if it is not the same at the start.
    """
    whole, stopped, other = make(), make(), (resumed or make)()
    whole.run(until=end)
    for stop in stops:
        stopped.run(until=stop)
    saved, before = stopped.checkpoint(), len(stopped.impacts)
    stopped.run(until=end)
    expected, rows = state_of(whole), rows_of(whole)
    assert state_of(stopped) == expected
    assert rows_of(stopped) == rows
    for simulation in (stopped, other):
        simulation.resume(saved)
        simulation.run(until=end)
        assert state_of(simulation) == expected
    assert rows_of(other) == rows[before:]
    return whole
