"""A simulation whose impacts are given to observers: functions, counts, counts of crossings."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

from spheresim.analysis.crossings import Crossings, Gate
from spheresim.analysis.impact_counts import ImpactCounts
from spheresim.numerics.arrays import Records
from spheresim.simulation.batched import BatchedSimulation
from spheresim.simulation.observers import CalledFunction, Observer, Where
from spheresim.simulation.surroundings import surroundings_of


class ObservedSimulation(BatchedSimulation):
    """The part of `Simulation` that starts and stops observers."""

    __slots__ = ()

    def on_impact(
        self,
        function: Callable[[Records], object],
        where: Where | None = None,
        *,
        each: bool = False,
    ) -> Observer:
        """Call a function with all later impacts; returns an observer, for `stop_observing`.

        function: is called with tables of up to some thousand impacts, or, with `each`, with one
        row at a time; the columns are those of `impacts`. where: only the impacts on the obstacle
        with this name; or a function that takes a table of m impacts and returns a mask, (m,) bool.
        When the function is called, the state is already at a later time than the impacts. It must
        not be written to, and the function must not run the simulation: both raise RuntimeError.
        `run(stop=f)` calls f at the time of each impact.
        """
        return self._observe(CalledFunction(function, self.obstacle_names, where, each))

    def count(
        self,
        kinds: Sequence[Any] | None = None,
        *,
        of: str | None = None,
        bins: npt.ArrayLike | None = None,
    ) -> ImpactCounts:
        """Count later impacts for each pair of kinds of balls, and for each kind and obstacle.

        kinds: (n,), the kind of each ball; None: all are "ball". of, bins: for a histogram, a
        column of `impacts` and the edges of the bins. Returns `ImpactCounts`, which the simulation
        updates while it runs:

        >>> from spheresim import Ball, Plane, Simulation
        >>> balls = [Ball((x, 2, 0), radius=1) for x in (0, 5)]
        >>> floor = Plane((0, 0, 0), (0, 1, 0))
        >>> simulation = Simulation(balls, [floor], (0, -1, 0), engine="events")
        >>> counts = simulation.count(["red", "blue"])
        >>> simulation.run(impacts=10)
        >>> counts["red", "plane 0"].impacts
        5

        ValueError unless there is a kind for each ball. See `ImpactCounts`.
        """
        if kinds is not None and len(kinds) != len(self.balls):
            raise ValueError(
                f"kinds must be one for each of {len(self.balls)} balls, not {len(kinds)}"
            )
        counts = ImpactCounts(kinds, self.obstacle_names, of, bins)
        self._observe(counts)
        return counts

    def count_crossings(
        self,
        gate: Gate,
        kinds: Sequence[Any] | None = None,
        *,
        of: str | None = None,
        bins: npt.ArrayLike | None = None,
    ) -> Crossings:
        """Count how often the centres of balls cross a gate; a gate stops nothing.

        kinds: (n,), the kind of each ball; None: all are "ball". of, bins: "t", "x", "y", "z",
        "vn", the velocity along the normal, or "speed", and the edges of bins. The result counts on
        while the simulation is run. In a periodic box images of the gate count, too.

        >>> from spheresim import Ball, Gate, Simulation
        >>> simulation = Simulation(Ball((0, 0, 0), (1, 0, 0), radius=1), engine="events")
        >>> counts = simulation.count_crossings(Gate((2, 0, 0), (1, 0, 0)))
        >>> simulation.run(until=3)
        >>> counts["ball"].forward
        1

        ValueError where the paths of balls between impacts are not known: in a trap, in a field
        that is a function, in a sheared box; and, with the engine "steps", where balls can lie
        still or meet warm obstacles or a heat bath.
        """
        if kinds is not None and len(kinds) != len(self.balls):
            raise ValueError(
                f"kinds must be one for each of {len(self.balls)} balls, not {len(kinds)}"
            )
        around = surroundings_of(self._world, self._field, self._thermostat, self._engine)
        counts = Crossings(gate, around, kinds, of, bins)
        self._observe(counts)
        return counts

    def stop_observing(self, observer: Observer) -> None:
        """Stop an observer, the result of `on_impact`, `count` or `count_crossings`.

        ValueError for any other object, or if it was stopped before.
        """
        if not any(observer is other for other in self.observers):
            raise ValueError("stop_observing takes a result of on_impact or count, each only once")
        self.observers = [other for other in self.observers if other is not observer]
        self.log_impacts(self.keeps_impacts)

    def _observe(self, observer: Observer) -> Observer:
        self.observers.append(observer)
        self.log_impacts(self.keeps_impacts)
        return observer
